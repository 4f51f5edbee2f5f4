# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from collections.abc import Callable as _Callable
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "irfftnd",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "rfftnd",
    "stft",
    "vorbis_window",
]

def dct(
    input: _TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The discrete cosine transform of real numbers along the last axis."""

def fft(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The Fourier transform of complex numbers over the last axis."""

def fft2d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The Fourier transform of complex numbers over the last two axes."""

def fft3d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The Fourier transform of complex numbers over the last three axes."""

def fftnd(
    input_tensor: _TensorLike,
    fft_length: _TensorLike | None = None,
    axes: _TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The Fourier transform of complex numbers over any number of the last axes."""

def fftshift(x: _TensorLike, axes: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The elements along ``axes`` (all when None) turned round so that frequency 0 is in the middle."""

def frame(
    signal: _TensorLike,
    frame_length: _TensorLike,
    frame_step: _TensorLike,
    pad_end: bool = False,
    pad_value: _TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> _Tensor:
    """A signal cut into frames, which may overlap."""

def hamming_window(
    window_length: _TensorLike, periodic: bool = True, dtype: _DTypeLike = "float32", name: str | None = None
) -> _Tensor:
    """The Hamming window: a cosine from 0.08 up to 1 and down again. Arguments and errors as for ``hann_window``."""

def hann_window(
    window_length: _TensorLike, periodic: bool = True, dtype: _DTypeLike = "float32", name: str | None = None
) -> _Tensor:
    """The Hann window: one wave of a cosine, from 0 up to 1 and down again."""

def idct(
    input: _TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """What ``dct`` of the same type came from, times 2 N, or 2 N - 2 for type 1, unless ``norm`` is ``"ortho"``."""

def ifft(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse Fourier transform of complex numbers over the last axis."""

def ifft2d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse Fourier transform of complex numbers over the last two axes."""

def ifft3d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse Fourier transform of complex numbers over the last three axes."""

def ifftnd(
    input_tensor: _TensorLike,
    fft_length: _TensorLike | None = None,
    axes: _TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The inverse Fourier transform of complex numbers over any number of the last axes: what undoes ``fftnd``."""

def ifftshift(x: _TensorLike, axes: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The inverse of ``fftshift``."""

def inverse_mdct(
    mdcts: _TensorLike, window_fn: _Callable[..., _Any] | None = ..., norm: str | None = None, name: str | None = None
) -> _Tensor:
    """The signal whose ``mdct`` this is, if the same window and norm are used; but for its first and last half frame."""

def inverse_stft(
    stfts: _TensorLike,
    frame_length: _TensorLike,
    frame_step: _TensorLike,
    fft_length: _TensorLike | None = None,
    window_fn: _Callable[..., _Any] | None = ...,
    name: str | None = None,
) -> _Tensor:
    """The inverse short-time Fourier transform: the signal that ``stft`` came from, if the windows fit."""

def inverse_stft_window_fn(
    frame_step: _TensorLike, forward_window_fn: _Callable[..., _Any] = ..., name: str | None = None
) -> _Callable[..., _Any]:
    """The window for ``inverse_stft`` that undoes the one that ``stft`` used."""

def irfft(input_tensor: _TensorLike, fft_length: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The real numbers whose Fourier transform over the last axis begins so: what ``rfft`` came from."""

def irfft2d(input_tensor: _TensorLike, fft_length: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The real numbers whose Fourier transform over the last two axes begins so. All else as for ``irfft``."""

def irfft3d(input_tensor: _TensorLike, fft_length: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The real numbers whose Fourier transform over the last three axes begins so. All else as for ``irfft``."""

def irfftnd(
    input_tensor: _TensorLike,
    fft_length: _TensorLike | None = None,
    axes: _TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The real numbers whose Fourier transform over any number of the last axes begins so: what undoes ``rfftnd``."""

def kaiser_bessel_derived_window(
    window_length: _TensorLike, beta: _TensorLike = 12.0, dtype: _DTypeLike = "float32", name: str | None = None
) -> _Tensor:
    """The window of running sums of a Kaiser window: its square and that of the next frame's add up to 1."""

def kaiser_window(
    window_length: _TensorLike, beta: _TensorLike = 12.0, dtype: _DTypeLike = "float32", name: str | None = None
) -> _Tensor:
    """The Kaiser window, which keeps nearly all that it lets through in one narrow band of frequencies."""

def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: _TensorLike = 129,
    sample_rate: _TensorLike = 8000,
    lower_edge_hertz: _TensorLike = 125.0,
    upper_edge_hertz: _TensorLike = 3800.0,
    dtype: _DTypeLike = "float32",
    name: str | None = None,
) -> _Tensor:
    """The matrix that turns spectra over hertz into spectra over mel: a triangle of weights for each mel bin."""

def mdct(
    signals: _TensorLike,
    frame_length: _TensorLike,
    window_fn: _Callable[..., _Any] | None = ...,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The modified discrete cosine transform of frames that overlap by half: half as many numbers as in a frame."""

def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: _TensorLike, name: str | None = None) -> _Tensor:
    """The cepstrum of spectra over mel: the cosine transform of their logarithms, scaled as HTK does."""

def overlap_and_add(signal: _TensorLike, frame_step: _TensorLike, name: str | None = None) -> _Tensor:
    """The signal of frames put together, each ``frame_step`` after the one before; where they overlap they add up."""

def rfft(input_tensor: _TensorLike, fft_length: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The Fourier transform of real numbers over the last axis: the first half of it and one, which says it all."""

def rfft2d(input_tensor: _TensorLike, fft_length: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The Fourier transform of real numbers over the last two axes. Arguments and errors as for ``rfft``."""

def rfft3d(input_tensor: _TensorLike, fft_length: _TensorLike | None = None, name: str | None = None) -> _Tensor:
    """The Fourier transform of real numbers over the last three axes. Arguments and errors as for ``rfft``."""

def rfftnd(
    input_tensor: _TensorLike,
    fft_length: _TensorLike | None = None,
    axes: _TensorLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> _Tensor:
    """The Fourier transform of real numbers over any number of the last axes: the half that the other half mirrors."""

def stft(
    signals: _TensorLike,
    frame_length: _TensorLike,
    frame_step: _TensorLike,
    fft_length: _TensorLike | None = None,
    window_fn: _Callable[..., _Any] | None = ...,
    pad_end: bool = False,
    name: str | None = None,
) -> _Tensor:
    """The short-time Fourier transform: the Fourier transform of each frame of a signal."""

def vorbis_window(window_length: _TensorLike, dtype: _DTypeLike = "float32", name: str | None = None) -> _Tensor:
    """The window of the Vorbis format: its square and that of the next frame's add up to 1."""
