"""Where two tapes first differ, on pairs of cells of which it is known: the line, the op, and the error in ULP."""

import doctest
import time

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.tape.diff
from tapeviz.recording import Builder, read
from tests.analysis.cells import record_cell
from tests.recording.network import Network
from tests.recording.op_facts import declared

STEP = """
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
w = tf.Variable([[0.5], [-0.3]], name="w")
with tf.GradientTape() as tape:
    h = tf.matmul(x, w)
    for i in range(3):
        h = tf.sin(h) + h
    loss = tf.reduce_sum(h)
dw = tape.gradient(loss, w)
"""


def cells(a, b, values="all", before=""):
    (one, _), (other, _) = (record_cell(code, before, values=values) for code in (a, b))
    return tf.diff(one, other)


def changed(old, new, **options):
    assert old in STEP
    return cells(STEP, STEP.replace(old, new), **options)


def told(row):
    return row.line, row.op, row.what


def stored(tape):
    """Return the tape's recording as a file would have it: nothing of it in memory."""
    return read(tape.recording.to_bytes())


def units(a, b):
    """Return the largest error in units in the last place, as NumPy has them."""
    a, b = np.asarray(a), np.asarray(b)
    return (np.abs(a - b) / np.spacing(np.maximum(np.abs(a), np.abs(b)))).max()


@pytest.mark.parametrize("values", ["none", "stats", "all"])
def test_a_program_is_like_itself(values):
    diff = cells(STEP, STEP, values)
    assert diff.first is None
    assert diff.material == []
    assert diff.counts == (17, 0, 0)
    assert {row.what for row in diff} == ({"not_kept"} if values == "none" else {"equal"})
    assert ("No difference" in diff.summary) is (values != "none")


def test_the_example_in_its_docstring_is_true():
    assert doctest.testmod(tapeviz.tape.diff).failed == 0


def test_a_changed_constant():
    diff = changed("3.0", "3.5")
    first = diff.first
    assert told(first) == (1, "constant", "value")
    assert (first.name, first.a, first.b, first.inherited) == ("x", -1, -1, False)
    assert first.ulp == units(np.float32(3.0), np.float32(3.5)) == 2**21
    assert (first.relative, first.absolute) == (0.5 / 3.5, 0.5)
    element = diff.element(first)
    assert (element.index, element.a, element.b) == ((1, 0), 3.0, 3.5)
    assert "At [1, 0] it is 3.0 in a and 3.5 in b." in str(diff)
    rest = [row for row in diff if row.material and row is not first and row.index != first.index]
    assert {row.cause for row in rest} == {first.index}
    assert told(rest[0]) == (4, "matmul", "value")
    assert (first.site.text, first.other_site.text) == (
        "x = tf.constant([[1.0, 2.0], [3.0, 4.0]])",
        "x = tf.constant([[1.0, 2.0], [3.5, 4.0]])",
    )


def test_a_gradient_is_a_row_by_the_name_of_its_source():
    first = [row for row in changed("3.0", "3.5") if row.op == "gradient"]
    assert [(row.name, row.line, row.phase, row.what, row.inherited) for row in first] == [
        ("w", 8, "backward", "value", True)
    ]


def test_a_gradient_that_only_one_has():
    diff = changed("tf.reduce_sum(h)", "tf.reduce_sum(tf.stop_gradient(h))")
    (row,) = [row for row in diff if row.op == "gradient"]
    assert (row.what, row.material) == ("only_a", True)


def test_an_op_that_only_one_has():
    diff = changed("tf.sin(h) + h", "tf.sin(tf.abs(h)) + h")
    assert told(diff.first) == (6, "abs", "only_b")
    assert (diff.first.a, diff.first.occurrence) == (-1, 1)
    assert [row.occurrence for row in diff if row.op == "sin" and row.phase == "forward"] == [1, 2, 3]
    assert all(row.what != "only_a" for row in diff)


def test_another_op_in_its_place():
    diff = changed("tf.sin(h)", "tf.cos(h)")
    assert told(diff.first) == (6, "sin", "only_a")
    assert told(diff[diff.first.index + 1]) == (6, "cos", "only_b")
    assert (diff.first.site.text, diff.first.other_site.text) == ("h = tf.sin(h) + h", "h = tf.cos(h) + h")
    assert diff.element(diff.first) is None


