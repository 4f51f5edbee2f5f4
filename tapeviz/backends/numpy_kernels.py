"""Array functions that are faster on the host than the forwards of their ops, with the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

__all__ = ["KERNELS", "sigmoid_into"]

try:
    from numpy._core import umath

    _clip: Any = umath.clip  # type: ignore[attr-defined]
except (ImportError, AttributeError):  # another NumPy keeps it elsewhere
    _clip = np.clip

_FLOATS: Final = tuple(map(np.dtype, (np.float16, np.float32, np.float64)))
_FROM_0: Final = {dtype: (np.zeros((), dtype), np.full((), np.inf, dtype)) for dtype in _FLOATS}
_BITS: Final = {dtype: np.dtype(f"i{dtype.itemsize}") for dtype in _FLOATS}
_PIECE: Final = 65_536
_SMALL: Final = 2000  # elements up to which fewer calls win over faster ones


def _relu(features: Any) -> Any:
    """Half to a third of the time of ``np.maximum`` with 0; a zero keeps its sign."""
    limits = _FROM_0.get(features.dtype)
    return np.maximum(features, 0) if limits is None else _clip(features, *limits)


def _relu_grad(upstream: Any, y: Any) -> Any:
    """A product of the bits with 0 or 1, a third of the time of ``np.where``: 0 where nothing passes, nan or not."""
    bits = _BITS.get(upstream.dtype)
    if bits is None or y.size < _SMALL:
        return np.where(np.greater(y, 0), upstream, np.zeros((), y.dtype))
    return np.multiply(upstream.view(bits), np.greater(y, _FROM_0[upstream.dtype][0])).view(upstream.dtype)


def _sigmoid(x: Any) -> Any:
    """The same four steps in one array, a piece at a time: what one step has made, the next finds in the cache."""
    if x.size < _SMALL or x.dtype not in _FLOATS:
        return np.reciprocal(np.add(np.exp(np.negative(x)), 1.0))
    return sigmoid_into(x, np.empty(x.shape, x.dtype))


def sigmoid_into(x: Any, y: Any) -> Any:
    """The sigmoid of floating-point numbers in a given array of their shape and dtype."""
    if x.size <= _PIECE or not (x.flags.c_contiguous and y.flags.c_contiguous):
        return _sigmoid_steps(x, y)
    flat, result = x.reshape(-1), y.reshape(-1)
    for place in range(0, x.size, _PIECE):
        _sigmoid_steps(flat[place : place + _PIECE], result[place : place + _PIECE])
    return y


def _sigmoid_steps(x: Any, y: Any) -> Any:
    np.negative(x, y)
    np.exp(y, y)
    np.add(y, 1.0, y)
    return np.divide(1.0, y, y)  # a reciprocal takes a quarter more


KERNELS: Final[dict[str, Callable[..., Any]]] = {"relu": _relu, "relu_grad": _relu_grad, "sigmoid": _sigmoid}
