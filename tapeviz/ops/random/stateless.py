"""``tf.random.stateless_*``: the same numbers for the same seed, always."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.deferred_numbers import computed
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.operators import public
from tapeviz.engine.rules import shape_text
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops.random import distributions, random_ops
from tapeviz.ops.random.random_numbers import gamma_of, positions, scaled, spread_evenly
from tapeviz.ops.random.seeds import mixed

__all__ = [
    "Algorithm", "algorithm_number", "counts_of", "fold_in", "split", "stateless_binomial", "stateless_categorical",
    "stateless_gamma", "stateless_normal", "stateless_parameterized_truncated_normal", "stateless_poisson",
    "stateless_truncated_normal", "stateless_uniform",
]  # fmt: skip

_UNIFORM: Final = ("float16", "bfloat16", "float32", "float64", "int32", "int64", "uint32", "uint64")


class Algorithm(Enum):
    """The ways of drawing that TensorFlow names. All draw alike here."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def algorithm_number(alg: Any) -> int:
    """The number of an algorithm given by name, number or :class:`Algorithm`.

    Raises:
        ValueError: there is no such.
    """
    if isinstance(alg, Algorithm):
        return int(alg.value)
    if isinstance(alg, str):
        names = {one.name.lower(): one.value for one in Algorithm}
        if alg not in names:
            raise ValueError(
                f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox algorithm, "
                "threefry for the ThreeFry algorithm, and auto_select for auto-selection."
            )
        return int(names[alg])
    number = int(alg)
    if number not in {one.value for one in Algorithm}:
        raise ValueError(
            f"Argument `alg` got unsupported value {number}. Supported values are {Algorithm.PHILOX.value} for the "
            f"Philox algorithm, {Algorithm.THREEFRY.value} for the ThreeFry algorithm, and "
            f"{Algorithm.AUTO_SELECT.value} for auto-selection."
        )
    return number


