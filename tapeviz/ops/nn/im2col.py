"""The windows of images as rows of matrices, a few examples at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import numpy as np

__all__ = ["examples_in_cache", "rows_of_windows"]

_CACHED_BYTES: Final = 1 << 20
_FEW_CHANNELS: Final = 4
# OpenBLAS multiplies matrices up to this many multiplications without laying them out anew before, which for a filter
# with few channels takes as long as the multiplications.
_SMALL_PRODUCT: Final = 1_000_000
_LEAST_ROWS: Final = 48


def examples_in_cache(windows: tuple[int, ...], row_bytes: int) -> int:
    """For how many examples the rows of all windows stay in the cache."""
    return max(1, _CACHED_BYTES // max(1, math.prod(windows) * row_bytes))


def rows_of_windows(
    xp: Any, x: Any, kernel: tuple[int, ...], windows: tuple[int, ...], strides: Any, dilations: Any, outputs: int
) -> Iterator[tuple[slice, list[Any]]]:
    """A few examples at a time: which ones, and stacks of matrices whose rows are windows.

    There is one stack for the whole filter, or one for each index along the filter's first axis; what a stack's rows
    times its part of the filter are belongs together by addition.
    """
    bands = xp is np and strides[0] == 1 and x.shape[-1] > _FEW_CHANNELS and kernel[0] > 1
    cut = _by_bands if bands else _whole
    return cut(xp, x, kernel, windows, strides, dilations, outputs)


def _view(
    xp: Any, x: Any, kernel: tuple[int, ...], windows: tuple[int, ...], strides: Any, dilations: Any, first: int
) -> Any:
    """Windows without a copy, along the axes from ``first`` on."""
    steps, between = x.strides, slice(1 + first, -1)
    apart = tuple(step * stride for step, stride in zip(steps[between], strides[first:], strict=True))
    holes = tuple(step * dilation for step, dilation in zip(steps[between], dilations[first:], strict=True))
    shape = (*x.shape[: 1 + first], *windows[first:], *kernel[first:], x.shape[-1])
    return xp.lib.stride_tricks.as_strided(x, shape, (*steps[: 1 + first], *apart, *holes, steps[-1]))


def _whole(
    xp: Any, x: Any, kernel: tuple[int, ...], windows: tuple[int, ...], strides: Any, dilations: Any, _outputs: int
) -> Iterator[tuple[slice, list[Any]]]:
    """One matrix: a row has all that its window has."""
    channels, count = x.shape[-1], len(windows)
    examples = examples_in_cache(windows, math.prod(kernel) * channels * x.dtype.itemsize)
    view = _view(xp, x, kernel, windows, strides, dilations, 0)
    for start in range(0, x.shape[0], examples):
        some = slice(start, start + examples)
        if channels > _FEW_CHANNELS:
            yield some, [xp.reshape(view[some], (-1, math.prod(kernel) * channels))]
        else:  # elements next to each other are few in a window, but many in all windows
            columns = xp.transpose(view[some], (*range(count + 1, 2 * count + 2), *range(count + 1)))
            yield some, [xp.swapaxes(xp.reshape(columns, (math.prod(kernel) * channels, -1)), 0, 1)]


def _by_bands(
    xp: Any, x: Any, kernel: tuple[int, ...], windows: tuple[int, ...], strides: Any, dilations: Any, outputs: int
) -> Iterator[tuple[slice, list[Any]]]:
    """A matrix for each index along the filter's first axis, all of them parts of one.

    Along that axis windows lie one below the other. So what they have there need not be copied for each: an element is
    copied as often as the filter is wide, not as often as it has elements.
    """
    length = math.prod(kernel[1:]) * x.shape[-1]
    below = math.prod(windows[1:])
    examples = examples_in_cache((x.shape[1], *windows[1:]), length * x.dtype.itemsize)
    pieces = _pieces(windows[0], below, length * outputs)
    view = _view(xp, x, kernel, windows, strides, dilations, 1)
    for start in range(0, x.shape[0], examples):
        some = slice(start, start + examples)
        part = view[some]
        rows = xp.reshape(part, (part.shape[0], x.shape[1] * below, length))
        shape = (part.shape[0], pieces, windows[0] // pieces * below, length)
        begins = [number * dilations[0] * below for number in range(kernel[0])]
        yield some, [xp.reshape(rows[:, begin : begin + windows[0] * below], shape) for begin in begins]


@lru_cache(maxsize=256)
def _pieces(count: int, below: int, each: int) -> int:
    """Into how many equal pieces to cut so many rows of windows for small products; 1 where that is not possible."""
    for pieces in range(max(1, -(-count * below * each // _SMALL_PRODUCT)), count + 1):
        if count // pieces * below < _LEAST_ROWS:
            break
        if count % pieces == 0:
            return pieces
    return 1
