"""Metrics of TensorFlow 1 that are means over all examples: of values, of errors, of what is right."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.metrics.metric_pairs import Counted, aligned, averaged, metric
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import ones_like
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.array.select import one_hot, where
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum

__all__ = [
    "accuracy", "mean", "mean_absolute_error", "mean_cosine_distance", "mean_per_class_accuracy",
    "mean_relative_error", "mean_squared_error", "mean_tensor", "percentage_below", "root_mean_squared_error",
]  # fmt: skip


def mean(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The mean of numbers, over all batches that were counted.

    Args:
        values: numbers.
        weights: a weight for each, or what broadcasts to that.
        metrics_collections: collections to add the value to.
        updates_collections: collections to add the update to.
        name: the scope of its variables, which :func:`local_variables_initializer` sets to 0.

    Returns:
        The value so far, and the op that counts a batch more and gives the value after it.

    Raises:
        RuntimeError: eager execution is on.
        ValueError: the shapes do not go together.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     batch = tf.placeholder(tf.float32, [None])
    ...     value, update = tf.metrics.mean(batch)
    ...     session.run(tf.local_variables_initializer())
    ...     for numbers in ([0.0, 5.0], [8.0, 9.0]):
    ...         print(session.run(update, {batch: numbers}))
    ...     print(session.run(value))
    2.5
    5.5
    5.5
    """
    where_to = (metrics_collections, updates_collections)
    return averaged("mean", lambda: (values, weights), where_to, name)


def mean_tensor(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The mean of tensors, element by element. Arguments, result and errors as for :func:`mean`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     batch = tf.placeholder(tf.float32, [2])
    ...     value, update = tf.metrics.mean_tensor(batch)
    ...     session.run(tf.local_variables_initializer())
    ...     for numbers in ([0.0, 5.0], [8.0, 9.0]):
    ...         _ = session.run(update, {batch: numbers})
    ...     print(session.run(value))
    [4. 7.]
    """

    def count() -> Counted:
        found = cast(values, "float32")
        each = ones_like(found)
        if weights is not None:
            found, _, given = aligned(found, None, weights)
            each = each * cast(given, "float32")
        return {"total_tensor": found * each, "count_tensor": each}

    return metric("mean_tensor", count, divide_no_nan, (metrics_collections, updates_collections), name, "mean")


def accuracy(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Accuracy: how often predictions are right.

    Args:
        labels: what is right.
        predictions: what was found, of the same shape.
        weights: as for :func:`mean`, like what follows, the result and the errors.
        metrics_collections: as there.
        updates_collections: as there.
        name: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.accuracy([1, 2, 3, 4], [1, 2, 0, 4])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(0.75)
    """

    def values() -> tuple[Any, Any]:
        found, truth, given = aligned(predictions, labels, weights)
        return ops.equal(cast(found, truth.dtype), truth), given

    return averaged("accuracy", values, (metrics_collections, updates_collections), name)


def percentage_below(
    values: Any, threshold: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The share of numbers below a threshold. Arguments and result as for :func:`mean`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.percentage_below([1.0, 2.0, 3.0, 4.0], 2.0)
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(0.25)
    """

    def below() -> tuple[Any, Any]:
        return convert_to_tensor(values) < threshold, weights

    return averaged("percentage_below", below, (metrics_collections, updates_collections), name)


def mean_absolute_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Mean absolute error. Arguments and result as for :func:`accuracy`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_absolute_error([1.0, 2.0], [3.0, 3.0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(1.5)
    """

    def values() -> tuple[Any, Any]:
        found, truth, given = aligned(predictions, labels, weights)
        return ops.abs(found - truth), given

    return averaged("mean_absolute_error", values, (metrics_collections, updates_collections), name)


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Mean squared error. Arguments and result as for :func:`accuracy`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_squared_error([1.0, 2.0], [3.0, 3.0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(2.5)
    """

    def values() -> tuple[Any, Any]:
        found, truth, given = aligned(predictions, labels, weights)
        return ops.squared_difference(truth, found), given

    return averaged("mean_squared_error", values, (metrics_collections, updates_collections), name)


def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Root mean squared error. Arguments and result as for :func:`accuracy`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.root_mean_squared_error([1.0, 2.0], [4.0, 5.0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(3.0)
    """

    def count() -> Counted:
        found, truth, given = aligned(predictions, labels, weights)
        squares = cast(ops.squared_difference(truth, found), "float32")
        each = ones_like(squares) if given is None else ones_like(squares) * cast(given, "float32")
        return {"total": reduce_sum(squares * each), "count": reduce_sum(each)}

    return metric("root_mean_squared_error", count, lambda total, number: ops.sqrt(divide_no_nan(total, number)),
                  (metrics_collections, updates_collections), name)  # fmt: skip


def mean_relative_error(
    labels: Any, predictions: Any, normalizer: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Mean relative error: errors by ``normalizer``, 0 where that is 0. Arguments and result as for :func:`accuracy`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_relative_error([1.0, 2.0], [3.0, 3.0], normalizer=[4.0, 0.0])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(0.25)
    """

    def values() -> tuple[Any, Any]:
        found, truth, given = aligned(predictions, labels, weights)
        found, measure, _ = aligned(found, normalizer, None)
        return divide_no_nan(ops.abs(truth - found), cast(measure, found.dtype)), given

    return averaged("mean_relative_error", values, (metrics_collections, updates_collections), name)


def mean_cosine_distance(
    labels: Any, predictions: Any, dim: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """The mean of 1 less the cosine of the angle between vectors of length 1, which lie along the axis ``dim``.

    Other arguments and result as for :func:`accuracy`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], dim=1)
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    np.float32(1.0)
    """

    def count() -> Counted:
        found, truth, given = aligned(predictions, labels, weights)
        cosines = cast(reduce_sum(found * truth, (dim,), keepdims=True), "float32")
        each = ones_like(cosines)
        if given is not None:
            each = each * cast(aligned(cosines, None, given)[2], "float32")
        return {"total": reduce_sum(cosines * each), "count": reduce_sum(each)}

    return metric("mean_cosine_distance", count, lambda total, number: 1.0 - divide_no_nan(total, number),
                  (metrics_collections, updates_collections), name)  # fmt: skip


def mean_per_class_accuracy(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Mean per-class accuracy: the mean over classes of the share predicted right; 0 for a class without examples.

    Args:
        labels: the numbers of the right classes.
        predictions: the numbers of the classes found.
        num_classes: how many classes there are.
        weights: as for :func:`mean`, like what follows, the result and the errors.
        metrics_collections: as there.
        updates_collections: as there.
        name: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.mean_per_class_accuracy([0, 0, 0, 1], [0, 0, 1, 1], num_classes=2)
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)[1]
    np.float32(1.0)
    """

    def count() -> Counted:
        found, truth = (reshape(cast(given, "int64"), [-1]) for given in (predictions, labels))
        each = ones_like(truth, "float32")
        if weights is not None:
            each = each * reshape(cast(weights, "float32"), [-1])
        classes = one_hot(truth, num_classes)
        right = reduce_sum(classes * ops.expand_dims(where(ops.equal(found, truth), each, 0.0), axis=-1), 0)
        return {"total": reduce_sum(classes * ops.expand_dims(each, axis=-1), 0), "count": right}

    def result(total: Any, right: Any) -> Any:
        return reduce_mean(divide_no_nan(right, total))

    return metric("mean_per_class_accuracy", count, result, (metrics_collections, updates_collections), name,
                  "mean_accuracy", after=lambda total, right: divide_no_nan(right, total))  # fmt: skip
