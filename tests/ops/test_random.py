"""Random numbers: again when asked for again, others when not, and of the distribution said."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

DRAWS = {
    "normal": lambda **options: tf.random.normal([5], **options),
    "truncated_normal": lambda **options: tf.random.truncated_normal([5], **options),
    "uniform": lambda **options: tf.random.uniform([5], **options),
    "integers": lambda **options: tf.random.uniform([5], maxval=1000, dtype=tf.int32, **options),
    "shuffle": lambda **options: tf.random.shuffle(tf.range(50), **options),
    "dropout": lambda **options: tf.nn.dropout(tf.ones([50]), 0.5, **options),
}


def equal(first, second):
    return np.array_equal(first.numpy(), second.numpy())


@pytest.fixture(autouse=True)
def _afresh():
    yield
    tf.random.set_seed(0)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_global_seed_repeats_the_sequence(draw):
    tf.random.set_seed(5)
    first, second = draw(), draw()
    tf.random.set_seed(5)
    assert equal(draw(), first)
    assert equal(draw(), second)
    assert not equal(first, second)
    tf.random.set_seed(6)
    assert not equal(draw(), first)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_seed_of_ones_own_repeats_after_the_global_one(draw):
    tf.random.set_seed(5)
    first, second = draw(seed=1), draw(seed=1)
    assert not equal(first, second)
    tf.random.set_seed(5)
    draw()  # draws without a seed do not disturb those with one
    assert equal(draw(seed=1), first)
    assert equal(draw(seed=1), second)
    assert not equal(draw(seed=2), first)


def test_the_sorts_of_draw_do_not_disturb_each_other():
    tf.random.set_seed(5)
    first = tf.random.normal([3], seed=1)
    tf.random.set_seed(5)
    tf.random.uniform([3], seed=1)
    assert equal(tf.random.normal([3], seed=1), first)


def test_the_distributions():
    tf.random.set_seed(3)
    n = 20_000
    numbers = tf.random.normal([n], mean=2.0, stddev=3.0, dtype=tf.float64).numpy()
    assert numbers.mean() == pytest.approx(2.0, abs=0.1)
    assert numbers.std() == pytest.approx(3.0, abs=0.1)
    numbers = tf.random.uniform([n], -1.0, 3.0).numpy()
    assert -1.0 <= numbers.min() < -0.9
    assert 2.9 < numbers.max() < 3.0
    assert numbers.mean() == pytest.approx(1.0, abs=0.05)
    numbers = tf.random.uniform([n], 2, 5, tf.int64).numpy()
    assert set(numbers.tolist()) == {2, 3, 4}
    numbers = tf.random.truncated_normal([n], stddev=2.0).numpy()
    assert np.abs(numbers).max() <= 4.0
    assert tf.random.normal([2], dtype=tf.float16).dtype is tf.float16


def test_bounds_may_be_tensors():
    low, high = tf.constant([0.0, 10.0]), tf.constant([1.0, 20.0])
    numbers = tf.random.uniform([1000, 2], low, high).numpy()
    assert numbers.max(0)[0] <= 1.0
    assert numbers.min(0)[1] >= 10.0


def test_dropout_keeps_the_mean_and_lets_gradients_through_what_it_keeps():
    tf.random.set_seed(3)
    x = tf.ones([10_000])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, rate=0.25)
    assert float(tf.reduce_mean(y)) == pytest.approx(1.0, abs=0.05)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), y.numpy())
    rows = tf.nn.dropout(tf.ones([50, 4]), 0.5, noise_shape=[50, 1]).numpy()
    assert (rows == rows[:, :1]).all()


def test_numbers_do_not_depend_on_the_device():
    from tapeviz.backends import register
    from tapeviz.backends.strict import StrictBackend
    from tapeviz.engine.state import placed_on

    backend = StrictBackend()
    register(backend)
    tf.random.set_seed(5)
    here = tf.random.normal([4])
    tf.random.set_seed(5)
    with placed_on(backend):
        there = tf.random.normal([4])
    assert there.device == backend.device
    assert equal(here, there)
