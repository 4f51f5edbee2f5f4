"""Sums of many short rows, as the gradients of biases, are those that they should be."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tapeviz as tf
from tests.engine.strict_gpu import standing_in

SHAPES = [
    (8, 24, 24, 16),  # 64 rows side by side
    (3, 27, 27, 16),  # an odd number of rows: one by one
    (12, 27, 27, 16),  # by fours
    (4096, 2), (4096, 128), (4096, 129), (16384, 1), (5, 7),
]  # fmt: skip


def by_bias(shape, add, dtype, drawn=np.random.Generator.normal):
    rng = np.random.default_rng(9)
    x = tf.constant(rng.normal(size=shape), dtype)
    bias = tf.Variable(np.zeros(shape[-1]), dtype=dtype)
    weights = drawn(rng, size=shape).astype(dtype)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(add(x, bias) * weights)
    return tape.gradient(y, bias).numpy(), weights


@pytest.mark.parametrize("add", [tf.add, tf.nn.bias_add], ids=["add", "bias_add"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_gradient_of_a_bias_is_the_sum(shape, add):
    found, weights = by_bias(shape, add, "float64")
    assert found.shape == shape[-1:]
    np.testing.assert_allclose(found, weights.sum(tuple(range(len(shape) - 1))), rtol=1e-11, atol=1e-11)


def test_it_rounds_less_than_row_by_row():
    found, weights = by_bias((32, 24, 24, 16), tf.nn.bias_add, "float32")
    true = weights.sum((0, 1, 2), "f8")
    assert np.abs(found - true).max() < np.abs(np.add.reduce(weights, axis=(0, 1, 2)) - true).max()


@pytest.mark.parametrize("shape", SHAPES[:3], ids=str)
def test_on_another_device_and_in_a_graph_it_is_the_same(shape):
    # Devices add up in orders of their own: of whole numbers the sum is the same in all.
    given = shape, tf.nn.bias_add, "float64", partial(np.random.Generator.integers, low=-1000, high=1000)
    here = by_bias(*given)[0]
    with standing_in(), tf.device("/gpu:0"):
        np.testing.assert_array_equal(by_bias(*given)[0], here)

    def slope(x, bias):
        with tf.GradientTape() as tape:
            tape.watch(bias)
            y = tf.reduce_sum(tf.square(x + bias))
        return tape.gradient(y, bias)

    x, bias = tf.random.normal(shape), tf.zeros(shape[-1:])
    eager = slope(x, bias).numpy()
    for options in ({}, {"input_signature": [tf.TensorSpec([None] * len(shape)), tf.TensorSpec([None])]}):
        traced = tf.function(slope, **options)
        for _ in range(2):
            np.testing.assert_allclose(traced(x, bias).numpy(), eager, rtol=1e-3, atol=1e-3)


def test_gradients_of_gradients_go_through():
    x = tf.constant(np.random.default_rng(2).normal(size=(2048, 16)))
    bias = tf.Variable(np.linspace(-1.0, 1.0, 16))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum((x + bias) ** 3)
        first = inner.gradient(y, bias)
    np.testing.assert_allclose(first.numpy(), (3 * (x.numpy() + bias.numpy()) ** 2).sum(0), rtol=1e-10)
    np.testing.assert_allclose(outer.gradient(first, bias).numpy(), (6 * (x.numpy() + bias.numpy())).sum(0), rtol=1e-9)
