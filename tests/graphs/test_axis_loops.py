"""``map_fn``, ``foldl``, ``foldr``, ``scan`` and ``vectorized_map`` in graphs: as eagerly, errors as TensorFlow's."""

import pytest

import tapeviz as tf
from tests.graphs.ways import agree, check

X = tf.constant(1.5)
Y = tf.constant([3.0, 4.0, 5.0])
M = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, 0.25]])

PROGRAMS = {
    "map_fn": lambda x, y: tf.map_fn(lambda v: v * v * x, y),
    "map_fn of structures": lambda x, y: tf.map_fn(lambda v: (v[0] * v[1], tf.sin(v[0])), (y, y * x)),
    "map_fn to another structure": lambda x, y: tf.map_fn(
        lambda v: {"a": v * x, "b": v * v}, y, fn_output_signature={"a": tf.float32, "b": tf.float32}
    ),
    "map_fn in map_fn": lambda x, y: tf.map_fn(lambda v: tf.map_fn(lambda w: v * w * x, y), y),
    "foldl": lambda x, y: tf.foldl(lambda a, v: a * v * x, y),
    "foldl from": lambda x, y: tf.foldl(lambda a, v: tf.sin(a) * v, y, initializer=x),
    "foldr": lambda x, y: tf.foldr(lambda a, v: a * v * x + a, y),
    "foldr from": lambda x, y: tf.foldr(lambda a, v: a * v * x + a, y, initializer=x),
    "scan": lambda x, y: tf.scan(lambda a, v: a * v * x + v, y),
    "scan backwards": lambda x, y: tf.scan(lambda a, v: a * v * x + v, y, reverse=True),
    "scan of structures": lambda x, y: tf.scan(lambda a, v: (a[0] * v, a[1] * x + v), y, initializer=(x, x)),
    "scan of nothing": lambda x, y: tf.scan(lambda a, v: a * v, y[:0], initializer=x),
    "vectorized_map": lambda x, y: tf.vectorized_map(lambda v: tf.reduce_sum(v * y) * x, y),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name):
    check(PROGRAMS[name], X, Y)


def test_along_matrices():
    check(lambda m: tf.map_fn(lambda row: row * tf.reduce_sum(row), m), M)
    check(lambda m: tf.scan(lambda a, row: a * row + row, m, initializer=tf.ones_like(m[0])), M)
    check(lambda m: tf.foldr(lambda a, row: tf.tanh(a) + row * a, m), M)


def test_one_slice_goes_with_all_others():
    f = tf.function(lambda y: tf.vectorized_map(lambda v: v[0] * v[1], (y, y[:1])))
    agree(f(Y), Y * 3.0)


@pytest.mark.parametrize("lengths", [(3, 1, 3), (1, 1, 1), (1, 4, 1), (5, 5, 1), (2, 2, 2)])
@pytest.mark.parametrize("form", [None, [None, None], [None, 2]])
def test_which_tensors_have_one_slice_is_known_at_a_run(lengths, form):
    def slopes(*three):
        with tf.GradientTape() as tape:
            tape.watch(three)
            made = tf.vectorized_map(lambda rows: rows[0] * rows[1] + rows[2], three)
        return made, tape.gradient(made, three)

    three = [tf.random.stateless_normal([length, 2], [length, place]) for place, length in enumerate(lengths)]
    traced = tf.function(slopes, input_signature=[tf.TensorSpec(form, tf.float32)] * 3)
    for found, wanted in zip(tf.nest.flatten(traced(*three)), tf.nest.flatten(slopes(*three)), strict=True):
        agree(found, wanted)


@pytest.mark.parametrize("lengths", [(3, 2), (2, 3), (0, 1)])
def test_open_lengths_that_do_not_go_together(lengths):
    form = tf.TensorSpec([None, 2], tf.float32)
    f = tf.function(lambda a, b: tf.vectorized_map(lambda v: v[0] * v[1], (a, b)), input_signature=[form, form])
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(*[tf.ones([length, 2]) for length in lengths])


@pytest.mark.parametrize("along", [tf.map_fn, tf.vectorized_map])
def test_gradients_of_rows_that_no_result_needs_have_the_signs_of_a_graph(along):
    def slopes(y):
        with tf.GradientTape() as tape:
            tape.watch(y)
            made = along(lambda v: v * v, y)[:1]
        return tape.gradient(made, y)

    y = tf.constant([3.0, -4.0, 5.0])
    for found in (slopes(y), tf.function(slopes)(y)):
        assert str(found.numpy().tolist()) == "[6.0, -0.0, 0.0]"  # TensorFlow's, eagerly


