"""Questions about gradients: what is no reason, which call is meant, what is said where nothing is known."""

from time import perf_counter

import pytest

import tapeviz as tf
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.why.explanation import answer, why
from tapeviz.analysis.why.questions import of_request
from tests.analysis.cells import Notebook, record_cell
from tests.analysis.reasons import NETWORK


def ask(code, target, source, before=NETWORK):
    tape, names = record_cell(code, before)
    assert "error" not in names, names["error"]
    return tape.why(target, source)


CONNECTED = {
    "slices": ("w1", "loss = tf.reduce_sum(w1[:, 0][1:] * 2.0)"),
    "a cast between floats": ("w1", "loss = tf.reduce_sum(tf.cast(w1, tf.float64))"),
    "an op with several results": ("w1", "a, b = tf.split(w1, 2); loss = tf.reduce_sum(b)"),
    "a choice": ("w1", "loss = tf.reduce_sum(tf.where(w1 > 0.0, w1, 0.0))"),
    "an intermediate tensor": ("h", "h = x @ w1; loss = tf.reduce_sum(h)"),
    "a watched tensor": ("x", "tape.watch(x); loss = tf.reduce_sum(x)"),
    "a name given again in the block": ("x", "tape.watch(x); x = x * 2.0; loss = tf.reduce_sum(x)"),
    "a variable assigned and read again": ("w1", "w1.assign(w1 * 2.0); loss = tf.reduce_sum(w1)"),
    "a way around what is cut": ("w1", "h = x @ w1; loss = tf.reduce_sum(h + tf.stop_gradient(h))"),
}


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize(("source", "code"), CONNECTED.values(), ids=CONNECTED.keys())
def test_nothing_is_wrong(source, code, asked):
    """Whether gradient() was called or only the tape's rule can tell."""
    question = f"g = tape.gradient(loss, {source})" if asked else ""
    answer = ask(f"with tf.GradientTape() as tape:\n    {code}\n{question}", "loss", source)
    assert (answer.reason, answer.gap, answer.fix) == (None, None, "")
    assert "not None" in str(answer)
    assert answer.from_source == answer.from_target[::-1]
    assert len(answer.from_source) >= 2


def test_a_variable_assigned_after_its_use_is_the_same():
    code = """
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w1)
    w1.assign(w1 * 2.0)
    g = tape.gradient(loss, w1)
    """
    assert ask(code, "loss", "w1").reason is None


def test_a_tape_that_follows_everything_is_known_as_such():
    code = """
    with WatchAllTape() as tape:
        h = x @ w1
        s = tf.stop_gradient(h)
        loss = tf.reduce_sum(s @ w2)
        other = tf.reduce_sum(h)
    g = tape.gradient(loss, [x, w1])
    """
    before = NETWORK + "from tapeviz.engine.watch_all_tape import WatchAllTape"
    assert (ask(code, "loss", "x", before).reason, ask(code, "loss", "w1", before).reason) == ("stop_gradient",) * 2
    assert ask(code, "other", "x", before).reason is None


def test_of_nested_tapes_each_is_asked_about_its_own():
    code = """
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x * x * x)
        dx = inner.gradient(y, x)
    dy = outer.gradient(y, x)
    """
    tape, _ = record_cell(code, NETWORK)
    first, second = tape.requests[0], tape.requests[1]
    assert (first.gradient, second.gradient >= 0) == (-1, True)
    found = [answer(of_request(graph_of(tape.recording), row)) for row in (0, 1)]
    assert [one.reason for one in found] == ["not_watched", None]
    assert "inner.watch(x)" in found[0].fix


def test_a_second_derivative_is_followed_through_the_first():
    code = """
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x * x * x)
        dx = inner.gradient(y, x)
        total = tf.reduce_sum(tf.stop_gradient(dx))
    d2 = outer.gradient(total, x)
    """
    answer = ask(code, "total", "x")
    assert (answer.reason, answer.site.line) == ("stop_gradient", 7)


def test_of_two_losses_each_has_its_own_answer():
    code = """
    with tf.GradientTape(persistent=True) as tape:
        h = x @ w1
        loss_a = tf.reduce_sum(h)
        loss_b = tf.reduce_sum(tf.stop_gradient(h))
    a = tape.gradient(loss_a, w1)
    b = tape.gradient(loss_b, w1)
    """
    tape, names = record_cell(code, NETWORK)
    assert tape.why("loss_a", "w1").reason is None
    assert tape.why("loss_b", "w1").reason == "stop_gradient"
    # Without a target the latest call with that source is meant; without anything, its Nones.
    assert tape.why(source="w1").reason == "stop_gradient"
    assert [one.target for one in tape.why()] == ["loss_b"]
    assert tape.why(names["loss_a"]) == []
    assert "has a gradient" in str(tape.why("loss_a"))


