"""A relu before a cross-entropy, a softmax between dense layers and argmax down a batch are named; no attention is."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.verdicts.snippets import findings, program

_DATA = """
rng = np.random.default_rng(0)
x = rng.normal(size=(32, 4)).astype("float32")
classes = rng.integers(0, 3, 32)
target = x.sum(axis=1, keepdims=True)
Dense = tf.keras.layers.Dense
entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

def train(variables, loss):
    for _ in range(3):
        with tf.GradientTape() as tape:
            value = loss()
        for variable, gradient in zip(variables, tape.gradient(value, variables)):
            variable.assign_sub(0.01 * gradient)
"""
_MISTAKES = {
    "a relu for logits": """
        model = tf.keras.Sequential([Dense(8, activation="relu"), Dense(3, activation="relu")])  # fault
        model.compile("sgd", entropy)
        model.fit(x, classes, epochs=2, verbose=0)
    """,
    "a relu for logits by hand": """
        w, b = tf.Variable(rng.normal(size=(4, 3)).astype("float32")), tf.Variable(tf.zeros([3]))

        def loss():
            logits = tf.nn.relu(x @ w + b)  # fault
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(classes, logits))

        train([w, b], loss)
    """,
    "a softmax in the middle": """
        model = tf.keras.Sequential([
            Dense(16, activation="softmax"),  # fault
            Dense(1),
        ])
        model.compile("sgd", "mse")
        model.fit(x, target, epochs=2, verbose=0)
    """,
    "a softmax in the middle by hand": """
        w1, w2 = tf.Variable(rng.normal(size=(4, 8)).astype("float32")), tf.Variable(tf.ones([8, 1]))
        b1, b2 = tf.Variable(tf.zeros([8])), tf.Variable(tf.zeros([1]))

        def loss():
            hidden = tf.nn.softmax(x @ w1 + b1)  # fault
            return tf.reduce_mean((hidden @ w2 + b2 - target) ** 2)

        train([w1, w2, b1, b2], loss)
    """,
}
_MISTAKES["a class for each example"] = """
    model = tf.keras.Sequential([Dense(3, activation="softmax")])
    hot = tf.one_hot(classes, 3)
    right = tf.equal(
        tf.argmax(model(x)),  # fault
        tf.argmax(hot))
"""
_FINE = {
    "the class of each example": """
        model = tf.keras.Sequential([Dense(3, activation="softmax")])
        right = tf.equal(tf.argmax(model(x), axis=1), tf.argmax(tf.one_hot(classes, 3), axis=-1))
    """,
    "the largest of one column": """
        best = tf.argmax(Dense(1)(x))
        nearest = tf.argmin(tf.reduce_sum((x[:, None] - x[None]) ** 2, axis=-1), axis=0)
    """,
    "a relu in the middle": """
        model = tf.keras.Sequential([Dense(8, activation="relu"), Dense(3)])
        model.compile("sgd", entropy)
        model.fit(x, classes, epochs=2, verbose=0)
    """,
    "logits that happen to be above 0": """
        w = tf.Variable(tf.ones([4, 3]))
        train([w], lambda: tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(classes, tf.abs(x) @ w)))
    """,
    "attention": """
        attend = tf.keras.layers.MultiHeadAttention(2, 4)
        rows = tf.reshape(tf.tile(x, [1, 2]), [8, 8, 4])
        attend(rows, rows)
        train(attend.trainable_variables, lambda: tf.reduce_mean(attend(rows, rows) ** 2))
    """,
    "a memory that is read by weights": """
        keys, memory = tf.Variable(rng.normal(size=(4, 6)).astype("float32")), tf.Variable(tf.ones([6, 2]))
        train([keys, memory], lambda: tf.reduce_mean((tf.nn.softmax(x @ keys) @ memory - target) ** 2))
    """,
    "classes drawn with noise": """
        encode, decode = Dense(6), Dense(4)
        encode(x), decode(tf.ones([1, 6]))

        def loss():
            noise = -tf.math.log(-tf.math.log(tf.random.uniform([32, 6], 1e-6, 1.0)))
            return tf.reduce_mean((decode(tf.nn.softmax((encode(x) + noise) / 0.5)) - x) ** 2)

        train(encode.trainable_variables + decode.trainable_variables, loss)
    """,
    "experts mixed by weights": """
        gate, experts = Dense(3), [Dense(1) for _ in range(3)]
        for layer in (gate, *experts):
            layer(x)

        def loss():
            each = tf.concat([expert(x) for expert in experts], axis=1)
            return tf.reduce_mean((tf.reduce_sum(tf.nn.softmax(gate(x)) * each, axis=1, keepdims=True) - target) ** 2)

        train([v for layer in (gate, *experts) for v in layer.trainable_variables], loss)
    """,
}


@pytest.mark.parametrize("text", _MISTAKES.values(), ids=_MISTAKES.keys())
def test_an_activation_in_the_wrong_place_is_named_on_its_line(text: str, tmp_path: Path):
    made = program(_DATA + textwrap.dedent(text), tmp_path)
    (found,) = findings(made, "softmax")
    assert found.site.line in made.faults


@pytest.mark.parametrize("text", _FINE.values(), ids=_FINE.keys())
def test_nothing_is_said_of_what_is_meant(text: str, tmp_path: Path):
    assert findings(program(_DATA + textwrap.dedent(text), tmp_path), "softmax") == []