@pytest.mark.parametrize(("trips", "what", "number"), [("5", "only_b", 4), ("2", "only_a", 3)])
def test_a_loop_with_more_or_fewer_trips(trips, what, number):
    diff = changed("range(3)", f"range({trips})")
    assert told(diff.first) == (6, "sin", what)
    assert diff.first.occurrence == number
    forward = [row for row in diff if row.phase == "forward" and row.occurrence < number and row.op != "reduce_sum"]
    assert {row.what for row in forward} == {"equal"}
    # A backward step belongs to the trip that its op is of.
    alone = [row for row in diff if row.what == what]
    assert {row.op for row in alone} == {"sin", "add"}
    assert len(alone) == 2 * 2 * abs(int(trips) - 3)
    assert told(next(row for row in diff if row.what == "value")) == (7, "reduce_sum", "value")


def test_lines_may_move_and_cells_have_other_numbers():
    (one, _), (other, _) = record_cell(STEP), record_cell("# first\n\nn = 1\n" + STEP.replace("3.0", "3.5"), "pass")
    first = tf.diff(one, other).first
    assert told(first) == (1, "constant", "value")
    assert first.other_site.line == 5


def test_float32_against_float64():
    code = "x = np.linspace(0.1, 2.0, 64).astype('{}')\ny = tf.exp(tf.constant(x))\nz = tf.reduce_sum(y)"
    diff = cells(code.format("float32"), code.format("float64"))
    assert (diff.first.op, diff.first.what, diff.first.note) == ("constant", "dtype", "float32 in a, float64 in b")
    exact = np.linspace(0.1, 2.0, 64)
    single = exact.astype("f4")
    assert diff.first.ulp == pytest.approx(
        np.max(np.abs(single - exact) / np.spacing(np.maximum(single, exact).astype("f4")))
    )
    assert 0 < diff.first.ulp <= 1
    assert [row.what for row in diff] == ["dtype"] * 3
    assert [row.cause for row in diff] == [-1, 0, 0]
    # With a tolerance values count, not dtypes.
    assert (
        tf.diff(*(record_cell(code.format(d), values="all")[0] for d in ("float32", "float64")), rtol=1e-5).first
        is None
    )


def laid_down(data, *, total, root, extra=0.0):
    """Return sum and square root of some numbers, as a recording with these values."""
    net = Network()
    row = {"name": "reduce_sum", "family": "reduction", "differentiable": "*", **declared("reduce_sum")}
    net.ops["reduce_sum"] = net.builder.append("ops", **row)
    x = net.tensor([len(data)], "host")
    made = net.op("reduce_sum", [x], [], 1)
    end = net.op("sqrt", [made], [], 2)
    for tensor, values in ((x, data + np.float32(extra)), (made, total), (end, root)):
        array = np.asarray(values, "f4")
        net.builder.append("values", tensor=tensor, length=float(array.size), data=array.tobytes())
        net.builder.append("stats", tensor=tensor, min=array.min(), max=array.max(), norm=np.linalg.norm(array))
    return net.builder.recording()


def one_by_one(data):
    return np.cumsum(data, dtype="f4")[-1]


@pytest.mark.parametrize("signs", ["one", "both"])
def test_a_sum_in_another_order_is_rounding(signs):
    rng = np.random.default_rng(1)
    data = rng.uniform(0.5, 1.5, 5_000).astype("f4")
    if signs == "both":  # the terms cancel: the error is large beside what is left of them
        data *= rng.choice(np.array([-1, 1], "f4"), 5_000)
        data[0] -= np.float32(data.sum(dtype="f8"))
    a, b = one_by_one(data), one_by_one(data[::-1])
    roots = np.sqrt(np.abs(a)), np.sqrt(np.abs(b))
    diff = tf.diff(*(laid_down(data, total=total, root=root) for total, root in zip((a, b), roots, strict=True)))
    assert a != b
    assert diff[0].ulp == units(a, b)
    assert diff[1].ulp == units(*roots)
    assert [row.what for row in diff] == ["value", "value"]
    assert (diff[0].allowed, diff[1].allowed) == (4 * 5_000**0.5, 4 * 5_001**0.5)
    assert (diff[0].ulp > diff[0].allowed) is (signs == "both")
    assert not diff[0].material
    assert "ULP" in diff.summary


def test_more_than_rounding():
    data = np.linspace(1, 2, 100, dtype="f4")
    total = one_by_one(data)
    within, beyond = total + 40 * np.spacing(total), total + 41 * np.spacing(total)
    one = laid_down(data, total=total, root=1.0)
    assert tf.diff(one, laid_down(data, total=within, root=1.0)).first is None
    assert told(tf.diff(one, laid_down(data, total=beyond, root=1.0)).first) == (1, "reduce_sum", "value")
    assert tf.diff(one, laid_down(data, total=beyond, root=1.0), rtol=1e-5).first is None
    assert told(tf.diff(one, laid_down(data, total=total, root=1.0, extra=1e-7), atol=0).first) == (
        1,
        "constant",
        "value",
    )
    # What came in has to be equal to the last bit.
    assert told(tf.diff(one, laid_down(data, total=total, root=1.0, extra=1e-7)).first) == (1, "constant", "value")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16", "complex64"])
