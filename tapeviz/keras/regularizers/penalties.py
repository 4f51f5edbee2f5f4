"""Regularizers: from a weight to what it adds to the loss."""

from __future__ import annotations

import math
from typing import Any, Final, Self

from tapeviz.keras.serialization import deserialize_keras_object, get_object, serialize_keras_object
from tapeviz.ops.array.creation import eye
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.math.arithmetic import abs as absolute
from tapeviz.ops.math.exponentials import square
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.nn.normalization import l2_normalize

__all__ = ["L1", "L1L2", "L2", "OrthogonalRegularizer", "Regularizer", "deserialize", "get", "serialize"]


class Regularizer:
    """Base class of regularizers: from a tensor to a penalty, a number. A class of one's own has ``__call__(self, x)``.

    >>> import tapeviz as tf
    >>> class Mean(tf.keras.regularizers.Regularizer):
    ...     def __call__(self, x):
    ...         return tf.reduce_mean(x) ** 2.0
    >>> layer = tf.keras.layers.Dense(2, kernel_regularizer=Mean(), kernel_initializer="ones")
    >>> layer.build((None, 3))
    >>> [loss.numpy() for loss in layer.losses]
    [np.float32(1.0)]
    """

    def __call__(self, x: Any) -> Any:
        """The penalty."""
        return 0.0

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made.

        Raises:
            NotImplementedError: a class of one's own has none.
        """
        raise NotImplementedError(
            f"{type(self).__name__} does not implement get_config(), which gives the arguments that make another one."
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A regularizer with these arguments."""
        return cls(**config)


def _checked(value: Any) -> float:
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(
            f"Invalid value for regularization penalty factor: expected a non-negative float. Got: {value}"
        )
    if math.isnan(value) or math.isinf(value) or value < 0:
        raise ValueError(
            f"Invalid value for regularization penalty factor: expected a non-negative float. Got: {value}"
        )
    return float(value)


class L1L2(Regularizer):
    """L1 and L2 penalty: ``l1`` times the sum of absolute values plus ``l2`` times the sum of squares.

    Raises:
        ValueError: a factor is negative or no number.

    >>> import tapeviz as tf
    >>> tf.keras.regularizers.L1L2(l1=0.5, l2=1.0)(tf.constant([1.0, -2.0])).numpy()
    np.float32(6.5)
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1: float = 0.0 if l1 is None else _checked(l1)
        self.l2: float = 0.0 if l2 is None else _checked(l2)

    def __call__(self, x: Any) -> Any:
        """The penalty."""
        parts: list[Any] = []
        if self.l1:
            parts.append(reduce_sum(absolute.run(x)) * self.l1)
        if self.l2:
            parts.append(reduce_sum(square.run(x)) * self.l2)
        return sum(parts[1:], parts[0]) if parts else 0.0

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"l1": self.l1, "l2": self.l2}


class L1(L1L2):
    """L1 penalty: ``l1`` times the sum of absolute values.

    >>> import tapeviz as tf
    >>> tf.keras.regularizers.L1(0.5)(tf.constant([1.0, -2.0])).numpy()
    np.float32(1.5)
    """

    def __init__(self, l1: float = 0.01) -> None:
        super().__init__(l1=0.01 if l1 is None else l1)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"l1": self.l1}


class L2(L1L2):
    """L2 penalty: ``l2`` times the sum of squares.

    >>> import tapeviz as tf
    >>> tf.keras.regularizers.L2(0.5)(tf.constant([1.0, -2.0])).numpy()
    np.float32(2.5)
    """

    def __init__(self, l2: float = 0.01) -> None:
        super().__init__(l2=0.01 if l2 is None else l2)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"l2": self.l2}


class OrthogonalRegularizer(Regularizer):
    """``factor`` times the mean of how far the rows, or columns, of a matrix are from being at right angles.

    Raises:
        ValueError: ``mode`` is neither ``rows`` nor ``columns``, or the input is not a matrix.

    >>> import tapeviz as tf
    >>> tf.keras.regularizers.OrthogonalRegularizer(1.0)(tf.eye(2)).numpy()
    np.float32(0.0)
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        if mode not in ("rows", "columns"):
            raise ValueError(
                f'Invalid value for argument `mode`. Expected one of {{"rows", "columns"}}. Received: {mode}'
            )
        self.factor: float
        self.factor, self.mode = _checked(factor), mode

    def __call__(self, x: Any) -> Any:
        """The penalty."""
        if x.shape.rank != 2:  # noqa: PLR2004 - a matrix
            raise ValueError(f"Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape={x.shape}")
        rows = self.mode == "rows"
        unit = l2_normalize(x, axis=1 if rows else 0)
        products = matmul(unit, unit, transpose_b=True) if rows else matmul(unit, unit, transpose_a=True)
        size = int(x.shape[0] if rows else x.shape[1])
        apart = products * (1.0 - eye(size, dtype=x.dtype))
        return reduce_sum(absolute.run(apart)) * (0.5 * self.factor / max(1.0, size * (size - 1.0) / 2.0))

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"factor": self.factor, "mode": self.mode}


_objects: Final[dict[str, Any]] = {
    "L1": L1, "L2": L2, "L1L2": L1L2, "OrthogonalRegularizer": OrthogonalRegularizer, "l1": L1, "l2": L2, "l1_l2": L1L2,
    "l1l2": L1L2, "orthogonal_regularizer": OrthogonalRegularizer,
}  # fmt: skip


def get(identifier: Any) -> Any:
    """The regularizer that a name, a config, a class or a function stands for; None for None.

    >>> import tapeviz as tf
    >>> tf.keras.regularizers.get("l2").get_config()
    {'l2': 0.01}
    """
    return get_object(identifier, "regularizer", _objects)


def serialize(regularizer: Any) -> Any:
    """A regularizer as a config.

    >>> import tapeviz as tf
    >>> tf.keras.regularizers.serialize(tf.keras.regularizers.L2(0.5))["config"]
    {'l2': 0.5}
    """
    return serialize_keras_object(regularizer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The regularizer of a config.

    >>> import tapeviz as tf
    >>> tf.keras.regularizers.deserialize({"class_name": "L2", "config": {"l2": 0.5}}).get_config()
    {'l2': 0.5}
    """
    return deserialize_keras_object(config, custom_objects, _objects)
