"""Correlations between what is right and what is predicted."""

from __future__ import annotations

from typing import Any

from tapeviz import math
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.regression import paired
from tapeviz.keras.metrics.reduction import MeanMetricWrapper
from tapeviz.ops.math.reductions import reduce_mean

__all__ = ["ConcordanceCorrelation", "PearsonCorrelation", "concordance_correlation", "pearson_correlation"]


def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Pearson correlation of the two along ``axis``: 1 where one is a rising line of the other.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.pearson_correlation([[0.0, 1.0, 0.5]], [[0.0, 2.0, 1.0]]).numpy().round(4)
    array([1.], dtype=float32)
    """
    scores = []
    for values in paired(y_true, y_pred):
        distance = values - reduce_mean(values, axis, keepdims=True)
        scores.append(distance / math.reduce_std(distance, axis, keepdims=True))
    return reduce_mean(scores[0] * scores[1], axis)


def concordance_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Concordance correlation along ``axis``, less where means or variances differ: 1 where the two are the same.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.concordance_correlation([[0.0, 1.0, 0.5]], [[0.0, 1.0, 0.5]]).numpy().round(4)
    array([1.], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    true_mean, mean = (reduce_mean(y, axis, keepdims=True) for y in (y_true, y_pred))
    spreads = math.reduce_variance(y_true, axis, keepdims=True) + math.reduce_variance(y_pred, axis, keepdims=True)
    common = (y_true - mean) * (y_pred - mean)
    return reduce_mean(2.0 * common / (spreads + math.square(true_mean - mean) + epsilon()), axis)


class PearsonCorrelation(MeanMetricWrapper):
    """Mean Pearson correlation of labels and predictions.

    Args:
        name: its name.
        dtype: the dtype to count in.
        axis: the axis along which it is taken.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.PearsonCorrelation()([[0.0, 1.0, 0.5]], [[0.0, 2.0, 1.0]]).numpy().round(4)
    np.float32(1.0)
    """

    def __init__(self, name: str | None = "pearson_correlation", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(pearson_correlation, name, dtype, axis=axis)


class ConcordanceCorrelation(MeanMetricWrapper):
    """The mean concordance correlation. Arguments as for :class:`PearsonCorrelation`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.ConcordanceCorrelation()([[0.0, 1.0, 0.5]], [[0.0, 1.0, 0.5]]).numpy().round(4)
    np.float32(1.0)
    """

    def __init__(self, name: str | None = "concordance_correlation", dtype: Any = None, axis: int = -1) -> None:
        super().__init__(concordance_correlation, name, dtype, axis=axis)
