"""Metrics are objects: they are told values, and asked for the result."""

import numpy as np
import pytest

import tapeviz as tf
from tests.programs.ways import both_ways


@both_ways
def test_a_mean_over_calls(way):
    mean = tf.keras.metrics.Mean("loss")
    told = way(mean)
    told(tf.constant(0.0))
    told(tf.constant(5.0))
    assert mean.result().numpy() == 2.5
    told(tf.constant([8.0, 9.0]))
    assert mean.result().numpy() == 5.5
    mean.reset_state()
    assert mean.result().numpy() == 0.0


@both_ways
def test_metrics_beside_a_loop(way):
    """A loop that counts as it goes gives what NumPy gives afterwards."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 4)).astype(np.float32)
    y = (x.sum(1) > 0).astype(np.float32)[:, None]
    chance = (1.0 / (1.0 + np.exp(-x[:, :1] - x[:, 1:2]))).astype(np.float32)
    loss = tf.keras.metrics.Mean("loss")
    right = tf.keras.metrics.BinaryAccuracy("right")
    found, said = tf.keras.metrics.Recall(name="found"), tf.keras.metrics.Precision(name="said")

    @way
    def tell(labels, odds):
        loss.update_state(tf.keras.losses.binary_crossentropy(labels, odds))
        for metric in (right, found, said):
            metric.update_state(labels, odds)

    for start in range(0, 200, 50):
        tell(tf.constant(y[start : start + 50]), tf.constant(chance[start : start + 50]))
    yes, guess = y[:, 0] == 1.0, chance[:, 0] > 0.5
    cross = -np.where(yes, np.log(chance[:, 0]), np.log(1 - chance[:, 0]))
    assert loss.result().numpy() == pytest.approx(cross.mean(), rel=1e-4)
    assert right.result().numpy() == pytest.approx((yes == guess).mean())
    assert found.result().numpy() == pytest.approx((yes & guess).sum() / yes.sum())
    assert said.result().numpy() == pytest.approx((yes & guess).sum() / guess.sum())
