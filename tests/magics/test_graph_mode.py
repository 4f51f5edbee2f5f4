"""A cell as one graph: ``--mode graph``, ``%%mode graph``, ``%mode graph``, ``--compare graph`` and ``%retraces``."""

import pytest

import tapeviz as tf

SETUP = """\
import tapeviz as tf
import numpy as np
w = tf.Variable([[1.0], [2.0]], name="w")
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
"""
STEP = """\
with tf.GradientTape() as inner:
    h = tf.tanh(x @ w)
    loss = tf.reduce_sum(h * h)
dw = inner.gradient(loss, w)
loss"""


@pytest.fixture
def ready(notebook):
    notebook.run(SETUP)
    return notebook


def test_the_cell_is_traced_and_its_names_are_values(ready):
    eager = ready.run(STEP).value
    before = ready["dw"]
    ran = ready.run(f"%%tape -q -o t --mode graph\nprint('now', x @ w)\n{STEP}")
    assert 'now Tensor("MatMul:0", shape=(2, 1), dtype=float32)' in ran.text
    assert ran.value.numpy() == eager.numpy()
    assert (ready["dw"].numpy() == before.numpy()).all()
    assert isinstance(ready["h"], tf.Tensor)
    recording = ready["t"].recording
    assert next(iter(recording.table("graphs").cells("sort"))) == "cell"
    assert "graph" in str(ready["t"])
    assert {"h", "loss"} <= set(recording.table("names").cells("name"))


def test_python_values_come_back_as_they_are(ready):
    ready.run("%%mode graph\nsteps = 3\nkinds = ['a', 'b']\ny = x * steps\ndef twice(v):\n    return v * 2")
    assert ready["steps"] == 3
    assert ready["kinds"] == ["a", "b"]
    assert ready.run("twice(y).numpy()[0, 0]").value == 6.0


def test_names_that_are_there_can_be_assigned_anew(ready):
    ready.run("total = tf.constant(1.0)")
    ready.run("%%mode graph\ntotal = total + tf.reduce_sum(x)\ntotal += 1")
    assert ready["total"].numpy() == 12.0


def test_statements_on_tensors_become_part_of_the_graph(ready):
    code = "y = x[0, 0]\nwhile y < 100.0:\n    y = y * 3.0\nif y > 200.0:\n    y = -y\ny"
    assert ready.run(f"%%mode graph\n{code}").value.numpy() == -243.0
    assert ready.run(code).value.numpy() == -243.0


def test_what_a_graph_cannot_have_is_named_with_its_line(ready):
    ran = ready.attempt("%%tape -q --mode graph\ny = x * 2\nz = np.sin(y)\nz")
    assert isinstance(ran.error, NotImplementedError)
    assert "z = np.sin(y)" in ran.text
    assert "line 3" in ran.text
    assert "z" not in ready.shell.user_ns


def test_with_fallback_it_runs_eagerly_and_says_so(ready):
    ran = ready.run("%%tape -q --mode graph --fallback\ny = x * 2\nz = np.sin(y)\nz.shape")
    assert ran.value == (2, 2)
    assert "this cell ran eagerly, because a graph cannot have all of it: Cannot convert a symbolic" in ran.text


def test_a_mode_holds_until_another_is_chosen(ready):
    assert ready.run("%mode graph").text.startswith("mode: graph")
    assert "tracing Tensor" in ready.run("print('tracing', x + 1.0)").text
    assert ready.run("tf.executing_eagerly()").value is False
    assert ready.run("%%mode eager\ntf.executing_eagerly()").value is True
    assert ready.run("%mode eager").text.startswith("mode: eager")
    assert ready.run("tf.executing_eagerly()").value is True


def test_variables_of_a_cell_are_made_once(ready):
    ready.run("%%mode graph\nv = tf.Variable(3.0)\nv.assign_add(1.0)\nread = v * 2")
    assert ready["v"].numpy() == 4.0
    assert ready["read"].numpy() == 8.0


def test_compare_runs_both_from_the_same_start(ready):
    ready.run("tf.random.set_seed(3)")
    ran = ready.run(
        "%%tape --compare graph --values all\nnoise = tf.random.normal([2, 1])\nw.assign_add(noise)\ny = tf.exp(x @ w)"
    )
    assert "differ" in ran.text or "agree" in ran.text
    first = ready["w"].numpy().copy()
    ready.run("w2 = tf.Variable([[1.0], [2.0]])\nw2.assign_add(noise)")
    assert (first == ready["w2"].numpy()).all()


def test_retraces_are_explained(ready):
    ready.run("@tf.function\ndef f(v, n):\n    return v * n\nf(x, 2); f(x, 3); f(tf.ones([3]), 3);")
    text = ready.run("%retraces f").text
    assert "f was traced 3 times in 3 calls" in text
    assert "n is a Python value that changed: 3 instead of 2" in text
    assert "v has another shape" in text
    assert ready.run("%retraces").text == text
    rows = ready.run("tf.retraces(f)").value
    assert [row.argument for row in rows] == ["", "n", "v"]
    assert rows[1].fix == "pass n as a tensor, tf.constant(3), if it changes from call to call"
    assert rows[1].site.cell is not None


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("%retraces ff", "did you mean f?"),
        ("%retraces x", "that is not a tapeviz.function; there are f"),
        ("%%tape --mode graph --compare graph\nx", "leave --mode graph out"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(ready, line, hint):
    ready.run("f = tf.function(lambda v: v)")
    assert hint in ready.refused(line)
