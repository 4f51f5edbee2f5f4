"""Loops over lists whose elements have shapes known only at run time: buffers for the usual ones, right for others."""

import gc

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.graphs.run.executable import Executable
from tapeviz.graphs.run.fallbacks import fallbacks
from tapeviz.graphs.run.specializations import Version

_RUNS = 7  # the shapes have a version of their own by then


def stages(name: str) -> set[str]:
    """How the graphs of this name run for certain shapes."""
    programs = [found for found in gc.get_objects() if isinstance(found, Executable) and name in found.graph.name]
    return {
        version.stage for program in programs for version in program._versions.values() if isinstance(version, Version)
    }


def recurrence(x, w):
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[None, 8]).unstack(x)
    h, made = x[0] * 0.0, tf.TensorArray(tf.float32, size=tf.shape(x)[0], element_shape=[None, 8])
    for place in tf.range(tf.shape(x)[0]):
        gates = rows.read(place) + tf.matmul(h, w)
        first, second = tf.split(gates, 2, -1)
        h = tf.concat([tf.tanh(first) * tf.sigmoid(second), tf.exp(-second * second)], -1)
        made = made.write(place, h)
    return tf.reduce_sum(made.stack() * h)


def loss_and_gradients(x, w):
    with tf.GradientTape() as tape:
        tape.watch((x, w))
        loss = recurrence(x, w)
    return loss, *tape.gradient(loss, (x, w))


def drawn(*shape):
    return tf.constant(np.random.default_rng(len(shape)).normal(size=shape).astype("f4"))


@pytest.mark.parametrize("compiles", [True, False])
def test_a_recurrence_of_open_sizes_has_the_same_bits_in_all_its_versions(compiles):
    x, w = drawn(5, 3, 8), drawn(8, 8)
    signature = [tf.TensorSpec([None, None, 8]), tf.TensorSpec([8, 8])]
    plain = tf.function(loss_and_gradients, input_signature=signature, jit_compile=False)
    expected = [one.numpy() for one in plain(x, w)]
    traced = tf.function(loss_and_gradients, input_signature=signature, jit_compile=compiles)
    for _ in range(_RUNS):
        for found, wanted in zip(traced(x, w), expected, strict=True):
            np.testing.assert_array_equal(found.numpy(), wanted)
    assert "compile" in stages("while_body") if compiles else "buffers" in stages("while_body")
    shorter = [one.numpy() for one in plain(x[:2, :1], w)]
    for found, wanted in zip(traced(x[:2, :1], w), shorter, strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted)


def test_elements_of_several_shapes_run_without_buffers():
    @tf.function(input_signature=[tf.TensorSpec([None])], jit_compile=True)
    def total(x):
        rows = tf.TensorArray(tf.float32, size=3, element_shape=[None], infer_shape=False)
        for place in range(3):
            rows = rows.write(place, x[: place + 1])
        found = 0.0
        for place in tf.range(3):
            found += tf.reduce_sum(tf.exp(rows.read(place)) * 2.0 + 1.0)
        return found

    x = np.linspace(0, 1, 4, dtype="f4")
    wanted = sum(np.sum(np.exp(x[: count + 1]) * 2 + 1) for count in range(3))
    for _ in range(_RUNS):
        np.testing.assert_allclose(total(tf.constant(x)).numpy(), wanted, rtol=1e-6)
    assert not fallbacks


def test_a_value_that_grows_in_a_loop_has_the_shape_it_has():
    @tf.function(input_signature=[tf.TensorSpec([None])], jit_compile=True)
    def grown(x):
        _, y = tf.while_loop(
            lambda place, _y: place < 3, lambda place, y: (place + 1, tf.concat([y, y * 2.0], 0)), (0, x),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )  # fmt: skip
        return tf.exp(y) + 1.0

    for _ in range(_RUNS):
        assert grown(tf.constant([0.0, 1.0])).shape == [16]
    assert not fallbacks
