"""Python that runs when a graph runs: assertions, py_function, numpy_function; and Python that gives gradients."""

import numpy as np
import pytest

import tapeviz as tf


def both(tape_of, function, *values):
    """Return the gradients of a traced function with the tape outside, and inside of the graph."""
    with tape_of() as tape:
        tape.watch(values)
        y = tf.function(function)(*values)
    outside = tape.gradient(y, values)

    def inner(*xs):
        with tape_of() as tape:
            tape.watch(xs)
            y = function(*xs)
        return tape.gradient(y, xs)

    return outside, tf.function(inner)(*values)


def test_assertions_are_made_at_each_run():
    @tf.function
    def f(x, y):
        tf.debugging.assert_positive(x, "x says")
        tf.debugging.assert_less(x, y, summarize=2)
        tf.debugging.assert_near(x, x + 1e-9)
        tf.debugging.Assert(tf.reduce_all(x < 10.0), [x])
        return x * 2.0

    assert f(tf.constant([1.0]), tf.constant([2.0])).numpy() == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)x says.*Condition x > 0 did not hold") as caught:
        f(tf.constant([-1.0]), tf.constant([2.0]))
    assert "tf.debugging.assert_positive(x" in str(caught.value)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x < y did not hold"):
        f(tf.constant([3.0]), tf.constant([2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected 'tf.Tensor"):
        f(tf.constant([11.0]), tf.constant([12.0]))


@pytest.mark.parametrize("check", [
    lambda _x: tf.debugging.assert_equal(tf.constant(1), 2), lambda _x: tf.debugging.assert_negative([1.0]),
    lambda _x: tf.debugging.assert_near(1.0, 2.0), lambda x: tf.debugging.assert_equal(tf.shape(x), [3]),
    lambda _x: tf.debugging.Assert(tf.constant(False), ["no"]),
])  # fmt: skip
def test_what_is_known_while_tracing_is_asserted_then(check):
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(check).get_concrete_function(tf.TensorSpec([2]))


def test_ranks_and_dtypes_are_asserted_while_tracing():
    @tf.function
    def f(x):
        tf.debugging.assert_rank(x, 1)
        tf.debugging.assert_type(x, tf.float32)
        tf.debugging.assert_shapes([(x, ("N",))])
        return x

    assert f(tf.constant([1.0])).shape == (1,)
    with pytest.raises(ValueError, match="must have rank 1"):
        f(tf.constant([[1.0]]))


def test_numbers_are_checked_where_they_arise():
    @tf.function
    def f(x):
        return tf.debugging.check_numerics(tf.math.log(x), "a loss")

    assert f(tf.constant(1.0)).numpy() == 0.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="a loss : Tensor had Inf values"):
        f(tf.constant(0.0))


def test_py_function_runs_at_each_run():
    seen = []

    @tf.function
    def f(x):
        y = tf.py_function(lambda v: seen.append(float(v)) or v * v, [x], tf.float32)
        assert y.shape.rank is None
        return y

    assert [f(tf.constant(x)).numpy() for x in (3.0, 4.0)] == [9.0, 16.0]
    assert seen == [3.0, 4.0]


def test_py_function_promises_several_with_shapes():
    @tf.function
    def f(x):
        a, b = tf.py_function(lambda v: (v + 1.0, tf.size(v)), [x], [tf.TensorSpec([2]), tf.int32])
        assert a.shape == (2,)
        assert b.dtype == tf.int32
        return a, b

    assert [t.numpy().tolist() for t in f(tf.constant([1.0, 2.0]))] == [[2.0, 3.0], 2]


def test_gradients_of_py_function():
    def f(x, w):
        return tf.py_function(lambda v, u: v * v * u if float(v) > 0 else -v, [x, w], tf.float32)

    for got in both(tf.GradientTape, f, tf.constant(3.0), tf.constant(2.0)):
        assert [g.numpy() for g in got] == [12.0, 9.0]

    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.py_function(lambda v: v * v * v, [x], tf.float32)
            dy = inner.gradient(y, x)
        return outer.gradient(dy, x)

    assert second(tf.constant(2.0)).numpy() == 12.0


@pytest.mark.parametrize(("raised", "expected"), [
    (ValueError, tf.errors.InvalidArgumentError), (RuntimeError, tf.errors.UnknownError),
    (NotImplementedError, tf.errors.UnimplementedError),
])  # fmt: skip
def test_errors_of_py_function(raised, expected):
    def fail(_x):
        raise raised("what I say")

    with pytest.raises(expected, match=f"{raised.__name__}: what I say"):
        tf.function(lambda x: tf.py_function(fail, [x], tf.float32))(tf.constant(1.0))


def test_py_function_gives_what_it_promised():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(lambda x: tf.py_function(lambda v: v, [x], tf.int32))(tf.constant(1.0))
    with pytest.raises(TypeError, match="Tout"):
        tf.function(lambda x: tf.numpy_function(lambda v: v, [x]))(tf.constant(1.0))


def test_numpy_function():
    @tf.function
    def f(x):
        return tf.numpy_function(lambda v: [np.cumprod(v), 3], [x], [tf.float32, tf.int64])

    assert [t.numpy().tolist() for t in f(tf.constant([2.0, 3.0]))] == [[2.0, 6.0], 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="0-th value returned by the function is float32"):
        tf.function(lambda x: tf.numpy_function(lambda v: v, [x], tf.int32))(tf.constant(1.0))
    assert both(tf.GradientTape, lambda x: tf.numpy_function(lambda v: v * v, [x], tf.float32), tf.constant(1.0)) == (
        (None,), (None,)
    )  # fmt: skip


def test_custom_gradient_in_a_graph():
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda dy: dy * 100.0

    for got in both(tf.GradientTape, lambda x: clipped(x) * 2.0, tf.constant(3.0)):
        assert got[0].numpy() == 200.0


def test_custom_gradient_with_variables_in_a_graph():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            assert [w is v for w in variables] == [True]
            return dy * 10.0, [dy * 20.0]

        return x * v, grad

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x)
        return tape.gradient(y, [x, v])

    assert [g.numpy() for g in inside(tf.constant(3.0))] == [10.0, 20.0]
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(scaled)(x)
    assert [g.numpy() for g in tape.gradient(y, [x, v])] == [10.0, 20.0]


def test_recompute_grad_in_a_graph():
    v = tf.Variable(2.0)
    cube = tf.recompute_grad(lambda x: x * x * x * v)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube(x)
        return tape.gradient(y, [x, v])

    assert [g.numpy() for g in inside(tf.constant(3.0))] == [54.0, 27.0]
    for got in both(tf.GradientTape, cube, tf.constant(3.0)):
        assert got[0].numpy() == 54.0


def test_a_tape_inside_a_node_sees_the_node_alone():
    @tf.function
    def f(x):
        return tf.py_function(lambda v: v + 1.0, [x], tf.float32)

    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = f(x) * x
    assert tape.gradient(y, x).numpy() == 3.0
