"""``tf.keras.datasets``: data to try models on. ``digits`` needs no network."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

_MODULES: Final = ("california_housing", "cifar10", "diabetes", "digits", "fashion_mnist", "mnist")

_offered: Final = list(_MODULES)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
