"""Masks: which steps of a sequence count. They go beside tensors, which are never changed themselves."""

from __future__ import annotations

import weakref
from typing import Any, Final

from tapeviz.engine.symbolic import SymbolicTensor

__all__ = ["mask_of", "masked", "set_mask"]

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
