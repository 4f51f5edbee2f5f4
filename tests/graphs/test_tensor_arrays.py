"""TensorArray in graphs: values and gradients as eagerly, errors as those of TensorFlow's graphs."""

import gc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.graphs.run.list_values import Items
from tests.graphs.ways import agree, check

X = tf.constant(1.5)
Y = tf.constant([3.0, 4.0, 5.0])
LOOP = tf.while_loop


def array(size=3, **options):
    return tf.TensorArray(tf.float32, size, clear_after_read=False, **options)


def written(x, y):
    return LOOP(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, y[i] * y[i] * x)), (0, array()))[1].stack()


def read(x, y):
    t = array().unstack(y * x)
    return LOOP(lambda i, a: i < 3, lambda i, a: (i + 1, a * t.read(i) + t.read(0)), (0, x))[1]


def over(x, y):
    t = array(4, element_shape=[]).write(2, x * x).write(1, y[0] * x).write(2, y[1] * x)
    return t.stack(), t.gather([2, 1, 2]), t.read(2) * t.read(1)


def pieces(x, y):
    t = array(2, infer_shape=False).split(y * y * x, [1, 2])
    return t.concat() * y, t.read(1)


def scattered(x, y):
    t = array().scatter([2, 0, 1], y * x * y)
    return tf.cond(x > 1, lambda: t.write(0, x * x), lambda: t).stack()


def rewritten(x, y):
    def body(i, t):
        return i + 1, t.write(i % 3, t.read((i + 1) % 3) * x + t.read(i % 3))

    return LOOP(lambda i, t: i < 4, body, (0, array().unstack(y)))[1].stack()


def read_in_a_loop_in_a_loop(x, y):
    t = array().unstack(y)

    def outer(i, a):
        return i + 1, LOOP(lambda j, b: j < 2, lambda j, b: (j + 1, b * t.read(j) + a), (0, a * x))[1]

    return LOOP(lambda i, a: i < 3, outer, (0, x))[1]


def longer(x, y):
    def body(i, t, a):
        t = tf.cond(i % 2 == 0, lambda: t.write(i, a), lambda: t.write(i, a * x))
        return i + 1, t, a * y[i]

    _, t, a = LOOP(lambda i, t, a: i < 3, body, (0, array(0, dynamic_size=True), x))
    return t.stack(), t.size(), a


def rows(x, y):
    t = array(2).write(0, y * x).write(1, y * y)
    return t.concat(), t.gather([1]), t.stack()


PROGRAMS = {
    function.__name__: function
    for function in (written, read, over, pieces, scattered, rewritten, read_in_a_loop_in_a_loop, longer, rows)
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name):
    f = PROGRAMS[name]
    check(f, X, Y)


def test_the_branch_that_writes_nothing():
    check(scattered, tf.constant(0.5), Y)


def graph(f):
    return tf.function(f, autograph=False)


def test_what_was_not_written_is_zero():
    agree(graph(lambda: array(2, element_shape=[2]).read(0))(), tf.zeros([2]))
    agree(graph(lambda: array(2).write(0, [1.0, 2.0]).read(1))(), tf.zeros([2]))
    agree(graph(lambda: array(2).write(0, [1.0, 2.0]).stack())(), tf.constant([[1.0, 2.0], [0.0, 0.0]]))
    agree(graph(lambda: array(0, element_shape=[2]).stack())(), tf.zeros([0, 2]))
    agree(graph(lambda: array(3).unstack(Y).gather(tf.zeros([0], tf.int32)))(), tf.zeros([0]))


def test_shapes_are_known_after_a_loop():
    shapes = []

    @tf.function
    def f():
        t = LOOP(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, tf.cast([i, i], tf.float32))), (0, array()))[1]
        shapes.append((t.element_shape, t.stack().shape, t.dtype, t.dynamic_size))
        return t.stack()

    assert f().numpy().tolist() == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    assert shapes == [(tf.TensorShape([2]), tf.TensorShape([3, 2]), tf.float32, False)]


def test_elements_may_have_several_shapes():
    @tf.function
    def f():
        t = array(2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0])
        return t.concat(), t.read(0), t.read(1)

    agree(f(), (tf.constant([1.0, 1.0, 2.0]), tf.constant([1.0]), tf.constant([1.0, 2.0])))


def test_sizes():
    assert graph(lambda: array(5).size())().numpy() == 5
    assert graph(lambda: array(0, dynamic_size=True).write(4, 1.0).size())().numpy() == 5
    assert graph(lambda n: array(n).size())(tf.constant(4)).numpy() == 4


