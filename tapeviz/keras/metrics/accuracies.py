"""Accuracies: how often the prediction is right."""

from __future__ import annotations

from typing import Any

from tapeviz import math
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.keras.floats import floatx
from tapeviz.keras.losses.loss_reduction import as_tensor, same_rank
from tapeviz.keras.metrics.reduction import MeanMetricWrapper
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.reshape import expand_dims, reshape, squeeze
from tapeviz.ops.math.reductions import reduce_any

__all__ = [
    "Accuracy", "BinaryAccuracy", "CategoricalAccuracy", "SparseCategoricalAccuracy", "SparseTopKCategoricalAccuracy",
    "TopKCategoricalAccuracy", "accuracy", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy",
    "sparse_top_k_categorical_accuracy", "top_k_categorical_accuracy",
]  # fmt: skip


def _ones_where(right: Any) -> Any:
    return cast(right, floatx())


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the prediction is what is right, 0 elsewhere.

    >>> import tapeviz as tf
    >>> from tapeviz.keras.metrics.accuracies import accuracy
    >>> accuracy([1, 2, 3], [1, 2, 4]).numpy()
    array([1., 1., 0.], dtype=float32)
    """
    y_pred = convert_to_tensor(y_pred)
    y_true, y_pred = same_rank(as_tensor(y_true, y_pred.dtype), y_pred)
    return _ones_where(math.equal(y_true, y_pred))


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """1 where the prediction is on the right side of the threshold, 0 elsewhere.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.binary_accuracy([1, 0, 1], [0.9, 0.2, 0.4]).numpy()
    array([1., 1., 0.], dtype=float32)
    """
    y_true, y_pred = same_rank(convert_to_tensor(y_true), convert_to_tensor(y_pred))
    return _ones_where(math.equal(y_true, cast(y_pred > threshold, y_true.dtype)))


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the most likely class is that of the one-hot ``y_true``, 0 elsewhere.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.categorical_accuracy([[0, 1], [1, 0]], [[0.2, 0.8], [0.4, 0.6]]).numpy()
    array([1., 0.], dtype=float32)
    """
    return _ones_where(math.equal(math.argmax(y_true, -1), math.argmax(y_pred, -1)))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the most likely class is that whose number is in ``y_true``, 0 elsewhere.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.sparse_categorical_accuracy([1, 0], [[0.2, 0.8], [0.4, 0.6]]).numpy()
    array([1., 0.], dtype=float32)
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if y_true.shape.rank is not None and y_true.shape.rank == y_pred.shape.rank and y_true.shape[-1] == 1:
        y_true = squeeze(y_true, -1)
    return _ones_where(math.equal(cast(y_true, "int64"), math.argmax(y_pred, -1)))


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the class of the one-hot ``y_true`` is among the ``k`` most likely ones, 0 elsewhere.

    >>> import tapeviz as tf
    >>> odds = [[0.5, 0.2, 0.3], [0.5, 0.1, 0.4]]
    >>> tf.keras.metrics.top_k_categorical_accuracy([[0, 0, 1], [0, 1, 0]], odds, k=2).numpy()
    array([1., 0.], dtype=float32)
    """
    return sparse_top_k_categorical_accuracy(math.argmax(y_true, -1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False) -> Any:
    """1 where the class whose number is in ``y_true`` is among the ``k`` most likely ones, 0 elsewhere.

    Args:
        y_true: the numbers of the right classes.
        y_pred: a probability for each class along the last axis; the numbers of classes, the most likely first, where
            ``from_sorted_ids`` is True.
        k: how many.
        from_sorted_ids: whether ``y_pred`` are classes in order.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.sparse_top_k_categorical_accuracy([2, 1], [[0.5, 0.2, 0.3], [0.5, 0.1, 0.4]], k=2).numpy()
    array([1., 0.], dtype=float32)
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    several = y_true.shape.rank is None or y_true.shape.rank > 1
    labels = reshape(y_true, (-1,)) if several else y_true
    rows = y_pred if y_pred.shape.rank == 2 else reshape(y_pred, (-1, y_pred.shape[-1]))  # noqa: PLR2004
    if from_sorted_ids:
        right = reduce_any(math.equal(expand_dims(cast(labels, rows.dtype), 1), rows[:, :k]), 1)
    else:
        right = math.in_top_k(cast(labels, "int32"), cast(rows, "float32"), k)  # which compares float32 alone
    found = _ones_where(right)
    return reshape(found, shape_of(y_true)) if several else found


class Accuracy(MeanMetricWrapper):
    """Accuracy: how often the prediction equals the label.

    Args:
        name: its name.
        dtype: the dtype to count in.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.Accuracy()([[1], [2], [3], [4]], [[0], [2], [3], [4]]).numpy()
    np.float32(0.75)
    """

    def __init__(self, name: str | None = "accuracy", dtype: Any = None) -> None:
        super().__init__(accuracy, name, dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """Accuracy of binary labels: how often the prediction is on the right side of the threshold.

    Args:
        name: its name.
        dtype: the dtype to count in.
        threshold: what is above counts as 1.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.BinaryAccuracy()([[1], [1], [0], [0]], [[0.98], [1.0], [0.0], [0.6]]).numpy()
    np.float32(0.75)
    """

    def __init__(self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """Accuracy of one-hot labels: how often the most likely class is theirs. Arguments as for :class:`Accuracy`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.CategoricalAccuracy()([[0, 1], [1, 0]], [[0.2, 0.8], [0.4, 0.6]]).numpy()
    np.float32(0.5)
    """

    def __init__(self, name: str | None = "categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """Accuracy of integer labels: how often the most likely class is theirs. Arguments as for :class:`Accuracy`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.SparseCategoricalAccuracy()([1, 0], [[0.2, 0.8], [0.4, 0.6]]).numpy()
    np.float32(0.5)
    """

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """Top-k accuracy of one-hot labels: how often their class is among the ``k`` most likely ones.

    Args:
        k: how many.
        name: its name.
        dtype: the dtype to count in.

    >>> import tapeviz as tf
    >>> metric = tf.keras.metrics.TopKCategoricalAccuracy(k=2)
    >>> metric([[0, 0, 1], [0, 1, 0]], [[0.5, 0.2, 0.3], [0.5, 0.1, 0.4]]).numpy()
    np.float32(0.5)
    """

    def __init__(self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """Top-k accuracy of integer labels: how often their class is among the ``k`` most likely ones.

    Args:
        k: how many.
        name: its name.
        dtype: the dtype to count in.
        from_sorted_ids: whether predictions are the numbers of classes, the most likely first.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.SparseTopKCategoricalAccuracy(k=2)([2, 1], [[0.5, 0.2, 0.3], [0.5, 0.1, 0.4]]).numpy()
    np.float32(0.5)
    """

    def __init__(
        self,
        k: int = 5,
        name: str | None = "sparse_top_k_categorical_accuracy",
        dtype: Any = None,
        from_sorted_ids: bool = False,
    ) -> None:
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype, k=k, from_sorted_ids=from_sorted_ids)
