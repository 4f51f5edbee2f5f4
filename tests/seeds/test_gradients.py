"""Gradients as the announcement of eager execution and its guide take them."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.contrib.eager as tfe


def square(x):
    return tf.multiply(x, x)


def test_the_gradient_of_a_square(capsys):
    slope = tfe.gradients_function(square)
    print(square(3.0))
    print(slope(3.0))
    assert capsys.readouterr().out.splitlines() == [
        "tf.Tensor(9.0, shape=(), dtype=float32)",
        "[<tf.Tensor: shape=(), dtype=float32, numpy=6.0>]",
    ]


def test_the_second_gradient_of_a_square(capsys):
    slope = tfe.gradients_function(square)
    bend = tfe.gradients_function(lambda x: slope(x)[0])
    print(bend(3.0))
    assert capsys.readouterr().out == "[<tf.Tensor: shape=(), dtype=float32, numpy=2.0>]\n"


@pytest.mark.parametrize(("order", "wanted"), [(1, 12.0), (2, 12.0), (3, 6.0)])
def test_gradients_function_to_third_order(order, wanted):
    def derivative(f):
        slope = tfe.gradients_function(f)
        return lambda x: slope(x)[0]

    def cube(x):
        return x * x * x

    function = cube
    for _ in range(order):
        function = derivative(function)
    assert function(2.0).numpy() == wanted


def distance(x):
    return x if x > 0.0 else -x


def test_gradients_follow_the_branch_that_was_taken(capsys):
    slope = tfe.gradients_function(distance)
    print(slope(2.0))
    print(slope(-2.0))
    assert capsys.readouterr().out.splitlines() == [
        "[<tf.Tensor: shape=(), dtype=float32, numpy=1.0>]",
        "[<tf.Tensor: shape=(), dtype=float32, numpy=-1.0>]",
    ]


def test_gradients_go_through_loops_of_any_length():
    def power(x, times):
        result = tf.ones_like(x)
        for _ in range(times):
            result *= x
        return result

    for times in range(5):
        (found,) = tfe.gradients_function(power, params=[0])(2.0, times)
        assert found is None if times == 0 else found.numpy() == times * 2.0 ** (times - 1)


def test_a_tape_and_a_variable(capsys):
    w = tf.Variable([[1.0]])
    with tf.GradientTape() as tape:
        loss = w * w
    print(tape.gradient(loss, w))
    assert capsys.readouterr().out == "tf.Tensor([[2.]], shape=(1, 1), dtype=float32)\n"


def test_a_tape_answers_one_question():
    w = tf.Variable([[1.0]])
    with tf.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, w)
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        tape.gradient(loss, w)


def descend(function, start, rate=1.0):
    """Take one step downhill, halving its length until it pays."""
    with tf.GradientTape() as tape:
        tape.watch(start)
        value = function(start)
    slope = tape.gradient(value, start)
    promised = tf.reduce_sum(slope * slope)
    at_start = value
    while value > at_start - rate * promised:
        x = start - rate * slope
        value = function(x)
        rate /= 2.0
    return x, value


def test_line_search_step():
    point, value = descend(lambda x: tf.reduce_sum(x * x), tf.constant([3.0, -4.0]))
    assert np.array_equal(point, [0.0, 0.0])
    assert value.numpy() == 0.0
    point, value = descend(lambda x: tf.reduce_sum(10.0 * x * x), tf.constant([1.0]))
    assert point.numpy() == pytest.approx([0.375])
    assert value.numpy() == pytest.approx(1.40625)


def test_a_line_is_fitted():
    tf.random.set_seed(5)
    weight, bias = tf.Variable(5.0, name="weight"), tf.Variable(10.0, name="bias")
    inputs = tf.random.normal([2000])
    outputs = inputs * 3 + 2 + tf.random.normal([2000])

    def loss():
        return tf.reduce_mean(tf.square(inputs * weight + bias - outputs))

    gradients = tfe.implicit_gradients(loss)
    first = loss().numpy()
    for _ in range(300):
        for gradient, variable in gradients():
            variable.assign_sub(0.01 * gradient)
    assert 60.0 < first < 80.0
    assert loss().numpy() == pytest.approx(1.0, abs=0.15)
    assert weight.numpy() == pytest.approx(3.0, abs=0.15)
    assert bias.numpy() == pytest.approx(2.0, abs=0.15)


def test_the_value_comes_with_the_implicit_gradients():
    w = tf.Variable(2.0)
    value, [(gradient, variable)] = tfe.implicit_value_and_gradients(lambda x: (w * x - 1.0) ** 2)(3.0)
    assert (value.numpy(), gradient.numpy()) == (25.0, 30.0)
    assert variable is w
