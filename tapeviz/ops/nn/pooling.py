"""Pooling: one number for each window and channel, by the number of axes and for any number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.backends.blocks import LARGE, places_of, run_blocks
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.rules import shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.types import FLOATS, NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.nn.windows import (
    Padding,
    channels_last,
    geometry,
    is_channels_first,
    padded,
    padding_of,
    per_axis,
    refuse,
    shifted,
    unpadded,
    window_sizes,
)

__all__ = [
    "MaxPoolWithArgmax",
    "averaged",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "largest_of",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "pool",
    "positions_of_largest",
]

_CACHED_BYTES: Final = 1 << 18
"""How much of an array, with as much of a few others beside it, stays in the processor's cache."""


def _lowest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -math.inf


def _ones(ksize: Any) -> tuple[int, ...]:
    return (1,) * len(ksize)


def _prepared(xp: Any, x: Any, ksize: Any, strides: Any, padding: Padding, fill: Any) -> tuple[Any, Any, Any]:
    """The padded tensor, its padding, and where each position in the window lies in it."""
    windows, pads = geometry(x.shape[1:-1], ksize, strides, padding, _ones(ksize))
    return padded(xp, x, pads, fill), pads, shifted(ksize, windows, strides)


def _each(xp: Any, x: Any, function: Callable[[slice], object]) -> None:
    """Call a function for a few examples at a time, of large arrays on several threads."""
    places = places_of(len(x), math.prod(x.shape[1:]) * x.dtype.itemsize, _CACHED_BYTES) if len(x) else []
    if xp is np and x.size >= LARGE:
        run_blocks(function, places)
    else:
        for place in places:
            function(place)


def _combined(xp: Any, combine: Any, x: Any, places: Any) -> Any:
    """What a function of two arrays makes of all the elements of each window, one position after the other."""
    y = xp.empty((len(x), *x[places[0]].shape[1:]), x.dtype)

    def work(some: slice) -> None:
        part, target = x[some], y[some]
        target[...] = part[places[0]]
        for place in places[1:]:
            combine(target, part[place], out=target)

    _each(xp, x, work)
    return y


def _max_pool(xp: Any, features: Any, *, ksize: Any, strides: Any, padding: Padding) -> Any:
    x, _, places = _prepared(xp, features, ksize, strides, padding, _lowest(features.dtype))
    return _combined(xp, xp.fmax, x, places)  # what is no number is not larger, as in TensorFlow


def _max_pool_back(xp: Any, features: Any, upstream: Any, *, ksize: Any, strides: Any, padding: Padding) -> Any:
    """To the first of the largest elements of each window, what came back for it."""
    x, pads, places = _prepared(xp, features, ksize, strides, padding, _lowest(features.dtype))
    largest = _combined(xp, xp.fmax, x, places)
    if upstream.shape != largest.shape:
        raise ValueError("one gradient a window is needed")
    result = xp.zeros(x.shape, x.dtype)
    bits = np.dtype(f"i{x.dtype.itemsize}")

    def share(some: slice) -> None:
        _share(xp, x[some], largest[some], xp.array(upstream[some]).view(bits), result[some], places)

    _each(xp, x, share)
    return unpadded(result, pads, features.shape[1:-1])


def _share(xp: Any, x: Any, largest: Any, left: Any, result: Any, places: Any) -> None:
    """Add what is left (as bits) to the first element that is the largest, window by window.

    Numbers are chosen by their bits, several at once: by conditions it takes four times as long.
    """
    for place in places:
        hits = xp.negative(xp.equal(x[place], largest).astype(left.dtype))
        share = xp.bitwise_and(left, hits)
        result[place] += share.view(x.dtype)
        xp.bitwise_xor(left, share, out=left)


