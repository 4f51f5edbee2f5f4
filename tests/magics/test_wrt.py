"""``--wrt``: the gradients of the last expression, whatever the names stand for."""

import numpy as np
import pytest

from tests.magics.conftest import ops_of


def gradients(notebook):
    return notebook["_tape"].wrt


def test_names_that_are_there(notebook):
    notebook.run("%%tape -q --wrt w,x\nloss = tf.reduce_sum(x @ w)\nloss")
    assert np.array_equal(gradients(notebook)["w"], [[4], [6]])
    assert np.allclose(gradients(notebook)["x"], [[0.5, -0.3]] * 2)


def test_names_that_the_cell_makes(notebook):
    notebook.run("%%tape -q --wrt a,b\na = tf.constant(3.0)\nb = a * a\nb * 2.0")
    assert {name: float(g) for name, g in gradients(notebook).items()} == {"a": 12.0, "b": 2.0}


def test_running_again_asks_about_what_was_made_again(notebook):
    cell = "%%tape -q --wrt a\na = tf.constant(3.0)\na * a"
    for _ in range(2):
        notebook.run(cell)
        assert float(gradients(notebook)["a"]) == 6.0


def test_a_variable_that_the_cell_makes_even_if_not_trainable(notebook):
    notebook.run("%%tape -q --wrt v\nv = tf.Variable(3.0, trainable=False)\nv * v")
    assert float(gradients(notebook)["v"]) == 6.0


def test_a_variable_assigned_inside(notebook):
    notebook.run("%%tape -q --wrt v\nv = tf.Variable(3.0)\na = v * 1.0\nv.assign(5.0)\na * v")
    assert float(gradients(notebook)["v"]) == 5.0 + 3.0


def test_names_made_by_a_magic_inside(notebook):
    for _ in range(2):
        notebook.run("%%tape -q --wrt a\n%%time\na = tf.constant(3.0)\na * a")
        assert float(gradients(notebook)["a"]) == 6.0


def test_no_path_is_none(notebook):
    notebook.run("c = tf.constant(1.0)")
    notebook.run("%%tape -q --wrt w,c\ntf.reduce_sum(w * 2.0)")
    assert gradients(notebook)["c"] is None
    assert np.array_equal(gradients(notebook)["w"], [[2], [2]])


def test_integers_have_no_gradient(notebook):
    notebook.run(
        "%%tape -q --wrt i,y\ni = tf.constant([1, 2]) * 3\ny = tf.cast(i, tf.float32) * 2.0\ntf.reduce_sum(y * y)"
    )
    assert gradients(notebook)["i"] is None
    assert np.array_equal(gradients(notebook)["y"], [12, 24])


def test_attributes_lists_and_modules(notebook):
    notebook.run("class M(tf.Module):\n    pass\nm = M()\nm.w = tf.Variable(2.0)")
    notebook.run("ps = [tf.Variable(1.0), tf.Variable(3.0)]")
    notebook.run("%%tape -q --wrt m.w,m,ps\nm.w * ps[0] * ps[1]")
    found = gradients(notebook)
    assert float(found["m.w"]) == float(found["m"][0]) == 3.0
    assert [float(g) for g in found["ps"]] == [6.0, 2.0]


def test_user_code_runs_once(notebook):
    notebook.run("runs = []")
    notebook.run("%%tape -q --wrt w\nruns.append(1)\ntf.reduce_sum(w)")
    assert notebook["runs"] == [1]


def test_the_value_stays_and_the_backward_is_recorded(notebook):
    ran = notebook.run("%%tape -q --wrt w\nloss = tf.reduce_sum(x @ w)\nloss")
    assert ran.value is notebook["loss"]
    tape = notebook["_tape"]
    assert set(tape.events.phase.tolist()) == {0, 1}
    (request,) = tape.requests
    span = tape.events[request.event]
    assert tape.sites[span.site].line == 1


def test_the_same_with_a_semicolon(notebook):
    assert notebook.run("%%tape -q --wrt w\ntf.reduce_sum(x @ w);").value is None
    assert gradients(notebook)["w"] is not None


def test_a_tape_of_the_users_own_inside(notebook):
    notebook.run(
        "%%tape -q --wrt w\nwith tf.GradientTape() as g:\n    y = tf.reduce_sum(w * w * w)\n"
        "d = g.gradient(y, w)\ntf.reduce_sum(d)"
    )
    assert np.allclose(gradients(notebook)["w"], 6 * np.array([[0.5], [-0.3]]))


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("--wrt v\ntf.reduce_sum(w)", "--wrt v: v is not defined, and the cell does not assign it"),
        ("--wrt ww\ntf.reduce_sum(w)", "did you mean w?"),
        ("--wrt tf\ntf.reduce_sum(w)", "a module is not a tensor or variable"),
        ("--wrt w.nothing\ntf.reduce_sum(w)", "--wrt w.nothing"),
        ("--wrt w\nx @ w", "its shape is (2, 1): reduce it"),
        ("--wrt w\nloss = tf.reduce_sum(x @ w)", "it is nothing (end the cell with the loss on a line of its own)"),
        ("--wrt w\nfloat(tf.reduce_sum(x @ w))", "it is a float"),
        ("--wrt w\ntf.reduce_sum(x @ w).numpy()", "it is a numpy float32"),
        ("--wrt w\ntf.constant(3)", "its dtype is int32"),
        ("--wrt q\nif False:\n    q = w\ntf.reduce_sum(w)", "the cell did not assign q"),
    ],
)
def test_what_cannot_be_differentiated_is_answered_in_one_line(notebook, cell, hint):
    assert hint in notebook.refused(f"%%tape -q {cell}")


def test_an_unknown_name_is_refused_before_anything_runs(notebook):
    notebook.run("runs = []")
    notebook.refused("%%tape -q --wrt nobody\nruns.append(1)")
    assert notebook["runs"] == []


def test_a_wrong_last_expression_still_leaves_its_tape(notebook):
    notebook.refused("%%tape -q --wrt w\nx @ w")
    assert "matmul" in ops_of(notebook["_tape"])
    assert "stopped" not in notebook["_tape"].recording.meta_dict()
