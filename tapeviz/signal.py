"""``tf.signal``: Fourier and cosine transforms, frames of signals and their windows."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.cosines": "dct idct",
        "tapeviz.ops.fourier": ("fft fft2d fft3d ifft ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d"),
        "tapeviz.ops.fourier_of_axes": "fftnd ifftnd irfftnd rfftnd",
        "tapeviz.ops.fourier_shifts": "fftshift ifftshift",
        "tapeviz.ops.frames": "frame inverse_stft inverse_stft_window_fn overlap_and_add stft",
        "tapeviz.ops.signal_windows": (
            "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window"
        ),
        "tapeviz.ops.spectra": "inverse_mdct linear_to_mel_weight_matrix mdct mfccs_from_log_mel_spectrograms",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
