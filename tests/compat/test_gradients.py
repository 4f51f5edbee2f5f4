"""``tf.gradients`` and ``GradientTape`` on graphs: nodes that compute gradients."""

import numpy as np
import pytest

import tapeviz
import tapeviz.compat.v1 as tf


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def test_gradients_by_tensors_of_any_sort():
    x = tf.placeholder(tf.float32, [2])
    weight = tf.Variable([3.0, 4.0])
    fixed = tf.constant([5.0, 6.0])
    product = x * weight
    total = tf.reduce_sum(product * fixed)
    found = tf.gradients(total, [x, weight, fixed, product, total])
    assert [gradient.name.partition("/")[0] for gradient in found[:3]] == ["gradients"] * 3
    values = run(found, {x: [1.0, 2.0]})
    for value, right in zip(values, ([15, 24], [5, 12], [3, 8], [5, 6], 1), strict=True):
        np.testing.assert_array_equal(value, right)


def test_what_does_not_depend_has_none():
    x, other = tf.constant(3.0), tf.constant(2.0)
    assert tf.gradients(x * x, other) == [None]
    assert tf.gradients(tf.cast(x, tf.int32), x) == [None]
    (zero,) = tf.gradients(x * x, other, unconnected_gradients="zero")
    assert run(zero) == 0.0


def test_several_targets_and_their_gradients_add_up():
    x = tf.constant(3.0)
    (plain,) = tf.gradients([x * x, 2.0 * x], x)
    (weighted,) = tf.gradients([x * x, 2.0 * x], x, grad_ys=[10.0, None])
    assert run([plain, weighted]) == [8.0, 62.0]
    with pytest.raises(ValueError, match=r"Length mismatch\. Passed 1 grad_ys for 2 ys"):
        tf.gradients([x, x], x, grad_ys=[1.0])
    with pytest.raises(ValueError, match="grad_ys must have the shapes of ys"):
        tf.gradients(x * x, x, grad_ys=tf.constant([1.0, 2.0]))


def test_stopped_gradients():
    x = tf.constant(3.0)
    y = x * x
    z = y * x
    assert run([tf.gradients(z, x)[0], tf.gradients(z, x, stop_gradients=[y])[0]]) == [27.0, 9.0]
    assert run(tf.gradients(z, [x, y], stop_gradients=[y])) == [9.0, 3.0]
    both = tf.gradients(x + y, [x, y], stop_gradients=[x, y])
    assert run(both) == [1.0, 1.0]


def test_gradients_of_gradients():
    x = tf.placeholder(tf.float32, [])
    (first,) = tf.gradients(x**4, x)
    (second,) = tf.gradients(first, x)
    (third,) = tf.gradients(second, x)
    assert run([first, second, third], {x: 2.0}) == [32.0, 48.0, 48.0]
    points = tf.constant([1.0, 2.0])
    (matrix,) = tf.hessians(tf.reduce_sum(points**3) + points[0] * points[1], points)
    assert run(matrix).tolist() == [[6.0, 1.0], [1.0, 12.0]]


def test_gradients_flow_through_branches_loops_functions_and_own_gradients():
    x = tf.placeholder(tf.float32, [])
    weight = tf.Variable(2.0)
    branch = tf.cond(x > 0.0, lambda: x * x * weight, lambda: -x)
    _, looped = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * x), [tf.constant(0), weight.value()])
    called = tf.function(lambda y: y * y * weight)(x)
    strange = tf.custom_gradient(lambda y: (y * y, lambda upstream: upstream * 100.0))(x)
    cases = [(branch, 12.0, 9.0), (looped, 54.0, 27.0), (called, 12.0, 9.0), (strange, 100.0, None)]
    for target, by_x, by_weight in cases:
        found = tf.gradients(target, [x, weight])
        assert run(found[0], {x: 3.0}) == by_x
        assert (None if found[1] is None else run(found[1], {x: 3.0})) == by_weight


def test_reads_of_a_variable_add_up():
    weight = tf.Variable(3.0)
    with tf.control_dependencies([tf.no_op()]):
        fresh = weight * 1.0
    total = weight * fresh * weight.read_value()
    assert run(tf.gradients(total, weight)) == [27.0]


def test_unknown_shapes():
    x = tf.placeholder(tf.float32, [None, 3])
    weight = tf.Variable(tf.ones([3, 2]))
    shift = tf.Variable(tf.zeros([2]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weight) + shift))
    given = np.arange(12.0).reshape(4, 3).astype(np.float32)
    by_weight, by_shift, by_x = run(tf.gradients(loss, [weight, shift, x]), {x: given})
    w, b, points = tapeviz.ones([3, 2]), tapeviz.zeros([2]), tapeviz.constant(given)
    with tapeviz.GradientTape() as tape:
        tape.watch([w, b, points])
        right = tapeviz.reduce_mean(tapeviz.square(points @ w + b))
    for ours, theirs in zip((by_weight, by_shift, by_x), tape.gradient(right, [w, b, points]), strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-6)


def test_a_tape_on_a_graph():
    x = tf.placeholder(tf.float32, [2])
    weight = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(x * x * weight)
    by_x, by_weight = tape.gradient(total, [x, weight])
    assert run([by_x, by_weight], {x: [1.0, 2.0]})[1].tolist() == [1.0, 4.0]
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        tape.gradient(total, x)
    with tf.GradientTape() as inside:
        inside.watch(x)
        twice = inside.gradient(x * x, x)
    assert run(twice, {x: [1.0, 2.0]}).tolist() == [2.0, 4.0]
    with tapeviz.GradientTape() as eager:  # in the same thread, afterwards
        variable = tapeviz.Variable(3.0)
        loss = variable * variable
    assert eager.gradient(loss, variable).numpy() == 6.0


def test_gradient_descent():
    weight, fixed = tf.Variable(4.0, name="weight"), tf.Variable(1.0, trainable=False)
    loss = tf.square(weight - fixed)
    count = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    step = optimizer.minimize(loss, global_step=count)
    assert (step.name, optimizer.get_name(), count.name) == ("GradientDescent", "GradientDescent", "global_step:0")
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [step]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (2.5, 1.75, 1.375):
            session.run(step)
            assert session.run(weight) == value
        assert session.run([fixed, count]) == [1.0, 3]
        pairs = optimizer.compute_gradients(loss, [weight])
        assert session.run(pairs[0][0]) == 0.75
        session.run(optimizer.apply_gradients([(tf.constant(1.0), weight)]))
        assert session.run(weight) == 1.125
        rate = tf.placeholder(tf.float32, [])
        session.run(tf.train.GradientDescentOptimizer(rate).minimize(loss), {rate: 0.5})
        assert session.run(weight) == 1.0
    assert tf.train.get_global_step() is count
    with pytest.raises(ValueError, match='"global_step" already exists'):
        tf.train.create_global_step()
    with pytest.raises(ValueError, match="No gradients provided for any variable, check your graph"):
        optimizer.minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, weight)])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables to optimize"):
        optimizer.minimize(tf.constant(1.0))
