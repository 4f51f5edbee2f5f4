"""Convolution and what its gradients are made of, on arrays with channels last and any number of axes between.

A convolution is a matrix product: each window becomes a row, the filter a column for each channel it gives. The rows of
all windows together would be as many times larger than the image as the filter has elements, so they are written for a
few examples at a time, as many as stay in the processor's cache (``convolution_rows.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.ops.nn import direct_convolution as direct
from tapeviz.ops.nn.im2col import examples_in_cache, rows_of_windows
from tapeviz.ops.nn.windows import Padding, geometry, padded, shifted, unpadded

__all__ = ["convolve", "convolve_back_to_filters", "convolve_back_to_input", "in_singles"]

_MORE: Final = 2  # as often as this many channels more on the other side, and adding up windows is faster
_AXES: Final = 2  # of a matrix
_HALF: Final = 2  # bytes of the dtypes in which there is no fast matrix product


def convolve(xp: Any, input: Any, filters: Any, *, strides: Any, padding: Padding, dilations: Any) -> Any:
    """Each window times the filter, summed."""
    if input.dtype.itemsize == _HALF:
        return in_singles(convolve, xp, input, filters, strides=strides, padding=padding, dilations=dilations)
    count = len(strides)
    kernel, outputs = filters.shape[:count], filters.shape[-1]
    windows, pads = geometry(input.shape[1:-1], kernel, strides, padding, dilations)
    matrices = _matrices(xp, filters, input.shape[-1])
    x = padded(xp, input, pads)
    if direct.is_direct(xp, x.dtype, windows, filters.shape, outputs // len(matrices), len(x)):
        return direct.convolve(x, filters, windows, strides, dilations)
    y = xp.empty((x.shape[0], *windows, outputs), x.dtype)
    each = outputs // len(matrices)
    for group, matrix in enumerate(matrices):
        part = _channels(x, group, len(matrices))
        target = y if len(matrices) == 1 else xp.empty((*y.shape[:-1], each), x.dtype)
        for some, bands in rows_of_windows(xp, part, kernel, windows, strides, dilations, each):
            out = xp.reshape(target[some], (*bands[0].shape[:-1], each))
            parts = xp.reshape(matrix, (len(bands), -1, each))
            xp.matmul(bands[0], parts[0], out=out)
            for number in range(1, len(bands)):
                out += xp.matmul(bands[number], parts[number])
        if target is not y:
            y[..., group * each : (group + 1) * each] = target
    return y


def convolve_back_to_filters(
    xp: Any, input: Any, upstream: Any, *, filter_sizes: Any, strides: Any, padding: Padding, dilations: Any
) -> Any:
    """The gradient of :func:`convolve` by its filters: windows times what came back for them."""
    if input.dtype.itemsize == _HALF:
        return in_singles(
            convolve_back_to_filters, xp, input, upstream,
            filter_sizes=filter_sizes, strides=strides, padding=padding, dilations=dilations,
        )  # fmt: skip
    kernel, inputs, outputs = filter_sizes[:-2], filter_sizes[-2], filter_sizes[-1]
    windows, pads = geometry(input.shape[1:-1], kernel, strides, padding, dilations)
    x, groups = padded(xp, input, pads), _groups(input.shape[-1], inputs, outputs)
    if direct.is_direct(xp, x.dtype, windows, filter_sizes, outputs // groups, len(x)):
        return direct.convolve_back_to_filters(x, upstream, filter_sizes, windows, strides, dilations)
    each, parts = outputs // groups, []
    for group in range(groups):
        g = _channels(upstream, group, groups)
        total: Any = None
        for some, bands in rows_of_windows(xp, _channels(x, group, groups), kernel, windows, strides, dilations, each):
            back = xp.reshape(g[some], (*bands[0].shape[:-1], each))
            if total is None:  # there is at least one example
                total = xp.zeros((len(bands), bands[0].shape[-1], each), x.dtype)
            for number, band in enumerate(bands):
                products = xp.matmul(xp.swapaxes(band, -1, -2), back)
                total[number] += products if products.ndim == _AXES else xp.add.reduce(products, axis=(0, 1))
        shape = (*kernel, inputs, each)
        parts.append(xp.zeros(shape, x.dtype) if total is None else xp.reshape(total, shape))
    return parts[0] if groups == 1 else xp.concatenate(parts, axis=-1)


def convolve_back_to_input(
    xp: Any, filters: Any, upstream: Any, *, input_sizes: Any, strides: Any, padding: Padding, dilations: Any
) -> Any:
    """The gradient of :func:`convolve` by its input: what came back times the filter, added where windows overlap."""
    if filters.dtype.itemsize == _HALF:
        return in_singles(
            convolve_back_to_input, xp, filters, upstream,
            input_sizes=input_sizes, strides=strides, padding=padding, dilations=dilations,
        )  # fmt: skip
    kernel, sizes = filters.shape[:-2], input_sizes[1:-1]
    windows, pads = geometry(sizes, kernel, strides, padding, dilations)
    if upstream.shape != (input_sizes[0], *windows, filters.shape[-1]):
        raise ValueError("the shapes do not fit")
    if direct.is_direct(xp, filters.dtype, windows, filters.shape, filters.shape[-2], len(upstream)):
        return direct.convolve_back_to_input(filters, upstream, input_sizes, pads, strides, dilations)
    if (turned := _turned_padding(filters, input_sizes, strides, pads, dilations)) is not None:
        # One filter with the channels of both sides exchanged, read backwards, slides over what came back.
        flipped = xp.swapaxes(filters[(slice(None, None, -1),) * len(kernel)], -1, -2)
        return convolve(xp, upstream, flipped, strides=strides, padding=turned, dilations=dilations)
    matrices, places = _matrices(xp, filters, input_sizes[-1]), shifted(kernel, windows, strides, dilations)
    whole = tuple(before + size + after for (before, after), size in zip(pads, sizes, strict=True))
    x = xp.zeros((input_sizes[0], *whole, input_sizes[-1]), filters.dtype)
    inputs = filters.shape[-2]
    examples = examples_in_cache(windows, math.prod(kernel) * inputs * filters.dtype.itemsize)
    for group, matrix in enumerate(matrices):
        g, part = _channels(upstream, group, len(matrices)), _channels(x, group, len(matrices))
        for start in range(0, len(x), examples):
            some = g[start : start + examples]
            rows = xp.matmul(xp.reshape(some, (-1, g.shape[-1])), xp.swapaxes(matrix, 0, 1))
            rows = xp.reshape(rows, (*some.shape[:-1], len(places), inputs))
            target = part[start : start + examples]
            for number, place in enumerate(places):
                target[place] += rows[..., number, :]
    return unpadded(x, pads, sizes)


def _turned_padding(filters: Any, input_sizes: Any, strides: Any, pads: Any, dilations: Any) -> Padding | None:
    """The padding with which the way back to the input is a convolution; None where it is none, or a slow one."""
    inputs, outputs = filters.shape[-2:]
    reaches = [(size - 1) * dilation for size, dilation in zip(filters.shape, dilations, strict=False)]
    turned = tuple((reach - before, reach - after) for reach, (before, after) in zip(reaches, pads, strict=True))
    if max(strides) > 1 or input_sizes[-1] != inputs or outputs > _MORE * inputs or min(map(min, turned)) < 0:
        return None
    return turned


def in_singles(function: Callable[..., Any], xp: Any, first: Any, second: Any, **options: Any) -> Any:
    """A kernel for two arrays of half precision, computed in single."""
    single = np.dtype(np.float32)
    return function(xp, first.astype(single), second.astype(single), **options).astype(first.dtype)


def _groups(channels: int, inputs: int, outputs: int) -> int:
    """How many parts the channels are in, each with filters of its own."""
    if not inputs or channels % inputs or outputs % max(1, channels // inputs):
        raise ValueError("channels and filters do not fit")
    return max(1, channels // inputs)


def _channels(x: Any, group: int, groups: int) -> Any:
    if groups == 1:
        return x
    each = x.shape[-1] // groups
    return x[..., group * each : (group + 1) * each]


def _matrices(xp: Any, filters: Any, channels: int) -> list[Any]:
    """The filters of each group as a matrix: an element of the window a row, a channel given a column."""
    inputs, outputs = filters.shape[-2:]
    groups = _groups(channels, inputs, outputs)
    matrix = xp.reshape(filters, (-1, outputs))
    return [_channels(matrix, group, groups) for group in range(groups)]
