"""``tf.random``: numbers drawn from seeds that go on by themselves.

What is random is only which seed the next draw gets. The op itself is a function of its seed, so that a recorded draw
can be repeated, and every device gives the same numbers.
"""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.deferred_numbers import has_deferred
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.rules import broadcast_shapes, shape_text
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops.arguments import as_sizes, axis_number
from tapeviz.ops.random import distributions, random_ops
from tapeviz.ops.random.seeds import seeds

__all__ = ["categorical", "gamma", "gamma_of", "normal", "poisson", "positions", "scaled", "shuffle", "spread_evenly",
           "truncated_normal", "uniform", "whole_number"]  # fmt: skip

_UNIFORM: Final = ("float16", "bfloat16", "float32", "float64", "int32", "int64")
_COUNTS: Final = ("float16", "float32", "float64", "int32", "int64")


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Samples of the normal distribution.

    Args:
        shape: the shape of the result.
        mean: of the curve; a number, or a tensor that broadcasts with ``shape``.
        stddev: the standard deviation of the curve, likewise.
        dtype: float16, float32 or float64.
        seed: with ``set_seed`` decides which numbers come.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a size is negative.
        TypeError: ``dtype`` is not floating-point.

    >>> import tapeviz as tf
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return scaled(random_ops.normal, shape, mean, stddev, dtype, lambda: seeds.draw("random_normal", seed))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Samples of the normal distribution, none farther from ``mean`` than two ``stddev``. Arguments as for ``normal``.

    >>> import tapeviz as tf
    >>> bool(tf.reduce_max(tf.abs(tf.random.truncated_normal([1000]))) <= 2)
    True
    """
    return scaled(random_ops.truncated_normal, shape, mean, stddev, dtype, lambda: seeds.draw("truncated_normal", seed))


def scaled(draw: Any, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Any:
    """Numbers drawn from the seed that ``seed()`` gives, times ``stddev`` and plus ``mean``."""
    wanted = as_dtype(dtype)
    if not wanted.is_floating:
        raise TypeError(
            f"Cannot convert {mean!r} to EagerTensor of dtype {wanted.name}: random normal needs a float dtype"
        )
    numbers = draw.run(as_sizes(shape, draw.tf_name), wanted.numpy, seed())
    if not (stddev.__class__ is float and stddev == 1.0):
        numbers = numbers * stddev
    return numbers if mean.__class__ is float and mean == 0.0 else numbers + mean


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Samples of the uniform distribution from ``minval`` up to, not including, ``maxval``.

    Args:
        shape: the shape of the result.
        minval: 0 when not given.
        maxval: 1 when not given; integers need one.
        dtype: a floating-point dtype, int32 or int64.
        seed: with ``set_seed`` decides which numbers come.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a size is negative, or ``minval`` is not below ``maxval``.
        ValueError: integers without a ``maxval``.

    >>> import tapeviz as tf
    >>> tf.random.uniform([2], maxval=10, dtype=tf.int32).dtype
    tf.int32
    """
    wanted = as_dtype(dtype)
    if wanted.name not in _UNIFORM:
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted}. Accepted dtypes are (tf.{', tf.'.join(_UNIFORM)})."
        )
    if wanted.is_integer and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {wanted!r}")
    sort = "random_uniform_int" if wanted.is_integer else "random_uniform"
    return spread_evenly(shape, minval, maxval, wanted, lambda: seeds.draw(sort, seed))


def spread_evenly(shape: Any, minval: Any, maxval: Any, wanted: DType, seed: Any) -> Any:
    """Numbers from ``minval`` up to ``maxval``, drawn from the seed that ``seed()`` gives."""
    sizes = as_sizes(shape, "RandomUniform")
    if wanted.is_integer:
        low, high = whole_number("minval", minval, wanted), whole_number("maxval", maxval, wanted)
        if not has_deferred((low, high)) and low >= high:
            raise InvalidArgumentError(f"Need minval < maxval, got {low} >= {high}", "random_uniform_int")
        return random_ops.integers.run(sizes, low, high, wanted.numpy, seed())
    numbers = random_ops.uniform.run(sizes, wanted.numpy, seed())
    least, limit = 0 if minval is None else minval, 1 if maxval is None else maxval
    if isinstance(least, (int, float)) and isinstance(limit, (int, float)):
        return numbers if least == 0 and limit == 1 else numbers * (limit - least) + least
    lowest: Any = convert_to_tensor(least, dtype=wanted)
    return numbers * (convert_to_tensor(limit, dtype=wanted) - lowest) + lowest


