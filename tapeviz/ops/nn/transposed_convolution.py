"""Transposed convolutions: from each element a whole window, as on a convolution's way back."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops.nn.convolution_ops import BACK_TO_INPUT
from tapeviz.ops.nn.windows import is_channels_first, padding_of, per_axis

__all__ = ["atrous_conv2d_transpose", "conv1d_transpose", "conv2d_transpose", "conv3d_transpose", "conv_transpose"]


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
    """Sequences from shorter ones: each element gives a window, and where windows overlap they add up.

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
    """Images from smaller ones: each pixel gives a window, and where windows overlap they add up.

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
    """Volumes from smaller ones: each element gives a window, and where windows overlap they add up.

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
