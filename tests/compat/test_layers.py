"""``tf.layers``: classes and functions over Keras' layers, with variables in scopes."""

import inspect

import numpy as np
import pytest

import tapeviz
import tapeviz.compat.v1 as tf
import tapeviz.contrib.eager as tfe
from tapeviz.compat.v1.graph import default_graph

X = np.random.default_rng(0).normal(size=(4, 8, 8, 3)).astype(np.float32)
# A class's name, its arguments, what goes in, and the names of its variables.
LAYERS = {
    "Dense": ((5,), {}, X[:, 0, 0], ["kernel", "bias"]),
    "Conv1D": ((5, 3), {}, X[:, 0], ["kernel", "bias"]),
    "Conv2D": ((5, 3), {"strides": 2, "padding": "same", "activation": tf.nn.relu}, X, ["kernel", "bias"]),
    "Conv3D": ((2, 2), {}, X[:, :, :, :, None], ["kernel", "bias"]),
    "Conv2DTranspose": ((2, 2), {"strides": 2}, X, ["kernel", "bias"]),
    "SeparableConv2D": ((2, 3), {}, X, ["depthwise_kernel", "pointwise_kernel", "bias"]),
    "MaxPooling1D": ((2, 2), {}, X[:, 0], []),
    "MaxPooling2D": ((2, 2), {}, X, []),
    "MaxPooling3D": ((2, 2), {}, X[:, :, :, :, None], []),
    "AveragePooling1D": ((2, 2), {}, X[:, 0], []),
    "AveragePooling2D": ((2, 2), {}, X, []),
    "AveragePooling3D": ((2, 2), {}, X[:, :, :, :, None], []),
    "Flatten": ((), {}, X, []),
    "Dropout": ((0.3,), {}, X, []),
    "BatchNormalization": ((), {}, X, ["gamma", "beta", "moving_mean", "moving_variance"]),
}
each_layer = pytest.mark.parametrize("kind", LAYERS)


@each_layer
def test_a_layer_in_a_graph_gives_what_keras_gives(kind):
    args, options, value, names = LAYERS[kind]
    x = tf.placeholder(tf.float32, [None, *value.shape[1:]])
    layer = getattr(tf.layers, kind)(*args, **options)
    y = layer(x)
    stem = layer.name
    assert [variable.name for variable in layer.variables] == [f"{stem}/{name}:0" for name in names]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, weights = session.run([y, list(layer.variables)], {x: value})
    if "activation" in options:
        options = {**options, "activation": "relu"}
    theirs = getattr(tapeviz.keras.layers, kind)(*args, **options)
    theirs(value)
    theirs.set_weights(weights)
    np.testing.assert_allclose(found, theirs(value).numpy(), rtol=1e-5, atol=1e-6)


@each_layer
def test_a_layer_called_eagerly_has_its_values_at_once(kind):
    args, options, value, names = LAYERS[kind]
    with default_graph.at_once():
        layer = getattr(tf.layers, kind)(*args, **options, name=f"eager_{kind.lower()}")
        y = layer(value)
    assert isinstance(y.numpy(), np.ndarray)
    assert [variable.name for variable in layer.variables] == [f"eager_{kind.lower()}/{name}:0" for name in names]
    assert all(np.isfinite(variable.numpy()).all() for variable in layer.variables)


def test_names_and_reuse_of_functions():
    x = tf.ones([2, 3])
    first, second = tf.layers.dense(x, 4), tf.layers.dense(x, 4)
    assert (first.op.name, second.op.name) != (second.op.name, first.op.name)
    names = [variable.name for variable in tf.trainable_variables()]
    assert names == ["dense/kernel:0", "dense/bias:0", "dense_1/kernel:0", "dense_1/bias:0"]
    tf.layers.dense(x, 4, name="scores")
    tf.layers.dense(x, 4, name="scores", reuse=True)
    assert len(tf.trainable_variables()) == 6
    with pytest.raises(ValueError, match=r"^Variable scores/kernel already exists, disallowed"):
        tf.layers.dense(x, 4, name="scores")
    with pytest.raises(ValueError, match=r"^Variable nowhere/kernel does not exist"):
        tf.layers.dense(x, 4, name="nowhere", reuse=True)
    with pytest.raises(ValueError, match=r"specified shape \(3, 5\) and found shape \(3, 4\)"):
        tf.layers.dense(x, 5, name="scores", reuse=True)


