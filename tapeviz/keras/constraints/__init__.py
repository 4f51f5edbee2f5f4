"""``tf.keras.constraints``: what weights are made to satisfy after each update."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.constraints.projections": (
            "Constraint MaxNorm MinMaxNorm NonNeg UnitNorm deserialize get max_norm=MaxNorm min_max_norm=MinMaxNorm "
            "non_neg=NonNeg serialize unit_norm=UnitNorm"
        ),
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
