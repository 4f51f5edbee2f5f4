"""Cross entropies as losses: objects that know their settings."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.losses.base import LossFunctionWrapper
from tapeviz.keras.losses.crossentropies import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_generalized_cross_entropy,
    sparse_categorical_crossentropy,
)

__all__ = [
    "BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy", "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy", "SparseCategoricalCrossentropy",
]  # fmt: skip


class BinaryCrossentropy(LossFunctionWrapper):
    """The cross entropy between truths (1 or 0) and predicted probabilities of truth.

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
    """The cross entropy between the probabilities of classes (one-hot, mostly) and predicted ones.

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
    """A loss between the cross entropy and the mean absolute error, for noisy labels given as class numbers.

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
