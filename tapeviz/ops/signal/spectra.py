"""What is made of spectra: the mel scale, and the modified cosine transform of frames that overlap by half."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.operators import public
from tapeviz.ops.runtime_calls import by_sizes, open_sizes
from tapeviz.ops.signal.dct import dct
from tapeviz.ops.signal.frames import frame, overlap_and_add
from tapeviz.ops.signal.window_functions import vorbis_window

__all__ = ["inverse_mdct", "linear_to_mel_weight_matrix", "mdct", "mfccs_from_log_mel_spectrograms"]

_BREAK: Final = 700.0
_SCALE: Final = 1127.0


def _mel(hertz: Any) -> Any:
    """Hertz to mel: about linear up to 700, then logarithmic, as ears hear."""
    return _SCALE * np.log1p(np.asarray(hertz) / _BREAK)


def _check_range(bins: int, rate: float, low: float, high: float) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}")
    if rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if high > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {high} for sample_rate: {rate}"
        )


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """The matrix that turns spectra over hertz into spectra over mel: a triangle of weights for each mel bin.

    Args:
        num_mel_bins: how many bins come out.
        num_spectrogram_bins: how many frequencies go in, from 0 to half the sample rate.
        sample_rate: samples a second.
        lower_edge_hertz: where the first triangle begins.
        upper_edge_hertz: where the last triangle ends.
        dtype: a floating-point type.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the numbers make no sense together.

    >>> import tapeviz as tf
    >>> tf.signal.linear_to_mel_weight_matrix().shape
    TensorShape([129, 20])
    """
    bins, rate, low, high = int(num_mel_bins), float(sample_rate), float(lower_edge_hertz), float(upper_edge_hertz)
    dtype = as_dtype(dtype)
    _check_range(bins, rate, low, high)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype!r}")
    edges = np.linspace(_mel(low), _mel(high), bins + 2)
    # The first frequency, 0, belongs to no triangle.
    places = _mel(np.linspace(0.0, rate / 2, int(num_spectrogram_bins))[1:])[:, None]
    rising = (places - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - places) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return convert_to_tensor(np.concatenate([np.zeros((1, bins)), weights]), dtype=dtype)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Any:
    """The cepstrum of spectra over mel: the cosine transform of their logarithms, scaled as HTK does.

    Args:
        log_mel_spectrograms: logarithms of spectra over mel, ``[..., bins]``.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there are no bins.

    >>> import tapeviz as tf
    >>> tf.signal.mfccs_from_log_mel_spectrograms([1.0, 1.0]).numpy()
    array([2., 0.], dtype=float32)
    """
    spectra = convert_to_tensor(log_mel_spectrograms)
    if spectra.ndim and not spectra._a.shape[-1]:
        raise ValueError(f"num_mel_bins must be positive. Got: {spectra}")
    size = spectra._a.shape[-1]
    if isinstance(size, Deferred):
        return dct(spectra) * registry["rsqrt"].run(public["number"](2 * size, spectra._a.dtype))
    return dct(spectra) * (1.0 / math.sqrt(2.0 * size))


def _turned(x: Any) -> Any:
    return registry["reverse"].run(x, (-1,))


def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Any:
    """The modified discrete cosine transform of frames that overlap by half: half as many numbers as in a frame.

    Args:
        signals: float32 or float64, ``[..., samples]``.
        frame_length: how many elements a frame has, a multiple of 4.
        window_fn: makes, from a length and a ``dtype``, what a frame is multiplied with; None for a constant.
        pad_end: fill up frames that reach beyond the end with zeros.
        norm: None or ``"ortho"``, as for ``dct``.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the length is no multiple of 4, or there is no such norm.

    >>> import tapeviz as tf
    >>> tf.signal.mdct(tf.zeros([8]), 4).shape
    TensorShape([3, 2])
    """
    length = int(frame_length)
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(signals, length, length // 2, pad_end=pad_end)
    frames = frames * (math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=frames.dtype))
    quarter = length // 4
    a, b, c, d = (frames[..., part * quarter : (part + 1) * quarter] for part in range(4))
    # What lies in the outer quarters is folded over onto the inner ones.
    folded = registry["concat"].run(-_turned(c) - d, a - _turned(b), axis=-1)
    return dct(folded, type=4, norm=norm)


def _samples_of(mdcts: Any, *_options: Any, **_named: Any) -> Any:
    mdcts = convert_to_tensor(mdcts)
    return (*open_sizes(mdcts)[:-2], None), mdcts.dtype


@by_sizes(-1, form=_samples_of)
def inverse_mdct(
    mdcts: Any, window_fn: Callable[..., Any] | None = vorbis_window, norm: str | None = None, name: str | None = None
) -> Any:
    """The signal whose ``mdct`` this is, if the same window and norm are used; but for its first and last half frame.

    Args:
        mdcts: float32 or float64, ``[..., frames, frame_length // 2]``.
        window_fn: makes, from a length and a ``dtype``, what a frame is multiplied with; None for a constant.
        norm: None or ``"ortho"``, as for ``dct``.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``mdcts`` has fewer than two axes, or there is no such norm.

    >>> import tapeviz as tf
    >>> tf.signal.inverse_mdct(tf.zeros([3, 2])).shape
    TensorShape([8])
    """
    mdcts = convert_to_tensor(mdcts)
    half = mdcts._a.shape[-1]
    folded = dct(mdcts, type=4, norm=norm)
    if norm is None:
        folded = folded * (0.5 / half)
    first, second = folded[..., : half // 2], folded[..., half // 2 :]
    frames = registry["concat"].run(second, -_turned(second), -_turned(first), -first, axis=-1)
    frames = frames * (math.sqrt(0.5) if window_fn is None else window_fn(2 * half, dtype=frames.dtype))
    return overlap_and_add(frames, half)
