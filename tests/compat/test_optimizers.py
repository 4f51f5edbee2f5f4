"""TensorFlow 1's optimizers: its values, its slots, its errors."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz.compat.v1 as tf
from tests.compat.optimizer_steps import ANSWERS, RUNS, eagerly, in_a_session

WANTED = np.load(ANSWERS)
CLOSE = {"float64": 1e-6, "float32": 1e-5}
SLOTS = {
    "MomentumOptimizer": ["w/Momentum:0", "b/Momentum:0"],
    "AdamOptimizer": ["beta1_power:0", "beta2_power:0", "w/Adam:0", "w/Adam_1:0", "b/Adam:0", "b/Adam_1:0"],
    "AdagradOptimizer": ["w/Adagrad:0", "b/Adagrad:0"],
    "AdadeltaOptimizer": ["w/Adadelta:0", "w/Adadelta_1:0", "b/Adadelta:0", "b/Adadelta_1:0"],
    "RMSPropOptimizer": ["w/RMSProp:0", "w/RMSProp_1:0", "b/RMSProp:0", "b/RMSProp_1:0"],
    "FtrlOptimizer": ["w/Ftrl:0", "w/Ftrl_1:0", "b/Ftrl:0", "b/Ftrl_1:0"],
    "ProximalGradientDescentOptimizer": [],
}


@pytest.mark.parametrize(("title", "dtype"), RUNS)
def test_ten_steps(title, dtype):
    found = in_a_session(tf, title, dtype)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, WANTED[f"{title}/{dtype}"], rtol=CLOSE[dtype], atol=CLOSE[dtype] * 0.1)


@pytest.mark.parametrize(("title", "dtype"), RUNS)
def test_ten_steps_eagerly(title, dtype):
    tf.enable_eager_execution()
    found = eagerly(tf, title, dtype)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, WANTED[f"{title}/{dtype}"], rtol=CLOSE[dtype], atol=CLOSE[dtype] * 0.1)


@pytest.mark.parametrize("kind", SLOTS)
def test_slots_are_variables_of_the_graph(kind):
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(1.0, name="b")
    rates = [0.1, 0.9] if kind == "MomentumOptimizer" else [0.1]
    optimizer = getattr(tf.train, kind)(*rates)
    step = optimizer.minimize(tf.reduce_sum(w * w) + b * b)
    assert [variable.name for variable in tf.global_variables()] == ["w:0", "b:0", *SLOTS[kind]]
    assert tf.trainable_variables() == [w, b]
    assert [variable.name for variable in optimizer.variables()] == sorted(SLOTS[kind])
    for name in optimizer.get_slot_names():
        assert optimizer.get_slot(w, name).shape == (2,)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(tf.reduce_sum(w * w))
        for _ in range(5):
            session.run(step)
        assert session.run(tf.reduce_sum(w * w)) < before


def test_a_rate_may_be_a_placeholder_and_a_step_counts():
    w, rate = tf.Variable(1.0), tf.placeholder(tf.float32, [])
    count = tf.train.get_or_create_global_step()
    step = tf.train.MomentumOptimizer(rate, 0.0).minimize(w * w, global_step=count)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step, {rate: 0.25})
        assert session.run([w, count]) == [0.5, 1]
        session.run(step, {rate: 0.5})
        assert session.run([w, count]) == [0.0, 2]


def test_bad_arguments():
    with pytest.raises(ValueError, match="initial_accumulator_value must be positive: 0"):
        tf.train.AdagradOptimizer(0.1, 0)
    with pytest.raises(ValueError, match="learning_rate_power 1 needs to be negative or zero"):
        tf.train.FtrlOptimizer(0.1, 1)
    with pytest.raises(ValueError, match="Must specify the optimizer name"):
        tf.train.AdamOptimizer(name="")
    own = type("Own", (tf.train.Optimizer,), {})(False, "own")
    with pytest.raises(NotImplementedError, match="Own must implement `_changed"):
        own.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


DECAYS = {
    "exponential_decay": (0.1, 7, 0.6, True),
    "natural_exp_decay": (0.1, 7, 0.6),
    "inverse_time_decay": (0.1, 7, 0.6),
    "polynomial_decay": (0.1, 15, 0.01, 2.0),
    "cosine_decay": (0.1, 15, 0.2),
    "cosine_decay_restarts": (0.1, 4, 1.5, 0.8, 0.1),
}
# What TensorFlow gives for steps 3, 7 and 20.
RATES = {
    "exponential_decay": [0.1, 0.060000002, 0.036000002],
    "natural_exp_decay": [0.077325776, 0.054881163, 0.018009229],
    "inverse_time_decay": [0.079545453, 0.062499996, 0.036842104],
    "polynomial_decay": [0.067599997, 0.035599999, 0.0099999998],
    "cosine_decay": [0.092360675, 0.064181134, 0.020000001],
    "cosine_decay_restarts": [0.023180196, 0.045999996, 0.055458959],
}


@pytest.mark.parametrize("name", DECAYS)
def test_rates_that_fall(name):
    rate, *others = DECAYS[name]
    step = tf.train.get_or_create_global_step()
    decayed = getattr(tf.train, name)(rate, step, *others)
    with tf.Session() as session:
        found = [session.run(decayed, {step: number}) for number in (3, 7, 20)]
    np.testing.assert_allclose(found, RATES[name], rtol=1e-5)
    with pytest.raises(ValueError, match="global_step is required"):
        getattr(tf.train, name)(rate, None, *others)


def test_rates_in_pieces_and_eagerly():
    x = tf.placeholder(tf.int32, [])
    rate = tf.train.piecewise_constant(x, [5, 12], [0.5, 0.25, 0.125])
    with tf.Session() as session:
        assert [session.run(rate, {x: number}) for number in (5, 6, 13)] == [0.5, 0.25, 0.125]


def test_a_rate_that_falls_is_a_function_eagerly():
    tf.enable_eager_execution()
    step, w = tf.Variable(0, dtype=tf.int64), tf.Variable(4.0)
    rate = tf.train.exponential_decay(0.5, step, 1, 0.5)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    for wanted in (3.5, 3.25, 3.125):
        optimizer.apply_gradients([(tf.constant(1.0), w)], global_step=step)
        assert w.numpy() == wanted


def test_slots_at_once_have_names_of_their_own_in_the_scope_of_variables():
    tf.enable_eager_execution()
    one, two = tf.Variable(1.0, name="one"), tf.Variable(2.0, name="one")
    first, second = tf.train.AdamOptimizer(), tf.train.AdamOptimizer()
    for scope, optimizer in (("a", first), ("b", second)):
        with tf.variable_scope(scope):
            optimizer.apply_gradients([(tf.constant(1.0), one), (tf.constant(1.0), two)])
    names = [variable.name for variable in (*first.variables(), *second.variables())]
    assert len(set(names)) == len(names) == 12
    assert "a/beta1_power:0" in names
    assert "b/one/Adam_3:0" in names
