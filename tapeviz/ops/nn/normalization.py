"""Means and variances, and tensors normalised by them."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.operators import public
from tapeviz.engine.rules import axes_of
from tapeviz.engine.static_shapes import of_rank
from tapeviz.ops.math.reductions import canonical_axis, reduce_mean, reduce_sum
from tapeviz.ops.runtime_calls import by_rank, by_sizes, open_sizes

__all__ = [
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "l2_normalize",
    "local_response_normalization",
    "moments",
    "normalize_moments",
    "sufficient_statistics",
    "weighted_moments",
]  # fmt: skip

_IMAGES: Final = 4


def _in_singles(x: Any) -> Any:
    """``x`` in a dtype whose range is large enough for squares."""
    return public["cast"](x, "float32") if x.dtype.name == "float16" else x


def _two_of_any_rank(x: Any, *_options: Any, **_named: Any) -> list[Any]:
    return [(None, convert_to_tensor(x).dtype)] * 2


@by_rank(_two_of_any_rank)
def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """The mean and the variance of ``x`` along ``axes``.

    Args:
        x: numbers.
        axes: the axes to go along, one or several.
        shift: accepted as TensorFlow does, and not used.
        keepdims: leave the axes in, with size 1.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import tapeviz as tf
    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 2.0, 6.0, 7.0]), [0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(4.0), np.float32(6.5))
    """
    x = convert_to_tensor(x)
    y, axis = _in_singles(x), canonical_axis(axes)
    mean = reduce_mean(y, axis, keepdims=True)
    still = registry["stop_gradient"].run(mean)  # the variance does not change with it: its gradient would be 0
    variance = reduce_mean(registry["squared_difference"].run(y, still), axis, keepdims=True)
    return _finished((mean, variance), axis, x.dtype, keepdims=keepdims)


def _finished(results: tuple[Any, Any], axis: Any, dtype: Any, *, keepdims: bool) -> tuple[Any, Any]:
    if not keepdims:
        gone = axes_of(axis, results[0].ndim)
        results = tuple(registry["squeeze"].run(result, gone) for result in results) if gone else results
    first, second = (result if result.dtype == dtype else public["cast"](result, dtype) for result in results)
    return first, second


@by_rank(_two_of_any_rank)
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and the variance of ``x`` along ``axes``, where elements count as often as their weights say.

    Raises:
        InvalidArgumentError: there is no such axis, or the weights do not broadcast against ``x``.

    >>> import tapeviz as tf
    >>> mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 3.0]), [0], tf.constant([1.0, 3.0]))
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.5), np.float32(0.75))
    """
    x = convert_to_tensor(x)
    y, axis = _in_singles(x), canonical_axis(axes)
    weights = public["cast"](convert_to_tensor(frequency_weights), y.dtype)
    share = registry["divide_no_nan"].run
    whole = reduce_sum(weights + registry["zeros_like"].run(y), axis, keepdims=True)
    mean = share(reduce_sum(weights * y, axis, keepdims=True), whole)
    distances = weights * registry["squared_difference"].run(y, mean)
    variance = share(reduce_sum(distances, axis, keepdims=True), whole)
    return _finished((mean, variance), axis, x.dtype, keepdims=keepdims)


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """What means and variances can be made of, and added up before: count, sum, sum of squares, and the shift.

    Args:
        x: numbers.
        axes: the axes to go along.
        shift: is taken from ``x`` first: a number near the mean makes the sum of squares more exact.
        keepdims: leave the axes in, with size 1.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis.

    >>> import tapeviz as tf
    >>> [float(number) for number in tf.nn.sufficient_statistics(tf.constant([1.0, 2.0, 6.0]), [0])[:3]]
    [3.0, 9.0, 41.0]
    """
    x, axis = convert_to_tensor(x), canonical_axis(axes)
    count = math.prod(x._a.shape[position] for position in axes_of(axis, x.ndim))
    counts = convert_to_tensor(count, dtype=x.dtype)
    if shift is None:
        moved, squares = x, registry["square"].run(x)
    else:
        shift = convert_to_tensor(shift, dtype_hint=x.dtype)
        moved, squares = x - shift, registry["squared_difference"].run(x, shift)
    return counts, reduce_sum(moved, axis, keepdims=keepdims), reduce_sum(squares, axis, keepdims=keepdims), shift


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and the variance, from what ``sufficient_statistics`` gave.

    >>> import tapeviz as tf
    >>> mean, variance = tf.nn.normalize_moments(4.0, tf.constant(16.0), tf.constant(90.0), None)
    >>> mean.numpy(), variance.numpy()
    (np.float32(4.0), np.float32(6.5))
    """
    part = registry["reciprocal"].run(counts)
    moved = registry["multiply"].run(mean_ss, part)
    variance = registry["subtract"].run(registry["multiply"].run(variance_ss, part), registry["square"].run(moved))
    return (moved if shift is None else registry["add"].run(moved, shift)), variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Any:
    """Batch normalization by a given mean and variance: ``scale * (x - mean) / std + offset``.

    Args:
        x: a tensor of any shape.
        mean: a tensor that broadcasts against ``x``, as the next three do.
        variance: the square of the ``std`` to scale from.
        offset: the mean to move to; 0 when it is None.
        scale: the ``std`` to scale to; 1 when it is None.
        variance_epsilon: a small number that keeps from dividing by 0.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> tf.nn.batch_normalization(tf.constant([1.0, 3.0]), 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    x, cast = convert_to_tensor(x), public["cast"]
    factor = registry["rsqrt"].run(registry["add"].run(variance, variance_epsilon))
    factor = factor if scale is None else factor * scale
    moved = registry["negative"].run(mean) * factor if offset is None else offset - mean * factor
    return x * cast(factor, x.dtype) + cast(moved, x.dtype)


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Any:
    """``batch_normalization`` to the mean ``beta`` and, if asked for, the scale ``gamma``.

    Raises:
        InvalidArgumentError: the shapes do not broadcast.

    >>> import tapeviz as tf
    >>> x = tf.constant([1.0, 3.0])
    >>> tf.nn.batch_norm_with_global_normalization(x, 2.0, 1.0, 0.5, 3.0, 0.0, True).numpy()
    array([-2.5,  3.5], dtype=float32)
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


def _of_images(input: Any, *_options: Any, **_named: Any) -> Any:
    x = convert_to_tensor(input)
    return of_rank(open_sizes(x), _IMAGES, "Input of local_response_normalization"), x.dtype


@by_sizes(-1, form=_of_images)
def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """Each channel divided by a power of ``bias`` plus ``alpha`` times the squares of the channels around it.

    Args:
        input: images, ``[examples, height, width, channels]``, floating-point.
        depth_radius: how many channels on either side count.
        bias: keeps from dividing by 0.
        alpha: the weight of the squares.
        beta: the power.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the input does not have four axes.

    >>> import tapeviz as tf
    >>> channels = tf.reshape([3.0, 4.0], [1, 1, 1, 2])
    >>> tf.nn.local_response_normalization(channels, bias=0.0).numpy().ravel()
    array([0.6, 0.8], dtype=float32)
    """
    x = convert_to_tensor(input)
    if x.ndim != _IMAGES:
        raise InvalidArgumentError("in must be 4-dimensional")
    depth = x._a.shape[-1]
    apart = np.abs(np.arange(depth)[:, None] - np.arange(depth))
    band = convert_to_tensor((apart <= depth_radius).astype(x.dtype.numpy))
    rows = registry["reshape"].run(registry["square"].run(x), (-1, depth))
    squares = registry["reshape"].run(registry["matmul"].run(rows, band, False, False), x._a.shape)
    return x * registry["pow"].run(squares * float(alpha) + float(bias), -float(beta))


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Any:
    """``x`` divided by its Euclidean norm along ``axis``, which counts as at least the root of ``epsilon``.

    ``dim`` is the first name of ``axis``.

    >>> import tapeviz as tf
    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    x = convert_to_tensor(x)
    squares = reduce_sum(registry["square"].run(x), canonical_axis(dim if axis is None else axis), keepdims=True)
    return x * registry["rsqrt"].run(registry["maximum"].run(squares, epsilon))
