"""Why a gradient is None: each reason of the closed list, at its line, with its fix, certain or not."""

from dataclasses import dataclass
from time import perf_counter

import pytest

import tapeviz as tf
from tapeviz.analysis.gaps import REASONS
from tapeviz.analysis.graph import graph_of
from tapeviz.analysis.questions import of_request
from tapeviz.analysis.why import answer, why
from tests.analysis.cells import Notebook, record_cell

NETWORK = """
w1 = tf.Variable([[0.5, -0.2], [0.1, 0.3]], name="w1")
w2 = tf.Variable([[0.4], [0.7]], name="w2")
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
"""


@dataclass(frozen=True)
class Case:
    """A recorded cell, asked about one pair: what the answer must say."""

    reason: str
    line: int
    fix: str
    code: str
    target: str = "loss"
    source: str = "w1"
    certain: bool = True
    cell: int = 2


CASES = {
    "a plain tensor": Case(
        "not_watched", 2, "call tape.watch(x) before line 2",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        """,
        source="x",
    ),
    "watched too late": Case(
        "not_watched", 2, "move t.watch(x) above line 2",
        """
        with tf.GradientTape() as t:
            h = x * x
            t.watch(x)
            loss = tf.reduce_sum(h)
        g = t.gradient(loss, x)
        """,
        source="x",
    ),
    "watch_accessed_variables": Case(
        "not_watched", 2, "tape.watch(w1)",
        """
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w1)
        """,
    ),
    "trainable=False": Case(
        "not_watched", 3, "trainable=False",
        """
        frozen = tf.Variable([[1.0], [1.0]], trainable=False)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ frozen)
        g = tape.gradient(loss, frozen)
        """,
        source="frozen",
    ),
    "forgotten by reset": Case(
        "not_watched", 4, "after reset()",
        """
        with tf.GradientTape() as tape:
            tape.watch(x)
            tape.reset()
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        """,
        source="x",
    ),
    "an update that makes a tensor": Case(
        "rebound", 5, "w1.assign_sub(0.1 * g)",
        """
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(x @ w1)
            g = tape.gradient(loss, w1)
            w1 = w1 - 0.1 * g
        """,
    ),
    "rebound in place": Case(
        "rebound", 4, "w1.assign_add(0.1 * g)",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w1)
        w1 += 0.1 * g
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w1)
        """,
    ),
    "rebound between loss and gradient": Case(
        "rebound", 3, "w1.assign(w1 * 0.5)",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        w1 = w1 * 0.5
        g = tape.gradient(loss, w1)
        """,
    ),
    "a watched tensor rebound": Case(
        "rebound", 5, "tape.watch(x)",
        """
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        x = x - 0.1 * g
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * x)
        g = tape.gradient(loss, x)
        """,
        source="x",
    ),
    "another variable of the same name": Case(
        "rebound", 3, "again with the new w1",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        w1 = tf.Variable([[1.0, 1.0], [1.0, 1.0]], name="w1")
        g = tape.gradient(loss, w1)
        """,
    ),
    ".numpy() and back": Case(
        "left_engine", 3, "leave out .numpy()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            q = tf.constant(h.numpy())
            loss = tf.reduce_sum(q * q)
        g = tape.gradient(loss, w1)
        """,
    ),
    ".numpy() kept, a part of it used": Case(
        "left_engine", 3, "leave out .numpy()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            host = h.numpy()
            loss = tf.reduce_sum(tf.constant(host[1:]) @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a NumPy function": Case(
        "left_engine", 3, "use tf.tanh in place of np.tanh",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            a = np.tanh(h)
            loss = tf.reduce_sum(a @ w2)
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "a NumPy function on .numpy()": Case(
        "left_engine", 2, "use tf.reduce_mean in place of np.mean",
        """
        with tf.GradientTape() as tape:
            m = np.mean((x @ w1).numpy(), axis=0)
            loss = tf.reduce_sum(tf.constant(m) * 2.0)
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "float()": Case(
        "left_engine", 3, "leave out float(...)",
        """
        with tf.GradientTape() as tape:
            scale = tf.reduce_sum(x @ w1)
            k = float(scale)
            loss = tf.reduce_sum(x @ w2) * k
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "tf.constant of float()": Case(
        "left_engine", 2, "leave out float(...)",
        """
        with tf.GradientTape() as tape:
            loss = tf.constant(float(tf.reduce_sum(x @ w1)))
        g = tape.gradient(loss, w1)
        """,
        certain=False,
    ),
    "an integer variable": Case(
        "integer_dtype", 1, "dtype=tf.float32",
        """
        n = tf.Variable([1, 2])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.cast(n, tf.float32))
        g = tape.gradient(loss, n)
        """,
        source="n",
    ),
    "a watched integer tensor": Case(
        "integer_dtype", 1, "1.0, not 1",
        """
        n = tf.constant([1, 2]) * 3
        with tf.GradientTape() as tape:
            tape.watch(n)
            loss = tf.reduce_sum(n * n)
        g = tape.gradient(loss, n)
        """,
        source="n",
    ),
    "a cast to integers": Case(
        "integer_dtype", 3, "leave out the cast to int32",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            n = tf.cast(h, tf.int32)
            loss = tf.reduce_sum(tf.cast(n, tf.float32) @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "argmax": Case(
        "no_gradient", 2, "softmax",
        """
        with tf.GradientTape() as tape:
            best = tf.argmax(x @ w1, axis=1)
            loss = tf.reduce_mean(tf.cast(best, tf.float32))
        g = tape.gradient(loss, w1)
        """,
    ),
    "floor": Case(
        "no_gradient", 2, "round only what is reported",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.floor(x @ w1))
        g = tape.gradient(loss, w1)
        """,
    ),
    "a comparison": Case(
        "no_gradient", 3, "compare only to choose",
        """
        with tf.GradientTape() as tape:
            p = x @ w1
            right = p > 0.5
            loss = tf.reduce_mean(tf.cast(right, tf.float32))
        g = tape.gradient(loss, w1)
        """,
    ),
    "an assignment on the way": Case(
        "no_gradient", 4, "use h itself",
        """
        v = tf.Variable([[0.0, 0.0], [0.0, 0.0]])
        with tf.GradientTape() as tape:
            h = x @ w1
            v.assign(h)
            loss = tf.reduce_sum(v @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a variable made on the way": Case(
        "no_gradient", 3, "use h itself",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            v = tf.Variable(h)
            loss = tf.reduce_sum(v @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a variable made of .numpy()": Case(
        "left_engine", 3, "leave out .numpy()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            v = tf.Variable(h.numpy())
            loss = tf.reduce_sum(v @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "stop_gradient": Case(
        "stop_gradient", 3, "leave out stop_gradient",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            s = tf.stop_gradient(h)
            loss = tf.reduce_sum(s @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "computed before the tape": Case(
        "outside_tape", 1, "move that line into the with block of line 2",
        """
        h = x @ w1
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(h @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "loss after the block": Case(
        "outside_tape", 3, "move that line into the with block of line 1",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
        loss = tf.reduce_sum(h)
        g = tape.gradient(loss, w1)
        """,
    ),
    "stop_recording": Case(
        "outside_tape", 4, "stop_recording()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            with tape.stop_recording():
                a = tf.tanh(h)
            loss = tf.reduce_sum(a @ w2)
        g = tape.gradient(loss, w1)
        """,
    ),
    "before reset": Case(
        "outside_tape", 2, "below reset()",
        """
        with tf.GradientTape() as tape:
            h = x @ w1
            tape.reset()
            loss = tf.reduce_sum(h)
        g = tape.gradient(loss, w1)
        """,
    ),
    "a gradient taken outside the outer tape": Case(
        "outside_tape", 5, "inside the with block of line 1",
        """
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x); outer.watch(x)
                y = tf.reduce_sum(x * x * x)
        dx = inner.gradient(y, x)
        d2 = outer.gradient(dx, x)
        """,
        target="dx", source="x",
    ),
    "never used": Case(
        "unconnected", 3, "use w2",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
        g = tape.gradient(loss, w2)
        """,
        source="w2",
    ),
    "used elsewhere": Case(
        "unconnected", 4, "use w2",
        """
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w1)
            other = tf.reduce_sum(x @ w2)
        g = tape.gradient(loss, w2)
        """,
        source="w2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_reason_is_found(case):
    tape, names = record_cell(case.code, NETWORK)
    # The loop that makes its variable a tensor stops there, as it does everywhere.
    assert "error" not in names or "NoneType" in str(names["error"])
    answer = tape.why(case.target, case.source)
    assert answer.reason == case.reason, answer
    assert (answer.site.cell, answer.site.line) == (case.cell, case.line), answer
    assert case.fix in answer.fix, answer
    assert answer.certain is case.certain, answer
    assert answer.site.text == tape.sites.text[answer.site_row].strip()
    assert ("probably because" in str(answer)) is not case.certain
    assert answer.gap["text"] == answer.says
    # The same when asked as part of the latest call, and as a verdict.
    assert case.reason in [one.reason for one in tape.why()]
    assert case.reason in [v.evidence["reason"] for v in tape.verdicts() if v.kind == "gradient_none"]


def test_the_list_is_closed():
    assert {case.reason for case in CASES.values()} == set(REASONS)


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
    with _WatchAll() as tape:
        h = x @ w1
        s = tf.stop_gradient(h)
        loss = tf.reduce_sum(s @ w2)
        other = tf.reduce_sum(h)
    g = tape.gradient(loss, [x, w1])
    """
    before = NETWORK + "from tapeviz.magics.gradients import _WatchAll"
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
