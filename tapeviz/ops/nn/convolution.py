"""TensorFlow's functions for convolutions: by the number of axes, for any number, and with holes."""

from __future__ import annotations

import math
from typing import Any, Final

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.rules import shape_text
from tapeviz.ops.array.identity import of_rank
from tapeviz.ops.nn.convolution_ops import CONVOLUTIONS
from tapeviz.ops.nn.windows import Padding, channels_last, is_channels_first, padding_of, per_axis

__all__ = ["atrous_conv2d", "conv1d", "conv2d", "conv3d", "convolution"]

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
    """Weighted sums over the windows of a filter that slides along sequences.

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
    """Weighted sums over the windows of a filter that slides over images.

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
    """Weighted sums over the windows of a filter that slides over volumes (or over films: depth is time).

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
