"""``tf.random``: random numbers that can be had again."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(__name__, {"tapeviz.ops.random_numbers": "normal set_seed shuffle truncated_normal uniform"})
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