def test_dtypes_and_shapes():
    shapes = []

    @tf.function
    def f(m):
        found = tf.map_fn(lambda row: tf.cast(row[0], tf.int32), m, fn_output_signature=tf.int32)
        spread = tf.map_fn(lambda v: tf.stack([v, v]), m[:, 0], fn_output_signature=tf.TensorSpec([2], tf.float32))
        shapes.append((found.shape, spread.shape))
        return found, spread

    found, spread = f(M)
    assert found.numpy().tolist() == [1, 3, 0]
    assert spread.numpy().tolist() == [[1.0, 1.0], [3.0, 3.0], [0.5, 0.5]]
    assert shapes == [(tf.TensorShape([3]), tf.TensorShape([3, 2]))]


def test_nothing_to_go_along():
    f = tf.function(lambda m: tf.map_fn(lambda row: row * 2.0, m), input_signature=[tf.TensorSpec([None, 2])])
    assert f(M[:0]).shape == (0, 2)
    agree(f(M), M * 2.0)
    assert tf.function(lambda y: tf.foldl(lambda a, v: a * v, y[:0], initializer=5.0))(Y).numpy() == 5.0


def test_the_body_is_traced_once():
    traced = []
    f = tf.function(lambda y: tf.map_fn(lambda v: traced.append(v) or v, y))
    f(Y)
    f(Y)
    assert len(traced) == 1


def test_functions_with_state():
    v = tf.Variable(0.0)

    @tf.function
    def f(y):
        return tf.map_fn(lambda u: v.assign_add(u) * 1.0, y)

    assert f(Y).numpy().tolist() == [3.0, 7.0, 12.0]
    assert v.numpy() == 12.0


INVALID = tf.errors.InvalidArgumentError
ERRORS = {
    "dtype": (
        lambda y: tf.map_fn(lambda v: tf.cast(v, tf.int32), y), INVALID, "op elements int32 but list elements float",
    ),
    "structure": (lambda y: tf.map_fn(lambda v: (v, v), y), ValueError, "don't have the same nested structure"),
    "scalar": (lambda y: tf.map_fn(lambda v: v, y[0]), ValueError, r"must be 1\+ dimensional Tensors, not scalars"),
    "lengths": (lambda y: tf.map_fn(lambda v: v[0], (y, y[:2])), ValueError, "Dimensions 3 and 2 are not compatible"),
    "shapes": (
        lambda y: tf.map_fn(tf.range, tf.cast(y, tf.int32)), INVALID, "incompatible shapes",
    ),
    "nothing": (lambda y: tf.map_fn(lambda v: v, []), ValueError, "does not contain any Tensors"),
    "no function": (lambda y: tf.map_fn(3, y), TypeError, "fn must be callable"),
    "fold of nothing": (
        lambda y: tf.foldl(lambda a, v: a, y[:0]), INVALID, "access element 0 in a list with 0 elements",
    ),
    "scan of nothing": (
        lambda y: tf.scan(lambda a, v: a, y[:0]), INVALID, "access element 0 in a list with 0 elements",
    ),
    "fold to another dtype": (
        lambda y: tf.foldl(lambda a, v: tf.cast(a, tf.int32), y), TypeError, "enters the loop with type .*float32",
    ),
    "scan to another shape": (
        lambda y: tf.scan(lambda a, v: tf.stack([a, a]), y, initializer=1.0), ValueError, r"\(2,\)",
    ),
    "scan to another structure": (
        lambda y: tf.scan(lambda a, v: (a, a), y, initializer=1.0), ValueError, "same nested structure",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    f, cls, words = ERRORS[name]
    with pytest.raises(cls, match=words):
        tf.function(f, autograph=False)(Y)


def test_lengths_that_differ_when_the_graph_runs():
    spec = tf.TensorSpec([None], tf.float32)
    f = tf.function(lambda a, b: tf.map_fn(lambda v: v[0] + v[1], (a, b), tf.float32), input_signature=[spec, spec])
    agree(f(Y, Y), Y * 2.0)
    with pytest.raises(INVALID, match="access element 2 in a list with 2 elements"):
        f(Y, Y[:2])
