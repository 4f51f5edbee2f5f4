"""Hinge losses: what is right by a margin costs nothing."""

from __future__ import annotations

from typing import Any

from tapeviz import math
from tapeviz.keras.losses.loss import LossFunctionWrapper
from tapeviz.keras.losses.regression import paired
from tapeviz.ops.array.select import where
from tapeviz.ops.math.reductions import reduce_all, reduce_max, reduce_mean, reduce_sum

__all__ = ["CategoricalHinge", "Hinge", "SquaredHinge", "categorical_hinge", "hinge", "squared_hinge"]


def hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of ``max(1 - y_true * y_pred, 0)`` along the last axis, for labels -1 and 1 (0 and 1 will do).

    >>> import tapeviz as tf
    >>> tf.keras.losses.hinge([[-1.0, 1.0]], [[-2.0, 0.5]]).numpy()
    array([0.25], dtype=float32)
    """
    return reduce_mean(_shortfall(y_true, y_pred), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of ``max(1 - y_true * y_pred, 0) ** 2`` along the last axis.

    >>> import tapeviz as tf
    >>> tf.keras.losses.squared_hinge([[-1.0, 1.0]], [[-2.0, 0.5]]).numpy()
    array([0.125], dtype=float32)
    """
    return reduce_mean(math.square(_shortfall(y_true, y_pred)), -1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Categorical hinge loss: how far the best wrong class comes within 1 of the right one, for one-hot ``y_true``.

    >>> import tapeviz as tf
    >>> tf.keras.losses.categorical_hinge([[0.0, 1.0]], [[0.25, 0.75]]).numpy()
    array([0.5], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred, ranked=False)
    right = reduce_sum(y_true * y_pred, -1)
    wrong = reduce_max((1.0 - y_true) * y_pred, -1)
    return math.maximum(wrong - right + 1.0, 0.0)


def _shortfall(y_true: Any, y_pred: Any) -> Any:
    """How much each is short of being right by 1."""
    y_true, y_pred = paired(y_true, y_pred, ranked=False)
    return math.maximum(1.0 - _signs(y_true) * y_pred, 0.0)


def _signs(y_true: Any) -> Any:
    """Labels as -1 and 1: where all are 0 or 1, 0 becomes -1."""
    binary = reduce_all(math.logical_or(math.equal(y_true, 0.0), math.equal(y_true, 1.0)))
    return where(binary, 2.0 * y_true - 1.0, y_true)


class Hinge(LossFunctionWrapper):
    """Hinge loss: the mean of ``max(1 - y_true * y_pred, 0)``.

    Args:
        reduction: how the losses of the examples become one number, see :class:`Loss`.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.Hinge()([[-1.0], [1.0]], [[-2.0], [0.5]]).numpy()
    np.float32(0.25)
    """

    def __init__(self, reduction: str | None = "sum_over_batch_size", name: str = "hinge", dtype: Any = None) -> None:
        super().__init__(hinge, reduction, name, dtype)


class SquaredHinge(LossFunctionWrapper):
    """Squared hinge loss: the mean of ``max(1 - y_true * y_pred, 0) ** 2``. Arguments as for :class:`Hinge`.

    >>> import tapeviz as tf
    >>> tf.keras.losses.SquaredHinge()([[-1.0], [1.0]], [[-2.0], [0.5]]).numpy()
    np.float32(0.125)
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "squared_hinge", dtype: Any = None
    ) -> None:
        super().__init__(squared_hinge, reduction, name, dtype)


class CategoricalHinge(LossFunctionWrapper):
    """Categorical hinge loss, of the right class against the best wrong one. Arguments as for :class:`Hinge`.

    >>> import tapeviz as tf
    >>> tf.keras.losses.CategoricalHinge()([[0.0, 1.0]], [[0.25, 0.75]]).numpy()
    np.float32(0.5)
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "categorical_hinge", dtype: Any = None
    ) -> None:
        super().__init__(categorical_hinge, reduction, name, dtype)
