"""Cross entropies, as functions and as losses with settings: the surprise at what is right."""

from __future__ import annotations

import warnings
from typing import Any

from tapeviz import math, nn
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.keras.floats import epsilon
from tapeviz.keras.logits import logits_of
from tapeviz.keras.losses.loss import LossFunctionWrapper
from tapeviz.keras.losses.regression import paired
from tapeviz.keras.masks import set_mask
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.reshape import expand_dims, squeeze
from tapeviz.ops.array.select import one_hot, where
from tapeviz.ops.math.reductions import reduce_mean, reduce_sum
from tapeviz.ops.math.rounding import clip_by_value

__all__ = [
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy",
    "SparseCategoricalCrossentropy",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_generalized_cross_entropy",
    "sparse_categorical_crossentropy",
]


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """The cross entropy between the probabilities of classes and predicted ones.

    Args:
        y_true: the probability of each class along ``axis``: one-hot, mostly.
        y_pred: what is predicted, of the same shape. Probabilities are scaled to the sum 1.
        from_logits: whether ``y_pred`` are logits, of which the softmax is taken.
        label_smoothing: how much of the probability in ``y_true`` is spread evenly over all classes, from 0 to 1.
        axis: the axis of the classes.

    Raises:
        ValueError: the shapes differ, or ``axis`` is a truth.

    >>> import tapeviz as tf
    >>> tf.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.75, 0.25]]).numpy().round(4)
    array([1.3863], dtype=float32)
    """
    y_true, y_pred = _classes(y_true, y_pred, label_smoothing, axis, "categorical_crossentropy")
    y_pred, from_logits = _before(y_pred, "softmax" if axis == -1 else "", from_logits, "categorical_crossentropy")
    if from_logits:
        return nn.softmax_cross_entropy_with_logits(y_true, y_pred, axis)
    return -reduce_sum(y_true * math.log(_shares(y_pred, axis)), axis)