def _max_pool_picks(xp: Any, features: Any, values: Any, *, ksize: Any, strides: Any, padding: Padding) -> Any:
    """The element of ``values`` that lies where the first of the largest elements of each window is."""
    x, pads, places = _prepared(xp, features, ksize, strides, padding, _lowest(features.dtype))
    if values.shape != features.shape:
        raise ValueError("one value an element is needed")
    largest, values = _combined(xp, xp.fmax, x, places), padded(xp, values, pads)
    picked = xp.zeros(largest.shape, values.dtype)
    for place in reversed(places):  # so that the first one stays
        picked = xp.where(xp.equal(x[place], largest), values[place], picked)
    return picked


def _positions(
    xp: Any, features: Any, *, ksize: Any, strides: Any, padding: Padding, with_example: bool, dtype: Any
) -> Any:
    """Where the first of the largest elements of each window is, as a number that counts elements of an example."""
    number = xp.arange(math.prod(features.shape[1:])) if not with_example else xp.arange(math.prod(features.shape))
    shape = features.shape if with_example else (1, *features.shape[1:])
    places = xp.broadcast_to(xp.reshape(number, shape), features.shape)
    return _max_pool_picks(xp, features, places, ksize=ksize, strides=strides, padding=padding).astype(dtype)


def _counts(xp: Any, sizes: Any, like: Any, ksize: Any, strides: Any, padding: Padding) -> Any:
    """How many elements, padding apart, are in each window; a plain number where it is the same for all."""
    windows, pads = geometry(sizes, ksize, strides, padding, _ones(ksize))
    if not any(map(any, pads)):
        return math.prod(ksize)
    total = xp.ones((), like.dtype)
    for axis, (window, (before, _)) in enumerate(zip(windows, pads, strict=True)):
        starts = [position * strides[axis] - before for position in range(window)]
        counts = [max(0, min(start + ksize[axis], sizes[axis]) - max(start, 0)) for start in starts]
        shape = [1] * (len(sizes) + 2)
        shape[axis + 1] = window
        total = xp.multiply(total, xp.reshape(xp.asarray(counts, dtype=like.dtype), tuple(shape)))
    return total


def _avg_pool(xp: Any, features: Any, *, ksize: Any, strides: Any, padding: Padding) -> Any:
    x, _, places = _prepared(xp, features, ksize, strides, padding, 0)
    total = _combined(xp, xp.add, x, places)
    return xp.true_divide(total, _counts(xp, features.shape[1:-1], x, ksize, strides, padding), out=total)


def _avg_pool_back(xp: Any, upstream: Any, *, input_sizes: Any, ksize: Any, strides: Any, padding: Padding) -> Any:
    """To each element of a window an equal share of what came back for it."""
    sizes = input_sizes[1:-1]
    windows, pads = geometry(sizes, ksize, strides, padding, _ones(ksize))
    if upstream.shape != (input_sizes[0], *windows, input_sizes[-1]):
        raise ValueError("one gradient a window is needed")
    share = xp.true_divide(upstream, _counts(xp, sizes, upstream, ksize, strides, padding))
    whole = tuple(before + size + after for (before, after), size in zip(pads, sizes, strict=True))
    result = xp.zeros((input_sizes[0], *whole, input_sizes[-1]), upstream.dtype)
    places = shifted(ksize, windows, strides)

    def spread(some: slice) -> None:
        target, given = result[some], share[some]
        for place in places:
            target[place] += given

    _each(xp, result, spread)
    return unpadded(result, pads, sizes)


def _pooled_rule(features: Spec, *, ksize: Any, strides: Any, padding: Padding) -> Spec:
    refuse(features.shape, len(ksize), "tensor_in")
    windows = window_sizes(features.shape, ksize, strides, padding)
    return Spec((features.shape[0], *windows, features.shape[-1]), features.dtype)


def _positions_rule(features: Spec, *, with_example: bool, dtype: Any, **window: Any) -> Spec:
    return Spec(_pooled_rule(features, **window).shape, np.dtype(dtype))


