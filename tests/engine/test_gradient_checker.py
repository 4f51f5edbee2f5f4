"""``tapeviz.test``: gradients held against finite differences, by people who write functions of their own."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.engine.gradient_checker

MATRIX = np.array([[0.3, -1.2], [2.0, 0.7]])


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lambda x: x**3, [2.0]),
        (tf.matmul, [MATRIX, MATRIX]),
        (lambda x, y: {"sum": x + y, "parts": (tf.exp(x), y)}, [MATRIX, np.array([1.0, 2.0])]),
        (tf.gather, [MATRIX, [1, 1, 0]]),
        (lambda x, table: x * table["two"], [MATRIX, {"two": 2.0}]),
        (lambda x: x[:0], [MATRIX]),
        (lambda x: tf.reduce_sum(x, axis=0), [np.zeros((0, 3))]),
        (lambda x: tf.stop_gradient(x) * 0.0, [MATRIX]),
        (tf.nn.softmax, [MATRIX]),
    ],
)
@pytest.mark.parametrize("order", [1, 2])
def test_what_is_right_passes(function, arguments, order):
    tf.test.check_gradients(function, arguments, order=order)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("function", [tf.exp, tf.sin, tf.square, tf.nn.sigmoid, lambda x: tf.reduce_mean(x * x)])
def test_it_passes_in_each_precision(function, dtype):
    tf.test.check_gradients(function, [MATRIX.astype(dtype)])


def test_complex_arguments():
    z = MATRIX + 1j * MATRIX.T
    for function in (tf.square, lambda z: z * z * (1.0 - 2.0j), tf.math.conj, tf.math.real, tf.abs):
        tf.test.check_gradients(function, [z])


def test_variables_and_a_third_order():
    tf.test.check_gradients(lambda x: x**4, [tf.Variable(MATRIX)], order=3)


def with_gradient(factor):
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda dy: dy * factor

    return doubled


def test_the_message_names_argument_element_and_both_values():
    with pytest.raises(AssertionError) as caught:
        tf.test.check_gradients(
            lambda good, bad: good + with_gradient([[2.0, 2.0], [2.0, 2.5]])(bad), [MATRIX, MATRIX], rtol=1e-4
        )
    message = str(caught.value)
    assert "the gradient of <lambda> is wrong for argument 1 (bad) at element [1, 1]: " in message
    assert "by the tape, " in message
    assert "rtol=0.0001" in message
    assert message.endswith("1 of 4 elements differ")


def test_of_one_number_the_message_has_the_gradient_itself():
    with pytest.raises(AssertionError, match=r"at element \[\]: 3\.0 by the tape, 2\.0"):
        tf.test.check_gradients(with_gradient(3.0), [5.0], rtol=1e-3)


def test_a_second_gradient_that_is_wrong():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda dy: dy * 2.0 * tf.stop_gradient(x)

    tf.test.check_gradients(square, [MATRIX], order=1)
    with pytest.raises(AssertionError, match=r"the second gradient of square is wrong for argument 0 \(x\)"):
        tf.test.check_gradients(square, [MATRIX], order=2)


def test_a_gradient_that_is_missing_or_nan():
    with pytest.raises(AssertionError, match="None, which is 0, by the tape"):
        tf.test.check_gradients(lambda x: tf.stop_gradient(x) * 2.0, [MATRIX])
    with pytest.raises(AssertionError, match="nan by the tape"):
        tf.test.check_gradients(with_gradient(np.nan), [MATRIX])


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (MATRIX, {}, TypeError, "must be a list or tuple"),
        ([1, 2], {}, TypeError, "none of the arguments is of a floating-point or complex type"),
        ([MATRIX], {"order": 0}, ValueError, "must be 1 or more"),
    ],
)
def test_what_is_refused(arguments, options, error, words):
    with pytest.raises(error, match=words):
        tf.test.check_gradients(lambda *xs: xs[0], arguments, **options)


def test_compute_gradient_gives_jacobians():
    theoretical, numerical = tf.test.compute_gradient(lambda x, y: x * y, [tf.constant([1.0, 2.0]), tf.constant(3.0)])
    assert [j.tolist() for j in theoretical] == [[[3.0, 0.0], [0.0, 3.0]], [[1.0], [2.0]]]
    for mine, other in zip(theoretical, numerical, strict=True):
        assert mine.dtype == other.dtype == np.float32
        np.testing.assert_allclose(mine, other, atol=1e-3)


def test_compute_gradient_of_complex_numbers():
    theoretical, numerical = tf.test.compute_gradient(lambda z: z * z, [np.array([1.0 + 2.0j])], delta=1e-6)
    assert theoretical[0].shape == numerical[0].shape == (2, 2)
    np.testing.assert_allclose(theoretical[0], numerical[0], rtol=1e-6)


def test_compute_gradient_of_nothing_and_of_what_is_unconnected():
    (empty,), (same,) = tf.test.compute_gradient(lambda x: x[:0], [[1.0, 2.0]])
    assert empty.shape == same.shape == (0, 2)
    (zero,), _ = tf.test.compute_gradient(tf.stop_gradient, [[1.0, 2.0]])
    assert zero.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_compute_gradient_takes_a_list():
    with pytest.raises(ValueError, match="`x` must be a list or tuple of values convertible to a Tensor"):
        tf.test.compute_gradient(tf.exp, tf.constant(1.0))