def test_variables_updated_in_a_loop_are_asked_about_as_they_were():
    code = """
    for step in range(3):
        with tf.GradientTape() as tape:
            h = x @ w1
            loss = tf.reduce_sum(h @ w2) if step < 2 else tf.reduce_sum(h.numpy() @ w2)
        g1, g2 = tape.gradient(loss, [w1, w2])
        w2.assign_sub(0.1 * g2)
        if g1 is not None:
            w1.assign_sub(0.1 * g1)
    """
    tape, names = record_cell(code, NETWORK)
    answer = tape.why("loss", names["w1"])
    assert (answer.reason, answer.certain, answer.site.line) == ("left_engine", True, 4)
    assert tape.why("loss", "w2").reason is None
    assert len([v for v in tape.verdicts() if v.kind == "gradient_none"]) == 1


def test_the_same_None_in_many_steps_is_one_verdict():
    code = """
    for step in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.stop_gradient(x @ w1))
        g = tape.gradient(loss, w1)
    """
    tape, _ = record_cell(code, NETWORK)
    (verdict,) = tape.verdicts()
    assert verdict.evidence["times"] == 5
    assert "(5 times)" in verdict.text


def test_looking_at_a_value_is_no_reason():
    code = """
    with tf.GradientTape() as tape:
        h = x @ w1
        shown = float(tf.reduce_sum(h)), h.numpy().mean()
        loss = tf.reduce_sum(x @ w2) * 0.5
    g = tape.gradient(loss, [w1, w2])
    """
    tape, _ = record_cell(code, NETWORK)
    assert tape.why("loss", "w2").reason is None


def test_memory_that_is_used_again_is_not_taken_for_the_same():
    code = """
    with tf.GradientTape() as tape:
        h = x @ w1
        print(h.numpy().shape)
        fresh = np.array([[5.0, 6.0], [7.0, 8.0]], np.float32)
        loss = tf.reduce_sum(tf.constant(fresh) @ w2)
    g = tape.gradient(loss, w1)
    """
    assert not ask(code, "loss", "w1").certain


def test_the_two_ways_end_at_the_gap():
    code = """
    with tf.GradientTape() as tape:
        h = x @ w1
        s = tf.stop_gradient(h)
        loss = tf.reduce_sum(s @ w2)
    g = tape.gradient(loss, w1)
    """
    tape, _ = record_cell(code, NETWORK)
    found = tape.why("loss", "w1")
    names = {row.tensor: row.name for row in tape.names}
    assert names[found.from_source[-1]] == "h"
    assert tape.tensors.variable[tape.tensors.id.tolist().index(found.from_source[0])] >= 0
    assert [names.get(tensor) for tensor in found.from_target] == ["loss", None, "s"]
    event = tape.events[tape.events.id.tolist().index(found.gap["event"])]
    assert tape.ops.name[event.op] == "stop_gradient"
    assert found.gap["tensor"] == found.from_source[-1]


def test_a_function_with_a_gradient_of_its_own_is_a_way():
    code = """
    @tf.custom_gradient
    def rounded(v):
        return tf.floor(v), lambda g: g
    with tf.GradientTape() as tape:
        h = rounded(x @ w1)
        loss = tf.reduce_sum(tf.stop_gradient(h))
        other = tf.reduce_sum(h)
    g = tape.gradient(loss, w1)
    """
    tape, _ = record_cell(code, NETWORK)
    answer = tape.why("loss", "w1")
    assert (answer.reason, answer.site.line) == ("stop_gradient", 6)
    assert tape.why("other", "w1").reason is None


def test_a_gradient_function_that_gives_None_is_named():
    code = """
    @tf.custom_gradient
    def strange(v):
        return v * 2.0, lambda g: None
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(strange(x @ w1))
    g = tape.gradient(loss, w1)
    """
    answer = ask(code, "loss", "w1")
    assert (answer.reason, answer.certain, answer.site.line) == ("no_gradient", False, 5)


def test_a_tape_that_was_never_entered_recorded_nothing():
    code = """
    tape = tf.GradientTape()
    tape.watch(x)
    loss = tf.reduce_sum(x * x)
    g = tape.gradient(loss, x)
    """
    answer = ask(code, "loss", "x")
    assert (answer.reason, answer.site.line) == ("outside_tape", 3)


def test_another_tape_than_the_one_that_recorded():
    code = """
    with tf.GradientTape() as first:
        loss = tf.reduce_sum(x @ w1)
    with tf.GradientTape() as second:
        other = tf.reduce_sum(w1)
    g = second.gradient(loss, w1)
    """
    answer = ask(code, "loss", "w1")
    assert (answer.reason, answer.site.line) == ("outside_tape", 2)
    assert "line 3" in answer.fix


