"""``tf.nest``: nested structures of values."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {"tapeviz.ops.control.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as"},
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
