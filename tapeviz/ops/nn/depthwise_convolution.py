"""Depthwise convolutions, in which each channel has filters of its own, and separable ones, which mix channels after.

There is nothing to sum over but the window, so that a matrix product would be of thin matrices: these loop over the
positions in the window and work on all windows at once.
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import InvalidArgumentError, UnimplementedError
from tapeviz.engine.op_definition import op
from tapeviz.engine.rules import shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.types import FLOATS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.nn.convolution import conv2d
from tapeviz.ops.nn.convolution_kernels import in_singles
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
)

__all__ = ["depthwise_conv2d", "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input",
           "separable_conv2d"]  # fmt: skip

_HALF: Final = 2  # bytes


def _at(kernel: Any, places: Any) -> Any:
    """Each position in the window with where it lies in the tensor."""
    return zip(product(*map(range, kernel)), places, strict=True)


def _depthwise(xp: Any, features: Any, filters: Any, *, strides: Any, padding: Padding, dilations: Any) -> Any:
    if features.dtype.itemsize == _HALF:
        return in_singles(_depthwise, xp, features, filters, strides=strides, padding=padding, dilations=dilations)
    kernel, (channels, many) = filters.shape[:2], filters.shape[2:]
    if features.shape[-1] != channels:
        raise ValueError("one filter a channel is needed")
    windows, pads = geometry(features.shape[1:-1], kernel, strides, padding, dilations)
    x = xp.expand_dims(padded(xp, features, pads), -1)
    y = xp.zeros((x.shape[0], *windows, channels, many), x.dtype)
    for position, place in _at(kernel, shifted(kernel, windows, strides, dilations)):
        xp.add(y, xp.multiply(x[place], filters[position]), out=y)
    return xp.reshape(y, (x.shape[0], *windows, channels * many))


def _depthwise_back_to_filters(
    xp: Any, features: Any, upstream: Any, *, filter_sizes: Any, strides: Any, padding: Padding, dilations: Any
) -> Any:
    window = {"strides": strides, "padding": padding, "dilations": dilations}
    if features.dtype.itemsize == _HALF:
        return in_singles(_depthwise_back_to_filters, xp, features, upstream, filter_sizes=filter_sizes, **window)
    kernel = filter_sizes[:2]
    windows, pads = geometry(features.shape[1:-1], kernel, strides, padding, dilations)
    x = xp.expand_dims(padded(xp, features, pads), -1)
    g = xp.reshape(upstream, (x.shape[0], *windows, *filter_sizes[2:]))
    result = xp.empty(tuple(filter_sizes), x.dtype)
    for position, place in _at(kernel, shifted(kernel, windows, strides, dilations)):
        result[position] = xp.add.reduce(xp.multiply(x[place], g), axis=(0, 1, 2))
    return result


def _depthwise_back_to_input(
    xp: Any, filters: Any, upstream: Any, *, input_sizes: Any, strides: Any, padding: Padding, dilations: Any
) -> Any:
    window = {"strides": strides, "padding": padding, "dilations": dilations}
    if filters.dtype.itemsize == _HALF:
        return in_singles(_depthwise_back_to_input, xp, filters, upstream, input_sizes=input_sizes, **window)
    kernel, sizes = filters.shape[:2], input_sizes[1:-1]
    windows, pads = geometry(sizes, kernel, strides, padding, dilations)
    g = xp.reshape(upstream, (input_sizes[0], *windows, *filters.shape[2:]))
    whole = tuple(before + size + after for (before, after), size in zip(pads, sizes, strict=True))
    x = xp.zeros((input_sizes[0], *whole, input_sizes[-1]), filters.dtype)
    for position, place in _at(kernel, shifted(kernel, windows, strides, dilations)):
        x[place] += xp.add.reduce(xp.multiply(g, filters[position]), axis=-1)
    return unpadded(x, pads, sizes)


def _rule(features: Spec, filters: Spec, *, strides: Any, padding: Padding, dilations: Any) -> Spec:
    refuse(features.shape, 2, "input")
    refuse(filters.shape, 2, "filter")
    if features.shape[-1] != filters.shape[2]:
        raise InvalidArgumentError(
            f"input depth must be evenly divisible by filter depth: {features.shape[-1]} vs {filters.shape[2]}"
        )
    windows, _ = geometry(features.shape[1:-1], filters.shape[:2], strides, padding, dilations)
    return Spec((features.shape[0], *windows, filters.shape[2] * filters.shape[3]), features.dtype)


def _fit(upstream: Spec, expected: Spec) -> None:
    if upstream.shape != expected.shape:
        raise InvalidArgumentError(
            f"the gradient of a depthwise convolution has shape {shape_text(upstream.shape)}, expected "
            f"{shape_text(expected.shape)}"
        )


def _filters_rule(features: Spec, upstream: Spec, *, filter_sizes: Any, **window: Any) -> Spec:
    result = Spec(tuple(filter_sizes), features.dtype)
    _fit(upstream, _rule(features, result, **window))
    return result


def _input_rule(filters: Spec, upstream: Spec, *, input_sizes: Any, **window: Any) -> Spec:
    result = Spec(tuple(input_sizes), filters.dtype)
    _fit(upstream, _rule(result, filters, **window))
    return result


def _window(stride: int = 1, padding: Padding = "VALID", dilation: int = 1) -> dict[str, Any]:
    return {"strides": (stride,) * 2, "padding": padding, "dilations": (dilation,) * 2}


# Shapes of input, filters and output, and how the window moves.
_SHAPES: Final = (
    ((2, 4, 3, 2), (2, 2, 2, 2), (2, 3, 2, 4), _window()),
    ((1, 5, 4, 2), (3, 3, 2, 1), (1, 3, 2, 2), _window(2, "SAME")),
    ((1, 4, 4, 1), (2, 2, 1, 3), (1, 4, 4, 3), _window(1, "SAME", 2)),
    ((0, 3, 3, 1), (2, 2, 1, 1), (0, 2, 2, 1), _window()),
)
_NAME: Final = "depthwise_conv2d"

_convolved = op(
    _NAME,
    doc="The 2-D depthwise convolution: each channel is convolved with filters of its own.",
    family="linalg",
    tf_name="DepthwiseConv2dNative",
    forward=_depthwise,
    infer=_rule,
    static=static_shape_rules.depthwise,
    types=FLOATS,
    vjp={
        "features": lambda F, g, filters, features_spec, strides, padding, dilations: F.depthwise_conv2d_backprop_input(
            filters, g, input_sizes=features_spec.shape, strides=strides, padding=padding, dilations=dilations
        ),
        "filters": lambda F, g, features, filters_spec, strides, padding, dilations: F.depthwise_conv2d_backprop_filter(
            features, g, filter_sizes=filters_spec.shape, strides=strides, padding=padding, dilations=dilations
        ),
    },
    formula=r"y_{pcm} = \sum_k x_{sp + dk,\,c}\, w_{kcm}",
    vjp_formula=(
        r"\bar x_{qc} = \sum_{p,k,m:\, sp + dk = q} \bar y_{pcm}\, w_{kcm}",
        r"\bar w_{kcm} = \sum_p x_{sp + dk,\,c}\, \bar y_{pcm}",
    ),
    samples=cases(*(([x, w], window) for x, w, _, window in _SHAPES)),
    traits="product",
)

_back_to_input = op(
    f"{_NAME}_backprop_input",
    doc="The gradient of depthwise_conv2d by its input.",
    family="linalg",
    tf_name="DepthwiseConv2dNativeBackpropInput",
    forward=_depthwise_back_to_input,
    infer=_input_rule,
    types=FLOATS,
    vjp={
        "filters": lambda F, g, upstream, filters_spec, strides, padding, dilations: F.depthwise_conv2d_backprop_filter(
            g, upstream, filter_sizes=filters_spec.shape, strides=strides, padding=padding, dilations=dilations
        ),
        "upstream": lambda F, g, filters, strides, padding, dilations: F.depthwise_conv2d(
            g, filters, strides=strides, padding=padding, dilations=dilations
        ),
    },
    formula=r"y_{qc} = \sum_{p,k,m:\, sp + dk = q} g_{pcm}\, w_{kcm}",
    vjp_formula=(
        r"\bar w_{kcm} = \sum_p \bar y_{sp + dk,\,c}\, g_{pcm}",
        r"\bar g_{pcm} = \sum_k \bar y_{sp + dk,\,c}\, w_{kcm}",
    ),
    samples=cases(*(([w, y], {"input_sizes": x, **window}) for x, w, y, window in _SHAPES)),
    traits="product",
)

_back_to_filters = op(
    f"{_NAME}_backprop_filter",
    doc="The gradient of depthwise_conv2d by its filters.",
    family="linalg",
    tf_name="DepthwiseConv2dNativeBackpropFilter",
    forward=_depthwise_back_to_filters,
    infer=_filters_rule,
    types=FLOATS,
    vjp={
        "features": lambda F, g, upstream, features_spec, strides, padding, dilations: (
            F.depthwise_conv2d_backprop_input(
                g, upstream, input_sizes=features_spec.shape, strides=strides, padding=padding, dilations=dilations
            )
        ),
        "upstream": lambda F, g, features, strides, padding, dilations: F.depthwise_conv2d(
            features, g, strides=strides, padding=padding, dilations=dilations
        ),
    },
    formula=r"y_{kcm} = \sum_p x_{sp + dk,\,c}\, g_{pcm}",
    vjp_formula=(
        r"\bar x_{qc} = \sum_{p,k,m:\, sp + dk = q} g_{pcm}\, \bar y_{kcm}",
        r"\bar g_{pcm} = \sum_k x_{sp + dk,\,c}\, \bar y_{kcm}",
    ),
    samples=cases(*(([x, y], {"filter_sizes": w, **window}) for x, w, y, window in _SHAPES)),
    traits="product",
)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 2-D depthwise convolution of images: each channel with filters of its own.

    Args:
        input: images, ``[examples, height, width, channels]``.
        filter: ``[height, width, channels, filters of each channel]``.
        strides: how far the window moves: four numbers, of which the first and the last are 1.
        padding: ``"SAME"``, ``"VALID"``, or a pair an axis.
        data_format: ``"NHWC"`` (or None), or ``"NCHW"`` with channels before the height.
        dilations: how far apart the elements of a window are, along both axes or along each.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        TypeError: ``strides`` is no list.

    >>> import tapeviz as tf
    >>> image = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2])
    >>> filters = tf.reshape([1.0, 1.0, 10.0, 10.0], [1, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([31., 42.], dtype=float32)
    """
    first, window = is_channels_first(data_format, 2), _moves(strides, padding, data_format, dilations)
    filters = convert_to_tensor(filter)
    return channels_last(lambda x: _convolved.run(x, filters, *window), convert_to_tensor(input), channels_first=first)