def test_units_in_the_last_place_are_numpys(dtype):
    code = "y = tf.cast(tf.constant(np.linspace(-3, 3, 97)), tf.{0}) * tf.cast(tf.constant({1}), tf.{0})"
    tapes = [record_cell(code.format(dtype, factor), values="all")[0] for factor in (1.0, 1.01)]
    row = tf.diff(*tapes)[-1]
    assert row.op == "multiply"
    a, b = (np.linspace(-3, 3, 97) for _ in range(2))
    a, b = (tf.cast(tf.constant(x), dtype).numpy() for x in (a, b))
    b = b * tf.cast(tf.constant(1.01), dtype).numpy()
    if dtype == "bfloat16":
        a, b = a.astype("f4"), b.astype("f4")
        gaps = np.spacing(np.maximum(np.abs(a), np.abs(b))) * 2.0**16
    else:
        gaps = np.spacing(np.maximum(np.abs(a), np.abs(b)))
    expected = np.max(np.abs(a.astype("c16" if dtype == "complex64" else "f8") - b) / gaps)
    assert row.ulp == pytest.approx(expected, rel=1e-6)


def test_nan_in_one():
    code = "x = tf.constant([4.0, {}, 9.0])\ny = tf.sqrt(x)\nz = y + 1.0"
    diff = cells(code.format("1.0"), code.format("-1.0"))
    assert [row.what for row in diff] == ["value", "nonfinite", "nonfinite"]
    assert [row.inherited for row in diff] == [False, True, True]
    assert diff[1].note == "none in a, 1 NaN in b"
    element = diff.element(diff[1])
    assert (element.index, element.a, str(element.b)) == ((1,), 1.0, "nan")
    assert "NaN" in str(diff)


def test_nan_in_both_is_no_difference():
    code = "x = tf.constant([4.0, -1.0, np.inf])\ny = tf.sqrt(x)"
    assert cells(code, code).first is None


def test_another_shape():
    code = "x = tf.ones([4, {}])\ny = tf.reduce_sum(x)"
    row = next(row for row in cells(code.format(3), code.format(5)) if row.what == "shape")
    assert (row.note, row.material, row.line) == ("[4, 3] in a, [4, 5] in b", True, 1)


@pytest.mark.parametrize("dtype", ["int32", "int64", "bool"])
def test_whole_numbers_have_to_be_equal(dtype):
    last = {"int32": "2**31 - 2", "int64": "2**62 + 1", "bool": "False"}
    other = {"int32": "2**31 - 1", "int64": "2**62 + 2", "bool": "True"}
    zero = "False" if dtype == "bool" else "0"
    code = f"x = tf.constant([{zero}, {{}}], tf.{dtype})\ny = tf.identity(x)"
    diff = cells(code.format(last[dtype]), code.format(other[dtype]))
    assert told(diff.first) == (1, "constant", "value")
    assert diff.first.absolute == 1.0
    assert np.isnan(diff.first.ulp)


@pytest.mark.parametrize("at", [0, 2**21 - 1, 2**21, 3_000_000])
def test_large_tensors_are_looked_at_in_parts(at):
    tapes = []
    for extra in (0.0, 0.5):
        data = np.ones(3_000_001, "f4")
        data[at] += extra
        with tf.record(values="stats", budget="1G") as tape:
            tf.identity(tf.constant(data))
            tf.identity(tf.constant(data[: at + 1]))
        tapes.append(tape)
    diff = tf.diff(*tapes)
    assert [(row.what, row.ulp, row.absolute) for row in diff if row.op == "constant"] == [("value", 2**22, 0.5)] * 2
    assert diff.element(diff.first).index == (at,)


def test_statistics_stand_in_for_values():
    one, other = (record_cell(STEP.replace("3.0", number), values="stats")[0] for number in ("3.0", "3.5"))
    diff = tf.diff(stored(one), stored(other))
    assert told(diff.first) == (1, "constant", "value")
    assert diff.first.basis == "stats"
    assert np.isnan(diff.first.ulp)
    assert diff.first.absolute == (1 + 2 + 3.5 + 4) / 4 - (1 + 2 + 3 + 4) / 4
    assert "not kept" in str(diff)
    # In the same session the values are still in memory.
    assert tf.diff(one, other).first.basis == "values"
    assert tf.diff(one, other).first.ulp == 2**21


def test_shapes_alone():
    diff = tf.diff(*(record_cell(STEP, values="none")[0] for _ in range(2)))
    assert {(row.what, row.basis) for row in diff} == {("not_kept", "form")}
    assert "values='all'" in diff.summary