def whole_number(name: str, value: Any, wanted: DType) -> int:
    """A limit as a Python integer.

    Raises:
        InvalidArgumentError: there are several.
        TypeError: it is no integer.
    """
    limit = convert_to_tensor(0 if value is None else value, dtype=wanted)
    if limit.ndim:
        shape = shape_text(limit._a.shape)
        raise InvalidArgumentError(f"{name} must be 0-D, got shape {shape}", "random_uniform_int")
    return axis_number(limit)


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The slices of ``value`` along its first axis in random order.

    >>> import tapeviz as tf
    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    tensor = convert_to_tensor(value)
    if not tensor.ndim:
        return tensor
    order = random_ops.permutation.run(tensor._a.shape[0], seeds.draw("random_permutation", seed))
    return ops.gather(tensor, order, 0, 0)


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = "float32", seed: int | None = None, name: str | None = None
) -> Any:
    """Samples of the gamma distribution, with gradients for its parameters.

    Args:
        shape: how many for each of the parameters; the result has this shape, then theirs.
        alpha: the shape of the distribution.
        beta: its rate, which broadcasts with ``alpha``; 1 when not given.
        dtype: a floating-point dtype.
        seed: with ``set_seed`` decides which numbers come.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: a parameter has another dtype.

    >>> import tapeviz as tf
    >>> tf.random.gamma([5], [0.5, 1.5]).shape
    TensorShape([5, 2])
    """
    return gamma_of(as_dimensions(shape), alpha, beta, dtype, lambda: seeds.draw("random_gamma", seed), inner=True)


def gamma_of(shape: tuple[int, ...], alpha: Any, beta: Any, dtype: Any, seed: Any, *, inner: bool) -> Any:
    """Numbers drawn from the seed that ``seed()`` gives. With ``inner`` the parameters' shape comes after ``shape``."""
    wanted = as_dtype(dtype)
    form = convert_to_tensor(alpha, dtype=wanted)
    rate = convert_to_tensor(1 if beta is None else beta, dtype=wanted)
    parameters = broadcast_shapes(form._a.shape, rate._a.shape)
    if form._a.shape != parameters:
        form = ops.broadcast_to(form, parameters)
    drawn = _gamma_with_gradient(form, (*shape, *parameters) if inner else shape, seed())
    return drawn if beta is None else ops.divide(drawn, rate)


@custom_gradient
def _gamma_slope(alpha: Any, numbers: Any) -> Any:
    """How the numbers move with alpha, which moves on in a way that TensorFlow does not know either: it says so."""

    def grad(_upstream: Any) -> Any:
        raise LookupError("gradient registry has no entry for: RandomGammaGrad")

    return distributions.gamma_gradient.run(alpha, numbers), grad


def _gamma_with_gradient(form: Any, shape: tuple[int, ...], seed: int) -> Any:
    @custom_gradient
    def drawn(alpha: Any) -> Any:
        numbers = distributions.gamma.run(alpha, shape, seed)

        def grad(upstream: Any) -> Any:
            moved = ops.multiply(upstream, _gamma_slope(alpha, numbers))
            return ops.reduce_sum(moved, tuple(range(len(shape) - alpha.ndim)), False)

        return numbers, grad

    return drawn(form)


def poisson(shape: Any, lam: Any, dtype: Any = "float32", seed: int | None = None, name: str | None = None) -> Any:
    """Samples of the Poisson distribution.

    Args:
        shape: how many for each of ``lam``; the result has this shape, then that of ``lam``.
        lam: the means.
        dtype: a floating-point dtype, int32 or int64.
        seed: with ``set_seed`` decides which numbers come.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``dtype`` is another.

    >>> import tapeviz as tf
    >>> tf.random.poisson([5], [0.5, 1.5]).shape
    TensorShape([5, 2])
    """
    wanted, rate = as_dtype(dtype), convert_to_tensor(lam)
    if wanted.name not in _COUNTS:
        raise InvalidArgumentError(
            f"Value for attr 'dtype' of {wanted.name} is not in the list of allowed values: half, float, double, "
            "int32, int64",
            "random_poisson",
        )
    sizes = (*as_dimensions(shape), *rate._a.shape)
    return distributions.poisson.run(rate, sizes, wanted.numpy, seeds.draw("random_poisson", seed))


def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None, name: str | None = None
) -> Any:
    """Samples of the categorical distribution of each row of logits.

    Args:
        logits: a matrix with a row for each distribution: the logarithms of chances, up to a constant.
        num_samples: how many positions for each.
        dtype: int32 or int64 (the default).
        seed: with ``set_seed`` decides which numbers come.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``logits`` is not a matrix, or has no columns.
        ValueError: another ``dtype``.

    >>> import tapeviz as tf
    >>> tf.random.categorical([[0.0, -100.0], [-100.0, 0.0]], 3).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    return positions(logits, num_samples, dtype, lambda: seeds.draw("random_categorical", seed))


def positions(logits: Any, num_samples: Any, dtype: Any, seed: Any) -> Any:
    """Positions drawn from the seed that ``seed()`` gives."""
    wanted = as_dtype("int64" if dtype is None else dtype)
    if wanted.name not in {"int32", "int64"}:
        raise ValueError(f"Argument `dtype` got invalid value {wanted}. Accepted dtypes are (tf.int32, tf.int64).")
    count = convert_to_tensor(num_samples)
    if count.ndim:
        shape = shape_text(count._a.shape)
        raise InvalidArgumentError(f"num_samples should be a scalar, got shape {shape}", "random_categorical")
    return distributions.categorical.run(convert_to_tensor(logits), axis_number(count), wanted.numpy, seed())
