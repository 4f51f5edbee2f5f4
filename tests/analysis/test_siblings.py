"""Findings about an op hold for the ops of which the same is true: they come in by their declaration."""

import pytest

from tests.analysis.cells import record_cell

# What is run, the op at fault, how, what is said of it and what to do.
ROWS = [
    ("tf.math.xlogy([1.0], [0.0])", "xlogy", "log_zero", "xlogy of 0", "tf.math.xlogy(x, tf.maximum(y, 1e-7))"),
    ("tf.math.xlogy([1.0], [-1.0])", "xlogy", "log_negative", "below 0 is NaN", "above 0"),
    ("tf.math.xlog1py([1.0], [-1.0])", "xlog1py", "log_zero", "xlog1py of -1", "tf.maximum(y, -1 + 1e-6)"),
    ("tf.math.xdivy([1.0], [0.0])", "xdivy", "divide_zero", "divides by 0", "divide_no_nan"),
    ("1.0 / tf.math.rsqrt(tf.constant([np.inf]))", "divide", "divide_zero", "which rsqrt gave", "below the root"),
    ("tf.math.log1p(tf.math.expm1(tf.constant([-50.0])))", "log1p", "log_zero", "of -1", "the log1p of expm1(x) is x"),
    ("tf.math.log(tf.transpose(tf.nn.softmax([[0.0, 500.0]])))", "log", "log_zero", "of 0", "goes into the softmax"),
    ("tf.math.log(tf.maximum(tf.sigmoid([-500.0]), 0.0))", "log", "log_zero", "of 0", "goes into the sigmoid"),
    ("tf.math.log(tf.cumsum(tf.exp([-500.0])))", "log", "log_zero", "of 0", "keep it above 0"),
    ("tf.math.special.spence([-1.0])", "spence", "domain", "NaN below 0", "tf.maximum"),
    ("tf.math.bessel_i0([100.0])", "bessel_i0", "overflow", "too large for float32", "smaller"),
    ("tf.math.squared_difference([1e30], [0.0])", "squared_difference", "overflow", "too large", "smaller"),
    ("tf.math.unsorted_segment_sum([3e38, 3e38], [0, 0], 1)", "unsorted_segment_sum", "overflow", "too large", ""),
    ("tf.math.unsorted_segment_prod([3e38, 3e38], [0, 0], 1)", "unsorted_segment_prod", "overflow", "too large", ""),
    ("tf.nn.bias_add([[3e38]], [3e38])", "bias_add", "overflow", "too large", ""),
    ("tf.nn.sparse_softmax_cross_entropy_with_logits([0], tf.constant([[1.0, 2.0]]) - np.inf)",
     "sparse_softmax_cross_entropy_with_logits", "all_masked", "-inf", "mask with"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("code", "op", "pattern", "says", "fix"), ROWS, ids=[row[0] for row in ROWS])
def test_ways_to_nan_and_infinity(code, op, pattern, says, fix):
    tape, _ = record_cell(code, values="stats")
    found = next(found for found in tape.nonfinite() if found.op == op)
    assert (found.pattern, says in found.says, fix in found.fix) == (pattern, True, True), found


def zero_gradient(code):
    tape, _ = record_cell(
        f"""
        x = tf.Variable([[-9.0, -8.0, -7.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum({code} * tf.constant([[1.0, 2.0, 3.0]])) + 1.0
        tape.gradient(y, x)
        """,
        values="stats",
    )
    return [verdict.fix for verdict in tape.verdicts() if verdict.kind == "vanishing"]


@pytest.mark.parametrize(("code", "fix"), [
    ("tf.math.erfc(x - 30.0)", "make the numbers that go into erfc smaller"),
    ("tf.nn.elu(x * 100.0)", "make the numbers that go into elu smaller"),
    ("tf.nn.gelu(x * 100.0, approximate=True)", "make the numbers that go into gelu_approximate smaller"),
])  # fmt: skip
def test_where_a_gradient_ends(code, fix):
    (found,) = zero_gradient(code)
    assert fix in found


@pytest.mark.parametrize(("code", "fix"), [
    ("tf.math.rint(x)", "round only what is reported"),
    ("tf.cast(tf.math.is_nan(x), tf.float32)", "a comparison is flat almost everywhere"),
    ("tf.cast(tf.math.logical_xor(x > 1.0, x > 2.0), tf.float32)", "a comparison is flat almost everywhere"),
])  # fmt: skip
def test_what_to_use_in_place_of_an_op_without_a_gradient(code, fix):
    tape, _ = record_cell(
        f"""
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum({code})
        tape.gradient(y, x)
        """
    )
    (verdict,) = [verdict for verdict in tape.verdicts() if verdict.kind == "gradient_none"]
    assert fix in verdict.fix


@pytest.mark.parametrize(("code", "op"), [
    ("tf.math.segment_mean(values, numbers)", "segment_mean"),
    ("tf.math.unsorted_segment_max(values, numbers, 2)", "unsorted_segment_max"),
])  # fmt: skip
def test_integers_that_choose_are_left_whole(code, op):
    tape, _ = record_cell(
        f"""
        values, numbers = tf.Variable([1.0, 2.0, 3.0]), tf.constant([0, 0, 1])
        with tf.GradientTape() as tape:
            tape.watch(numbers)
            y = tf.reduce_sum({code})
        tape.gradient(y, numbers)
        """
    )
    (verdict,) = [verdict for verdict in tape.verdicts() if verdict.kind == "gradient_none"]
    assert f"for {op} these are row or class numbers" in verdict.fix


def test_what_draws_random_numbers_says_so():
    tape, _ = record_cell("tf.random.gamma([3], 1.0), tf.random.Generator.from_seed(1).normal([3])")
    ops = tape.recording.ops
    drawn = [name for name, traits in zip(ops.name, ops.traits, strict=True) if "random" in traits.split()]
    assert "random_gamma" in drawn
    assert len(drawn) == 2
