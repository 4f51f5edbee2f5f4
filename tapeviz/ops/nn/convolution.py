"""Convolutions and transposed convolutions: by the number of axes, for any number, and with holes."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.rules import shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.types import FLOATS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.array.identity import of_rank
from tapeviz.ops.nn.convolution_kernels import convolve, convolve_back_to_filters, convolve_back_to_input
from tapeviz.ops.nn.windows import Padding, channels_last, geometry, is_channels_first, padding_of, per_axis, refuse

__all__ = [
    "BACK_TO_INPUT",
    "CONVOLUTIONS",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
]

_TYPES: Final = FLOATS | {np.dtype(np.int32)}


def _rule(input: Spec, filters: Spec, *, strides: Any, padding: Padding, dilations: Any) -> Spec:
    count = len(strides)
    refuse(input.shape, count, "convolution input")
    refuse(filters.shape, count, "filter")
    if 0 in filters.shape:
        raise InvalidArgumentError("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    channels, (inputs, outputs) = input.shape[-1], filters.shape[-2:]
    if channels % inputs:
        raise InvalidArgumentError(f"input depth must be evenly divisible by filter depth: {channels} vs {inputs}")
    if outputs % max(1, channels // inputs):
        raise InvalidArgumentError(
            f"output depth must be evenly divisible by number of groups: {outputs} vs {channels // inputs}"
        )
    windows, _ = geometry(input.shape[1:-1], filters.shape[:count], strides, padding, dilations)
    return Spec((input.shape[0], *windows, outputs), input.dtype)


def _input_rule(filters: Spec, upstream: Spec, *, input_sizes: Any, **window: Any) -> Spec:
    refuse(tuple(input_sizes), len(window["strides"]), "input_sizes")
    expected = _rule(Spec(tuple(input_sizes), filters.dtype), filters, **window)
    if upstream.shape != expected.shape:
        raise InvalidArgumentError(
            f"the input of a transposed convolution (the gradient of a convolution) with shape "
            f"{shape_text(upstream.shape)} does not fit: a convolution of {shape_text(tuple(input_sizes))} with the "
            f"filter {shape_text(filters.shape)} gives {shape_text(expected.shape)}"
        )
    return Spec(tuple(input_sizes), filters.dtype)


def _filters_rule(input: Spec, upstream: Spec, *, filter_sizes: Any, **window: Any) -> Spec:
    expected = _rule(input, Spec(tuple(filter_sizes), input.dtype), **window)
    if upstream.shape != expected.shape:
        raise InvalidArgumentError(
            f"the gradient of a convolution has shape {shape_text(upstream.shape)}, expected "
            f"{shape_text(expected.shape)}"
        )
    return Spec(tuple(filter_sizes), input.dtype)


def _window(count: int, stride: int = 1, padding: Padding = "VALID", dilation: int = 1) -> dict[str, Any]:
    return {"strides": (stride,) * count, "padding": padding, "dilations": (dilation,) * count}


# Shapes of input, filters and output, and how the window moves.
_SAMPLES: Final[dict[int, list[tuple[Any, Any, Any, dict[str, Any]]]]] = {
    1: [
        ((2, 5, 3), (3, 3, 2), (2, 3, 2), _window(1)),
        ((1, 6, 2), (2, 2, 3), (1, 3, 3), _window(1, 2, "SAME")),
    ],
    2: [
        ((2, 4, 5, 2), (3, 2, 2, 3), (2, 2, 4, 3), _window(2)),
        ((1, 5, 4, 2), (3, 3, 2, 2), (1, 3, 2, 2), _window(2, 2, "SAME")),
        ((1, 5, 5, 1), (2, 2, 1, 2), (1, 5, 5, 2), _window(2, 1, "SAME", 2)),
        ((1, 3, 3, 4), (2, 2, 2, 2), (1, 3, 4, 2), _window(2, 1, ((1, 0), (1, 1)))),
        ((0, 3, 3, 1), (2, 2, 1, 2), (0, 2, 2, 2), _window(2)),
    ],
    3: [
        ((1, 3, 3, 3, 2), (2, 2, 2, 2, 2), (1, 2, 2, 2, 2), _window(3)),
        ((1, 3, 2, 3, 1), (2, 2, 2, 1, 2), (1, 2, 1, 2, 2), _window(3, 2, "SAME")),
    ],
}


def _declare(count: int, tf_name: str, version: str = "") -> tuple[Op, Op]:
    """The three ops for ``count`` axes. Each is linear in both its inputs, and its gradients are the other two."""
    name = f"conv{count}d"
    to_input, to_filters = f"{name}_backprop_input", f"{name}_backprop_filter"
    convolved = op(
        name,
        doc=f"Weighted sums over the windows of a filter that slides over {count} of the axes.",
        family="linalg",
        tf_name=tf_name,
        forward=convolve,
        infer=_rule,
        static=static_shape_rules.convolution,
        types=_TYPES,
        vjp={
            "input": lambda F, g, filters, input_spec, strides, padding, dilations: getattr(F, to_input)(
                filters, g, input_sizes=input_spec.shape, strides=strides, padding=padding, dilations=dilations
            ),
            "filters": lambda F, g, input, filters_spec, strides, padding, dilations: getattr(F, to_filters)(  # noqa: A006
                input, g, filter_sizes=filters_spec.shape, strides=strides, padding=padding, dilations=dilations
            ),
        },
        formula=r"y_{po} = \sum_{k,c} x_{sp + dk,\,c}\, w_{kco}",
        vjp_formula=(
            r"\bar x_{qc} = \sum_{p,k,o:\, sp + dk = q} \bar y_{po}\, w_{kco}",
            r"\bar w_{kco} = \sum_p x_{sp + dk,\,c}\, \bar y_{po}",
        ),
        samples=cases(*(([x, w], window) for x, w, _, window in _SAMPLES[count])),
        traits="product",
        hints="fresh",
    )
    back = _declare_back_to_input(count, f"{tf_name}BackpropInput{version}")
    _declare_back_to_filters(count, f"{tf_name}BackpropFilter{version}")
    return convolved, back


def _declare_back_to_input(count: int, tf_name: str) -> Op:
    name = f"conv{count}d"
    return op(
        f"{name}_backprop_input",
        doc=f"The gradient of {name} by its input, which is also the transposed convolution.",
        family="linalg",
        tf_name=tf_name,
        forward=convolve_back_to_input,
        infer=_input_rule,
        static=static_shape_rules.transposed_convolution,
        types=_TYPES,
        vjp={
            "filters": lambda F, g, upstream, filters_spec, strides, padding, dilations: getattr(
                F, f"{name}_backprop_filter"
            )(g, upstream, filter_sizes=filters_spec.shape, strides=strides, padding=padding, dilations=dilations),
            "upstream": lambda F, g, filters, strides, padding, dilations: getattr(F, name)(
                g, filters, strides=strides, padding=padding, dilations=dilations
            ),
        },
        formula=r"y_{qc} = \sum_{p,k,o:\, sp + dk = q} x_{po}\, w_{kco}",
        vjp_formula=(
            r"\bar w_{kco} = \sum_p \bar y_{sp + dk,\,c}\, x_{po}",
            r"\bar x_{po} = \sum_{k,c} \bar y_{sp + dk,\,c}\, w_{kco}",
        ),
        samples=cases(*(([w, y], {"input_sizes": x, **window}) for x, w, y, window in _SAMPLES[count])),
        traits="product",
        hints="fresh",
    )


def _declare_back_to_filters(count: int, tf_name: str) -> None:
    name = f"conv{count}d"
    op(
        f"{name}_backprop_filter",
        doc=f"The gradient of {name} by its filters.",
        family="linalg",
        tf_name=tf_name,
        forward=convolve_back_to_filters,
        infer=_filters_rule,
        types=_TYPES,
        vjp={
            "input": lambda F, g, upstream, input_spec, strides, padding, dilations: getattr(
                F, f"{name}_backprop_input"
            )(g, upstream, input_sizes=input_spec.shape, strides=strides, padding=padding, dilations=dilations),
            "upstream": lambda F, g, input, strides, padding, dilations: getattr(F, name)(  # noqa: A006
                input, g, strides=strides, padding=padding, dilations=dilations
            ),
        },
        formula=r"y_{kco} = \sum_p x_{sp + dk,\,c}\, g_{po}",
        vjp_formula=(
            r"\bar x_{qc} = \sum_{p,k,o:\, sp + dk = q} g_{po}\, \bar y_{kco}",
            r"\bar g_{po} = \sum_{k,c} x_{sp + dk,\,c}\, \bar y_{kco}",
        ),
        samples=cases(*(([x, y], {"filter_sizes": w, **window}) for x, w, y, window in _SAMPLES[count])),
        traits="product",
        hints="fresh",
    )


_MADE: Final = {1: _declare(1, "Conv2D"), 2: _declare(2, "Conv2D"), 3: _declare(3, "Conv3D", "V2")}
CONVOLUTIONS: Final = {count: made[0] for count, made in _MADE.items()}
"""The convolution over so many axes."""
BACK_TO_INPUT: Final = {count: made[1] for count, made in _MADE.items()}
"""Its gradient by the input."""


_MOST_AXES: Final = 3


def _convolve(
    count: int, value: Any, filters: Any, strides: Any, padding: Any, data_format: str | None, dilations: Any
) -> Any:
    """The convolution over ``count`` axes, of TensorFlow's arguments."""
    value, filters = (of_rank(convert_to_tensor(given), count + 2) for given in (value, filters))
    first = is_channels_first(data_format, count)
    moves = per_axis(strides, count, "stride" if count == 1 else "strides", channels_first=first)
    holes = per_axis(dilations, count, "dilations", channels_first=first)
    return _by_batches(count, value, filters, (moves, padding_of(padding, count, channels_first=first), holes), first)


