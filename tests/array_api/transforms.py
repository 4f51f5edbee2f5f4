"""The standard's Fourier transforms, in tapeviz's ops."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeviz as tf
from tests.array_api.arrays import DTYPES, FLOAT, Array, cast

__all__ = ["fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn",
           "rfft", "rfftfreq", "rfftn"]  # fmt: skip

COMPLEX_OF = {"float32": DTYPES["complex64"], "float64": DTYPES["complex128"]}


def _complex(x: Array) -> Any:
    return cast(x, COMPLEX_OF.get(x.dtype.name, x.dtype))


def _sized(tensor: Any, n: int | None, axis: int) -> Any:
    """Return the tensor cut off or filled with zeros to ``n`` along an axis."""
    size = tensor.shape[axis]
    if n is None or n == size:
        return tensor
    if n < size:
        return tf.gather(tensor, tf.range(n), axis=axis)
    paddings = [[0, 0] for _ in tensor.shape]
    paddings[axis % len(paddings)][1] = n - size
    return tf.pad(tensor, paddings)


def _scaled(tensor: Any, count: int, norm: str, *, inverse: bool) -> Any:
    """Return a transform as ``norm`` wants it: tapeviz divides by ``count`` in inverse ones alone."""
    factor = {
        "backward": 1.0,
        "ortho": count**0.5 if inverse else count**-0.5,
        "forward": count if inverse else 1.0 / count,
    }
    return tensor * tf.cast(tf.constant(factor[norm], tf.float64), tensor.dtype)


def _along(function: Any, tensor: Any, axis: int) -> Any:
    order = list(range(len(tensor.shape)))
    order[axis], order[-1] = order[-1], order[axis]
    return tf.transpose(function(tf.transpose(tensor, order)), order)


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    tensor = _sized(_complex(x), n, axis)
    return Array(_scaled(_along(tf.signal.fft, tensor, axis), tensor.shape[axis], norm, inverse=False))


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    tensor = _sized(_complex(x), n, axis)
    return Array(_scaled(_along(tf.signal.ifft, tensor, axis), tensor.shape[axis], norm, inverse=True))


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    tensor = _sized(x.tensor, n, axis)
    return Array(_scaled(_along(tf.signal.rfft, tensor, axis), tensor.shape[axis], norm, inverse=False))


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    n = 2 * (x.shape[axis] - 1) if n is None else n
    tensor = _sized(_complex(x), n // 2 + 1, axis)
    found = _along(lambda t: tf.signal.irfft(t, [n]), tensor, axis)
    return Array(_scaled(found, n, norm, inverse=True))


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    n = 2 * (x.shape[axis] - 1) if n is None else n
    other = {"backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    return irfft(Array(tf.math.conj(_complex(x))), n=n, axis=axis, norm=other)


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    other = {"backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    return Array(tf.math.conj(rfft(x, n=n, axis=axis, norm=other).tensor))


def _axes(x: Array, s: Any, axes: Any) -> list[tuple[int, int | None]]:
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    return list(zip(axes, s or [None] * len(axes), strict=True))


def _in_turn(function: Any, x: Array, pairs: list[tuple[int, int | None]], norm: str) -> Array:
    for axis, n in pairs:
        x = function(x, n=n, axis=axis, norm=norm)
    return x


def fftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    return _in_turn(fft, x, _axes(x, s, axes), norm)


def ifftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    return _in_turn(ifft, x, _axes(x, s, axes), norm)


def rfftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    *others, (last, n) = _axes(x, s, axes)
    return _in_turn(fft, rfft(x, n=n, axis=last, norm=norm), others, norm)


def irfftn(x: Array, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    *others, (last, n) = _axes(x, s, axes)
    return irfft(_in_turn(ifft, x, others, norm), n=n, axis=last, norm=norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    steps = np.concatenate([np.arange((n - 1) // 2 + 1), np.arange(-(n // 2), 0)])
    return Array(tf.cast(tf.constant(steps, tf.float64) / (n * d), dtype or FLOAT))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    return Array(tf.cast(tf.cast(tf.range(n // 2 + 1), tf.float64) / (n * d), dtype or FLOAT))


def fftshift(x: Array, /, *, axes: Any = None) -> Array:
    return Array(tf.signal.fftshift(x.tensor, axes))


def ifftshift(x: Array, /, *, axes: Any = None) -> Array:
    return Array(tf.signal.ifftshift(x.tensor, axes))
