"""Gradients of which nothing comes are named; what reads them, shows them or asks by several variables is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verdicts.snippets import findings, program

_HEAD = """
x = np.random.default_rng(0).normal(size=(16, 4)).astype("float32")
y = x.sum(axis=1, keepdims=True)
w, b = tf.Variable(tf.ones([4, 1])), tf.Variable(tf.zeros([1]))
def error():
    return tf.reduce_mean((x @ w + b - y * 2) ** 2)
"""
_MISTAKES = {
    "never applied": """
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = error()
    gradients = tape.gradient(loss, [w, b])  # fault
    print(float(loss))
""",
    "of a loss from before the loop": """
optimizer = tf.keras.optimizers.SGD(0.05)
with tf.GradientTape(persistent=True) as tape:
    loss = error()
for _ in range(6):
    gradients = tape.gradient(loss, [w, b])  # fault
    optimizer.apply_gradients(zip(gradients, [w, b]))
""",
}
_UNASKED = """
optimizer = tf.keras.optimizers.SGD(0.05)
for epoch in range(3):
    for first in range(0, 16, 4):
        with tf.GradientTape() as tape:  # fault
            loss = tf.reduce_mean((x[first:first + 4] @ w + b - y[first:first + 4]) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
"""
_FINE = {
    "now and then only looked at": """
optimizer = tf.keras.optimizers.SGD(0.05)
for step in range(12):
    with tf.GradientTape() as tape:
        loss = error()
    if step % 2 == 0:
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
""",
    "a tape for the second derivative that is seldom asked": """
for step in range(8):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            loss = error()
        gradient = tape.gradient(loss, w)
    w.assign_sub(0.01 * gradient)
""",
    "applied in a branch of a graph": """
@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w + b) ** 2)
    gradients = tape.gradient(loss, [w, b])
    if loss > 0.0:
        w.assign_sub(0.01 * gradients[0])
        b.assign_sub(0.01 * gradients[1])
    return loss
for _ in range(6):
    step(tf.constant(x))
""",
    "returned by a function": """
@tf.function
def gradients_of(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ w + b) ** 2)
    return tape.gradient(loss, [w, b])
for _ in range(6):
    for variable, gradient in zip([w, b], gradients_of(tf.constant(x))):
        variable.assign_sub(0.01 * gradient)
""",
    "applied": """
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = error()
    for variable, gradient in zip([w, b], tape.gradient(loss, [w, b])):
        variable.assign_sub(0.01 * gradient)
""",
    "printed": """
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = error()
    print(tape.gradient(loss, w))
""",
    "shown as an array": """
norms = []
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = error()
    norms.append(np.linalg.norm(tape.gradient(loss, w)))
""",
    "measured": """
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = error()
    size = tf.norm(tape.gradient(loss, w))
""",
    "for somebody else's optimizer": """
from scipy.optimize import minimize
def value_and_gradient(flat):
    w.assign(flat.reshape(4, 1).astype("float32"))
    with tf.GradientTape() as tape:
        loss = error()
    return float(loss), tape.gradient(loss, w).numpy().ravel().astype("float64")
minimize(value_and_gradient, np.ones(4), jac=True, options={"maxiter": 4})
""",
    "by the input": """
for _ in range(6):
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        loss = tf.reduce_sum(given @ w)
    tape.gradient(loss, given)
""",
    "one variable after the other from one tape": """
with tf.GradientTape(persistent=True) as tape:
    loss = error()
for _ in range(3):
    for variable in (w, b):
        gradient = tape.gradient(loss, variable)
        print(gradient)
""",
    "a few times, to look at them later": """
kept = []
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = error()
    kept.append(tape.gradient(loss, w))
""",
}


@pytest.mark.parametrize("text", _MISTAKES.values(), ids=_MISTAKES.keys())
def test_gradients_of_which_nothing_comes_are_named(text: str, tmp_path: Path):
    made = program(_HEAD + text, tmp_path)
    (found,) = findings(made, "not_learning")
    assert found.site.line in made.faults
    assert "6 times" in found.text


@pytest.mark.parametrize("text", _FINE.values(), ids=_FINE.keys())
def test_nothing_is_said_of_gradients_that_are_used(text: str, tmp_path: Path):
    assert [one for one in findings(program(_HEAD + text, tmp_path), "not_learning") if "asked for" in one.text] == []


def test_tapes_that_nobody_asks_are_named(tmp_path: Path):
    made = program(_HEAD + _UNASKED, tmp_path)
    (found,) = findings(made, "not_learning")
    assert found.site.line in made.faults
    assert "12 tapes recorded here, and gradients are asked of 3:" in found.text