def _by_batches(count: int, value: Any, filters: Any, window: tuple[Any, Padding, Any], first: bool) -> Any:
    """The convolution; several axes of examples become one meanwhile."""
    run, reshape = CONVOLUTIONS[count].run, registry["reshape"].run
    several = value.ndim - count - 2
    if several <= 0 or filters.ndim != count + 2:
        return channels_last(lambda x: run(x, filters, *window), value, channels_first=first)
    examples, sizes = value._a.shape[: several + 1], value._a.shape[several + 1 :]
    flat = reshape(value, (math.prod(examples), *sizes))
    result = channels_last(lambda x: run(x, filters, *window), flat, channels_first=first)
    return reshape(result, (*examples, *result._a.shape[1:]))


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 1-D convolution of sequences with filters.

    Args:
        input: sequences, ``[examples, width, channels]``; there may be several axes of examples.
        filters: ``[width, channels, channels given]``.
        stride: how far the window moves.
        padding: ``"SAME"`` (as many windows as elements, at stride 1), ``"VALID"`` (none), or a pair an axis.
        data_format: ``"NWC"``, or ``"NCW"`` with channels before the width.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        ValueError: a list has the wrong length.

    >>> import tapeviz as tf
    >>> tf.nn.conv1d([[[1.0], [2.0], [4.0]]], [[[-1.0]], [[1.0]]], stride=1, padding="VALID").numpy()
    array([[[1.],
            [2.]]], dtype=float32)
    """
    return _convolve(1, input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 2-D convolution of images with filters.

    Args:
        input: images, ``[examples, height, width, channels]``; there may be several axes of examples.
        filters: ``[height, width, channels, channels given]``. If the images have k times as many channels, these are
            in k groups, each with an equal share of the filters.
        strides: how far the window moves, along both axes or along each.
        padding: ``"SAME"`` (as many windows as pixels, at stride 1), ``"VALID"`` (none), or a pair an axis.
        data_format: ``"NHWC"``, or ``"NCHW"`` with channels before the height.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        ValueError: a list has the wrong length.

    >>> import tapeviz as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.squeeze(tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID")).numpy()
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)
    """
    return _convolve(2, input, filters, strides, padding, data_format, dilations)


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 3-D convolution of volumes (or of films: depth is time) with filters.

    Args:
        input: volumes, ``[examples, depth, height, width, channels]``.
        filters: ``[depth, height, width, channels, channels given]``.
        strides: how far the window moves: five numbers, of which the first and the last are 1.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``, or ``"NCDHW"`` with channels before the depth.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> cube = tf.ones([1, 2, 2, 2, 1])
    >>> tf.nn.conv3d(cube, tf.ones([2, 2, 2, 1, 1]), strides=[1, 1, 1, 1, 1], padding="VALID").numpy().ravel()
    array([8.], dtype=float32)
    """
    return _convolve(3, input, filters, strides, padding, data_format, dilations)


def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The convolution over as many axes as the filter says: ``conv1d``, ``conv2d`` or ``conv3d``.

    Args:
        input: ``[examples, *sizes, channels]``.
        filters: ``[*sizes, channels, channels given]``, with one to three sizes.
        strides: how far the window moves; 1 when it is None.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``None`` or one that ends in ``"C"``, or one that begins with ``"NC"``.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        ValueError: the filter does not have one to three axes that it slides along.

    >>> import tapeviz as tf
    >>> tf.nn.convolution([[[1.0], [2.0], [4.0]]], [[[-1.0]], [[1.0]]]).numpy()
    array([[[1.],
            [2.]]], dtype=float32)
    """
    input, filters = convert_to_tensor(input), convert_to_tensor(filters)
    count = (input if filters.shape.rank is None else filters).ndim - 2
    if not 1 <= count <= _MOST_AXES:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={count}: the filter has the shape "
            f"{shape_text(filters._a.shape)}"
        )
    return _convolve(count, input, filters, strides, padding, data_format, dilations)


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Any:
    """``conv2d`` with a filter whose elements are ``rate`` pixels apart.

    Raises:
        InvalidArgumentError: the shapes do not fit, or the rate is not positive.

    >>> import tapeviz as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.nn.atrous_conv2d(image, tf.ones([2, 2, 1, 1]), rate=2, padding="VALID").numpy().ravel()
    array([16.], dtype=float32)
    """
    if not isinstance(padding, str):
        raise InvalidArgumentError('padding must be "SAME" or "VALID"')
    return _convolve(2, value, filters, 1, padding, "NHWC", rate)


