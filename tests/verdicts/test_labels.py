"""Labels outside the classes, the probabilities or an output's range, and in the place of the predictions."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.verdicts.snippets import findings, program

_DATA = """
rng = np.random.default_rng(0)
x = rng.normal(size=(32, 4)).astype("float32")
classes = rng.integers(0, 3, 32)
hot = np.eye(3, dtype="float32")[classes]
price = (x.sum(axis=1, keepdims=True) * 50 + 300).astype("float32")
binary = (x[:, :1] > 0).astype("float32")
Dense = tf.keras.layers.Dense

def train(model, loss):
    for _ in range(3):
        with tf.GradientTape() as tape:
            value = loss(model(x))
        gradients = tape.gradient(value, model.trainable_variables)
        for variable, gradient in zip(model.trainable_variables, gradients):
            variable.assign_sub(0.01 * gradient)
"""
_MISTAKES = {
    "classes from 1": """
        def loss(logits):
            return tf.reduce_mean(
                tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(classes + 1, 3), logits))  # fault

        train(tf.keras.Sequential([Dense(3)]), loss)
    """,
    "classes of a pipeline": """
        dataset = tf.data.Dataset.from_tensor_slices((x, classes + 5)).batch(8)
        model = tf.keras.Sequential([Dense(3)])
        for rows, labels in dataset:
            with tf.GradientTape() as tape:
                targets = tf.one_hot(tf.cast(labels, tf.int32), depth=6)  # fault
                value = tf.reduce_mean((model(rows) @ tf.ones([3, 6]) - targets) ** 2)
    """,
    "labels of -1 and 1": """
        entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        train(tf.keras.Sequential([Dense(1)]), lambda logits: entropy(binary * 2 - 1, logits))  # fault
    """,
    "values for probabilities": """
        def loss(logits):
            return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=price, logits=logits))  # fault

        train(tf.keras.Sequential([Dense(1)]), loss)
    """,
    "Keras' loss the wrong way round": """
        entropy = tf.keras.losses.CategoricalCrossentropy()
        model = tf.keras.Sequential([Dense(8, activation="relu"), Dense(3, activation="softmax")])
        train(model, lambda predictions: entropy(predictions, hot))  # fault
    """,
    "a binary loss the wrong way round": """
        entropy = tf.keras.losses.BinaryCrossentropy()
        model = tf.keras.Sequential([Dense(1, activation="sigmoid")])
        train(model, lambda predictions: entropy(predictions, binary))  # fault
    """,
    "a loss by hand the wrong way round": """
        model = tf.keras.Sequential([Dense(3, activation="softmax")])
        train(model, lambda p: -tf.reduce_mean(tf.reduce_sum(p * tf.math.log(hot + 1e-8), axis=1)))  # fault
    """,
    "a sigmoid for prices": """
        model = tf.keras.Sequential([Dense(8, activation="relu"), Dense(1, activation="sigmoid")])  # fault
        model.compile("adam", "mse")
        model.fit(x, price, epochs=2, verbose=0)
    """,
    "a sigmoid for prices by hand": """
        w = tf.Variable(tf.zeros([4, 1]))
        for _ in range(3):
            with tf.GradientTape() as tape:
                output = tf.sigmoid(x @ w)  # fault
                value = tf.reduce_mean(tf.math.squared_difference(output, price))
            w.assign_sub(0.01 * tape.gradient(value, w))
    """,
}
_FINE = {
    "classes that have a column": """
        train(tf.keras.Sequential([Dense(3)]), lambda logits: tf.reduce_mean(
            tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(classes, 3), logits)))
    """,
    "no class": """
        targets = tf.one_hot(np.array([0, 1, -1, 2]), 3)
    """,
    "places beyond a capacity, as experts have them": """
        router = tf.Variable(rng.normal(size=(4, 2)).astype("float32"))
        with tf.GradientTape() as tape:
            scores = tf.nn.softmax(x @ router)
            expert = tf.one_hot(tf.argmax(scores, axis=1), 2, dtype=tf.int32)
            place = tf.reduce_max(tf.cumsum(expert) * expert, axis=1) - 1
            kept = tf.one_hot(place, 4)
            value = tf.reduce_sum(kept * tf.reduce_max(scores, axis=1, keepdims=True))
        tape.gradient(value, router)
    """,
    "smoothed labels": """
        entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1)
        train(tf.keras.Sequential([Dense(1)]), lambda logits: entropy(binary, logits))
    """,
    "losses the right way round": """
        entropy, binary_entropy = tf.keras.losses.CategoricalCrossentropy(), tf.keras.losses.BinaryCrossentropy()
        train(tf.keras.Sequential([Dense(3, activation="softmax")]), lambda p: entropy(hot, p))
        train(tf.keras.Sequential([Dense(1, activation="sigmoid")]), lambda p: binary_entropy(binary, p))
    """,
    "a divergence from a prior": """
        prior = np.array([0.2, 0.3, 0.5], "float32")
        model = tf.keras.Sequential([Dense(3, activation="softmax")])
        train(model, lambda p: tf.reduce_mean(tf.reduce_sum(p * (tf.math.log(p) - tf.math.log(prior)), axis=1)))
    """,
    "a temperature learned from a teacher": """
        teacher = tf.keras.Sequential([Dense(3, activation="softmax")])
        student = tf.keras.Sequential([Dense(3, activation="softmax")])
        sure = lambda: teacher(x * 100)
        train(student, lambda p: tf.reduce_mean((p - sure()) ** 2))
    """,
    "a linear output for prices": """
        model = tf.keras.Sequential([Dense(8, activation="sigmoid"), Dense(1)])
        model.compile("adam", "mse")
        model.fit(x, price, epochs=2, verbose=0)
    """,
    "a sigmoid that is scaled": """
        model = tf.keras.Sequential([Dense(1, activation="sigmoid")])
        train(model, lambda p: tf.reduce_mean((600.0 * p - price) ** 2))
    """,
    "a gate": """
        gate = tf.Variable(tf.zeros([4]))
        with tf.GradientTape() as tape:
            value = tf.reduce_sum((1.0 - tf.sigmoid(gate)) * 100.0 + (tf.sigmoid(gate) - 0.5) ** 2)
        tape.gradient(value, gate)
    """,
}


@pytest.mark.parametrize("text", _MISTAKES.values(), ids=_MISTAKES.keys())
def test_labels_that_cannot_be_meant_are_named_on_their_line(text: str, tmp_path: Path):
    made = program(_DATA + textwrap.dedent(text), tmp_path)
    (found,) = findings(made, "labels")
    assert found.site.line in made.faults


@pytest.mark.parametrize("text", _FINE.values(), ids=_FINE.keys())
def test_nothing_is_said_of_labels_that_are_meant(text: str, tmp_path: Path):
    assert findings(program(_DATA + textwrap.dedent(text), tmp_path), "labels") == []
