"""``tf.signal``: Fourier and cosine transforms, frames of signals and their windows."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.signal.dct": "dct idct",
        "tapeviz.ops.signal.fft": (
            "fft fft2d fft3d fftnd fftshift ifft ifft2d ifft3d ifftnd ifftshift irfft irfft2d irfft3d irfftnd rfft "
            "rfft2d rfft3d rfftnd"
        ),
        "tapeviz.ops.signal.frames": "frame inverse_stft inverse_stft_window_fn overlap_and_add stft",
        "tapeviz.ops.signal.window_functions": (
            "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window"
        ),
        "tapeviz.ops.signal.spectra": "inverse_mdct linear_to_mel_weight_matrix mdct mfccs_from_log_mel_spectrograms",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