def test_different_programs_are_said_to_be():
    one = record_cell("x = tf.ones([2])\n" + "x = x + 1.0\n" * 50)[0]
    other = record_cell("a = tf.ones([3, 3])\n" + "a = tf.matmul(a, a)\n" * 50)[0]
    diff = tf.diff(one, other)
    assert diff.unlike
    assert str(diff) == diff.summary
    assert diff.summary.startswith("These are tapes of different programs")
    assert "\n" not in diff.summary


def test_tapes_without_ops():
    empty, one = Builder().recording(), record_cell("x = tf.ones([2]) + 1.0")[0]
    assert tf.diff(empty, empty).summary == "Neither tape has ops."
    assert tf.diff(one, empty).summary == "Tape b has no ops to compare."
    assert tf.diff(empty, one).summary == "Tape a has no ops to compare."
    for diff in (tf.diff(empty, empty), tf.diff(one, empty)):
        assert repr(diff)
        assert diff._repr_html_()


def test_an_op_that_failed_in_one():
    code = "x = tf.ones([2, 3])\ny = tf.matmul(x, tf.ones([{}, 2]))"
    diff = cells(code.format(3), code.format(4))
    row = next(row for row in diff if row.op == "matmul")
    assert (row.what, row.material) == ("only_a", True)


def test_rows_are_a_sequence():
    diff = changed("3.0", "3.5")
    assert diff[-1] == diff.rows[len(diff) - 1]
    assert diff[2:4] == diff.rows[2:4]
    assert [row.index for row in diff] == list(range(len(diff)))
    with pytest.raises(IndexError, match="row 99 is out of range"):
        diff[99]
    frame = diff.to_pandas()
    assert len(frame) == len(diff)
    assert frame.loc[diff.first.index, "ulp"] == 2**21
    assert frame["inherited"].tolist() == [row.inherited for row in diff]
    assert {"line", "place", "op", "what", "cause"} <= {*frame.columns}


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("run.tape", None), TypeError, "the first is not a tape but str; open it with tapeviz.load"),
        ((Builder().recording(), 3), TypeError, "the second is not a tape but int"),
        ((Builder().recording(), Builder().recording(), -1.0), ValueError, "must not be negative"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        tf.diff(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("factor", ["0.5", "0.6"])
def test_a_hundred_thousand_ops_are_quick(factor):
    def run(scale):
        with tf.record(values="stats") as tape:
            x = tf.constant(np.linspace(0, 1, 4, dtype="f4"))
            for _ in range(10_000):
                for _ in range(5):
                    x = tf.tanh(x * scale)
        return tape.recording

    a, b = run(0.5), run(float(factor))
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        diff = tf.diff(a, b)
        assert (diff.first is None) is (factor == "0.5")
        assert "difference" in str(diff).lower()
        best = min(best, time.process_time() - start)
    assert diff.counts == (100_000, 0, 0)
    assert best < 2


def built_again(change=0.0):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, "tanh"), tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
    x = tf.ones([2, 3])
    model(x)
    with tf.record(values="all") as tape:
        with tf.GradientTape() as g:
            loss = tf.reduce_sum(model(x) * (1.0 + change))
        g.gradient(loss, model.trainable_variables)
    return tape


def test_a_model_that_is_built_again_has_other_names_and_the_same_gradients():
    tapes = built_again(), built_again()
    names = [[row.name for row in tf.diff(tape, tape) if row.op == "gradient"] for tape in tapes]
    assert len(names[0]) == 6
    assert not set(names[0]) & set(names[1])
    found = tf.diff(*tapes)
    assert found.first is None
    assert [row.name for row in found if row.op == "gradient"] == names[0]
    other = [row for row in tf.diff(tapes[0], built_again(0.5)).material if row.op == "gradient"]
    assert [row.what for row in other] == ["value"] * 6


def test_what_ran_while_a_function_was_traced_is_no_difference_from_a_call_that_traced_nothing():
    w = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.SGD(0.0, momentum=0.9)

    @tf.function
    def step():
        with tf.GradientTape() as g:
            loss = tf.reduce_sum(w**2) * 0.0
        optimizer.apply_gradients([(g.gradient(loss, w), w)])
        return loss

    tapes = []
    for _ in range(2):
        with tf.record(values="inputs") as tape:
            step()
        tapes.append(tape)
    found = tf.diff(*tapes)
    assert found.first.name.endswith("iteration")  # it is one step further
    alone = [row for row in found if row.what == "only_a"]
    assert alone
    assert not any(row.material for row in alone)
    assert tf.diff(tapes[0], tapes[0].rerun()).first is None
