"""The summaries of arrays that a recording keeps: the rows of ``stats``, but for the tensor.

Figures are over the finite elements, counts over all; complex numbers are summarised by their sizes, and text has no
summary. Each figure and each bin of the histogram is of all elements, with double precision: nothing is sampled.

Counts, ends and bins are exact. Sums are rounded, in an order that is defined, so that a figure is the same to the bit
on every machine, alone or beside other arrays, by NumPy or in machine code (``tapeviz.recorder.statistics_kernel``):

- The elements are taken as doubles, in the order in which they lie in memory; those that are not finite as 0.
- Each ``BLOCK`` of them is summed for itself: element i goes to lane i mod ``LANES``, and the lanes, each summed in
  order, are added up in halves, the second to the first, until there is one. The sums of blocks are added in order.
- The mean is the sum by the number; the variance the mean square less the square of the mean. Where that is less than
  ``SPREAD`` of the mean square, it is the mean square of the elements less the mean. Equal elements are their own mean.

With NumPy an array is read twice, for its ends and then piece by piece for all the rest, with the piece in the
processor's cache. Arrays of a few elements would be slow one by one, so they are laid behind each other and summarised
together. Of larger ones what is left to do with the few sums of each is done for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import inf, isfinite, sqrt
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = [
    "BINS",
    "BLOCK",
    "FIGURES",
    "LANES",
    "NARROW",
    "SPREAD",
    "Kernel",
    "Summaries",
    "has_numbers",
    "summaries",
    "summary",
]

BINS: Final = 32
FIGURES: Final = (
    "min", "max", "mean", "std", "norm", "nan", "posinf", "neginf", "zero", "negative", "bad",
)  # fmt: skip

BLOCK: Final = 1 << 15
"""Elements that are summed for themselves."""
LANES: Final = 256
"""Sums that a block has."""
SPREAD: Final = 1e-4
"""The share of the mean square from which on the variance can be told from the two sums."""
NARROW: Final = 1e-300
"""A width up to which elements cannot be divided into bins: all are in the first one."""

_SMALL: Final = 512  # elements, up to which arrays are summarised together
_TOGETHER: Final = 1 << 16  # elements laid behind each other at most, in doubles half a megabyte
_COUNTED: Final = 4 * BLOCK  # elements whose bins are counted at a time
_TABLES: Final = 64  # arrays whose counts of pairs of bins, 9 KB each, wait to be added up
_PAIRS: Final = (BINS + 1) ** 2
_BAD: Final = FIGURES.index("bad")


class Summaries(NamedTuple):
    """Summaries of several arrays."""

    figures: np.ndarray
    """A row an array, with the columns of :data:`FIGURES`."""
    histograms: np.ndarray
    """A row of ``BINS`` counts an array."""
    known: np.ndarray
    """Whether an array has a summary."""


Kernel = Callable[[Sequence[np.ndarray], np.ndarray, np.ndarray], np.ndarray]
"""Summarises arrays that lie row by row faster than NumPy, and the same.

It is called with arrays and with rows of figures and of counts, which are those of empty arrays and which it fills in.
It gives an array that is 0 where it has done so, 1 where the array is not of a kind that it reads (those of float32 and
float64 are), and more where it cannot tell.
"""


def summary(array: np.ndarray) -> dict[str, Any]:
    """The columns of one array's row of ``stats``; an empty dict for text."""
    found = summaries([array])
    if not found.known[0]:
        return {}
    figures = dict(zip(FIGURES, found.figures[0].tolist(), strict=True))
    return {**figures, "histogram": found.histograms[0].tobytes()}


def summaries(arrays: Sequence[np.ndarray], kernel: Kernel | None = None) -> Summaries:
    """Summaries of these arrays, which are on the host."""
    found = _blank(len(arrays))
    indices: Sequence[int] = range(len(arrays))
    with np.errstate(all="ignore"):
        if kernel is not None and arrays:
            indices = _by_kernel(arrays, kernel, found)
        _by_numpy(arrays, indices, found)
    return found


