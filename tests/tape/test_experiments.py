"""What pages ask of a tape that runs its program again: edited values, digits, code."""

import numpy as np
import pytest

import tapeviz as tf


def step(x, w, b):
    with tf.GradientTape() as g:
        hidden = tf.tanh(x @ w + b)
        loss = tf.reduce_mean(hidden * hidden)
    return hidden, loss, g.gradient(loss, [w, b])


@pytest.fixture
def recorded():
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
    w = tf.Variable(np.random.default_rng(1).normal(size=(3, 2)).astype("float32"), name="w")
    b = tf.Variable([0.0, 0.5], name="b")
    with tf.record(values="inputs") as tape:
        hidden, loss, (dw, _db) = step(tf.constant(x), w, b)
    return tape, x, w, b, hidden, loss, dw


def ask(tape, kind, **fields):
    return tape.answer({"kind": kind, **fields})[0]


def test_an_edited_weight_gives_the_program_with_that_weight(recorded):
    tape, x, w, b, _hidden, loss, _dw = recorded
    number = tape.number("w")
    said = ask(tape, "what_if", edits=[{"tensor": number, "index": [1, 0], "value": 0.25}])
    other = w.numpy()
    other[1, 0] = 0.25
    _, expected, (dw, db) = step(tf.constant(x), tf.Variable(other), b)
    assert said["state"] == "ok"
    (told,) = said["losses"]
    assert (told["name"], told["before"], told["after"]) == ("loss", float(loss), float(expected))
    gradients = {row["name"]: row for row in said["gradients"]}
    assert gradients["w"]["after"] == pytest.approx(float(tf.norm(dw)), rel=1e-6)
    assert gradients["b"]["after"] == pytest.approx(float(tf.norm(db)), rel=1e-6)
    assert number in said["changed"]
    assert tape.number("loss") in said["changed"]
    assert tape.number("b") not in said["changed"]
    assert said["told"] == said["stopped"] == ""
    assert float(w[1, 0]) != 0.25  # the user's own variable is as it was


def test_a_window_shows_the_elements_of_that_run(recorded):
    tape, *_ = recorded
    number = tape.number("w")
    edits = [{"tensor": number, "index": [1, 0], "value": 0.25}]
    window = {"axes": [0, 1], "index": [0, 0], "start": [0, 0], "size": [3, 2], "stride": [1, 1]}
    fields, (data,) = tape.answer({"kind": "window", "tensor": number, "edits": edits, **window})
    assert fields["state"] == "ok"
    assert np.frombuffer(data, "float32").reshape(3, 2)[1, 0] == 0.25
    _, (before,) = tape.answer({"kind": "window", "tensor": number, **window})
    assert before == tape.value("w").tobytes()


def test_an_edited_activation_cuts_what_is_before_it(recorded):
    tape, _x, _w, _b, hidden, _loss, _dw = recorded
    said = ask(tape, "what_if", edits=[{"tensor": tape.number(hidden), "index": [0, 0], "value": 3.0}])
    other = hidden.numpy()
    other[0, 0] = 3.0
    assert said["losses"][0]["after"] == pytest.approx(float((other**2).mean()), rel=1e-6)
    assert {row["state"] for row in said["gradients"]} == {"none"}


def test_an_element_comes_with_its_range(recorded):
    tape, *_ = recorded
    said = ask(tape, "element", tensor=tape.number("b"), index=[1])
    assert (said["value"], said["least"], said["most"], said["dtype"]) == (0.5, -1.0, 1.0, "float32")
    assert "no element [7]" in ask(tape, "element", tensor=tape.number("b"), index=[7])["text"]


def test_nan_and_infinity_travel_as_text(recorded):
    tape, *_ = recorded
    said = ask(tape, "what_if", edits=[{"tensor": tape.number("b"), "index": [0], "value": "nan"}])
    assert said["losses"][0]["after"] == "nan"


def test_whole_numbers_stay_whole():
    with tf.record(values="inputs") as tape:
        n = tf.constant([1, 2])
        n + 1
    edit = {"tensor": tape.number(n), "index": [0]}
    assert ask(tape, "what_if", edits=[{**edit, "value": 5}])["state"] == "ok"
    assert ask(tape, "what_if", edits=[{**edit, "value": 1.5}])["text"] == "1.5 is not a number of int32"


