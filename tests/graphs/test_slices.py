"""Slices with bounds that are tensors: shapes, values and gradients as eager, for any values of the bounds."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tapeviz as tf
from tests.example_counts import exploring

X = np.arange(1.0, 25.0, dtype=np.float32).reshape(6, 4)
V = np.arange(1.0, 11.0, dtype=np.float32)
N = tf.TensorSpec([], tf.int32)

# What programs do with a part whose size is only known when they run.
USES = {
    "ones": lambda s: tf.ones(tf.shape(s)),
    "zeros_like": lambda s: tf.zeros_like(s) + 1.0,
    "reshape": lambda s: tf.reshape(s, tf.shape(s)),
    "flat": lambda s: tf.reshape(s, [-1]),
    "tensordot": lambda s: tf.tensordot(s, s, 1),
    "size": lambda s: tf.cast(tf.size(s), tf.float32),
    "sum": lambda s: tf.reduce_sum(s * s),
    "mean": lambda s: tf.reduce_mean(s * s),
    "max": tf.reduce_max,
    "softmax": tf.nn.softmax,
    "part of a part": lambda s: s[1:3],
    "reversed": lambda s: s[::-1] + s,
    "stacked": lambda s: tf.stack([s, s]),
    "joined": lambda s: tf.concat([s, s], 0),
    "moments": lambda s: tf.nn.moments(s, [0])[1],
    "cumsum": tf.cumsum,
    "logsumexp": tf.reduce_logsumexp,
    "with axis": lambda s: s[:, None] * s,
    "padded": lambda s: tf.pad(s, [[0, 10 - tf.shape(s)[0]]]),
}

CUTS = [lambda x, n: x[:n], lambda x, n: x[n:], lambda x, n: x[-n:], lambda x, n: x[n : n + 2]]


def gradient(call, x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x, n)
    return y, tape.gradient(y, x, unconnected_gradients="zero")


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "cut", [lambda x, n: x[:n], lambda x, n: x[n:], lambda x, n: x[-n:], lambda x, n: x[n : n + 2]]
)
def test_what_is_done_with_a_part(use, cut):
    def call(x, n):
        return gradient(lambda x, n: USES[use](cut(x, n)), x, n)

    for spec in (tf.TensorSpec([10]), tf.TensorSpec([None])):
        run = tf.function(call, input_signature=[spec, N])
        for n in (4, 1, 10, 7, 3):
            wanted = call(tf.constant(V), tf.constant(n))
            for _ in range(2):
                for one, other in zip(run(tf.constant(V), tf.constant(n)), wanted, strict=True):
                    assert one.shape == other.shape
                    np.testing.assert_array_equal(one, other)


def test_the_size_is_not_known_while_tracing():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([10]), N])
    def run(x, n):
        parts = x[:n], x[n:], x[::n], x[n : n + 1], x[-n:], x[n], x[2:5]
        seen.extend(part.shape.as_list() for part in parts)
        return tf.shape(x[:n])

    assert run(tf.constant(V), tf.constant(4)).numpy().tolist() == [4]
    assert seen == [[None], [None], [None], [None], [None], [], [3]]


FAR_CUTS = {
    "x[n:-9]": lambda x, n: x[n:-9],
    "x[n:-200]": lambda x, n: x[n:-200],
    "x[-9:n:-1]": lambda x, n: x[-9:n:-1],
    "x[n + 5:-9]": lambda x, n: x[n + 5 : -9],
    "x[n - 30:-40]": lambda x, n: x[n - 30 : -40],
    "x[-n:-9]": lambda x, n: x[-n:-9],
    "x[5:-9][n:-9]": lambda x, n: x[5:-9][n:-9],
    "x[n:n + 4]": lambda x, n: x[n : n + 4],
}


@pytest.mark.parametrize("cut", FAR_CUTS)
@pytest.mark.parametrize("size", [None, 60, 210])
def test_a_part_of_any_size_between_far_ends(cut, size):
    def call(x, n):
        part = FAR_CUTS[cut](x, n)
        return part, tf.shape(part), tf.ones_like(part)

    run = tf.function(call, input_signature=[tf.TensorSpec([size]), N])
    static = run.get_concrete_function().structured_outputs[0].shape
    for length in (0, 3, 11, 15, 60, 210) if size is None else (size,):
        for n in (-70, -5, 0, 1, 7, 30, 160):
            given = tf.range(float(length)), tf.constant(n)
            wanted = call(*given)
            assert static.is_compatible_with(wanted[0].shape)
            for one, other in zip(run(*given), wanted, strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_part_of_what_has_any_size_may_be_smaller():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def run(x):
        first = x[:5]
        return tf.shape(first), tf.reduce_sum(first) / tf.cast(tf.shape(first)[0], tf.float32)

    for size in (3, 7, 5, 1, 3, 3, 3, 3, 9):
        shape, mean = run(tf.ones([size]))
        assert (shape.numpy().tolist(), float(mean)) == ([min(size, 5)], 1.0)


def test_a_loop_over_a_part():
    @tf.function
    def total(x, n):
        found = 0.0
        for v in x[:n]:
            found += v
        return found

    for n in (4, 0, 10, 12):
        assert float(total(tf.constant(V), tf.constant(n))) == V[:n].sum()


BOUNDS = st.one_of(st.none(), st.integers(-8, 8), st.sampled_from(["n", "-n", "n + 1", "m", "n - m", "m * 2"]))
ITEMS = st.one_of(
    st.tuples(BOUNDS, BOUNDS, st.sampled_from([None, 1, 2, -1, "m"])), st.just(Ellipsis), st.just(None),
    st.sampled_from(["n", "m", 0, -1]),
)  # fmt: skip


def key_of(items, n, m):
    """Return the key, with numbers or tensors for its names."""
    made = {"n": n, "-n": -n, "n + 1": n + 1, "m": m, "n - m": n - m, "m * 2": m * 2}

    def put(bound):
        return made[bound] if isinstance(bound, str) else bound

    return tuple(slice(*map(put, item)) if isinstance(item, tuple) else put(item) for item in items)


@exploring(60, 5000)
@given(st.lists(ITEMS, min_size=1, max_size=3), st.booleans())
@example([(None, "n", None)], False)
@example([("n", "n + 1", None), "m"], True)
def test_any_key(items, is_open):
    if sum(item is Ellipsis for item in items) > 1:
        return
    spec = tf.TensorSpec([None, None] if is_open else [6, 4])

    def call(x, n, m):
        return gradient(lambda x, n: x[key_of(items, n, m)] * 2.0, x, n)

    try:
        concrete = tf.function(call, input_signature=[spec, N, N]).get_concrete_function()
    except (tf.errors.InvalidArgumentError, ValueError):
        concrete = None
    for n, m in ((1, 1), (2, 3), (0, 1), (-1, 2), (5, -1), (3, 0)):
        x = tf.constant(X)
        try:
            wanted = call(x, tf.constant(n), tf.constant(m))
        except tf.errors.InvalidArgumentError:
            continue
        assert concrete is not None
        for _ in range(2):
            for one, other, said in zip(
                concrete(x, tf.constant(n), tf.constant(m)), wanted, concrete.structured_outputs, strict=True
            ):
                assert said.shape.is_compatible_with(other.shape)
                np.testing.assert_array_equal(one, other)