def _blank(count: int) -> Summaries:
    """Those of arrays without elements."""
    found = Summaries(np.empty((count, len(FIGURES))), np.zeros((count, BINS), "<u4"), np.ones(count, bool))
    found.figures[:] = (*[np.nan] * 4, *[0.0] * 6, -1.0)
    return found


def _by_kernel(arrays: Sequence[np.ndarray], kernel: Kernel, found: Summaries) -> list[int]:
    """Fill in rows with the help of a kernel; the indices of those that it leaves."""
    outcomes = kernel(arrays, found.figures, found.histograms)
    left = np.flatnonzero(outcomes).tolist()
    others = [at for at in left if outcomes[at] == 1 and arrays[at].size and has_numbers(arrays[at].dtype)]
    if others:
        lines = [_line(arrays[at]) for at in others]
        figures, histograms, _ = _blank(len(lines))
        done = kernel(lines, figures, histograms) == 0
        rows = np.array(others)[done]
        found.figures[rows], found.histograms[rows] = figures[done], histograms[done]
        for at in rows[figures[done, _BAD] >= 0].tolist():
            found.figures[at, _BAD] = _first_bad(arrays[at])
        left = sorted({*left}.difference(rows.tolist()))
    return left


def _by_numpy(arrays: Sequence[np.ndarray], indices: Sequence[int], found: Summaries) -> None:
    """Fill in the rows of these."""
    small: list[int] = []
    large: list[int] = []
    for at in indices:
        if not has_numbers(arrays[at].dtype):
            found.known[at] = False
        elif arrays[at].size:
            (large if arrays[at].size > _SMALL else small).append(at)
    for together in _groups(small, arrays):
        _small([arrays[at] for at in together], np.array(together), found)
    scratch = _Scratch()
    for start in range(0, len(large), _TABLES):
        _large(large[start : start + _TABLES], arrays, scratch, found)


