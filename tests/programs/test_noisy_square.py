"""A square with noise in its gradient: training gets slower, and what was learned is better in the end.

Forty measurements of sixty unknown numbers, of which three are not zero: many answers fit the measurements, and most of
them are wrong for every new one. The unknowns are written as squares, w = u * u. Plain descent takes the answer that is
next to where it starts. Noise in the gradient of the loss keeps pushing towards answers with few numbers in them.
"""

import numpy as np
import pytest

import tapeviz as tf
from tests.programs.ways import both_ways, in_both_ways

MEASURED, UNKNOWN, STEPS, QUIET = 40, 60, 1000, 800
RATE, NOISE = 0.02, 8.0


def noisy_square(noise):
    """The square as a function whose gradient is given: 2x, and noise on top of it."""

    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * (2.0 * x + noise)

    return square


def program(way, spread, seed=0):
    """Train; return the loss after a tenth of the steps and at the end, and how far new measurements are off."""
    rng = np.random.default_rng(seed)
    truth = np.zeros(UNKNOWN, np.float32)
    truth[:3] = 1.0
    known, new = (rng.normal(size=(rows, UNKNOWN)).astype(np.float32) for rows in (MEASURED, 500))
    x, y = tf.constant(known), tf.constant(known @ truth)
    u = tf.Variable(tf.fill([UNKNOWN], 0.5))

    @way
    def step(noise):
        with tf.GradientTape() as tape:
            off = tf.linalg.matvec(x, u * u) - y
            loss = tf.reduce_mean(noisy_square(noise)(off))
        u.assign_sub(RATE * tape.gradient(loss, u))
        return loss

    # The last fifth is without noise, to come to rest.
    noises = np.zeros((STEPS, MEASURED), np.float32)
    noises[:QUIET] = spread * rng.normal(size=(QUIET, MEASURED))
    losses = [float(step(tf.constant(row))) for row in noises]
    wrong = np.mean((new @ (u.numpy() ** 2) - new @ truth) ** 2)
    return losses[STEPS // 10], losses[-1], float(wrong)


@both_ways
def test_it_converges_slower_and_ends_better(way):
    plain, noisy = program(way, 0.0), program(way, NOISE)
    assert noisy[0] > 3 * plain[0]
    assert max(plain[1], noisy[1]) < 0.02
    assert noisy[2] < plain[2] / 5


def test_the_same_numbers_as_a_graph():
    for spread in (0.0, NOISE):
        eager, graph = in_both_ways(program, spread)
        assert graph == pytest.approx(eager, rel=1e-3)


def test_the_square_itself_is_the_square():
    noise = tf.constant([0.5, -1.0])
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = noisy_square(noise)(x)
    assert y.numpy().tolist() == [9.0, 16.0]
    assert tape.gradient(y, x).numpy().tolist() == [6.5, 7.0]
