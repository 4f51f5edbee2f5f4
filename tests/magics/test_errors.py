"""A cell that raises leaves its partial tape and the same exception; only ``--keep-going`` holds that back."""

import re
from pathlib import Path

import pytest

import tapeviz
from tapeviz.recording.schema import STATUSES
from tests.magics.conftest import ops_of

# Not by the word in a path: a clone is called tapeviz, and all that is installed lies in it.
PACKAGE = Path(tapeviz.__file__).parent
CELL = "%%tape\ny = x + 1.0\nz = y * 2.0\nraise ValueError('mine')\nafter = 1"


def test_the_same_exception_is_raised(notebook):
    notebook.run("mine = ValueError('mine')")
    ran = notebook.attempt("%%tape\nx + 1.0\nraise mine")
    assert ran.error is notebook["mine"]
    assert not notebook.shell.last_execution_succeeded
    assert ran.error.__context__ is None
    assert ran.error.__cause__ is None


def test_the_partial_tape_is_shown_with_where_it_stopped(notebook):
    ran = notebook.attempt(CELL)
    assert "Stopped at op 1, line 4: ValueError: mine" in ran.text
    tape = notebook["_tape"]
    assert ops_of(tape) == ["add", "multiply"]
    assert tape.recording.meta_dict()["stopped"] == {"event": 1, "line": 4, "type": "ValueError", "text": "mine"}
    assert ran.text.index("Stopped") < ran.text.index("----> 4")
    assert "after" not in notebook.shell.user_ns


def test_an_error_before_the_first_op_says_so(notebook):
    assert "Stopped before the first op, line 2: ZeroDivisionError" in notebook.attempt("%%tape\n1 / 0").text


def test_a_failed_op_is_part_of_the_tape(notebook):
    ran = notebook.attempt("%%tape\ny = x + 1.0\ny @ tf.ones([3, 3])")
    tape = notebook["_tape"]
    failed = tape.events[-1]
    assert tape.ops.name[failed.op] == "matmul"
    assert STATUSES[failed.status] == "failed"
    assert f"Stopped at op {failed.id}, line 3: InvalidArgumentError" in ran.text


def test_the_line_is_the_users_where_a_library_raised(notebook):
    ran = notebook.attempt("%%tape\nimport json\njson.loads('{')")
    assert "line 3: JSONDecodeError" in ran.text


def test_an_interrupt_is_passed_on_likewise(notebook):
    ran = notebook.attempt("%%tape\nx + 1.0\nraise KeyboardInterrupt")
    assert isinstance(ran.error, KeyboardInterrupt)
    assert "Stopped at op 0, line 3: KeyboardInterrupt" in ran.text


@pytest.mark.parametrize("options", ["-o t", "-q -o t", "-r -o t"])
def test_the_partial_tape_can_be_kept(notebook, options):
    notebook.attempt(f"%%tape {options}\nx + 1.0\nraise ValueError")
    assert notebook["t"] is notebook["_tape"]


def test_keep_going_shows_the_error_and_lets_the_next_cells_run(notebook):
    ran = notebook.attempt(CELL.replace("%%tape", "%%tape --keep-going"))
    assert ran.error is None
    assert notebook.shell.last_execution_succeeded
    assert "Stopped at op 1, line 4" in ran.text
    assert "----> 4 raise ValueError('mine')" in ran.text


def test_keep_going_does_not_swallow_an_interrupt(notebook):
    ran = notebook.attempt("%%tape --keep-going\nraise KeyboardInterrupt")
    assert isinstance(ran.error, KeyboardInterrupt)


def test_after_an_error_nothing_records_any_more(notebook):
    notebook.attempt(CELL)
    count = len(notebook["_tape"].events)
    notebook.run("x + 1.0")
    assert len(notebook["_tape"].events) == count
    notebook.run("%%tape -q\nx + 1.0")
    assert len(notebook["_tape"].events) == 1


def test_the_traceback_begins_with_the_users_frames(notebook):
    ran = notebook.attempt("%%tape -q\ndef f(z):\n    return z / 0\nf(1)")
    trace, names = ran.error.__traceback__, []
    while trace is not None:
        if not trace.tb_frame.f_locals.get("__tracebackhide__"):
            names.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    own = [line for file, line in names if file == notebook["f"].__code__.co_filename]
    assert own == [1, 4, 3]
    assert not [file for file, _ in names if Path(file).is_relative_to(PACKAGE)]


def test_where_an_op_refuses_the_traceback_ends_on_the_users_line(notebook):
    ran = notebook.attempt("%%tape -q\ndef f(z):\n    return z @ tf.ones([3, 3])\nf(x)")
    assert "----> 3     return z @ tf.ones([3, 3])" in ran.text
    assert not _own_files(ran.text)
    assert "Matrix size-incompatible" in ran.text


def test_a_fault_of_tapeviz_itself_keeps_its_whole_traceback(notebook, monkeypatch):
    monkeypatch.setattr("tapeviz.engine.conversion.constant", None)
    ran = notebook.attempt("%%tape -q\ntf.Variable(object)")
    assert ran.error is not None
    assert PACKAGE / "engine" / "variable.py" in _own_files(ran.text)


def _own_files(traceback: str) -> set[Path]:
    """Return the package's files that a traceback as IPython prints it names."""
    named = {Path(name).expanduser() for name in re.findall(r"^File (.+?):\d+", traceback, re.MULTILINE)}
    return {file for file in named if file.is_relative_to(PACKAGE)}
