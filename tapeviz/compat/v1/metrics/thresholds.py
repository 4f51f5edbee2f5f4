"""Metrics of TensorFlow 1 that look at probabilities from several thresholds: areas under curves, and their points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.compat.v1.losses.loss_weights import spread_weights
from tapeviz.compat.v1.metrics.metric_pairs import Counted, aligned, metric
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.reshape import reshape
from tapeviz.ops.array.select import where
from tapeviz.ops.math.cumulative import cumsum
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_min, reduce_sum
from tapeviz.ops.math.statistics import argmax, argmin

__all__ = [
    "auc", "false_negatives_at_thresholds", "false_positives_at_thresholds", "precision_at_thresholds",
    "recall_at_thresholds", "sensitivity_at_specificity", "specificity_at_sensitivity",
    "true_negatives_at_thresholds", "true_positives_at_thresholds",
]  # fmt: skip

_KINDS: Final = ("true_positives", "false_negatives", "true_negatives", "false_positives")
_OUTSIDE: Final = 1e-7  # how far the first and last threshold are outside of 0 and 1
_SMALL: Final = 1e-6  # what TensorFlow 1 adds to counts so that nothing is divided by 0
_METHODS: Final = ("trapezoidal", "careful_interpolation", "minoring", "majoring")


def auc(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200, metrics_collections: Any = None,
    updates_collections: Any = None, curve: str = "ROC", name: str | None = None,
    summation_method: str = "trapezoidal", thresholds: Sequence[float] | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Area under the ROC or precision-recall curve: a half for a classifier that guesses, 1 for a perfect one.

    Args:
        labels: whether it is so.
        predictions: how probable it is, from 0 to 1.
        weights: as for :func:`mean`.
        num_thresholds: from how many thresholds the curve is drawn.
        metrics_collections: as for :func:`mean`, like the next one.
        updates_collections: as there.
        curve: ``"ROC"``: the share found of what is so, over that of what is not; or ``"PR"``: precision over recall.
        name: as for :func:`mean`.
        summation_method: how the area between two points is found: ``"trapezoidal"``, ``"minoring"``, ``"majoring"``,
            or ``"careful_interpolation"``, which is right for ``"PR"``.
        thresholds: the thresholds, but for the outermost ones, instead of ``num_thresholds``.

    Returns:
        As for :func:`mean`.

    Raises:
        ValueError: ``curve`` or ``summation_method`` is none of these, or the shapes do not go together.
        RuntimeError: eager execution is on.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.auc([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update).round(2)
    np.float32(0.75)
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in _METHODS:
        raise ValueError(f"Invalid summation_method: {summation_method} summation_method should be one of {_METHODS}.")
    at = _evenly(num_thresholds) if thresholds is None else _framed(sorted(thresholds))

    def area(tp: Any, fn: Any, tn: Any, fp: Any) -> Any:
        if curve == "PR" and summation_method == "careful_interpolation":
            return _interpolated(tp, fn, fp)
        found = (tp + _SMALL) / (tp + fn + _SMALL)
        if curve == "ROC":
            return _between(fp / (fp + tn + _SMALL), found, summation_method)
        return _between(found, (tp + _SMALL) / (tp + fp + _SMALL), summation_method)

    collections = metrics_collections, updates_collections
    return _at("auc", _KINDS, area, (labels, predictions, weights, at), collections, name)


def precision_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Precision at each of several thresholds. Other arguments and result as for :func:`auc`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.precision_at_thresholds([1, 1, 0], [0.9, 0.4, 0.5], [0.3, 0.7])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update).round(3)
    array([0.667, 1.   ], dtype=float32)
    """
    given, collections = (labels, predictions, weights, thresholds), (metrics_collections, updates_collections)
    return _at("precision_at_thresholds", ("true_positives", "false_positives"), _share, given, collections, name)


def recall_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Recall at each of several thresholds. Other arguments and result as for :func:`auc`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.recall_at_thresholds([1, 1, 0], [0.9, 0.4, 0.5], [0.3, 0.7])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update).round(3)
    array([1. , 0.5], dtype=float32)
    """
    given, collections = (labels, predictions, weights, thresholds), (metrics_collections, updates_collections)
    return _at("recall_at_thresholds", ("true_positives", "false_negatives"), _share, given, collections, name)


def true_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of true positives at each threshold. Other arguments and result as for :func:`auc`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.true_positives_at_thresholds([1, 1, 0], [0.9, 0.4, 0.5], [0.3, 0.7])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    array([2., 1.], dtype=float32)
    """
    return _at("true_positives_at_thresholds", _KINDS[:1], _itself, (labels, predictions, weights, thresholds),
               (metrics_collections, updates_collections), name, "true_positives")  # fmt: skip


def false_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of false negatives at each threshold. Other arguments and result as for :func:`auc`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.false_negatives_at_thresholds([1, 1, 0], [0.9, 0.4, 0.5], [0.3, 0.7])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    array([0., 1.], dtype=float32)
    """
    return _at("false_negatives_at_thresholds", _KINDS[1:2], _itself, (labels, predictions, weights, thresholds),
               (metrics_collections, updates_collections), name, "false_negatives")  # fmt: skip


def true_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of true negatives at each threshold. Other arguments and result as for :func:`auc`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.true_negatives_at_thresholds([1, 1, 0], [0.9, 0.4, 0.5], [0.3, 0.7])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    array([0., 1.], dtype=float32)
    """
    return _at("true_negatives_at_thresholds", _KINDS[2:3], _itself, (labels, predictions, weights, thresholds),
               (metrics_collections, updates_collections), name, "true_negatives")  # fmt: skip


