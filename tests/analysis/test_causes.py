"""Causes are only named where the recording bears them out, and what is advised mends the program."""

import numpy as np
import pytest

from tests.analysis.cells import record_cell

GRADIENT = """
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(EXPRESSION)
g = tape.gradient(loss, x)
"""


def run(x, expression):
    tape, names = record_cell(GRADIENT.replace("EXPRESSION", expression), f"x = tf.constant({x})", values="all")
    assert "error" not in names, names["error"]
    return tape, names


# What the program computes, the pattern, what the advice says, and the program with that done.
REPAIRS = [
    ("[0.0, 4.0]", "tf.sqrt(x)", "sqrt_zero", "tf.sqrt(x + 1e-12)", "tf.sqrt(x + 1e-12)"),
    ("[-2.0, 0.0]", "tf.sqrt(x)", "sqrt_negative", "tf.sqrt(tf.maximum(x, 1e-12))", "tf.sqrt(tf.maximum(x, 1e-12))"),
    ("[0.0, 0.0]", "tf.norm(x)", "sqrt_zero", "tf.reduce_sum(x * x) + 1e-12", "tf.sqrt(tf.reduce_sum(x * x) + 1e-12)"),
    ("[0.0, 0.0]", "x / tf.norm(x)", "divide_zero", "tf.math.l2_normalize", "tf.math.l2_normalize(x)"),
    ("[0.0, 0.0]", "x / tf.norm(x)", "divide_zero", "below the root", "x / tf.sqrt(tf.reduce_sum(x * x) + 1e-12)"),
    ("[0.0, 2.0]", "1.0 / x", "divide_zero", "tf.math.divide_no_nan", "tf.math.divide_no_nan(1.0, x)"),
    ("[-1.0, 0.0, 2.0]", "tf.math.log(x)", "log_negative", "tf.maximum(x, 1e-7)", "tf.math.log(tf.maximum(x, 1e-7))"),
    ("[-2.0, -1.0]", "tf.math.log1p(x)", "log_negative", "-1 + 1e-6", "tf.math.log1p(tf.maximum(x, -1 + 1e-6))"),
    ("[-1.0, 2.0]", "tf.math.log1p(x)", "log_zero", "-1 + 1e-6", "tf.math.log1p(tf.maximum(x, -1 + 1e-6))"),
    ("[1.0000001, 0.5]", "tf.acos(x)", "domain", "1 - 1e-6)", "tf.acos(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))"),
    ("[1.0, 0.5]", "tf.acos(x)", "domain_edge", "1 - 1e-6)", "tf.acos(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))"),
    ("[-1.0, 0.5]", "tf.atanh(x)", "domain_edge", "-1 + 1e-6", "tf.atanh(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))"),
    ("[0.5, 2.0]", "tf.acosh(x)", "domain", "tf.maximum(x, 1 + 1e-6)", "tf.acosh(tf.maximum(x, 1 + 1e-6))"),
    ("[3.0, 3.0]", "tf.math.reduce_std(x)", "sqrt_zero", "reduce_variance(x) + 1e-12",
     "tf.sqrt(tf.math.reduce_variance(x) + 1e-12)"),
    ("[3.0, 3.0]", "x / tf.math.reduce_std(x)", "divide_zero", "reduce_variance(x) + 1e-12",
     "x / tf.sqrt(tf.math.reduce_variance(x) + 1e-12)"),
    ("[-200.0, -300.0]", "tf.math.log(tf.reduce_sum(tf.exp(x)))", "log_zero", "tf.reduce_logsumexp(x)",
     "tf.reduce_logsumexp(x)"),
    ("[-1250.0, 1.0]", "tf.math.log(tf.exp(x))", "log_zero", "leave out both", "x"),
    ("[0.0, 2.0]", "x ** 0.5", "pow_zero", "tf.maximum(x, 1e-7)", "tf.maximum(x, 1e-7) ** 0.5"),
    ("[120.0, 1.0]", "tf.exp(x)", "overflow", "tf.clip_by_value(x, -10.0, 10.0)",
     "tf.exp(tf.clip_by_value(x, -10.0, 10.0))"),
    ("[1000.0, 1.0]", "tf.exp(x) / tf.reduce_sum(tf.exp(x))", "overflow", "tf.nn.softmax", "tf.nn.softmax(x)"),
    ("[200.0, -200.0]", "tf.math.log(tf.nn.softmax(x))", "log_zero", "tf.nn.log_softmax", "tf.nn.log_softmax(x)"),
    ("[40.0, 1.0]", "tf.math.log(1.0 - tf.sigmoid(x))", "log_zero", "tf.math.log_sigmoid", "tf.math.log_sigmoid(-x)"),
    ("[300.0, 1.0], tf.float16", "x * x", "overflow", "tf.cast(x, tf.float32)", "tf.cast(x, tf.float32) ** 2"),
    ("[0.0, 1.0], tf.float16", "tf.sqrt(x)", "sqrt_zero", "x + 1e-4", "tf.sqrt(x + 1e-4)"),
    ("[0.0, 1.0], tf.float16", "tf.math.log(x)", "log_zero", "tf.maximum(x, 1e-4)", "tf.math.log(tf.maximum(x, 1e-4))"),
]  # fmt: skip