def test_a_branch_that_would_go_the_other_way_is_told():
    with tf.record(values="inputs") as tape:
        x = tf.constant(3.0)
        if x > 2.0:
            y = x * 2.0
    said = ask(tape, "what_if", edits=[{"tensor": tape.number(x), "index": [], "value": 1.0}])
    assert "the program would go another way" in said["told"]
    assert said["losses"][0]["after"] == float(y) - 4.0


def test_what_was_not_kept_is_refused_with_the_reason(tmp_path):
    with tf.record(values="stats") as tape:
        x = tf.constant([1.0, 2.0])
        x * 2.0
    edits = [{"tensor": tape.number(x), "index": [0], "value": 1.0}]
    for kind in ("what_if", "digits"):
        assert "record with values='inputs'" in ask(tape, kind, edits=edits)["text"]
    with tf.record(values="all") as whole:
        x = tf.constant([1.0, 2.0])
        x * 2.0
    loaded = tf.load(whole.save(tmp_path / "run.tape"))
    edits = [{"tensor": loaded.number("x"), "index": [0], "value": 1.0}]
    assert "opened from a file, which has no program" in ask(loaded, "what_if", edits=edits)["text"]
    with tf.record(values="all", max_ops=10) as first:
        x = tf.constant([1.0, 2.0])
        x * 2.0
    edits = [{"tensor": first.number(x), "index": [0], "value": 1.0}]
    assert "nothing was kept to run it again" in ask(first, "what_if", edits=edits)["text"]


def test_what_a_traced_function_makes_inside_cannot_be_edited_alone():
    @tf.function
    def f(x):
        return tf.exp(x) + 1.0

    with tf.record(values="inputs") as tape:
        y = f(tf.constant([1.0, 2.0]))
    inside = [t for t in tape.in_memory if tape.value(t).tolist() == pytest.approx([np.e, np.e**2])]
    assert float(y[0]) > 0
    for number in inside:
        said = ask(tape, "what_if", edits=[{"tensor": number, "index": [0], "value": 1.0}])
        assert "Change what that call is given" in said["text"]


def test_the_lens_has_digits_of_each_tensor_and_the_line_that_loses_them():
    with tf.record(values="inputs") as tape:
        x = tf.constant(-20.0)
        y = tf.math.log(1.0 + tf.exp(x))
    said = ask(tape, "digits")
    (loss,) = said["losses"]
    assert (loss["op"], loss["tensor"]) == ("log", tape.number(y))
    assert loss["rewrite"] == "tf.math.softplus(x)"
    assert said["right"][tape.number(x)] > 6
    assert said["right"][tape.number(y)] < 3


def test_code_of_events():
    with tf.record() as tape:
        x = tf.constant([1.0, 2.0])
        tf.nn.softmax(x)
    events = tape.query("op:softmax").events.tolist()
    assert ask(tape, "python", events=events) == {"state": "ok", "text": tape.as_python("op:softmax")}
    assert ask(tape, "python", events=[])["state"] == "error"


def test_gradients_on_the_way_are_those_of_that_run():
    """Each contribution and sum of a backward pass, of a pass through another one's gradients, too."""
    x, w = tf.constant([[1.0, 2.0]]), tf.Variable([[0.5], [-0.25]], name="w")

    def program():
        with tf.record(values="inputs") as tape, tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.tanh(x @ w)
                loss = tf.reduce_sum(y * y + y)
            dw = inner.gradient(loss, w)
            size = tf.reduce_sum(dw * dw)
            outer.gradient(size, w)
        return tape

    tape = program()
    edits = [{"tensor": tape.number("w"), "index": [1, 0], "value": 0.75}]
    w.assign([[0.5], [0.75]])
    other = program()
    rows, others = tape.recording.gradients, other.recording.gradients
    assert rows.tensor.tolist() == others.tensor.tolist()
    changed = set(ask(tape, "what_if", edits=edits)["changed"])
    for column in ("gradient", "addend"):
        for number, there in zip(getattr(rows, column).tolist(), getattr(others, column).tolist(), strict=True):
            before, after = tape.elements(number), other.elements(there)
            if before is None or after is None:
                continue
            np.testing.assert_array_equal(tape._experiments.elements(number, edits), after)
            assert (number in changed) == (not np.array_equal(before, after))
    assert len(changed & {*rows.gradient.tolist(), *rows.addend.tolist()}) > 5
