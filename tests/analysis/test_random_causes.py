"""Random programs with numbers that are not finite: each cause is one, and none goes unsaid."""

import numpy as np
import pytest

from tapeviz.analysis.graph import graph_of
from tests.analysis.cells import record_cell

UNARY = [
    "tf.math.log(A)", "tf.sqrt(A)", "tf.exp(A * 30.0)", "tf.acos(A)", "tf.tanh(A)", "tf.nn.relu(A)", "A * A",
    "tf.math.reciprocal(A)", "tf.nn.softmax(A)", "tf.norm(A, axis=-1, keepdims=True) * A", "tf.square(A)",
]  # fmt: skip
BINARY = ["A + B", "A * B", "A / B", "A - B", "tf.where(A > 0.0, A, B)", "tf.maximum(A, B)", "tf.pow(tf.abs(A), B)"]


def program(seed):
    """Return a cell that computes a loss of two variables by a chain of random ops, and its gradients."""
    rng = np.random.default_rng(seed)
    lines, names = [], ["u", "v"]
    for number in range(int(rng.integers(2, 9))):
        first, second = rng.choice(names), rng.choice(names)
        text = rng.choice(UNARY if rng.random() < 0.5 else BINARY)
        lines.append(f"    h{number} = {text}".replace("A", str(first)).replace("B", str(second)))
        names.append(f"h{number}")
    total = " + ".join(f"tf.reduce_sum({name})" for name in names[2:])
    return "\n".join([
        "with tf.GradientTape() as tape:", *lines, f"    loss = {total}", "g = tape.gradient(loss, [u, v])",
    ])  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_a_cause_makes_of_finite_numbers_others_and_none_goes_unsaid(seed):
    before = "u = tf.Variable([0.0, 1.0, -0.5])\nv = tf.Variable([0.5, 0.0, 2.0])"
    tape, names = record_cell(program(seed), before, values="all")
    assert "error" not in names, names["error"]
    found, graph = tape.nonfinite(), graph_of(tape.recording)
    stats = graph.recording.stats
    bad = (stats.nan + stats.posinf + stats.neginf) > 0

    def is_bad(tensor):
        row = int(graph.links.stats[tensor])
        return row >= 0 and bool(bad[row])

    results = [names["loss"], *(gradient for gradient in names["g"] if gradient is not None)]
    wrong = [not np.isfinite(result.numpy()).all() for result in results]
    assert any(not one.harmless for one in found) == any(wrong)
    rows = {number: row for row, number in enumerate(graph.recording.events.id.tolist())}
    event, tensor, _ = graph.reads
    for one in found:
        row = rows[one.event]
        assert not any(is_bad(read) for read in tensor[event == row].tolist()), one
        assert any(is_bad(out) for out in graph.outputs[row]), one
    # A line that computes one thing is said once for each way that it goes wrong in.
    assert len({(one.op, one.phase, one.site_row) for one in found}) == len(found)


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e6])
def test_the_health_of_gradients_does_not_depend_on_the_scale_of_the_loss(scale):
    code = f"""
    ws = [tf.Variable(rng.normal(size=(6, 6)) * 0.4, dtype=tf.float64) for _ in range(25)]
    with tf.GradientTape() as tape:
        h = tf.constant(rng.normal(size=(4, 6)))
        for w in ws:
            h = tf.sigmoid(h @ w)
        loss = {scale} * tf.reduce_mean(h)
    g = tape.gradient(loss, ws[0])
    """
    tape, names = record_cell(code, "rng = np.random.default_rng(0)")
    assert "error" not in names, names["error"]
    assert [one.kind for one in tape.verdicts()] == []
    assert [one.kind for one in deeper(code).verdicts()] == ["vanishing"]


def deeper(code):
    return record_cell(code.replace("range(25)", "range(60)"), "rng = np.random.default_rng(0)")[0]
