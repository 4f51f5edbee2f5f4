"""``%why`` and ``%nan`` ask the last tape."""

import pytest


def test_before_anything_is_recorded_both_say_what_to_do(notebook):
    assert notebook.refused("%why w") == "%why: nothing is recorded yet; put %%tape at the top of a cell"
    assert notebook.refused("%nan") == "%nan: nothing is recorded yet; put %%tape at the top of a cell"


def test_why_names_reason_cell_line_and_fix(notebook):
    notebook.run("%%tape -q --wrt w,x\nh = x @ w.numpy()\nloss = tf.reduce_sum(h)\nloss")
    cell = notebook.shell.execution_count - 1
    for asked in ("%why w", "%why loss w", "%why loss, w", "%why"):
        text = notebook.run(asked).text
        assert "w.numpy()" in text
        assert f"cell {cell}, line 2" in text
        assert "Fix:" in text


def test_why_of_a_gradient_that_is_there(notebook):
    notebook.run("%%tape -q --wrt w\ntf.reduce_sum(x @ w)")
    assert "the gradient is not None" in notebook.run("%why w").text
    assert "Every source" in notebook.run("%why").text


def test_why_of_an_attribute(notebook):
    notebook.run("class M(tf.Module):\n    pass\nm = M()\nm.w = tf.Variable(2.0)")
    notebook.run("%%tape -q --wrt m.w\ntf.stop_gradient(m.w * 2.0)")
    assert "stop_gradient" in notebook.run("%why m.w").text


def test_why_inside_a_cell_that_makes_its_names(notebook):
    notebook.run("%%tape -q --wrt a\na = tf.constant(3.0)\nb = tf.stop_gradient(a * a)\nb * 2.0")
    text = notebook.run("%why a").text
    assert "stop_gradient" in text
    assert "line 3" in text


@pytest.mark.parametrize("line", ["nobody", "a b c", "nobody w"])
def test_what_cannot_be_asked_is_answered_in_one_line(notebook, line):
    notebook.run("%%tape -q\ntf.reduce_sum(x @ w)")
    assert notebook.refused(f"%why {line}").startswith("%why")


def test_nan_finds_the_first_cause(notebook):
    notebook.run("%%tape -q\ny = tf.sqrt(x - 2.5)\nz = tf.reduce_sum(y)")
    text = notebook.run("%nan").text
    assert "sqrt" in text
    assert "line 2" in text


def test_nan_says_when_there_is_none(notebook):
    notebook.run("%%tape -q\nx + 1.0")
    assert "finite" in notebook.run("%nan").text
    assert "%nan takes no arguments" in notebook.refused("%nan x")


def test_nan_asks_the_tape_that_a_callback_left(notebook):
    """What training recorded when it stopped is the last tape, as if a magic had recorded it."""
    notebook.run("""
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", lambda y, p: tf.reduce_mean(tf.math.log(p - p)))
live = tf.keras.callbacks.LiveTape()
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), callbacks=[live], verbose=0);
""")
    assert notebook.run("live.reason").value.startswith("the loss is")
    assert notebook.run("_tape is live.tape").value
    assert "log of 0 is -infinity" in notebook.run("%nan").text


def test_nan_asks_the_tape_of_a_with_block(notebook):
    notebook.run("with tf.record() as mine:\n    y = tf.math.log(x - x)")
    assert notebook.run("_tape is mine").value
    assert "log of 0 is -infinity" in notebook.run("%nan").text
