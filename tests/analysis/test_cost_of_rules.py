"""What the rules cost grows with the recording, not with its square: counted in calls, which are the same each time."""

import sys

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.analysis.verdicts import verdicts

DRAW = np.random.default_rng(0)
IDS = tf.constant(DRAW.integers(1, 40, size=(8, 6)) * (DRAW.uniform(size=(8, 6)) < 0.4))
ROWS = tf.constant(DRAW.normal(size=(8, 6)), tf.float32)


def dense():
    model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    return model, lambda: tf.reduce_mean(tf.square(model(ROWS) - ROWS[:, :1]))


def words():
    table = tf.keras.layers.Embedding(40, 5)
    head = tf.keras.layers.Dense(40)
    model = tf.keras.Sequential([table, head])

    def loss():
        # Whole numbers that come in anew each step, as batches do.
        ids, labels = tf.constant(IDS.numpy()), tf.constant(IDS.numpy())
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=model(ids))
        return tf.reduce_mean(losses * tf.cast(labels > 0, tf.float32))

    return model, loss


def recurrent():
    cell = tf.keras.layers.GRUCell(4)

    def loss():
        state = tf.zeros([8, 4])
        for at in range(3):
            _, (state,) = cell(ROWS[:, at : at + 2], [state])
        return tf.reduce_sum(tf.exp(state))

    return cell, loss


def classes():
    model = tf.keras.Sequential([tf.keras.layers.Dense(6), tf.keras.layers.Dropout(0.2), tf.keras.layers.Dense(3)])
    labels = tf.constant(DRAW.integers(0, 3, size=8))
    return model, lambda: tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(
        labels, model(tf.nn.softmax(ROWS), training=True)
    )


def calls_for(program, steps):
    """How many calls of Python functions the rules make over so many steps of training."""
    model, loss_of = program()
    optimizer = tf.keras.optimizers.Adam(1e-3)
    with tf.record(budget="256M") as tape:
        for _ in range(steps):
            with tf.GradientTape() as g:
                loss = loss_of()
            optimizer.apply_gradients(
                zip(g.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
            )
    recording, calls = tape.recording, 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        verdicts(recording)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("program", [dense, words, recurrent, classes])
def test_six_times_the_steps_cost_about_six_times(program):
    few, many = calls_for(program, 50), calls_for(program, 300)
    assert many < 7 * few
