"""Layers that cannot learn, on the line that makes them so; and those that can."""

from __future__ import annotations

import pytest

from tests.verdicts.cells import findings

_TRAIN = """
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(model(x), y)
            v = model.trainable_variables
            for one, g in zip(v, tape.gradient(loss, v)):
                one.assign_sub(0.01 * g)
        """
_FIT = """
        model.compile(optimizers.SGD(0.01), "mse")
        model.fit(x, y, epochs=2, batch_size=8, verbose=0)
        """

MISTAKES = {
    "five sigmoids": """
        model = tf.keras.Sequential()
        for _ in range(5):
            model.add(layers.Dense(20, activation="sigmoid"))  # here
        model.add(layers.Dense(1))"""
    + _TRAIN,
    "five sigmoids, by fit": """
        model = tf.keras.Sequential()
        for _ in range(5):
            model.add(layers.Dense(20, activation="sigmoid"))  # here
        model.add(layers.Dense(1))"""
    + _FIT,
    "five sigmoids, by hand": """
        weights = [tf.Variable(0.3 * tf.random.normal([4, 4])) for _ in range(5)]
        for _ in range(3):
            with tf.GradientTape() as tape:
                h = x
                for w in weights:
                    h = tf.sigmoid(h @ w)  # here
                loss = mse(tf.reduce_sum(h, 1, keepdims=True), y)
            for w, g in zip(weights, tape.gradient(loss, weights)):
                w.assign_sub(0.1 * g)
        """,
    "a mean over one feature": """
        w = tf.Variable(tf.random.normal([4, 1]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                h = x @ w
                h = h - tf.reduce_mean(h, axis=1, keepdims=True)  # here
                loss = mse(h, y)
            w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
}

ZEROS = {
    "weights of 0": """
        a, b = tf.Variable(tf.zeros([4, 3])), tf.Variable(tf.zeros([3, 1]))  # here
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = mse(tf.nn.relu(x @ a) @ b, y)
            for v, g in zip([a, b], tape.gradient(loss, [a, b])):
                v.assign_sub(0.1 * g)
        """,
    "a relu at the end, by fit": """
        model = tf.keras.Sequential()
        model.add(layers.Dense(3, activation="relu", kernel_initializer="ones"))
        model.add(layers.Dense(1, activation="relu", bias_initializer=tf.keras.initializers.Constant(-90.0)))  # here"""
    + _FIT,
    "a tanh of large numbers, by fit": """
        x = 1e4 * x
        model = tf.keras.Sequential()
        model.add(layers.Dense(3, activation="tanh"))  # here
        model.add(layers.Dense(1))"""
    + _FIT,
}

LOOK_ALIKES = {
    "three relus": "model = sequential([layers.Dense(9, activation='relu') for _ in range(3)] + [layers.Dense(1)])"
    + _TRAIN,
    "one sigmoid": "model = sequential([layers.Dense(9, activation='sigmoid'), layers.Dense(1)])" + _TRAIN,
    "two sigmoids, by fit": (
        "model = sequential([layers.Dense(9, activation='sigmoid') for _ in range(2)] + [layers.Dense(1)])" + _FIT
    ),
    "the gates of an LSTM": (
        "model = sequential([layers.Reshape([4, 1]), layers.LSTM(5), layers.Dense(1, activation='sigmoid')])" + _TRAIN
    ),
    "four tanh": "model = sequential([layers.Dense(9, activation='tanh') for _ in range(4)] + [layers.Dense(1)])"
    + _TRAIN,
    "a layer normalization": (
        "model = sequential([layers.Dense(9), layers.LayerNormalization(), layers.Dense(1)])" + _TRAIN
    ),
    "a batch normalization": (
        "model = sequential([layers.Dense(9), layers.BatchNormalization(), layers.Dense(1)])" + _FIT
    ),
    "a last layer of 0": (
        "model = sequential([layers.Dense(9, activation='tanh'), layers.Dense(1, kernel_initializer='zeros')])" + _TRAIN
    ),
    "a regression that begins at 0": "model = layers.Dense(1, kernel_initializer='zeros')" + _TRAIN,
    "the mean of a batch of one that is measured": """
        for _ in range(3):
            one = x[:1]
            print(one - tf.reduce_mean(one, axis=0, keepdims=True))
        """,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_what_cannot_learn_is_one_finding(name: str):
    assert [line.endswith("# here") for _, line in findings(MISTAKES[name], "not_learning")] == [True]


@pytest.mark.parametrize("name", ZEROS)
def test_gradients_of_0_are_named_where_the_layer_is_made(name: str):
    assert True in [line.endswith("# here") for _, line in findings(ZEROS[name], "vanishing")]


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_can_is_none(name: str):
    body = "sequential = tf.keras.Sequential\n" + LOOK_ALIKES[name].replace("\n        ", "\n")
    assert [str(one) for kind in ("not_learning", "vanishing") for one, _ in findings(body, kind)] == []
