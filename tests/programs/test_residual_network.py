"""A residual network as one graph that can be called, trained on batches of random size."""

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
import tapeviz.contrib.eager as tfe
from tests.programs.digits import as_pictures

FEW, MANY = 10, 60


def convolved(x, width, stride=1):
    return tf1.layers.conv2d(x, width, 3, strides=stride, padding="same", use_bias=False)


def normed(x):
    return tf1.nn.relu(tf1.layers.batch_normalization(x, training=True))


def block(x, width, stride):
    """What goes in, and what two convolutions add to it."""
    short = x if x.shape[-1] == width and stride == 1 else tf1.layers.conv2d(x, width, 1, strides=stride)
    inner = convolved(normed(convolved(x, width, stride)), width)
    return normed(inner + short)


def scores(images):
    with tf1.variable_scope("residual", reuse=tf1.AUTO_REUSE):
        x = normed(convolved(images, 4))
        x = block(x, 4, 1)
        x = block(x, 8, 2)
        return tf1.layers.dense(tf1.reduce_mean(x, axis=[1, 2]), 10, name="scores")


def loss_of(images, labels):
    losses = tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores(images))
    return tf1.reduce_mean(losses)


def random_batches(steps):
    """Batches of sizes that differ, of the same pictures each time."""
    rng = np.random.default_rng(6)
    images, labels = as_pictures(300)
    for _ in range(steps):
        chosen = rng.choice(300, size=rng.integers(5, 40), replace=False)
        yield tf.constant(images[chosen]), tf.constant(labels[chosen])


def set_alike(variables):
    for number, variable in enumerate(sorted(variables, key=lambda one: one.name)):
        if "kernel" in variable.name:
            draws = np.random.default_rng(number).normal(size=variable.shape, scale=0.3)
            variable.assign(draws.astype(np.float32))


def train(loss_function, variables, steps):
    optimizer, history = tf.keras.optimizers.SGD(0.1, momentum=0.9), []
    for images, labels in random_batches(steps):
        with tf.GradientTape() as tape:
            loss = loss_function(images, labels)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        history.append(loss.numpy())
    return history


def as_graph(steps):
    pictures = tfe.ShapeAndDtype(shape=[None, 8, 8, 1], dtype=tf.float32)
    digits = tfe.ShapeAndDtype(shape=[None], dtype=tf.int64)
    network = tfe.graph_callable([pictures, digits])(loss_of)
    set_alike(network.variables)
    return network, train(network, network.trainable_variables, steps)


def as_eager(steps):
    kept = tfe.EagerVariableStore()
    images, labels = next(random_batches(1))
    with kept.as_default():
        loss_of(images, labels)
        for variable in kept.non_trainable_variables():
            variable.assign(tf.zeros_like(variable) if "mean" in variable.name else tf.ones_like(variable))
        set_alike(kept.variables())
        return kept, train(loss_of, sorted(kept.trainable_variables(), key=lambda one: one.name), steps)


def test_it_trains_on_batches_of_any_size():
    network, history = as_graph(MANY)
    assert len({len(labels) for _, labels in random_batches(MANY)}) > 5
    assert np.mean(history[-5:]) < 0.6 * np.mean(history[:5])
    names = {variable.name for variable in network.variables}
    assert {"residual/conv2d/kernel:0", "residual/conv2d_1/kernel:0", "residual/scores/bias:0"} <= names
    assert {"residual/batch_normalization/gamma:0", "residual/batch_normalization/moving_mean:0"} <= names


def test_eagerly_it_learns_the_same():
    network, as_one = as_graph(FEW)
    kept, history = as_eager(FEW)
    assert [one.name for one in kept.variables()] == sorted(one.name for one in network.variables)
    assert as_one == pytest.approx(history, rel=2e-3)
    # The running means, too: each run of the graph has moved them once.
    ours = {one.name: one.numpy() for one in network.variables if not one.trainable}
    for variable in kept.non_trainable_variables():
        np.testing.assert_allclose(ours[variable.name], variable.numpy(), rtol=2e-3, atol=1e-4)