def _moves(strides: Any, padding: Any, data_format: str | None, dilations: Any) -> tuple[Any, Padding, Any]:
    """How the window moves, as the ops take it."""
    if not isinstance(strides, (list, tuple)):
        raise TypeError(f"Expected list for 'strides' argument to 'depthwise_conv2d_native' Op, not {strides}.")
    first = is_channels_first(data_format, 2)
    moves = per_axis(strides, 2, "strides", channels_first=first)
    holes = per_axis(dilations, 2, "dilations", channels_first=first)
    return moves, padding_of(padding, 2, channels_first=first), holes


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The gradient of ``depthwise_conv2d`` by its input, for channels that come last.

    Args:
        input_sizes: the shape of the input.
        filter: the filters.
        out_backprop: the gradient of the output.
        strides: as for ``depthwise_conv2d``.
        padding: as for ``depthwise_conv2d``.
        data_format: ``"NHWC"``.
        dilations: as for ``depthwise_conv2d``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> one, filters = tf.ones([1, 1, 1, 1]), tf.reshape([1.0, 2.0], [1, 2, 1, 1])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 1, 2, 1], filters, one, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([1., 2.], dtype=float32)
    """
    window = _moves(strides, padding, _only_last(data_format), dilations)
    return _back_to_input.run(filter, out_backprop, as_dimensions(input_sizes), *window)


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """The gradient of ``depthwise_conv2d`` by its filters, for channels that come last.

    Args:
        input: the images.
        filter_sizes: the shape of the filters.
        out_backprop: the gradient of the output.
        strides: as for ``depthwise_conv2d``.
        padding: as for ``depthwise_conv2d``.
        data_format: ``"NHWC"``.
        dilations: as for ``depthwise_conv2d``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> image, one = tf.reshape([3.0, 4.0], [1, 1, 2, 1]), tf.ones([1, 1, 1, 1])
    >>> tf.nn.depthwise_conv2d_backprop_filter(image, [1, 2, 1, 1], one, [1, 1, 1, 1], "VALID").numpy().ravel()
    array([3., 4.], dtype=float32)
    """
    window = _moves(strides, padding, _only_last(data_format), dilations)
    return _back_to_filters.run(input, out_backprop, as_dimensions(filter_sizes), *window)


def _only_last(data_format: str) -> str:
    if is_channels_first(data_format, 2):
        raise UnimplementedError("the gradients of depthwise_conv2d are there for channels that come last")
    return data_format


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """A depthwise convolution, then one of single pixels that mixes the channels.

    Args:
        input: images, ``[examples, height, width, channels]``.
        depthwise_filter: ``[height, width, channels, filters of each channel]``.
        pointwise_filter: ``[1, 1, channels times filters, channels given]``.
        strides: how far the window moves: four numbers, of which the first and the last are 1.
        padding: ``"SAME"``, ``"VALID"``, or a pair an axis.
        data_format: ``"NHWC"`` (or None), or ``"NCHW"`` with channels before the height.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        ValueError: the pointwise filter is larger than a pixel.

    >>> import tapeviz as tf
    >>> image = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 1, 2, 2])
    >>> mixed = tf.nn.separable_conv2d(image, tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 2, 1]), [1, 1, 1, 1], "VALID")
    >>> mixed.numpy().ravel()
    array([10.], dtype=float32)
    """
    pointwise = convert_to_tensor(pointwise_filter)
    for size in pointwise._a.shape[:2]:
        if size != 1 and not isinstance(size, Deferred):
            raise ValueError(f"Dimensions {size} and 1 are not compatible")
    form = data_format or "NHWC"
    deep = depthwise_conv2d(input, depthwise_filter, strides, padding, form, dilations)
    return conv2d(deep, pointwise, 1, "VALID", form)
