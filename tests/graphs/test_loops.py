"""``while_loop`` in graphs: values and gradients as eagerly, errors as TensorFlow's."""

import numpy as np
import pytest

import tapeviz as tf
from tests.graphs.ways import agree, check, derived

X = tf.constant(1.5)
Y = tf.constant([0.3, 0.4])
LOOP = tf.while_loop


def times(count, body, *begin):
    """Return the values after so many iterations of a loop that counts for itself."""
    return LOOP(lambda i, *_: i < count, lambda i, *values: (i + 1, *body(i, *values)), (0, *begin))[1:]


def nested(x, y):
    def iteration(i, a):
        (b,) = times(i + 1, lambda _j, b: (tf.sin(b) * x + a * b,), a)
        return (b,)

    return times(3, iteration, x * y)


def branching(x, y):
    def iteration(i, a):
        return (tf.cond(i % 2 == 0, lambda: a * x + y, lambda: a * a),)

    return times(4, iteration, x * y)


LOOPS = {
    "one value": lambda x, y: times(4, lambda _i, a: (a * a * 0.3 + y,), x * y),
    "no iteration": lambda x, y: times(0, lambda _i, a: (a * a * 0.3 + y,), x * y),
    "no iteration of a body that forgets": lambda x, y: times(0, lambda _i, a: (tf.sin(y),), x * y)[0] * x,
    "a body that forgets": lambda x, y: times(2, lambda _i, a: (tf.sin(y),), x * y)[0] * x,
    "values that change places": lambda x, y: times(4, lambda _i, a, b: (b, tf.sin(a * b) * x), x * y, y),
    "until the value is large": lambda x, y: LOOP(lambda a: tf.reduce_sum(a) < 9, lambda a: [a * a + x + y], [x * y]),
    "at most": lambda x, y: LOOP(lambda a: True, lambda a: (tf.sin(a) * x + y,), (y,), maximum_iterations=3),
    "at most, as a tensor": lambda x, y: LOOP(
        lambda a: True, lambda a: (tf.sin(a) * x + y,), (y,), maximum_iterations=tf.cast(x * 2, tf.int32)
    ),
    "a value thrown away": lambda x, y: times(3, lambda _i, a, _b: (a * x, a * y), x, y),
    "a value that stays": lambda x, y: times(3, lambda _i, a, b: (a * b, b), y, x),
    "the number of the iteration": lambda x, y: times(3, lambda i, a: (a * x + tf.cast(i, tf.float32) * y,), y),
    "structures": lambda x, y: times(3, lambda _i, d: ({"a": d["a"] * x, "b": [d["b"][0] * y]},), {"a": x, "b": [y]}),
    "growing": lambda x, y: LOOP(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a, a * a * x], 0)), (0, y),
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )[1],
    "in a loop": nested,
    "a branch in a loop": branching,
    "in a branch": lambda x, y: tf.cond(x > 1, lambda: nested(x, y)[0], lambda: y),
    "in a branch that does not run": lambda x, y: tf.cond(x < 1, lambda: nested(x, y)[0], lambda: y * x),
    "one after another": lambda x, y: times(2, lambda _i, a: (a * y,), *times(2, lambda _i, a: (tf.exp(a),), x * y)),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_values_and_gradients(name):
    check(LOOPS[name], X, Y)


