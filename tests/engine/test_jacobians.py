"""Jacobians and forward mode, alone and nested."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf

A = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def _cubes(x):
    return tf.reduce_sum(x * x * x)


def test_the_jacobian_of_a_linear_map_is_its_matrix():
    x = tf.constant([0.5, -1.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.matvec(A, x)
    assert np.array_equal(tape.jacobian(y, x), A)


def test_a_jacobian_has_a_row_for_each_element():
    x, w = tf.ones([2, 3]), tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * w
    by_x, by_w = tape.jacobian(y, [x, w])
    assert by_x.shape == [2, 3, 2, 3]
    assert by_w.shape == [2, 3, 3]
    assert tape.jacobian(y, tf.constant(1.0)) is None
    assert tape.jacobian(y, tf.constant([1.0, 2.0]), unconnected_gradients="zero").shape == [2, 3, 2]
    assert tape.jacobian(y[:0], x).shape == [0, 3, 2, 3]


def test_the_jacobian_of_a_gradient_is_the_hessian():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = _cubes(x)
        slope = inner.gradient(y, x)
    assert np.array_equal(outer.jacobian(slope, x), [[6.0, 0.0], [0.0, 12.0]])


def test_a_batch_jacobian_is_the_blocks_of_the_whole():
    x = tf.constant(np.random.default_rng(0).normal(size=(4, 3)))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.cumsum(x * x, axis=1)
    whole, blocks = tape.jacobian(y, x), tape.batch_jacobian(y, x)
    assert blocks.shape == [4, 3, 3]
    for example in range(4):
        assert np.array_equal(blocks[example], whole[example, :, example])


@pytest.mark.parametrize(("rows", "message"), [(1, "to match"), (None, "must have rank at least 2")])
def test_a_batch_jacobian_needs_examples(rows, message):
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[:rows] * 2.0 if rows else tf.reduce_sum(x)
    with pytest.raises(ValueError, match=message):
        tape.batch_jacobian(y, x)


def test_a_tape_answers_one_jacobian():
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.jacobian(y, x)
    with pytest.raises(RuntimeError, match="one set of gradients"):
        tape.jacobian(y, x)


def test_forward_mode_is_a_column_of_the_jacobian():
    x = tf.constant([0.5, -1.0], tf.float64)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([0.0, 1.0], tf.float64)) as accumulator:
        y = tf.linalg.matvec(A, x)
        z = tf.reduce_sum(y * y)
    assert np.array_equal(accumulator.jvp(y), A[:, 1])
    assert np.array_equal(accumulator.jvp(z), 2.0 * y.numpy() @ A[:, 1])
    assert accumulator.jvp(tf.constant(1.0)) is None
    assert accumulator.jvp(tf.constant(1.0), unconnected_gradients="zero").numpy() == 0.0
    assert np.array_equal(accumulator.jvp(x), [0.0, 1.0])


def test_forward_mode_takes_variables_and_structures():
    w, b = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    with tf.autodiff.ForwardAccumulator({"w": w, "b": b}, {"w": tf.constant([1.0, 0.0]), "b": tf.constant(2.0)}) as acc:
        y = w * b
    assert np.array_equal(acc.jvp([y])[0], [3.0, 4.0])


HESSIAN_TIMES = [6.0 * 1.0 * 1.0, 6.0 * 2.0 * -1.0]
V = np.array([1.0, -1.0])


def test_hessian_vector_products_both_ways():
    x, v = tf.constant([1.0, 2.0], tf.float64), tf.constant(V)
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _cubes(x)
        slope = tape.gradient(y, x)
    assert np.array_equal(accumulator.jvp(slope), HESSIAN_TIMES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            y = _cubes(x)
        along = accumulator.jvp(y)
    assert np.array_equal(tape.gradient(along, x), HESSIAN_TIMES)
    with tf.autodiff.ForwardAccumulator(x, v) as outer:
        with tf.autodiff.ForwardAccumulator(x, v) as inner:
            y = _cubes(x)
        along = inner.jvp(y)
    assert outer.jvp(along).numpy() == V @ HESSIAN_TIMES


def test_forward_mode_inside_a_recording_changes_nothing():
    x = tf.constant([1.0, 2.0])
    with tf.record() as run, tf.autodiff.ForwardAccumulator(x, x) as accumulator:
        y = _cubes(x)
        along = accumulator.jvp(y)
    assert along.numpy() == 27.0
    assert len(run.query("op:multiply")) > 0


def test_an_accumulator_refuses_what_it_cannot_follow():
    x = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="same nested structure"):
        tf.autodiff.ForwardAccumulator([x], [x, x])
    with pytest.raises(ValueError, match="specified as a primal multiple times"):
        tf.autodiff.ForwardAccumulator([x, x], [x, x])
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        tf.autodiff.ForwardAccumulator(x, tf.ones([3]))
    with (
        tf.autodiff.ForwardAccumulator(x, x) as accumulator,
        pytest.raises(ValueError, match="already recording"),
        accumulator,
    ):
        pass


def test_gradients_of_complex_numbers_are_conjugated_as_tensorflows():
    z = tf.constant(1.0 + 2.0j, tf.complex128)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z * z
    assert tape.gradient(y, z).numpy() == pytest.approx(np.conj(3 * (1 + 2j) ** 2))


def test_bfloat16_computes_and_goes_back():
    x = tf.constant([1.5, 2.0], tf.bfloat16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.exp(x) * x)
    slope = tape.gradient(y, x)
    assert slope.dtype is tf.bfloat16
    np.testing.assert_allclose(slope.numpy().astype(float), [11.204, 22.167], rtol=1e-2)
