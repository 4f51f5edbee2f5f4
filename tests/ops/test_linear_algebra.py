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


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize(
    ("lengths", "axes"), [(None, None), ((2, 5, 2, 4), None), (None, (2, 3)), ((5,), (-1,)), ((2, 6), (-2, -1))]
)
def test_a_transform_of_the_last_axes_is_numpys(rng, lengths, axes, norm):
    # TensorFlow 2.21 has no kernel for these without a GPU, so that there are no answers from it.
    real = rng.uniform(-1, 1, (2, 3, 2, 5))
    both = real + 1j * rng.uniform(-1, 1, real.shape)
    wanted = axes or tuple(range(4))
    for name, x in (("fftnd", both), ("ifftnd", both), ("rfftnd", real), ("irfftnd", both)):
        ours = getattr(tf.signal, name)(tf.constant(x), lengths, axes, norm)
        np.testing.assert_allclose(ours, getattr(np.fft, name[:-1])(x, lengths, wanted, norm), atol=1e-13)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: tf.signal.fftnd(x, axes=[1, 0]), tf.errors.InvalidArgumentError, "axes must be successive"),
        (lambda x: tf.signal.fftnd(x, axes=[0, 2]), tf.errors.InvalidArgumentError, "axes must be successive"),
        (lambda x: tf.signal.fftnd(x, axes=[0, 1]), tf.errors.InvalidArgumentError, "The last axis to perform"),
        (lambda x: tf.signal.ifftnd(x, axes=[]), tf.errors.InvalidArgumentError, "The last axis to perform"),
        (lambda x: tf.signal.fftnd(x, [2], axes=[1, 2]), tf.errors.InvalidArgumentError, r"fft_length must have shape"),
        (lambda x: tf.signal.irfftnd(x, [2, 2, -1]), tf.errors.InvalidArgumentError, r"fft_length\[2\] must >= 0"),
        (lambda x: tf.signal.fftnd(x[0, 0, 0]), tf.errors.InvalidArgumentError, r"rank of at least 1 but got: \[\]"),
        (lambda x: tf.signal.fftnd(x, norm="both"), ValueError, "norm must be"),
    ],
)
def test_what_is_no_transform_of_the_last_axes_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(tf.zeros([2, 3, 4], tf.complex64))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.abs(tf.signal.rfftnd(x, norm="ortho")) ** 2,
        lambda x: tf.math.imag(tf.signal.ifftnd(tf.complex(x, x * x), [2, 4], [-2, -1], "forward")),
        lambda x: tf.signal.irfftnd(tf.complex(x, x * x)) ** 2,
    ],
)
def test_a_transform_of_all_axes_has_a_gradient(rng, function):
    tf.test.check_gradients(function, [rng.uniform(-1, 1, (2, 2, 3, 2))], order=2)
