"""What initializers have in common, and how random ones get their seeds and numbers."""

from __future__ import annotations

from typing import Any, Self

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import as_dimensions
from tapeviz.keras.floats import floatx
from tapeviz.ops.random import stateless
from tapeviz.ops.random.seeds import seeds

__all__ = ["Initializer", "RandomInitializer"]


class Initializer:
    """Called with a shape and a dtype it gives the tensor that a variable begins with.

    A class of one's own has ``__call__(self, shape, dtype=None)``, and ``get_config`` to be saved.

    >>> import tapeviz as tf
    >>> class Ramp(tf.keras.initializers.Initializer):
    ...     def __call__(self, shape, dtype=None):
    ...         return tf.reshape(tf.range(6, dtype=dtype), shape)
    >>> tf.keras.layers.Dense(2, kernel_initializer=Ramp())(tf.ones([1, 3])).numpy()
    array([[6., 9.]], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        """The tensor: ``made`` of a shape and dtype that are checked."""
        return self.made(as_dimensions(shape), as_dtype(floatx() if dtype is None else dtype))

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement `__call__(self, shape, dtype=None)`, the initial values."
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """An initializer with these arguments."""
        return cls(**config)

    def clone(self) -> Self:
        """Another one with the same arguments."""
        return type(self).from_config(self.get_config())


class RandomInitializer(Initializer):
    """An initializer that draws. Called twice it gives the same numbers; without ``seed``, other ones than others do.

    Raises:
        ValueError: ``seed`` is not an integer.
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and not isinstance(seed, int):
            raise ValueError(f"`seed` argument should be an integer or None. Received: seed={seed!r}")
        self.seed = seed
        self._own: int | None = None

    def _pair(self) -> list[int]:
        """The seed as the two numbers that draws take."""
        if self.seed is not None:
            return [int(self.seed), 0]
        if self._own is None:
            self._own = seeds._drawn("initializer", None)
        return [self._own, 1]

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"seed": self.seed}

    # Where numbers come from; another source of them is another class.

    def _normal(self, shape: tuple[int, ...], mean: float, stddev: float, dtype: Any) -> Any:
        return stateless.stateless_normal(shape, self._pair(), mean, stddev, dtype)

    def _truncated(self, shape: tuple[int, ...], mean: float, stddev: float, dtype: Any) -> Any:
        return stateless.stateless_truncated_normal(shape, self._pair(), mean, stddev, dtype)

    def _uniform(self, shape: tuple[int, ...], minval: Any, maxval: Any, dtype: Any) -> Any:
        return stateless.stateless_uniform(shape, self._pair(), minval, maxval, dtype)
