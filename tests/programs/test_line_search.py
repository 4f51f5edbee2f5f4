"""Dynamic models: a search along the gradient, and a network that thinks as long as it must. Python decides."""

import numpy as np
import pytest

import tapeviz as tf
from tests.programs.ways import WAYS, both_ways, in_both_ways


def downhill(function, start, length=1.0):
    """One step against the gradient, halved until it pays as much as the slope promises."""
    with tf.GradientTape() as tape:
        tape.watch(start)
        height = function(start)
    slope = tape.gradient(height, start)
    promised = tf.reduce_sum(slope * slope)
    at, value = start - length * slope, function(start - length * slope)
    while value > height - 0.5 * length * promised:
        length = length / 2.0
        at = start - length * slope
        value = function(at)
    return at, value, length


def valley(point):
    """Steep across, flat along: Rosenbrock's."""
    x, y = point[0], point[1]
    return (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2


def descent(way, steps):
    search = way(lambda start: downhill(valley, start, tf.constant(1.0, tf.float64)))
    at, heights, lengths = tf.constant([-1.2, 1.0], tf.float64), [], []
    for _ in range(steps):
        at, height, length = search(at)
        heights.append(float(height))
        lengths.append(float(length))
    return heights, lengths


@both_ways
def test_each_step_goes_down(way):
    heights, lengths = descent(way, 40)
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] < 4.2
    assert len(set(lengths)) > 3
    assert all(np.log2(length) == round(np.log2(length)) for length in lengths)


def test_the_same_path_as_a_graph():
    (eager, by), (graph, likewise) = in_both_ways(descent, 40)
    assert likewise == by
    assert graph == pytest.approx(eager, rel=1e-12)


def test_a_search_step_can_be_differentiated():
    """How far down a step leads, by where it starts: through the loop, whatever it did."""
    start = tf.constant([2.0, -1.0])
    for way in WAYS.values():
        search = way(lambda at: downhill(lambda point: 1.5 * tf.reduce_sum(point * point), at))
        with tf.GradientTape() as tape:
            tape.watch(start)
            _, value, length = search(start)
        # The step ends at start * (1 - 3 * length), a quarter of the way out.
        assert float(length) == 0.25
        assert value.numpy() == pytest.approx(1.5 * 5.0 / 16.0)
        np.testing.assert_allclose(tape.gradient(value, start).numpy(), 3.0 * start.numpy() / 16.0, rtol=1e-6)


def settle(way, start):
    """A network that feeds on itself until nothing changes any more; the gradient goes through every round."""
    weight = tf.Variable([[0.5, -0.3], [0.2, 0.4]], name="weight")

    @way
    def settled(x):
        state, change, rounds = tf.zeros_like(x), tf.constant(1.0), tf.constant(0)
        while change > 1e-4:
            after = tf.tanh(tf.matmul(state, weight) + x)
            change = tf.reduce_max(tf.abs(after - state))
            state = after
            rounds += 1
        return tf.reduce_sum(state), rounds

    with tf.GradientTape() as tape:
        value, rounds = settled(tf.constant(start))
    return float(value), int(rounds), tape.gradient(value, weight).numpy()


def test_a_model_takes_as_many_rounds_as_it_needs():
    needed = set()
    for start in ([[0.1, 0.2]], [[2.0, -1.0]], [[5.0, 5.0]]):
        (value, rounds, slope), (same, likewise, alike) = in_both_ways(settle, start)
        assert (same, likewise) == (pytest.approx(value, rel=1e-6), rounds)
        np.testing.assert_allclose(alike, slope, rtol=1e-5)
        needed.add(rounds)
    assert len(needed) > 1