def test_two_towers_share_a_scope():
    def tower(x):
        with tf.variable_scope("tower", reuse=tf.AUTO_REUSE):
            return tf.layers.dense(tf.layers.dense(x, 4), 2)

    one, two = tower(tf.ones([1, 3])), tower(tf.ones([1, 3]))
    assert [variable.name for variable in tf.global_variables()] == [
        "tower/dense/kernel:0", "tower/dense/bias:0", "tower/dense_1/kernel:0", "tower/dense_1/bias:0"
    ]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        ours, theirs = session.run([one, two])
    np.testing.assert_array_equal(ours, theirs)


def test_a_layer_called_twice_has_one_set_of_variables():
    layer = tf.layers.Dense(2, use_bias=False)
    with tf.variable_scope("left"):
        layer(tf.ones([1, 3]))
    with tf.variable_scope("right"):
        layer(tf.ones([1, 3]))
    assert [variable.name for variable in tf.global_variables()] == ["left/dense/kernel:0"]
    assert (layer.scope_name, layer.graph) == ("left/dense", tf.get_default_graph())
    with pytest.raises(ValueError, match="No name available for layer scope"):
        _ = tf.layers.Dense(2).scope_name


def test_the_scope_says_what_variables_begin_with():
    with tf.variable_scope("s", initializer=tf.ones_initializer()):
        y = tf.layers.dense(tf.ones([1, 3]), 2, kernel_initializer=None)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [[3.0, 3.0]]


def test_penalties_are_collected():
    tf.layers.dense(tf.ones([1, 3]), 2, kernel_initializer="ones", kernel_regularizer=lambda w: tf.reduce_sum(w * w))
    (penalty,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(penalty) == 6.0


@pytest.mark.parametrize("fed", [True, False])
def test_running_means_move_when_the_updates_are_run(fed):
    x = tf.placeholder(tf.float32, [None, 2])
    training = tf.placeholder(tf.bool, [])
    y = tf.layers.batch_normalization(x, training=training if fed else True, momentum=0.5, epsilon=0.0)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    mean, variance = (one for one in tf.global_variables() if "moving" in one.name)
    values = np.array([[1.0, 10.0], [3.0, 30.0]], np.float32)
    feeds = {x: values, training: True} if fed else {x: values}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y, feeds), [[-1.0, -1.0], [1.0, 1.0]], rtol=1e-5)
        assert session.run(mean).tolist() == [0.0, 0.0]
        session.run(updates, feeds)
        np.testing.assert_allclose(session.run(mean), [1.0, 10.0])
        np.testing.assert_allclose(session.run(variance), [1.0, 50.5])
        if fed:
            feeds[training] = False
            wanted = (values - [1.0, 10.0]) / np.sqrt([1.0, 50.5])
            np.testing.assert_allclose(session.run(y, feeds), wanted, rtol=1e-5)
            session.run(updates, feeds)
            np.testing.assert_allclose(session.run(mean), [1.0, 10.0])


def test_a_trained_layer_in_a_session():
    x, wanted = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
    loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1) - wanted))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    points = np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)
    answers = points @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 3.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(200):
            session.run(step, {x: points, wanted: answers})
        kernel, bias = session.run(tf.trainable_variables())
    np.testing.assert_allclose(kernel.ravel(), [1.0, -2.0, 0.5], atol=1e-3)
    assert bias == pytest.approx([3.0], abs=1e-3)


