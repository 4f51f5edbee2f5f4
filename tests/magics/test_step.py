"""``%%step``: the cell recorded with all values, and told step by step."""

import numpy as np
import pytest

import tapeviz as tf

CELL = "with tf.GradientTape() as g:\n    loss = tf.reduce_sum(x @ w)\nd = g.gradient(loss, w)"


@pytest.mark.parametrize("header", ["%%step", "%%tape --view step"])
def test_a_terminal_prints_the_steps(notebook, header):
    ran = notebook.run(f"{header}\n{CELL}")
    assert "1  forward   line 3" in ran.text
    assert "d loss / d w" in ran.text
    assert all(step.result.value is not None for step in notebook["_tape"].steps())


def test_an_expression(notebook):
    assert "= multiply(x, 2.0)" in notebook.run("%step x * 2.0").text


def test_options_are_those_of_tape(notebook, tmp_path):
    notebook.run(f"%%step -o lecture -q --save {tmp_path / 'lecture.html'}\n{CELL}")
    assert len(notebook["lecture"].steps()) == 5
    assert 'data-view="step"' in (tmp_path / "lecture.html").read_text(encoding="utf-8")
    notebook.run(f"%%step -q --values stats -o brief\n{CELL}")
    assert notebook["brief"].recording.meta_dict()["policy"]["values"] == "stats"


def test_complaints_name_the_magic(notebook):
    assert notebook.refused("%%step --wtr w\nx").startswith("%%step: unknown option --wtr; did you mean --wrt?")
    assert notebook.refused("%step").startswith("%step: what to record is missing, as in %step f(x)")


def test_the_place_of_the_cell_is_known(notebook):
    notebook.run(f"%%step\n{CELL}")
    step = notebook["_tape"].steps()[0]
    assert step.site.line == 3
    assert step.site.text == "loss = tf.reduce_sum(x @ w)"


LOOP = """@tf.function
def repeated(h):
    for _ in tf.range(3):
        h = tf.tanh(h @ w0)
    return h
w0 = tf.Variable([[0.5, 0.1], [0.2, 0.3]])"""


def test_iterations_of_a_traced_loop_are_steps(notebook):
    notebook.run(LOOP)
    cell = "with tf.GradientTape() as g:\n    loss = tf.reduce_sum(repeated(x))\nd = g.gradient(loss, w0)"
    notebook.run(f"%%step -q -o eagerly\n{cell}")
    assert [step.op for step in notebook["eagerly"].steps() if step.kind == "forward"].count("tanh") == 3
    eager = notebook["d"].numpy()
    notebook.run(f"%%step -q -o traced --mode graph\n{cell}")
    assert [step.op for step in notebook["traced"].steps() if step.kind == "forward"].count("tanh") == 3
    np.testing.assert_allclose(notebook["d"].numpy(), eager, rtol=1e-6)
    assert not tf.config.functions_run_eagerly()
