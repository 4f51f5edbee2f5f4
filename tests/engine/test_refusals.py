"""An op that cannot run says which op, with which arguments, on which line of the user's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.state import observing


class Witness:
    """An observer that keeps what failed."""

    on_addend = None

    def __init__(self):
        self.failures = []

    def on_op_error(self, op, inputs, attrs, _t0, error):
        self.failures.append((op.name, [tuple(x.shape) for x in inputs], attrs, error))

    def __getattr__(self, _name):
        return lambda *_args: None


def test_the_message_names_shapes_arguments_and_line():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))  # the line of the user's
    message = str(caught.value)
    for part in (
        "a: float32 [2, 3]",
        "b: float32 [2, 3]",
        "[Op:MatMul]",
        "the line of the user's",
        "transpose_a=False",
    ):
        assert part in message


def test_the_error_has_no_engine_inside():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.constant([1.0]) + tf.constant([1])
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    "fail",
    [
        lambda x: tf.reshape(x, [5]),
        lambda x: x + tf.ones([4]),
        lambda x: x @ tf.ones([4, 4]),
        lambda x: tf.concat([x, tf.ones([3])], 0),
        lambda x: tf.gather(x, [7]),
        lambda x: x[5],
    ],
)
def test_a_failed_op_is_seen_by_the_observer(fail):
    x = tf.ones([2, 3])
    witness = Witness()
    with observing(witness), pytest.raises(tf.errors.InvalidArgumentError) as caught:
        fail(x)
    assert len(witness.failures) == 1
    assert witness.failures[0][3] is caught.value


def test_a_failed_op_leaves_the_tape_in_order():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with pytest.raises(tf.errors.InvalidArgumentError):
            y + tf.ones([3])
        z = tf.reduce_sum(y)
    assert tape.gradient(z, x).numpy().tolist() == [2.0, 4.0]


def test_a_gradient_that_fails_uses_the_tape_up_and_nothing_stays_on():
    @tf.custom_gradient
    def bad(x):
        def grad(_upstream):
            raise KeyError("mine")

        return x * 1.0, grad

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = bad(x)
    with pytest.raises(KeyError, match="mine"):
        tape.gradient(y, x)
    assert (x + 1.0).numpy() == 2.0


def test_nan_and_infinity_come_without_a_warning_and_numpys_own_stay():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(tf.sqrt(-1.0).numpy())
        assert tf.math.log(0.0).numpy() == -np.inf
        assert (tf.constant(1.0) / 0.0).numpy() == np.inf
        assert tf.exp(1000.0).numpy() == np.inf
        x = tf.constant(0.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.log(x)
        assert tape.gradient(y, x).numpy() == np.inf
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.log(np.zeros(1))


def test_errors_are_of_one_family():
    assert issubclass(tf.errors.InvalidArgumentError, tf.errors.OpError)
    error = tf.errors.InvalidArgumentError("text", "add")
    assert (error.message, error.op, error.code) == ("text", "add", 3)


@pytest.mark.parametrize("target", [None, [None], 2.0])
def test_what_cannot_be_differentiated_is_named(target):
    x = tf.constant(1.0)
    words = f"be differentiated, but received {target[0] if isinstance(target, list) else target}"
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
    for call in (tape.gradient, tf.function(tape.gradient)) if target is None else (tape.gradient,):
        with pytest.raises(TypeError, match=words):
            call(target, x)