def _seed(seed: Any, alg: Any = 3) -> int:
    algorithm_number(alg)
    pair = convert_to_tensor(seed)
    if pair.dtype.name not in {"int32", "int64"}:
        raise InvalidArgumentError(
            f"Value for attr 'Tseed' of {pair.dtype.name} is not in the list of allowed values: int32, int64"
        )
    if hasattr(pair, "_numbers") and not pair.shape.is_fully_defined():
        pair = public["ensure_shape"](pair, [2])
    if pair._a.shape != (2,):
        raise InvalidArgumentError(f"seed must have shape [2], not {shape_text(pair._a.shape)}")
    if hasattr(pair, "_numbers"):
        return computed(mixed, *pair._numbers())  # type: ignore[no-any-return]
    return mixed(*pair.numpy().tolist())


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Samples of the uniform distribution from ``minval`` up to, not including, ``maxval``: the same for the same seed.

    Args:
        shape: the shape of the result.
        seed: two integers.
        minval: 0 when not given. For integers None as well as ``maxval`` means all that the dtype has.
        maxval: 1 when not given; integers need one.
        dtype: a floating-point dtype, int32, int64, uint32 or uint64.
        name: accepted as TensorFlow does.
        alg: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the seed is not two integers, or ``minval`` is not below ``maxval``.
        ValueError: another dtype, or one limit without the other.

    >>> import tapeviz as tf
    >>> a, b = (tf.random.stateless_uniform([2], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """
    wanted = as_dtype(dtype)
    if wanted.name not in _UNIFORM:
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted}. Accepted dtypes are (tf.{', tf.'.join(_UNIFORM)})."
        )
    if wanted.is_integer and minval is None and maxval is None:
        return random_ops.full_integers.run(as_dimensions(shape), wanted.numpy, _seed(seed, alg))
    if wanted.is_integer and (minval is None or maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {wanted}, argument `minval` and `maxval` must be both None or not None. "
            f"Got `minval`={minval} and `maxval`={maxval}."
        )
    if wanted.is_unsigned:
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted} when argument `minval` is not None. Please don't use "
            "unsigned integers in this case."
        )
    return spread_evenly(shape, minval, maxval, wanted, lambda: _seed(seed, alg))


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Samples of the normal distribution: always the same for the same seed.

    Args:
        shape: the shape of the result.
        seed: two integers.
        mean: of the curve.
        stddev: its standard deviation.
        dtype: a floating-point dtype.
        name: accepted as TensorFlow does.
        alg: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the seed is not two integers.
        TypeError: ``dtype`` is not floating-point.

    >>> import tapeviz as tf
    >>> tf.random.stateless_normal([2, 3], seed=[1, 2]).shape
    TensorShape([2, 3])
    """
    return scaled(random_ops.normal, shape, mean, stddev, dtype, lambda: _seed(seed, alg))


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Samples of the normal distribution, truncated at two ``stddev``. Arguments as for ``stateless_normal``.

    >>> import tapeviz as tf
    >>> bool(tf.reduce_max(tf.abs(tf.random.stateless_truncated_normal([1000], seed=[1, 2]))) <= 2)
    True
    """
    return scaled(random_ops.truncated_normal, shape, mean, stddev, dtype, lambda: _seed(seed, alg))


def stateless_parameterized_truncated_normal(
    shape: Any,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Any:
    """Samples of a normal distribution truncated to an interval: the same for the same seed.

    Args:
        shape: of the result; it ends with the shape that the parameters broadcast to.
        seed: two integers.
        means: of the whole curve.
        stddevs: its standard deviations.
        minvals: the lower limits, not as multiples of the deviation.
        maxvals: the upper limits.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a deviation is not above 0, limits are not in order, or ``shape`` does not end so.

    >>> import tapeviz as tf
    >>> numbers = tf.random.stateless_parameterized_truncated_normal([100], seed=[1, 2], minvals=1.0)
    >>> bool(tf.reduce_all((numbers >= 1) & (numbers <= 2)))
    True
    """
    return distributions.parameterized_truncated_normal.run(
        means, stddevs, minvals, maxvals, as_dimensions(shape), _seed(seed)
    )


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = "float32", name: str | None = None
) -> Any:
    """Samples of the gamma distribution, with gradients for its parameters: always the same for the same seed.

    Args:
        shape: of the result; it ends with the shape that ``alpha`` and ``beta`` broadcast to.
        seed: two integers.
        alpha: the shape of the distribution.
        beta: its rate; 1 when not given.
        dtype: a floating-point dtype.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the seed is not two integers, or ``shape`` does not end so.

    >>> import tapeviz as tf
    >>> tf.random.stateless_gamma([4, 2], seed=[1, 2], alpha=[0.5, 1.5]).shape
    TensorShape([4, 2])
    """
    return gamma_of(as_dimensions(shape), alpha, beta, dtype, lambda: _seed(seed), inner=False)


def stateless_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = "int32", name: str | None = None) -> Any:
    """Samples of the Poisson distribution: always the same for the same seed.

    Args:
        shape: of the result; it ends with the shape of ``lam``.
        seed: two integers.
        lam: the means.
        dtype: of the result.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the seed is not two integers, or ``shape`` does not end so.

    >>> import tapeviz as tf
    >>> tf.random.stateless_poisson([4, 2], seed=[1, 2], lam=[5.0, 15.0]).dtype
    tf.int32
    """
    rate = convert_to_tensor(lam)
    return distributions.poisson.run(rate, as_dimensions(shape), as_dtype(dtype).numpy, _seed(seed))


def stateless_binomial(
    shape: Any, seed: Any, counts: Any, probs: Any, output_dtype: Any = "int32", name: str | None = None
) -> Any:
    """Samples of the binomial distribution: always the same for the same seed.

    Args:
        shape: of the result; it ends with the shape that ``counts`` and ``probs`` broadcast to.
        seed: two integers.
        counts: how many trials.
        probs: the chance of each.
        output_dtype: of the result.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the seed is not two integers, or ``shape`` does not end so.

    >>> import tapeviz as tf
    >>> tf.random.stateless_binomial([4], seed=[1, 2], counts=10.0, probs=1.0).numpy()
    array([10, 10, 10, 10], dtype=int32)
    """
    return counts_of(shape, counts, probs, as_dtype(output_dtype), _seed(seed))


def counts_of(shape: Any, counts: Any, probs: Any, wanted: DType, seed: int) -> Any:
    """Numbers of the binomial distribution."""
    trials, chance = convert_to_tensor(counts), convert_to_tensor(probs)
    if trials.dtype is not chance.dtype:
        trials = ops.cast(trials, chance.dtype.numpy)
    return distributions.binomial.run(trials, chance, as_dimensions(shape), wanted.numpy, seed)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = "int64", name: str | None = None
) -> Any:
    """Samples of the categorical distribution of each row of logits: always the same for the same seed.

    Args:
        logits: a matrix with a row for each distribution.
        num_samples: how many positions for each.
        seed: two integers.
        dtype: int32 or int64.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``logits`` is not a matrix, or the seed not two integers.

    >>> import tapeviz as tf
    >>> tf.random.stateless_categorical([[0.0, -100.0]], 3, seed=[1, 2]).numpy()
    array([[0, 0, 0]])
    """
    return positions(logits, num_samples, dtype, lambda: _seed(seed))


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Any:
    """So many new seeds out of one: a row each.

    Args:
        seed: two integers.
        num: how many.
        alg: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    dtype = convert_to_tensor(seed).dtype
    return random_ops.full_integers.run((int(num), 2), dtype.numpy, _seed(seed, alg))


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """A new seed out of one and a number, such as that of a step.

    Args:
        seed: two integers.
        data: one integer.
        alg: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.random.fold_in([1, 2], 3).shape
    TensorShape([2])
    """
    dtype = convert_to_tensor(seed).dtype
    first = random_ops.full_integers.run((1,), dtype.numpy, _seed(seed, alg))
    number = ops.cast(ops.reshape(convert_to_tensor(data), (1,)), dtype.numpy)
    return ops.concat(first, number, axis=0)
