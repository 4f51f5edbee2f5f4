"""``tf.experimental.dlpack``: tensors to and from other libraries without a detour."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(__name__, {"tapeviz.engine.dlpack": "from_dlpack to_dlpack"})
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
