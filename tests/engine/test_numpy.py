"""Tensors and NumPy arrays: each becomes the other, and neither sees the other change."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import tapeviz as tf
from tapeviz.backends import register
from tapeviz.backends.strict import StrictArray, StrictBackend
from tapeviz.engine.tensor import wrap
from tapeviz.recording.schema import EXITS
from tests.engine.strict_gpu import standing_in


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


def test_pandas_takes_tensors_and_gives_way_to_them():
    t, series = tf.constant([1.0, 2.0]), pd.Series([3.0, 4.0])
    assert pd.Series(t).tolist() == [1.0, 2.0]
    assert pd.DataFrame(tf.reshape(t, [1, 2])).to_numpy().tolist() == [[1.0, 2.0]]
    assert pd.DataFrame({"a": t, "v": tf.Variable(t)}).assign(b=t).to_numpy().tolist() == [[1.0] * 3, [2.0] * 3]
    for result in (series * t, t * series, tf.multiply(series, t), series * tf.Variable(t)):
        assert isinstance(result, tf.Tensor)
        assert result.numpy().tolist() == [3.0, 8.0]
    assert tf.constant(series).dtype is tf.float64
    assert tf.convert_to_tensor(pd.DataFrame({"a": [1, 2], "b": [3, 4]})).shape == [2, 2]
    assert tf.constant(pd.Series(["a", "b"])).dtype is tf.string


def test_matplotlib_takes_tensors():
    figure = Figure()
    axes = figure.subplots()
    t, v, m = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0]), tf.ones([3, 3])
    (line,) = axes.plot(t, v)
    assert line.get_ydata(orig=False).tolist() == [3.0, 4.0]
    axes.plot([t[0], t[1]], [v[0], v[1]])
    axes.scatter(t, v)
    axes.imshow(m)
    axes.hist(t)
    axes.bar(t, v)
    axes.fill_between(t, t, v)
    axes.errorbar(t, v, yerr=t)
    axes.axhline(t[0])
    axes.set_xlim(t[0], v[1])
    figure.canvas.draw()


def test_numpy_functions_take_variables_and_lists_of_tensors():
    t, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    for result in (np.add(v, 1.0), np.stack([t, v]), np.array([t, v]), np.where(t > 1.0, t, v), np.add(t, v)):
        assert type(result) is np.ndarray
    out = np.zeros(2, np.float32)
    assert np.multiply(t, v, out=out) is out
    assert out.tolist() == [3.0, 8.0]
    assert np.arange(5)[tf.constant([0, 2])].tolist() == [0, 2]
    assert list(range(5))[tf.constant(2)] == 2
    array = np.array([1.0, 2.0], np.float32)
    array += t
    assert isinstance(array, tf.Tensor)


def test_dlpack_capsules_go_round_once():
    capsule = tf.experimental.dlpack.to_dlpack(tf.constant([[1, 2], [3, 4]]))
    assert tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="consumed at most once"):
        tf.experimental.dlpack.from_dlpack(capsule)
    array = np.array([1.0, 2.0])
    tensor = tf.experimental.dlpack.from_dlpack(array)
    array[0] = 9.0
    assert tensor.numpy().tolist() == [1.0, 2.0]
    assert tensor.dtype is tf.float64
    assert np.from_dlpack(tf.Variable([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert tf.Variable(1.0).__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("given", [[1.0], 1.0, None])
def test_what_is_no_tensor_or_capsule_is_refused(given):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a TF tensor"):
        tf.experimental.dlpack.to_dlpack(given)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a capsule"):
        tf.experimental.dlpack.from_dlpack(given)


@pytest.mark.parametrize("value", [["a"], tf.bfloat16])
def test_what_dlpack_has_no_type_for_is_refused(value):
    tensor = tf.cast([1.0], value) if value is tf.bfloat16 else tf.constant(value)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not supported by dlpack"):
        tf.experimental.dlpack.to_dlpack(tensor)


def test_only_arrays_of_cuda_say_so():
    assert not hasattr(tf.constant(1.0), "__cuda_array_interface__")

    class Elsewhere:
        __cuda_array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (1, False), "version": 3}  # noqa: RUF012

    with pytest.raises(TypeError, match="array in CUDA's memory"):
        tf.constant(Elsewhere())


def test_an_array_of_a_device_becomes_a_tensor_there():
    with standing_in() as gpu:
        array = gpu.from_host(np.array([1.0, 2.0], np.float32))
        made = tf.constant(array)
        assert made._a is not array
        assert made.device.endswith("GPU:0")
        assert tf.constant(array, tf.float64).dtype is tf.float64
        assert (tf.constant([1.0, 1.0]) + array).numpy().tolist() == [2.0, 3.0]
        assert not hasattr(made, "__cuda_array_interface__")
        assert np.asarray(made).tolist() == [1.0, 2.0]
        with tf.record() as tape:
            again = tf.constant(array)
        assert [EXITS[kind] for kind in tape.recording.exits.kind] == ["enter"]
        assert again.device == made.device
        assert np.exp(made).dtype == np.float32
        assert pickle.loads(pickle.dumps(made)).numpy().tolist() == [1.0, 2.0]
