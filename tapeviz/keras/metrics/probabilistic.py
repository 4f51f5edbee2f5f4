"""Surprises and distances between distributions, and hinges, as metrics: means over calls."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.losses.crossentropy import (
    binary_crossentropy,
    categorical_crossentropy,
    sparse_categorical_crossentropy,
)
from tapeviz.keras.losses.divergences import kl_divergence, poisson
from tapeviz.keras.losses.hinges import categorical_hinge, hinge, squared_hinge
from tapeviz.keras.metrics.reduction import MeanMetricWrapper

__all__ = [
    "BinaryCrossentropy", "CategoricalCrossentropy", "CategoricalHinge", "Hinge", "KLDivergence", "Poisson",
    "SparseCategoricalCrossentropy", "SquaredHinge",
]  # fmt: skip


class BinaryCrossentropy(MeanMetricWrapper):
    """Mean cross entropy of binary labels and predicted probabilities.

    Args:
        name: its name.
        dtype: the dtype to count in.
        from_logits: whether predictions are logits.
        label_smoothing: how far what is right is drawn towards what says nothing.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.BinaryCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    np.float32(0.6931)
    """

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(binary_crossentropy, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing)


class CategoricalCrossentropy(MeanMetricWrapper):
    """Mean cross entropy of one-hot labels, or probabilities of classes, and predicted ones.

    Args:
        name: its name.
        dtype: the dtype to count in.
        from_logits: whether predictions are logits.
        label_smoothing: how far what is right is drawn towards what says nothing.
        axis: the axis of the classes.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.CategoricalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    np.float32(0.6931)
    """

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
    ) -> None:
        super().__init__(
            categorical_crossentropy, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing, axis=axis
        )


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """Mean cross entropy of integer labels and predicted probabilities.

    Args:
        name: its name.
        dtype: the dtype to count in.
        from_logits: whether predictions are logits.
        ignore_class: a number that stands for "no class"; its loss is 0.
        axis: the axis of the classes: the last one.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.SparseCategoricalCrossentropy()([1, 0], [[0.5, 0.5], [0.5, 0.5]]).numpy().round(4)
    np.float32(0.6931)
    """

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(
            sparse_categorical_crossentropy, name, dtype, from_logits=from_logits, ignore_class=ignore_class, axis=axis
        )


class KLDivergence(MeanMetricWrapper):
    """Mean Kullback-Leibler divergence of predicted distributions. Arguments as for :class:`Mean`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.KLDivergence()([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
    np.float32(0.6931)
    """

    def __init__(self, name: str | None = "kl_divergence", dtype: Any = None) -> None:
        super().__init__(kl_divergence, name, dtype)


class Poisson(MeanMetricWrapper):
    """Mean Poisson loss, ``y_pred - y_true * log(y_pred)``, for counts. Arguments as for :class:`Mean`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.Poisson()([[1.0, 3.0]], [[1.0, 1.0]]).numpy().round(4)
    np.float32(1.0)
    """

    def __init__(self, name: str | None = "poisson", dtype: Any = None) -> None:
        super().__init__(poisson, name, dtype)


class Hinge(MeanMetricWrapper):
    """Mean hinge loss, ``max(1 - y_true * y_pred, 0)``. Arguments as for :class:`Mean`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.Hinge()([[-1.0], [1.0]], [[-2.0], [0.5]]).numpy()
    np.float32(0.25)
    """

    def __init__(self, name: str | None = "hinge", dtype: Any = None) -> None:
        super().__init__(hinge, name, dtype)


class SquaredHinge(MeanMetricWrapper):
    """Mean squared hinge loss, ``max(1 - y_true * y_pred, 0) ** 2``. Arguments as for :class:`Mean`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.SquaredHinge()([[-1.0], [1.0]], [[-2.0], [0.5]]).numpy()
    np.float32(0.125)
    """

    def __init__(self, name: str | None = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(squared_hinge, name, dtype)


class CategoricalHinge(MeanMetricWrapper):
    """Mean categorical hinge loss, of the right class against the best wrong one. Arguments as for :class:`Mean`.

    >>> import tapeviz as tf
    >>> tf.keras.metrics.CategoricalHinge()([[0.0, 1.0]], [[0.25, 0.75]]).numpy()
    np.float32(0.5)
    """

    def __init__(self, name: str | None = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(categorical_hinge, name, dtype)
