"""Nested structures of values: flatten them, and give a flat list their structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["flatten", "map_structure", "pack"]


def flatten(structure: Any) -> list[Any]:
    """The leaves, depth first: of lists, tuples and dicts (by sorted key). ``None`` is a leaf.

    >>> from tapeviz.engine import nest
    >>> nest.flatten({"b": [1, (2,)], "a": 0})
    [0, 1, 2]
    """
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flatten(item)]
    if isinstance(structure, Mapping):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if isinstance(structure, Iterator) or structure.__class__.__name__ in ("dict_values", "dict_keys"):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def pack(structure: Any, leaves: list[Any]) -> Any:
    """``leaves`` in the structure of ``structure``, which is what :func:`flatten` made them from."""
    return _pack(structure, iter(leaves))


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[_pack(item, leaves) for item in structure])
    if isinstance(structure, (list, tuple)):
        return type(structure)([_pack(item, leaves) for item in structure])
    if isinstance(structure, Mapping):
        filled = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, filled[key]) for key in structure)  # type: ignore[call-arg]
    if structure.__class__.__name__ in ("dict_values", "dict_keys"):
        return [_pack(item, leaves) for item in structure]
    return next(leaves)


def map_structure(function: Any, *structures: Any) -> Any:
    """``function`` applied to the leaves of structures of one form, in that form."""
    return pack(structures[0], [function(*leaves) for leaves in zip(*map(flatten, structures), strict=True)])
