"""``tf.keras.layers``."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.layers.base": "Layer",
        "tapeviz.keras.layers.dense": "Dense",
        "tapeviz.keras.layers.input_layer": "Input InputLayer",
        "tapeviz.keras.layers.input_spec": "InputSpec",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
