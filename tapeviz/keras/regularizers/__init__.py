"""``tf.keras.regularizers``: penalties on weights and on what layers give."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.regularizers.penalties": (
            "L1 L1L2 L2 OrthogonalRegularizer Regularizer deserialize get l1=L1 l1_l2=L1L2 l2=L2 "
            "orthogonal_regularizer=OrthogonalRegularizer serialize"
        ),
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