def test_a_target_of_before_the_recording_is_only_guessed_about():
    before = NETWORK + "with tf.GradientTape() as tape:\n    loss = tf.reduce_sum(w1)"
    answer = ask("g = tape.gradient(loss, w2)", "loss", "w2", before)
    assert (answer.reason, answer.certain, answer.site.line) == ("unconnected", False, 1)
    assert "before the recording began" in str(answer)


def test_without_a_tape_that_is_said():
    answer = ask("loss = tf.reduce_sum(x @ w1)", "loss", "w1")
    assert (answer.reason, answer.site.line) == ("outside_tape", 1)
    assert "with tf.GradientTape() as tape" in answer.fix


def test_a_source_that_the_recording_never_met():
    tape, names = record_cell("with tf.GradientTape() as t:\n    loss = tf.reduce_sum(x @ w1)", NETWORK)
    answer = tape.why("loss", names["w2"])
    assert (answer.reason, answer.certain) == ("unconnected", True)
    assert "no op of this recording read it" in str(answer)


def test_names_that_are_not_there_are_met_with_a_near_miss():
    tape, names = record_cell("with tf.GradientTape() as t:\n    loss = tf.reduce_sum(x @ w1)", NETWORK)
    with pytest.raises(LookupError, match=r"nothing called 'w1_'.*did you mean 'w1'"):
        tape.why("loss", "w1_")
    with pytest.raises(LookupError, match="there is no tensor 999"):
        tape.why(999, "w1")
    with pytest.raises(LookupError, match="no gradient was asked for"):
        tape.why()
    with pytest.raises(LookupError, match="no gradient by w1 was asked for"):
        tape.why(source="w1")
    with pytest.raises(LookupError, match="a tensor, a variable, a name or an id, not list"):
        tape.why("loss", [names["w1"]])


def test_a_tape_asked_twice_says_where_it_was_used():
    code = """
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x @ w1)
    g = tape.gradient(loss, w1)
    g = tape.gradient(loss, w1)
    """
    _, names = record_cell(code, NETWORK)
    lines = str(names["error"]).splitlines()
    assert lines[0].endswith("can only be used to compute one set of gradients (or jacobians)")
    assert "cell 2, line 3 (g = tape.gradient(loss, w1))" in lines[1]


def test_a_gradient_tape_asks_the_record_around_it():
    code = """
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.stop_gradient(x @ w1))
    g = tape.gradient(loss, w1)
    found = tape.why(loss, w1)
    every = tape.why()
    """
    _, names = record_cell(code, NETWORK)
    assert names["found"].reason == "stop_gradient"
    assert [one.source for one in names["every"]] == ["w1"]


def test_a_gradient_tape_without_a_record_says_how_to_record():
    with pytest.raises(RuntimeError, match=r"tapeviz\.record\(\)"):
        tf.GradientTape().why()


def test_a_name_of_before_the_recording_counts():
    notebook = Notebook()
    notebook.run("weight = tf.Variable([1.0, 2.0])")
    code = """
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weight * weight)
    step = tape.gradient(loss, weight)
    weight = weight - 0.1 * step
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weight * weight)
    step = tape.gradient(loss, weight)
    """
    answer = notebook.record(code).why("loss", "weight")
    assert (answer.reason, answer.site.line) == ("rebound", 4)
    assert "weight.assign_sub(0.1 * step)" in answer.fix


def test_answers_print_as_html_too():
    code = "with tf.GradientTape() as t:\n    loss = tf.reduce_sum(x * x)\ng = t.gradient(loss, x)"
    tape, _ = record_cell(code, NETWORK)
    answer = tape.why("loss", "x")
    assert "<strong>Fix:</strong>" in answer._repr_html_()
    assert answer._repr_html_() in tape.why()._repr_html_()


def test_a_recording_from_disk_answers_the_same(tmp_path):
    code = "with tf.GradientTape() as t:\n    loss = tf.reduce_sum(tf.floor(x @ w1))\ng = t.gradient(loss, w1)"
    tape, names = record_cell(code, NETWORK)
    loaded = tf.load(tape.save(tmp_path / "run.tape"))
    assert str(loaded.why("loss", "w1")) == str(tape.why("loss", "w1"))
    with pytest.raises(LookupError, match="a name or an id, not"):
        loaded.why(names["loss"], "w1")


@pytest.mark.slow
def test_a_hundred_thousand_ops_are_explained_in_a_moment():
    code = """
    with tf.GradientTape() as tape:
        h = w1
        for _ in range(50_000):
            h = h * 1.00001
            h = h + 0.0
        loss = tf.reduce_sum(tf.stop_gradient(h))
    g = tape.gradient(loss, w1)
    """
    tape, _ = record_cell(code, NETWORK, values="none")
    recording = tape.recording
    t0 = perf_counter()
    assert why(recording, "loss", "w1").reason == "stop_gradient"
    assert perf_counter() - t0 < 1.0
