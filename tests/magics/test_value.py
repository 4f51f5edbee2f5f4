"""A cell's value stays its value; the tape goes where it was asked for."""

import numpy as np

from tapeviz import Tape
from tests.magics.conftest import ops_of


def test_the_last_expression_is_the_value(notebook):
    ran = notebook.run("%%tape\ny = x * 2.0\ny + 1.0")
    assert np.array_equal(ran.value, [[3, 5], [7, 9]])
    assert notebook["y"] is not None
    assert "_tape" in notebook.shell.user_ns


def test_a_semicolon_silences_the_value_and_not_the_view(notebook):
    ran = notebook.run("%%tape\nx + 1.0;  # no value")
    assert ran.value is None
    assert "Out[" not in ran.text
    assert "1 op" in ran.text


def test_a_statement_at_the_end_has_no_value(notebook):
    assert notebook.run("%%tape -q\ny = x + 1.0").value is None


def test_a_cell_of_comments_is_an_empty_tape(notebook):
    assert notebook.run("%%tape -q\n\n# nothing").value is None
    assert len(notebook["_tape"].events) == 0


def test_the_tape_is_shown_and_not_returned(notebook):
    ran = notebook.run("%%tape\n1 + 1")
    assert ran.value == 2


def test_the_last_tape_is_always_at_hand(notebook):
    notebook.run("%%tape -q\nx + 1.0")
    first = notebook["_tape"]
    notebook.run("%%tape -q\nx + 1.0")
    assert isinstance(first, Tape)
    assert notebook["_tape"] is not first
    assert "_tape" not in notebook.run("%who_ls").value


def test_o_stores_the_tape(notebook):
    ran = notebook.run("%%tape -q -o t\nx + 1.0")
    assert notebook["t"] is notebook["_tape"]
    assert np.array_equal(ran.value, [[2, 3], [4, 5]])


def test_r_returns_the_tape(notebook):
    assert notebook.run("%%tape -q -r\nx + 1.0").value is notebook["_tape"]


def test_q_shows_nothing(notebook):
    assert notebook.run("%%tape -q\nx + 1.0;").text == ""


def test_the_line_magic_records_an_expression(notebook):
    ran = notebook.run("y = %tape -q x * 2.0")
    assert np.array_equal(notebook["y"], [[2, 4], [6, 8]])
    assert ran.value is None
    assert ops_of(notebook["_tape"]) == ["multiply"]


def test_the_name_that_a_line_magic_gives_is_known(notebook):
    notebook.run("y = %tape -q x * 2.0")
    assert "y" in notebook["_tape"].names.name
    notebook.run("a, b = %tape -q (x * 2.0, x * 3.0)")
    assert {"a", "b"} <= set(notebook["_tape"].names.name)


def test_the_line_magic_sees_the_names_of_the_function_it_is_in(notebook):
    notebook.run("def f(z):\n    y = %tape -q z * 2.0\n    return y\nr = f(tf.constant(3.0))")
    assert float(notebook["r"]) == 6.0
    site = notebook["_tape"].sites[0]
    assert (site.line, site.cell) == (2, 0)


def test_a_line_without_code_is_refused(notebook):
    assert "what to record is missing" in notebook.refused("%tape -q")


def test_interactivity_all_shows_each_expression(notebook):
    notebook.shell.ast_node_interactivity = "all"
    ran = notebook.run("%%tape -q\n1 + 1\n2 + 2")
    assert ran.value == 4
    assert [line.rpartition(" ")[2] for line in ran.text.splitlines() if line.startswith("Out")] == ["2", "4"]


def test_interactivity_last_expr_or_assign_shows_an_assignment(notebook):
    notebook.shell.ast_node_interactivity = "last_expr_or_assign"
    assert notebook.run("%%tape -q\ny = 3 * 3").value == 9


def test_the_title_cell_and_source_are_in_the_tape(notebook):
    notebook.run('%%tape -q -n "one step"\nx + 1.0')
    facts = notebook["_tape"].recording.meta_dict()
    assert facts["title"] == "one step"
    assert facts["cell"] == notebook.shell.execution_count - 1
    (cell,) = notebook["_tape"].cells
    assert cell.text == '%%tape -q -n "one step"\nx + 1.0'
    assert (cell.number, cell.first) == (facts["cell"], 1)


def test_values_and_max_ops_reach_the_recording(notebook):
    notebook.run("%%tape -q --values none --max-ops 5000\nfor _ in range(20_000):\n    x + 1.0")
    tape = notebook["_tape"]
    assert len(tape.stats) == 0
    assert 5000 <= len(tape.events) < 10_000


def test_the_newest_ops_are_kept(notebook):
    notebook.run("%%tape -q --values none --max-ops 500 --keep last\nfor i in range(9000):\n    last = x + float(i)")
    tape = notebook["_tape"]
    assert (tape.events.kind == 0).sum() == 500
    assert tape.recording.meta_dict()["dropped"]["ops"] == 8500
    assert "the last 500 of" in str(tape)
    assert tape.number("last") == tape.tensors.id[tape.tensors.producer == tape.events.id[-1]]


def test_the_header_is_never_expanded(notebook):
    notebook.run("t = 3")
    assert "{t}" in notebook.refused("%%tape {t} $t\nx")
    notebook.run('%%tape -q -n "{t} $t"\nx + 1.0')
    assert notebook["_tape"].recording.meta_dict()["title"] == "{t} $t"
