"""Where NaN and infinity come from: the op, the line, the element, the well-known way, and whether it matters."""

import math

import pytest

from tests.analysis.cells import record_cell

DATA = """
x = tf.constant([[4.0, 1.0], [0.0, 9.0]])
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")
"""


def causes(code, before=DATA, values="all"):
    tape, names = record_cell(code, before, values=values)
    assert "error" not in names, names["error"]
    return tape.nonfinite()


@pytest.mark.parametrize(
    ("code", "op", "pattern", "kind", "index", "value"),
    [
        ("y = tf.math.log(x)", "log", "log_zero", "-inf", (1, 0), 0.0),
        ("y = tf.math.log(x - 5.0)", "log", "log_negative", "NaN", (0, 0), -1.0),
        ("y = tf.sqrt(x - 1.0)", "sqrt", "sqrt_negative", "NaN", (1, 0), -1.0),
        ("y = 1.0 / x", "divide", "divide_zero", "inf", (1, 0), 0.0),
        ("y = x / tf.constant([1.0, 0.0])", "divide", "divide_zero", "inf", (0, 1), 0.0),
        ("y = tf.exp(x * 100.0)", "exp", "overflow", "inf", (0, 0), 400.0),
        ("y = tf.pow(x - 1.0, 0.5)", "pow", "pow_negative", "NaN", (1, 0), -1.0),
        ("y = tf.reduce_mean(x[2:])", "reduce_mean", "empty", "NaN", (), None),
        ("y = tf.cast(x * 1e30, tf.float16)", "cast", "overflow", "inf", (0, 0), 4e30),
    ],
)
def test_a_well_known_way_is_named(code, op, pattern, kind, index, value):
    (found,) = causes(code)
    assert (found.op, found.phase, found.pattern, found.kind, found.index) == (op, "forward", pattern, kind, index)
    assert found.value == pytest.approx(value)
    assert (found.site.cell, found.site.line, found.harmless) == (2, 1, False)
    assert found.fix in str(found)


def test_without_values_the_statistics_still_tell():
    (found,) = causes("y = tf.math.log(x)", values="stats")
    assert (found.pattern, found.index, found.value) == ("log_zero", (1, 0), None)
    (found,) = causes("y = 1.0 / tf.constant([0.0, 0.0])", values="stats")
    assert (found.pattern, found.index, found.value) == ("divide_zero", (0,), 0.0)


def test_without_statistics_nothing_is_known_and_that_is_said():
    found = causes("y = tf.math.log(x)", values="none")
    assert found == []
    assert not found.known
    assert "values='stats'" in str(found)


def test_everything_finite_is_said_too():
    assert "finite" in str(causes("y = x + 1.0"))


def test_the_first_cause_stands_first_and_what_follows_from_it_nowhere():
    found = causes("""
    a = tf.math.log(x)
    b = a * 2.0 + x
    c = tf.exp(x * 100.0)
    d = tf.reduce_sum(b) + tf.reduce_sum(c)
    """)
    assert [(one.op, one.site.line) for one in found] == [("log", 1), ("exp", 3)]
    assert all(not one.harmless for one in found)


def test_what_reaches_no_result_is_harmless_and_stands_last():
    found = causes("""
    tf.math.log(x)
    safe = tf.where(x > 0.0, tf.math.log(x), 0.0)
    bad = tf.sqrt(x - 1.0)
    """)
    assert [(one.op, one.harmless) for one in found] == [("sqrt", False), ("log", True), ("log", True)]
    assert "reaches no result" in str(found[-1])


def test_what_is_printed_is_a_result():
    (found,) = causes("""
    print(tf.sqrt(x - 1.0))
    kept = tf.reduce_sum(x)
    """)
    assert (found.op, found.harmless) == ("sqrt", False)


def test_the_masked_where_is_found_in_the_backward_pass():
    """Forward nothing is wrong: tf.where leaves the infinity out. Backward 0 times infinity is NaN."""
    found = causes("""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(x > 0.0, tf.math.log(x), 0.0)
        loss = tf.reduce_sum(y)
    g = tape.gradient(loss, x)
    """)
    backward, forward = found
    assert [(one.phase, one.harmless) for one in found] == [("backward", False), ("forward", True)]
    assert {(one.op, one.pattern) for one in found} == {("log", "masked_where")}
    assert (backward.partner, forward.partner) == (forward.event, backward.event)
    assert (backward.kind, backward.index, backward.value) == ("NaN", (1, 0), 0.0)
    assert (backward.site.line, forward.site.line) == (3, 3)
    assert "x_safe" in backward.fix


def test_the_root_of_zero_is_found_in_the_backward_pass():
    (found,) = causes("""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.sqrt(x))
    g = tape.gradient(loss, x)
    """)
    assert (found.phase, found.op, found.pattern, found.kind) == ("backward", "sqrt", "sqrt_zero", "inf")
    assert (found.index, found.value, found.site.line) == ((1, 0), 0.0, 3)


def test_a_backward_pass_through_a_nan_is_not_a_second_cause():
    found = causes("""
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.log(w - 4.0) * w)
    g = tape.gradient(loss, w)
    """)
    assert [(one.phase, one.op) for one in found] == [("forward", "log")]


def test_what_comes_in_like_this_is_its_own_cause():
    code = """
    h = tf.constant([1.0, np.nan])
    y = tf.reduce_sum(h * 2.0)
    z = tf.reduce_sum(v)
    """
    found = causes(code, "v = tf.Variable(np.inf)")
    assert [(one.op, one.name, one.kind) for one in found] == [("constant", "h", "NaN"), ("variable", "v", "inf")]
    assert [one.event for one in found] == [-1, -1]
    assert (found[0].site.line, found[0].index) == (1, (1,))
    assert str(found[0]).startswith("h came in with NaN at [1].")


def test_runs_of_one_line_are_one_finding():
    (found,) = causes("for step in range(3):\n    y = tf.math.log(x)")
    assert found.times == 3
    assert "(3 times)" in str(found)
    assert found.count == 1


def test_a_value_of_a_broadcast_input_is_found():
    (found,) = causes("y = x / tf.constant([[2.0], [0.0]])")
    assert (found.index, found.value) == ((1, 0), 0.0)
    # 0 / 0 and 9 / 0
    assert (found.kind, found.count) == ("NaN", 2)
    assert not math.isnan(found.value)
