"""Where nothing comes from above, nothing goes down: gradients at singularities that ``tf.where`` leaves out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz as tf

GUARDED: dict[str, Callable[[Any], Any]] = {
    "sqrt": tf.sqrt, "sqrt below 0": lambda x: tf.sqrt(x - 1.0), "rsqrt": tf.math.rsqrt,
    "reciprocal": tf.math.reciprocal, "norm": lambda x: tf.norm(x, axis=-1, keepdims=True),
    "std": lambda x: tf.math.reduce_std(x, axis=-1, keepdims=True),
}  # fmt: skip
# TensorFlow's gradients of these are nan then.
OPEN: dict[str, Callable[[Any], Any]] = {"log": tf.math.log, "divide": lambda x: 1.0 / x}


def _gradient(function: Callable[[Any], Any], dtype: str, ways: int) -> np.ndarray:
    """The gradient at zeros of what ``tf.where`` leaves out: eagerly, or of the last of so many calls when traced."""
    x = tf.zeros([4, 3], dtype)

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            left_out = tf.where(x > 0, y, tf.zeros_like(y))
        return tape.gradient(left_out, x)

    run = tf.function(step) if ways else step
    for _ in range(ways):
        run()
    return np.asarray(run().numpy(), "float64")


@pytest.mark.parametrize("ways", [0, 1, 20])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", GUARDED)
def test_a_root_that_where_leaves_out_has_a_gradient_of_zero_as_in_tensorflow(name, dtype, ways):
    assert not _gradient(GUARDED[name], dtype, ways).any()


@pytest.mark.parametrize("name", OPEN)
def test_a_logarithm_that_where_leaves_out_still_gives_nan_as_in_tensorflow(name):
    assert np.isnan(_gradient(OPEN[name], "float32", 0)).all()


def test_the_second_derivative_at_a_minimum_is_not_lost():
    x = tf.constant([4.0, 9.0])
    for function, wanted in ((tf.sqrt, 1 / 8), (tf.math.rsqrt, 1 / 128), (tf.math.reciprocal, 1 / 128)):
        at_minimum = function(x)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                loss = tf.reduce_sum((function(x) - at_minimum) ** 2)
            first = inner.gradient(loss, x)
        assert not first.numpy().any()
        np.testing.assert_allclose(outer.gradient(first, x).numpy()[0], wanted, rtol=1e-5)


def test_the_length_of_nothing_has_no_gradient():
    x = tf.Variable(tf.zeros([3]))
    with tf.GradientTape() as tape:
        length = tf.norm(x)
    assert np.isnan(tape.gradient(length, x).numpy()).all()
