"""Losses of numbers: how far predictions are from them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tapeviz import math
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.keras.floats import epsilon
from tapeviz.keras.losses.loss import LossFunctionWrapper
from tapeviz.keras.losses.loss_reduction import as_tensor, same_rank
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.select import where
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum

__all__ = [
    "CosineSimilarity", "Huber", "LogCosh", "MeanAbsoluteError", "MeanAbsolutePercentageError",
    "MeanSquaredError", "MeanSquaredLogarithmicError", "cosine_similarity", "huber", "log_cosh",
    "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_logarithmic_error",
    "paired",
]  # fmt: skip

_LENGTH: Final = 1e-12


def paired(y_true: Any, y_pred: Any, *, ranked: bool = True) -> tuple[Any, Any]:
    """Both as floating-point tensors of the dtype of ``y_pred``, and of one rank."""
    y_pred = convert_to_tensor(y_pred)
    if not y_pred.dtype.is_floating:
        y_pred = cast(y_pred, "float32")
    y_true = as_tensor(y_true, y_pred.dtype)
    return same_rank(y_true, y_pred) if ranked else (y_true, y_pred)


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Mean squared error along the last axis.

    >>> import tapeviz as tf
    >>> tf.keras.losses.mean_squared_error([[1.0, 2.0]], [[1.0, 4.0]]).numpy()
    array([2.], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    return reduce_mean(math.squared_difference(y_true, y_pred), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Mean absolute error along the last axis.

    >>> import tapeviz as tf
    >>> tf.keras.losses.mean_absolute_error([[1.0, 2.0]], [[1.0, 4.0]]).numpy()
    array([1.], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    return reduce_mean(math.abs(y_true - y_pred), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Mean absolute error in per cent of the label, along the last axis.

    >>> import tapeviz as tf
    >>> tf.keras.losses.mean_absolute_percentage_error([[1.0, 2.0]], [[1.0, 4.0]]).numpy()
    array([50.], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    shares = math.abs((y_true - y_pred) / math.maximum(math.abs(y_true), epsilon()))
    return 100.0 * reduce_mean(shares, -1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Mean squared logarithmic error, of differences of ``log(1 + y)``, along the last axis. Negative numbers are 0.

    >>> import tapeviz as tf
    >>> tf.keras.losses.mean_squared_logarithmic_error([[0.0]], [[1.718281828]]).numpy().round(5)
    array([1.], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    predicted, right = (math.log(math.maximum(y, epsilon()) + 1.0) for y in (y_pred, y_true))
    return reduce_mean(math.squared_difference(predicted, right), -1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Negative cosine similarity along ``axis``: -1 where the two point the same way.

    >>> import tapeviz as tf
    >>> tf.keras.losses.cosine_similarity([[0.0, 1.0]], [[1.0, 1.0]]).numpy().round(4)
    array([-0.7071], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    return -reduce_sum(directions(y_true, axis) * directions(y_pred, axis), axis)


def directions(vectors: Any, axis: int) -> Any:
    """The vectors along an axis, of length 1."""
    lengths = math.sqrt(math.maximum(reduce_sum(math.square(vectors), axis, keepdims=True), _LENGTH))
    return vectors / lengths


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Huber loss: half the square of errors up to ``delta``, a straight line beyond; the mean along the last axis.

    >>> import tapeviz as tf
    >>> tf.keras.losses.huber([[0.0, 0.0]], [[1.0, 3.0]]).numpy()
    array([1.5], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    distance = math.abs(y_pred - y_true)
    return reduce_mean(
        where(distance <= delta, 0.5 * math.square(distance), delta * distance - 0.5 * delta * delta), -1
    )


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """The mean of ``log(cosh(error))`` along the last axis: a square for small errors, a line for large ones.

    >>> import tapeviz as tf
    >>> tf.keras.losses.log_cosh([[0.0, 0.0]], [[1.0, 0.0]]).numpy().round(6)
    array([0.21689], dtype=float32)
    """
    y_true, y_pred = paired(y_true, y_pred)
    error = y_pred - y_true
    return reduce_mean(error + math.softplus(-2.0 * error) - float(np.log(2.0)), -1)


class MeanSquaredError(LossFunctionWrapper):
    """Mean squared error.

    Args:
        reduction: how the losses of the examples become one number, see :class:`Loss`.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.MeanSquaredError()([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]]).numpy()
    np.float32(0.5)
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "mean_squared_error", dtype: Any = None
    ) -> None:
        super().__init__(mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(LossFunctionWrapper):
    """Mean absolute error. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.losses.MeanAbsoluteError(reduction="sum")([[0.0], [0.0]], [[1.0], [3.0]]).numpy()
    np.float32(4.0)
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "mean_absolute_error", dtype: Any = None
    ) -> None:
        super().__init__(mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """Mean absolute error in per cent of the label. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.losses.MeanAbsolutePercentageError()([[2.0], [4.0]], [[1.0], [4.0]]).numpy()
    np.float32(25.0)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """Mean squared logarithmic error, of differences of ``log(1 + y)``. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.losses.MeanSquaredLogarithmicError()([[0.0]], [[1.718281828]]).numpy().round(5)
    np.float32(1.0)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_squared_logarithmic_error, reduction, name, dtype)


class CosineSimilarity(LossFunctionWrapper):
    """Negative cosine similarity of labels and predictions.

    Args:
        axis: the axis of the vectors.
        reduction: as for :class:`MeanSquaredError`, like ``name`` and ``dtype``.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.CosineSimilarity()([[0.0, 1.0], [1.0, 0.0]], [[0.0, 2.0], [0.0, 1.0]]).numpy()
    np.float32(-0.5)
    """

    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(cosine_similarity, reduction, name, dtype, axis=axis)


class Huber(LossFunctionWrapper):
    """Huber loss: half the square of errors up to ``delta``, and a straight line beyond, so that outliers weigh less.

    Args:
        delta: where the square ends.
        reduction: as for :class:`MeanSquaredError`, like ``name`` and ``dtype``.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.Huber()([[0.0], [0.0]], [[1.0], [3.0]]).numpy()
    np.float32(1.5)
    """

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = "sum_over_batch_size",
        name: str = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(huber, reduction, name, dtype, delta=delta)


class LogCosh(LossFunctionWrapper):
    """Mean logarithm of the hyperbolic cosine of the error. Arguments as for :class:`MeanSquaredError`.

    >>> import tapeviz as tf
    >>> tf.keras.losses.LogCosh()([[0.0], [0.0]], [[1.0], [0.0]]).numpy().round(6)
    np.float32(0.21689)
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str = "log_cosh", dtype: Any = None
    ) -> None:
        super().__init__(log_cosh, reduction, name, dtype)