@pytest.mark.parametrize(("x", "broken", "pattern", "advice", "repaired"), REPAIRS)
def test_what_is_advised_leaves_nothing_that_is_not_finite(x, broken, pattern, advice, repaired):
    tape, _ = run(x, broken)
    first = tape.nonfinite()[0]
    assert first.pattern == pattern
    assert advice in first.fix
    tape, names = run(x, repaired)
    assert np.isfinite(names["g"].numpy()).all()
    assert tape.nonfinite() == []


VARIANCE = """
h = tf.Variable([[120.0, 1.0]])
with tf.GradientTape() as tape:
    mean, log_var = h[:, 1:], h[:, :1]
    loss = tf.reduce_sum(1 + log_var - mean * mean - tf.exp(log_var))
g = tape.gradient(loss, h)
"""
ENTROPY = """
z, y = tf.Variable([40.0, 1.0]), tf.constant([0.0, 1.0])
with tf.GradientTape() as tape:
    p = tf.sigmoid(z)
    loss = tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))
g = tape.gradient(loss, z)
"""
TWICE = """
w = tf.Variable(1.0)
with tf.GradientTape() as tape:
    a = w * 3e38
    b = w * 3e38
g = tape.gradient([a, b], w)
"""
MASK = "s = tf.Variable([[0.0, 1.0]])\na = tf.nn.softmax(tf.where([[True, False]], s, -np.inf))"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        # What is added to a gradient that is infinite already has no part in it.
        (VARIANCE, [("exp", "overflow")]),
        (ENTROPY, [("log", "log_zero")]),
        # Two finite gradients whose sum is not.
        (TWICE, [("multiply", "overflow")]),
        # A mask of -inf is meant; a row that is masked altogether is not.
        (MASK, []),
        (MASK.replace("True", "False"), [("softmax", "all_masked")]),
        # Infinite, and nothing says why: nothing is claimed.
        ("x = tf.constant([0.0, 1.0])\ny = tf.math.lgamma(x)", [("lgamma", None)]),
        ("x = tf.constant([0.5, 1.0])\ny = tf.reduce_sum(x) * np.inf", [("constant", None)]),
    ],
    ids=["exp", "logs", "sum", "mask", "all masked", "unknown", "constant"],
)
def test_causes_are_named_once_and_only_where_known(code, wanted):
    tape, names = record_cell(code)
    assert "error" not in names, names["error"]
    assert [(found.op, found.pattern) for found in tape.nonfinite()] == wanted


def test_a_sum_of_finite_gradients_is_said_to_be_one():
    (found,) = record_cell(TWICE)[0].nonfinite()
    assert "from several uses sum to more than float32 can hold" in found.says


def test_a_diverging_fit_begins_at_an_op_and_not_at_its_variables():
    """What a traced step assigns is another tensor in the next one: it did not come in from outside."""
    code = """
    m = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    m.compile(optimizer=tf.keras.optimizers.SGD(1e6), loss="mse")
    m.fit(np.ones((16, 4), "float32"), np.zeros((16, 1), "float32"), batch_size=4, epochs=8, verbose=0)
    """
    tape, names = record_cell(code)
    assert "error" not in names, names["error"]
    found = tape.nonfinite()
    assert found
    assert all(one.event >= 0 for one in found)


def test_row_numbers_are_not_to_be_made_floating_point():
    code = """
    table, ids = tf.Variable(tf.ones([5, 2])), tf.constant([1, 2])
    with tf.GradientTape() as t:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids))
    g = t.gradient(loss, [table, ids])
    """
    (found,) = record_cell(code)[0].verdicts()
    assert found.evidence["reason"] == "integer_dtype"
    assert "floating-point" not in found.fix
    assert "(table)" in found.fix


def test_a_layers_variable_keeps_its_name_whatever_a_loop_calls_it():
    code = """
    for kernel in [layer.kernel for layer in layers]:
        kernel.assign_sub(0.1 * kernel)
    with tf.GradientTape() as t:
        loss = tf.reduce_sum(layers[0](x))
    g = t.gradient(loss, [layer.kernel for layer in layers])
    """
    before = """
    layers = [tf.keras.layers.Dense(2, name=name) for name in ("first", "second")]
    x = tf.ones([1, 2])
    layers[1](layers[0](x))
    """
    (found,) = record_cell(code, before)[0].verdicts()
    assert found.text.startswith("second/kernel: gradient of loss is None")


def test_variables_made_under_one_name_are_told_apart():
    code = """
    ws = []
    for n in range(3):
        w = tf.Variable(1.0 + n)
        ws.append(w)
    with tf.GradientTape() as t:
        loss = ws[0] * 2.0
    g = t.gradient(loss, ws)
    """
    found = record_cell(code)[0].verdicts()
    names = [one.text.partition(":")[0] for one in found]
    assert len(set(names)) == 2
    assert all(name.startswith("w #") for name in names)
    # None of them took the other's place: they are asked for together.
    assert {one.evidence["reason"] for one in found} == {"unconnected"}
