"""Features of mean 0 and variance 1, by numbers that the layer learns from data beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.data.dataset import Dataset
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.ops.array.reshape import reshape

__all__ = ["Normalization"]


class Normalization(Layer):
    """Takes the mean of each feature off and divides by its standard deviation.

    Args:
        axis: the axis, or axes, of the features; None for one mean of all.
        mean: the means, where they are known; else :meth:`adapt` finds them.
        variance: the variances.
        invert: whether to undo it.
        kwargs: what every layer takes.

    Raises:
        ValueError: only one of ``mean`` and ``variance`` is given.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Normalization()
    >>> layer.adapt([[0.0, 10.0], [2.0, 30.0]])
    >>> layer([[2.0, 20.0]]).numpy()
    array([[1., 0.]], dtype=float32)
    """

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if (mean is None) != (variance is None):
            raise ValueError(
                f"When setting values directly, both `mean` and `variance` must be set. Received: {mean}, {variance}"
            )
        self.axis: Any
        self.invert: bool
        self.axis, self.invert = axis, invert
        self.given: Any
        self.given = None if mean is None else (np.asarray(mean), np.asarray(variance))

    def build(self, input_shape: Any) -> None:
        """Make the numbers to learn."""
        sizes = tuple(input_shape)
        axes = () if self.axis is None else np.atleast_1d(self.axis)
        kept = sorted({int(axis) % len(sizes) for axis in axes})
        self._broadcast = [size if place in kept else 1 for place, size in enumerate(sizes)]
        shape = tuple(sizes[place] for place in kept)
        self._others = tuple(place for place in range(len(sizes)) if place not in kept)
        self.adapt_mean = self.add_weight(name="mean", shape=shape, initializer="zeros", trainable=False)
        self.adapt_variance = self.add_weight(name="variance", shape=shape, initializer="ones", trainable=False)
        self.count = self.add_weight(name="count", shape=(), dtype="int32", initializer="zeros", trainable=False)
        if self.given is not None:
            for variable, value in zip((self.adapt_mean, self.adapt_variance), self.given, strict=True):
                variable.assign(np.broadcast_to(value, shape).astype(np.float32))

    @property
    def mean(self) -> Any:
        """The means, for features in their places; before the layer is built they are those given."""
        return self.given and self.given[0] if not self.built else reshape(self.adapt_mean, self._sizes())

    @property
    def variance(self) -> Any:
        """The variances, likewise."""
        return self.given and self.given[1] if not self.built else reshape(self.adapt_variance, self._sizes())

    def _sizes(self) -> list[int]:
        return [1 if size is None else size for size in self._broadcast]

    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the means and variances of data.

        Args:
            data: an array, or a dataset of batches.
            batch_size: accepted as Keras does.
            steps: how many batches of a dataset to take.
        """
        batches = data.take(steps) if steps is not None else data
        parts = [np.asarray(part) for part in batches] if isinstance(data, Dataset) else [np.asarray(data)]
        whole = np.concatenate(parts).astype(np.float64)
        if whole.ndim == 1:
            whole = whole[:, None]
        if not self.built:
            self.build((None, *whole.shape[1:]))
            self.built = True
        self.adapt_mean.assign(whole.mean(self._others).astype(np.float32))
        self.adapt_variance.assign(whole.var(self._others).astype(np.float32))
        self.count.assign(np.int32(whole.shape[0]))

    def call(self, inputs: Any) -> Any:
        """The features normalised, or as they were before where ``invert``."""
        given: Any = public["cast"](convert_to_tensor(inputs), self.compute_dtype)
        shape = self._sizes()
        mean = reshape(self.adapt_mean, shape)
        spread = registry["maximum"].run(registry["sqrt"].run(reshape(self.adapt_variance, shape)), 1e-7)
        return given * spread + mean if self.invert else (given - mean) / spread

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        mean, variance = (None, None) if self.given is None else (value.tolist() for value in self.given)
        return {**super().get_config(), **config_of(self, "axis invert"), "mean": mean, "variance": variance}
