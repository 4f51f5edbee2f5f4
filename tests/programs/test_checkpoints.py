"""Checkpoints: a value saved and restored, a training run that goes on, and weights alone."""

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tests.programs.digits import as_pictures
from tests.programs.ways import WAYS, both_ways


@both_ways
def test_a_variable_comes_back(way, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = tf.Variable(10.0)
    change = way(lambda value: x.assign(value))  # noqa: PLW0108 - a function with source
    checkpoint = tf.train.Checkpoint(x=x)
    change(2.0)
    assert checkpoint.save("./ckpt/") == "./ckpt/-1"
    change(11.0)
    checkpoint.restore(tf.train.latest_checkpoint("./ckpt/"))
    assert repr(x) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=2.0>"


def model():
    layers = tf.keras.layers
    return tf.keras.Sequential([
        layers.Conv2D(4, [3, 3], activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(10),
    ])  # fmt: skip


class Run:
    """Model, optimizer and data of a training run, begun anew."""

    def __init__(self, way):
        self.model, self.optimizer = model(), tf.keras.optimizers.Adam(learning_rate=0.01)
        self.root = tf.train.Checkpoint(optimizer=self.optimizer, model=self.model)
        self._step = way(self._one)

    def _one(self, images, labels):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=self.model(images))
            loss = tf.reduce_mean(losses)
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    def steps(self, numbers):
        images, labels = as_pictures(320)
        batches = [slice(32 * number, 32 * number + 32) for number in numbers]
        return [float(self._step(tf.constant(images[at]), tf.constant(labels[at]))) for at in batches]


@both_ways
def test_a_run_goes_on_where_it_was(way, tmp_path):
    """Weights and the optimizer's moments are restored, into a model that has not been built yet."""
    prefix = str(tmp_path / "model_dir" / "ckpt")
    first = Run(way)
    first.steps(range(5))
    first.root.save(prefix)
    wanted = first.steps(range(5, 10))
    second = Run(way)
    status = second.root.restore(tf.train.latest_checkpoint(tmp_path / "model_dir"))
    assert second.steps(range(5, 10)) == pytest.approx(wanted, rel=1e-5)
    status.assert_consumed()


def test_weights_alone(tmp_path):
    """Saved by the one and loaded by the other, op by op and as graphs, they give the same scores."""
    images, _ = as_pictures(4)
    first = model()
    scores = [way(first)(images).numpy() for way in WAYS.values()]
    first.save_weights(str(tmp_path / "weights"))
    for way in WAYS.values():
        second = model()
        answer = way(second)
        answer(images)
        second.load_weights(str(tmp_path / "weights"))
        scores.append(answer(images).numpy())
    for other in scores[1:]:
        np.testing.assert_allclose(other, scores[0], rtol=1e-6, atol=1e-7)


def test_from_eager_to_a_session_and_back(tmp_path):
    """Thirty steps in three parts, eager, in a session and eager again, lead where thirty eager ones lead."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 3)).astype(np.float32)
    y = x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 3.0

    def begun():
        return tf.Variable(tf.zeros([3, 1]), name="weights"), tf.Variable([0.0], name="bias")

    def train(pair):
        for _ in range(10):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(x @ pair[0] + pair[1] - y))
            for variable, slope in zip(pair, tape.gradient(loss, pair), strict=True):
                variable.assign_sub(0.1 * slope)
        return pair

    in_one = train(train(train(begun())))
    weights, bias = train(begun())
    first = tf.train.Checkpoint(weights=weights, bias=bias).save(str(tmp_path / "eager"))
    with tf1.Graph().as_default(), tf1.Session() as session:
        pair = tf1.get_variable("weights", [3, 1]), tf1.get_variable("bias", [1])
        loss = tf1.reduce_mean(tf1.square(tf1.matmul(x, pair[0]) + pair[1] - y))
        step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
        saver = tf1.train.Saver()
        saver.restore(session, first)
        for _ in range(10):
            session.run(step)
        second = saver.save(session, str(tmp_path / "session"))
    pair = begun()
    tf.train.Checkpoint(weights=pair[0], bias=pair[1]).restore(second).expect_partial()
    for ours, theirs in zip(train(pair), in_one, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5)
