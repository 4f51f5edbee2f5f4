"""Masks: which steps of a sequence count. They go beside tensors, which are never changed themselves."""

from __future__ import annotations

import weakref
from typing import Any, Final

__all__ = ["mask_of", "masked", "set_mask"]

masked: Final[dict[int, tuple[weakref.ref[Any], Any]]] = {}
"""Tensors with a mask, by identity."""


def set_mask(tensor: Any, mask: Any) -> None:
    """Give a tensor a mask."""
    key = id(tensor)
    masked[key] = (weakref.ref(tensor, lambda _: masked.pop(key, None)), mask)


def mask_of(tensor: Any) -> Any:
    """The mask of a tensor; None where it has none."""
    if not masked:
        return None
    found = masked.get(id(tensor))
    return None if found is None or found[0]() is not tensor else found[1]
