"""The first op whose result is no finite number raises, once asked for; the words are TensorFlow's."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tapeviz.engine.state import active, local

NAN = float("nan")


@pytest.fixture(autouse=True)
def _watched():
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()
    assert active == []
    assert local.state.observer is None


def message(run):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run()
    return str(caught.value)


def test_the_report_of_one_input():
    assert message(lambda: tf.math.log(tf.constant([0.0, -1.0]))) == (
        '\n\n!!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1) !!!\n'
        "  dtype: <dtype: 'float32'>\n  shape: (2,)\n  # of -Inf elements: 1\n  # of +NaN elements: 1\n\n"
        "  Input tensor: tf.Tensor([ 0. -1.], shape=(2,), dtype=float32)\n\n"
        " : Tensor had -Inf and NaN values"
    )


def test_the_report_of_two_inputs():
    text = message(lambda: tf.constant([-1.0, 1.0, 0.0]) / tf.constant([0.0, 0.0, 0.0]))
    assert 'op "RealDiv"' in text
    assert "  Input tensors (2):\n         0: tf.Tensor([-1.  1.  0.], shape=(3,), dtype=float32)\n" in text
    assert " : Tensor had -Inf, +Inf, and NaN values" in text


def test_what_only_passes_on_is_let_through():
    x = tf.constant([NAN])
    for passing in (tf.identity, lambda x: tf.reshape(x, [1, 1]), lambda x: tf.concat([x, x], 0), lambda x: x[0]):
        passing(x)
    assert 'op "Max"' in message(lambda: tf.reduce_max(x))
    assert 'op "Cast"' in message(lambda: tf.cast(tf.constant(1e300, tf.float64), tf.float32))


def test_gradients_are_looked_at():
    x = tf.constant([0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    assert "Detected Infinity or NaN in output 0 of a gradient" in message(lambda: tape.gradient(y, x))


def test_finite_numbers_and_others_pass():
    assert tf.reduce_sum(tf.constant([1.0, 2.0]) * 3.0).numpy() == 9.0
    assert (tf.constant([1, 2]) + 1).numpy().tolist() == [2, 3]


def test_it_can_be_turned_off():
    tf.debugging.disable_check_numerics()
    assert tf.math.log(0.0).numpy() == -float("inf")


@pytest.mark.parametrize("call", [lambda f: f, tf.function])
def test_a_gradient_is_looked_at_wherever_it_is_computed(call):
    x = tf.Variable(0.0)

    @call
    def slope():
        with tf.GradientTape() as tape:
            y = tf.sqrt(x)
        return tape.gradient(y, x)

    assert "output 0 of a gradient" in message(slope)


def test_a_recording_is_told_all_the_same():
    with tf.record() as run:
        tf.debugging.enable_check_numerics()
        message(lambda: tf.math.log(tf.constant(0.0)))
    assert run is not None
    tf.debugging.disable_check_numerics()
    tf.debugging.disable_check_numerics()
