"""``tf.keras``: layers, models, losses, metrics, optimizers, callbacks and datasets."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Final

from tapeviz.keras import conveniences
from tapeviz.namespace import Namespace

# Keras' name for them, which says nothing of what is inside.
sys.modules[f"{__name__}.utils"] = conveniences

_MODULES: Final = (
    "activations", "backend", "callbacks", "constraints", "datasets", "initializers", "layers", "losses", "metrics",
    "models", "optimizers", "regularizers", "saving", "utils",
)  # fmt: skip

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.initializers.initializer": "Initializer",
        "tapeviz.keras.layers.base": "Layer",
        "tapeviz.keras.layers.input_layer": "Input",
        "tapeviz.keras.layers.input_spec": "InputSpec",
        "tapeviz.keras.losses.base": "Loss",
        "tapeviz.keras.metrics.metric": "Metric",
        "tapeviz.keras.models.model": "Model",
        "tapeviz.keras.models.sequential": "Sequential",
    },
)
_offered: Final = [*_names.listed, *_MODULES]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
