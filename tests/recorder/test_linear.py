"""What an op costs does not depend on how many there were before it."""

import gc
from statistics import median
from time import process_time

import pytest

import tapeviz as tf


def mixed(rounds):
    """Ops of all kinds: small ones, some with several outputs, passes, updates, scopes, values read, failures."""
    w, b = tf.Variable([[1.0, 0.5], [0.25, 1.0]]), tf.Variable([0.0, 0.0])
    x, optimizer = tf.constant([[1.0, 2.0]]), tf.keras.optimizers.SGD(0.01)
    for turn in range(rounds):
        with tf.name_scope("step"):
            with tf.GradientTape() as tape:
                h = tf.tanh(tf.matmul(x, w) + b)
                p, q = tf.split(h, 2, axis=1)
                y = tf.reduce_sum(tf.reshape(p * q, [-1])) + tf.reduce_mean(h)
            optimizer.apply_gradients(zip(tape.gradient(y, [w, b]), [w, b], strict=True))
            float(y)
        if turn % 50 == 0:
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.matmul(x, x)


def seconds_an_event(rounds, values):
    gc.collect()  # what the recording before this one has left
    t0 = process_time()
    with tf.record(values=values) as tape:
        mixed(rounds)
    return (process_time() - t0) / len(tape.events)


@pytest.mark.slow
@pytest.mark.parametrize("values", ["none", "stats"])
def test_ten_times_as_many_mixed_ops_take_ten_times_as_long(values):
    mixed(10)
    seconds_an_event(20, values)  # finds the price of recording, once
    few, many = [], []
    for _ in range(4):  # short ones on either side of a long one, so that a machine that is busy for a while slows both
        few += [seconds_an_event(150, values) for _ in range(2)]
        many.append(seconds_an_event(1500, values))
        few += [seconds_an_event(150, values) for _ in range(2)]
    assert median(many) <= 1.3 * median(few)
