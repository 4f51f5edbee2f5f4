"""Nested structures of values: flatten them, and give a flat list their structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MappingView, Sequence
from typing import Any, Final

__all__ = ["flatten", "is_nested", "map_structure", "pack", "parts"]

_SEQUENCES: Final[Any] = (Iterator, MappingView, Sequence)
_ATOMS: Final = (str, bytes, bytearray, memoryview)
_leaves: Final[set[type]] = set()
"""Classes known to have nothing inside, since finding out takes longer than most of what is done with a leaf."""
_KNOWN: Final = 256


def parts(structure: Any) -> list[Any] | None:
    """What is directly inside: items, values by sorted key, or fields; None for a leaf."""
    if isinstance(structure, (list, tuple)):
        return list(structure)
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    kind = type(structure)
    if isinstance(structure, _SEQUENCES) and not isinstance(structure, _ATOMS) and not hasattr(kind, "_traced_as"):
        return list(structure)  # not that of a dataset, which would be over afterwards
    if hasattr(kind, "__attrs_attrs__"):
        return [getattr(structure, field.name) for field in kind.__attrs_attrs__]
    return list(structure.__tf_flatten__()[1]) if hasattr(kind, "__tf_unflatten__") else None


def is_nested(structure: Any) -> bool:
    """Whether there can be something inside: lists, tuples, dicts and their views, attrs classes; not strings, sets.

    >>> from tapeviz.engine import nest
    >>> nest.is_nested([1]), nest.is_nested("a")
    (True, False)
    """
    return not isinstance(structure, Iterator) and parts(structure) is not None


def flatten(structure: Any) -> list[Any]:
    """The leaves, depth first: of lists, tuples and dicts (by sorted key). ``None`` is a leaf.

    >>> from tapeviz.engine import nest
    >>> nest.flatten({"b": [1, (2,)], "a": 0})
    [0, 1, 2]
    """
    if structure.__class__ in _leaves:
        return [structure]
    inside = parts(structure)
    if inside is None:
        _remember(structure.__class__)
        return [structure]
    found = []
    for item in inside:
        if item.__class__ in _leaves:
            found.append(item)
        else:
            found += flatten(item)
    return found


def _remember(kind: type) -> None:
    if len(_leaves) < _KNOWN:
        _leaves.add(kind)


def pack(structure: Any, leaves: list[Any]) -> Any:
    """``leaves`` in the structure of ``structure``, which is what :func:`flatten` made them from."""
    return _pack(structure, iter(leaves))


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if structure.__class__ in _leaves:
        return next(leaves)
    inside = parts(structure)
    if inside is None:
        return next(leaves)
    filled = [_pack(item, leaves) for item in inside]
    if structure.__class__ is list or isinstance(structure, (range, Iterator, MappingView)):
        return filled
    if isinstance(structure, Mapping):
        return _mapping_like(structure, filled)
    kind = type(structure)
    if hasattr(kind, "__tf_unflatten__"):
        return kind.__tf_unflatten__(structure.__tf_flatten__()[0], tuple(filled))
    has_fields = hasattr(kind, "_fields") or hasattr(kind, "__attrs_attrs__")
    return kind(*filled) if has_fields else kind(filled)


def _mapping_like(structure: Any, values: list[Any]) -> Any:
    """A mapping of the same type, its keys in their order; ``values`` are by sorted key."""
    by_key = dict(zip(sorted(structure), values, strict=True))
    pairs = [(key, by_key[key]) for key in structure]
    kind = type(structure)
    return kind(structure.default_factory, pairs) if hasattr(structure, "default_factory") else kind(pairs)


def map_structure(function: Any, *structures: Any) -> Any:
    """``function`` applied to the leaves of structures of one form, in that form."""
    return pack(structures[0], [function(*leaves) for leaves in zip(*map(flatten, structures), strict=True)])
