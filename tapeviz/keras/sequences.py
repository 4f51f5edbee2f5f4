"""Sequences of different lengths as one array."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["pad_sequences"]


def pad_sequences(
    sequences: Any, maxlen: int | None = None, dtype: Any = "int32", padding: str = "pre", truncating: str = "pre",
    value: Any = 0.0,
) -> Any:  # fmt: skip
    """Sequences as rows of one length, filled up or cut.

    Args:
        sequences: lists, which may hold arrays of one shape.
        maxlen: the length; that of the longest unless given.
        dtype: of the array.
        padding: "pre" or "post": where shorter ones are filled up.
        truncating: "pre" or "post": where longer ones are cut.
        value: what fills up.

    Raises:
        ValueError: something is no sequence, or ``padding`` or ``truncating`` is neither.

    >>> import tapeviz as tf
    >>> tf.keras.utils.pad_sequences([[1], [2, 3, 4]], maxlen=2)
    array([[0, 1],
           [3, 4]], dtype=int32)
    """
    for name, given in (("Padding", padding), ("Truncating", truncating)):
        if given not in ("pre", "post"):
            raise ValueError(f'{name} type "{given}" not understood')
    rows = list(sequences)
    if any(not isinstance(row, Iterable) for row in rows):
        raise ValueError(f"`sequences` must be a list of iterables. Found: {sequences}")
    arrays = [np.asarray(row) for row in rows]
    width = max((len(row) for row in rows), default=0) if maxlen is None else maxlen
    inner = next((array.shape[1:] for array in arrays if len(array)), ())
    made = np.full((len(rows), width, *inner), value, dtype=object if isinstance(value, str) else dtype)
    for place, array in enumerate(arrays):
        kept = (array[-width:] if truncating == "pre" else array[:width]) if width else array[:0]
        if len(kept):
            made[place, slice(-len(kept), None) if padding == "pre" else slice(len(kept))] = kept
    return made