def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Focal cross entropy of one-hot labels: classes that are predicted well count less.

    Args:
        y_true: as for :func:`categorical_crossentropy`, like the rest.
        y_pred: what is predicted.
        alpha: a factor, or one for each class.
        gamma: the power of one minus the probability predicted.
        from_logits: whether ``y_pred`` are logits.
        label_smoothing: how much of the probability is spread.
        axis: the axis of the classes.

    >>> import tapeviz as tf
    >>> tf.keras.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    array([0.0433], dtype=float32)
    """
    y_true, y_pred = _classes(y_true, y_pred, label_smoothing, axis, "categorical_focal_crossentropy")
    shares = _shares(nn.softmax(y_pred, axis) if from_logits else y_pred, axis)
    surprise = -y_true * math.log(shares)
    return reduce_sum(alpha * math.pow(1.0 - shares, gamma) * surprise, axis)


def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Any:
    """A loss between the cross entropy (``q`` near 0) and the mean absolute error (``q`` = 1), for noisy labels.

    Args:
        y_true: the numbers of the right classes.
        y_pred: the probability predicted for each class, along the last axis.
        q: between 0 and 1.

    >>> import tapeviz as tf
    >>> tf.keras.losses.categorical_generalized_cross_entropy([1], [[0.75, 0.25]], 0.5).numpy()
    array([1.], dtype=float32)
    """
    y_pred = convert_to_tensor(y_pred)
    hot = one_hot(cast(y_true, "int64"), y_pred.shape[-1], dtype=y_pred.dtype)
    chosen = clip_by_value(reduce_sum(hot * y_pred, -1), epsilon(), 1.0 - epsilon())
    return (1.0 - math.pow(chosen, q)) / q


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Any:
    """Cross entropy of integer labels and predicted probabilities.

    Args:
        y_true: the number of the right class, from 0 on; the shape of ``y_pred`` without its last axis, or with a
            last axis of size 1.
        y_pred: a probability for each class along the last axis.
        from_logits: whether ``y_pred`` are logits, of which the softmax is taken.
        ignore_class: a number in ``y_true`` that stands for "no class": the loss is 0 there, and masked.
        axis: the axis of the classes: the last one.

    Raises:
        InvalidArgumentError: a number in ``y_true`` is not a class.
        ValueError: the shapes do not fit, or ``axis`` is not the last one.

    >>> import tapeviz as tf
    >>> tf.keras.losses.sparse_categorical_crossentropy([1, 0], [[0.5, 0.5], [1.0, 0.0]]).numpy().round(4)
    array([0.6931, 0.    ], dtype=float32)
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    rank = y_pred.shape.rank
    if axis != -1 and (rank is None or axis != rank - 1):
        raise ValueError(f"Only axis=-1 is currently supported. Received: axis={axis}")
    y_true = _one_a_row(y_true, y_pred)
    counts = None if ignore_class is None else math.not_equal(y_true, cast(ignore_class, y_true.dtype))
    if counts is not None:
        y_true = where(counts, y_true, cast(0, y_true.dtype))
        y_pred = where(expand_dims(counts, -1), y_pred, cast(0, y_pred.dtype))
    y_pred, from_logits = _before(y_pred, "softmax", from_logits, "sparse_categorical_crossentropy")
    if not from_logits:
        y_pred = math.log(clip_by_value(y_pred, epsilon(), 1.0 - epsilon()))
    found = nn.sparse_softmax_cross_entropy_with_logits(cast(y_true, "int64"), y_pred)
    if counts is None:
        return found
    found = where(counts, found, cast(0, found.dtype))
    set_mask(found, counts)
    return found


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """The cross entropy between truths (1 or 0) and predicted probabilities of truth, the mean along ``axis``.

    Args:
        y_true: 1 or 0, or something between.
        y_pred: what is predicted, of the same shape.
        from_logits: whether ``y_pred`` are logits, of which the sigmoid is taken.
        label_smoothing: how far the truths are drawn towards 0.5, from 0 to 1.
        axis: the axis along which the mean is taken.

    Raises:
        ValueError: the shapes differ.

    >>> import tapeviz as tf
    >>> tf.keras.losses.binary_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    array([0.6931], dtype=float32)
    """
    y_true, y_pred = _truths(y_true, y_pred, label_smoothing)
    y_pred, from_logits = _before(y_pred, "sigmoid", from_logits, "binary_crossentropy")
    return reduce_mean(_surprises(y_true, y_pred, from_logits), axis)


