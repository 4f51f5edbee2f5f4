"""A difference in words and as HTML: readable, small, without scripts; and whatever is missing, there is an answer."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tapeviz as tf
from tapeviz.exports import diff_html, diff_text
from tapeviz.recording import Builder, read
from tests.analysis.cells import record_cell
from tests.analysis.test_damage import part, whole
from tests.exports.test_summary_html import Reader

CODE = """
x = tf.constant([[1.0, 2.0], [3.0, {}]])
y = x
for i in range(40):
    y = tf.tanh(y @ x)
loss = tf.reduce_sum(y)
"""


@pytest.fixture(scope="module")
def pair():
    return tuple(record_cell(CODE.format(number), values="all", name=f"run {number}")[0] for number in ("4.0", "4.5"))


@pytest.fixture(scope="module")
def diff(pair):
    return tf.diff(*pair)


def test_in_words(diff):
    text = str(diff)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) < 40
    assert lines[0].startswith("a  run 4.0")
    assert "First difference: cell 2, line 1" in text
    assert "a: x = tf.constant([[1.0, 2.0], [3.0, 4.0]])" in text
    assert "b: x = tf.constant([[1.0, 2.0], [3.0, 4.5]])" in text
    assert "ULP: units in the last place; 1 ULP is the gap between" in text
    assert f"{diff.tally['inherited']} more rows inherit it" in text
    assert "… and" in text
    assert diff_text.sentence(diff) == diff.summary
    assert diff.summary.startswith("They first differ at cell 2, line 1: constant x differs by ")


def test_as_html(diff):
    page = diff._repr_html_()
    read_page = Reader(page)
    assert len(page) < 30_000
    assert {"script", "iframe", "link", "img"} & {tag for tag, _ in read_page.tags} == set()
    assert diff.summary in read_page.text
    assert str(diff) in read_page.text
    assert read_page.tags[0][1]["class"] == "tapeviz-static tapeviz-diff"
    assert diff._repr_mimebundle_() == {"text/plain": str(diff), "text/html": page}
    assert diff_html.summary(diff) == page


def test_random_numbers_are_named_as_such():
    one, other = (record_cell("x = tf.random.normal([3])\ny = x + 1.0", values="all")[0] for _ in range(2))
    text = str(tf.diff(one, other))
    assert "tf.random.set_seed" in text
    assert "What went into it agrees" not in text


def test_where_a_tape_stopped_is_said():
    code = "x = tf.ones([2, 3])\ny = tf.matmul(x, tf.ones([{}, 2]))\nz = y + 1.0"
    one, other = (record_cell(code.format(rows), values="all")[0] for rows in (3, 4))
    lines = str(tf.diff(one, other)).splitlines()
    assert "Stopped" not in lines[0]
    assert "Stopped at op" in lines[1]


def test_what_went_in_is_judged(diff):
    assert "What went into it agrees" not in str(diff)
    one = record_cell("x = tf.constant([0.5, 0.25])\ny = tf.sin(x)", values="all")[0]
    recording = one.recording
    at = recording.tensors.id[recording.tensors.producer >= 0][0]
    changed = np.array([0.5, 0.5], "f4").tobytes()
    assert "What went into it agrees within rounding, which explains 4 ULP here." in str(
        tf.diff(one, recording.with_rows("values", [{"tensor": int(at), "length": 2.0, "data": changed}]))
    )


def test_texts_are_no_markup():
    code = "x = tf.constant(1.0)  # <script>alert({})</script>\ny = x * {}"
    one, other = (record_cell(code.format(n, n), values="all", name="<b>&amp;")[0] for n in ("2.0", "3.0"))
    read_page = Reader(tf.diff(one, other)._repr_html_())
    assert {"script", "td"} & {tag for tag, _ in read_page.tags} == {"td"}
    assert "<b>&amp;" in read_page.text


@pytest.mark.parametrize("table", ["events", "edges", "tensors", "sites", "strings", "ops", "stats", "values", "names"])
@pytest.mark.parametrize("share", [0, 2])
def test_whatever_is_missing_there_is_an_answer(table, share):
    complete = whole()
    damaged = part(complete, lambda name, count: count // share if name == table and share else count * (name != table))
    for diff in (tf.diff(complete, damaged), tf.diff(damaged, complete), tf.diff(damaged, damaged)):
        assert str(diff)
        assert diff._repr_html_()
        assert len(diff.rows) == len(diff)


def test_numbers_that_point_nowhere_are_no_error():
    rng = np.random.default_rng(0)
    builder = Builder()
    for table in (
        "events",
        "edges",
        "tensors",
        "gradients",
        "requests",
        "stats",
        "nodes",
        "node_runs",
        "exits",
        "sites",
    ):
        types = {
            column: builder.recording().table(table)._types[column]
            for column in builder.recording().table(table).columns
        }
        builder.extend(table, {c: rng.integers(0, 255, 20) for c, t in types.items() if t not in ("text", "bytes")})
    for other in (builder.recording(), whole()):
        diff = tf.diff(builder.recording(), other)
        assert str(diff)
        assert len(diff.rows) == len(diff)


OPS = ("tf.sin(x)", "x * 1.5", "x + y", "tf.abs(x)", "tf.exp(-x)")


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(OPS), min_size=2, max_size=8), st.data())
def test_one_changed_line_is_the_first_difference(ops, data):
    at = data.draw(st.integers(0, len(ops) - 1))
    changed = [*ops[:at], "tf.square(x)", *ops[at + 1 :]]
    tapes = [
        record_cell("x = y = tf.constant([0.3, 0.7, 1.9])\n" + "\n".join(f"x = {op}" for op in lines), values="all")[0]
        for lines in (ops, changed)
    ]
    for one, other in (tapes, [read(tape.recording.to_bytes()) for tape in tapes]):
        diff = tf.diff(one, other)
        assert diff.first.line == at + 2
        assert not any(row.material for row in diff if row.line < at + 2)
        turned = tf.diff(other, one)
        assert turned.first.line == at + 2
        assert sorted((row.ulp, row.relative, row.absolute) for row in diff if row.what == "value") == sorted(
            (row.ulp, row.relative, row.absolute) for row in turned if row.what == "value"
        )
