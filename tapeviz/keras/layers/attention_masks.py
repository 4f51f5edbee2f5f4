"""Masks of attention: which places may be looked at."""

from __future__ import annotations

import functools
from typing import Any

from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.ops.array.creation import range as count

__all__ = ["all_of", "causal_mask"]


def causal_mask(places: Any, others: Any) -> Any:
    """``[1, places, others]``: true where the other place is no later."""
    rows, columns = (registry["reshape"].run(count(size), shape) for size, shape in
                     ((places, (1, places, 1)), (others, (1, 1, others))))  # fmt: skip
    return rows >= columns


def all_of(*masks: Any) -> Any:
    """True where all masks are, of those that there are; None where there is none."""
    given = [public["cast"](mask, "bool") for mask in masks if mask is not None]
    return functools.reduce(registry["logical_and"].run, given) if given else None