def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Focal cross entropy of binary labels: what is predicted well counts less.

    Args:
        y_true: as for :func:`binary_crossentropy`, like the rest.
        y_pred: what is predicted.
        apply_class_balancing: whether truths are weighted by ``alpha`` and the others by ``1 - alpha``.
        alpha: the weight of truths.
        gamma: the power of one minus the probability predicted for what is right.
        from_logits: whether ``y_pred`` are logits.
        label_smoothing: how far the truths are drawn towards 0.5.
        axis: the axis along which the mean is taken.

    >>> import tapeviz as tf
    >>> tf.keras.losses.binary_focal_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    array([0.1733], dtype=float32)
    """
    y_true, y_pred = _truths(y_true, y_pred, label_smoothing)
    if from_logits:
        y_pred = math.sigmoid(y_pred)
    surprise = _surprises(y_true, y_pred, from_logits=False)
    right = y_true * y_pred + (1.0 - y_true) * (1.0 - y_pred)
    focal = math.pow(1.0 - right, gamma) * surprise
    if apply_class_balancing:
        focal = (y_true * alpha + (1.0 - y_true) * (1.0 - alpha)) * focal
    return reduce_mean(focal, axis)


def _classes(y_true: Any, y_pred: Any, smoothing: float, axis: Any, name: str) -> tuple[Any, Any]:
    if isinstance(axis, bool):
        raise ValueError(f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}")  # noqa: TRY004
    y_true, y_pred = paired(y_true, y_pred, ranked=False)
    _check_same(y_true, y_pred)
    if y_pred.shape[-1] == 1:
        warnings.warn(
            f"In loss {name}, expected y_pred.shape to be (batch_size, num_classes) with num_classes > 1. Received: "
            f"y_pred.shape={y_pred.shape}. Consider using 'binary_crossentropy' if you only have 2 classes.",
            SyntaxWarning,
            stacklevel=3,
        )
    if smoothing:
        y_true = y_true * (1.0 - smoothing) + smoothing / y_true.shape[-1]
    return y_true, y_pred


def _before(y_pred: Any, function: str, from_logits: bool, loss: str) -> tuple[Any, bool]:
    """What predictions were made of by softmax or sigmoid, where that is known; and whether we have logits now."""
    logits = logits_of(y_pred, function)
    if logits is None:
        return y_pred, from_logits
    if from_logits:
        warnings.warn(
            f'"`{loss}` received `from_logits=True`, but the `output` argument was produced by a {function.title()} '
            "activation and thus does not represent logits. Was this intended?",
            stacklevel=3,
        )
    return logits, True


def _shares(y_pred: Any, axis: int) -> Any:
    """Predictions scaled to the sum 1, with no logarithm of 0 ahead."""
    return clip_by_value(y_pred / reduce_sum(y_pred, axis, keepdims=True), epsilon(), 1.0 - epsilon())


def _truths(y_true: Any, y_pred: Any, smoothing: float) -> tuple[Any, Any]:
    y_true, y_pred = paired(y_true, y_pred, ranked=False)
    _check_same(y_true, y_pred)
    return (y_true * (1.0 - smoothing) + 0.5 * smoothing if smoothing else y_true), y_pred


def _surprises(y_true: Any, y_pred: Any, from_logits: bool) -> Any:
    if from_logits:
        return nn.sigmoid_cross_entropy_with_logits(labels=y_true, logits=y_pred)
    likely = clip_by_value(y_pred, epsilon(), 1.0 - epsilon())
    return -(y_true * math.log(likely) + (1.0 - y_true) * math.log(1.0 - likely))


def _check_same(y_true: Any, y_pred: Any) -> None:
    theirs, ours = y_true.shape, y_pred.shape
    both = f"Received: target.shape={theirs}, output.shape={ours}"
    if theirs.rank is None or ours.rank is None:
        return
    if theirs.rank < 1:
        raise ValueError(f"Arguments `target` and `output` must be at least rank 1. {both}")
    if theirs.rank != ours.rank:
        raise ValueError(f"Arguments `target` and `output` must have the same rank (ndim). {both}")
    if not theirs.is_compatible_with(ours):
        raise ValueError(f"Arguments `target` and `output` must have the same shape. {both}")


def _one_a_row(y_true: Any, y_pred: Any) -> Any:
    """The class numbers, one for each row of the predictions."""
    if y_true.shape.rank is None or y_pred.shape.rank is None:
        return y_true
    both = f"Received: target.shape={y_true.shape}, output.shape={y_pred.shape}"
    if y_pred.shape.rank < 1:
        raise ValueError(f"Argument `output` must be at least rank 1. Received: output.shape={y_pred.shape}")
    if y_true.shape.rank == y_pred.shape.rank and y_true.shape[-1] == 1:
        y_true = squeeze(y_true, -1)
    if y_true.shape.rank != y_pred.shape.rank - 1:
        raise ValueError(f"Argument `output` must have rank (ndim) `target.ndim - 1`. {both}")
    if not y_true.shape.is_compatible_with(y_pred.shape[:-1]):
        raise ValueError(
            f"Arguments `target` and `output` must have the same shape up until the last dimension. {both}"
        )
    return y_true


class BinaryCrossentropy(LossFunctionWrapper):
    """Cross entropy of binary labels (1 or 0) and predicted probabilities.

    Args:
        from_logits: whether predictions are logits, of which the sigmoid is taken.
        label_smoothing: how far the truths are drawn towards 0.5, from 0 to 1.
        axis: the axis along which the mean is taken.
        reduction: how the losses of the examples become one number, see :class:`Loss`.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.BinaryCrossentropy(from_logits=True)([[0.0, 1.0]], [[0.0, 0.0]]).numpy().round(4)
    np.float32(0.6931)
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(binary_crossentropy, reduction, name, dtype, **settings)


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """The binary cross entropy, of which what is predicted well counts less.

    Args:
        apply_class_balancing: whether truths are weighted by ``alpha`` and the others by ``1 - alpha``.
        alpha: the weight of truths.
        gamma: the power of one minus the probability predicted for what is right.
        from_logits: as for :class:`BinaryCrossentropy`, like the rest.
        label_smoothing: how far the truths are drawn towards 0.5.
        axis: the axis along which the mean is taken.
        reduction: the reduction.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.BinaryFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    np.float32(0.1733)
    """

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {
            "apply_class_balancing": apply_class_balancing, "alpha": alpha, "gamma": gamma,
            "from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis,
        }  # fmt: skip
        super().__init__(binary_focal_crossentropy, reduction, name, dtype, **settings)


