"""The summaries of arrays that a recording keeps: the rows of ``stats``, but for the tensor.

Figures are over the finite elements, counts over all; complex numbers are summarised by their sizes, and text has no
summary. Each figure and each bin of the histogram is of all elements, with double precision: nothing is sampled.

An array is read twice, for its ends and then piece by piece for all the rest, with the piece in the processor's cache.
Arrays of a few elements would be slow one by one, so they are laid behind each other and summarised together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = ["BINS", "FIGURES", "Summaries", "summaries", "summary"]

BINS: Final = 32
FIGURES: Final = (
    "min", "max", "mean", "std", "norm", "nan", "posinf", "neginf", "zero", "negative", "bad",
)  # fmt: skip

_SMALL: Final = 2048  # elements, up to which arrays are summarised together
_TOGETHER: Final = 1 << 16  # elements laid behind each other at most, in doubles half a megabyte
_PIECE: Final = 1 << 15  # elements of a large array at a time
_ROW: Final = 1 << 13  # elements of a dot product: for many more BLAS would wake its threads
_COUNTED: Final = 1 << 17  # elements whose bins are counted at a time
_NARROW: Final = 1e-300  # a width that cannot be divided into bins
_SPREAD: Final = 1e-4  # of the mean square at least, for the variance to be told from the two sums
_ONES: Final = np.ones(_PIECE)


class Summaries(NamedTuple):
    """Summaries of several arrays."""

    figures: np.ndarray
    """A row an array, with the columns of :data:`FIGURES`."""
    histograms: np.ndarray
    """A row of ``BINS`` counts an array."""
    known: np.ndarray
    """Whether an array has a summary."""


def summary(array: np.ndarray) -> dict[str, Any]:
    """The columns of one array's row of ``stats``; an empty dict for text."""
    found = summaries([array])
    if not found.known[0]:
        return {}
    figures = dict(zip(FIGURES, found.figures[0].tolist(), strict=True))
    return {**figures, "histogram": found.histograms[0].tobytes()}


def summaries(arrays: Sequence[np.ndarray]) -> Summaries:
    """Summaries of these arrays, which are on the host."""
    count = len(arrays)
    found = Summaries(np.empty((count, len(FIGURES))), np.zeros((count, BINS), "<u4"), np.ones(count, bool))
    found.figures[:] = (*[np.nan] * 4, *[0.0] * 6, -1.0)
    small: list[int] = []
    with np.errstate(all="ignore"):
        for at, array in enumerate(arrays):
            kind = array.dtype.kind
            if kind not in "fiubc" and not (kind == "V" and array.dtype.name == "bfloat16"):  # unknown to NumPy itself
                found.known[at] = False
            elif array.size > _SMALL:
                _large(array, found.figures[at], found.histograms[at])
            elif array.size:
                small.append(at)
        for together in _groups(small, arrays):
            _small([arrays[at] for at in together], np.array(together), found)
    return found


# Small arrays, many at once.


def _groups(places: list[int], arrays: Sequence[np.ndarray]) -> Iterator[list[int]]:
    """So many at a time that they fit into the cache together."""
    group: list[int] = []
    size = 0
    for at in places:
        if size + arrays[at].size > _TOGETHER:
            yield group
            group, size = [], 0
        group.append(at)
        size += arrays[at].size
    if group:
        yield group


def _small(arrays: list[np.ndarray], rows: np.ndarray, found: Summaries) -> None:
    """Fill in the rows of small arrays, none of which is empty."""
    flat = [(np.abs(array) if array.dtype.kind == "c" else array).ravel() for array in arrays]
    sizes = np.fromiter(map(len, flat), np.intp, len(flat))
    starts = np.cumsum(sizes) - sizes
    values = np.concatenate(flat, dtype=np.float64, casting="unsafe")
    finite = np.isfinite(np.add.reduceat(values * values, starts))
    if not finite.all():  # the others are rare, and dealt with one by one
        for at in np.flatnonzero(~finite).tolist():
            begin, end = starts[at], starts[at] + sizes[at]
            _unusual(values[begin:end], found.figures[rows[at]], found.histograms[rows[at]])
            values[begin:end] = 0.0
    rows = rows[finite]
    columns = _columns(values, starts, sizes)
    found.figures[rows] = columns.figures[finite]
    found.histograms[rows] = columns.histograms[finite]


