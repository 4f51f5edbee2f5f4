"""Hidden units on the flat part of their function are named; outputs, gates and units that learn are not."""

import numpy as np
import pytest

import tapeviz as tf

FUNCTIONS = {"tanh": tf.tanh, "sigmoid": tf.sigmoid, "softsign": tf.nn.softsign}


def of_units(tape):
    return [found for found in tape.verdicts() if "passed" in found.evidence]


def train(function, scale, *, hidden=True, steps=3):
    rng = np.random.default_rng(0)
    x = (rng.random((32, 4)) * scale).astype("float32")
    y = rng.random((32, 1)).astype("float32")
    w1 = tf.Variable(rng.normal(size=(4, 8 if hidden else 1)).astype("float32"), name="w1")
    w2 = tf.Variable(rng.normal(size=(8, 1)).astype("float32"), name="w2")
    with tf.record() as tape:
        for _ in range(steps):
            with tf.GradientTape() as g:
                h = function(x @ w1)
                p = h @ w2 if hidden else h
                loss = tf.reduce_mean((p - y) ** 2)
            sources = [w1, w2] if hidden else [w1]
            for variable, gradient in zip(sources, g.gradient(loss, sources), strict=True):
                variable.assign_sub(0.01 * gradient)
    return tape


@pytest.mark.parametrize("name", FUNCTIONS)
def test_inputs_that_are_not_scaled_are_named_on_the_line_of_the_units(name):
    (found,) = of_units(train(FUNCTIONS[name], 1000.0 if name == "softsign" else 255.0))
    assert (found.kind, found.severity) == ("not_learning", 2)
    assert found.site.text == "h = function(x @ w1)"
    assert f"passes through {name}: its units are saturated" in found.text
    assert "scale the inputs" in found.fix


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_scaled_inputs_are_fine(name, scale):
    assert of_units(train(FUNCTIONS[name], scale)) == []


def test_outputs_that_are_as_they_should_be_are_no_hidden_units():
    assert of_units(train(tf.sigmoid, 100.0, hidden=False)) == []


def test_what_passes_is_that_of_the_gradients():
    tape = train(tf.tanh, 255.0, steps=1)
    (found,) = of_units(tape)
    rows = tape.recording.gradients
    by_op = {int(rows.tensor[at]): float(np.linalg.norm(tape.value(int(rows.gradient[at])))) for at in range(len(rows))}
    made = found.tensor
    event = found.event
    (read,) = (int(edge) for edge in tape.recording.edges.tensor[
        (tape.recording.edges.event == event) & (tape.recording.edges.tensor != made)])  # fmt: skip
    assert found.evidence["passed"] == pytest.approx(by_op[read] / by_op[made], rel=1e-5)


def test_gates_may_be_saturated():
    x = tf.constant(np.random.default_rng(1).random((16, 5, 4)).astype("float32"))
    lstm = tf.keras.layers.LSTM(8, bias_initializer=tf.keras.initializers.Constant(12.0))
    head = tf.keras.layers.Dense(1)
    with tf.record() as tape, tf.GradientTape() as g:
        loss = tf.reduce_mean(head(lstm(x)) ** 2)
        g.gradient(loss, [*lstm.trainable_variables, *head.trainable_variables])
    assert of_units(tape) == []


def test_one_batch_of_several_may_be_saturated():
    rng = np.random.default_rng(2)
    w1, w2 = (tf.Variable(rng.normal(size=shape).astype("float32")) for shape in ((4, 8), (8, 1)))
    with tf.record() as tape:
        for scale in (100.0, 1.0):
            x = (rng.random((32, 4)) * scale).astype("float32")
            with tf.GradientTape() as g:
                loss = tf.reduce_mean((tf.tanh(x @ w1) @ w2) ** 2)
            g.gradient(loss, [w1, w2])
    assert of_units(tape) == []