def _fit(shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if shape != expected:
        raise InvalidArgumentError(
            f"the gradient of a pooling has shape {shape_text(shape)}, expected {shape_text(expected)}"
        )


def _max_back_rule(features: Spec, upstream: Spec, **window: Any) -> Spec:
    _fit(upstream.shape, _pooled_rule(features, **window).shape)
    return features


def _picks_rule(features: Spec, values: Spec, **window: Any) -> Spec:
    _fit(values.shape, features.shape)
    return Spec(_pooled_rule(features, **window).shape, values.dtype)


def _avg_back_rule(upstream: Spec, *, input_sizes: Any, **window: Any) -> Spec:
    result = Spec(tuple(input_sizes), upstream.dtype)
    _fit(upstream.shape, _pooled_rule(result, **window).shape)
    return result


def _window(count: int, size: int, stride: int, padding: Padding = "VALID") -> dict[str, Any]:
    return {"ksize": (size,) * count, "strides": (stride,) * count, "padding": padding}


# Shapes of the input and of the output, and how the window moves.
_SHAPES: Final = (
    ((2, 4, 4, 2), (2, 2, 2, 2), _window(2, 2, 2)),
    ((1, 5, 4, 1), (1, 3, 2, 1), _window(2, 3, 2, "SAME")),
    ((1, 4, 4, 2), (1, 3, 3, 2), _window(2, 2, 1)),
    ((2, 5, 2), (2, 3, 2), _window(1, 3, 2, "SAME")),
    ((1, 2, 3, 4, 1), (1, 1, 2, 2, 1), _window(3, 2, 2, "SAME")),
    ((0, 4, 4, 1), (0, 2, 2, 1), _window(2, 2, 2)),
)
_pooling = partial(op, family="reduction")

largest_of: Op = _pooling(
    "max_pool",
    doc="The maximum of each window, channel by channel.",
    forward=_max_pool,
    infer=_pooled_rule,
    static=static_shape_rules.windows,
    types=NUMBERS,
    vjp={"features": lambda F, g, features, ksize, strides, padding: F.max_pool_grad(
        features, g, ksize=ksize, strides=strides, padding=padding
    )},
    formula=r"y_p = \max_k x_{sp + k}",
    vjp_formula=(r"\bar x_q = \sum_p \bar y_p\,[q = \arg\max_k x_{sp + k}]",),
    samples=cases(
        *(([x], window) for x, _, window in _SHAPES),
        ([(1, 3, 3, 1)], {"ksize": (2, 2), "strides": (1, 1), "padding": ((1, 0), (0, 1))}),
    ),
    traits="flat moves",
    hints="fresh",
)  # fmt: skip

op(
    "max_pool_grad",
    doc="The gradient of max_pool: the upstream gradient at the first maximum of each window.",
    family="indexing",
    forward=_max_pool_back,
    infer=_max_back_rule,
    types=FLOATS,
    vjp={
        "features": lambda F, g: F.zeros_like(g),
        "upstream": lambda F, g, features, ksize, strides, padding: F.max_pool_grad_grad(
            features, g, ksize=ksize, strides=strides, padding=padding
        ),
    },
    formula=r"y_q = \sum_p g_p\,[q = \arg\max_k x_{sp + k}]",
    vjp_formula=(r"\bar x_q = 0", r"\bar g_p = \bar y_{\arg\max_k x_{sp + k}}"),
    samples=cases(*(([x, y], window) for x, y, window in _SHAPES)),
    hints="fresh",
)

op(
    "max_pool_grad_grad",
    doc="The value of each window at the index of the first maximum.",
    family="indexing",
    forward=_max_pool_picks,
    infer=_picks_rule,
    types=FLOATS,
    vjp={
        "features": lambda F, g, features: F.zeros_like(features),
        "values": lambda F, g, features, ksize, strides, padding: F.max_pool_grad(
            features, g, ksize=ksize, strides=strides, padding=padding
        ),
    },
    formula=r"y_p = v_{\arg\max_k x_{sp + k}}",
    vjp_formula=(r"\bar x_q = 0", r"\bar v_q = \sum_p \bar y_p\,[q = \arg\max_k x_{sp + k}]"),
    samples=cases(*(([x, x], window) for x, _, window in _SHAPES)),
    traits="moves",
)

_COUNTED: Final = {"with_example": True, "dtype": np.dtype(np.int64)}
positions_of_largest: Op = _pooling(
    "max_pool_positions",
    doc="The flat index in the example of the first maximum of each window.",
    tf_name="MaxPoolWithArgmax",
    forward=_positions,
    infer=_positions_rule,
    types=NUMBERS,
    formula=r"y_p = \arg\max_k x_{sp + k}",
    samples=cases(
        ([(2, 4, 4, 2)], {**_window(2, 2, 2), **_COUNTED}),
        ([(2, 3, 3, 1)], {**_window(2, 2, 2, "SAME"), "with_example": False, "dtype": np.dtype(np.int32)}),
    ),
)

averaged: Op = _pooling(
    "avg_pool",
    doc="The mean of each window, channel by channel; padding does not count.",
    forward=_avg_pool,
    infer=_pooled_rule,
    static=static_shape_rules.windows,
    types=FLOATS,
    vjp={"features": lambda F, g, features_spec, ksize, strides, padding: F.avg_pool_grad(
        g, input_sizes=features_spec.shape, ksize=ksize, strides=strides, padding=padding
    )},
    formula=r"y_p = \tfrac{1}{K} \sum_k x_{sp + k}",
    vjp_formula=(r"\bar x_q = \sum_{p,k:\, sp + k = q} \tfrac{1}{K} \bar y_p",),
    samples=cases(*(([x], window) for x, _, window in _SHAPES)),
    traits="mean",
)  # fmt: skip

op(
    "avg_pool_grad",
    doc="The gradient of avg_pool: the upstream gradient spread evenly over each window.",
    family="shape",
    forward=_avg_pool_back,
    infer=_avg_back_rule,
    types=FLOATS,
    vjp={"upstream": lambda F, g, ksize, strides, padding: F.avg_pool(
        g, ksize=ksize, strides=strides, padding=padding
    )},
    formula=r"y_q = \sum_{p,k:\, sp + k = q} \tfrac{1}{K} g_p",
    vjp_formula=(r"\bar g_p = \tfrac{1}{K} \sum_k \bar y_{sp + k}",),
    samples=cases(*(([y], {"input_sizes": x, **window}) for x, y, window in _SHAPES)),
)  # fmt: skip


_RANKS: Final = (3, 4, 5)


def _pool(op: Op, count: int, value: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None) -> Any:
    """The pooling over ``count`` axes, of TensorFlow's arguments."""
    first = is_channels_first(data_format, count)
    sizes = per_axis(ksize, count, "ksize", channels_first=first)
    moves = per_axis(strides, count, "strides", channels_first=first)
    if op is averaged and not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    edges = padding_of(padding, count, channels_first=first)
    return channels_last(lambda x: op.run(x, sizes, moves, edges), convert_to_tensor(value), channels_first=first)


def _pool_by_rank(op: Op, value: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None) -> Any:
    value = convert_to_tensor(value)
    if value.ndim not in _RANKS:
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={value.shape} of rank {value.ndim}."
        )
    return _pool(op, value.ndim - 2, value, ksize, strides, padding, data_format)


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    """The maximum of each window of sequences, images or volumes, channel by channel.

    Args:
        input: ``[examples, *sizes, channels]`` with one to three sizes.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1), ``"VALID"`` (none), or a pair an axis.
        data_format: None or one that ends in ``"C"``, or one that begins with ``"NC"``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.
        ValueError: the input has another rank.

    >>> import tapeviz as tf
    >>> tf.nn.max_pool([[[1.0], [3.0], [2.0], [0.0]]], ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([3., 2.], dtype=float32)
    """
    return _pool_by_rank(largest_of, input, ksize, strides, padding, data_format)