def _columns(values: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> Summaries:
    """The rows of arrays that lie behind each other, whose elements are all finite."""
    count, owner = len(sizes), np.repeat(np.arange(len(sizes)), sizes)
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    mean = np.add.reduceat(values, starts) / sizes
    norm = np.sqrt(np.add.reduceat(values * values, starts))
    centred = values - mean[owner]
    std = np.sqrt(np.add.reduceat(np.multiply(centred, centred, out=centred), starts) / sizes)
    zero = np.add.reduceat(np.equal(values, 0), starts, dtype=np.intp)
    negative = np.add.reduceat(np.less(values, 0), starts, dtype=np.intp)
    bins = np.minimum(((values - low[owner]) * _scale(low, high)[owner]).astype(np.intp), BINS - 1)
    counts = np.bincount(bins + BINS * owner, minlength=BINS * count).reshape(count, BINS)
    none = np.zeros(count)
    figures = np.stack([low, high, mean, std, norm, none, none, none, zero, negative, none - 1], axis=1)
    return Summaries(figures, counts.astype("<u4"), np.ones(count, bool))


def _scale(low: Any, high: Any) -> Any:
    """Bins for each unit; 0 where all elements go into the first one."""
    width = np.asarray(high - low)
    return np.divide(BINS, width, out=np.zeros_like(width), where=(width > _NARROW) & (width < np.inf))


# A large array, in pieces.


def _large(array: np.ndarray, figures: np.ndarray, histogram: np.ndarray) -> None:
    """Fill in the row of a large array."""
    values = (np.abs(array) if array.dtype.kind == "c" else array).ravel("K")  # the order of memory: seldom a copy
    if values.dtype.kind == "V":  # bfloat16, of which NumPy knows no order
        values = values.astype(np.float32)
    low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
    square, total, zero, negative, counts = _sums(values, low, high)
    if not np.isfinite(square):
        ordered = np.abs(array) if array.dtype.kind == "c" else array
        _unusual(ordered.ravel().astype(np.float64), figures, histogram)
        return
    size = values.size
    mean = total / size
    variance = square / size - mean * mean
    if variance <= _SPREAD * square / size:  # both are nearly the same, so what is left of them is rounding
        variance = _variance(values, mean)
    figures[:] = (low, high, mean, np.sqrt(variance), np.sqrt(square), 0.0, 0.0, 0.0, zero, negative, -1.0)
    histogram[:] = counts


def _sums(values: np.ndarray, low: float, high: float) -> tuple[float, float, int, int, np.ndarray]:
    """The sum of the squares and of the elements; how many are 0, negative, and in each bin."""
    most = min(values.size, _PIECE)
    buffer, flags, bins = np.empty(most), np.empty(most, bool), np.empty(min(values.size, _COUNTED), np.uint8)
    scale = float(_scale(low, high))
    square, total, zero, negative = 0.0, 0.0, 0, 0
    counts = np.zeros(BINS, np.intp)
    for start in range(0, values.size, _COUNTED):
        end = min(start + _COUNTED, values.size)
        for begin in range(start, end, _PIECE):
            piece = values[begin : min(begin + _PIECE, end)]
            size = piece.size
            numbers, which = buffer[:size], flags[:size]
            np.copyto(numbers, piece, casting="unsafe")
            square += _dot(numbers, numbers)
            total += _dot(numbers, _ONES[:size])
            if low <= 0 <= high:
                zero += int(np.count_nonzero(np.equal(piece, 0, out=which)))
            if low < 0:
                negative += int(np.count_nonzero(np.less(piece, 0, out=which)))
            np.subtract(numbers, low, out=numbers)
            np.multiply(numbers, scale, out=numbers)
            np.copyto(bins[begin - start : begin - start + size], numbers, casting="unsafe")
        if not np.isfinite(square):
            break
        counts += _counted(bins[: end - start])
    return square, total, zero, negative, counts


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """The dot product of two pieces, by rows."""
    whole = a.size - a.size % _ROW
    rows = np.vecdot(a[:whole].reshape(-1, _ROW), b[:whole].reshape(-1, _ROW))
    return float(np.add.reduce(rows)) + float(np.dot(a[whole:], b[whole:]))


def _counted(bins: np.ndarray) -> np.ndarray:
    """How often each bin comes. Two of them are counted as one number, of which there are half as many."""
    half = bins.size // 2
    pairs = np.multiply(bins[:half], BINS + 1, dtype=np.uint16)
    np.add(pairs, bins[half : 2 * half], out=pairs)
    found = np.bincount(pairs, minlength=(BINS + 1) ** 2).reshape(BINS + 1, BINS + 1)
    counts: np.ndarray = found.sum(axis=1) + found.sum(axis=0)
    if bins.size & 1:
        counts[bins[-1]] += 1
    counts[BINS - 1] += counts[BINS]  # the largest element lies at the end of the last bin
    return counts[:BINS]


def _variance(values: np.ndarray, mean: float) -> float:
    """The mean square of what is left without the mean."""
    total = 0.0
    for begin in range(0, values.size, _PIECE):
        centred = values[begin : begin + _PIECE] - np.float64(mean)
        total += _dot(centred, centred)
    return total / values.size


# What has elements that are not finite, or whose squares are not.


def _unusual(values: np.ndarray, figures: np.ndarray, histogram: np.ndarray) -> None:
    """Fill in the row of an array of doubles whose elements, or their squares, are not all finite."""
    mask = np.isfinite(values)
    finite = values[mask]
    nan, above, below = (int(flags.sum()) for flags in (np.isnan(values), values == np.inf, values == -np.inf))
    bad = -1 if finite.size == values.size else int(np.argmin(mask))
    norm = np.nan if nan else np.inf if above or below else _large_norm(values)
    zero = values.size - int(np.count_nonzero(values))
    figures[4:] = (norm, nan, above, below, zero, int(np.less(finite, 0).sum()), bad)
    if not finite.size:
        return
    low, high = float(np.minimum.reduce(finite)), float(np.maximum.reduce(finite))
    mean = float(np.add.reduce(finite)) / finite.size
    figures[:4] = (low, high, mean, np.sqrt(_variance(finite, mean)))
    if scale := float(_scale(low, high)):
        bins = np.minimum(((finite - low) * scale).astype(np.intp), BINS - 1)
        histogram[:] = np.bincount(bins, minlength=BINS)
    else:
        histogram[0] = finite.size


def _large_norm(values: np.ndarray) -> float:
    """The norm of numbers whose squares overflow."""
    scale = float(np.max(np.abs(values)))
    return scale * float(np.sqrt(values.size * _variance(values / scale, 0.0)))
