"""Dropout: elements set to 0 at random."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops.random.random_numbers import uniform
from tapeviz.ops.random.stateless import stateless_uniform
from tapeviz.ops.runtime_calls import waits

__all__ = ["dropout", "stateless_dropout"]


def dropout(x: Any, rate: float, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Any:
    """``x`` with elements set to 0 at random; the others are scaled so that the mean stays.

    Args:
        x: floating-point numbers.
        rate: the probability that an element is dropped, from 0 up to but not 1.
        noise_shape: the shape in which to choose; it broadcasts to that of ``x``.
        seed: makes the choice repeatable, see ``tf.random.set_seed``.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``rate`` is outside its range, or ``x`` is not floating-point.

    >>> import tapeviz as tf
    >>> sorted(set(tf.nn.dropout(tf.ones([100]), rate=0.5, seed=1).numpy().tolist()))
    [0.0, 2.0]
    """
    x = convert_to_tensor(x)
    symbolic = rate.__class__ is not float and waits(rate)
    rate = public["cast"](rate, x.dtype) if symbolic else float(rate)
    if not symbolic and not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
        )
    if not symbolic and rate == 0:
        return x
    shape = x._a.shape if noise_shape is None else as_dimensions(noise_shape)
    kept = uniform(shape, dtype=x.dtype, seed=seed) >= rate
    return registry["where"].run(kept, x * (1.0 / (1.0 - rate)), 0.0)


def stateless_dropout(
    x: Any, rate: float, seed: Any, rng_alg: str | None = None, noise_shape: Any = None, name: str | None = None
) -> Any:
    """``x`` with elements set to 0 at random, the others scaled; always the same elements for the same seed.

    Args:
        x: floating-point numbers.
        rate: the probability that an element is dropped, from 0 up to but not 1.
        seed: two integers.
        rng_alg: the generator, ``"philox"`` or ``"threefry"``; ``"auto_select"`` when it is None.
        noise_shape: the shape in which to choose; it broadcasts to that of ``x``.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``rate`` is outside its range, or ``x`` is not floating-point.

    >>> import tapeviz as tf
    >>> kept = tf.nn.experimental.stateless_dropout(tf.ones([100]), rate=0.5, seed=[1, 2])
    >>> sorted(set(kept.numpy().tolist()))
    [0.0, 2.0]
    >>> bool(tf.reduce_all(kept == tf.nn.experimental.stateless_dropout(tf.ones([100]), rate=0.5, seed=[1, 2])))
    True
    """
    x, rate = convert_to_tensor(x), float(rate)
    if not 0 <= rate < 1:
        raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype}"
        )
    if rate == 0:
        return x
    shape = x._a.shape if noise_shape is None else as_dimensions(noise_shape)
    drawn = stateless_uniform(shape, seed, dtype=x.dtype, alg=rng_alg or "auto_select")
    return registry["where"].run(drawn >= rate, x * (1.0 / (1.0 - rate)), 0.0)
