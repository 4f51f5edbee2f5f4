"""Convolutions and their gradients straight from the image, where there is a compiler and enough to compute.

No row of a window is copied: a row of windows is computed a tile at a time (`tapeviz/native/product_tiles.py`), and
rows go to all cores. Rows, taps and residues are lists of distances in elements, so that one function serves any number
of axes, strides, holes and groups.

Where rows are cut into jobs follows from shapes; each result is one chain of products, those of the filters one for
each job, added up in the order of jobs. So results are the same to the bit on any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final

import numpy as np

from tapeviz.backends.blocks import run_blocks
from tapeviz.backends.tiled_products import TYPES, address, laid_out, listed
from tapeviz.native.product_tiles import are_possible, gathering, share, sliding, tile_of
from tapeviz.ops.nn.windows import padded

__all__ = ["convolve", "convolve_back_to_filters", "convolve_back_to_input", "is_direct"]

_WORTHWHILE: Final = 1 << 21  # products, for which BLAS takes as long as it takes to begin on several threads
_JOB: Final = 1 << 23  # products, some 60 us
_MOST_JOBS: Final = 64
_FEW_JOBS: Final = 8
_PARTIAL_BYTES: Final = 1 << 21  # of what jobs make of the filters' gradient, before it is added up
_BUSY: Final = 6  # vectors of a tile from which on additions need not wait for one another

Sizes = Sequence[int]


def is_direct(xp: Any, dtype: Any, windows: Sizes, filter_sizes: Sizes, results: int, examples: int) -> bool:
    """Whether so many windows of examples times a filter are computed here.

    ``results`` is how many numbers next to each other belong to one group.
    """
    if xp is not np or dtype not in TYPES:
        return False
    if examples * math.prod(windows) * math.prod(filter_sizes) < _WORTHWHILE or not are_possible():
        return False
    tile = tile_of(dtype.itemsize, results)
    return 4 * results >= tile.lanes and tile.width * min(windows[-1], tile.places) >= _BUSY


@lru_cache(maxsize=128)
def _distances(counts: tuple[int, ...], steps: tuple[int, ...]) -> np.ndarray:
    """Where the elements of a grid lie, one after the other."""
    total = np.zeros((1,) * len(counts), np.int64)
    for axis, (count, step) in enumerate(zip(counts, steps, strict=True)):
        shape = [1] * len(counts)
        shape[axis] = count
        total = total + step * np.arange(count).reshape(shape)
    return np.ascontiguousarray(np.broadcast_to(total, counts).reshape(-1))


def _pitches(shape: Sizes) -> list[int]:
    """How far apart neighbours along each axis are, in elements of an array that lies row by row."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _cut(count: int, products: int) -> list[slice]:
    """So many rows in jobs."""
    jobs = max(1, min(count, products // _JOB, _MOST_JOBS))
    step = -(-count // jobs)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def _taps(kernel: Sizes, dilations: Sizes, pitches: Sizes, inputs: int, *, joined: bool) -> tuple[np.ndarray, int]:
    """Where the pieces of a window lie, and how many elements next to each other a piece has."""
    steps = tuple(dilation * pitch for dilation, pitch in zip(dilations, pitches, strict=True))
    if joined and dilations[-1] == 1:  # along the last axis a window has its elements next to each other
        return _distances((1, *kernel[:-1]), (0, *steps[:-1])), kernel[-1] * inputs
    return _distances(tuple(kernel), steps), inputs


def convolve(x: Any, filters: Any, windows: Sizes, strides: Sizes, dilations: Sizes) -> Any:
    """Each window of an image that has its padding already, times the filter."""
    kernel, (inputs, outputs) = filters.shape[:-2], filters.shape[-2:]
    groups = x.shape[-1] // inputs
    y = np.empty((len(x), *windows, outputs), x.dtype)
    pitches, own = _pitches(x.shape), _pitches(y.shape)
    taps, length = _taps(kernel, dilations, pitches[1:-1], inputs, joined=groups == 1)
    moves = tuple(stride * pitch for stride, pitch in zip(strides, pitches[1:-1], strict=True))
    counts = (len(x), *windows[:-1])
    rows = _distances(counts, (pitches[0], *moves[:-1])), _distances(counts, tuple(own[:-2]))
    results = outputs // groups
    w = filters.reshape(len(taps), length, groups, results)
    _slide(
        [(x, inputs * group, w[:, :, group], results * group, rows) for group in range(groups)],
        y, (taps, length), moves[-1], outputs, windows[-1],
    )  # fmt: skip
    return y


def _slide(pieces: list[Any], y: Any, taps: tuple[Any, int], step: int, y_step: int, windows: int) -> None:
    """Write into ``y`` rows of windows times filters.

    A piece is an image, where in it to begin, filters as (taps, elements of a tap, results), where in ``y`` to begin,
    and the rows of both.
    """
    results = pieces[0][2].shape[-1]
    tile = tile_of(y.itemsize, results)
    places, many, few = share(windows, tile.places)
    call = sliding(tile, places, masked=results % tile.elements > 0)
    distances, length = taps
    count = len(pieces[0][-1][0])
    products = count * windows * len(distances) * length * results * len(pieces)
    matrices = [laid_out(piece[2], tile.elements) for piece in pieces]
    lists = [
        listed(
            address(w), address(y, target), *map(address, rows), many, few,
            address(distances), len(distances), length, step, y_step, results,
        )
        for (_, _, _, target, rows), w in zip(pieces, matrices, strict=True)
    ]  # fmt: skip
    given = [(address(same), address(x, first)) for same, (x, first, *_) in zip(lists, pieces, strict=True)]

    def work(job: slice) -> None:
        for same, x in given:
            call(same, x, job.start, job.stop - job.start)

    run_blocks(work, _cut(count, products))


def convolve_back_to_filters(
    x: Any, upstream: Any, filter_sizes: Sizes, windows: Sizes, strides: Sizes, dilations: Sizes
) -> Any:
    """Windows of an image that has its padding already, times what came back for them."""
    kernel, (inputs, outputs) = filter_sizes[:-2], filter_sizes[-2:]
    groups = x.shape[-1] // inputs
    results = outputs // groups
    g = np.ascontiguousarray(upstream)
    pitches, own = _pitches(x.shape), _pitches(g.shape)
    taps, length = _taps(kernel, dilations, pitches[1:-1], inputs, joined=groups == 1)
    moves = tuple(stride * pitch for stride, pitch in zip(strides, pitches[1:-1], strict=True))
    counts = (len(x), *windows[:-1])
    x_rows, g_rows = _distances(counts, (pitches[0], *moves[:-1])), _distances(counts, tuple(own[:-2]))
    tile = tile_of(x.itemsize, results)
    places, many, few = share(length, tile.places)
    call = gathering(tile, places, masked=results % tile.elements > 0)
    cuts, pieces = _gathered(len(x_rows), len(taps), x.itemsize * math.prod(filter_sizes), g.size * length * len(taps))
    parts = np.empty((len(cuts), *filter_sizes), x.dtype)
    jobs = [(number, cut, piece) for number, cut in enumerate(cuts) for piece in pieces]
    lists = [
        listed(
            address(x, group * inputs), address(g, group * results), address(x_rows), address(g_rows), many, few,
            address(taps), length, windows[-1], moves[-1], own[-2], outputs, results,
        )
        for group in range(groups)
    ]  # fmt: skip
    addresses, begin, size = list(map(address, lists)), address(parts), parts[0].nbytes

    def work(at: slice) -> None:
        number, cut, piece = jobs[at.start]
        for group, same in enumerate(addresses):
            y = begin + number * size + group * results * parts.itemsize
            call(same, y, cut.start, cut.stop - cut.start, piece.start, piece.stop)

    run_blocks(work, [slice(at, at + 1) for at in range(len(jobs))])
    return parts[0] if len(parts) == 1 else np.add.reduce(parts, axis=0)


def _gathered(rows: int, taps: int, nbytes: int, products: int) -> tuple[list[slice], list[slice]]:
    """In which rows and which taps the gradient of filters is computed: few large partial gradients, some jobs."""
    most = max(1, min(rows, products // _JOB, _MOST_JOBS))
    jobs = min(most, max(1, _PARTIAL_BYTES // nbytes))
    step = -(-rows // jobs)
    cuts = [slice(start, min(start + step, rows)) for start in range(0, rows, step)]
    single = taps if len(cuts) < min(most, _FEW_JOBS) else 1
    return cuts, [slice(start, start + taps // single) for start in range(0, taps, taps // single)]


def convolve_back_to_input(
    filters: Any, upstream: Any, input_sizes: Sizes, pads: Any, strides: Sizes, dilations: Sizes
) -> Any:
    """What came back times the filter, added where windows overlap.

    Elements whose distances are multiples of the stride belong to the same elements of the filter: for them this is a
    convolution of what came back. There is one for each residue along each axis.
    """
    sizes = input_sizes[1:-1]
    axes = [
        _residues(*each)
        for each in zip(filters.shape, sizes, upstream.shape[1:-1], pads, strides, dilations, strict=False)
    ]
    around = [_margins(residues, count) for residues, count in zip(axes, upstream.shape[1:-1], strict=True)]
    g = padded(np, upstream, around)
    chosen = [residues for residues in product(*axes) if all(residue.count for residue in residues)]
    complete = all(residue.positions for residues in chosen for residue in residues)
    x = (np.empty if complete else np.zeros)(tuple(input_sizes), filters.dtype)
    for residues in chosen:
        if all(residue.positions for residue in residues):
            _slide_back(x, g, filters, residues, [before for before, _ in around], strides, dilations)
    return x


class _Residue:
    """Along one axis: elements a stride apart, and which elements of the filter reach them from where, in order."""

    def __init__(self, number: int, kernel: int, size: int, before: int, stride: int, dilation: int) -> None:
        self.positions = [at for at in reversed(range(kernel)) if (at * dilation - number) % stride == 0]
        self.shifts = [(at * dilation - number) // stride for at in self.positions]
        self.begin = -((number - before) // stride)
        self.count = max(0, -((number - before - size) // stride) - self.begin)
        self.first = stride * self.begin + number - before


def _residues(
    kernel: int, size: int, _windows: int, pads: tuple[int, int], stride: int, dilation: int
) -> list[_Residue]:
    return [_Residue(number, kernel, size, pads[0], stride, dilation) for number in range(stride)]


def _margins(residues: list[_Residue], count: int) -> tuple[int, int]:
    """How much must lie around what came back so that no window reaches out of it."""
    reached = [(residue, shift) for residue in residues if residue.count for shift in residue.shifts]
    before = max((shift - residue.begin for residue, shift in reached), default=0)
    after = max((residue.begin + residue.count - shift - count for residue, shift in reached), default=0)
    return max(0, before), max(0, after)


def _slide_back(
    x: Any, g: Any, filters: Any, residues: Sequence[_Residue], before: Sizes, strides: Sizes, dilations: Sizes
) -> None:
    inputs, outputs = filters.shape[-2:]
    groups = x.shape[-1] // inputs
    results = outputs // groups
    chosen = filters[np.ix_(*[residue.positions for residue in residues])].reshape(-1, inputs, groups, results)
    pitches, own = _pitches(g.shape), _pitches(x.shape)
    taps = np.zeros(1, np.int64)
    for residue, pitch in zip(residues, pitches[1:-1], strict=True):
        taps = (taps[:, None] - pitch * np.array(residue.shifts)).reshape(-1)
    # Neighbours along the last axis are next to each other in memory: they are one tap.
    joined = len(residues[-1].shifts) if groups == 1 and dilations[-1] == 1 else 1
    starts = [residue.begin + margin for residue, margin in zip(residues, before, strict=True)]
    first = sum(start * pitch for start, pitch in zip(starts, pitches[1:-1], strict=True))
    target = sum(residue.first * pitch for residue, pitch in zip(residues, own[1:-1], strict=True))
    counts = (len(x), *(residue.count for residue in residues[:-1]))
    moves = tuple(stride * pitch for stride, pitch in zip(strides, own[1:-1], strict=True))
    rows = _distances(counts, tuple(pitches[:-2])), _distances(counts, (own[0], *moves[:-1]))
    matrices = [chosen[:, :, group].swapaxes(1, 2) for group in range(groups)]
    _slide(
        [(g, first + group * results, w, target + group * inputs, rows) for group, w in enumerate(matrices)],
        x, (taps[::joined].copy(), joined * results), pitches[-2], moves[-1], residues[-1].count,
    )  # fmt: skip
