"""``tf.optimizers``: those of Keras, l-BFGS and KFAC."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.keras.optimizers import HOMES
from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        **HOMES,
        "tapeviz.optimizers.kfac": "KFAC kfac_matmul",
        "tapeviz.optimizers.line_search": "Point strong_wolfe",
        "tapeviz.optimizers.quasi_newton": "LBFGS Minimum lbfgs",
        "tapeviz.optimizers.curvature": "two_loop",
    },
)
_offered: Final = [*_names.listed, "schedules"]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return import_module("tapeviz.keras.optimizers.schedules") if name == "schedules" else _names.find(name)


def __dir__() -> list[str]:
    return __all__
