"""Windows: what frames of signals are multiplied with, so that they fade in and out."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.ops.array.creation import ones
from tapeviz.ops.array.creation import range as numbers
from tapeviz.ops.math.cumulative import cumsum
from tapeviz.ops.runtime_calls import by_values

__all__ = ["hamming_window", "hann_window", "kaiser_bessel_derived_window", "kaiser_window", "vorbis_window"]


def _checked(dtype: Any) -> Any:
    dtype = as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype!r}")
    return dtype


def _window_form(_length: Any, *options: Any, dtype: Any = "float32", **_named: Any) -> Any:
    given = next((option for option in options if isinstance(option, (str, DType))), dtype)
    return (None,), given


def _raised_cosine(window_length: Any, periodic: bool, dtype: Any, high: float, low: float) -> Any:
    dtype, length = _checked(dtype), int(window_length)
    if length == 1:
        return ones([1], dtype)
    turns = length if periodic and length % 2 == 0 else length - 1
    angles = numbers(length, dtype=dtype) * (2.0 * math.pi) / float(turns)
    return high - low * registry["cos"].run(angles)


@by_values(_window_form)
def hann_window(window_length: Any, periodic: bool = True, dtype: Any = "float32", name: str | None = None) -> Any:
    """The Hann window: one wave of a cosine, from 0 up to 1 and down again.

    Args:
        window_length: how many elements there are.
        periodic: leave out the last 0, for windows that follow each other; only for even lengths, as in TensorFlow.
        dtype: a floating-point type.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the dtype is another one.

    >>> import tapeviz as tf
    >>> tf.signal.hann_window(4, dtype=tf.float64).numpy()
    array([0. , 0.5, 1. , 0.5])
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@by_values(_window_form)
def hamming_window(window_length: Any, periodic: bool = True, dtype: Any = "float32", name: str | None = None) -> Any:
    """The Hamming window: a cosine from 0.08 up to 1 and down again. Arguments and errors as for ``hann_window``.

    >>> import tapeviz as tf
    >>> tf.signal.hamming_window(4, dtype=tf.float64).numpy().round(2)
    array([0.08, 0.54, 1.  , 0.54])
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@by_values(_window_form)
def vorbis_window(window_length: Any, dtype: Any = "float32", name: str | None = None) -> Any:
    """The window of the Vorbis format: its square and that of the next frame's add up to 1.

    Args:
        window_length: how many elements there are.
        dtype: a floating-point type.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the dtype is another one.

    >>> import tapeviz as tf
    >>> tf.signal.vorbis_window(2, dtype=tf.float64).numpy().round(4)
    array([0.7071, 0.7071])
    """
    dtype, length = _checked(dtype), int(window_length)
    sin = registry["sin"].run
    rising = sin((numbers(length, dtype=dtype) + 0.5) * (math.pi / length))
    return sin(registry["square"].run(rising) * (math.pi / 2.0))


@by_values(_window_form)
def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = "float32", name: str | None = None) -> Any:
    """The Kaiser window, which keeps nearly all that it lets through in one narrow band of frequencies.

    Args:
        window_length: how many elements there are.
        beta: how narrow the window is, and so how wide the band.
        dtype: a floating-point type.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the dtype is another one.

    >>> import tapeviz as tf
    >>> tf.signal.kaiser_window(3, beta=0.0, dtype=tf.float64).numpy()
    array([1., 1., 1.])
    """
    dtype, length = _checked(dtype), int(window_length)
    if length == 1:
        return ones([1], dtype)
    half = (length - 1) / 2.0
    places = (numbers(length, dtype=dtype) - half) / half
    bent = float(beta) * registry["sqrt"].run(registry["maximum"].run(1.0 - registry["square"].run(places), 0.0))
    scaled = registry["bessel_i0e"].run
    return registry["exp"].run(bent - float(beta)) * scaled(bent) / scaled(convert_to_tensor(float(beta), dtype=dtype))


@by_values(_window_form)
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = "float32", name: str | None = None
) -> Any:
    """The window of running sums of a Kaiser window: its square and that of the next frame's add up to 1.

    Arguments and errors as for ``kaiser_window``; the length is even.

    >>> import tapeviz as tf
    >>> tf.signal.kaiser_bessel_derived_window(2, dtype=tf.float64).numpy().round(4)
    array([0.7071, 0.7071])
    """
    sums = cumsum(kaiser_window(int(window_length) // 2 + 1, beta, dtype))
    rising = registry["sqrt"].run(sums[:-1] / sums[-1])
    return registry["concat"].run(rising, rising[::-1], axis=0)
