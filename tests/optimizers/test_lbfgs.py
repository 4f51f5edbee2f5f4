"""l-BFGS: the losses of PyTorch's on a sparse autoencoder, the two-loop recursion in other words, the line search."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.optimizers.curvature import History
from tests.optimizers.autoencoder import ITERATIONS, RUNS, answers, loss, pictures, rate, weights

WANTED = answers()


def trained(options, *, flat=False, traced=False):
    """Return the loss before each iteration, and how many times it was computed."""
    x = tf.constant(pictures())
    begin = weights()
    if flat:
        vector = tf.Variable(np.concatenate([value.ravel() for value in begin]))
        ends = np.cumsum([value.size for value in begin])[:-1]
        variables = [vector]

        def parts():
            return [
                tf.reshape(part, value.shape)
                for part, value in zip(tf.split(vector, np.diff([0, *ends, vector.shape[0]])), begin, strict=True)
            ]
    else:
        variables = [tf.Variable(value) for value in begin]

        def parts():
            return variables

    optimizer = tf.optimizers.LBFGS(variables, rate(options), max_iter=1, max_eval=1000, traced=traced, **options)
    closure = lambda: loss(tf, x, *parts())  # noqa: E731 - the same one each time, so that it is traced once
    return [optimizer.step(closure) for _ in range(ITERATIONS)], optimizer.evaluations


@pytest.mark.parametrize("title", RUNS)
@pytest.mark.parametrize("kind", ["variables", "vector", "traced"])
def test_the_autoencoders_losses_are_those_of_pytorch(title, kind):
    losses, evaluations = trained(RUNS[title], flat=kind == "vector", traced=kind == "traced")
    np.testing.assert_allclose(losses, WANTED[title]["losses"], rtol=1e-8)
    assert evaluations == WANTED[title]["evaluations"]
    assert losses[-1] < losses[0] / 2
