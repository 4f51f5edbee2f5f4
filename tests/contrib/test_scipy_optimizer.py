"""``tf.contrib.opt.ScipyOptimizerInterface``: SciPy's optimizers on the variables of a graph."""

import numpy as np
import pytest

import tapeviz.compat.v1 as tf


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def program():
    """A bowl around a placeholder, over a vector and a number."""
    vector, number, middle = tf.Variable([7.0, 2.0]), tf.Variable(5.0), tf.placeholder(tf.float32)
    return vector, number, middle, tf.reduce_sum(tf.square(vector - middle)) + (number - 1) ** 2


def test_variables_are_at_the_least_loss(session):
    vector, number, middle, loss = program()
    optimizer = tf.contrib.opt.ScipyOptimizerInterface(loss, options={"maxiter": 50})
    session.run(tf.global_variables_initializer())
    losses, steps = [], []
    optimizer.minimize(session, {middle: 3.0}, fetches=[loss], loss_callback=losses.append, step_callback=steps.append)
    np.testing.assert_allclose(session.run(vector), [3, 3], atol=1e-4)
    np.testing.assert_allclose(session.run(number), 1, atol=1e-4)
    assert losses[0] == 33.0
    assert min(losses) < 1e-6
    assert steps[-1].shape == (3,)


def test_only_the_variables_of_the_list_change(session):
    vector, number, middle, loss = program()
    optimizer = tf.contrib.opt.ScipyOptimizerInterface(loss, var_list=[number], method="CG")
    session.run(tf.global_variables_initializer())
    optimizer.minimize(feed_dict={middle: 3.0})
    assert session.run(vector).tolist() == [7.0, 2.0]
    np.testing.assert_allclose(session.run(number), 1, atol=1e-4)


def test_bounds_and_constraints_hold(session):
    vector, number, middle, loss = program()
    bounded = tf.contrib.opt.ScipyOptimizerInterface(loss, var_to_bounds={vector: (0, [1.0, 5.0])})
    constrained = tf.contrib.opt.ScipyOptimizerInterface(
        loss, equalities=[vector[0] - 1.5], inequalities=[number - 2.0], method="SLSQP"
    )
    session.run(tf.global_variables_initializer())
    bounded.minimize(session, {middle: 3.0})
    np.testing.assert_allclose(session.run(vector), [1, 3], atol=1e-4)
    constrained.minimize(session, {middle: 3.0})
    np.testing.assert_allclose(session.run(vector), [1.5, 3], atol=1e-4)
    np.testing.assert_allclose(session.run(number), 2, atol=1e-4)


@pytest.mark.usefixtures("session")
def test_what_cannot_be_is_said():
    vector, _, _, loss = program()
    with pytest.raises(ValueError, match="takes no equalities or inequalities: use method='SLSQP'"):
        tf.contrib.opt.ScipyOptimizerInterface(loss, equalities=[vector[0]])
    with pytest.raises(ValueError, match=r"one number, got shape \(2,\)"):
        tf.contrib.opt.ScipyOptimizerInterface(loss, equalities=[vector], method="SLSQP")


def test_it_needs_a_session():
    with tf.Graph().as_default():
        optimizer = tf.contrib.opt.ScipyOptimizerInterface(program()[-1])
        with pytest.raises(ValueError, match="without a session"):
            optimizer.minimize()
