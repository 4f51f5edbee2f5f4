"""``%tapes`` lists, shows and forgets."""

import gc
import weakref

import numpy as np
import pytest

from tapeviz import Tape
from tapeviz.magics.tape_history import TapeHistory
from tapeviz.recording import Builder


def test_nothing_yet(notebook):
    assert "no tapes yet" in notebook.run("%tapes").text


def test_a_tape_is_a_line(notebook):
    notebook.run("%%tape -q -n first\nx + 1.0")
    notebook.attempt("%%tape -q\nx * 2.0\nraise ValueError")
    header, first, second = notebook.run("%tapes").text.splitlines()
    assert header.split() == ["cell", "title", "ops", "ms", "bytes", "status"]
    assert first.split()[:5] == ["1", "In", "[3]", "first", "1"]
    assert first.endswith("complete")
    assert second.split()[:4] == ["2", "In", "[4]", "tape"]
    assert second.endswith("stopped by ValueError")


def test_show_shows_one_again(notebook):
    notebook.run("%%tape -q -n first\nx + 1.0")
    assert "first" in notebook.run("%tapes show 1").text


@pytest.mark.parametrize("line", ["show", "show 7", "show x", "show 1 2", "shwo 1"])
def test_what_is_not_understood_is_answered_in_one_line(notebook, line):
    notebook.run("%%tape -q\nx + 1.0")
    assert notebook.refused(f"%tapes {line}").startswith("%tapes")


def test_clear_forgets_them_all(notebook):
    notebook.run("%%tape -q\nx + 1.0;")
    tape = weakref.ref(notebook["_tape"])
    assert "forgot 1 tape" in notebook.run("%tapes clear").text
    assert "no tapes yet" in notebook.run("%tapes").text
    gc.collect()
    assert tape() is None


class View:
    closed = False

    def close(self):
        self.closed = True


def test_a_cell_that_runs_again_replaces_its_tape_and_its_view():
    tape_history = TapeHistory()
    view = View()
    tape_history.add(Tape(Builder().recording()), "a", 1).view = view
    tape_history.add(Tape(Builder().recording()), "b", 2)
    assert not view.closed
    tape_history.add(Tape(Builder().recording()), "a", 3)
    assert view.closed
    assert tape_history.numbers() == [2, 3]


def test_several_tapes_of_one_run_stay():
    tape_history = TapeHistory()
    for _ in range(3):
        tape_history.add(Tape(Builder().recording()), "a", 1)
    assert tape_history.numbers() == [1, 2, 3]


def test_old_tapes_give_their_tensors_back():
    tape_history, tapes = TapeHistory(), [Tape(Builder().recording()) for _ in range(4)]
    for tape in tapes:
        tape.finish({0: np.empty(100 * 2**20, "u1")})
        tape_history.add(tape, "a", 1)
    assert [tape.held for tape in tapes] == [0, 0, 100 * 2**20, 100 * 2**20]


def test_a_loop_does_not_fill_the_memory():
    tape_history = TapeHistory()
    for _ in range(200):
        tape_history.add(Tape(Builder().recording()), "a", 1)
    assert tape_history.numbers() == list(range(151, 201))
