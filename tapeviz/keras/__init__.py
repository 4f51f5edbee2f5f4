"""``tf.keras``: layers, models, losses, metrics, optimizers, callbacks and datasets."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.namespace import Namespace

_MODULES: Final = ("callbacks", "datasets", "layers", "losses", "metrics", "models", "optimizers")

_names: Final = Namespace(__name__, {})
_offered: Final = [*_names.listed, *_MODULES]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
