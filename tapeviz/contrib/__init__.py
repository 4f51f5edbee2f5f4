"""``tf.contrib``: what came with TensorFlow as it became eager, under the names that it had there."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

_MODULES: Final = ("eager",)
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return list(__all__)
