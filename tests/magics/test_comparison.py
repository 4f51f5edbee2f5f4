"""``%%tape --compare``: a tape recorded before beside the new one."""

import pytest

import tapeviz as tf
from tapeviz.magics import comparison
from tests.engine.strict_gpu import standing_in
from tests.magics import kernel
from tools import jupyter_home

STEP = "h = tf.tanh(x @ w)\nloss = tf.reduce_sum(h)"


@pytest.fixture
def first(notebook):
    notebook.run(f"%%tape -q -o first -n 'the first'\n{STEP}")
    return notebook


def shown(text):
    """Return what is shown of a comparison: behind the tape's own summary."""
    assert "a  the first" in text
    return text[text.index("a  the first") :]


@pytest.mark.parametrize("word", ["first", "1", "'the first'", "_tape"])
def test_a_tape_is_named_numbered_or_titled(first, word):
    text = first.run(f"%%tape --compare {word}\n{STEP.replace('tanh', 'sinh')}").text
    assert "tanh h is only in a" in shown(text)
    text = first.run(f"%%tape --compare 1\n{STEP}").text
    assert text.endswith("\nNo difference: 3 rows agree to the last bit.\n")


def test_the_first_difference_is_shown_below_the_tape(first):
    text = shown(first.run(f"%%tape -n second --compare first\n{STEP.replace('tanh', 'sinh')}").text)
    assert "b  second" in text
    assert "tanh h is only in a" in text
    assert "h = tf.tanh(x @ w)" in text


def test_the_same_cell_changed_and_run_again_compares_with_its_last_run(notebook):
    notebook.run(f"%%tape -q\nc = 1.0\n{STEP} * c")
    text = notebook.run(f"%%tape --compare _tape\nc = 2.0\n{STEP} * c").text
    assert "First difference: cell 3, line 4" in text
    assert "constant" in text
    assert "1 more row inherits it" in text


def test_quiet_is_quiet(first):
    assert first.run(f"%%tape -q --compare first\n{STEP}").text == ""


def test_a_run_that_stops_is_compared_up_to_there(first):
    ran = first.attempt("%%tape --compare first\nh = tf.tanh(x @ w)\nraise KeyError('stop')\nloss = tf.reduce_sum(h)")
    assert isinstance(ran.error, KeyError)
    assert "reduce_sum loss is only in a" in shown(ran.text)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("frist", "--compare frist: there is no such tape; did you mean first?"),
        ("'the frist'", "did you mean the first?"),
        ("grahp", "did you mean graph?"),
        ("7", "there is no such tape; there are 1, first, the first"),
        ("x", "there is no such tape"),
        ("gpu", "no usable GPU here: missing"),
    ],
)
def test_what_is_not_there_is_said_before_anything_runs(first, word, hint):
    assert hint in first.refused(f"%%tape --compare {word}\nran = True\n{STEP}")
    assert "ran" not in first.shell.user_ns


def test_with_nothing_recorded_there_is_nothing_to_compare_with(notebook):
    assert "nothing is recorded yet; keep a tape with -o NAME" in notebook.refused("%%tape --compare qqq\nx")


def test_where_there_is_a_gpu_the_cell_runs_there_again(first):
    first.run("v = tf.Variable([1.0, 2.0])")
    with standing_in():
        ran = first.run("%%tape --compare gpu --values all -o there\nv.assign_add([1.0, 1.0])\ny = tf.tanh(x @ w)")
        assert first["y"].device.endswith("CPU:0")
        assert first["v"].numpy().tolist() == [2.0, 3.0]
        assert "leave --device out" in first.refused("%%tape --compare gpu --device gpu\nx")
    one, other = (line for line in ran.text.splitlines() if line[:3] in ("a  ", "b  "))
    assert one.endswith("CPU:0")
    assert other.endswith("GPU:0")
    assert "No difference: 4 rows agree to the last bit" in ran.text


def test_inside_another_tape_it_has_no_effect(first):
    first.run("def inner():\n    get_ipython().run_cell_magic('tape', '--compare first', 'x + 1.0')")
    assert "--compare has no effect inside a tape" in first.run("%%tape -q\ninner()").text


@pytest.mark.slow
def test_in_a_notebook_it_is_a_view_of_its_own_and_a_table_that_stands_in_for_it(tmp_path):
    setup = "%load_ext tapeviz\nimport tapeviz as tf\nw = tf.Variable([[0.5], [-0.3]])\nx = tf.constant([[1.0, 2.0]])"
    with kernel.running(jupyter_home.prepare(tmp_path)) as live:
        live.run(setup)
        live.run(f"%%tape -q -o first\n{STEP}")
        reply = live.run(f"%%tape --compare first\n{STEP.replace('tanh', 'sinh')}")
        assert len(reply.views) == 2
        *_, compared = (shown["data"] for shown in reply.of("display_data"))
        assert compared.keys() == {"text/plain", "text/html"}
        assert "tapeviz-diff" in compared["text/html"]
        assert "tanh h is only in a" in compared["text/plain"]
        assert live.ask("_tape.ops.name[_tape.events[_tape.view.selected['event']].op]") == "'sinh'"
        assert live.run(f"%%tape -q --compare first\n{STEP}").of("display_data") == []
        agree = live.run(f"%%tape --compare first\n{STEP}")
        assert len(agree.views) == 1
        assert agree.of("display_data")[-1]["data"]["text/plain"] == "No difference: 3 rows agree to the last bit."


def test_beside_a_graph_stands_what_runs_op_by_op(first, monkeypatch):
    """A traced function in the cell is run as Python for the eager side, else the graph would stand beside itself."""
    pairs = []
    compared = comparison.compared
    monkeypatch.setattr(comparison, "compared", lambda *tapes: pairs.append(tapes) or compared(*tapes))
    first.run("@tf.function\ndef f(t):\n    return tf.tanh(t) * 2.0\nbefore = f(x)")
    first.run("%%tape --compare graph\ny = f(x)")
    ((eager, graph),) = pairs
    # The cell's graph, and that of f, which it calls.
    assert (len(eager.graph_runs), len(graph.graph_runs)) == (0, 2)
    assert not tf.config.functions_run_eagerly()