def false_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Number of false positives at each threshold. Other arguments and result as for :func:`auc`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.false_positives_at_thresholds([1, 1, 0], [0.9, 0.4, 0.5], [0.3, 0.7])
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update)
    array([1., 0.], dtype=float32)
    """
    return _at("false_positives_at_thresholds", _KINDS[3:], _itself, (labels, predictions, weights, thresholds),
               (metrics_collections, updates_collections), name, "false_positives")  # fmt: skip


def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """How many of those that are so are found, from the threshold that gives about this share right of the others.

    Other arguments and result as for :func:`auc`.

    Raises:
        ValueError: ``specificity`` is not between 0 and 1.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.sensitivity_at_specificity([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1], 0.5)
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update).round(3)
    np.float32(1.0)
    """
    _check_share("specificity", specificity)

    def result(tp: Any, fn: Any, tn: Any, fp: Any) -> Any:
        near = argmin(ops.abs(_share(tn, fp) - specificity), 0)
        return _share(gather(tp, near), gather(fn, near))

    return _at("sensitivity_at_specificity", _KINDS, result, (labels, predictions, weights, _evenly(num_thresholds)),
               (metrics_collections, updates_collections), name)  # fmt: skip


def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """How many that are not so are not found, from the highest threshold that finds about this share of those that are.

    Other arguments and result as for :func:`auc`.

    Raises:
        ValueError: ``sensitivity`` is not between 0 and 1.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     value, update = tf.metrics.specificity_at_sensitivity([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1], 0.5)
    ...     session.run(tf.local_variables_initializer())
    ...     session.run(update).round(3)
    np.float32(1.0)
    """
    _check_share("sensitivity", sensitivity)

    def result(tp: Any, fn: Any, tn: Any, fp: Any) -> Any:
        off = ops.abs(_share(tp, fn) - sensitivity)
        last = argmax(cumsum(cast(ops.equal(off, reduce_min(off)), "int64")), 0)
        return _share(gather(tn, last), gather(fp, last))

    at = [*_evenly(num_thresholds)[:-1], 1.0 - _OUTSIDE]  # TensorFlow 1's: a sure prediction is above the last one here
    return _at("specificity_at_sensitivity", _KINDS, result, (labels, predictions, weights, at),
               (metrics_collections, updates_collections), name)  # fmt: skip


# How they are counted.


def _evenly(count: int) -> list[float]:
    """So many thresholds, of which the first finds everything and the last nothing."""
    return _framed([(place + 1) / (count - 1) for place in range(count - 2)])


def _framed(inner: Sequence[float]) -> list[float]:
    return [0.0 - _OUTSIDE, *inner, 1.0 + _OUTSIDE]


def _check_share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"`{name}` must be in the range [0, 1]. Received: {name}={value}")


def _itself(number: Any) -> Any:
    return number


def _share(first: Any, second: Any) -> Any:
    """The first by both, and 0 where there are none."""
    return first / (_OUTSIDE + first + second)


def _at(
    what: str, kinds: Sequence[str], result: Callable[..., Any], given: tuple[Any, ...], collections: tuple[Any, Any],
    name: str | None, label: str = "",
) -> tuple[Any, Any]:  # fmt: skip
    """A metric of counts from each threshold. ``given``: labels, predictions, weights and the thresholds."""
    labels, predictions, weights, thresholds = given

    def count() -> Counted:
        found, truth, weight = aligned(cast(predictions, "float32"), cast(labels, "bool"), weights)
        flat = reshape(found, [1, -1])
        above = flat > np.asarray(thresholds, np.float32)[:, None]
        each = None if weight is None else reshape(spread_weights(weight, found), [1, -1])
        so = reshape(truth, [1, -1])
        return {kind: _counted(kind, so, above, each) for kind in kinds}

    return metric(what, count, result, collections, name, label)


def _counted(kind: str, so: Any, above: Any, weights: Any) -> Any:
    """How many of a kind there are, from each threshold."""
    found = above if kind.endswith("positives") else ops.logical_not(above)
    meant = so if kind in ("true_positives", "false_negatives") else ops.logical_not(so)
    each = cast(ops.logical_and(meant, found), "float32")
    return reduce_sum(each if weights is None else each * weights, 1)


def _between(x: Any, y: Any, method: str) -> Any:
    """The area under a curve of points."""
    left, right = y[:-1], y[1:]
    if method == "minoring":
        heights = ops.minimum(left, right)
    elif method == "majoring":
        heights = ops.maximum(left, right)
    else:
        heights = (left + right) / 2.0
    return reduce_sum((x[:-1] - x[1:]) * heights)


def _interpolated(tp: Any, fn: Any, fp: Any) -> Any:
    """The area under precision over recall, where what is found grows evenly between two thresholds.

    Davis and Goadrich, The Relationship Between Precision-Recall and ROC Curves, 2006.
    """
    more, found = tp[:-1] - tp[1:], tp + fp
    slope = divide_no_nan(more, ops.maximum(found[:-1] - found[1:], convert_to_tensor(0.0)))
    begin = tp[1:] - slope * found[1:]
    growth = where(ops.logical_and(found[:-1] > 0.0, found[1:] > 0.0), divide_no_nan(found[:-1], found[1:]), 1.0)
    return reduce_sum(divide_no_nan(slope * (more + begin * ops.log(growth)), tp[1:] + fn[1:]))