def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Any:
    """The maximum of each window of sequences, channel by channel.

    Args:
        input: sequences, ``[examples, width, channels]``.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1), ``"VALID"`` (none), or a pair an axis.
        data_format: ``"NWC"``, or ``"NCW"`` with channels before the other axes.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.

    >>> import tapeviz as tf
    >>> tf.nn.max_pool1d([[[1.0], [3.0], [2.0], [0.0]]], ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([3., 2.], dtype=float32)
    """
    return _pool(largest_of, 1, input, ksize, strides, padding, data_format)


def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """The maximum of each window of images, channel by channel.

    Args:
        input: images, ``[examples, height, width, channels]``.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1), ``"VALID"`` (none), or a pair an axis.
        data_format: ``"NHWC"``, or ``"NCHW"`` with channels before the other axes.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.

    >>> import tapeviz as tf
    >>> tf.nn.max_pool2d(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([3.], dtype=float32)
    """
    return _pool(largest_of, 2, input, ksize, strides, padding, data_format)


def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC", name: str | None = None
) -> Any:
    """The maximum of each window of volumes, channel by channel.

    Args:
        input: volumes, ``[examples, depth, height, width, channels]``.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1), ``"VALID"`` (none), or a pair an axis.
        data_format: ``"NDHWC"``, or ``"NCDHW"`` with channels before the other axes.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.

    >>> import tapeviz as tf
    >>> cube = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.max_pool3d(cube, ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([7.], dtype=float32)
    """
    return _pool(largest_of, 3, input, ksize, strides, padding, data_format)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Any:
    """The mean of each window of sequences, images or volumes, channel by channel.

    Args:
        input: ``[examples, *sizes, channels]`` with one to three sizes.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1) or ``"VALID"`` (none).
        data_format: None or one that ends in ``"C"``, or one that begins with ``"NC"``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.
        ValueError: the input has another rank.

    >>> import tapeviz as tf
    >>> tf.nn.avg_pool([[[1.0], [3.0], [2.0], [0.0]]], ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([2., 1.], dtype=float32)
    """
    return _pool_by_rank(averaged, input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Any:
    """The mean of each window of sequences, channel by channel.

    Args:
        input: sequences, ``[examples, width, channels]``.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1) or ``"VALID"`` (none).
        data_format: ``"NWC"``, or ``"NCW"`` with channels before the other axes.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.

    >>> import tapeviz as tf
    >>> tf.nn.avg_pool1d([[[1.0], [3.0], [2.0], [0.0]]], ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([2., 1.], dtype=float32)
    """
    return _pool(averaged, 1, input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """The mean of each window of images, channel by channel.

    Args:
        input: images, ``[examples, height, width, channels]``.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1) or ``"VALID"`` (none).
        data_format: ``"NHWC"``, or ``"NCHW"`` with channels before the other axes.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.

    >>> import tapeviz as tf
    >>> tf.nn.avg_pool2d(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([1.5], dtype=float32)
    """
    return _pool(averaged, 2, input, ksize, strides, padding, data_format)


def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NDHWC", name: str | None = None
) -> Any:
    """The mean of each window of volumes, channel by channel.

    Args:
        input: volumes, ``[examples, depth, height, width, channels]``.
        ksize: the sizes of the window, one for all axes or one each.
        strides: how far the window moves, along all axes or along each.
        padding: ``"SAME"`` (as many windows as elements, at stride 1) or ``"VALID"`` (none).
        data_format: ``"NDHWC"``, or ``"NCDHW"`` with channels before the other axes.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.

    >>> import tapeviz as tf
    >>> cube = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> tf.nn.avg_pool3d(cube, ksize=2, strides=2, padding="VALID").numpy().ravel()
    array([3.5], dtype=float32)
    """
    return _pool(averaged, 3, input, ksize, strides, padding, data_format)


class MaxPoolWithArgmax(NamedTuple):
    """What :func:`max_pool_with_argmax` gives."""

    output: Any
    argmax: Any


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = "int64",
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """The maximum of each window of images, and where it is.

    Args:
        input: images, ``[examples, height, width, channels]``.
        ksize: the sizes of the window, one for both axes or one each.
        strides: how far the window moves.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        output_dtype: of the positions, int32 or int64.
        include_batch_in_index: whether positions count on through the examples.
        name: accepted as TensorFlow does.

    Returns:
        ``output``, and ``argmax``: ``(y * width + x) * channels + channel``.

    Raises:
        InvalidArgumentError: a window does not fit.
        ValueError: channels are not to be last.

    >>> import tapeviz as tf
    >>> image = tf.reshape([1.0, 3.0, 2.0, 0.0], [1, 2, 2, 1])
    >>> tf.nn.max_pool_with_argmax(image, 2, 2, "VALID").argmax.numpy().ravel()
    array([1])
    """
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}")
    value = convert_to_tensor(input)
    sizes, moves = per_axis(ksize, 2, "ksize"), per_axis(strides, 2, "strides")
    window = (sizes, moves, padding_of(padding, 2))
    positions = positions_of_largest.run(value, *window, bool(include_batch_in_index), as_dtype(output_dtype).numpy)
    return MaxPoolWithArgmax(largest_of.run(value, *window), positions)


