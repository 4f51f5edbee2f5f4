"""What TensorFlow's answers do not say: errors in its older words, stacks of matrices, and agreement with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_a_matrix_that_is_not_positive_definite_has_no_cholesky_factor():
    # TensorFlow 2.21 gives nan on a CPU; before, and in its documentation, it is this error.
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cholesky decomposition was not successful"):
        tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("size", [1, 2, 7, 33])
def test_substitution_solves_what_numpy_solves(rng, size, lower):
    matrix = rng.uniform(-1, 1, (4, size, size)) + 3.0 * size * np.eye(size)
    rhs = rng.uniform(-1, 1, (4, size, 3))
    triangle = np.tril(matrix) if lower else np.triu(matrix)
    np.testing.assert_allclose(
        tf.linalg.triangular_solve(matrix, rhs, lower=lower), np.linalg.solve(triangle, rhs), rtol=1e-12
    )


def test_a_stack_is_done_matrix_by_matrix(rng):
    stack = rng.uniform(-1, 1, (2, 3, 4, 4)) + 8.0 * np.eye(4)
    stack = stack + stack.swapaxes(-1, -2)
    for function in (tf.linalg.inv, tf.linalg.cholesky, tf.linalg.expm, tf.linalg.sqrtm, tf.linalg.eigvalsh):
        np.testing.assert_allclose(function(stack)[1, 2], function(stack[1, 2]), rtol=1e-10)


def test_factors_multiply_to_the_matrix(rng):
    matrix = rng.uniform(-1, 1, (2, 5, 3))
    s, u, v = tf.linalg.svd(matrix)
    np.testing.assert_allclose(tf.matmul(u * s[:, tf.newaxis], v, adjoint_b=True), matrix, atol=1e-14)
    q, r = tf.linalg.qr(matrix)
    np.testing.assert_allclose(q @ r, matrix, atol=1e-14)
    pseudo = tf.linalg.pinv(matrix)
    np.testing.assert_allclose(matrix @ pseudo.numpy() @ matrix, matrix, atol=1e-14)


def test_a_transform_there_and_back_changes_nothing(rng):
    x = rng.uniform(-1, 1, (3, 4, 5))
    for there, back in (("rfft2d", "irfft2d"), ("rfft3d", "irfft3d")):
        spectrum = getattr(tf.signal, there)(tf.constant(x))
        lengths = x.shape[1:] if there == "rfft2d" else x.shape
        np.testing.assert_allclose(getattr(tf.signal, back)(spectrum, lengths), x, atol=1e-14)
    spectrum = np.fft.fftn(x)
    np.testing.assert_allclose(tf.signal.fft3d(tf.constant(x + 0j)), spectrum, atol=1e-13)
    np.testing.assert_allclose(tf.signal.ifft3d(tf.constant(spectrum)), x, atol=1e-14)
