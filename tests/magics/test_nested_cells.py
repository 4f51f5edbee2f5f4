"""Magics over magics: each cell gives one tape, and each cell's value comes through."""

import numpy as np
import pytest

from tapeviz.recording.schema import KINDS
from tests.magics.conftest import ops_of


@pytest.mark.parametrize(
    "headers", ["%%tape -q\n%%time", "%%time\n%%tape -q", "%%mode eager\n%%tape -q", "%%tape -q\n%%device cpu"]
)
def test_over_and_under_another_magic(notebook, headers):
    ran = notebook.run(f"{headers}\ny = x + 1.0\ny * 2.0")
    assert np.array_equal(ran.value, [[4, 6], [8, 10]])
    assert ops_of(notebook["_tape"]) == ["add", "multiply"]
    assert notebook["y"] is not None


def test_a_tape_within_a_tape_is_a_part_of_it(notebook):
    ran = notebook.run("%%tape -q\ny = x + 1.0\nz = %tape y * 2.0\nz - 1.0")
    tape = notebook["_tape"]
    assert ops_of(tape) == ["add", "multiply", "subtract"]
    events = [event for event in tape.events if KINDS[event.kind] != "gc"]  # Python's collector runs when it likes
    inner = events[1]
    kinds = [(KINDS[event.kind], event.parent) for event in events]
    assert kinds == [("op", -1), ("span", -1), ("op", inner.id), ("op", -1)]
    assert '"span": "tape"' in tape.recording.text(inner.params)
    assert ran.text.count("tape") == 0
    assert np.array_equal(ran.value, [[3, 5], [7, 9]])


def test_only_the_outermost_is_listed(notebook):
    notebook.run("%%tape -q\n%tape x + 1.0")
    assert len(notebook.run("%tapes").text.strip().splitlines()) == 2


def test_what_belongs_to_the_recording_is_said_to_have_no_effect_inside(notebook):
    ran = notebook.run("%%tape -q\n%tape --values all -n inner x + 1.0")
    assert "%tape: --name, --values has no effect inside a tape that is recording already" in ran.text


def test_a_tape_inside_record_is_a_part_too(notebook):
    notebook.run("with tf.record() as outer:\n    y = %tape -o inner x + 1.0")
    assert notebook["inner"] is notebook["outer"]


def test_an_error_inside_is_told_once(notebook):
    ran = notebook.attempt("%%tape\ny = x + 1.0\n%tape 1 / 0")
    assert isinstance(ran.error, ZeroDivisionError)
    assert ran.text.count("Stopped at") == 1


def test_gradients_of_an_inner_tape(notebook):
    notebook.run("%%tape -q\n%tape --wrt w tf.reduce_sum(w * w)")
    tape = notebook["_tape"]
    assert len(tape.requests) == 1
