"""Losses that grow from call to call; and those that rise and are well."""

from __future__ import annotations

import pytest

import tapeviz as tf
from tests.verdicts.cells import findings

MISTAKES = {
    "a rate that is too large": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            w.assign_sub(3.0 * tape.gradient(loss, w))  # here
        """,
    "by an optimizer": """
        w = tf.Variable(tf.random.normal([4, 1]))
        sgd = optimizers.SGD(3.0)
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            sgd.apply_gradients([(tape.gradient(loss, w), w)])  # here
        """,
    "with momentum": """
        w = tf.Variable(tf.random.normal([4, 1]))
        sgd = optimizers.SGD(3.0, momentum=0.9)
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            sgd.apply_gradients([(tape.gradient(loss, w), w)])  # here
        """,
    "in a traced function": """
        w = tf.Variable(tf.random.normal([4, 1]))
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            w.assign_sub(3.0 * tape.gradient(loss, w))  # here
        for _ in range(12):
            step()
        """,
    "compiled": """
        w = tf.Variable(tf.random.normal([4, 1]))
        @tf.function(jit_compile=True)
        def step():
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            w.assign_sub(3.0 * tape.gradient(loss, w))  # here
        for _ in range(12):
            step()
        """,
    "by fit": """
        model = tf.keras.Sequential([layers.Dense(1)])
        model.compile(optimizers.SGD(3.0), "mse")  # here
        model.fit(x, y, epochs=12, batch_size=16, verbose=0)
        """,
    "until it is NaN": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(40):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            w.assign_sub(300.0 * tape.gradient(loss, w))  # here
        """,
    "squares that are summed": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(x @ w - y))
            w.assign_sub(0.2 * tape.gradient(loss, w))  # here
        """,
    "features that are large": """
        w = tf.Variable(tf.zeros([4, 1]))
        for _ in range(8):
            with tf.GradientTape() as tape:
                loss = mse(300.0 * x @ w, 100.0 * y)
            w.assign(w - 0.01 * tape.gradient(loss, w))  # here
        """,
    "nothing that bounds it": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(x @ w) - tf.reduce_mean(y * (x @ w))
            w.assign_sub(900.0 * tape.gradient(loss, w))  # here
        """,
}

LOOK_ALIKES = {
    "a first rise by momentum": """
        w = tf.Variable(tf.zeros([4, 1]))
        sgd = optimizers.SGD(0.5, momentum=0.9)
        for _ in range(30):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y)
            sgd.apply_gradients([(tape.gradient(loss, w), w)])
        """,
    "a start near 0": """
        w = tf.Variable(tf.zeros([4, 1]))
        for step in range(12):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y * 10.0 ** (step - 11.0))
            w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
    "one batch with an outlier": """
        w = tf.Variable(tf.zeros([4, 1]))
        for step in range(12):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, y + (200.0 if step == 5 else 0.0))
            w.assign_sub(0.01 * tape.gradient(loss, w))
        """,
    "a large loss that falls": """
        w = tf.Variable(tf.zeros([4, 1]))
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, 1e6 * y)
            w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
    "a likelihood that rises": """
        m = tf.Variable(0.0)
        for _ in range(20):
            with tf.GradientTape() as tape:
                loss = -tf.reduce_sum(-tf.square(m - 3.0))
            m.assign_sub(0.1 * tape.gradient(loss, m))
        """,
    "nothing is updated": """
        w = tf.Variable(1.0)
        for step in range(12):
            with tf.GradientTape() as tape:
                value = tf.exp(w * float(step))
            tape.gradient(value, w)
        """,
    "powers": """
        for degree in range(1, 9):
            z = tf.constant(8.0)
            with tf.GradientTape() as tape:
                tape.watch(z)
                value = z**degree
            tape.gradient(value, z)
        """,
    "two losses from one line": """
        a, b = tf.Variable(tf.zeros([4, 1])), tf.Variable(tf.zeros([4, 1]))
        for _ in range(6):
            for v, scale in ((a, 1.0), (b, 30.0)):
                with tf.GradientTape() as tape:
                    loss = mse(x @ v, scale * y)
                v.assign_sub(0.1 * tape.gradient(loss, v))
        """,
    "noise": """
        w = tf.Variable(tf.zeros([4, 1]))
        for _ in range(12):
            with tf.GradientTape() as tape:
                loss = mse(x @ w, 5.0 * tf.random.normal([16, 1]))
            w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
    "by fit": """
        model = tf.keras.Sequential([layers.Dense(1)])
        model.compile(optimizers.SGD(0.1), "mse")
        model.fit(x, y, epochs=6, batch_size=4, verbose=0)
        """,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_loss_that_grows_is_one_finding_where_it_is_updated(name: str):
    found = findings(MISTAKES[name], "diverging")
    assert [line.endswith("# here") for _, line in found] == [True]
    assert found[0][0].evidence["tensors"]


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_one_that_rises_and_is_well_is_none(name: str):
    assert [str(one) for one, _ in findings(LOOK_ALIKES[name], "diverging")] == []


def test_what_follows_from_it_is_worth_knowing_only():
    with tf.record() as tape:
        w, x = tf.Variable(2.0), tf.constant(50.0)
        for _ in range(30):
            with tf.GradientTape() as inner:
                loss = tf.square(w * x - 1.0)
            w.assign_sub(inner.gradient(loss, w))
    assert [one.kind for one in tape.verdicts() if one.severity > 1] == ["diverging"]
    assert all("begun to grow" in one.text for one in tape.verdicts()[1:])
