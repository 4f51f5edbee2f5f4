"""The summaries of arrays that a recording keeps: the rows of ``stats``, but for the tensor.

Figures are over the finite elements, counts over all; complex numbers are summarised by their sizes, and text has no
summary. Each figure and each bin of the histogram is of all elements, with double precision: nothing is sampled.

An array is read twice, for its ends and then piece by piece for all the rest, with the piece in the processor's cache.
Arrays of a few elements would be slow one by one, so they are laid behind each other and summarised together. Those of
one piece are read one by one, but what is left to do with each one's few sums is done for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, isfinite, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = ["BINS", "FIGURES", "LANES", "TABLE", "Summaries", "summaries", "summary"]

BINS: Final = 32
FIGURES: Final = (
    "min", "max", "mean", "std", "norm", "nan", "posinf", "neginf", "zero", "negative", "bad",
)  # fmt: skip

LANES: Final = 4
TABLE: Final = 64
"""What a counter fills in: of each lane a table of bins, then of each how many are 0, then how many are negative."""

_SMALL: Final = 2048  # elements, up to which arrays are summarised together
_TOGETHER: Final = 1 << 16  # elements laid behind each other at most, in doubles half a megabyte
_PIECE: Final = 1 << 15  # elements of a large array at a time
_ROW: Final = 1 << 13  # elements of a dot product: for many more BLAS would wake its threads
_COUNTED: Final = 1 << 17  # elements whose bins are counted at a time
_NARROW: Final = 1e-300  # a width that cannot be divided into bins
_SPREAD: Final = 1e-4  # of the mean square at least, for the variance to be told from the two sums
_TABLES: Final = 64  # arrays of one piece whose counts of pairs of bins, 9 KB each, wait to be added up
_PAIRS: Final = (BINS + 1) ** 2
_SIGNS: Final = [FIGURES.index("zero"), FIGURES.index("negative")]
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


def summaries(arrays: Sequence[np.ndarray], counter: Callable[..., Any] | None = None) -> Summaries:
    """Summaries of these arrays, which are on the host.

    A counter, if there is one, counts elements by bins faster than NumPy does, and the same. It is called with finite
    elements of type float32 that lie side by side, with the least one and the bins a unit as an array of two doubles,
    and with what it adds to: ``LANES * (TABLE + 2)`` integers. It leaves out elements after the last multiple of
    ``LANES``.
    """
    count = len(arrays)
    found = Summaries(np.empty((count, len(FIGURES))), np.zeros((count, BINS), "<u4"), np.ones(count, bool))
    found.figures[:] = (*[np.nan] * 4, *[0.0] * 6, -1.0)
    small: list[int] = []
    medium: list[int] = []
    countable: list[int] = []
    scratch = _Scratch()
    with np.errstate(all="ignore"):
        for at, array in enumerate(arrays):
            kind = array.dtype.kind
            if kind not in "fiubc" and not (kind == "V" and array.dtype.name == "bfloat16"):  # unknown to NumPy itself
                found.known[at] = False
            elif array.size > _PIECE:
                if counter is not None and _is_countable(array):
                    _counted([at], arrays, counter, scratch, found)
                else:
                    _large(array, scratch, found.figures[at], found.histograms[at])
            elif array.size > _SMALL:
                (countable if counter is not None and _is_countable(array) else medium).append(at)
            elif array.size:
                small.append(at)
        for together in _groups(small, arrays):
            _small([arrays[at] for at in together], np.array(together), found)
        for start in range(0, len(medium), _TABLES):
            _medium(medium[start : start + _TABLES], arrays, scratch, found)
        if counter is not None and countable:
            _counted(countable, arrays, counter, scratch, found)
    return found


class _Scratch:
    """Room for one piece of an array, used again and again while it is in the cache."""

    def __init__(self) -> None:
        self.numbers = np.empty(_PIECE)
        self.flags = np.empty(_PIECE, bool)
        self.bins = np.empty(_COUNTED, np.uint8)
        self.pairs = np.empty(_COUNTED // 2, np.uint16)
        self.line = np.empty(2)


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


# Arrays of one piece.


def _medium(places: list[int], arrays: Sequence[np.ndarray], scratch: _Scratch, found: Summaries) -> None:
    """Fill in the rows of arrays that are too large to be laid behind each other and fit into one piece."""
    tables = np.empty((len(places), _PAIRS), np.intp)
    odd: list[tuple[int, int]] = []  # of arrays of an odd number of elements the last one's bin
    sums: list[tuple[float, ...]] = []
    rows: list[int] = []
    for at in places:
        values = _flat(arrays[at])
        low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
        bins = scratch.bins[: values.size]
        square, total, zero, negative = _piece(values, low, _bins_a_unit(low, high), scratch, bins)
        if not isfinite(square):
            _unusual(_ordered(arrays[at]), found.figures[at], found.histograms[at])
            continue
        mean, std = _moments(values, square, total)
        tables[len(rows)] = _pairs(bins, scratch)
        if values.size & 1:
            odd.append((len(rows), int(bins[-1])))
        rows.append(at)
        sums.append((low, high, mean, std, sqrt(square), 0.0, 0.0, 0.0, zero, negative, -1.0))
    if rows:
        counts = _of_pairs(tables[: len(rows)])
        for row, last in odd:
            counts[row, min(last, BINS - 1)] += 1
        found.figures[rows] = sums
        found.histograms[rows] = counts


def _flat(array: np.ndarray) -> np.ndarray:
    """The elements, complex ones by their sizes, in the order of memory: seldom a copy."""
    values = (np.abs(array) if array.dtype.kind == "c" else array).ravel("K")
    return values.astype(np.float32) if values.dtype.kind == "V" else values  # bfloat16: NumPy knows no order of it


def _ordered(array: np.ndarray) -> np.ndarray:
    """The elements, complex ones by their sizes, as doubles in the order of the axes."""
    return (np.abs(array) if array.dtype.kind == "c" else array).ravel().astype(np.float64)


def _bins_a_unit(low: float, high: float) -> float:
    """Bins for each unit; 0 where all elements go into the first one."""
    width = high - low
    return BINS / width if _NARROW < width < inf else 0.0


def _piece(
    values: np.ndarray, low: float, scale: float, scratch: _Scratch, bins: np.ndarray
) -> tuple[float, float, int, int]:
    """The sum of the squares and of the elements; how many are 0 and negative. The bin of each goes into ``bins``.

    Bins mean nothing if the sum of the squares is not finite.
    """
    square, total = _two_sums(values, scratch)
    numbers, flags = scratch.numbers[: values.size], scratch.flags[: values.size]
    zero = negative = 0
    if low <= 0:
        zero = int(np.count_nonzero(np.equal(values, 0, out=flags)))
    if low < 0:
        negative = int(np.count_nonzero(np.less(values, 0, out=flags)))
    np.subtract(numbers, low, out=numbers)
    np.multiply(numbers, scale, out=numbers)
    np.copyto(bins, numbers, casting="unsafe")
    return square, total, zero, negative


def _two_sums(values: np.ndarray, scratch: _Scratch) -> tuple[float, float]:
    """The sum of the squares and of the elements, which are left as doubles in the scratch."""
    numbers = scratch.numbers[: values.size]
    np.copyto(numbers, values, casting="unsafe")
    return _dot(numbers, numbers), _dot(numbers, _ONES[: values.size])


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """The dot product of two pieces, by rows."""
    if a.size <= _ROW:
        return float(np.dot(a, b))
    whole = a.size - a.size % _ROW
    rows: list[float] = np.vecdot(a[:whole].reshape(-1, _ROW), b[:whole].reshape(-1, _ROW)).tolist()
    return sum(rows) + float(np.dot(a[whole:], b[whole:])) if whole < a.size else sum(rows)


def _moments(values: np.ndarray, square: float, total: float) -> tuple[float, float]:
    """The mean and the standard deviation."""
    mean = total / values.size
    variance = square / values.size - mean * mean
    if variance <= _SPREAD * square / values.size:  # both are nearly the same, so what is left of them is rounding
        variance = _variance(values, mean)
    return mean, sqrt(variance)


def _pairs(bins: np.ndarray, scratch: _Scratch) -> np.ndarray:
    """How often each pair of bins comes, of which there are half as many. The last one of an odd number is left out."""
    half = bins.size // 2
    pairs = np.multiply(bins[:half], BINS + 1, out=scratch.pairs[:half], dtype=np.uint16)
    np.add(pairs, bins[half : 2 * half], out=pairs)
    return np.bincount(pairs, minlength=_PAIRS)


def _of_pairs(tables: np.ndarray) -> np.ndarray:
    """How often each bin comes in each of these tables of pairs."""
    found = tables.reshape(-1, BINS + 1, BINS + 1)
    counts: np.ndarray = found.sum(axis=1) + found.sum(axis=2)
    counts[:, BINS - 1] += counts[:, BINS]  # the largest element lies at the end of the last bin
    return counts[:, :BINS]


# A large array, in pieces.


def _large(array: np.ndarray, scratch: _Scratch, figures: np.ndarray, histogram: np.ndarray) -> None:
    """Fill in the row of a large array."""
    values = _flat(array)
    low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
    scale = _bins_a_unit(low, high)
    square, total, zero, negative = 0.0, 0.0, 0, 0
    table = np.zeros(_PAIRS, np.intp)
    for start in range(0, values.size, _COUNTED):
        part = values[start : start + _COUNTED]
        for begin in range(0, part.size, _PIECE):
            piece = part[begin : begin + _PIECE]
            more = _piece(piece, low, scale, scratch, scratch.bins[begin : begin + piece.size])
            square, total, zero, negative = square + more[0], total + more[1], zero + more[2], negative + more[3]
        if not isfinite(square):
            _unusual(_ordered(array), figures, histogram)
            return
        table += _pairs(scratch.bins[: part.size], scratch)
    counts = _of_pairs(table)[0]
    if values.size & 1:
        counts[min(int(scratch.bins[part.size - 1]), BINS - 1)] += 1
    mean, std = _moments(values, square, total)
    figures[:] = (low, high, mean, std, sqrt(square), 0.0, 0.0, 0.0, zero, negative, -1.0)
    histogram[:] = counts


# Arrays that a counter reads.


def _is_countable(array: np.ndarray) -> bool:
    """Whether the elements are of the one type that a counter reads; those of another order of bytes are not."""
    return array.dtype == np.float32 and array.flags.aligned


def _counted(
    places: list[int], arrays: Sequence[np.ndarray], counter: Callable[..., Any], scratch: _Scratch, found: Summaries
) -> None:
    """Fill in the rows of arrays of float32 with the help of a counter."""
    tables = np.zeros((len(places), LANES * (TABLE + 2)), np.int64)
    rows: list[int] = []
    sums: list[tuple[float, ...]] = []
    for at in places:
        values = np.ascontiguousarray(_flat(arrays[at]))
        low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
        if not (isfinite(low) and isfinite(high)):
            _unusual(_ordered(arrays[at]), found.figures[at], found.histograms[at])
            continue
        scale = _bins_a_unit(low, high)
        square = total = 0.0
        for begin in range(0, values.size, _PIECE):
            more = _two_sums(piece := values[begin : begin + _PIECE], scratch)
            square, total = square + more[0], total + more[1]
            _count(piece, low, scale, counter, scratch.line, tables[len(rows)])
        mean, std = _moments(values, square, total)
        rows.append(at)
        sums.append((low, high, mean, std, sqrt(square), 0.0, 0.0, 0.0, 0.0, 0.0, -1.0))
    if rows:
        lanes = tables[: len(rows)]
        counts = lanes[:, : LANES * TABLE].reshape(-1, LANES, TABLE).sum(axis=1)
        counts[:, BINS - 1] += counts[:, BINS]  # the largest element lies at the end of the last bin
        found.figures[rows] = sums
        found.figures[np.array(rows)[:, None], _SIGNS] = lanes[:, LANES * TABLE :].reshape(-1, 2, LANES).sum(axis=2)
        found.histograms[rows] = counts[:, :BINS]


def _count(
    piece: np.ndarray, low: float, scale: float, counter: Callable[..., Any], line: np.ndarray, table: np.ndarray
) -> None:
    """Count the elements of a piece, which are finite."""
    line[:] = low, scale
    counter(piece, line, table)
    for value in piece[piece.size - piece.size % LANES :].tolist():
        table[int((value - low) * scale)] += 1
        table[LANES * TABLE] += value == 0
        table[LANES * (TABLE + 1)] += value < 0


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
