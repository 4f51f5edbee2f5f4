"""KFAC as a matrix product with a gradient of its own: inputs and gradients are whitened before they meet."""

from itertools import pairwise

import numpy as np
import pytest

import tapeviz as tf
from tests.programs.digits import as_rows
from tests.programs.ways import both_ways, in_both_ways

SIZES, ROWS, STEPS = (64, 24, 6, 24, 64), 100, 150

OPTIMIZERS = {
    "steps": lambda: (tf.keras.optimizers.SGD(0.05), tf.keras.optimizers.SGD(0.1)),
    "momentum": lambda: (
        tf.keras.optimizers.SGD(0.02, momentum=0.9),
        tf.keras.optimizers.SGD(0.02, momentum=0.9, nesterov=True),
    ),
    "adam": lambda: (tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.Adam(0.01)),
}
each_optimizer = pytest.mark.parametrize("kind", OPTIMIZERS)


def damped(matrix):
    size = matrix.shape[0]
    return matrix + tf.linalg.trace(matrix) / size * tf.eye(size, dtype=matrix.dtype)


@tf.custom_gradient
def whitened_matmul(x, w):
    def gradient(g):
        rows = tf.cast(tf.shape(x)[0], x.dtype)
        inputs = damped(tf.matmul(x, x, transpose_a=True) / rows)
        outputs = damped(tf.matmul(g, g, transpose_a=True) * rows)
        plain = tf.matmul(x, g, transpose_a=True)
        by_w = tf.transpose(tf.linalg.solve(outputs, tf.transpose(tf.linalg.solve(inputs, plain))))
        return tf.matmul(g, w, transpose_b=True), by_w

    return tf.matmul(x, w), gradient


def program(way, product, optimizer, steps=STEPS, dtype=np.float32):
    """Train an autoencoder of four layers with a product of one's choice; return the losses."""
    pictures, rng = as_rows(400)[0].astype(dtype), np.random.default_rng(0)
    weights = [
        tf.Variable((rng.normal(size=(inputs + 1, outputs)) / np.sqrt(inputs)).astype(dtype))
        for inputs, outputs in pairwise(SIZES)
    ]

    @way
    def step(x):
        with tf.GradientTape() as tape:
            y = x
            for number, w in enumerate(weights):
                y = product(tf.concat([y, tf.ones([ROWS, 1], x.dtype)], axis=1), w)
                y = tf.tanh(y) if number < len(weights) - 1 else y
            loss = 0.5 * tf.reduce_mean(tf.reduce_sum(tf.square(y - x), axis=1))
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    return [float(step(tf.constant(pictures[rng.choice(400, ROWS)]))) for _ in range(steps)]


@each_optimizer
@both_ways
def test_whitened_gradients_lead_further(way, kind):
    plain, whitened = OPTIMIZERS[kind]()
    as_ever = program(way, tf.matmul, plain)
    better = program(way, whitened_matmul, whitened)
    assert np.mean(better[-10:]) < 0.85 * np.mean(as_ever[-10:])


@each_optimizer
def test_the_same_losses_as_a_graph(kind):
    eager, graph = in_both_ways(lambda way: program(way, whitened_matmul, OPTIMIZERS[kind]()[1], 15, np.float64))
    assert graph == pytest.approx(eager, rel=1e-9)


def test_what_is_whitened():
    """With x and g white already, up to a factor, the gradient is the plain one but for the damping."""
    x = tf.constant(np.sqrt(4.0) * np.eye(4))
    w = tf.Variable(np.ones((4, 4)))
    with tf.GradientTape() as tape:
        y = whitened_matmul(x, w)
    by_w = tape.gradient(y, w, output_gradients=tf.constant(0.5 * np.eye(4)))
    np.testing.assert_allclose(by_w.numpy(), np.eye(4) / (2.0 * 2.0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = whitened_matmul(x, w)
    np.testing.assert_array_equal(tape.gradient(y, x), 4.0 * np.ones((4, 4)))


def by_the_library(way, kind, damping):
    """The same network with layers of the library's KFAC, which remembers its moments; return the losses."""
    optimizer = {
        "steps": lambda: tf.keras.optimizers.SGD(0.1),
        "momentum": lambda: tf.keras.optimizers.SGD(0.02, momentum=0.9),
        "adam": lambda: tf.keras.optimizers.Adam(0.01),
    }[kind]()
    pictures, rng, kfac = as_rows(400)[0], np.random.default_rng(0), tf.optimizers.KFAC(optimizer, damping=damping)
    sizes = list(pairwise(SIZES))
    kernels = [tf.Variable((rng.normal(size=size) / np.sqrt(size[0])).astype(np.float32)) for size in sizes]
    biases = [tf.Variable(tf.zeros([outputs])) for _, outputs in sizes]

    @way
    def step(x):
        with tf.GradientTape() as tape:
            y = x
            for number, (w, b) in enumerate(zip(kernels, biases, strict=True)):
                y = kfac.dense(y, w, b)
                y = tf.tanh(y) if number < len(sizes) - 1 else y
            loss = 0.5 * tf.reduce_mean(tf.reduce_sum(tf.square(y - x), axis=1))
        variables = kernels + biases
        kfac.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    return [float(step(tf.constant(pictures[rng.choice(400, ROWS)]))) for _ in range(STEPS)]


@each_optimizer
def test_the_librarys_kfac_leads_further_both_ways(kind):
    as_ever = program(tf.function, tf.matmul, OPTIMIZERS[kind]()[0])
    eager, graph = in_both_ways(by_the_library, kind, 0.1)
    assert graph[:10] == pytest.approx(eager[:10], rel=1e-3)
    for losses in (eager, graph):
        assert np.mean(losses[-10:]) < 0.9 * np.mean(as_ever[-10:])
