"""The losses of TensorFlow 1: each gives the loss of a step, and adds it to a collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.compat.v1.graph.graph_keys import GraphKeys
from tapeviz.compat.v1.losses.loss_weights import Reduction, check_weights, noted, present, weighted
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import shape
from tapeviz.ops.array.identity import stop_gradient
from tapeviz.ops.array.reshape import squeeze
from tapeviz.ops.array.select import where
from tapeviz.ops.math.division import divide_no_nan
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.nn import losses as entropies

__all__ = [
    "absolute_difference", "cosine_distance", "hinge_loss", "huber_loss", "log_loss", "mean_pairwise_squared_error",
    "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy", "sparse_softmax_cross_entropy",
]  # fmt: skip

_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS
_LOSSES = GraphKeys.LOSSES


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = _LOSSES, reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """Absolute difference: ``|predictions - labels|``.

    Args:
        labels: what is right.
        predictions: what was found, of the same shape.
        weights: as for :func:`compute_weighted_loss`, like what follows.
        scope: the name of what is computed.
        loss_collection: the collection to add the loss to.
        reduction: what becomes of the losses of the elements.

    Raises:
        ValueError: the shapes differ, or ``weights`` or ``reduction`` are not as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.absolute_difference([1.0, 2.0], [3.0, 3.0]))
    np.float32(1.5)
    """
    found = _each(labels, predictions, lambda t, y: ops.abs(y - t), weights, reduction,
                  name=scope or "absolute_difference")  # fmt: skip
    return noted(found, loss_collection)


def cosine_distance(
    labels: Any, predictions: Any, axis: int | None = None, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = _LOSSES, reduction: str = _DEFAULT, dim: int | None = None,
) -> Any:  # fmt: skip
    """Cosine distance: 1 less the cosine of the angle between vectors of length 1.

    Args:
        labels: vectors of length 1, like ``predictions``; the lengths are not looked at.
        predictions: of the same shape.
        axis: the axis along which they lie.
        weights: as for :func:`compute_weighted_loss`, like what follows.
        scope: the name of what is computed.
        loss_collection: the collection to add the loss to.
        reduction: what becomes of the losses of the vectors.
        dim: the old name of ``axis``.

    Raises:
        ValueError: there is no axis, or as for :func:`absolute_difference`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], axis=1))
    np.float32(1.0)
    """
    if axis is not None and dim is not None:
        raise ValueError("Cannot specify both 'axis' and 'dim'.")
    along = dim if axis is None else axis
    if along is None:
        raise ValueError("You must specify argument `axis`.")
    found = _each(labels, predictions, lambda t, y: 1.0 - reduce_sum(y * t, (along,), keepdims=True), weights,
                  reduction, name=scope or "cosine_distance_loss")  # fmt: skip
    return noted(found, loss_collection)


def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """Hinge loss: how far scores are from being on the right side of 0 by 1.

    Args:
        labels: 0 or 1.
        logits: scores, of the same shape.
        weights: as for :func:`absolute_difference`, like what follows.
        scope: the name of what is computed.
        loss_collection: the collection to add the loss to.
        reduction: what becomes of the losses of the elements.

    Raises:
        ValueError: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.hinge_loss([0.0, 1.0], [0.5, 3.0]))
    np.float32(0.75)
    """
    found = _each(labels, logits, lambda t, y: ops.relu(1.0 - (2.0 * t - 1.0) * y), weights, reduction,
                  name=scope or "hinge_loss")  # fmt: skip
    return noted(found, loss_collection)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0, scope: str | None = None,
    loss_collection: str | None = _LOSSES, reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """Huber loss: half the square of small errors, and of those above ``delta`` a straight line.

    Args:
        labels: as for :func:`absolute_difference`.
        predictions: as there.
        weights: as there.
        delta: from where on it is a line.
        scope: as there.
        loss_collection: as there.
        reduction: as there.

    Raises:
        ValueError: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.huber_loss([0.0, 0.0], [1.0, 3.0]))
    np.float32(1.5)
    """

    def formula(t: Any, y: Any) -> Any:
        error = ops.abs(y - t)
        curved = ops.minimum(error, convert_to_tensor(delta, dtype=error.dtype))
        return 0.5 * curved * curved + delta * (error - curved)

    found = _each(labels, predictions, formula, weights, reduction, name=scope or "huber_loss")
    return noted(found, loss_collection)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-07, scope: str | None = None,
    loss_collection: str | None = _LOSSES, reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """Log loss: the cross entropy of probabilities, minus the logarithm of that of the label.

    Args:
        labels: as for :func:`absolute_difference`.
        predictions: probabilities.
        weights: as there.
        epsilon: what is added to probabilities, so that there is a logarithm of 0.
        scope: as there.
        loss_collection: as there.
        reduction: as there.

    Raises:
        ValueError: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.log_loss([1.0, 0.0], [0.5, 0.5])).round(4)
    np.float32(0.6931)
    """
    found = _each(labels, predictions, lambda t, y: -t * ops.log(y + epsilon) - (1.0 - t) * ops.log(1.0 - y + epsilon),
                  weights, reduction, name=scope or "log_loss")  # fmt: skip
    return noted(found, loss_collection)


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None,
    loss_collection: str | None = _LOSSES, reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """Mean squared error. Arguments and errors as for :func:`absolute_difference`.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.mean_squared_error([1.0, 2.0], [3.0, 3.0]))
    np.float32(2.5)
    """
    found = _each(labels, predictions, lambda t, y: ops.squared_difference(y, t), weights, reduction,
                  name=scope or "mean_squared_error")  # fmt: skip
    return noted(found, loss_collection)


def mean_pairwise_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = _LOSSES
) -> Any:
    """How far differences between the elements of an example are off: what an error common to all adds nothing to.

    Args:
        labels: as for :func:`absolute_difference`; the first axis has the examples.
        predictions: as there.
        weights: as there.
        scope: as there.
        loss_collection: as there.

    Raises:
        ValueError: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.mean_pairwise_squared_error([[1.0, 2.0]], [[3.0, 5.0]]))
    np.float32(1.0)
    """
    return noted(_pairwise(labels, predictions, weights, name=scope or "mean_pairwise_squared_error"), loss_collection)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None,
    loss_collection: str | None = _LOSSES, reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """The cross entropy of scores for classes that do not exclude each other.

    Args:
        multi_class_labels: 0 or 1, or what is between.
        logits: scores, of the same shape.
        weights: as for :func:`absolute_difference`.
        label_smoothing: how far to move labels towards a half.
        scope: as there.
        loss_collection: as there.
        reduction: as there.

    Raises:
        ValueError: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.sigmoid_cross_entropy([[1.0, 0.0]], [[0.0, 0.0]]))
    np.float32(0.6931472)
    """
    found = _of_scores(
        multi_class_labels, logits, lambda t: t * (1.0 - label_smoothing) + 0.5 * label_smoothing,
        entropies.sigmoid_cross_entropy_with_logits, weights, reduction, name=scope or "sigmoid_cross_entropy_loss",
    )  # fmt: skip
    return noted(found, loss_collection)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None,
    loss_collection: str | None = _LOSSES, reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """The cross entropy of scores for classes of which one is right.

    Args:
        onehot_labels: for each example 1 at the right class, or the probabilities of all.
        logits: scores, of the same shape.
        weights: as for :func:`absolute_difference`; they have an axis less.
        label_smoothing: how far to move labels towards all classes alike.
        scope: as there.
        loss_collection: as there.
        reduction: as there.

    Raises:
        ValueError: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.softmax_cross_entropy([[0.0, 1.0]], [[1.0, 1.0]]))
    np.float32(0.6931472)
    """

    def smooth(t: Any) -> Any:
        return t * (1.0 - label_smoothing) + label_smoothing / cast(shape(t)[-1], t.dtype)

    found = _of_scores(
        onehot_labels, logits, smooth if label_smoothing > 0 else lambda t: t, _entropy, weights, reduction,
        name=scope or "softmax_cross_entropy_loss",
    )  # fmt: skip
    return noted(found, loss_collection)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: str | None = _LOSSES,
    reduction: str = _DEFAULT,
) -> Any:  # fmt: skip
    """The cross entropy of scores for classes of which one is right, given by its number.

    Args:
        labels: the numbers of the right classes; a last axis of size 1 is taken off.
        logits: scores, with an axis more.
        weights: as for :func:`absolute_difference`, of the shape of ``labels``.
        scope: as there.
        loss_collection: as there.
        reduction: as there.

    Raises:
        ValueError: as there.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.losses.sparse_softmax_cross_entropy([1], [[1.0, 1.0]]))
    np.float32(0.6931472)
    """
    found = _of_classes(labels, logits, weights, reduction, name=scope or "sparse_softmax_cross_entropy_loss")
    return noted(found, loss_collection)


# How they are computed.


@in_graph
def _each(
    labels: Any, predictions: Any, formula: Callable[[Any, Any], Any], weights: Any, reduction: str,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A formula of labels and predictions in float32, weighted and reduced."""
    _check_given(labels, predictions, reduction)
    t, y = cast(labels, "float32"), cast(predictions, "float32")
    _check_alike(y, t)
    return weighted(formula(t, y), weights, reduction)


