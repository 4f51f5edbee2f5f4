"""Functions with gradients of their own: for stability, with noise, whitened, clipped."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.contrib.eager as tfe


def soft(x):
    return tf.math.log(1 + tf.exp(x))


@tf.custom_gradient
def soft_and_stable(x):
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


def slope_by_tape(function, at):
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    return tape.gradient(value, x)


@pytest.mark.parametrize(
    ("function", "at", "wanted"),
    [(soft, 0.0, 0.5), (soft, 100.0, math.nan), (soft_and_stable, 0.0, 0.5), (soft_and_stable, 100.0, 1.0)],
)
def test_log1pexp(function, at, wanted):
    assert slope_by_tape(function, at).numpy() == pytest.approx(wanted, nan_ok=True)
    assert tfe.gradients_function(function)(at)[0].numpy() == pytest.approx(wanted, nan_ok=True)


def test_log1pexp_as_printed(capsys):
    for function in (soft, soft_and_stable):
        slope = tfe.gradients_function(function)
        print(slope(0.0)[0].numpy(), slope(100.0)[0].numpy())
    assert capsys.readouterr().out == "0.5 nan\n0.5 1.0\n"


def test_a_recording_names_the_gradient_that_is_nan():
    with tf.record() as run:
        slope_by_tape(soft, 100.0)
    assert "nonfinite" in {verdict.kind for verdict in run.verdicts()}


def test_noise_on_the_way_back():
    @tfe.custom_gradient
    def noisy_square(x):
        return x * x, lambda dy: dy * (2 * x + tf.random.normal(x.shape, stddev=0.1))

    tf.random.set_seed(1)
    slope = tfe.gradients_function(noisy_square)
    found = np.array([slope(3.0)[0].numpy() for _ in range(400)])
    assert noisy_square(tf.constant(3.0)).numpy() == 9.0
    assert len(set(found.tolist())) > 1
    assert found.mean() == pytest.approx(6.0, abs=0.05)
    assert found.std() == pytest.approx(0.1, abs=0.03)


def test_noise_slows_descent_and_does_not_stop_it():
    @tfe.custom_gradient
    def noisy_square(x):
        return x * x, lambda dy: dy * (2 * x + tf.random.normal(x.shape, stddev=0.1))

    tf.random.set_seed(2)
    slope, x = tfe.gradients_function(noisy_square), tf.constant(5.0)
    for _ in range(100):
        x -= 0.1 * slope(x)[0]
    assert abs(x.numpy()) < 0.5


def test_kfac_matmul():
    rng = np.random.default_rng(0)
    weights, inputs = (tf.constant(rng.normal(size=shape)) for shape in ((3, 4), (4, 5)))
    whiten_out, whiten_in = (tf.constant(np.diag(rng.uniform(0.5, 2.0, size))) for size in (3, 4))

    @tfe.custom_gradient
    def kfac_matmul(w, a):
        def grad(dy):
            by_w = tf.matmul(dy, a, transpose_b=True)
            return [whiten_out @ by_w @ whiten_in, tf.matmul(w, dy, transpose_a=True)]

        return tf.matmul(w, a), grad

    plain = tfe.value_and_gradients_function(tf.matmul)(weights, inputs)
    whitened = tfe.value_and_gradients_function(kfac_matmul)(weights, inputs)
    assert np.array_equal(plain[0], whitened[0])
    assert np.array_equal(plain[1][1], whitened[1][1])
    np.testing.assert_allclose(whitened[1][0], whiten_out.numpy() @ plain[1][0].numpy() @ whiten_in.numpy())


@tf.custom_gradient
def clip_gradient_by_norm(x, norm):
    y = tf.identity(x)

    def grad(dy):
        return [tf.clip_by_norm(dy, norm), None]

    return y, grad


def test_clip_gradient_by_norm():
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        free = tf.reduce_sum(x * x)
        clipped = clip_gradient_by_norm(x, 1.0)
        tamed = tf.reduce_sum(clipped * clipped)
    assert tape.gradient(free, x).numpy().tolist() == [6.0, 8.0]
    assert tape.gradient(tamed, x).numpy() == pytest.approx([0.6, 0.8])
    assert clipped.numpy().tolist() == [3.0, 4.0]