def _at_distance(x: Any, window: Any, holes: tuple[int, ...]) -> list[Any]:
    """For each position in a window with holes the tensor of the elements there, windows next to each other."""
    sizes, ones = tuple(int(size) for size in window), (1,) * len(holes)
    windows, _ = geometry(x._a.shape[1:-1], sizes, ones, "VALID", holes)
    return [x[place] for place in shifted(sizes, windows, ones, holes)]


def _largest_of_some(tensors: list[Any]) -> Any:
    return reduce(registry["maximum"].run, tensors)


def _mean_of_some(tensors: list[Any]) -> Any:
    return registry["add_n"].run(*tensors) / float(len(tensors))


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The largest element or the mean of each window.

    Args:
        input: ``[examples, *sizes, channels]`` with one to three sizes.
        window_shape: a list of the window's sizes.
        pooling_type: ``"MAX"`` or ``"AVG"``.
        strides: how far the window moves along each axis; 1 when it is None.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: None or one that ends in ``"C"``, or one that begins with ``"NC"``.
        dilations: how far apart the elements of a window are; above 1 only with strides of 1 and without padding.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a window does not fit.
        ValueError: there is no such type of pooling, or dilations do not go with the strides or the padding.

    >>> import tapeviz as tf
    >>> tf.nn.pool([[[1.0], [3.0], [2.0]]], [2], "MAX").numpy().ravel()
    array([3., 3.], dtype=float32)
    """
    count = len(window_shape)
    if pooling_type not in {"MAX", "AVG"}:
        raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")
    moves, holes = per_axis(strides, count, "strides"), per_axis(dilations, count, "dilations")
    if max(holes) > 1:
        if max(moves) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={list(moves)} and dilation_rate={list(holes)}"
            )
        if padding == "SAME":
            raise ValueError(
                "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. "
                f"Received: padding={padding} and dilation_rate={list(holes)}"
            )
        first = is_channels_first(data_format, count)
        combine = _largest_of_some if pooling_type == "MAX" else _mean_of_some
        return channels_last(
            lambda x: combine(_at_distance(x, window_shape, holes)), convert_to_tensor(input), channels_first=first
        )
    kind = largest_of if pooling_type == "MAX" else averaged
    return _pool(kind, count, input, window_shape, strides, padding, data_format)
