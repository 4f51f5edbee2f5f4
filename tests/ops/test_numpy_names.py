"""``tf.experimental.numpy`` beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

tnp = tf.experimental.numpy
X, Y = np.arange(1.0, 13.0).reshape(3, 4), np.arange(4.0, 16.0).reshape(4, 3)
CASES = {
    "diag": lambda xp: xp.diag(X, 1),
    "diag_below": lambda xp: xp.diag(X, -1),
    "diag_matrix": lambda xp: xp.diag(X[0], -1),
    "inf": lambda xp: xp.isclose([np.inf, np.nan], [np.inf, np.nan]),
    "allclose": lambda xp: xp.allclose(X, X + 1e-9),
    "notclose": lambda xp: xp.allclose(X, X + 1e-3),
    "isclose": lambda xp: xp.isclose([1.0, np.nan, np.inf], [1.0, np.nan, np.inf], equal_nan=True),
    "array_equal": lambda xp: xp.array_equal(X, X),
    "shapes": lambda xp: xp.array_equal(X, Y),
    "empty": lambda xp: xp.empty_like(X) * 0 + xp.empty(4) * 0,
    "tril": lambda xp: xp.tril(X, 1),
    "triu": lambda xp: xp.triu(X, -1),
    "nonzero": lambda xp: xp.nonzero(np.array([[0, 1], [2, 0]]))[1],
    "trace": lambda xp: xp.trace(np.arange(24.0).reshape(2, 3, 4), 1, 1, 2),
    "split": lambda xp: xp.split(X, 2, 1)[1],
    "split_at": lambda xp: xp.split(X, [1, 3], 1)[1],
    "dot": lambda xp: xp.dot(X, Y),
    "dot3": lambda xp: xp.dot(np.ones((2, 3, 4)), np.ones((5, 4, 2))),
    "dot0": lambda xp: xp.dot(2.0, X),
    "inner": lambda xp: xp.inner(X, X[:2]),
    "outer": lambda xp: xp.outer(X[0], Y[0]),
    "vdot": lambda xp: xp.vdot(X, X),
    "sum": lambda xp: xp.sum(X, axis=0),
    "std": lambda xp: xp.std(X),
    "max": lambda xp: xp.amax(X, axis=1),
    "moveaxis": lambda xp: xp.moveaxis(np.ones((2, 3, 4)), [0, 1], [-1, 0]),
    "swap": lambda xp: xp.swapaxes(np.ones((2, 3, 4)), 0, -1),
    "vstack": lambda xp: xp.vstack([X[0], X[1]]),
    "hstack": lambda xp: xp.hstack([X[0], X[1]]),
    "hstack2": lambda xp: xp.hstack([X, X]),
    "take": lambda xp: xp.take(X, [0, 5]),
    "take1": lambda xp: xp.take(X, [1], axis=1),
    "full": lambda xp: xp.full(3, 2.0),
    "full_like": lambda xp: xp.full_like(X, 7),
    "identity": lambda xp: xp.identity(3),
    "log2": lambda xp: xp.log2(X),
    "log10": lambda xp: xp.log10(X),
    "pad": lambda xp: xp.pad(X, ((1, 0), (0, 2)), constant_values=5.0),
    "atleast": lambda xp: xp.atleast_2d(X[0]),
    "atleast0": lambda xp: xp.atleast_1d(2.0),
    "ravel": lambda xp: xp.ravel(X),
    "arange": lambda xp: xp.arange(1, 4, 0.5),
    "zeros": lambda xp: xp.zeros((2,)),
    "ones": lambda xp: xp.ones(2),
    "clip": lambda xp: xp.clip(X, 2, 5),
    "einsum": lambda xp: xp.einsum("ij,jk", X, Y),
    "arctan2": lambda xp: xp.arctan2(X, X),
    "array": lambda xp: xp.array([1.5], ndmin=2),
    "asarray": lambda xp: xp.asarray([1, 2]),
}


@pytest.mark.parametrize("name", CASES)
def test_each_gives_what_numpy_gives(name):
    found, expected = CASES[name](tnp), CASES[name](np)
    assert isinstance(found, tf.Tensor)
    assert found.numpy().dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12)
