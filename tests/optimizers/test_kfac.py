"""KFAC: whitened gradients, and what they do on the sparse autoencoder."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tapeviz as tf
from tests.optimizers.autoencoder import pictures, weights

STEPS = 40


def trained(make, *, whitened, traced):
    """Return the losses of an autoencoder of digits."""
    x = tf.constant(pictures())
    variables = [tf.Variable(value) for value in weights()]
    w1, w2, b1, b2 = variables
    optimizer = make()

    def dense(x, w, b):
        return optimizer.dense(x, w, b) if whitened else x @ w + b

    def step():
        with tf.GradientTape() as tape:
            error = tf.sigmoid(dense(tf.sigmoid(dense(x, w1, b1)), w2, b2)) - x
            loss = 0.5 * tf.reduce_mean(tf.reduce_sum(tf.square(error), 1))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    run = tf.function(step) if traced else step
    return [float(run()) for _ in range(STEPS)]


K = tf.optimizers
PAIRS = {
    "plain": (lambda: K.SGD(0.5), lambda: K.KFAC(0.5)),
    "momentum": (lambda: K.SGD(0.1, momentum=0.9), lambda: K.KFAC(K.SGD(0.1, momentum=0.9))),
    "Adam": (lambda: K.Adam(0.01), lambda: K.KFAC(K.Adam(0.01))),
}


@pytest.mark.parametrize("variant", PAIRS)
def test_it_is_ahead_of_the_same_optimizer_without_it(variant):
    plain, kfac = PAIRS[variant]
    before = trained(plain, whitened=False, traced=False)
    after = trained(kfac, whitened=True, traced=False)
    assert after[0] == before[0]
    assert after[-1] < 0.7 * before[-1]
    assert trained(kfac, whitened=True, traced=True) == pytest.approx(after, rel=1e-9)


def test_the_gradient_is_whitened_by_both_moments():
    rng = np.random.default_rng(0)
    x, w, b = rng.normal(size=(50, 4)), tf.Variable(rng.normal(size=(4, 3))), tf.Variable(np.zeros(3))
    kfac = tf.optimizers.KFAC(damping=1e-12)
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_mean(tf.reduce_sum(tf.tanh(kfac.dense(x, w, b)), 1))
        plain = tf.reduce_mean(tf.reduce_sum(tf.tanh(x @ w + b), 1))
    assert loss.numpy() == pytest.approx(plain.numpy())
    by_w, by_b = tape.gradient(loss, [w, b])
    true_w, true_b = tape.gradient(plain, [w, b])
    dy = (1 - np.tanh(x @ w.numpy()) ** 2) / 50
    whole = np.concatenate([x, np.ones((50, 1))], 1)
    inner, outer = whole.T @ whole / 50, dy.T @ dy * 50
    wanted = np.linalg.inv(inner) @ np.concatenate([true_w, true_b[None]]) @ np.linalg.inv(outer)
    np.testing.assert_allclose(np.concatenate([by_w, by_b[None]]), wanted, rtol=1e-4)


def test_inverses_are_computed_every_few_steps():
    rng = np.random.default_rng(1)
    w = tf.Variable(rng.normal(size=(3, 2)))
    kfac = tf.optimizers.KFAC(every=3)
    seen = []
    for _ in range(7):
        x = tf.constant(rng.normal(size=(20, 3)))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(kfac.dense(x, w)))
        tape.gradient(loss, w)
        seen.append(next(v.numpy() for v in kfac.variables if "in_inverse" in v.name))
    assert [not np.array_equal(one, other) for one, other in itertools.pairwise(seen)] == [
        False, False, True, False, False, True,
    ]  # fmt: skip


def test_kfac_matmul_goes_back_to_its_inputs_as_matmul_does():
    rng = np.random.default_rng(2)
    x, w = tf.constant(rng.normal(size=(5, 4))), tf.constant(rng.normal(size=(4, 3)))
    left, right = (tf.constant(np.diag(rng.uniform(0.5, 2.0, size))) for size in (4, 3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y, plain = tf.optimizers.kfac_matmul(x, w, left, right), x @ w
    assert np.array_equal(y, plain)
    by_x, by_w = tape.gradient(y, [x, w])
    true_x, true_w = tape.gradient(plain, [x, w])
    np.testing.assert_allclose(by_x, true_x)
    np.testing.assert_allclose(by_w, left @ true_w @ right)


def test_bad_arguments():
    for given, message in (
        ({"damping": 0.0}, "`damping` must be > 0. Received: damping=0.0"),
        ({"decay": 1.0}, r"`decay` must be in the range \[0, 1\)"),
        ({"every": 0}, "`every` must be an integer >= 1"),
    ):
        with pytest.raises(ValueError, match=message):
            tf.optimizers.KFAC(**given)
    with pytest.raises(ValueError, match=r"Found \(2, 5\) and \(4, 3\)"):
        tf.optimizers.KFAC().dense(tf.ones((2, 5)), tf.Variable(tf.ones((4, 3))))
