"""Each op that is compiled gives what NumPy gives: for special numbers, rows and columns, any length."""

import itertools

import numpy as np
import pytest

import tapeviz as tf
from tests.graphs.native.ways import compiled, equal_numbers, regions_in

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e30, 1e-40, 3.0000002, np.inf, -np.inf, np.nan, 7.5, -7.5, 1e10, 2.5]
FLOATS = ("float32", "float64")
UNARY = {
    "negative": tf.negative, "abs": tf.abs, "sqrt": tf.sqrt, "square": tf.square, "floor": tf.floor,
    "ceil": tf.math.ceil, "rint": tf.math.rint, "reciprocal": tf.math.reciprocal, "relu": tf.nn.relu,
    "sigmoid": tf.sigmoid, "exp": tf.exp, "log": tf.math.log, "tanh": tf.tanh, "sign": tf.sign,
    "to double": lambda x: tf.cast(x, tf.float64), "to single": lambda x: tf.cast(x, tf.float32),
}  # fmt: skip
BINARY = {
    "add": tf.add, "subtract": tf.subtract, "multiply": tf.multiply, "divide": tf.divide, "maximum": tf.maximum,
    "minimum": tf.minimum, "less": tf.less, "less_equal": tf.less_equal, "greater": tf.greater,
    "greater_equal": tf.greater_equal, "equal": tf.equal, "not_equal": tf.not_equal, "pow": tf.pow,
    "squared_difference": tf.math.squared_difference, "divide_no_nan": tf.math.divide_no_nan,
    "where": lambda x, y: tf.where(x > y, x, y), "and": lambda x, y: tf.logical_and(x > 0, y > x),
    "relu_grad": lambda x, y: tf.gradients(tf.nn.relu(x), x, grad_ys=y)[0],
}  # fmt: skip
SHAPES = [((17, 5), (5,)), ((17, 5), (17, 1)), ((4, 33), (1, 33)), ((40,), ()), ((2, 3, 20), (3, 20)),
          ((2, 3, 20), (2, 3, 1)), ((3, 1), (1, 4)), ((1, 1), (2, 5)), ((5,), (17, 5))]  # fmt: skip


def check(call, *tensors):
    """Compare a function of tensors, and that there is something compiled in it."""
    wanted = [tensor.numpy() for tensor in call(*tensors)]
    program = compiled(call, *tensors)
    assert regions_in(program) > 0
    for _ in range(2):
        found = program([tensor._a for tensor in tensors])
        assert all(map(equal_numbers, found, wanted))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", UNARY)
def test_of_one(name, dtype):
    x = tf.constant(np.array(SPECIAL * 3, dtype)[:43])
    check(lambda x: (UNARY[name](x) + 0, x * 2), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BINARY)
def test_of_two(name, dtype):
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL)), dtype)[:251]

    def call(x, y):
        with tf.GradientTape() as tape:
            tape.watch(x)
            back = tape.gradient(tf.nn.relu(x), x, output_gradients=y) if name == "relu_grad" else BINARY[name](x, y)
        return back, (x + y) * y

    check(call, tf.constant(pairs[:, 0]), tf.constant(pairs[:, 1]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("exponent", [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 0.8])
@pytest.mark.parametrize("ranks", list(itertools.product([(), (1,), (1, 1), (7,), (3, 7)], repeat=2)))
def test_powers_are_rounded_as_numpys(ranks, exponent, dtype):
    rng = np.random.default_rng(3)
    x, y = (tf.constant(np.full(ranks[0], rng.uniform(0.1, 3), dtype)), tf.constant(np.full(ranks[1], exponent, dtype)))
    check(lambda x, y: (tf.pow(x * 1.1, y + 0.0), tf.pow(0.8, y) * 2.0, tf.pow(x, y)), x, y)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64"])
@pytest.mark.parametrize(("one", "other"), SHAPES)
def test_rows_and_columns(one, other, dtype):
    rng = np.random.default_rng(3)
    x, y = (tf.constant((rng.normal(size=shape) * 9).astype(dtype)) for shape in (one, other))
    check(lambda x, y: (x + y, (x + y) * y - x, tf.equal(x, y)), x, y)


def test_what_meets_in_another_way_is_left_to_numpy():
    x, y = tf.reshape(tf.range(8.0), [2, 1, 4]), tf.reshape(tf.range(24.0), [2, 3, 4])
    check(lambda x, y: (x + y, tf.sqrt(y) * 2, tf.sqrt(x) + 1), x, y)


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "float32"])
@pytest.mark.parametrize("target", ["int32", "int64", "float32", "float64"])
def test_casts(dtype, target):
    x = np.array([0, 1, -3, 2**24 + 1, 100, 5], "int64").astype(dtype)
    check(lambda x: (tf.cast(x, target), tf.cast(x, tf.float32) * 2.0, tf.cast(x, tf.float64) + 1.0), tf.constant(x))


