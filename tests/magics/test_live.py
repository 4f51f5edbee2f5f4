"""``%%tape --live`` and ``%live`` in a terminal; ``%nan`` and ``%why`` know what a loop recorded last."""


def test_live_is_chosen_for_all_cells_or_for_one(notebook):
    assert notebook.run("%live").text == "live: off; use %%tape --live\n"
    assert "on; %%tape shows cells" in notebook.run("%live on").text
    assert notebook.refused("%live onn") == "%live onn: no such choice; did you mean on?"
    notebook.run("%live off")


def test_how_the_last_loop_went(notebook):
    notebook.run("%%tape --live -q --wrt w\ntf.reduce_sum(x @ w)")
    text = notebook.run("%live stats").text
    assert text.startswith("Live: done · 1 steps")
    assert "gradient norm" in text
    notebook.run("for i in tf.live(range(3)):\n    pass")
    assert notebook.run("%live stats").text.startswith("Live: done · 3 steps")


def test_the_tape_of_a_live_cell_is_as_any(notebook):
    notebook.run("%%tape --live -q -o mine\ny = tf.sqrt(x - 2.5)")
    assert notebook.run("_tape is mine").value
    assert "sqrt" in notebook.run("%nan").text


def test_what_a_loop_recorded_last_is_asked(notebook):
    notebook.run("""
for i in tf.live(range(4)).on("nan"):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.log(w - w))
    grads = tape.gradient(loss, [w])
""")
    assert "log of 0" in notebook.run("%nan").text
    assert "the gradient is not None" in notebook.run("%why w").text
    assert "step 4" in notebook.run("str(_tape)").value
