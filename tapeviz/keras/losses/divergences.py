"""Losses between distributions: Kullback and Leibler's divergence, and that of counts."""

from __future__ import annotations

from typing import Any

from tapeviz import math
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.loss import LossFunctionWrapper
from tapeviz.keras.losses.regression import paired
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum
from tapeviz.ops.math.rounding import clip_by_value

__all__ = ["KLDivergence", "Poisson", "kl_divergence", "poisson"]


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Kullback-Leibler divergence ``sum(y_true * log(y_true / y_pred))`` of two distributions, along the last axis.

    >>> import tapeviz as tf
    >>> tf.keras.losses.kl_divergence([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    y_true, y_pred = (clip_by_value(y, epsilon(), 1.0) for y in paired(y_true, y_pred, ranked=False))
    return reduce_sum(y_true * math.log(y_true / y_pred), -1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """The mean of ``y_pred - y_true * log(y_pred)`` along the last axis: for counts, of which a rate is predicted.

    >>> import tapeviz as tf
    >>> tf.keras.losses.poisson([[1.0, 3.0]], [[1.0, 1.0]]).numpy().round(4)
    array([1.], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred, ranked=False)
    return reduce_mean(y_pred - y_true * math.log(y_pred + epsilon()), -1)


class KLDivergence(LossFunctionWrapper):
    """The divergence ``sum(y_true * log(y_true / y_pred))`` of two distributions.

    Args:
        reduction: how the losses of the examples become one number, see :class:`Loss`.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.KLDivergence()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    np.float32(0.6931)
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "kl_divergence", dtype: Any = None
    ) -> None:
        super().__init__(kl_divergence, reduction, name, dtype)


class Poisson(LossFunctionWrapper):
    """Poisson loss: the mean of ``y_pred - y_true * log(y_pred)``, for counts. Arguments as for :class:`KLDivergence`.

    >>> import tapeviz as tf
    >>> tf.keras.losses.Poisson()([[1.0, 3.0]], [[1.0, 1.0]]).numpy().round(4)
    np.float32(1.0)
    """

    def __init__(self, reduction: str | None = "sum_over_batch_size", name: str = "poisson", dtype: Any = None) -> None:
        super().__init__(poisson, reduction, name, dtype)
