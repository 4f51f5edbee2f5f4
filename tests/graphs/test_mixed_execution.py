"""Part of a model as a graph and the rest eager: results, gradients and state are those of the eager model."""

import numpy as np
import pytest

import tapeviz as tf

UNITS = 5


class Recurrent(tf.Module):
    """A recurrent layer whose inside can be traced, and which counts its steps."""

    def __init__(self, *, traced):
        super().__init__()
        rng = np.random.default_rng(0)
        self.kernel = tf.Variable(rng.normal(size=(3, UNITS)) * 0.4, name="kernel")
        self.recurrent = tf.Variable(rng.normal(size=(UNITS, UNITS)) * 0.3, name="recurrent")
        self.steps = tf.Variable(0, trainable=False, name="steps")
        self.step = tf.function(self.inside) if traced else self.inside

    def inside(self, inputs, state):
        self.steps.assign_add(1)
        gate = tf.sigmoid(inputs @ self.kernel + state @ self.recurrent)
        if tf.reduce_mean(gate) > 0.5:
            state = state * 0.9
        return gate * state + (1.0 - gate) * tf.tanh(inputs @ self.kernel)

    def __call__(self, sequence):
        state = tf.zeros([sequence.shape[0], UNITS], tf.float64)
        for inputs in tf.unstack(sequence, axis=1):
            state = self.step(inputs, state)
        return state


def loss_and_gradients(layer, sequence, order=1):
    variables = [layer.kernel, layer.recurrent]
    with tf.GradientTape(persistent=order > 1) as tape:
        loss = tf.reduce_mean(tf.square(layer(sequence)))
    return loss.numpy(), [gradient.numpy() for gradient in tape.gradient(loss, variables)]


@pytest.fixture
def sequence():
    return tf.constant(np.random.default_rng(1).normal(size=(4, 6, 3)))


def test_values_gradients_and_state(sequence):
    eager, graph = Recurrent(traced=False), Recurrent(traced=True)
    wanted, found = loss_and_gradients(eager, sequence), loss_and_gradients(graph, sequence)
    assert found[0] == pytest.approx(wanted[0], rel=1e-14)
    for one, other in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert eager.steps.numpy() == graph.steps.numpy() == 6
    assert graph.step.experimental_get_tracing_count() == 1


def test_training_goes_the_same_way(sequence):
    losses = []
    for traced in (False, True):
        layer = Recurrent(traced=traced)
        losses.append([])
        for _ in range(5):
            loss, gradients = loss_and_gradients(layer, sequence)
            losses[-1].append(loss)
            layer.kernel.assign_sub(0.5 * gradients[0])
            layer.recurrent.assign_sub(0.5 * gradients[1])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-11)
    assert losses[1][-1] < losses[1][0]


def test_gradients_by_the_input_and_of_the_second_order(sequence):
    found = []
    for traced in (False, True):
        layer = Recurrent(traced=traced)
        with tf.GradientTape() as outer:
            outer.watch(sequence)
            with tf.GradientTape() as inner:
                inner.watch(sequence)
                loss = tf.reduce_sum(layer(sequence) ** 3)
            slope = inner.gradient(loss, sequence)
            size = tf.reduce_sum(slope * slope)
        found.append(outer.gradient(size, sequence).numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12)


def test_a_whole_step_in_one_graph_is_the_eager_step(sequence):
    def step(layer, moments, number):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(layer(sequence)))
        variables = [layer.kernel, layer.recurrent]
        for variable, gradient, (m, v) in zip(variables, tape.gradient(loss, variables), moments, strict=True):
            m.assign(0.9 * m + 0.1 * gradient)
            v.assign(0.999 * v + 0.001 * gradient * gradient)
            scale = tf.sqrt(1.0 - 0.999**number) / (1.0 - 0.9**number)
            variable.assign_sub(0.05 * scale * m / (tf.sqrt(v) + 1e-8))
        return loss

    ends = []
    for run in (step, tf.function(step)):
        layer = Recurrent(traced=False)
        moments = [tuple(tf.Variable(tf.zeros_like(v)) for _ in "mv") for v in (layer.kernel, layer.recurrent)]
        for number in range(1, 6):
            run(layer, moments, tf.constant(float(number), tf.float64))
        ends.append([layer.kernel.numpy(), layer.recurrent.numpy()])
    for one, other in zip(*ends, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