@in_graph
def _of_scores(
    labels: Any, logits: Any, smooth: Callable[[Any], Any], entropy: Callable[..., Any], weights: Any, reduction: str,
    name: str | None = None,
) -> Any:  # fmt: skip
    """A cross entropy of labels and scores in the dtype of the scores, weighted and reduced."""
    _check_given(labels, logits, reduction)
    scores = convert_to_tensor(logits)
    t = cast(labels, scores.dtype)
    _check_alike(scores, t)
    return weighted(entropy(labels=smooth(t), logits=scores), weights, reduction)


def _entropy(labels: Any, logits: Any) -> Any:
    return entropies.softmax_cross_entropy_with_logits(stop_gradient(labels), logits)


@in_graph
def _of_classes(labels: Any, logits: Any, weights: Any, reduction: str, name: str | None = None) -> Any:
    _check_given(labels, logits, reduction)
    scores, t, weights = convert_to_tensor(logits), convert_to_tensor(labels), convert_to_tensor(weights)
    if t.shape.rank is not None and t.shape.rank == scores.shape.rank and t.shape[-1] == 1:
        t = squeeze(t, -1)
    if weights.shape.rank and t.shape.rank is not None and weights.shape.rank == t.shape.rank + 1:
        weights = squeeze(weights, -1)
    return weighted(entropies.sparse_softmax_cross_entropy_with_logits(t, scores), weights, reduction)


