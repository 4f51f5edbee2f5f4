"""A result that is NaN is a fault, whether the program looks at it, asks whether it is NaN, or fetches it."""

import numpy as np
import pytest

import tapeviz as tf
from tests.analysis.cells import record_cell

DATA = "x = tf.constant([-1.0, 4.0])"


@pytest.mark.parametrize(
    "asked",
    ["", "print(bool(tf.reduce_any(tf.math.is_nan(y))))", "n = tf.reduce_sum(tf.cast(tf.math.is_nan(y), tf.int32))",
     "good = tf.math.is_finite(y)"],
)  # fmt: skip
def test_to_ask_for_nan_is_no_use_of_a_result(asked):
    tape, _ = record_cell(f"y = tf.sqrt(x)\n{asked}", DATA)
    assert [(v.kind, v.severity, v.site.line) for v in tape.verdicts()] == [("nonfinite", 3, 1)]


def test_what_is_replaced_after_asking_is_harmless():
    tape, _ = record_cell("y = tf.sqrt(x)\nz = tf.where(tf.math.is_nan(y), 0.0, y)", DATA)
    assert [(v.kind, v.severity) for v in tape.verdicts()] == [("nonfinite", 1)]


def test_what_a_session_fetches_is_a_result():
    tf1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        x = tf1.placeholder(tf.float32, [2])
        loss = tf.reduce_sum(tf1.log(x))
    with tf.record() as tape, tf1.Session(graph=graph) as session:
        assert np.isneginf(session.run(loss, {x: [0.0, 1.0]}))
    assert [(v.kind, v.severity) for v in tape.verdicts()] == [("nonfinite", 3)]
    assert [row.kind for row in tape.exits] == [0]
