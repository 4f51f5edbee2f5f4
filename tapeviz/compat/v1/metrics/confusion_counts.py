"""Metrics of TensorFlow 1 that count what is found and is so, is found and is not so, and the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.compat.v1.metrics.metric_pairs import Counted, aligned, metric
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import ones_like
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.array.select import one_hot, where
from tapeviz.ops.linalg.diagonals import diag_part
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_sum

__all__ = [
    "false_negatives", "false_positives", "mean_iou", "precision", "recall", "true_negatives", "true_positives",
]  # fmt: skip


def true_positives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of true positives: examples that are predicted to be true, and are.

    Args:
        labels: whether it is so: truth values, or numbers of which 0 is False.
        predictions: whether it is found to be so, of the same shape.
        weights: as for :func:`mean`, like what follows, the result and the errors.
        metrics_collections: as there.
        updates_collections: as there.
        name: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.true_positives([1, 1, 0, 0], [1, 0, 1, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(1.0)
    """
    return _how_many("true_positives", labels, predictions, weights, (metrics_collections, updates_collections), name)


def true_negatives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of true negatives. Arguments and result as for :func:`true_positives`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.true_negatives([1, 0, 0, 0], [1, 0, 1, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(2.0)
    """
    return _how_many("true_negatives", labels, predictions, weights, (metrics_collections, updates_collections), name)


def false_positives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of false positives. Arguments and result as for :func:`true_positives`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.false_positives([1, 0, 0, 0], [1, 0, 1, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(1.0)
    """
    return _how_many("false_positives", labels, predictions, weights, (metrics_collections, updates_collections), name)


def false_negatives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of false negatives. Arguments and result as for :func:`true_positives`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.false_negatives([1, 1, 1, 0], [1, 0, 0, 0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(2.0)
    """
    return _how_many("false_negatives", labels, predictions, weights, (metrics_collections, updates_collections), name)


def precision(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Precision: the share of true positives in what is predicted to be true; 0 where there are none.

    Arguments and result as for :func:`true_positives`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.precision([1, 1, 1, 0], [1, 1, 0, 1])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(0.6666667)
    """
    return _share("precision", ("true_positives", "false_positives"), labels, predictions, weights,
                  (metrics_collections, updates_collections), name)  # fmt: skip


def recall(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Recall: the share of true positives in what is true; 0 where there are none.

    Arguments and result as for :func:`true_positives`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.recall([1, 1, 1, 1], [1, 1, 0, 1])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(0.75)
    """
    return _share("recall", ("true_positives", "false_negatives"), labels, predictions, weights,
                  (metrics_collections, updates_collections), name)  # fmt: skip


def mean_iou(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Mean intersection over union: true positives of each class by all that are or are predicted to be of it.

    Args:
        labels: the numbers of the right classes.
        predictions: the numbers of the classes found, of the same shape.
        num_classes: how many classes there are.
        weights: as for :func:`mean`, like what follows, the result and the errors.
        metrics_collections: as there.
        updates_collections: as there.
        name: as there.

    Returns:
        The value so far; and the op that counts a batch more, which gives the table of right classes by classes found.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_iou([0, 0, 1, 1], [0, 1, 1, 1], num_classes=2)
    ...     session.run(tf.local_variables_initializer())
    ...     _ = session.run(update)
    ...     session.run(value).round(3)
    np.float32(0.583)
    """

    def count() -> Counted:
        truth, found = (one_hot(reshape(cast(one, "int64"), [-1]), num_classes, dtype="float64")
                        for one in (labels, predictions))  # fmt: skip
        if weights is not None:
            truth = truth * reshape(cast(weights, "float64"), [-1, 1])
        return {"total_confusion_matrix": matmul(truth, found, transpose_a=True)}

    def result(table: Any) -> Any:
        table = cast(table, "float32")
        both = diag_part(table)
        either = reduce_sum(table, 0) + reduce_sum(table, 1) - both
        classes = reduce_sum(cast(ops.not_equal(either, 0.0), "float32"))
        return divide_no_nan(reduce_sum(divide_no_nan(both, either)), classes)

    collections = metrics_collections, updates_collections
    return metric("mean_iou", count, result, collections, name, after=lambda table: table)


# How they are counted.

_CONDITIONS: dict[str, Callable[[Any, Any], Any]] = {
    "true_positives": ops.logical_and,
    "false_positives": lambda truth, found: ops.logical_and(ops.logical_not(truth), found),
    "false_negatives": lambda truth, found: ops.logical_and(truth, ops.logical_not(found)),
    "true_negatives": lambda truth, found: ops.logical_not(ops.logical_or(truth, found)),
}


def _number(kind: str, labels: Any, predictions: Any, weights: Any) -> Any:
    """How many examples of a kind there are, by their weights."""
    found, truth, given = aligned(cast(predictions, "bool"), cast(labels, "bool"), weights)
    each = cast(_CONDITIONS[kind](truth, found), "float32")
    return reduce_sum(each if given is None else each * (ones_like(each) * cast(given, "float32")))


def _how_many(
    kind: str, labels: Any, predictions: Any, weights: Any, collections: tuple[Any, Any], name: str | None
) -> tuple[Any, Any]:
    def count() -> Counted:
        return {"count": _number(kind, labels, predictions, weights)}

    return metric(kind, count, lambda number: number, collections, name)


def _share(
    what: str, kinds: tuple[str, str], labels: Any, predictions: Any, weights: Any, collections: tuple[Any, Any],
    name: str | None,
) -> tuple[Any, Any]:  # fmt: skip
    """The first kind of examples by both."""

    def count() -> Counted:
        return {f"{kind}/count": _number(kind, labels, predictions, weights) for kind in kinds}

    def result(first: Any, second: Any) -> Any:
        return where(first + second > 0.0, divide_no_nan(first, first + second), 0.0)

    return metric(what, count, result, collections, name)
