"""Signals cut into frames, put together again, and their short-time Fourier transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred, computed
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.pad import pad
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.runtime_calls import by_numbers, by_rank
from tapeviz.ops.signal.fft import fitted, irfft, rfft
from tapeviz.ops.signal.window_functions import hann_window

__all__ = ["frame", "inverse_stft", "inverse_stft_window_fn", "overlap_and_add", "stft"]


def _of_frames(signal: Any, *_options: Any, **_named: Any) -> Any:
    tensor = convert_to_tensor(signal)
    return (None,) * (tensor.ndim + 1), tensor.dtype


@by_rank()
@by_numbers("frame_length", "frame_step", form=_of_frames)
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Any:
    """A signal cut into frames, which may overlap.

    Args:
        signal: numbers of any shape with at least one axis.
        frame_length: how many elements a frame has.
        frame_step: how many elements further on the next frame begins.
        pad_end: fill up frames that reach beyond the end; otherwise there are only whole frames.
        pad_value: what to fill them up with.
        axis: the axis to cut, in whose place come two, of frames and of their elements.
        name: accepted as TensorFlow does.

    Raises:
        IndexError: there is no such axis.

    >>> import tapeviz as tf
    >>> tf.signal.frame([1, 2, 3, 4], 2, 1).numpy()
    array([[1, 2],
           [2, 3],
           [3, 4]], dtype=int32)
    """
    signal = convert_to_tensor(signal)
    length, step = int(frame_length), int(frame_step)
    size = signal._a.shape[axis]
    position = axis % signal.ndim
    if pad_end:
        count = -(-size // step)
        missing = computed(_missing, length, step, count, size)
        margins = tuple((0, missing if one == position else 0) for one in range(signal.ndim))
        signal = pad(signal, margins, constant_values=convert_to_tensor(pad_value, dtype=signal.dtype))
    else:
        count = computed(_whole_frames, length, step, size)
    within = np.arange(length, dtype=np.int32)
    if isinstance(count, Deferred):
        starts = registry["range"].run(0, count, 1, np.dtype(np.int32)) * step
        return gather(signal, registry["expand_dims"].run(starts, -1) + within, axis=position)
    places = np.arange(count, dtype=np.int32)[:, None] * step + within
    return gather(signal, convert_to_tensor(places), axis=position)


def _missing(length: int, step: int, count: int, size: int) -> int:
    """How many elements the last frame reaches beyond the end."""
    return max(0, length + step * (count - 1) - size)


def _whole_frames(length: int, step: int, size: int) -> int:
    return max(0, 1 + (size - length) // step)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """The signal of frames put together, each ``frame_step`` after the one before; where they overlap they add up.

    Args:
        signal: numbers of shape ``[..., frames, frame_length]``.
        frame_step: how many elements further on the next frame begins.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``signal`` has fewer than two axes.

    >>> import tapeviz as tf
    >>> tf.signal.overlap_and_add([[1, 2], [3, 4]], 1).numpy()
    array([1, 5, 4], dtype=int32)
    """
    signal = convert_to_tensor(signal)
    if signal.ndim < 2:  # noqa: PLR2004 - frames and their elements
        raise ValueError(f"Shape {signal.shape} must have rank at least 2")
    *batch, frames, length = signal._a.shape
    step = int(frame_step)
    total = (frames - 1) * step + length
    pieces = -(-length // step)
    reshape, transpose = registry["reshape"].run, registry["transpose"].run
    rank = len(batch)
    # Pieces of one step each; the pieces of a frame lie one after the other in rows, a row later by one step each.
    cut = reshape(fitted(signal, (*batch, frames, pieces * step)), (*batch, frames, pieces, step))
    rows = transpose(cut, (*range(rank), rank + 1, rank, rank + 2))
    wide = reshape(fitted(rows, (*batch, pieces, frames + pieces, step)), (*batch, pieces * (frames + pieces), step))
    late = reshape(
        fitted(wide, (*batch, pieces * (frames + pieces - 1), step)), (*batch, pieces, (frames + pieces - 1) * step)
    )
    return fitted(reduce_sum(late, -2), (*batch, total))


def _length_of(frame_length: int, fft_length: Any) -> int:
    """As given, or the next power of two."""
    return (1 << max(0, frame_length - 1).bit_length()) if fft_length is None else int(fft_length)


def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Any:
    """The short-time Fourier transform: the Fourier transform of each frame of a signal.

    Args:
        signals: real numbers, ``[..., samples]``.
        frame_length: how many elements a frame has.
        frame_step: how many elements further on the next frame begins.
        fft_length: how many elements to transform; the next power of two unless given.
        window_fn: makes, from a length and a ``dtype``, what a frame is multiplied with; None for nothing.
        pad_end: fill up frames that reach beyond the end with zeros.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``signals`` are not real numbers.

    >>> import tapeviz as tf
    >>> tf.signal.stft(tf.zeros([8]), frame_length=4, frame_step=2).shape
    TensorShape([3, 3])
    """
    signals = convert_to_tensor(signals)
    length = int(frame_length)
    frames = frame(signals, length, frame_step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [_length_of(length, fft_length)])


def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window,
    name: str | None = None,
) -> Any:
    """The inverse short-time Fourier transform: the signal that ``stft`` came from, if the windows fit.

    Args:
        stfts: complex numbers, ``[..., frames, frequencies]``.
        frame_length: how many elements a frame has.
        frame_step: how many elements further on the next frame begins.
        fft_length: how many elements were transformed; the next power of two unless given.
        window_fn: what to multiply frames with; see ``inverse_stft_window_fn``.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``stfts`` has fewer than two axes.

    >>> import tapeviz as tf
    >>> tf.signal.inverse_stft(tf.zeros([3, 3], tf.complex64), frame_length=4, frame_step=2).shape
    TensorShape([8])
    """
    stfts = convert_to_tensor(stfts)
    if stfts.ndim < 2:  # noqa: PLR2004 - frames and their frequencies
        raise ValueError(f"Shape {stfts.shape} must have rank at least 2")
    length = int(frame_length)
    frames = irfft(stfts, [_length_of(length, fft_length)])
    frames = fitted(frames, (*frames._a.shape[:-1], length))
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Any]:
    """The window for ``inverse_stft`` that undoes the one that ``stft`` used.

    Args:
        frame_step: how many elements further on the next frame begins.
        forward_window_fn: the window that ``stft`` used.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> window = tf.signal.inverse_stft_window_fn(2)
    >>> window(4, tf.float32).numpy()
    array([0., 1., 1., 1.], dtype=float32)
    """

    def inverse_window(frame_length: Any, dtype: Any) -> Any:
        """What frames of this length are multiplied with."""
        length, step = int(frame_length), int(frame_step)
        window = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        reshape = registry["reshape"].run
        squares = reshape(fitted(registry["square"].run(window), (overlaps * step,)), (overlaps, step))
        total = registry["broadcast_to"].run(reduce_sum(squares, 0, keepdims=True), (overlaps, step))
        return registry["divide_no_nan"].run(window, reshape(total, (overlaps * step,))[:length])

    return inverse_window
