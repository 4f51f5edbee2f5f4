"""Tensors and NumPy arrays: each becomes the other, and neither sees the other change."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import register
from tapeviz.backends.strict import StrictArray, StrictBackend
from tapeviz.engine.tensor import wrap


def test_numpy_functions_give_arrays():
    t = tf.constant([1.0, 2.0])
    assert type(np.multiply(t, np.array([3.0, 4.0]))) is np.ndarray
    assert type(np.exp(t)) is np.ndarray
    assert type(np.concatenate([t, t])) is np.ndarray


@pytest.mark.parametrize("other", [np.array([3.0, 4.0]), np.float64(2), np.float32(2), np.int64(2), np.arange(2)])
def test_operators_give_tensors_of_the_tensors_dtype(other):
    t = tf.constant([1.0, 2.0])
    for result in (other * t, t * other, other + t, other - t, other / t, other**t):
        assert isinstance(result, tf.Tensor)
        assert result.dtype is tf.float32


def test_an_array_of_another_dtype_keeps_the_values():
    np.testing.assert_array_equal(np.array([3.0, 4.0]) / tf.constant([2.0, 2.0]), [1.5, 2.0])


def test_numpy_gives_a_copy_and_asarray_a_view_that_cannot_be_written():
    t = tf.constant([1.0, 2.0])
    array = t.numpy()
    array[0] = 9.0
    assert t.numpy()[0] == 1.0
    view = np.asarray(t)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 9.0
    assert np.shares_memory(view, np.asarray(t))
    assert np.array(t).flags.writeable


def test_a_scalar_is_a_numpy_scalar():
    assert type(tf.constant(1.5).numpy()) is np.float32
    assert isinstance(tf.constant("a").numpy(), bytes)


def test_dlpack_goes_round():
    t = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    array = np.from_dlpack(t)
    np.testing.assert_array_equal(array, t.numpy())
    assert not np.shares_memory(array, np.asarray(t))
    assert np.shares_memory(np.from_dlpack(t, copy=False), np.asarray(t))
    assert t.__dlpack_device__() == (1, 0)


def test_tensors_pickle_and_copy():
    t = tf.constant([1.0, 2.0])
    again = pickle.loads(pickle.dumps(t))
    np.testing.assert_array_equal(again.numpy(), t.numpy())
    assert again.dtype is tf.float32
    assert copy.copy(t) is t
    assert copy.deepcopy(t) is t
    assert pickle.loads(pickle.dumps(tf.float32)) is tf.float32
    v = tf.Variable([1.0], name="v")
    other = copy.deepcopy(v)
    v.assign([2.0])
    assert other.numpy() == [1.0]
    assert other.name == "v:0"


def test_what_has_an_array_is_taken():
    class Data:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0], dtype)

    assert (tf.constant([1.0, 1.0]) + Data()).numpy().tolist() == [2.0, 3.0]
    assert tf.convert_to_tensor(Data()).dtype is tf.float64


@pytest.mark.parametrize("order", ["F", "sliced", "swapped"])
def test_odd_layouts_are_taken(order):
    array = np.arange(6.0).reshape(2, 3)
    odd = {"F": np.asfortranarray(array), "sliced": np.repeat(array, 2, 1)[:, ::2], "swapped": array.astype(">f8")}[
        order
    ]
    t = tf.constant(odd)
    assert t.dtype is tf.float64
    np.testing.assert_array_equal(t.numpy(), array)
    np.testing.assert_array_equal((t * 2.0).numpy(), array * 2)


def test_the_strict_device_lets_no_host_array_in():
    backend = StrictBackend()
    register(backend)
    there, here = wrap(backend.from_host(np.ones(2))), tf.constant([1.0, 1.0], tf.float64)
    assert (there + 1.0).device.endswith("STRICT:0")
    with pytest.raises(tf.errors.InvalidArgumentError, match="different devices"):
        there + here
    with pytest.raises(TypeError, match="StrictArray"):
        np.add(backend.from_host(np.ones(2)), 1.0)
    assert (there.cpu() + here).numpy().tolist() == [2.0, 2.0]
    with tf.GradientTape() as tape:
        tape.watch(there)
        y = tf.reduce_sum(there * there)
    assert isinstance(tape.gradient(y, there)._a, StrictArray)
