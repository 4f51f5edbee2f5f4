"""Code under a magic is compiled as its cell is: the same file, the same lines, the same transformations."""

import ast
import inspect
import textwrap

import pytest

from tests.magics.conftest import ops_of


def test_a_function_has_its_source(notebook):
    notebook.run("%%tape -q\n\ndef f(z):\n    # as written\n    return z * 2.0\n\nf(x)")
    assert inspect.getsource(notebook["f"]) == "def f(z):\n    # as written\n    return z * 2.0\n"
    assert notebook["f"].__code__.co_firstlineno == 3


def test_it_keeps_its_source_when_the_cell_runs_again(notebook):
    for number in (1, 2):
        notebook.run(f"%%tape -q\ndef f(z):\n    return z * {number}.0")
        assert f"z * {number}.0" in inspect.getsource(notebook["f"])


def test_the_file_is_the_cells_own(notebook):
    notebook.run("%%tape -q\nf = lambda: 1")
    assert notebook["f"].__code__.co_filename in notebook.shell.compile._filename_map


@pytest.mark.parametrize("header", ["%%tape", "%%tape --wrt w", "%%time\n%%tape", "%%mode eager\n%%tape", "\n\n%%tape"])
def test_a_traceback_shows_the_users_line(notebook, header):
    ran = notebook.attempt(f"{header}\n\na = 1\nb = a / 0\nc = 3")
    assert isinstance(ran.error, ZeroDivisionError)
    line = header.count("\n") + 4
    assert f"----> {line} b = a / 0" in ran.text
    assert "magics" not in ran.text


def test_the_sites_of_a_tape_are_the_lines_of_the_cell(notebook):
    notebook.run("def f(z):\n    return z * 3.0")
    defined = notebook.shell.execution_count - 1
    cell = "%%tape -q\n\ny = x + 1.0\nz = f(y)"
    notebook.run(cell)
    sites, cells = notebook["_tape"].sites, notebook["_tape"].cells
    found = {(cells[site.cell].number, site.line, site.text) for site in sites}
    here = notebook.shell.execution_count - 1
    assert found == {(here, 3, "y = x + 1.0"), (defined, 2, "    return z * 3.0")}
    assert {cell.text for cell in cells} == {cell.text for cell in cells}
    assert {c.number: c.text for c in cells} == {defined: "def f(z):\n    return z * 3.0", here: cell}
    for site in sites:
        assert cells[site.cell].text.split("\n")[site.line - cells[site.cell].first] == site.text


def test_a_cell_with_magics_in_it_is_kept_as_written(notebook):
    notebook.run("%precision 3\ndef f(z):\n    return z * 3.0")
    notebook.run("%%tape -q\nf(x)")
    (cell,) = notebook["_tape"].cells
    assert cell.text.startswith("%precision 3\n")


def test_columns_of_a_line_magic_are_those_of_the_line(notebook):
    notebook.run("y = %tape -q x * 2.0")
    (site,) = notebook["_tape"].sites
    (cell,) = notebook["_tape"].cells
    assert cell.text[site.column : site.end_column] == "x * 2.0"


def test_code_under_time_is_placed_in_the_cell(notebook):
    notebook.run("%%tape -q\n%%time\ny = x + 1.0\nz = y * 2.0")
    tape = notebook["_tape"]
    lines = [tape.cells[site.cell].text.split("\n")[site.line + tape.cells[site.cell].first - 2] for site in tape.sites]
    assert lines == tape.sites.text == ["y = x + 1.0", "z = y * 2.0"]


def test_the_backward_pass_stands_on_the_header_as_written(notebook):
    notebook.run("%%tape -q --wrt w\ntf.reduce_sum(x @ w)")
    tape = notebook["_tape"]
    site = tape.sites[tape.events[tape.requests[0].event].site]
    assert (site.line, site.text) == (1, "%%tape -q --wrt w")


def test_magics_and_shell_commands_below_the_header_work(notebook):
    ran = notebook.run("%%tape -q\nhere = %pwd\nout = !echo hello\nprint(out[0])\nx?")
    assert "hello" in ran.text
    assert "/" in notebook["here"]


def test_transformers_of_the_syntax_tree_are_applied(notebook):
    class Doubles(ast.NodeTransformer):
        def visit_Constant(self, node):
            return ast.copy_location(ast.Constant(node.value * 2), node) if isinstance(node.value, int) else node

    notebook.shell.ast_transformers.append(Doubles())
    assert notebook.run("%%tape -q\n21").value == 42


def test_future_imports_are_shared_with_the_shell(notebook):
    notebook.run("from __future__ import annotations")
    notebook.run("%%tape -q\ndef f(z: nobody) -> nothing: ...")
    assert notebook["f"].__annotations__ == {"z": "nobody", "return": "nothing"}


def test_a_syntax_error_runs_nothing_and_names_the_line(notebook):
    notebook.run("runs = []")
    ran = notebook.attempt("%%tape -q\nruns.append(1)\nx = = 3")
    assert isinstance(ran.error, SyntaxError)
    assert ran.error.lineno == 3
    assert "x = = 3" in ran.text
    assert notebook["runs"] == []


@pytest.mark.parametrize("magic", ["%%tape -q", "%%mode eager"])
def test_awaiting_at_the_top_is_refused_with_the_alternative(notebook, magic):
    assert "with tapeviz.record() as tape: around the code can" in notebook.refused(f"{magic}\nawait something()")


def test_the_alternative_to_awaiting_works(notebook):
    notebook.run(
        textwrap.dedent("""\
        import asyncio
        async def later(z):
            await asyncio.sleep(0)
            return z + 1.0
        with tf.record() as tape:
            y = await later(x)""")
    )
    assert ops_of(notebook["tape"]) == ["add"]


def test_called_by_a_program_it_works_too(notebook):
    notebook.shell.run_cell_magic("tape", "-q", "def f():\n    return x * 2.0\nf()")
    assert "return x * 2.0" in inspect.getsource(notebook["f"])
    assert notebook["_tape"].sites[0].text.strip() == "return x * 2.0"


@pytest.mark.parametrize("above", ["", "\n", "\n\n  \n"])
def test_a_cell_that_begins_with_blank_lines(notebook, above):
    notebook.run(f"{above}def logs(v):\n    shifted = v - 1.0\n    return tf.math.log(shifted)")
    notebook.run(f"{above}%%tape\ny = logs(tf.constant([1.0]))")
    (found,) = notebook["_tape"].verdicts()
    assert (found.site.line, found.site.text) == (3, "return tf.math.log(shifted)")
