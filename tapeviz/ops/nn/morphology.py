"""Greyscale morphology: images dilated and eroded by a structuring function, channel by channel.

The work is done position by position in the window, on all windows that have it inside the image at once: padding
is never looked at, so that integers need no number for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.errors import InvalidArgumentError, UnimplementedError
from tapeviz.engine.op_definition import op
from tapeviz.engine.rules import shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.types import NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.nn.windows import Padding, geometry, padding_of

__all__ = ["dilation2d", "erosion2d"]

_INPUT, _FILTERS, _LIST = 4, 3, 4  # axes of each, and the numbers that a list of strides has


def _lowest(dtype: Any) -> Any:
    """What a window has of which nothing is inside the image, or nothing is a number."""
    return int(np.iinfo(dtype).min) if dtype.kind in "iu" else float(np.finfo(dtype).min)


def _rule(input: Spec, filters: Spec, *, strides: Any, padding: Padding, dilations: Any) -> Spec:
    if len(input.shape) != _INPUT:
        raise InvalidArgumentError(f"input must be 4-dimensional{shape_text(input.shape)}")
    if len(filters.shape) != _FILTERS:
        raise InvalidArgumentError(f"filter must be 3-dimensional: {shape_text(filters.shape)}")
    depths = input.shape[-1], filters.shape[-1]
    if depths[0] != depths[1]:
        raise InvalidArgumentError(f"input and filter must have the same depth: {depths[0]} vs {depths[1]}")
    windows, _ = geometry(input.shape[1:3], filters.shape[:2], strides, padding, dilations)
    return Spec((input.shape[0], *windows, depths[0]), input.dtype)


def _inside(size: int, windows: int, stride: int, before: int, offset: int) -> tuple[slice, slice]:
    """Along one axis: the windows whose element at ``offset`` is inside the image, and where those elements are."""
    first = max(0, -((offset - before) // stride))
    last = min(windows, (size - 1 + before - offset) // stride + 1)
    count = max(0, last - first)
    start = first * stride - before + offset
    return slice(first, first + count), slice(start, start + (count - 1) * stride + 1 if count else start, stride)


def _places(input: Any, filters: Any, window: Any) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """Each position in the window with the windows that have it inside the image, and where it is in the image."""
    strides, dilations = window["strides"], window["dilations"]
    sizes, kernel = input.shape[1:3], filters.shape[:2]
    windows, pads = geometry(sizes, kernel, strides, window["padding"], dilations)
    for position in product(*map(range, kernel)):
        rows, columns = (
            _inside(sizes[i], windows[i], strides[i], pads[i][0], position[i] * dilations[i]) for i in range(2)
        )
        yield position, (slice(None), rows[0], columns[0]), (slice(None), rows[1], columns[1])


def _dilated(xp: Any, input: Any, filters: Any, *, strides: Any, padding: Padding, dilations: Any) -> Any:
    window = {"strides": strides, "padding": padding, "dilations": dilations}
    shape = _rule(Spec(input.shape, input.dtype), Spec(filters.shape, filters.dtype), **window).shape
    largest = xp.full(shape, _lowest(input.dtype), input.dtype)
    for position, these, places in _places(input, filters, window):
        # What is no number is not larger, as in TensorFlow.
        largest[these] = xp.fmax(largest[these], xp.add(input[places], filters[position]))
    return largest


def _flat(xp: Any, numbers: Any, axis: int) -> Any:
    return xp.reshape(numbers, (1,) * axis + (-1,) + (1,) * (_INPUT - 1 - axis))


def _starts(xp: Any, input: Any, windows: Any, filters: Any, window: Any) -> Any:
    """Where TensorFlow sends the gradient of a window in which nothing is above the lowest number: to its corner."""
    _, pads = geometry(input.shape[1:3], filters.shape[:2], window["strides"], window["padding"], window["dilations"])
    row, column = (
        xp.maximum(xp.subtract(xp.multiply(xp.arange(windows[i]), window["strides"][i]), pads[i][0]), 0)
        for i in range(2)
    )
    beyond = xp.logical_or(
        xp.greater_equal(_flat(xp, row, 1), input.shape[1]), xp.greater_equal(_flat(xp, column, 2), input.shape[2])
    )
    return xp.where(beyond, -1, xp.add(xp.multiply(_flat(xp, row, 1), input.shape[2]), _flat(xp, column, 2)))


def _positions(
    xp: Any, input: Any, filters: Any, *, strides: Any, padding: Padding, dilations: Any, of_filters: bool
) -> Any:
    window = {"strides": strides, "padding": padding, "dilations": dilations}
    shape = _rule(Spec(input.shape, input.dtype), Spec(filters.shape, filters.dtype), **window).shape
    many, height, width, channels = input.shape
    whole = np.dtype(np.int64)
    largest = xp.full(shape, _lowest(input.dtype), input.dtype)
    found = xp.zeros(shape, whole)
    if not of_filters:
        found[...] = _starts(xp, input, shape[1:3], filters, window)
    pixels = xp.reshape(xp.arange(height * width), (1, height, width, 1))
    for position, these, places in _places(input, filters, window):
        values = xp.add(input[places], filters[position])
        above = xp.greater(values, largest[these])
        number = position[0] * filters.shape[1] + position[1] if of_filters else pixels[(slice(None), *places[1:])]
        largest[these] = xp.where(above, values, largest[these])
        found[these] = xp.where(above, number, found[these])
    examples = 0 if of_filters else xp.multiply(_flat(xp, xp.arange(many), 0), height * width)
    flat = xp.add(xp.multiply(xp.add(found, examples), channels), xp.arange(channels))
    return xp.where(xp.less(found, 0), -1, flat).astype(whole)


def _positions_rule(input: Spec, filters: Spec, *, of_filters: bool, **window: Any) -> Spec:
    return Spec(_rule(input, filters, **window).shape, np.dtype(np.int64))


def _gradient(
    F: Any, g: Any, input: Any, filters: Any, shape: tuple[int, ...], window: Any, *, of_filters: bool
) -> Any:
    """To the first of the largest of each window what came back for it."""
    places = F.dilation2d_positions(input, filters, of_filters=of_filters, **window)
    flat = F.unsorted_segment_sum(
        F.reshape(g, shape=(-1,)), F.reshape(places, shape=(-1,)), num_segments=math.prod(shape)
    )
    return F.reshape(flat, shape=shape)


def _input_gradient(
    F: Any, g: Any, input: Any, filters: Any, input_spec: Spec, strides: Any, padding: Any, dilations: Any
) -> Any:
    window = {"strides": strides, "padding": padding, "dilations": dilations}
    return _gradient(F, g, input, filters, input_spec.shape, window, of_filters=False)


def _filters_gradient(
    F: Any, g: Any, input: Any, filters: Any, filters_spec: Spec, strides: Any, padding: Any, dilations: Any
) -> Any:
    window = {"strides": strides, "padding": padding, "dilations": dilations}
    return _gradient(F, g, input, filters, filters_spec.shape, window, of_filters=True)


def _window(stride: int, padding: Padding, dilation: int = 1) -> dict[str, Any]:
    return {"strides": (stride, stride), "padding": padding, "dilations": (dilation, dilation)}


_SHAPES: Final = (
    ([(2, 4, 3, 2), (2, 2, 2)], _window(1, "VALID")),
    ([(1, 5, 4, 1), (3, 2, 1)], _window(2, "SAME")),
    ([(1, 5, 5, 2), (2, 3, 2)], _window(1, "SAME", 2)),
    ([(1, 2, 3, 1), (2, 2, 1)], _window(3, "SAME", 2)),
    ([(0, 3, 3, 1), (2, 2, 1)], _window(1, "VALID")),
)

_dilation = op(
    "dilation2d",
    doc="The grey-scale dilation: the maximum over each window of input plus filter, channel by channel.",
    family="reduction",
    tf_name="Dilation2D",
    forward=_dilated,
    infer=_rule,
    static=static_shape_rules.dilation,
    types=NUMBERS,
    vjp={"input": _input_gradient, "filters": _filters_gradient},
    formula=r"y_p = \max_k (x_{sp + dk} + w_k)",
    vjp_formula=(
        r"\bar x_q = \sum_p \bar y_p\,[q = sp + d k_p],\; k_p = \arg\max_k (x_{sp + dk} + w_k)",
        r"\bar w_k = \sum_p \bar y_p\,[k = k_p],\; k_p = \arg\max_k (x_{sp + dk} + w_k)",
    ),
    samples=cases(*_SHAPES),
)

op(
    "dilation2d_positions",
    doc="For each window the position, in the input or in the filter, of what makes the first of its largest sums.",
    family="indexing",
    tf_name="Dilation2DPositions",
    forward=_positions,
    infer=_positions_rule,
    types=NUMBERS,
    formula=r"k_p = \arg\max_k (x_{sp + dk} + w_k)",
    samples=cases(
        *((shapes, {"of_filters": place, **window}) for shapes, window in _SHAPES for place in (True, False))
    ),
)


def _moves(strides: Any, padding: Any, data_format: Any, dilations: Any) -> tuple[Any, Padding, Any]:
    """How the window moves, as the ops take it."""
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    numbers = {
        "strides": (strides, "Sliding window stride field", "Stride"),
        "rates": (dilations, "Input stride (atrous rate) field", "Rate"),
    }
    inner = []
    for argument, (given, field, noun) in numbers.items():
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"Expected list for '{argument}' argument to 'dilation2d' Op, not {given}.")
        if len(given) < _LIST:
            raise InvalidArgumentError(f"Length for attr '{argument}' of {len(given)} must be at least minimum {_LIST}")
        if len(given) > _LIST:
            raise InvalidArgumentError(f"{field} must specify {_LIST} dimensions")
        outer = int(given[0]), int(given[3])
        if outer != (1, 1):
            raise UnimplementedError(f"{noun} is only supported across spatial dimensions.")
        inner.append((int(given[1]), int(given[2])))
    return inner[0], padding_of(padding, 2), inner[1]


def dilation2d(
    input: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Any:
    """Images dilated by a structuring function: for each window the largest sum of an element and the filter's there.

    With a filter of zeros it is ``max_pool2d``. Gradients go to the first of the largest sums.

    Args:
        input: images, ``[examples, height, width, channels]``.
        filters: the structuring function, ``[height, width, channels]``.
        strides: how far the window moves, ``[1, rows, columns, 1]``.
        padding: ``"SAME"`` (as many windows as elements, at stride 1) or ``"VALID"`` (none); it never counts.
        data_format: ``"NHWC"``.
        dilations: how far apart the elements of a window are, ``[1, rows, columns, 1]``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not fit each other, or a stride or a dilation is not positive.
        UnimplementedError: the first or the last of ``strides`` or ``dilations`` is not 1.
        ValueError: channels are not to be last.

    >>> import tapeviz as tf
    >>> image = tf.reshape([0.0, 5.0, 1.0, 0.0], [1, 1, 4, 1])
    >>> tf.nn.dilation2d(image, [[[0.0], [2.0]]], [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]).numpy().ravel()
    array([7., 5., 2., 0.], dtype=float32)
    """
    return _dilation.run(input, filters, *_moves(strides, padding, data_format, dilations))


def erosion2d(
    value: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Any:
    """Images eroded by a structuring function: for each window the smallest difference of an element and the filter's.

    The filter is turned round: its last element belongs to the first of the window. It is the dilation of what has
    the opposite sign. Arguments and errors are as for ``dilation2d``.

    >>> import tapeviz as tf
    >>> image = tf.reshape([0.0, 5.0, 1.0, 0.0], [1, 1, 4, 1])
    >>> tf.nn.erosion2d(image, [[[0.0], [2.0]]], [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]).numpy().ravel()
    array([-2.,  1., -1., -2.], dtype=float32)
    """
    window = _moves(strides, padding, data_format, dilations)
    turned = registry["reverse"].run(filters, (0, 1))
    negative = registry["negative"].run
    return negative(_dilation.run(negative(value), turned, *window))
