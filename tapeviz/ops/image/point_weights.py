"""How much of each new pixel is of each old one, where TensorFlow looks at points and not at what lies around them.

The older ways to resize put the first pixels of both images on each other, or with ``align_corners`` also the last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np

__all__ = ["POINT_WEIGHTS", "nearest_places", "scale_of"]

_SINGLE: Final = np.float32
_STEPS: Final = 1024
"""TensorFlow rounds places between pixels to so many, for cubic weights."""


def scale_of(size: int, wanted: int, *, aligned: bool) -> np.float32:
    """The size of a new pixel in old ones."""
    if aligned and wanted > 1:
        return np.float32(np.float32(size - 1) / np.float32(wanted - 1))
    return np.float32(np.float32(size) / np.float32(wanted))


def nearest_places(size: int, wanted: int, *, aligned: bool, half_pixel: bool) -> np.ndarray:
    """The old pixel that each new one is."""
    places = (np.arange(wanted, dtype=_SINGLE) + _SINGLE(0.5 * half_pixel)) * scale_of(size, wanted, aligned=aligned)
    rounded = np.floor(places + _SINGLE(0.5)) if aligned else np.floor(places)
    return np.asarray(np.clip(rounded, 0, size - 1), np.int32)


def _summed(size: int, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows of weights at places, which count for the nearest pixel where there is none."""
    rows = np.zeros((len(places), size))
    np.add.at(rows, (np.arange(len(places))[:, None], np.clip(places, 0, size - 1)), weights)
    return rows


def _bilinear(size: int, wanted: int, *, aligned: bool) -> np.ndarray:
    places = np.arange(wanted, dtype=_SINGLE) * scale_of(size, wanted, aligned=aligned)
    lower = np.floor(places).astype(np.int64)
    upper = places - lower
    return _summed(size, np.stack([lower, lower + 1], 1), np.stack([1 - upper, upper], 1))


def _cubic(distances: np.ndarray, sharpness: float) -> np.ndarray:
    near = np.polyval([sharpness + 2, -(sharpness + 3), 0, 1], distances)
    far = np.polyval([sharpness, -5 * sharpness, 8 * sharpness, -4 * sharpness], distances)
    return np.where(distances <= 1, near, far)


def _bicubic(size: int, wanted: int, *, aligned: bool = False, half_pixel: bool = False) -> np.ndarray:
    """Keys' cubic convolution; with half pixels, of those that there are, else of the last one again and again."""
    shift = _SINGLE(0.5 * half_pixel)
    places = (np.arange(wanted, dtype=_SINGLE) + shift) * scale_of(size, wanted, aligned=aligned) - shift
    first = np.floor(places).astype(np.int64)
    past = np.rint((places - first) * _STEPS) / _STEPS
    distances = np.stack([1 + past, past, 1 - past, 2 - past], 1)
    weights = _cubic(distances, -0.5 if half_pixel else -0.75)
    old = first[:, None] + np.arange(-1, 3)
    if not half_pixel:
        return _summed(size, old, weights)
    weights = np.where((old >= 0) & (old < size), weights, 0.0)
    return _summed(size, old, weights / weights.sum(axis=1, keepdims=True))


def _area(size: int, wanted: int, *, aligned: bool) -> np.ndarray:
    """The share of each old pixel in what a new one covers."""
    scale = scale_of(size, wanted, aligned=aligned)
    starts, ends = (np.arange(first, wanted + first, dtype=_SINGLE)[:, None] * scale for first in (0, 1))
    old = np.arange(int(np.ceil(ends[-1, 0])), dtype=_SINGLE)[None, :]
    covered = np.clip(np.minimum(old + 1, ends) - np.maximum(old, starts), 0, None)
    return _summed(size, np.broadcast_to(old.astype(np.int64), covered.shape), covered / scale)


POINT_WEIGHTS: Final[Mapping[str, Callable[[int, int], np.ndarray]]] = {
    "bilinear_legacy": partial(_bilinear, aligned=False),
    "bilinear_aligned": partial(_bilinear, aligned=True),
    "bicubic": partial(_bicubic, half_pixel=True),
    "bicubic_legacy": partial(_bicubic, aligned=False),
    "bicubic_aligned": partial(_bicubic, aligned=True),
    "area": partial(_area, aligned=False),
    "area_aligned": partial(_area, aligned=True),
}
"""The weights for a size and a wanted size: a row for each new pixel, a column for each old one."""
