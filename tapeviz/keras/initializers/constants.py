"""Initializers that draw nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import constant
from tapeviz.keras.initializers.initializer import Initializer

__all__ = ["Constant", "Identity", "Ones", "Zeros"]


class Constant(Initializer):
    """One number everywhere, or the numbers of a list.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.Constant(3.0)([2]).numpy()
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        return self._constant(self.value, shape, dtype)

    def _constant(self, value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        return constant(value, dtype=dtype, shape=shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"value": self.value}


class Zeros(Constant):
    """Zeros.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.Zeros()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__(0)

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        zero = b"" if dtype.name == "string" else False if dtype.name == "bool" else 0
        return self._constant(zero, shape, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made: none."""
        return {}


class Ones(Constant):
    """Ones.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.Ones()([2]).numpy()
    array([1., 1.], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__(1)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made: none."""
        return {}


class Identity(Constant):
    """The identity matrix, times ``gain``.

    Raises:
        ValueError: the shape is not that of a matrix.

    >>> import tapeviz as tf
    >>> tf.keras.initializers.Identity(2.0)([2, 2]).numpy()
    array([[2., 0.],
           [0., 2.]], dtype=float32)
    """

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__()
        self.gain = gain

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The matrix of that shape and dtype."""
        if len(shape) != 2:  # noqa: PLR2004 - a matrix
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        return self._constant(np.eye(*shape) * self.gain, shape, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {"gain": self.gain}
