"""Pooling: one number for each window and channel, and what its gradients are made of.

Each loops over the positions in the window and works on all windows at once: the elements at one position of each are
a slice of the tensor.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.define import op
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.rules import shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.types import FLOATS, NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.nn.windows import Padding, geometry, padded, refuse, shifted, unpadded, window_sizes

__all__ = ["averaged", "largest_of", "positions_of_largest"]

_CACHED: Final = 1 << 16
"""How many elements, and as many in each of a few arrays beside them, stay in the processor's cache."""


def _lowest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -math.inf


def _ones(ksize: Any) -> tuple[int, ...]:
    return (1,) * len(ksize)


def _prepared(xp: Any, x: Any, ksize: Any, strides: Any, padding: Padding, fill: Any) -> tuple[Any, Any, Any]:
    """The padded tensor, its padding, and where each position in the window lies in it."""
    windows, pads = geometry(x.shape[1:-1], ksize, strides, padding, _ones(ksize))
    return padded(xp, x, pads, fill), pads, shifted(ksize, windows, strides)


def _largest(xp: Any, x: Any, places: Any) -> Any:
    y = xp.array(x[places[0]])
    for place in places[1:]:
        xp.fmax(y, x[place], out=y)  # what is no number is not larger, as in TensorFlow
    return y


def _max_pool(xp: Any, features: Any, *, ksize: Any, strides: Any, padding: Padding) -> Any:
    x, _, places = _prepared(xp, features, ksize, strides, padding, _lowest(features.dtype))
    return _largest(xp, x, places)


def _max_pool_back(xp: Any, features: Any, upstream: Any, *, ksize: Any, strides: Any, padding: Padding) -> Any:
    """To the first of the largest elements of each window, what came back for it."""
    x, pads, places = _prepared(xp, features, ksize, strides, padding, _lowest(features.dtype))
    largest = _largest(xp, x, places)
    if upstream.shape != largest.shape:
        raise ValueError("one gradient a window is needed")
    result = xp.zeros(x.shape, x.dtype)
    bits = np.dtype(f"i{x.dtype.itemsize}")
    examples = max(1, _CACHED // max(1, math.prod(x.shape[1:])))
    for start in range(0, len(x), examples):
        some = slice(start, start + examples)
        _share(xp, x[some], largest[some], xp.array(upstream[some]).view(bits), result[some], places)
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
    largest, values = _largest(xp, x, places), padded(xp, values, pads)
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
    total = xp.array(x[places[0]])
    for place in places[1:]:
        xp.add(total, x[place], out=total)
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
    for place in shifted(ksize, windows, strides):
        result[place] += share
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

largest_of = _pooling(
    "max_pool",
    doc="The largest element of each window, channel by channel.",
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
)  # fmt: skip

op(
    "max_pool_grad",
    doc="The gradient of max_pool: to the first of the largest elements of each window, what came back for it.",
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
)

op(
    "max_pool_grad_grad",
    doc="Of each window the value that lies where the first of the largest elements is.",
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
positions_of_largest = _pooling(
    "max_pool_positions",
    doc="The position of the first of the largest elements of each window, counted through the example.",
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

averaged = _pooling(
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
    doc="The gradient of avg_pool: to each element of a window an equal share of what came back for it.",
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