def test_a_layer_of_ones_own():
    class Scaled(tf.layers.Layer):
        def build(self, shape):
            self.factor = self.add_variable("factor", [shape[-1]], initializer=tf.ones_initializer())

        def call(self, x):
            return x * self.factor

    layer = Scaled()
    y = layer.apply(tf.constant([[1.0, 2.0]]))
    assert [variable.name for variable in tf.trainable_variables()] == ["scaled/factor:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [[1.0, 2.0]]


def test_a_keras_layer_in_a_graph():
    """Keras' own layers make variables of the graph, too, when they are called with its tensors."""
    layer = tapeviz.keras.layers.Dense(2, kernel_initializer="ones", name="from_keras")
    y = layer(tf.placeholder_with_default(np.ones((1, 3), np.float32), [None, 3]))
    assert [variable.name for variable in tf.global_variables()] == ["from_keras/kernel:0", "from_keras/bias:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y).tolist() == [[3.0, 3.0]]


def test_signatures_say_what_they_take():
    parameters = list(inspect.signature(tf.layers.dense).parameters)
    assert parameters[:4] == ["inputs", "units", "activation", "use_bias"]
    assert parameters[-2:] == ["name", "reuse"]
    assert "training" in inspect.signature(tf.layers.batch_normalization).parameters
    assert list(inspect.signature(tf.layers.Conv2D).parameters)[:2] == ["filters", "kernel_size"]
    assert all(getattr(tf.layers, name).__doc__ for name in tf.layers.__all__)


def test_wrong_ranks_are_refused_with_the_layers_name():
    with pytest.raises(ValueError, match=r'^Input 0 of layer "conv2d" is incompatible with the layer: expected'):
        tf.layers.conv2d(tf.ones([2, 3]), 4, 3)


def test_a_keras_model_in_a_session_learns_what_it_learns_eagerly():
    """One model of Keras' own layers: its numbers in a session are those of eager steps."""
    points = np.random.default_rng(2).normal(size=(32, 4)).astype(np.float32)
    answers = np.sin(points.sum(1, keepdims=True))
    shapes = ((4, 6), (6,), (6, 1), (1,))
    begin = [np.random.default_rng(3).normal(size=shape, scale=0.5).astype(np.float32) for shape in shapes]

    def model(name):
        layers = tapeviz.keras.layers
        inner, outer = layers.Dense(6, "tanh", name=f"{name}_in"), layers.Dense(1, name=f"{name}_out")
        return tapeviz.keras.Sequential([inner, outer])

    eager = model("eager")
    eager(points)
    eager.set_weights(begin)
    for _ in range(20):
        with tapeviz.GradientTape() as tape:
            loss = tapeviz.reduce_mean(tapeviz.square(eager(points) - answers))
        variables = eager.trainable_variables
        for variable, slope in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.1 * slope)
    built = model("built")
    x = tf.placeholder(tf.float32, [None, 4])
    loss = tf.reduce_mean(tf.square(built(x) - answers))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run([variable.assign(value) for variable, value in zip(built.weights, begin, strict=True)])
        for _ in range(20):
            session.run(step, {x: points})
        weights = session.run(built.weights)
    for ours, theirs in zip(weights, eager.get_weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_calls_are_spans_of_a_recording():
    class Two(tfe.Network):
        def __init__(self):
            super().__init__(name="two")
            self.first = self.track_layer(tf.layers.Dense(3))
            self.second = self.track_layer(tf.layers.Dense(2))

        def call(self, x):
            return self.second(self.first(x))

    with default_graph.at_once():
        two = Two()
        two(np.ones((1, 4), np.float32))
        with tapeviz.record() as tape:
            two(np.ones((1, 4), np.float32))
    events = tape.events.to_pandas()
    spans = events[events.kind == "span"]
    assert spans.parent.tolist() == [-1, 0, 0]  # the network, and each of its layers once


def test_dropout_of_what_has_any_rank():
    with tf.Graph().as_default(), tf.Session() as session:
        x, keep = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        weights = tf.Variable(np.ones((4, 2), np.float32))
        product = tf.matmul(tf.nn.dropout(x, keep), weights)
        (slope,) = tf.gradients(product, [weights])
        session.run(tf.global_variables_initializer())
        ones = np.ones((3, 4), np.float32)
        assert session.run(product, {x: ones, keep: 1.0}).tolist() == [[4, 4]] * 3
        assert session.run(slope, {x: ones, keep: 1.0}).tolist() == [[3, 3]] * 4
        assert {*np.unique(session.run(tf.nn.dropout(x, keep), {x: np.ones(400), keep: 0.5}))} == {0, 2}


def test_the_first_states_of_a_cell_are_in_the_graph_and_can_be_fed():
    cell = tf.nn.rnn_cell.LSTMCell(3)
    first = cell.zero_state(1, tf.float32)
    _, last = tf.nn.dynamic_rnn(cell, tf.ones([1, 2, 4]), initial_state=first)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        fed = session.run(last, {first: session.run(last)})
        assert fed.h.shape == (1, 3)
        assert (fed.c != session.run(last).c).all()


def test_a_cell_of_keras_along_sequences():
    for cell in (tf.keras.layers.SimpleRNNCell(3), tf.keras.layers.LSTMCell(3)):
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 4]), dtype=tf.float32, scope=type(cell).__name__)
        assert outputs.shape == (2, 5, 3)