def test_arrays_of_both_sorts_are_the_public_class():
    kinds = []

    @tf.function
    def f():
        t = array()
        kinds.append(isinstance(t, tf.TensorArray))
        kinds.append(isinstance(t.write(0, 1.0), tf.TensorArray))
        return t.identity().write(0, 1.0).read(0)

    assert f().numpy() == 1.0
    assert kinds == [True, True]
    assert isinstance(array(), tf.TensorArray)


def test_a_list_of_integers_and_of_text():
    t = graph(lambda: tf.TensorArray(tf.int32, 2).write(0, 3).write(1, 4).stack())()
    assert (t.dtype, t.numpy().tolist()) == (tf.int32, [3, 4])
    words = graph(lambda: tf.TensorArray(tf.string, 2).write(0, "a").write(1, "b").stack())()
    assert words.numpy().tolist() == [b"a", b"b"]


INVALID = tf.errors.InvalidArgumentError
ERRORS = {
    "write beyond": (lambda: array(2).write(2, 1.0).stack(), INVALID, "modify element 2 in a list with 2 elements"),
    "write before": (lambda: array(2).write(-1, 1.0).stack(), INVALID, "modify element -1 in a list with 2 elements"),
    "read beyond": (lambda: array(2).write(0, 1.0).read(5), INVALID, "access element 5 in a list with 2 elements"),
    "read before": (lambda: array(2).write(0, 1.0).read(-1), INVALID, "access element -1 in a list with 2 elements"),
    "read nothing": (lambda: array(2).read(0), INVALID, "Trying to read an uninitialized tensor but element_shape is"),
    "stack nothing": (lambda: array(2).stack(), INVALID, "Tried to stack list which only contains uninitialized"),
    "stack none": (lambda: array(0).stack(), INVALID, "Tried to stack elements of an empty list"),
    "dtype": (
        lambda: array(2).write(0, tf.constant(1)).stack(), INVALID,
        "Invalid data types; op elements int32 but list elements float",
    ),
    "shape": (
        lambda: array(2).write(0, [1.0]).write(1, [1.0, 2.0]).stack(), ValueError,
        r"Inconsistent shapes: saw \(2,\) but expected \(1,\)",
    ),
    "shapes": (
        lambda: array(2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).stack(), INVALID, "incompatible",
    ),
    "scalars": (
        lambda: array(2).write(0, 1.0).write(1, 2.0).concat(), INVALID, "Concat saw a scalar shape at index 0",
    ),
    "unstack": (
        lambda: array(2).unstack(Y).stack(), INVALID, "expected a list with 2 elements but got a list with 3 elements",
    ),
    "gather": (lambda: array(3).unstack(Y).gather([5]), INVALID, "list only has 3 elements"),
    "split": (
        lambda: array(2).split(Y, [1, 1]).read(0), INVALID, "Length of tensor: 3 Values used: 2",
    ),
    "no size": (lambda: tf.TensorArray(tf.float32).size(), ValueError, "Argument `size` must be provided"),
    "grad": (lambda: array(2).grad("x"), NotImplementedError, "not supported"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    f, cls, words = ERRORS[name]
    with pytest.raises(cls, match=words):
        graph(f)()


def test_older_lists_keep_what_they_had():
    first = Items.of([1, 2, 3])
    second = first.put(1, 20)
    third = second.put(4, 50).put(0, None)
    fourth = second.put(2, 300)
    for _ in range(2):
        assert first.column() == [1, 2, 3]
        assert third.column() == [None, 20, 3, None, 50]
        assert second.column() == [1, 20, 3]
        assert fourth.column() == [1, 20, 300]
    assert (first + Items({5: 6, 1: 7}, 6)).column() == [1, 9, 3, None, None, 6]
    assert first.get(5) is None


def test_lists_are_sums_of_what_was_put_whatever_the_order():
    rng = np.random.default_rng(7)
    versions, wanted = [Items({}, 0)], [{}]
    for _ in range(300):
        origin = int(rng.integers(len(versions)))
        position, value = int(rng.integers(6)), int(rng.integers(1, 9))
        versions.append(versions[origin].put(position, value))
        wanted.append({**wanted[origin], position: value})
        probe = int(rng.integers(len(versions)))
        assert versions[probe].arrays() == wanted[probe]


def test_writing_ten_thousand_times_keeps_one_list():
    def body(i, t):
        return i + 1, t.write(i, tf.cast(i, tf.float32))

    def written_often():
        return LOOP(lambda i, t: i < 10_000, body, (0, array(10_000)))[1].stack()

    f = graph(written_often)
    f()
    gc.collect()
    before = sum(isinstance(thing, Items) for thing in gc.get_objects())
    assert f().numpy()[-1] == 9999.0
    gc.collect()
    assert sum(isinstance(thing, Items) for thing in gc.get_objects()) <= before
