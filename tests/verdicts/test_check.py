from __future__ import annotations

import re
from pathlib import Path

import pytest

import tapeviz as tf
from tests.verdicts.programs import run
from tests.verdicts.snippets import program


@pytest.fixture(scope="module")
def tape():
    w, v = tf.Variable(1.0, name="w"), tf.Variable(1.0, name="v")
    with tf.record() as tape:
        with tf.GradientTape() as g:
            loss = tf.math.log(tf.constant(0.0)) + w
        g.gradient(loss, [w, v])
    return tape


def test_a_check_raises_with_all_findings_and_the_error_has_them(tape):
    with pytest.raises(tf.FindingsError) as raised:
        tape.check()
    assert {one.kind for one in raised.value.findings} == {"gradient_none", "nonfinite"}
    assert all(one.text in str(raised.value) and one.fix in str(raised.value) for one in raised.value.findings)
    assert isinstance(raised.value, AssertionError)


def test_a_check_is_about_the_kinds_named_and_the_severity(tape):
    with pytest.raises(tf.FindingsError) as raised:
        tape.check("none", severity=1)
    assert [one.kind for one in raised.value.findings] == ["gradient_none"]
    tape.check("none", severity=3)  # not connected: likely a fault
    tape.check("retrace", "frozen")
    with pytest.raises(ValueError, match=r"is not a kind of finding; did you mean retrace\? There are: .*nan"):
        tape.check("retraces")
    with pytest.raises(ValueError, match="severity=4"):
        tape.check(severity=4)


def test_a_check_is_not_passed_by_not_looking():
    with tf.record(values="none") as tape:
        tf.math.log(tf.constant(0.0))
    with pytest.raises(LookupError, match="nonfinite was not looked for: no statistics were kept"):
        tape.check("nan")
    tape.check("none")
    with tf.record() as tape:
        tf.math.log(tf.constant(0.0))
        with pytest.raises(LookupError, match="not over yet"):
            tape.check("nan")


def test_thresholds_are_set_for_a_question_and_for_a_recording(tmp_path: Path):
    def steps():
        f = tf.function(lambda x: x * 2.0)
        for size in range(4):
            f(tf.ones([size]))

    with tf.record() as tape:
        steps()
    assert tape.verdicts() == []
    (found,) = tape.verdicts(thresholds={"retrace_many": 3})
    assert (found.kind, found.evidence["retrace_many"]) == ("retrace", 3)
    with tf.record(thresholds={"retrace_many": 3}) as tape:
        steps()
    assert [one.kind for one in tape.verdicts()] == ["retrace"]
    assert [one.kind for one in tf.load(tape.save(tmp_path / "steps.tape")).verdicts()] == ["retrace"]
    assert tape.verdicts(thresholds={"retrace_many": 4}) == []
    with pytest.raises(ValueError, match=r"is not a threshold; did you mean retrace_many\? There are: "):
        tape.verdicts(thresholds={"retrace_manny": 3})
    with pytest.raises(ValueError, match="must be a number"):
        tf.record(thresholds={"retrace_many": "3"})


def test_the_limits_of_gradients_are_thresholds_too():
    x, y = tf.Variable(1.0, name="x"), tf.Variable(1.0, name="y")
    with tf.record() as tape:
        with tf.GradientTape() as g:
            loss = 1e-4 * x + y
        g.gradient(loss, [x, y])
    assert tape.verdicts() == []
    (found,) = tape.verdicts(thresholds={"vanishing": 1e-3, "vanishing_step": 1e-3})
    assert (found.kind, found.evidence["threshold"]) == ("vanishing", 1e-3)


_EXPECTED = """
w, v = tf.Variable(1.0), tf.Variable(1.0)
with tf.GradientTape() as g:
    loss = w * 2.0
g.gradient(loss, [w, v])COMMENT
"""


@pytest.mark.parametrize(
    ("comment", "dismissed"),
    [
        ("", False), ("  # tapeviz: expected none", True), ("  # tapeviz: expected", True),
        ("  # tapeviz: expected gradient_none, nan", True), ("  # noqa  # TapeViz:  Expected: NONE", True),
        ("  # tapeviz: expected nan", False), ("  # expected none", False),
    ],
)  # fmt: skip
def test_a_comment_on_the_line_dismisses_a_finding_which_is_counted(comment: str, dismissed: bool, tmp_path: Path):
    tape, _ = run(program(_EXPECTED.replace("COMMENT", comment), tmp_path))
    found = tape.verdicts()
    assert (len(found), len(found.expected)) == ((0, 1) if dismissed else (1, 0))
    said = re.search(r"1 finding is expected, as the line says: gradient_none \(snippet.py, line \d\).", str(found))
    assert bool(said) == dismissed
    assert ("1 finding is expected" in str(tape)) == dismissed
    if dismissed:
        tape.check()


def test_like_findings_are_one_and_the_others_are_in_its_evidence(tmp_path: Path):
    text = "\n".join(f"x{i} = tf.math.log(tf.constant({i}.0) * 0.0)" for i in range(5))
    found = run(program(text, tmp_path))[0].verdicts()
    (one,) = (one for one in found if one.kind == "nonfinite")
    assert len(one.evidence["alike"]) == 4
    assert "the same holds for x1" in one.text


def test_what_one_line_cuts_off_is_one_finding_whatever_the_names(tmp_path: Path):
    text = """query, key, value = (tf.Variable([[1.0]], name=name) for name in ("query", "key", "value"))
with tf.GradientTape() as g:
    h = query @ key @ value
    loss = tf.reduce_sum(tf.stop_gradient(h))
g.gradient(loss, [query, key, value])"""
    (one,) = run(program(text, tmp_path))[0].verdicts()
    assert one.text.startswith("query: gradient of loss is None, because stop_gradient cuts it off")
    assert one.text.endswith("the same holds for key, value")
    assert len(one.evidence["alike"]) == 2
