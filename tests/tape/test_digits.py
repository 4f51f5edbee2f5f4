"""Which lines lose digits."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS

FAR = np.random.default_rng(0).normal(1000.0, 0.1, 1000).astype("f4")

# A formula of x, what x is, the op that loses the digits, and the rewrite that keeps them.
LOSING = {
    "softplus of large numbers": (lambda x: tf.math.log(1.0 + tf.exp(x)), 100.0, "exp", "tf.math.softplus(x)"),
    "softplus of small numbers": (lambda x: tf.math.log(tf.exp(x) + 1.0), [-20.0, -18.0], "log", "tf.math.softplus(x)"),
    "variance by differences": (
        lambda x: tf.reduce_mean(x**2) - tf.reduce_mean(x) ** 2, FAR, "subtract", "tf.math.reduce_variance(x)",
    ),
    "variance by products": (
        lambda x: tf.reduce_mean(x * x) - tf.square(tf.reduce_mean(x)), FAR, "subtract", "tf.math.reduce_variance(x)",
    ),
    "softmax by hand": (
        lambda x: tf.exp(x) / tf.reduce_sum(tf.exp(x)), [100.0, 99.0, 1.0], "exp", "tf.nn.softmax(x)",
    ),
    "log of softmax": (lambda x: tf.math.log(tf.nn.softmax(x)), [0.0, -120.0], "log", "tf.nn.log_softmax(x)"),
    "log of sigmoid": (lambda x: tf.math.log(tf.sigmoid(x)), [-120.0, -100.0], "log", "tf.math.log_sigmoid(x)"),
    "log of a sum of exponentials": (
        lambda x: tf.math.log(tf.reduce_sum(tf.exp(x))), [-200.0, -201.0], "log", "tf.reduce_logsumexp(x)",
    ),
    "exponential less one": (lambda x: tf.exp(x) - 1.0, 1e-6, "subtract", "tf.math.expm1(x)"),
    "log of almost one": (lambda x: tf.math.log(1.0 + x), 1e-9, "log", "tf.math.log1p(x)"),
    "one less a cosine": (lambda x: 1.0 - tf.cos(x), 1e-4, "subtract", "2 * tf.sin(x / 2) ** 2"),
    "complement of a sigmoid": (lambda x: 1.0 - tf.sigmoid(x), [18.0, 20.0], "subtract", "tf.sigmoid(-x)"),
    "variance along an axis": (
        lambda x: tf.reduce_mean(x**2, axis=1, keepdims=True) - tf.reduce_mean(x, axis=1, keepdims=True) ** 2,
        FAR.reshape(2, -1), "subtract", "tf.math.reduce_variance(x, axis=1, keepdims=True)",
    ),
    "log of sums of exponentials": (
        lambda x: tf.math.log(tf.reduce_sum(tf.exp(x), axis=1)), [[-200.0, -201.0], [-150.0, -300.0]], "log",
        "tf.reduce_logsumexp(x, axis=1)",
    ),
    "log of almost one, from below": (
        lambda x: tf.math.log(1.0 - x), [1e-8, 1e-9], "log", "tf.math.log1p(-x)",
    ),
    "difference of roots": (lambda x: tf.sqrt(x + 1.0) - tf.sqrt(x), 1e7, "subtract", ""),
}  # fmt: skip

STABLE = {
    "softplus": (tf.math.softplus, [100.0, -20.0, 0.0]),
    "softmax": (tf.nn.softmax, [100.0, 99.0, -200.0]),
    "log of softmax": (tf.nn.log_softmax, [0.0, -120.0]),
    "variance": (tf.math.reduce_variance, FAR),
    "normalised": (lambda x: (x - tf.reduce_mean(x)) / tf.math.reduce_std(x), FAR - 990.0),
    "centred": (lambda x: x - tf.reduce_mean(x), np.linspace(-1.0, 1.0, 101)),
    "a long sum": (tf.reduce_sum, FAR),
    "powers": (lambda x: tf.reduce_mean(x**3) + x**2, FAR),
    "the gradient of a norm": (lambda x: x / tf.norm(x), [1e-3, 1e3]),
    "log of sigmoid": (tf.math.log_sigmoid, [-120.0, 50.0]),
    "hypotenuse": (lambda x: tf.sqrt(x * x + 1.0), [1e-4, 3.0]),
    "difference of like numbers": (lambda x: x - 1.0, [1.0001, 0.9999]),
}


def lens(function, value):
    x = tf.constant(value, tf.float32)
    with tf.record(values="inputs") as tape:
        function(x)
    return tape.digits()


@pytest.mark.parametrize("name", LOSING)
def test_the_line_that_loses_digits_and_how_to_keep_them(name):
    function, value, op, rewrite = LOSING[name]
    found = lens(function, value)
    assert found[0].op == op
    assert found[0].after < 3 < found[0].before
    assert found[0].place.text.count("lambda")
    assert found[0].rewrite == rewrite
    if rewrite:
        assert found[0].better > 4.5
        x = tf.constant(value, tf.float32)
        assert np.isfinite(eval(rewrite, {"tf": tf, "x": x})).all()


@pytest.mark.parametrize("name", STABLE)
def test_what_is_stable_is_left_alone(name):
    found = lens(*STABLE[name])
    assert not found, found
    assert found.right
    assert "No line loses digits" in repr(found)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["eager", "traced"])
@pytest.mark.parametrize("name", ZOO)
def test_training_steps_of_real_models_lose_none(name, way):
    tf.random.set_seed(1)
    step = WAYS[way](ZOO[name]())
    step()
    with tf.record(values="inputs", budget="256M") as tape:
        step()
    found = tape.digits()
    assert not found, found
    assert len(found.right) > 50


def test_of_half_precision():
    x = tf.constant(np.linspace(1.0, 2.0, 64), tf.float16)
    with tf.record(values="inputs") as tape:
        y = x * 2.0
        tf.reduce_sum(tf.cast(y, tf.float32))
    found = tape.digits("float32")
    assert not found
    assert found.precision == "float32"


@pytest.mark.parametrize(("dtype", "step", "steps"), [("float16", 0.1, 3000), ("float32", 1e-8, 500)])
def test_a_sum_that_loses_a_little_each_time_is_told_once(dtype, step, steps):
    added = tf.constant([step], dtype)
    with tf.record(values="inputs") as tape:
        total = added
        for _ in range(steps):
            total = total + added
        if dtype == "float32":
            total = added + 1.0
            for _ in range(steps):
                total = total + added
            total - 1.0
    (loss,) = tape.digits()
    assert loss.after < 1.5 < loss.before
    assert loss.op == ("add" if dtype == "float16" else "subtract")


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_sum_that_keeps_its_digits_is_left_alone(dtype):
    with tf.record(values="inputs") as tape:
        total = added = tf.constant(np.linspace(1.0, 2.0, 16), dtype)
        for _ in range(20):
            total = total + added
            total = total * 0.9 + 0.1
    assert not tape.digits()


def test_as_text():
    found = lens(lambda x: tf.exp(x) - 1.0, 1e-6)
    text = str(found)
    assert "subtract has 1 digit right of what had 7" in text
    assert "tf.math.expm1(x) has 7" in text


@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.uniform, tf.random.truncated_normal])
def test_random_numbers_are_those_that_were_drawn(draw):
    tf.random.set_seed(3)
    with tf.record(values="inputs") as tape:
        w = tf.Variable(draw([4, 3]), name="w")
        y = tf.reduce_sum(w * w)
    found = tape.digits()
    assert list(found) == []
    assert found.right[tape.number("w")] > 6
    assert found.right[tape.number(y)] > 5
