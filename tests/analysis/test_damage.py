"""Whatever part of a recording is missing, a question ends in an answer or in the error that questions have."""

import contextlib
from functools import cache

import pytest

from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.nonfinite.origins import nonfinite
from tapeviz.analysis.verdicts import verdicts
from tapeviz.analysis.why.explanation import answer, why, why_none
from tapeviz.analysis.why.questions import of_request
from tapeviz.exports import summary_text
from tapeviz.recording import SCHEMA, Builder
from tests.analysis.cells import record_cell
from tests.recording.network import training_step

CODE = """
w = tf.Variable([[1.0, 2.0], [0.0, 4.0]], name="w")
v = tf.Variable([[1.0], [2.0]], name="v")
for step in range(2):
    with tf.GradientTape(persistent=True) as tape:
        h = tf.where(w > 0.0, tf.math.log(w), 0.0) @ v
        back = tf.constant(h.numpy())
        loss = tf.reduce_sum(back * back)
        other = tf.reduce_sum(h)
    g = tape.gradient(loss, [w, v])
    g = tape.gradient(other, [w, v])
    w.assign_sub(0.0 * w)
try:
    w @ tf.ones([3, 3])
except Exception:
    pass
"""


@cache
def whole():
    tape, names = record_cell(CODE, values="all")
    assert "error" not in names, names["error"]
    return tape.recording


def part(recording, rows):
    """Return a recording of the first rows of each table, ``rows(name, count)`` of them."""
    builder = Builder()
    for name in SCHEMA:
        table = recording.table(name)
        count = rows(name, len(table))
        if count:
            builder.extend(name, {column: table.cells(column)[:count] for column in table.columns})
    return builder.recording()


def ask_everything(recording):
    graph = graph_of(recording)
    for row in range(len(recording.requests)):
        str(answer(of_request(graph, row)))
    for target, source in [("loss", "w"), ("other", "v"), (None, "w"), ("h", "h"), ("x", "w1"), (0, 1)]:
        with contextlib.suppress(LookupError):
            str(why(recording, target, source))
    with contextlib.suppress(LookupError):
        str(why_none(recording))
    assert all(verdict.row() for verdict in verdicts(recording))
    str(nonfinite(recording))
    assert all(len(line) <= 80 for line in summary_text.summary(recording).splitlines())


def test_the_whole_can_be_asked():
    ask_everything(whole())
    ask_everything(training_step().recording())
    ask_everything(Builder().recording())


@pytest.mark.parametrize("missing", SCHEMA)
def test_a_table_may_be_missing(missing):
    ask_everything(part(whole(), lambda name, count: 0 if name == missing else count))


@pytest.mark.parametrize("eighths", range(8))
def test_a_recording_may_end_early(eighths):
    ask_everything(part(whole(), lambda _name, count: count * eighths // 8))


@pytest.mark.parametrize("short", SCHEMA)
def test_a_table_may_end_early(short):
    ask_everything(part(whole(), lambda name, count: count // 2 if name == short else count))
