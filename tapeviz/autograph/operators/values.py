"""Values as the state of a branch or loop of a graph: tensors go through it, everything else has to stay as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.autograph.operators.kinds import is_tensor
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.symbolic import at_line
from tapeviz.ops.control.nest import assert_same_structure

__all__ = ["Leaves", "flat", "is_subshape", "packed", "same", "same_structure", "tensors_of"]

# What becomes a tensor where it is part of a branch or loop of a graph.
_NUMBERS: Final = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def becomes_tensor(value: Any) -> bool:
    """Whether the value can go through a branch or loop of a graph."""
    return is_tensor(value) or isinstance(value, _NUMBERS)


@dataclass(frozen=True, slots=True)
class Leaves:
    """A value taken apart: its leaves, and those of them that are tensors of the graph (None for the others)."""

    value: Any
    leaves: list[Any]
    tensors: list[Any]


def flat(value: Any) -> Leaves:
    """The value with those of its leaves that can be tensors as tensors."""
    leaves = nest.flatten(value) if _has_parts(value) else [value]
    return Leaves(value, leaves, [convert_to_tensor(leaf) if becomes_tensor(leaf) else None for leaf in leaves])


def packed(form: Leaves, leaves: list[Any]) -> Any:
    """These leaves in the form of the value that was taken apart."""
    return nest.pack(form.value, leaves) if _has_parts(form.value) else leaves[0]


def _has_parts(value: Any) -> bool:
    return isinstance(value, (list, tuple, dict)) or hasattr(type(value), "__tf_unflatten__")


def tensors_of(parts: Sequence[Leaves]) -> list[Any]:
    """The tensors of several values, one after the other."""
    return [tensor for part in parts for tensor in part.tensors if tensor is not None]


def same(one: Any, other: Any) -> bool:
    """Whether two leaves are one value as far as Python can tell."""
    if one is other:
        return True
    return one.__class__ is other.__class__ and isinstance(one, (bool, int, float, str, bytes)) and one == other


def same_structure(name: str, one: Any, other: Any, wanted: str) -> None:
    """Raise TypeError, which says what is wanted of the name, unless both have the same form."""
    __tracebackhide__ = True
    try:
        assert_same_structure(one, other)
    except (TypeError, ValueError) as error:
        raise TypeError(f"'{name}' {wanted}:{at_line()}\n\n{error}") from None


def is_subshape(left: Any, right: Any) -> bool:
    """Whether shape ``left`` says at least as much as ``right``."""
    if right.dims is None:
        return True
    if left.dims is None or len(left.dims) != len(right.dims):
        return False
    return all(wide is None or narrow == wide for narrow, wide in zip(left.dims, right.dims, strict=True))
