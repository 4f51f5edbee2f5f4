"""Initializers that draw numbers: from one distribution whatever the shape, or with a variance that follows from it."""

from __future__ import annotations

import math
from typing import Any, Final

from tapeviz.keras.initializers.initializer import RandomInitializer
from tapeviz.ops.array.reshape import reshape, transpose
from tapeviz.ops.linalg.decompositions import qr
from tapeviz.ops.linalg.diagonals import diag_part

__all__ = [
    "GlorotNormal",
    "GlorotUniform",
    "HeNormal",
    "HeUniform",
    "LecunNormal",
    "LecunUniform",
    "Orthogonal",
    "RandomNormal",
    "RandomUniform",
    "TruncatedNormal",
    "VarianceScaling",
    "fans",
]


class RandomNormal(RandomInitializer):
    """Numbers of a normal distribution.

    >>> import tapeviz as tf
    >>> draw = tf.keras.initializers.RandomNormal(stddev=0.1, seed=1)
    >>> bool(tf.reduce_all(draw([3]) == draw([3])))
    True
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean: float
        self.stddev: float
        self.mean, self.stddev = mean, stddev

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        return self._normal(shape, self.mean, self.stddev, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class TruncatedNormal(RandomNormal):
    """Numbers of a normal distribution, none further than two standard deviations from the mean.

    >>> import tapeviz as tf
    >>> bool(tf.reduce_max(tf.abs(tf.keras.initializers.TruncatedNormal(stddev=0.1)([100]))) <= 0.2)
    True
    """

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        return self._truncated(shape, self.mean, self.stddev, dtype)


class RandomUniform(RandomInitializer):
    """Numbers between two bounds, all alike in probability.

    >>> import tapeviz as tf
    >>> bool(tf.reduce_all(tf.keras.initializers.RandomUniform(1.0, 2.0)([100]) >= 1.0))
    True
    """

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.minval: float
        self.maxval: float
        self.minval, self.maxval = minval, maxval

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        return self._uniform(shape, self.minval, self.maxval, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class Orthogonal(RandomInitializer):
    """A random matrix whose columns, or rows where these are fewer, are of length ``gain`` and at right angles.

    All axes but the last are taken together as the rows.

    Raises:
        ValueError: the shape has fewer than two axes.

    >>> import tapeviz as tf
    >>> q = tf.keras.initializers.Orthogonal(seed=0)([4, 3], dtype="float64")
    >>> bool(tf.reduce_all(tf.abs(tf.matmul(q, q, transpose_a=True) - tf.eye(3, dtype="float64")) < 1e-12))
    True
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        if len(shape) < 2:  # noqa: PLR2004 - a matrix at least
            raise ValueError(
                f"The tensor to initialize must be at least two-dimensional. Received: shape={tuple(shape)} of rank "
                f"{len(shape)}."
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        q, r = qr(self._normal((max(rows, columns), min(rows, columns)), 0.0, 1.0, dtype))
        diagonal = diag_part(r)
        # The factorization's own choice of signs is not a random one.
        q = q * (diagonal / abs(diagonal))
        return reshape(transpose(q) if rows < columns else q, shape) * self.gain

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"gain": self.gain, "seed": self.seed}


# The standard deviation of a normal distribution cut off at two of its own.
_CUT: Final = 0.87962566103423978
_MODES: Final = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS: Final = ("normal", "uniform", "truncated_normal", "untruncated_normal")


class VarianceScaling(RandomInitializer):
    """Random numbers whose variance is ``scale`` by the number of a layer's inputs, outputs or their mean.

    Args:
        scale: the factor.
        mode: ``fan_in``, ``fan_out`` or ``fan_avg``: what to divide by.
        distribution: ``truncated_normal`` (or ``normal``), ``untruncated_normal`` or ``uniform``.
        seed: for numbers that can be had again.

    Raises:
        ValueError: an argument is none of these.

    >>> import tapeviz as tf
    >>> w = tf.keras.initializers.VarianceScaling(2.0, "fan_in", "uniform")([300, 100])
    >>> bool(tf.reduce_max(tf.abs(w)) <= (3 * 2.0 / 300) ** 0.5)
    True
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal", seed: int | None = None
    ) -> None:
        super().__init__(seed)
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: scale={scale}")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Argument `mode` should be one of {_MODES}")
        if distribution.lower() not in _DISTRIBUTIONS:
            raise ValueError(f"Invalid `distribution` argument: {distribution}. Please use one of {_DISTRIBUTIONS}")
        self.scale: float
        self.distribution: str
        self.scale, self.mode, self.distribution = scale, mode, distribution.lower()
        if self.distribution == "normal":
            self.distribution = "truncated_normal"

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        inputs, outputs = fans(shape)
        by = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        variance = self.scale / max(1.0, by)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return self._uniform(shape, -limit, limit, dtype)
        if self.distribution == "untruncated_normal":
            return self._normal(shape, 0.0, math.sqrt(variance), dtype)
        return self._truncated(shape, 0.0, math.sqrt(variance) / _CUT, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"scale": self.scale, "mode": self.mode, "distribution": self.distribution, "seed": self.seed}


class _Scaling(VarianceScaling):
    """One choice of scale, mode and distribution, which its class says."""

    _choice: tuple[float, str, str]

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(*self._choice, seed)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"seed": self.seed}


class GlorotUniform(_Scaling):
    """Uniform numbers of a variance that keeps signals of one size through layers (Glorot and Bengio, 2010).

    >>> import tapeviz as tf
    >>> tf.keras.initializers.GlorotUniform(seed=1)([3, 2]).shape
    TensorShape([3, 2])
    """

    _choice = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Scaling):
    """Normal numbers, cut off, of a variance that keeps signals of one size through layers.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.GlorotNormal(seed=1)([3, 2]).shape
    TensorShape([3, 2])
    """

    _choice = (1.0, "fan_avg", "truncated_normal")


class HeUniform(_Scaling):
    """Uniform numbers for layers with ReLU, which lets half through (He and others, 2015).

    >>> import tapeviz as tf
    >>> tf.keras.initializers.HeUniform(seed=1)([3, 2]).shape
    TensorShape([3, 2])
    """

    _choice = (2.0, "fan_in", "uniform")


class HeNormal(_Scaling):
    """Normal numbers, cut off, for layers with ReLU.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.HeNormal(seed=1)([3, 2]).shape
    TensorShape([3, 2])
    """

    _choice = (2.0, "fan_in", "truncated_normal")


class LecunUniform(_Scaling):
    """Uniform numbers whose variance is 1 by the number of inputs (LeCun and others, 1998).

    >>> import tapeviz as tf
    >>> tf.keras.initializers.LecunUniform(seed=1)([3, 2]).shape
    TensorShape([3, 2])
    """

    _choice = (1.0, "fan_in", "uniform")


class LecunNormal(_Scaling):
    """Normal numbers, cut off, whose variance is 1 by the number of inputs; for SELU.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.LecunNormal(seed=1)([3, 2]).shape
    TensorShape([3, 2])
    """

    _choice = (1.0, "fan_in", "truncated_normal")


def fans(shape: tuple[int, ...]) -> tuple[float, float]:
    """How many inputs and outputs a layer with weights of this shape has."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field
