"""Pipelines work on the host; what they give goes where the program is."""

import numpy as np
import pytest

import tapeviz as tf
from tests.engine.strict_gpu import standing_in

D = tf.data.Dataset


@pytest.fixture
def gpu():
    with standing_in(), tf.device("GPU:0"):
        yield


def pipeline():
    x = np.arange(12, dtype=np.float32).reshape(6, 2)
    return D.from_tensor_slices((x, x[:, 0])).map(lambda a, b: (a * 2, b)).batch(2).prefetch(1)


@pytest.mark.usefixtures("gpu")
def test_elements_are_on_the_device_of_the_moment():
    for x, _ in pipeline():
        assert x.device.endswith("GPU:0")
        assert (x * 2).device.endswith("GPU:0")
    with tf.device("CPU:0"):
        assert next(iter(pipeline()))[0].device.endswith("CPU:0")
    assert next(iter(D.from_tensors("text"))).numpy() == b"text"


@pytest.mark.usefixtures("gpu")
def test_a_traced_loop_on_a_device():
    w = tf.Variable([1.0, 1.0])

    @tf.function
    def through(dataset):
        total = 0.0
        for x, y in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((tf.linalg.matvec(x, w) - y) ** 2)
            w.assign_sub(0.0001 * tape.gradient(loss, w))
            total += loss
        return total

    found = through(pipeline())
    assert found.device.endswith("GPU:0")
    expected, v = 0.0, np.ones(2)
    for x, y in pipeline().as_numpy_iterator():
        wrong = x @ v - y
        expected += np.sum(wrong**2)
        v = v - 0.0001 * 2 * x.T @ wrong
    np.testing.assert_allclose(found.cpu().numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(w.numpy(), v, rtol=1e-5)


@pytest.mark.usefixtures("gpu")
def test_tensors_of_a_device_as_data():
    x = tf.constant([1.0, 2.0, 3.0])
    assert [float(v) for v in D.from_tensor_slices(x)] == [1.0, 2.0, 3.0]
    assert D.from_tensor_slices(x).reduce(tf.constant(0.0), lambda a, v: a + v).numpy() == 6.0

    @tf.function
    def total(x):
        found = tf.constant(0.0)
        for v in D.from_tensor_slices(x).skip(1):
            found += v
        return found

    assert total(x).numpy() == 5.0
