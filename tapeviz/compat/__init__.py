"""``tf.compat``: programs written for earlier TensorFlow."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["v1"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"tapeviz.compat.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
