"""Variables of which the shape may change: ``tf.Variable(x, shape=[None])``."""

import copy

import numpy as np
import pytest

import tapeviz as tf


def variable():
    return tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]))


def test_values_of_other_sizes_are_assigned():
    v = variable()
    assert v.shape.as_list() == [None]
    assert repr(v) == "<tf.Variable 'Variable:0' shape=(None,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
    v.assign([1.0, 2.0, 3.0])
    v.assign_add([1.0, 1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0, 4.0]
    assert v.value().shape == [3]
    assert copy.deepcopy(v).shape.as_list() == [None]
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign([[1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        v.assign_add([1.0])


def test_a_rank_may_be_open_too():
    v = tf.Variable(1.0, shape=tf.TensorShape(None))
    v.assign([[1.0, 2.0]])
    assert v.shape.rank is None
    assert tf.reduce_sum(v).numpy() == 3.0
    assert "shape=<unknown>" in repr(v)


def test_a_shape_that_is_not_the_values_is_refused():
    with pytest.raises(ValueError, match="not compatible with the explicitly supplied"):
        tf.Variable([1.0, 2.0], shape=[3])
    assert tf.Variable([1.0, 2.0], shape=tf.TensorShape([None]), validate_shape=False).shape.as_list() == [None]


def test_a_function_is_traced_once_for_all_sizes():
    v, traces = variable(), []

    @tf.function
    def scaled(x):
        traces.append(v.shape.as_list())
        return v * x, tf.shape(v), tf.ones_like(v)

    for size in (2, 3, 5, 0, 4, 4, 1) * 3:
        v.assign(np.arange(float(size)))
        found, shape, ones = scaled(tf.constant(2.0))
        assert found.numpy().tolist() == [2.0 * k for k in range(size)]
        assert shape.numpy().tolist() == [size]
        assert ones.shape == [size]
    assert traces == [[None]]


def test_gradients_and_steps_of_all_sizes():
    v = variable()

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v**2) + tf.reduce_mean(v)
        gradient = tape.gradient(loss, v)
        v.assign_sub(0.25 * gradient)
        return gradient

    for size in (2, 3, 1, 6, 3, 2) * 3:
        v.assign(np.ones(size, np.float32))
        np.testing.assert_allclose(step(), np.full(size, 2 + 1 / size), rtol=1e-6)
        np.testing.assert_allclose(v, np.full(size, 0.5 - 0.25 / size), rtol=1e-6)


def test_a_function_may_assign_another_size():
    v = variable()

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def replace(x):
        v.assign(tf.concat([x, v], 0))
        return tf.size(v)

    assert [int(replace(tf.zeros([n]))) for n in (1, 2, 3)] == [3, 5, 8]
    assert v.numpy().tolist() == [0.0] * 6 + [1.0, 2.0]


def test_checkpoints_restore_another_size(tmp_path):
    v = variable()
    v.assign([1.0, 2.0, 3.0])
    path = tf.train.Checkpoint(v=v).save(str(tmp_path / "c"))
    other = variable()
    tf.train.Checkpoint(v=other).restore(path)
    assert other.numpy().tolist() == [1.0, 2.0, 3.0]
