"""Variables of graphs: their values are the sessions'."""

import numpy as np
import pytest

import tapeviz
import tapeviz.compat.v1 as tf
from tapeviz.errors import FailedPreconditionError


def test_each_session_has_its_own_values():
    count = tf.Variable(0.0, name="count")
    more = count.assign_add(1.0)
    first, second = tf.Session(), tf.Session()
    for session in (first, second):
        session.run(tf.global_variables_initializer())
    assert [first.run(more), first.run(more), second.run(more)] == [1.0, 2.0, 1.0]
    assert (first.run(count), second.run(count)) == (2.0, 1.0)
    assert first.run(count, {count: 9.0}) == 9.0
    assert first.run(count) == 2.0
    third = tf.Session()
    with pytest.raises(FailedPreconditionError, match=r"^Attempting to use uninitialized value count\b"):
        third.run(count)


def test_what_it_tells_of_itself():
    weight = tf.Variable([[1.0, 2.0]], name="weight")
    assert repr(weight) == str(weight) == "<tf.Variable 'weight:0' shape=(1, 2) dtype=float32>"
    assert (weight.name, weight.op.name, weight.initializer.name) == ("weight:0", "weight", "weight/Assign")
    assert weight.initial_value.name == "weight/initial_value:0"
    assert weight.value().name == "weight/read:0"
    assert (weight.shape, weight.get_shape(), weight.dtype, weight.ndim) == ((1, 2), (1, 2), tf.float32, 2)
    assert weight.graph is tf.get_default_graph()
    assert (weight.device, weight.trainable) == ("", True)
    assert isinstance(weight, tf.Variable)
    assert isinstance(tapeviz.Variable(1.0), tf.Variable)
    assert not isinstance(weight.value(), tf.Variable)
    with pytest.raises(NotImplementedError, match=r"numpy\(\) is only available when eager execution is enabled"):
        weight.numpy()
    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        bool(weight)
    with pytest.raises(TypeError, match="Iterating over a symbolic"):
        iter(weight)


def test_it_is_used_as_a_tensor():
    weight = tf.Variable([1.0, 2.0, 3.0])
    with tf.Session() as session:
        session.run(weight.initializer)
        for made, value in [
            (weight + 1.0, [2.0, 3.0, 4.0]), (2.0 * weight, [2.0, 4.0, 6.0]), (-weight, [-1.0, -2.0, -3.0]),
            (weight[1], 2.0),
            (tf.reduce_sum(weight), 6.0), (tf.stack([weight, weight])[1], [1.0, 2.0, 3.0]), (weight > 2.0, [0, 0, 1]),
            (tf.convert_to_tensor(weight), [1.0, 2.0, 3.0]), (tf.identity(weight), [1.0, 2.0, 3.0]),
        ]:  # fmt: skip
            np.testing.assert_array_equal(session.run(made), value)


def test_assignments_are_operations():
    weight = tf.Variable([1.0, 2.0], name="weight")
    changes = [tf.assign(weight, [5.0, 5.0]), tf.assign_add(weight, [1.0, 2.0]), tf.assign_sub(weight, [2.0, 2.0])]
    assert [change.op.type for change in changes] == ["Assign", "AssignAdd", "AssignSub"]
    quiet = weight.assign([0.0, 0.0], read_value=False)
    assert isinstance(quiet, tf.Operation)
    with tf.Session() as session:
        session.run(weight.initializer)
        for change, value in zip(changes, ([5.0, 5.0], [6.0, 7.0], [4.0, 5.0]), strict=True):
            assert session.run(change).tolist() == value
            assert session.run(weight).tolist() == value
        assert session.run(quiet) is None
        assert session.run(weight).tolist() == [0.0, 0.0]
        weight.load([8.0, 9.0], session)
        assert weight.eval(session).tolist() == [8.0, 9.0]
        with session.as_default():
            assert weight.eval().tolist() == [8.0, 9.0]
    with pytest.raises(ValueError, match=r"Cannot assign to weight:0: .* Shapes are \(2,\) and \(3,\)"):
        weight.assign([1.0, 2.0, 3.0])


def test_an_assigned_value_is_not_changed_by_what_comes_after():
    weight = tf.Variable(tf.zeros([4]))
    assigned = weight.assign(tf.placeholder_with_default([1.0, 2.0, 3.0, 4.0], [4]) * 2.0)
    further = tf.exp(assigned * 0.0 + 1.0) * 3.0
    with tf.Session() as session:
        session.run(weight.initializer)
        for _ in range(3):
            session.run([assigned, further])
            assert session.run(weight).tolist() == [2.0, 4.0, 6.0, 8.0]