def test_gradients_of_the_third_order():
    def f(a):
        return times(3, lambda _i, b: (tf.cond(b > 1, lambda: b * b * a, lambda: tf.sin(b) * a * a),), a)[0]

    def third(g, a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            _, _, second = derived(g, (a,))
        return tape.gradient(second, (a,))

    a = tf.constant(1.1)
    wanted = third(f, a)
    agree(tf.function(lambda a: third(f, a))(a), wanted)
    agree(third(tf.function(f), a), wanted)


def test_gradients_by_variables_and_constants():
    v, w = tf.Variable(2.0), tf.Variable([1.0, 2.0])

    def f(x):
        return times(3, lambda _i, a: (a * v + tf.reduce_sum(w * Y),), x)[0]

    def gradients(g, x):
        with tf.GradientTape() as tape:
            tape.watch(Y)
            result = g(x)
        return result, tape.gradient(result, [v, w, Y])

    wanted = gradients(f, X)
    agree(tf.function(lambda x: gradients(f, x))(X), wanted)
    agree(gradients(tf.function(f), X), wanted)


def test_variables_are_assigned_in_each_iteration():
    v = tf.Variable(0.0)

    def f(x):
        def body(i, a):
            v.assign_add(x)
            tf.cond(i % 2 == 0, lambda: v.assign_add(10.0), lambda: v.assign_add(100.0))
            return i + 1, a + v

        return LOOP(lambda i, a: i < 3, body, (tf.constant(0), x))[1] + v

    wanted, after = f(X), v.numpy()
    v.assign(0.0)
    agree(tf.function(f)(X), wanted)
    assert v.numpy() == after


def test_a_tape_in_the_body():
    def descent(p):
        def body(p):
            with tf.GradientTape() as tape:
                tape.watch(p)
                loss = tf.reduce_sum((p - Y) ** 2) * X
            return (p - 0.1 * tape.gradient(loss, p),)

        with tf.GradientTape() as tape:
            tape.watch(Y)
            (result,) = LOOP(lambda p: True, body, (p,), maximum_iterations=5)
        return result, tape.gradient(result, Y)

    agree(tf.function(descent)(tf.zeros(2)), descent(tf.zeros(2)))


def test_draws_are_new_in_each_iteration():
    @tf.function
    def f():
        array = tf.TensorArray(tf.float32, 4)
        _, array = LOOP(lambda i, _: i < 4, lambda i, t: (i + 1, t.write(i, tf.random.uniform([]))), (0, array))
        return array.stack()

    assert len({*f().numpy().tolist(), *f().numpy().tolist()}) == 8


def test_values_of_any_dtype():
    f = tf.function(lambda s, b, z: times(2, lambda _i, s, b, z: (s, tf.logical_not(b), z * z), s, b, z))
    word, truth, square = f(tf.constant("a"), tf.constant(True), tf.constant(1 + 2j))
    assert (word.numpy(), truth.numpy(), square.numpy()) == (b"a", True, -7 - 24j)


def test_an_unknown_rank():
    spec = tf.TensorSpec(None, tf.float32)
    f = tf.function(lambda z: times(3, lambda _i, a: (a * 2.0,), z)[0], input_signature=[spec])
    agree(f(Y), Y * 8.0)
    agree(f(X), X * 8.0)


def test_lists_and_tuples_come_back_as_they_were():
    f = tf.function(lambda x: LOOP(lambda i: i < 10, lambda i: i * 2, [tf.constant(1)]))
    assert [i.numpy() for i in f(X)] == [16]
    assert isinstance(tf.function(lambda x: LOOP(lambda i: i < 10, lambda i: (i * 2,), (x,)))(X), tuple)


def test_what_nobody_asks_gradients_of_keeps_nothing():
    f = tf.function(lambda x: times(3, lambda _i, a: (tf.sin(a) * x,), x)[0])
    with tf.GradientTape() as tape:
        tape.watch(X)
        result = f(X)
    assert tape.gradient(result, X) is not None
    (node,) = [node for node in f.get_concrete_function(X).graph.nodes if node.type == "While"]
    assert len(node.outputs) > 3  # lists for the gradient
    run = node.attrs["run"].giving((1,))
    run((np.int32(0), X.numpy(), X.numpy()))
    assert run._kept == []


ERRORS = {
    "dtype": (
        lambda x: LOOP(lambda i: i < 9, lambda i: tf.cast(i, tf.float32), [tf.constant(1)]), TypeError,
        "Loop var Const:0 enters the loop with type <dtype: 'int32'> but has type <dtype: 'float32'> after 1 iteration",
    ),
    "dtype named": (
        lambda x: LOOP(lambda a: True, lambda a: tf.cast(a, tf.int32), [x]), TypeError,
        "x:0 type should remain constant.",
    ),
    "shape": (
        lambda x: LOOP(lambda a: True, lambda a: tf.concat([a, a], 0), [x]), ValueError,
        r"Input tensor `x:0` enters the loop with shape \(2,\), but has shape \(4,\) after one iteration",
    ),
    "shape, what to do": (
        lambda x: LOOP(lambda a: True, lambda a: a[:1], [x]), ValueError,
        "To allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop",
    ),
    "told shape": (
        lambda x: LOOP(lambda a: True, lambda a: tf.zeros([2, 2]), [x], shape_invariants=[tf.TensorShape([None])]),
        ValueError, r"enters the loop with shape \(None,\), but has shape \(2, 2\) after one iteration",
    ),
    "told another shape": (
        lambda x: LOOP(lambda a: True, lambda a: a, [x], shape_invariants=[tf.TensorShape([3])]), ValueError,
        "shape invariant specified for x:0 is not compatible with the initial shape",
    ),
    "structure": (
        lambda x: LOOP(lambda i, a: i < 3, lambda i, a: (i + 1,), [tf.constant(1), x]), ValueError, "same nested",
    ),
    "none": (lambda x: LOOP(lambda a: True, lambda a: None, [x]), ValueError, "body gives None"),
    "no cond": (lambda x: LOOP(3, lambda a: a, [x]), TypeError, "'cond' must be callable."),
    "no body": (lambda x: LOOP(lambda a: True, 3, [x]), TypeError, "'body' must be callable."),
    "no variables": (lambda x: LOOP(lambda: True, lambda: (), []), ValueError, "'loop_vars' must be provided."),
    "cond of a number": (
        lambda x: LOOP(lambda a: a[0], lambda a: a, [x]), tf.errors.InvalidArgumentError, "float32 expected bool",
    ),
    "cond of several": (
        lambda x: LOOP(lambda a: a > 0, lambda a: a, [x]), tf.errors.InvalidArgumentError,
        r"must be a scalar, but it has shape \(2,\)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    f, cls, words = ERRORS[name]
    with pytest.raises(cls, match=words):
        tf.function(f, autograph=False)(Y)


def test_an_error_in_the_body_names_its_line():
    f = tf.function(lambda n: times(n, lambda i, a: (a + tf.gather(Y, i),), X), autograph=False)
    agree(f(tf.constant(2)), [X + Y[0] + Y[1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"test_loops.py: .*tf\.gather\(Y, i\)"):
        f(tf.constant(3))


def test_long_loops_and_their_gradients_take_time_that_grows_with_the_length():
    count = 3000

    @tf.function
    def f(z):
        with tf.GradientTape() as tape:
            tape.watch(z)
            array = tf.TensorArray(tf.float32, count, clear_after_read=False).unstack(z)
            total = LOOP(lambda i, a: i < count, lambda i, a: (i + 1, a * 0.5 + array.read(i)), (0, z[0]))[1]
        return tape.gradient(total, z)

    found = f(tf.ones([count])).numpy()
    np.testing.assert_allclose(found[-4:], [0.125, 0.25, 0.5, 1.0])
