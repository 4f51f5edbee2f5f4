"""Marks for the editors of cells: what they say of gradients, and that they say no more than the recording does."""

import linecache

import pytest

import tapeviz as tf
from tapeviz.exports.editor_marks import editor_marks
from tapeviz.recording.rows.sites import Cell


def marks_of(body, **options):
    linecache.cache["<a cell>"] = (len(body), None, body.splitlines(keepends=True), "<a cell>")
    cell = Cell(3, f"%%tape\n{body}", 2)
    with tf.record(cell_of=lambda file: cell if file == "<a cell>" else None, **options) as tape:
        exec(compile(body, "<a cell>", "exec"), {"tf": tf})
    return editor_marks(tape.recording)


LOST = """w = tf.Variable([[0.5], [-0.3]])
v = tf.Variable(1.0)
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as g:
    h = x @ w
    loss = tf.reduce_sum(h * h)
dw, dv = g.gradient(loss, [w, v])
"""


@pytest.fixture(scope="module")
def lost():
    return marks_of(LOST)


def test_a_line_counts_from_the_magic_and_has_both_directions(lost):
    line = next(line for line in lost["cells"][0]["lines"] if line["line"] == 6)
    forward, backward, made = line["figures"]
    assert (forward.split(" in ")[0], backward.split(" in ")[0], made) == ("1 op forward", "1 backward", "16 B made")
    assert len(line["events"]) == 2
    assert 0 < line["part"] <= 1


def test_a_lost_gradient_is_marked_where_it_was_asked_for(lost):
    [(line, finding)] = [(ln["line"], f) for ln in lost["cells"][0]["lines"] for f in ln["findings"]]
    assert (line, finding["kind"], finding["health"]) == (8, "gradient_none", "none")
    assert lost["findings"] == [0, 1, 0]


def test_names_say_shape_range_and_gradient(lost):
    facts = {name: known["facts"] for name, known in lost["names"].items()}
    assert facts["h"][0] == "(2, 1) float32"
    assert facts["h"][1].startswith("−0.1 … 0.3, mean 0.1")
    assert facts["h"][2].startswith("gradient: |g| 0.632, ")
    assert facts["w"][0] == "variable, (2, 1) float32"
    assert facts["v"][-1] == "gradient: None"
    assert facts["dw"][-1] == "gradient: none was taken"


def test_where_no_statistics_were_kept_no_range_is_said():
    facts = marks_of(LOST, values="none")["names"]["h"]["facts"]
    assert facts == ["(2, 1) float32", "its elements were not looked at", "gradient: its elements were not looked at"]


def test_a_name_means_what_it_stood_for_last():
    names = marks_of("h = tf.ones([2])\nh = tf.reshape(tf.ones([6]) * 2.0, [3, 2])")["names"]
    assert names["h"]["facts"][:2] == ["(3, 2) float32", "2"]


def test_one_line_alone_is_not_the_slowest():
    [line] = marks_of("y = tf.ones([2]) * 2.0")["cells"][0]["lines"]
    assert not line["slowest"]