class _Scratch:
    """Room for one piece of an array, used again and again while it is in the cache."""

    def __init__(self) -> None:
        self.numbers = np.empty(BLOCK)
        self.squares = np.empty(BLOCK)
        self.flags = np.empty(BLOCK, bool)
        self.bins = np.empty(_COUNTED, np.uint8)
        self.pairs = np.empty(_COUNTED // 2, np.uint16)


def has_numbers(dtype: np.dtype) -> bool:
    """Whether arrays of a dtype hold numbers, not strings, objects or the lists of a graph."""
    return dtype.kind in "fiubc" or (dtype.kind == "V" and dtype.name == "bfloat16")  # unknown to NumPy itself


def _flat(array: np.ndarray) -> np.ndarray:
    """The elements, complex ones by their sizes, in the order of memory: seldom a copy."""
    values = (np.abs(array) if array.dtype.kind == "c" else array).ravel("K")
    return values.astype(np.float32) if values.dtype.kind == "V" else values  # bfloat16: NumPy knows no order of it


def _line(array: np.ndarray) -> np.ndarray:
    """The same as an array that a kernel reads, of float32 if that has them all."""
    values = _flat(array)
    narrow = values.dtype.kind == "f" and values.itemsize <= np.dtype(np.float32).itemsize
    return np.require(values, np.float32 if narrow else np.float64, ["C", "A"])


def _first_bad(array: np.ndarray) -> int:
    """Where the first element is that is not finite, in the order of the axes."""
    values = array.astype(np.float32) if array.dtype.kind == "V" else array
    return int(np.argmin(np.isfinite(values).ravel()))


def _scale(low: float, high: float) -> float:
    """Bins for each unit; 0 where all elements go into the first one."""
    width = high - low
    return BINS / width if NARROW < width < inf else 0.0


def _scales(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The same for several arrays."""
    width = high - low
    scales: np.ndarray = np.divide(BINS, width, out=np.zeros_like(width), where=(width > NARROW) & (width < np.inf))
    return scales


# Sums.


def _lanes(numbers: np.ndarray, lanes: np.ndarray) -> None:
    """Sum a block, or less, of doubles into lanes."""
    whole = numbers.size // LANES * LANES
    np.add.reduce(numbers[:whole].reshape(-1, LANES), axis=0, out=lanes)
    lanes[: numbers.size - whole] += numbers[whole:]


def _halved(lanes: np.ndarray) -> np.ndarray:
    """Lanes along the last axis, which are a power of two, added up in halves."""
    while (width := lanes.shape[-1] // 2) > 0:
        lanes = lanes[..., :width] + lanes[..., width:]
    return lanes[..., 0]


def _in_order(sums: np.ndarray) -> np.ndarray:
    """The sums of blocks along the first axis, one added to the next."""
    total: np.ndarray = np.add.accumulate(sums, axis=0)[-1]
    return total


def _moments(low: Any, high: Any, total: Any, square: Any, count: Any) -> tuple[Any, Any, Any]:
    """The mean and the variance, and where the variance has to be summed up once more."""
    equal = low == high
    mean = np.where(equal, low, total / count)
    mean_square = square / count
    variance = mean_square - mean * mean
    return mean, np.where(equal, 0.0, variance), ~equal & (variance <= mean_square * SPREAD)


def _spread(values: np.ndarray, mean: float) -> float:
    """The sum of the squares of what is left of the elements without the mean; of those that are finite."""
    total = 0.0
    lanes = np.empty(LANES)
    for begin in range(0, values.size, BLOCK):
        piece = values[begin : begin + BLOCK].astype(np.float64)
        centred = piece - mean
        centred[~np.isfinite(piece)] = 0.0
        _lanes(np.multiply(centred, centred, out=centred), lanes)
        total += float(_halved(lanes))
    return total


# Small arrays, many at once.


def _groups(indices: list[int], arrays: Sequence[np.ndarray]) -> Iterator[list[int]]:
    """So many at a time that they fit into the cache together."""
    group: list[int] = []
    size = 0
    for at in indices:
        if size + arrays[at].size > _TOGETHER:
            yield group
            group, size = [], 0
        group.append(at)
        size += arrays[at].size
    if group:
        yield group


def _small(arrays: list[np.ndarray], rows: np.ndarray, found: Summaries) -> None:
    """Fill in the rows of small arrays, none of which is empty."""
    flat = [_flat(array) for array in arrays]
    sizes = np.fromiter(map(len, flat), np.intp, len(flat))
    starts = np.cumsum(sizes) - sizes
    values = np.concatenate(flat, dtype=np.float64, casting="unsafe")
    finite = np.isfinite(np.add.reduceat(values * values, starts))
    if not finite.all():  # the others are rare, and dealt with one by one
        for at in np.flatnonzero(~finite).tolist():
            _unusual(arrays[at], found.figures[rows[at]], found.histograms[rows[at]])
            values[starts[at] : starts[at] + sizes[at]] = 0.0
    rows = rows[finite]
    columns = _columns(values, starts, sizes)
    found.figures[rows] = columns.figures[finite]
    found.histograms[rows] = columns.histograms[finite]


def _columns(values: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> Summaries:
    """The rows of arrays that lie behind each other, whose elements are all finite."""
    count, owner = len(sizes), np.repeat(np.arange(len(sizes)), sizes)
    low, high = np.minimum.reduceat(values, starts) + 0.0, np.maximum.reduceat(values, starts) + 0.0
    square, total = _sums_of_each(np.stack([values * values, values]), starts, sizes)
    mean, variance, again = _moments(low, high, total, square, sizes)
    if again.any():
        centred = values - mean[owner]
        squares = np.multiply(centred, centred, out=centred)
        variance = np.where(again, _sums_of_each(squares[None], starts, sizes)[0] / sizes, variance)
    zero = np.add.reduceat(np.equal(values, 0), starts, dtype=np.intp)
    negative = np.add.reduceat(np.less(values, 0), starts, dtype=np.intp)
    bins = np.minimum(((values - low[owner]) * _scales(low, high)[owner]).astype(np.intp), BINS - 1)
    counts = np.bincount(bins + BINS * owner, minlength=BINS * count).reshape(count, BINS)
    none = np.zeros(count)
    columns = [low, high, mean, np.sqrt(variance), np.sqrt(square), none, none, none, zero, negative, none - 1]
    return Summaries(np.stack(columns, axis=1), counts.astype("<u4"), np.ones(count, bool))


def _sums_of_each(values: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The sums of arrays that lie behind each other, none of more than a block, for each row of values.

    They are laid out anew so that those which need as many lanes lie together. Up to ``LANES`` elements those are the
    least power of two, for a lane with nothing in it changes no sum.
    """
    _, exponents = np.frexp(np.maximum(sizes - 1, 0))
    widths = np.where(sizes <= LANES, 1 << exponents.astype(np.intp), -(-sizes // LANES) * LANES)
    order = np.argsort(widths, kind="stable")
    ends = np.cumsum(widths[order])
    shifts = np.empty(len(sizes), np.intp)
    shifts[order] = ends - widths[order] - starts[order]
    laid_out = np.zeros((len(values), ends[-1]))
    laid_out[:, np.arange(values.shape[1]) + np.repeat(shifts, sizes)] = values
    sums = np.empty((len(values), len(sizes)))
    kinds, first = np.unique(widths[order], return_index=True)
    for width, begin, end in zip(kinds.tolist(), first, [*first[1:], len(sizes)], strict=True):
        those = laid_out[:, ends[begin] - width : ends[end - 1]].reshape(
            len(values), end - begin, -1, min(width, LANES)
        )
        lanes = those[:, :, 0]
        for row in range(1, those.shape[2]):
            lanes = lanes + those[:, :, row]
        sums[:, order[begin:end]] = _halved(lanes)
    return sums + 0.0


# Larger ones, in pieces.


class _Measures(NamedTuple):
    """What reading one array has given."""

    at: int
    low: float
    high: float
    zero: int
    negative: int
    blocks: int
    last: int | None
    """Of an odd number of elements the last one's bin, which is in no pair."""


def _large(indices: Sequence[int], arrays: Sequence[np.ndarray], scratch: _Scratch, found: Summaries) -> None:
    """Fill in the rows of arrays that are too large to be laid behind each other."""
    tables = np.zeros((len(indices), _PAIRS), np.intp)
    lanes = np.empty((sum(-(-arrays[at].size // BLOCK) for at in indices), 2, LANES))
    read: list[_Measures] = []
    begin = 0
    for at in indices:
        values = _flat(arrays[at])
        low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
        if isfinite(low) and isfinite(high):
            read.append(_read(at, values, (low, high), scratch, lanes[begin:], tables[len(read)]))
            begin += read[-1].blocks
        else:
            _unusual(arrays[at], found.figures[at], found.histograms[at])
    if read:
        _fill_in(read, arrays, _halved(lanes[:begin]), tables, found)


def _read(
    at: int, values: np.ndarray, ends: tuple[float, float], scratch: _Scratch, lanes: np.ndarray, table: np.ndarray
) -> _Measures:
    """Read an array: for lanes of each block, first of squares, and a table of pairs of bins."""
    low, high = ends
    scale = _scale(low, high)
    zero = negative = block = 0
    for start in range(0, values.size, _COUNTED):
        part = values[start : start + _COUNTED]
        for begin in range(0, part.size, BLOCK):
            piece = part[begin : begin + BLOCK]
            numbers, flags = scratch.numbers[: piece.size], scratch.flags[: piece.size]
            np.copyto(numbers, piece, casting="unsafe")
            _lanes(numbers, lanes[block, 1])
            _lanes(np.multiply(numbers, numbers, out=scratch.squares[: piece.size]), lanes[block, 0])
            block += 1
            if low <= 0:
                zero += int(np.count_nonzero(np.equal(piece, 0, out=flags)))
            if low < 0:
                negative += int(np.count_nonzero(np.less(piece, 0, out=flags)))
            np.subtract(numbers, low, out=numbers)
            np.multiply(numbers, scale, out=numbers)
            np.copyto(scratch.bins[begin : begin + piece.size], numbers, casting="unsafe")
        table += _pairs(scratch.bins[: part.size], scratch)
    last = int(scratch.bins[part.size - 1]) if values.size & 1 else None
    return _Measures(at, low, high, zero, negative, block, last)


def _pairs(bins: np.ndarray, scratch: _Scratch) -> np.ndarray:
    """How often each pair of bins comes, of which there are half as many. The last one of an odd number is left out."""
    half = bins.size // 2
    pairs = np.multiply(bins[:half], BINS + 1, out=scratch.pairs[:half], dtype=np.uint16)
    np.add(pairs, bins[half : 2 * half], out=pairs)
    return np.bincount(pairs, minlength=_PAIRS)


def _fill_in(
    read: list[_Measures], arrays: Sequence[np.ndarray], sums: np.ndarray, tables: np.ndarray, found: Summaries
) -> None:
    """Fill in the rows of arrays that have been read: ``sums`` are those of their blocks."""
    counts = _of_pairs(tables[: len(read)])
    starts = np.cumsum([0, *(measures.blocks for measures in read)])
    each = [sums[begin] if end - begin == 1 else _in_order(sums[begin:end]) for begin, end in pairwise(starts)]
    square, total = np.stack(each, axis=1) + 0.0
    ends = np.array([(measures.low, measures.high) for measures in read]) + 0.0
    sizes = np.array([arrays[measures.at].size for measures in read])
    mean, variance, again = _moments(ends[:, 0], ends[:, 1], total, square, sizes)
    for row, (at, _, _, zero, negative, _, last) in enumerate(read):
        if not isfinite(square[row]):
            _unusual(arrays[at], found.figures[at], found.histograms[at])
            continue
        if last is not None:
            counts[row, min(last, BINS - 1)] += 1
        if again[row]:
            variance[row] = _spread(_flat(arrays[at]), float(mean[row])) / sizes[row]
        figures = (*ends[row], mean[row], sqrt(variance[row]), sqrt(square[row]), 0, 0, 0, zero, negative, -1)
        found.figures[at], found.histograms[at] = figures, counts[row]


def _of_pairs(tables: np.ndarray) -> np.ndarray:
    """How often each bin comes in each of these tables of pairs."""
    found = tables.reshape(-1, BINS + 1, BINS + 1)
    counts: np.ndarray = found.sum(axis=1) + found.sum(axis=2)
    counts[:, BINS - 1] += counts[:, BINS]  # the largest element lies at the end of the last bin
    return counts[:, :BINS]


# What has elements that are not finite, or whose squares are not.


def _unusual(array: np.ndarray, figures: np.ndarray, histogram: np.ndarray) -> None:
    """Fill in the row of an array whose elements, or their squares, are not all finite."""
    values = _flat(array).astype(np.float64)
    mask = np.isfinite(values)
    finite = values[mask]
    nan, above, below = (int(flags.sum()) for flags in (np.isnan(values), values == np.inf, values == -np.inf))
    zero = values.size - int(np.count_nonzero(values))
    bad = -1 if finite.size == values.size else _first_bad(array)
    norm = np.nan if nan else np.inf if above or below else _large_norm(values)
    figures[4:] = (norm, nan, above, below, zero, int(np.less(finite, 0).sum()), bad)
    if not finite.size:
        return
    low, high = float(np.minimum.reduce(finite)) + 0.0, float(np.maximum.reduce(finite)) + 0.0
    total, square = _two_sums(np.where(mask, values, 0.0))
    each = (np.float64(x) for x in (low, high, total, square, finite.size))
    mean, variance, again = (float(x) for x in _moments(*each))
    if again or not isfinite(square):
        variance = _spread(values, mean) / finite.size
    figures[:4] = (low, high, mean, sqrt(variance))
    if scale := _scale(low, high):
        bins = np.minimum(((finite - low) * scale).astype(np.intp), BINS - 1)
        histogram[:] = np.bincount(bins, minlength=BINS)
    else:
        histogram[0] = finite.size


def _two_sums(values: np.ndarray) -> tuple[float, float]:
    """The sum of doubles and of their squares."""
    lanes = np.empty((-(-values.size // BLOCK), 2, LANES))
    for block, begin in enumerate(range(0, values.size, BLOCK)):
        piece = values[begin : begin + BLOCK]
        _lanes(piece, lanes[block, 0])
        _lanes(piece * piece, lanes[block, 1])
    total, square = (_in_order(_halved(lanes)) + 0.0).tolist()
    return total, square


def _large_norm(values: np.ndarray) -> float:
    """The norm of numbers whose squares overflow."""
    scale = float(np.max(np.abs(values)))
    return scale * sqrt(_two_sums(values / scale)[1])
