"""``%%tape --stop``: the cell ends at the op, its tape is there, and a debugger opens in the user's frame."""

import sys

PROGRAM = """def logs(x):
    shifted = x - 1.0
    return tf.math.log(shifted)
"""


def stopped(notebook, condition):
    notebook.run(PROGRAM)
    return notebook.attempt(f"%%tape --stop {condition!r}\ny = logs(tf.constant([1.0, 2.0]))\nafter = 1")


def test_the_cell_ends_there_with_its_tape(notebook):
    ran = stopped(notebook, "nan")
    assert type(ran.error).__name__ == "Stopped"
    assert "nan holds for log, line 3" in str(ran.error)
    tape = notebook["_tape"]
    assert [*tape.recording.ops.name] == ["subtract", "log"]
    assert "after" not in notebook.shell.user_ns
    assert "Stopped" in str(tape)


def test_the_debugger_has_the_users_frame(notebook):
    stopped(notebook, "op:log")
    trace = sys.last_traceback
    while trace.tb_next is not None:
        trace = trace.tb_next
    assert trace.tb_frame.f_code.co_name == "logs"
    assert trace.tb_frame.f_locals["shifted"].numpy().tolist() == [0.0, 1.0]


def test_what_never_holds_lets_the_cell_run(notebook):
    assert stopped(notebook, "op:cosh").error is None
    assert notebook["after"] == 1


def test_a_condition_that_cannot_be_read_runs_nothing(notebook):
    assert "did you mean 'op'" in notebook.refused("%%tape --stop opp:log\nbefore = 1")
    assert "before" not in notebook.shell.user_ns
