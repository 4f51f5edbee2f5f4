"""A line through noisy points: a model of two variables, 300 steps downhill, and a report every twenty of them."""

import re

import pytest

import tapeviz as tf
from tests.programs.ways import both_ways, in_both_ways

POINTS, STEPS = 2000, 300


class Line(tf.keras.Model):
    """``w * x + b``, begun far off."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(5.0, name="slope")
        self.b = tf.Variable(10.0, name="offset")

    def call(self, x):
        return x * self.w + self.b


def points():
    tf.random.set_seed(11)
    x = tf.random.normal([POINTS])
    return x, 3.0 * x + 2.0 + tf.random.normal([POINTS])


def error(model, x, y):
    return tf.reduce_mean(tf.square(model(x) - y))


def program(way):
    """Fit the line as the guide does; return the model and what was printed."""
    x, y = points()
    model, optimizer, said = Line(), tf.keras.optimizers.SGD(learning_rate=0.01), []

    @way
    def step(x, y):
        with tf.GradientTape() as tape:
            value = error(model, x, y)
        slopes = tape.gradient(value, [model.w, model.b])
        optimizer.apply_gradients(zip(slopes, [model.w, model.b], strict=True))

    said.append(f"Initial loss: {error(model, x, y):.3f}")
    for number in range(STEPS):
        step(x, y)
        if number % 20 == 0:
            said.append(f"Loss at step {number:03d}: {error(model, x, y):.3f}")
    said.append(f"Final loss: {error(model, x, y):.3f}")
    return model, said


@both_ways
def test_it_finds_the_line_and_says_so(way):
    model, said = program(way)
    losses = [float(re.search(r": ([\d.]+)$", line).group(1)) for line in said]
    assert [line.partition(":")[0] for line in said] == [
        "Initial loss", *(f"Loss at step {number:03d}" for number in range(0, STEPS, 20)), "Final loss"
    ]  # fmt: skip
    assert losses == sorted(losses, reverse=True)
    assert 60.0 < losses[0] < 80.0
    assert losses[-1] == pytest.approx(1.0, abs=0.1)
    assert model.w.numpy() == pytest.approx(3.0, abs=0.1)
    assert model.b.numpy() == pytest.approx(2.0, abs=0.1)


def test_the_same_line_as_a_graph():
    (eager, said), (graph, also) = in_both_ways(program)
    assert also == said
    for ours, theirs in zip(eager.trainable_variables, graph.trainable_variables, strict=True):
        assert ours.numpy() == pytest.approx(theirs.numpy(), rel=1e-5)


def test_fit_finds_it_too():
    x, y = points()
    model = Line()
    model.compile(optimizer=tf.keras.optimizers.SGD(learning_rate=0.01), loss="mse")
    history = model.fit(x, y, epochs=5, batch_size=20, verbose=0)
    assert history.history["loss"][-1] == pytest.approx(1.0, abs=0.1)
    assert model.w.numpy() == pytest.approx(3.0, abs=0.2)
    assert model.b.numpy() == pytest.approx(2.0, abs=0.2)