def test_what_it_begins_with():
    plain = tf.Variable(2.0)
    called = tf.Variable(lambda: tf.ones([2]) * 3.0, name="called")
    double = tf.Variable(plain * 2.0, name="double")  # computed from another one: in one run with it
    again = tf.Variable(double.initialized_value() + 1.0, name="again")
    typed = tf.Variable(1, dtype=tf.float64)
    assert called.initial_value.name.startswith("called/Initializer/")
    with tf.Session() as session:
        assert session.run(plain.initialized_value()) == 2.0  # what it will be
        session.run(tf.global_variables_initializer())
        assert session.run([plain, double, again, typed]) == [2.0, 4.0, 5.0, 1.0]
        assert session.run(called).tolist() == [3.0, 3.0]
        session.run(plain.assign(10.0))
        assert session.run(plain.initialized_value()) == 10.0
        session.run(double.initializer)
        assert session.run(double) == 20.0
    with pytest.raises(ValueError, match=r"^initial_value must be specified\.$"):
        tf.Variable(None)
    with pytest.raises(ValueError, match=r'^initial_value must have a shape specified: Tensor\("Placeholder:0"'):
        tf.Variable(tf.placeholder(tf.float32))


def test_random_beginnings_are_drawn_in_each_run():
    weight = tf.Variable(tf.random_normal([100]))
    copy = tf.Variable(weight.initialized_value())
    with tf.Session() as session:
        values = []
        for _ in range(2):
            session.run(tf.global_variables_initializer())
            one, other = session.run([weight, copy])
            np.testing.assert_array_equal(one, other)
            values.append(one)
        assert not np.array_equal(*values)


def test_shapes_may_be_left_open():
    x = tf.placeholder(tf.float32, name="x")
    grown = tf.Variable(x, validate_shape=False, name="grown")
    assert repr(grown) == "<tf.Variable 'grown:0' shape=<unknown> dtype=float32>"
    with tf.Session() as session:
        session.run(grown.initializer, {x: [1.0, 2.0]})
        assert session.run(grown * 2.0).tolist() == [2.0, 4.0]
        session.run(grown.assign(tf.ones([3])))
        assert session.run(grown).tolist() == [1.0, 1.0, 1.0]


def test_initializing():
    first, second = tf.Variable(1.0, name="first"), tf.Variable(2.0, name="second", trainable=False)
    local = tf.Variable(3.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False, name="local")
    known, missing = tf.is_variable_initialized(first), tf.report_uninitialized_variables()
    with tf.Session() as session:
        assert not session.run(known)
        assert session.run(missing).tolist() == [b"first", b"second", b"local"]
        session.run(tf.variables_initializer([first], name="some"))
        assert session.run(known)
        assert session.run(missing).tolist() == [b"second", b"local"]
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        assert session.run(missing).tolist() == []
        assert session.run([first, second, local]) == [1.0, 2.0, 3.0]
    assert tf.all_variables() == [first, second]
    assert tf.local_variables() == [local]
    assert tf.initialize_all_variables().type == "NoOp"


def test_variables_inside_branches_and_functions():
    weight = tf.Variable(1.0, name="weight")
    big = tf.placeholder(tf.bool, [])
    chosen = tf.cond(big, lambda: weight.assign(100.0), lambda: weight.assign_add(1.0))
    squared = tf.function(lambda x: x * weight * weight)
    grown = tf.while_loop(lambda i, _: i < 3, lambda i, total: (i + 1, total * weight), [tf.constant(0), 2.0])
    with tf.Session() as session, tf.Session() as other:
        for one in (session, other):
            one.run(weight.initializer)
        assert session.run(chosen, {big: False}) == 2.0
        assert session.run(chosen, {big: True}) == 100.0
        assert (session.run(weight), other.run(weight)) == (100.0, 1.0)
        session.run(weight.assign(3.0))
        three = tf.constant(3.0)
        assert session.run(squared(three)) == 27.0
        assert other.run(squared(three)) == 3.0
        assert list(session.run(grown)) == [3, 54.0]


def test_reads_after_control_dependencies_see_what_was_assigned():
    weight = tf.Variable(1.0)
    change = weight.assign(5.0)
    before = weight * 10.0
    with tf.control_dependencies([change]):
        after = weight * 10.0
    with tf.Session() as session:
        session.run(weight.initializer)
        assert session.run([before, after]) == [10.0, 50.0]
        assert session.run([before, after]) == [50.0, 50.0]


def test_an_eager_variable_is_taken_as_it_is_and_read_by_functions():
    outside = tapeviz.Variable(3.0)
    two = tf.constant(2.0)
    fixed = [outside * two, tf.multiply(outside, two)]
    read = tf.function(lambda x: x * outside)(two)
    with tf.Session() as session:
        assert session.run([*fixed, read]) == [6.0, 6.0, 6.0]
        outside.assign(4.0)
        assert session.run([*fixed, read]) == [6.0, 6.0, 8.0]


def test_a_function_that_gives_nothing_is_an_operation():
    weight = tf.Variable(1.0)

    @tf.function
    def grow(by):
        weight.assign_add(by)

    step = grow(tf.constant(2.0))
    assert isinstance(step, tf.Operation)
    with tf.Session() as session:
        session.run(weight.initializer)
        assert session.run([step, step]) == [None, None]
        assert session.run(weight) == 3.0
        session.run(step)
        assert session.run(weight) == 5.0
