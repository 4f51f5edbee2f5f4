"""Masks: which steps of a sequence count, kept beside tensors; and which positions attention looks at."""

from __future__ import annotations

import functools
import weakref
from typing import Any, Final

from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import TensorOperators
from tapeviz.ops.array.creation import range as count

__all__ = ["all_of", "causal_mask", "mask_of", "masked", "set_mask"]

masked: Final[dict[int, tuple[weakref.ref[Any], Any]]] = {}
"""Tensors with a mask, by identity."""


def set_mask(tensor: Any, mask: Any) -> None:
    """Give a tensor a mask."""
    key = id(tensor)
    # A graph keeps its own tensors, and would be kept for ever by one of them here.
    held = weakref.ref(mask) if isinstance(mask, SymbolicTensor) else mask
    masked[key] = (weakref.ref(tensor, lambda _: masked.pop(key, None)), held)


def mask_of(tensor: Any) -> Any:
    """The mask of a tensor; None where it has none."""
    if not masked:
        return None
    found = masked.get(id(tensor))
    if found is None or found[0]() is not tensor:
        return None
    return found[1]() if isinstance(found[1], weakref.ref) else found[1]


# Programs that write layers of their own read and set masks by this name of Keras'.
TensorOperators._keras_mask = property(mask_of, set_mask)  # type: ignore[attr-defined]


def causal_mask(places: Any, others: Any) -> Any:
    """``[1, places, others]``: true where the other place is no later."""
    rows, columns = (registry["reshape"].run(count(size), shape) for size, shape in
                     ((places, (1, places, 1)), (others, (1, 1, others))))  # fmt: skip
    return rows >= columns


def all_of(*masks: Any) -> Any:
    """True where all masks are, of those that there are; None where there is none."""
    given = [public["cast"](mask, "bool") for mask in masks if mask is not None]
    return functools.reduce(registry["logical_and"].run, given) if given else None
