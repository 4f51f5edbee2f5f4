# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from collections.abc import Callable as _Callable
from typing import Any as _Any

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]

def assert_same_structure(nest1: _Any, nest2: _Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raise unless both have the same form."""

def flatten(structure: _Any, expand_composites: bool = False) -> list[_Any]:
    """The leaves, depth first; those of a dict in the order of its sorted keys."""

def is_nested(seq: _Any) -> bool:
    """Whether there can be something inside: lists, tuples, dicts and their views, attrs classes; not strings, sets."""

def map_structure(func: _Callable[..., _Any], *structure: _Any, **kwargs: _Any) -> _Any:
    """``func`` of the leaves that are in the same places, in the structure of the first."""

def pack_sequence_as(structure: _Any, flat_sequence: _Any, expand_composites: bool = False) -> _Any:
    """The items of ``flat_sequence`` in the form of ``structure``: the opposite of :func:`flatten`."""
