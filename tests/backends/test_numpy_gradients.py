"""The host's own gradients give what the gradients in ops give, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import NUMPY
from tapeviz.backends.numpy_gradients import GRADIENTS
from tapeviz.engine.declaration import registry
from tapeviz.engine.kernels import raw_ops
from tests.engine.strict_gpu import standing_in

ROWS = 300  # times 150: more than one piece
SHAPES = [(), (7,), (8192,), (ROWS, 150)]
MAKE = {
    "as they come": lambda rng, shape: rng.normal(size=shape) * 3,
    "extreme": lambda rng, shape: rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 60000.0, -1.0], shape),
}


def both(name, g, kept):
    """Return what the host's gradient gives, and what the ops give."""
    (source,) = registry[name].vjp
    in_ops = registry[name].vjp[source]
    ops = raw_ops(NUMPY)
    with np.errstate(all="ignore"):
        return GRADIENTS[name, source](in_ops)(ops, g, kept), in_ops(ops, g, kept)


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["sigmoid", "square"])
def test_every_element_is_the_same(name, dtype, shape, make):
    rng = np.random.default_rng(3)
    g, kept = (make(rng, shape).astype(dtype) for _ in range(2))
    found, expected = both(name, g, kept)
    assert (np.asarray(found).dtype, np.shape(found)) == (expected.dtype, shape)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("name", ["sigmoid", "square"])
def test_however_the_arrays_lie(name, dtype):
    kept = np.random.default_rng(4).normal(size=(ROWS, 150)).astype(dtype)
    g = np.random.default_rng(5).normal(size=(ROWS, 150)).astype(dtype)
    ways = {
        "transposed": (g.T, kept.T),
        "one transposed": (np.asfortranarray(g), kept),
        "every other": (g[::2], kept[::2]),
        "backwards": (g[::-1], kept),
        "one number": (np.broadcast_to(g[:1, :1], g.shape), kept),
        "one row": (np.broadcast_to(g[:1], g.shape), kept),
        "fixed": (np.frombuffer(g.tobytes(), g.dtype).reshape(g.shape), kept),
    }
    for way, (upstream, value) in ways.items():
        before = upstream.copy(), value.copy()
        found, expected = both(name, upstream, value)
        np.testing.assert_array_equal(found, expected, err_msg=way)
        np.testing.assert_array_equal((upstream, value), before, err_msg=way)  # nobody else's numbers are written


def test_what_is_too_large_twice_is_not_doubled_first():
    x = tf.fill([ROWS, 150], tf.constant(0.125, tf.float16))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.square(x) * tf.constant(40000.0, tf.float16))
    assert (tape.gradient(y, x).numpy() == 10000.0).all()


@pytest.mark.parametrize("function", [tf.sigmoid, tf.square], ids=["sigmoid", "square"])
def test_gradients_of_gradients_and_of_other_devices_go_by_ops(function):
    values = np.linspace(-2.0, 2.0, ROWS * 150).reshape(ROWS, 150)

    def slopes(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(function(x) * x)
            first = inner.gradient(y, x)
        return first.numpy(), outer.gradient(first, x).numpy()

    here = slopes(tf.constant(values))
    once = slopes(tf.constant(values[:1, :5]))
    with standing_in(), tf.device("/gpu:0"):
        there = slopes(tf.constant(values))
    np.testing.assert_array_equal(here, there)
    np.testing.assert_array_equal([part[:1, :5] for part in here], once)


@pytest.mark.parametrize("function", [tf.sigmoid, tf.square], ids=["sigmoid", "square"])
def test_recorded_and_traced_they_are_the_same(function):
    x = tf.Variable(np.random.default_rng(6).normal(size=(ROWS, 150)).astype("f4"))

    def slope():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(function(x))
        return tape.gradient(y, x)

    alone = slope().numpy()
    with tf.record(values="all"):
        seen = slope().numpy()
    np.testing.assert_array_equal(alone, seen)
    np.testing.assert_array_equal(alone, tf.function(slope)().numpy())
