"""Devices, timed products and what they overflow to: the guide's part on performance, on a machine without a GPU."""

from __future__ import annotations

import time

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.contrib.eager as tfe


def measure(x, steps):
    tf.matmul(x, x)  # what a device does on its first use is not timed
    start = time.perf_counter()
    for _ in range(steps):
        x = tf.matmul(x, x)
    x.numpy()
    return time.perf_counter() - start, x


def test_measure(capsys):
    shape = (20, 20)
    tf.random.set_seed(0)
    with tf.device("/cpu:0"):
        took, _ = measure(tf.random.normal(shape), 200)
    print(f"CPU: {took} secs")
    if tf.config.experimental.list_physical_devices("GPU"):
        with tf.device("/gpu:0"):
            print(f"GPU: {measure(tf.random.normal(shape), 200)[0]} secs")
    else:
        print("GPU: not found")
    lines = capsys.readouterr().out.splitlines()
    assert 0.0 < float(lines[0].removeprefix("CPU: ").removesuffix(" secs")) < 60.0
    assert lines[1].startswith("GPU: ")


def test_what_measures_overflow_looks_like():
    """A random matrix squared 200 times passes the largest float32 after a few steps; the guide never looks."""
    tf.random.set_seed(0)
    start = tf.random.normal((20, 20))
    with tf.record() as run:
        _, result = measure(start, 200)
    assert not np.isfinite(result.numpy()).any()
    overflows = [verdict for verdict in run.verdicts() if verdict.kind == "nonfinite"]
    assert overflows
    assert "matmul" in overflows[0].text
    assert "x = tf.matmul(x, x)" in overflows[0].site.text


def test_copies_to_devices():
    x = tf.random.normal([10, 10])
    on_the_host = x.cpu()
    assert on_the_host.device.endswith("/device:CPU:0")
    assert np.array_equal(tf.matmul(on_the_host, on_the_host), tf.matmul(x, x))


def test_a_gpu_that_is_there_or_not():
    x = tf.constant([1.0])
    with tf.device("/gpu:0"):
        y = x + 1.0  # soft placement, as TensorFlow's: without a GPU it runs on the host
    assert y.numpy() == 2.0
    if tf.test.is_gpu_available():
        assert x.gpu().device.endswith("/device:GPU:0")
        assert tfe.num_gpus() > 0
        return
    with pytest.raises(Exception, match=r"(?i)gpu|cuda|cupy"):
        x.gpu()
    assert y.device.endswith("/device:CPU:0")
    assert tfe.num_gpus() == 0
    assert tfe.list_devices() == ["/job:localhost/replica:0/task:0/device:CPU:0"]
