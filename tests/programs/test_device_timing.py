"""How long a device takes for a chain of products: op by op, and as a graph."""

import time

import numpy as np
import pytest

import tapeviz as tf
from tests.programs.ways import WAYS, both_ways

SIZE, PRODUCTS = 60, 50


def timed(way, device):
    """Multiply a matrix PRODUCTS times by a rotation on a device; return what came out and the seconds it took."""
    angle = 2.0 * np.pi / SIZE
    turn = np.kron(np.eye(SIZE // 2), [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    @way
    def product(left, right):
        return tf.matmul(left, right)

    with tf.device(device):
        x = turned = tf.constant(turn, tf.float32)
        product(x, turned)  # what is done once, the first time, is not timed
        start = time.perf_counter()
        for _ in range(PRODUCTS):
            x = product(x, turned)
        result = x.numpy()  # ends when the device has
        return result, time.perf_counter() - start, x.device


@both_ways
@pytest.mark.parametrize("kind", ["CPU", "GPU"])
def test_a_chain_of_products(way, kind):
    if kind == "GPU" and not tf.config.experimental.list_physical_devices("GPU"):
        with tf.device("/gpu:0"):  # it runs on the host then, as TensorFlow's soft placement has it
            assert timed(way, "/gpu:0")[2].endswith("CPU:0")
        return
    result, seconds, device = timed(way, f"/{kind.lower()}:0")
    assert device.endswith(f"{kind}:0")
    assert seconds > 0.0
    angle = 2.0 * np.pi / SIZE * (PRODUCTS + 1)
    np.testing.assert_allclose(result[:2, :2], [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]],
                               atol=1e-4)  # fmt: skip


def test_both_ways_give_the_same():
    (eager, _, _), (graph, _, _) = (timed(way, "/cpu:0") for way in WAYS.values())
    np.testing.assert_array_equal(eager, graph)
