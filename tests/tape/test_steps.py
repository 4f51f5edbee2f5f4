"""Steps of a program: their numbers are the engine's, and nothing is said that is not known."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.exports.steps_text import plain_formula

RNG = np.random.default_rng(3)
X = tf.constant(RNG.normal(size=(4, 3)), tf.float32)
W1 = tf.Variable(RNG.normal(size=(3, 5)), dtype=tf.float32, name="w1")
B1 = tf.Variable(RNG.normal(size=5), dtype=tf.float32, name="b1")
W2 = tf.Variable(RNG.normal(size=(5, 2)), dtype=tf.float32, name="w2")


def two_layers():
    return tf.reduce_sum(tf.tanh(X @ W1 + B1) @ W2)


def accumulated():
    return tf.reduce_sum(W1 * W1 + W1) + tf.reduce_mean(B1)


def broadcast():
    return tf.reduce_sum(tf.reshape(B1, [1, 5]) * tf.ones([4, 5]) - tf.reduce_mean(W1))


def attention():
    q, k = X @ W1, X @ W1
    return tf.reduce_sum(tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True)), X @ W1) @ W2)


@tf.function
def loop():
    h = X @ W1
    for _ in tf.range(3):
        h = tf.tanh(h + B1)
    return tf.reduce_sum(h @ W2)


PROGRAMS = [two_layers, accumulated, broadcast, attention, loop, tf.function(two_layers)]


def taped(program):
    with tf.record(values="all") as tape:
        with tf.GradientTape() as g:
            loss = program()
        found = g.gradient(loss, [W1, B1, W2])
    return tape, dict(zip(("W1", "B1", "W2"), found, strict=True))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_last_word_on_each_variable_is_its_gradient(program):
    tape, found = taped(program)
    told = [step.result for step in tape.steps() if step.kind != "forward"]
    last = {result.name.rpartition(" / d ")[2]: result.value for result in told}
    for name, gradient in found.items():
        if gradient is None:
            assert name not in last
        else:
            np.testing.assert_array_equal(last[name], tf.convert_to_tensor(gradient).numpy())


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_sum_is_what_was_before_and_what_is_added(program):
    tape, _ = taped(program)
    for step in tape.steps():
        if step.kind == "sum":
            np.testing.assert_allclose(step.result.value, step.upstream.value + step.inputs[0].value, rtol=1e-6)


RUNS = {
    "matmul": tf.matmul, "add": tf.add, "multiply": tf.multiply, "subtract": tf.subtract,
    "tanh": tf.tanh, "softmax": tf.nn.softmax,
}  # fmt: skip


@pytest.mark.parametrize("program", [two_layers, accumulated, broadcast])
def test_a_contribution_is_upstream_times_local_derivative(program):
    tape, _ = taped(program)
    tried = 0
    for step in tape.steps():
        if step.kind != "backward" or step.op not in RUNS:
            continue
        inputs = [tf.constant(quantity.value) for quantity in step.inputs]
        with tf.GradientTape() as g:
            g.watch(inputs)
            made = RUNS[step.op](*inputs)
        parts = g.gradient(made, inputs, output_gradients=tf.constant(step.upstream.value))
        assert any(part.shape == step.result.shape and np.allclose(part, step.result.value) for part in parts)
        tried += 1
    assert tried


def test_a_formula_that_speaks_of_the_output_is_no_input():
    x = tf.Variable([0.0, 1.0])
    with tf.record(values="all") as tape:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.exp(x))
        inner.gradient(y, x)
    steps = tape.steps()
    assert "through exp" in steps.show(len(steps))


def test_a_broadcast_input_says_what_is_summed():
    tape, _ = taped(two_layers)
    steps = tape.steps()
    (bias,) = [n for n, step in enumerate(steps, 1) if step.kind == "backward" and step.result.name.endswith("/ d B1")]
    assert steps[bias - 1].summed_axes == (0,)
    assert "summed over axis 0, along which the input was broadcast" in steps.show(bias)
    assert not any(step.summed_axes for step in steps if step.result.name.endswith("/ d W1"))


def test_shapes_explain_the_transpose():
    tape, _ = taped(two_layers)
    steps = tape.steps()
    (w1,) = [n for n, step in enumerate(steps, 1) if step.kind == "backward" and step.result.name.endswith("/ d W1")]
    assert "B̄ = Aᵀ C̄" in steps.show(w1)
    assert "shapes: (3, 4) (transposed) times (4, 5) is (3, 5)" in steps.show(w1)


def test_shapes_that_the_formula_does_not_bear_out_are_not_said():
    a, b = tf.Variable(tf.ones([3, 4])), tf.Variable(tf.ones([3, 2]))
    with tf.record(values="all") as tape:
        with tf.GradientTape() as g:
            loss = tf.reduce_sum(tf.matmul(a, b, transpose_a=True))
        g.gradient(loss, [a, b])
    steps = tape.steps("phase:backward op:matmul")
    assert len(steps) == 2
    assert not any("shapes:" in steps.show(n) for n in (1, 2))


def test_what_was_not_kept_is_no_zero():
    with tf.record(values="stats", budget=0) as tape:
        y = X + 1.0
    del y
    assert "0." not in tape.steps().show(1).partition("gives")[2]
    assert "— (its elements were not kept)" in tape.steps().show(1)


def test_second_order():
    v = tf.Variable([2.0, 3.0], name="v")
    with tf.record(values="all") as tape:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                cube = tf.reduce_sum(v * v * v)
            slope = inner.gradient(cube, v)
            total = tf.reduce_sum(slope * slope)
        found = outer.gradient(total, v)
    last = [step for step in tape.steps() if step.kind in ("backward", "sum") and step.result.name == "d total / d v"][
        -1
    ]
    np.testing.assert_allclose(last.result.value, found.numpy())
    np.testing.assert_allclose(found.numpy(), 36 * np.array([2.0, 3.0]) ** 3)


def test_a_selection_and_a_table():
    tape, _ = taped(two_layers)
    steps = tape.steps("wrt:W2")
    assert 0 < len(steps) < len(tape.steps())
    assert len(str(steps).splitlines()) == len(steps)
    assert str(tape.steps("op:cosh")) == "no steps"
    with pytest.raises(IndexError, match="steps 1 to"):
        steps.show(0)
    assert len(steps[:2]) == 2


@pytest.mark.parametrize(
    ("latex", "plain"),
    [(r"\bar A = \bar C\, B^\top", "Ā = C̄ Bᵀ"), (r"\bar x_i = \bar y_i\,[y_i > 0]", "x̄ᵢ = ȳᵢ [yᵢ > 0]"),
     (r"y_i = \frac{1}{x_i}", r"yᵢ = \frac{1}{xᵢ}")],
)  # fmt: skip
def test_formulas_as_text(latex, plain):
    assert plain_formula(latex) == plain


def test_elements_are_kept_once_of_a_gradient_that_another_tape_follows():
    v = tf.Variable([2.0, 3.0], name="v")
    with tf.record(values="all") as tape:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                cube = tf.reduce_sum(v * v * v)
            slope = inner.gradient(cube, v)
        outer.gradient(slope, v)
    kept = tape.recording.values.tensor.tolist()
    assert len(kept) == len(set(kept))
    assert all(step.result.value is not None for step in tape.steps())


def test_elements_that_an_older_recording_holds_twice_are_read():
    with tf.record(values="all") as tape:
        y = X + 1.0
    number = tape.number(y)
    rows = [row for row in tape.recording.table("values") if row.tensor == number]
    twice = tape.recording.with_rows("values", [row._asdict() for row in rows])
    np.testing.assert_array_equal(tf.Tape(twice).value(number), y.numpy())