class CategoricalCrossentropy(LossFunctionWrapper):
    """Cross entropy of one-hot labels, or probabilities of classes, and predicted ones.

    Args:
        from_logits: whether predictions are logits, of which the softmax is taken.
        label_smoothing: how much of the probability is spread evenly over all classes, from 0 to 1.
        axis: the axis of the classes.
        reduction: how the losses of the examples become one number, see :class:`Loss`.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.CategoricalCrossentropy()([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [1.0, 0.0]]).numpy().round(4)
    np.float32(0.3466)
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(categorical_crossentropy, reduction, name, dtype, **settings)


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """The cross entropy, of which the classes that are predicted well count less.

    Args:
        alpha: a factor, or one for each class.
        gamma: the power of one minus the probability predicted.
        from_logits: as for :class:`CategoricalCrossentropy`, like the rest.
        label_smoothing: how much of the probability is spread.
        axis: the axis of the classes.
        reduction: the reduction.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> tf.keras.losses.CategoricalFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    np.float32(0.0433)
    """

    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {
            "alpha": alpha, "gamma": gamma, "from_logits": from_logits, "label_smoothing": label_smoothing,
            "axis": axis,
        }  # fmt: skip
        super().__init__(categorical_focal_crossentropy, reduction, name, dtype, **settings)


class CategoricalGeneralizedCrossEntropy(LossFunctionWrapper):
    """Generalized cross entropy of integer labels: between cross entropy and mean absolute error, for noisy labels.

    Args:
        q: near 0 it is the cross entropy, at 1 the mean absolute error.
        reduction: as for :class:`CategoricalCrossentropy`, like the rest.
        name: its name.
        dtype: the dtype it computes in.

    Raises:
        ValueError: ``q`` is not between 0 and 1.

    >>> import tapeviz as tf
    >>> tf.keras.losses.CategoricalGeneralizedCrossEntropy()([1], [[0.75, 0.25]]).numpy()
    np.float32(1.0)
    """

    def __init__(
        self,
        q: float = 0.5,
        reduction: str | None = "sum_over_batch_size",
        name: str = "categorical_generalized_cross_entropy",
        dtype: Any = None,
    ) -> None:
        if not 0 < q < 1:
            raise ValueError("q must be in the interval (0, 1)")
        super().__init__(categorical_generalized_cross_entropy, reduction, name, dtype, q=q)


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The cross entropy between right classes, by their numbers, and predicted probabilities.

    Args:
        from_logits: whether predictions are logits, of which the softmax is taken.
        ignore_class: a number that stands for "no class": such examples count neither in the sum nor in the mean.
        reduction: how the losses of the examples become one number, see :class:`Loss`.
        axis: the axis of the classes: the last one.
        name: its name.
        dtype: the dtype it computes in.

    >>> import tapeviz as tf
    >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> loss([1, 0], [[0.0, 0.0], [0.0, 0.0]]).numpy().round(4)
    np.float32(0.6931)
    """

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = "sum_over_batch_size",
        axis: int = -1,
        name: str = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {"from_logits": from_logits, "ignore_class": ignore_class, "axis": axis}
        super().__init__(sparse_categorical_crossentropy, reduction, name, dtype, **settings)
