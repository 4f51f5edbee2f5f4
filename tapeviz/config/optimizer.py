"""``tf.config.optimizer``: how graphs are made fast."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(__name__, {"tapeviz.graphs.native.compile_policy": "get_jit set_jit"})
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
