"""Losses of regions and of embeddings: how little regions overlap, how far classes are apart."""

from __future__ import annotations

from typing import Any

from tapeviz import math
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.loss import LossFunctionWrapper
from tapeviz.keras.losses.regression import paired
from tapeviz.keras.masks import set_mask
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import size
from tapeviz.ops.array.reshape import reshape, transpose
from tapeviz.ops.array.select import where
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.math.reductions import reduce_sum

__all__ = ["Circle", "Dice", "Tversky", "circle", "dice", "tversky"]


def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """Dice loss: one minus twice the overlap by the sum of both.

    Args:
        y_true: 1 inside of the region, 0 outside.
        y_pred: what is predicted, from 0 to 1.
        axis: the axes over which a region extends; all by default, and then there is one loss.

    >>> import tapeviz as tf
    >>> tf.keras.losses.dice([[1.0, 0.0]], [[1.0, 1.0]]).numpy().round(4)
    np.float32(0.3333)
    """
    y_true, y_pred = paired(y_true, y_pred, ranked=False)
    both = reduce_sum(y_true, axis) + reduce_sum(y_pred, axis)
    return 1.0 - 2.0 * reduce_sum(y_true * y_pred, axis) / (both + epsilon())


def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None) -> Any:
    """Tversky loss: one minus the overlap by itself and what is outside of it, each side with its own weight.

    Args:
        y_true: as for :func:`dice`.
        y_pred: what is predicted.
        alpha: the weight of what is right and was not predicted.
        beta: the weight of what was predicted and is not right.
        axis: the axes over which a region extends.

    >>> import tapeviz as tf
    >>> tf.keras.losses.tversky([[1.0, 0.0]], [[1.0, 1.0]], beta=1.0).numpy().round(4)
    np.float32(0.5)
    """
    y_true, y_pred = paired(y_true, y_pred, ranked=False)
    overlap = reduce_sum(y_true * y_pred, axis)
    missed = reduce_sum((1.0 - y_pred) * y_true, axis)
    wrong = reduce_sum(y_pred * (1.0 - y_true), axis)
    return 1.0 - overlap / (overlap + missed * alpha + wrong * beta + epsilon())


def circle(
    y_true: Any,
    y_pred: Any,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> Any:
    """Circle loss: how far embeddings of one class are apart, and how near those of others, weighted.

    Args:
        y_true: the class of each embedding.
        y_pred: embeddings of length 1, a row each.
        ref_labels: the classes of those to compare with; those in ``y_true`` by default.
        ref_embeddings: what to compare with; ``y_pred`` by default.
        remove_diagonal: whether an embedding is not compared with itself.
        gamma: how sharp it is.
        margin: the distance that is asked for.

    >>> import tapeviz as tf
    >>> rows = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    >>> tf.keras.losses.circle([0, 0, 1, 1], rows).numpy().round(4).tolist()
    [0.0, 0.0, 0.0, 0.0]
    """
    y_pred, y_true = convert_to_tensor(y_pred), cast(y_true, "int32")
    others = y_pred if ref_embeddings is None else convert_to_tensor(ref_embeddings)
    theirs = y_true if ref_labels is None else cast(ref_labels, "int32")
    distances = math.maximum(1.0 - matmul(y_pred, transpose(others)), 0.0)
    same = math.equal(reshape(y_true, (-1, 1)), reshape(theirs, (1, -1)))
    other = math.logical_not(same)
    if remove_diagonal:
        same = math.logical_and(same, math.logical_not(_diagonal(y_true, theirs)))
    near = -gamma * _only(margin + distances, same) * (margin - distances)
    far = gamma * _only(1.0 + margin - distances, other) * (1.0 - margin - distances)
    found = math.softplus(_logsum(near, same) + _logsum(far, other))
    set_mask(found, found > 0)  # where there is something to be learnt
    return found


def _diagonal(rows: Any, columns: Any) -> Any:
    """Where the number of the row is that of the column."""
    counts = (math.cumsum(cast(math.equal(part, part), "int32")) for part in (rows, columns))
    down, across = counts
    return math.equal(reshape(down, (size(rows), 1)), reshape(across, (1, size(columns))))


def _only(weights: Any, chosen: Any) -> Any:
    return math.maximum(weights * cast(chosen, weights.dtype), 0.0)


def _logsum(values: Any, chosen: Any) -> Any:
    return math.reduce_logsumexp(where(chosen, values, cast(float("-inf"), values.dtype)), 1)


class Dice(LossFunctionWrapper):
    """Dice loss: one minus twice the overlap of two regions by the sum of both.

    Args:
        reduction: how the losses of the examples become one number, see :class:`Loss`.
        name: its name.
        axis: the axes over which a region extends.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.Dice()([[1.0, 0.0]], [[1.0, 1.0]]).numpy().round(4)
    np.float32(0.3333)
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "dice", axis: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(dice, reduction, name, dtype, axis=axis)


class Tversky(LossFunctionWrapper):
    """Tversky loss: one minus the overlap of two regions by itself and what is outside of it, each side weighted.

    Args:
        alpha: the weight of what is right and was not predicted.
        beta: the weight of what was predicted and is not right.
        reduction: as for :class:`Dice`, like the rest.
        name: its name.
        axis: the axes over which a region extends.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.Tversky(beta=1.0)([[1.0, 0.0]], [[1.0, 1.0]]).numpy().round(4)
    np.float32(0.5)
    """

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str | None = "sum_over_batch_size",
        name: str = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis)


class Circle(LossFunctionWrapper):
    """Circle loss: how far embeddings of one class are apart, and how near those of others.

    Args:
        gamma: how sharp it is.
        margin: the distance that is asked for.
        remove_diagonal: whether an embedding is not compared with itself.
        reduction: as for :class:`Dice`, like ``name`` and ``dtype``.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> loss = tf.keras.losses.Circle(gamma=2.0)([0, 0, 1, 1], [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.6, 0.8]])
    >>> loss.numpy().round(4)
    np.float32(2.3838)
    """

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: str | None = "sum_over_batch_size",
        name: str = "circle",
        dtype: Any = None,
    ) -> None:
        super().__init__(circle, reduction, name, dtype, gamma=gamma, margin=margin, remove_diagonal=remove_diagonal)