@pytest.mark.parametrize("size", [1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 65, 1000])
def test_any_length(size):
    x = tf.constant(np.linspace(-3, 3, size, dtype="f4"))
    check(lambda x: (tf.nn.relu(x * 2 - 1), tf.sqrt(x * x) / 3), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean, tf.reduce_max])
@pytest.mark.parametrize(
    "shape", [(1,), (9,), (130,), (2, 3), (3, 1), (8, 9), (40, 33), (200, 300), (3, 1, 4), (4, 6, 5, 3), (17, 2, 19)]
)
def test_sums_are_rounded_as_numpys(shape, reduce, dtype):
    rng = np.random.default_rng(1)
    x = tf.constant(rng.normal(size=shape).astype(dtype))
    axes = [part for count in range(1, len(shape) + 1) for part in itertools.combinations(range(len(shape)), count)]
    check(lambda x: [reduce(x * 2 + 1, axis=axis, keepdims=len(axis) % 2 == 0) * 1.5 for axis in axes], x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(150_001,), (1000, 196), (700, 300), (3, 100_003), (17_000, 8)])
def test_large_arrays_go_through_the_cache_in_pieces(shape, dtype):
    rng = np.random.default_rng(5)
    x = tf.constant(rng.normal(size=shape).astype(dtype))
    row, column = (tf.constant(rng.normal(size=size).astype(dtype)) for size in (shape[-1:], (*shape[:-1], 1)))

    def call(x, row, column):
        y = tf.sigmoid(x * 2 + row) * column
        z = tf.exp(tf.tanh(y) - column) + row
        return y, z, tf.reduce_sum(z, axis=-1), tf.nn.relu(z - y) / 3

    check(call, x, row, column)


def test_large_arrays_that_follow_one_another_in_memory():
    x = tf.constant(np.random.default_rng(6).normal(size=(400, 400)).astype("f4"))

    def call(x):
        for _ in range(4):
            x = tf.exp(-tf.nn.relu(x + tf.reduce_max(x, axis=1, keepdims=True))) * tf.reduce_sum(x, axis=0)
        return x

    check(lambda x: [call(x)], x)


def test_sums_of_nothing_but_minus_zero():
    check(lambda x: (tf.reduce_sum(-x), tf.reduce_sum(-x, axis=0), tf.reduce_sum(-x, axis=1)), tf.zeros([3, 4]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("turns", list(itertools.product([False, True], repeat=2)))
@pytest.mark.parametrize("sizes", [(2, 3, 4), (32, 20, 32), (1, 5, 1), (5, 1, 5), (1, 1, 1), (64, 100, 7)])
def test_products(sizes, turns, dtype):
    rng = np.random.default_rng(2)
    rows, inner, columns = sizes
    first, second = (rows, inner)[:: -1 if turns[0] else 1], (inner, columns)[:: -1 if turns[1] else 1]
    x, y = (tf.constant(rng.normal(size=shape).astype(dtype)) for shape in (first, second))
    check(lambda x, y: (tf.matmul(x * 2, y + 1, *turns) * 3 + 1, x * 3), x, y)


def test_a_matrix_times_itself():
    x = tf.constant(np.random.default_rng(0).normal(size=(7, 5)).astype("f4"))
    check(lambda x: (tf.matmul(x + 1, x + 1, transpose_b=True), tf.matmul(x, x, transpose_a=True) * 2 + 1), x)


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_labels(kind):
    rng = np.random.default_rng(4)
    logits, labels = rng.normal(size=(33, 10)).astype("f4"), rng.integers(0, 10, 33).astype(kind)
    logits[3, 4] = np.nan
    logits[5] = -np.inf

    def call(logits, labels):
        found = tf.argmax(logits, axis=-1, output_type=labels.dtype)
        right = tf.reduce_mean(tf.cast(tf.equal(found, labels), tf.float32))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits * 2)
        return losses, right, found, tf.one_hot(labels - 2, 5) * 3 + 1

    check(call, tf.constant(logits), tf.constant(labels))
