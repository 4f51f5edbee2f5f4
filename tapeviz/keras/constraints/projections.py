"""Constraints: from a weight to the nearest one that is allowed, or nearly so."""

from __future__ import annotations

from typing import Any, Final, Self

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.keras.floats import epsilon
from tapeviz.keras.serialization import deserialize_keras_object, get_object, serialize_keras_object
from tapeviz.ops.math.arithmetic import maximum
from tapeviz.ops.math.exponentials import sqrt, square
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.math.rounding import clip_by_value

__all__ = ["Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "deserialize", "get", "serialize"]


class Constraint:
    """Base class of constraints: from a weight to one that is allowed. A class of one's own has ``__call__(self, w)``.

    >>> import tapeviz as tf
    >>> class Capped(tf.keras.constraints.Constraint):
    ...     def __call__(self, w):
    ...         return tf.minimum(w, 1.0)
    >>> layer = tf.keras.layers.Dense(2, kernel_constraint=Capped())
    """

    def __call__(self, w: Any) -> Any:
        """The allowed weight."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement `__call__(self, w)`, which returns the constrained values."
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A constraint with these arguments."""
        return cls(**config)


def _norms(w: Any, axis: Any) -> Any:
    return sqrt.run(reduce_sum(square.run(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Norms along ``axis`` no greater than ``max_value``; of a dense kernel, axis 0 is that of a unit's inputs.

    >>> import tapeviz as tf
    >>> tf.keras.constraints.MaxNorm(1.0)(tf.constant([[3.0, 0.3], [4.0, 0.4]])).numpy().round(3)
    array([[0.6, 0.3],
           [0.8, 0.4]], dtype=float32)
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value: float
        self.axis: Any
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        """The allowed weight."""
        w = convert_to_tensor(w)
        norms = _norms(w, self.axis)
        return w * (clip_by_value(norms, 0.0, float(self.max_value)) / (norms + epsilon()))

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """No weight below 0.

    >>> import tapeviz as tf
    >>> tf.keras.constraints.NonNeg()(tf.constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __call__(self, w: Any) -> Any:
        """The allowed weight."""
        return maximum.run(convert_to_tensor(w), 0.0)


class UnitNorm(Constraint):
    """Norms of 1 along ``axis``.

    >>> import tapeviz as tf
    >>> tf.keras.constraints.UnitNorm()(tf.constant([[3.0], [4.0]])).numpy().round(3)
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The allowed weight."""
        w = convert_to_tensor(w)
        return w / (_norms(w, self.axis) + epsilon())

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Norms along ``axis`` between two bounds; with a ``rate`` below 1 they only go that part of the way there.

    >>> import tapeviz as tf
    >>> tf.keras.constraints.MinMaxNorm(1.0, 2.0)(tf.constant([[3.0], [4.0]])).numpy().round(3)
    array([[1.2],
           [1.6]], dtype=float32)
    """

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0) -> None:
        self.min_value: float
        self.max_value: float
        self.rate: float
        self.axis: Any
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Any:
        """The allowed weight."""
        w = convert_to_tensor(w)
        norms = _norms(w, self.axis)
        within = clip_by_value(norms, float(self.min_value), float(self.max_value))
        desired = within * float(self.rate) + norms * (1.0 - self.rate)
        return w * (desired / (norms + epsilon()))

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"min_value": self.min_value, "max_value": self.max_value, "rate": self.rate, "axis": self.axis}


_classes: Final = (MaxNorm, MinMaxNorm, NonNeg, UnitNorm)
_objects: Final[dict[str, Any]] = {
    **{cls.__name__: cls for cls in _classes},
    "max_norm": MaxNorm, "min_max_norm": MinMaxNorm, "non_neg": NonNeg, "nonneg": NonNeg, "unit_norm": UnitNorm,
}  # fmt: skip


def get(identifier: Any) -> Any:
    """The constraint that a name, a config, a class or a function stands for; None for None.

    >>> import tapeviz as tf
    >>> type(tf.keras.constraints.get("non_neg")).__name__
    'NonNeg'
    """
    return get_object(identifier, "constraint", _objects)


def serialize(constraint: Any) -> Any:
    """A constraint as a config.

    >>> import tapeviz as tf
    >>> tf.keras.constraints.serialize(tf.keras.constraints.NonNeg())["class_name"]
    'NonNeg'
    """
    return serialize_keras_object(constraint)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The constraint of a config.

    >>> import tapeviz as tf
    >>> type(tf.keras.constraints.deserialize({"class_name": "NonNeg", "config": {}})).__name__
    'NonNeg'
    """
    return deserialize_keras_object(config, custom_objects, _objects)
