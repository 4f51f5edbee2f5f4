"""What is no longer needed goes: a used tape holds no tensor, a dropped variable dies, nothing grows."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import tapeviz as tf


@pytest.fixture(autouse=True)
def _no_collector():
    """Leave everything to reference counts: what needs the collector to go shows as alive."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_used_tape_holds_no_tensor():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        middle = tf.exp(x)
        y = tf.reduce_sum(middle * middle)
    gone = [weakref.ref(middle), weakref.ref(y)]
    del middle
    assert gone[0]() is not None  # exp's gradient needs its output
    tape.gradient(y, x)
    del y
    assert [reference() for reference in gone] == [None, None]


@pytest.mark.parametrize(
    "fail",
    [lambda x: x @ x, lambda x: x + tf.constant(1), lambda x: tf.reshape(x, [7]), lambda x: tf.reduce_sum(x, axis=5)],
    ids=["shapes", "dtypes", "reshape", "axis"],
)
def test_what_a_failed_op_was_given_goes(fail):
    x = tf.constant([1.0, 2.0])
    gone = weakref.ref(x)
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        fail(x)
    del x
    assert gone() is None


def test_a_tape_never_asked_goes_with_what_it_holds():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        middle = weakref.ref(tf.exp(x))
    assert middle() is not None
    del tape
    assert middle() is None


def test_a_tape_keeps_only_what_gradients_need():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = weakref.ref(tf.add(x, 1.0))
        product = weakref.ref(tf.multiply(x, 2.0))
    assert total() is None
    assert product() is None
    assert tape is not None


def test_a_persistent_tape_holds_until_it_goes():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(x)
    tape.gradient(y, x)
    kept = weakref.ref(y)
    del y
    assert kept() is not None
    del tape
    assert kept() is None


def test_a_variable_goes_with_its_last_reference():
    variable = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        y = variable * 2.0
    reference = weakref.ref(variable)
    del variable
    assert reference() is None
    assert tape.watched_variables() == ()
    assert y.numpy() == [2.0]


def test_an_assigned_variable_lets_its_old_value_go():
    variable = tf.Variable([1.0])
    old = weakref.ref(variable.value())
    variable.assign([2.0])
    assert old() is None


def test_steps_of_training_leave_memory_flat():
    variable = tf.Variable(np.ones((4, 4), np.float32))

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.tanh(variable @ variable) ** 2)
        variable.assign_sub(0.1 * tape.gradient(loss, variable))

    def tensors():
        return sum(isinstance(thing, tf.Tensor) for thing in gc.get_objects())

    for _ in range(3):
        step()
    before = tensors()
    for _ in range(50):
        step()
    assert tensors() == before


def test_the_second_order_leaves_nothing_either():
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = weakref.ref(tf.exp(x))
            z = y() * x
        first = inner.gradient(z, x)
    assert outer.gradient(first, x) is not None
    del first, z
    assert y() is None


def test_a_function_that_computes_with_sizes_goes_with_its_last_reference():
    def traced():
        variable = tf.Variable([1.0, 2.0])
        double = tf.function(lambda x: tf.reshape(x * variable, [tf.shape(x)[0] * 2, -1]))
        assert double.get_concrete_function(tf.TensorSpec([None, 2])).structured_outputs.shape == (None, None)
        assert double(tf.ones([3, 2])).shape == (6, 1)
        return weakref.ref(variable)

    variable = traced()
    gc.collect()
    assert variable() is None