@in_graph
def _pairwise(labels: Any, predictions: Any, weights: Any, name: str | None = None) -> Any:
    _check_given(labels, predictions, _DEFAULT)
    t, y, weights = (cast(given, "float32") for given in (labels, predictions, weights))
    _check_alike(y, t)
    check_weights(weights, t)
    off: Any = y - t
    axes = tuple(range(1, off.shape.rank))
    count = reduce_sum(present(weights, off), axes, keepdims=True)
    others = ops.maximum(count - 1.0, 0.0)
    # Over all pairs of elements: the mean of the squares of differences between errors.
    squares = 2.0 * divide_no_nan(reduce_sum(off * off, axes, keepdims=True), others)
    total = reduce_sum(off, axes, keepdims=True)
    common = 2.0 * divide_no_nan(total * total, count * others)
    loss = reduce_sum((squares - common) * weights)
    return where(reduce_sum(count) > 0.0, loss, 0.0)


def _check_given(labels: Any, found: Any, reduction: str) -> None:
    for name, given in (("labels", labels), ("predictions", found)):
        if given is None:
            raise ValueError(f"Argument `{name}` must not be None.")
    Reduction.validate(reduction)


def _check_alike(found: Any, labels: Any) -> None:
    if not found.shape.is_compatible_with(labels.shape):
        raise ValueError(f"Shapes {found.shape} and {labels.shape} are incompatible: those of predictions and labels")
