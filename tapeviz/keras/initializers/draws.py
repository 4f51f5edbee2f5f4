"""Initializers that draw from one distribution whatever the shape."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.keras.initializers.initializer import RandomInitializer
from tapeviz.ops.array.reshape import reshape, transpose
from tapeviz.ops.linalg.decompositions import qr
from tapeviz.ops.linalg.diagonals import diag_part

__all__ = ["Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal"]


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
        # The factorization's own choice of signs is no random one.
        q = q * (diagonal / abs(diagonal))
        return reshape(transpose(q) if rows < columns else q, shape) * self.gain

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"gain": self.gain, "seed": self.seed}
