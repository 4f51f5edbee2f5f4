"""TensorFlow's functions for pooling: by the number of axes, and for any number."""

from __future__ import annotations

from functools import reduce
from typing import Any, Final, NamedTuple

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import Op, registry
from tapeviz.engine.dtypes import as_dtype
from tapeviz.ops.nn.pooling_ops import averaged, largest_of, positions_of_largest
from tapeviz.ops.nn.windows import channels_last, geometry, is_channels_first, padding_of, per_axis, shifted

__all__ = ["MaxPoolWithArgmax", "avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool", "max_pool1d",
           "max_pool2d", "max_pool3d", "max_pool_with_argmax", "pool"]  # fmt: skip

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
    """The largest element of each window of sequences, images or volumes, channel by channel.

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
    """The largest element of each window of sequences, channel by channel.

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
    """The largest element of each window of images, channel by channel.

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
    """The largest element of each window of volumes, channel by channel.

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
    """The largest element of each window of images, and where it is.

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