def _transposed(
    count: int, value: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, form: Any, dilations: Any
) -> Any:
    value, filters = convert_to_tensor(value), convert_to_tensor(filters)
    first = is_channels_first(form, count)
    moves = per_axis(strides, count, "strides", channels_first=first)
    holes = per_axis(dilations, count, "dilations", channels_first=first)
    sizes = as_dimensions(output_shape)
    if len(sizes) not in {count, count + 2}:
        raise InvalidArgumentError(
            f"Conv{count}DBackpropInput: input_sizes must have {count} or {count + 2} numbers, got {len(sizes)}"
        )
    transpose, last = registry["transpose"].run, value.ndim - 1
    if first and value.ndim > 1:
        value = transpose(value, (0, *range(2, last + 1), 1))
    if len(sizes) == count:
        sizes = (value._a.shape[0], *sizes, filters._a.shape[-2])
    elif first:
        sizes = (sizes[0], *sizes[2:], sizes[1])
    window = (moves, padding_of(padding, count, channels_first=first), holes)
    result = BACK_TO_INPUT[count].run(filters, value, sizes, *window)
    return transpose(result, (0, last, *range(1, last))) if first else result


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 1-D transposed convolution: each element gives a window, and where windows overlap they add up.

    Args:
        input: sequences, ``[examples, width, channels]``.
        filters: ``[width, channels given, channels]``: those of the convolution whose way back this is.
        output_shape: the shape that comes out; the convolution must make that of ``input`` from it.
        strides: how far windows are apart.
        padding: as for ``conv1d``.
        data_format: ``"NWC"``, or ``"NCW"`` with channels before the width.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.nn.conv1d_transpose([[[1.0], [2.0]]], tf.ones([2, 1, 1]), [1, 4, 1], strides=2).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """
    return _transposed(1, input, filters, output_shape, strides, padding, data_format, dilations)


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """A 2-D transposed convolution: each pixel gives a window, and where windows overlap they add up.

    Args:
        input: images, ``[examples, height, width, channels]``.
        filters: ``[height, width, channels given, channels]``: those of the convolution whose way back this is.
        output_shape: the shape that comes out; the convolution must make that of ``input`` from it.
        strides: how far windows are apart.
        padding: as for ``conv2d``.
        data_format: ``"NHWC"``, or ``"NCHW"`` with channels before the height.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> small = tf.reshape([1.0, 2.0], [1, 1, 2, 1])
    >>> tf.squeeze(tf.nn.conv2d_transpose(small, tf.ones([2, 2, 1, 1]), [1, 2, 4, 1], strides=2)).numpy()
    array([[1., 1., 2., 2.],
           [1., 1., 2., 2.]], dtype=float32)
    """
    return _transposed(2, input, filters, output_shape, strides, padding, data_format, dilations)


def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The 3-D transposed convolution: each element gives a window, and where windows overlap they add up.

    Args:
        input: volumes, ``[examples, depth, height, width, channels]``.
        filters: ``[depth, height, width, channels given, channels]``.
        output_shape: the shape that comes out; the convolution must make that of ``input`` from it.
        strides: how far windows are apart.
        padding: as for ``conv3d``.
        data_format: ``"NDHWC"``, or ``"NCDHW"`` with channels before the depth.
        dilations: how far apart the elements of a window are.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> one = tf.ones([1, 1, 1, 1, 1])
    >>> tf.nn.conv3d_transpose(one, 3.0 * tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], strides=2).numpy().ravel()
    array([3., 3., 3., 3., 3., 3., 3., 3.], dtype=float32)
    """
    return _transposed(3, input, filters, output_shape, strides, padding, data_format, dilations)


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """``conv1d_transpose``, ``conv2d_transpose`` or ``conv3d_transpose``, by the length of ``output_shape``.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        ValueError: ``output_shape`` does not have three to five numbers.

    >>> import tapeviz as tf
    >>> tf.nn.conv_transpose([[[1.0], [2.0]]], tf.ones([2, 1, 1]), [1, 4, 1], strides=2).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """
    sizes = as_dimensions(output_shape)
    if len(sizes) - 2 not in BACK_TO_INPUT:
        raise ValueError(
            f"`output_shape` must be of length 3, 4, or 5. Received: output_shape={output_shape} of length {len(sizes)}"
        )
    return _transposed(len(sizes) - 2, input, filters, sizes, strides, padding, data_format, dilations)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Any:
    """The transposed convolution with a filter whose elements are ``rate`` pixels apart.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> one = tf.ones([1, 1, 1, 1])
    >>> tf.squeeze(tf.nn.atrous_conv2d_transpose(one, tf.ones([2, 2, 1, 1]), [1, 3, 3, 1], 2, "VALID")).numpy()
    array([[1., 0., 1.],
           [0., 0., 0.],
           [1., 0., 1.]], dtype=float32)
    """
    return _transposed(2, value, filters, output_shape, 1, padding, "NHWC", rate)
