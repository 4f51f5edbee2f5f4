"""Rows of tables by number, as of words in a vocabulary."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.ops.array.concat import concat
from tapeviz.ops.array.gather import gather
from tapeviz.ops.math.clip import clip_by_norm

__all__ = ["embedding_lookup"]


def embedding_lookup(params: Any, ids: Any, max_norm: float | None = None, name: str | None = None) -> Any:
    """The rows of ``params`` at ``ids``.

    Args:
        params: the table, or a list of tables that lie one below the other.
        ids: integers of any shape, from 0 to the number of rows.
        max_norm: rows longer than this are scaled to this length.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no row of some number.
        ValueError: the list of tables is empty.

    >>> import tapeviz as tf
    >>> words = tf.constant([[1.0, 0.0], [3.0, 4.0]])
    >>> tf.nn.embedding_lookup(words, [1, 1, 0], max_norm=1.0).numpy()
    array([[0.6, 0.8],
           [0.6, 0.8],
           [1. , 0. ]], dtype=float32)
    """
    if isinstance(params, (list, tuple)):
        if not params:
            raise ValueError("Length of params is currently 0. Need at least one param.")
        params = params[0] if len(params) == 1 else concat(params, 0)
    ids = convert_to_tensor(ids)
    rows = gather(params, ids)
    return rows if max_norm is None else clip_by_norm(rows, max_norm, axes=list(range(ids.ndim, rows.ndim)))
