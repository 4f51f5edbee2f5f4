"""The GPU itself, where there is one: the registry there and here, gradients, and CUDA's clock."""

from __future__ import annotations

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.devices import devices
from tapeviz.engine.tensor import wrap
from tests.ops.catalogue import gradients, host, outputs, rows, weights

pytestmark = pytest.mark.gpu
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def _on_gpu(array):
    gpu = devices.named("GPU:0")
    return wrap(gpu.from_host(array) if gpu.takes(array.dtype) else array)


@pytest.mark.parametrize(("op", "inputs", "attrs"), rows(lambda op: not op.effects))
def test_the_gpu_gives_what_the_host_gives(op, inputs, attrs):
    here, there = [host(array) for array in inputs], [_on_gpu(array) for array in inputs]
    wanted = outputs(op, here, attrs)
    with tf.device("/gpu:0"):
        found = outputs(op, there, attrs)
    for one, other in zip(wanted, found, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(other.numpy(), one.numpy(), **CLOSE)
    if op.vjp:
        upstream = weights(wanted, np.random.default_rng(0))
        pulled = zip(gradients(op, here, attrs, upstream), gradients(op, there, attrs, upstream), strict=True)
        for one, other in pulled:
            np.testing.assert_allclose(other.numpy(), one.numpy(), **CLOSE)


def test_a_recording_has_cudas_times_and_its_memory():
    x = tf.random.normal([512, 512]).gpu()
    with tf.record() as tape:
        y = tf.matmul(x, x)
    assert y.device.endswith("GPU:0")
    assert len(tape.recording.device_times) == 1
    assert tape.recording.device_times.dur[0] > 0
    pool = tape.recording.pools
    assert tape.recording.devices.name[pool.device[0]] == "GPU:0"
    assert x._a.nbytes + y._a.nbytes <= pool.used[0] <= pool.total[0]
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] >= x._a.nbytes
    assert tf.test.is_gpu_available()


def test_cupy_takes_a_tensor_without_a_copy_and_gives_one_back():
    import cupy

    x = tf.constant([1.0, 2.0]).gpu()
    seen = cupy.asarray(x)
    assert seen.data.ptr == x._a.data.ptr
    assert tf.constant(seen).device == x.device
    assert tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x)).device == x.device
    assert np.asarray(x).tolist() == [1.0, 2.0]
