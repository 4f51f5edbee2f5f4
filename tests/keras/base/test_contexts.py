"""Layers work where they are called: at once, in a function, in a graph of sessions, and recorded."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1

keras, layers = tf.keras, tf.keras.layers


@pytest.fixture(autouse=True)
def _names_begin_anew():
    keras.backend.clear_session()


class Branching(layers.Layer):
    """Decides by a value, and makes its weight when it is called."""

    def build(self, input_shape: Any) -> None:
        self.w = self.add_weight(name="w", shape=input_shape[2:], initializer="ones")

    def call(self, x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            return x * self.w
        return x - self.w


def test_layers_are_built_in_the_function_that_calls_them():
    layer, dense = Branching(), layers.Dense(2, kernel_initializer="ones")
    traces = []

    @tf.function
    def f(x: Any) -> Any:
        traces.append(1)
        return dense(layer(x))

    assert f(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[3.0, 3.0]]
    assert f(tf.constant([[-1.0, -2.0]])).numpy().tolist() == [[-5.0, -5.0]]
    assert len(traces) == 1
    assert f(tf.ones([3, 2])).shape == (3, 2)  # another trace, no new weights
    assert [weight.name for weight in (*layer.weights, *dense.weights)] == [
        "branching/w:0", "dense/kernel:0", "dense/bias:0",
    ]  # fmt: skip
    assert dense(layer(tf.constant([[1.0, 2.0]]))).numpy().tolist() == [[3.0, 3.0]]


def test_a_function_that_makes_a_layer_each_time_is_refused():
    @tf.function
    def f(x: Any) -> Any:
        return layers.Dense(1)(x)

    with pytest.raises(ValueError, match="tried to create variables on non-first call"):
        f(tf.ones([1, 2]))


def test_variables_made_in_a_call_are_made_once():
    class Lazy(layers.Layer):
        v: Any = None

        def call(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(2.0, name="v")
            return x * self.v

    function, chain = Lazy(), Lazy()
    assert tf.function(function)(tf.ones([1])).numpy() == [2.0]
    assert keras.Sequential([chain])(tf.ones([1, 1])).numpy() == [[2.0]]
    assert [layer.v.name for layer in (function, chain)] == ["lazy/v:0", "lazy_1/v:0"]
    assert chain.weights == [chain.v]


def test_names_in_a_graph_say_the_layers():
    model = keras.Sequential([layers.Dense(2, name="a"), layers.Dense(1, name="b")], name="m")
    graph = tf.function(model).get_concrete_function(tf.TensorSpec([None, 3])).graph
    scopes = {node.name.rpartition("/")[0] for node in graph.nodes if node.type == "MatMul"}
    assert scopes == {"m/a", "m/b"}


def test_a_whole_step_is_one_graph_with_the_same_results():
    def model() -> Any:
        made = keras.Sequential([layers.Dense(3, activation="tanh"), layers.Dense(1)])
        made.build((None, 2))
        made.set_weights([np.linspace(-1, 1, w.shape.num_elements()).reshape(w.shape) for w in made.weights])
        return made

    def step(m: Any, x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((m(x, training=True) - y) ** 2.0)
        for variable, gradient in zip(m.trainable_variables, tape.gradient(loss, m.trainable_variables), strict=True):
            variable.assign_sub(0.1 * gradient)
        return loss

    eager, traced = model(), model()
    run = tf.function(lambda x, y: step(traced, x, y))
    x, y = tf.ones([4, 2]), tf.zeros([4, 1])
    for _ in range(3):
        assert np.allclose(step(eager, x, y), run(x, y), rtol=1e-6)
    for one, other in zip(eager.weights, traced.weights, strict=True):
        assert np.allclose(one, other, rtol=1e-5)


def test_a_layer_enters_the_graph_of_its_input():
    with tf1.Graph().as_default():
        x = tf1.placeholder("float32", [None, 3])
        dense = layers.Dense(2, kernel_initializer="ones", bias_initializer="ones")
    y = dense(x)
    assert y.name == "dense/add:0"
    assert not tf1.executing_eagerly() or tf.executing_eagerly()
    with tf1.Session(graph=x.graph) as session:
        with x.graph.as_default():
            assert [one.name for one in tf1.trainable_variables()] == ["dense/kernel:0", "dense/bias:0"]
            session.run(tf1.global_variables_initializer())
        assert session.run(y, {x: [[1.0, 2.0, 3.0]]}).tolist() == [[7.0, 7.0]]
        again = dense(x)
        assert session.run(again, {x: [[1.0, 2.0, 3.0]]}).tolist() == [[7.0, 7.0]]
    assert layers.Dense(1)(tf.ones([1, 1])).numpy().shape == (1, 1)  # outside, all is as before


def test_models_in_a_graph_of_sessions_learn():
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder("float32", [None, 2])
        model = keras.Sequential([layers.Dense(3, activation="tanh"), layers.Dense(1)])
        loss = tf1.reduce_mean(model(x) ** 2.0)
        step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(tf1.global_variables_initializer())
        given = {x: np.ones((4, 2))}
        first = session.run(loss, given)
        for _ in range(20):
            session.run(step, given)
        assert session.run(loss, given) < 0.5 * first
        assert [one.name for one in model.weights[:2]] == ["dense/kernel:0", "dense/bias:0"]
        values = [np.full(one.shape.as_list(), 0.5) for one in model.weights]
        model.set_weights(values)
        assert [one.tolist() for one in model.get_weights()] == [one.tolist() for one in values]


def test_a_layer_built_outside_is_not_a_part_of_a_graph_of_sessions():
    dense = layers.Dense(2)
    dense(tf.ones([1, 3]))
    with tf1.Graph().as_default():
        x = tf1.placeholder("float32", [None, 3])
        with pytest.raises(ValueError, match=r"Layer 'dense' was built outside of the graph"):
            dense(x)


def _spans(tape: Any) -> list[tuple[str, str, str]]:
    """The spans of a recording: sort, name, and the name of the one around."""
    recording = tape.recording
    said = {}
    for row in np.flatnonzero(recording.events.kind == 1):
        text = json.loads(recording.text(int(recording.events.params[row])))
        said[int(recording.events.id[row])] = (text["span"], text["name"], int(recording.events.parent[row]))
    return [(sort, name, said[parent][1] if parent in said else "") for sort, name, parent in said.values()]


def test_calls_of_layers_are_spans_of_a_recording():
    model = keras.Sequential([layers.Dense(4, name="a"), layers.Dense(2, name="b")], name="m")
    with tf.record() as tape:
        out = model(tf.ones([2, 3]))
    assert _spans(tape) == [
        ("build", "a", ""), ("build", "b", ""), ("layer", "m", ""), ("layer", "a", "m"), ("layer", "b", "m"),
    ]  # fmt: skip
    with tf.record() as tape:
        result = model(out[:, :1] * tf.ones([1, 3]))
    assert _spans(tape) == [("layer", "m", ""), ("layer", "a", "m"), ("layer", "b", "m")]
    names = tape.recording.names
    assert {str(name) for name in names.name} == {"out", "result"}
    assert result.shape == (2, 2)
    assert len(set(names.tensor.tolist())) == 2  # what "a" gives is nobody's result
    events = tape.recording.events
    assert (events.parent[events.op >= 0] >= 0).sum() == 4  # two products and two sums in layers, the rest outside


def test_a_layer_that_fails_ends_its_span():
    class Fails(layers.Layer):
        def call(self, x: Any) -> Any:
            raise ArithmeticError(f"as it must, for {x.shape}")

    with tf.record() as tape, pytest.raises(ArithmeticError, match="as it must"):
        Fails(name="f")(tf.ones([1]))
    assert _spans(tape) == [("layer", "f", "")]
    assert layers.Dense(1)(tf.ones([1, 1])).shape == (1, 1)


def test_initializers_are_repeatable_after_a_seed():
    draws = []
    for _ in range(2):
        tf.random.set_seed(7)
        draws.append(
            [w.numpy() for w in keras.Sequential([keras.Input((3,)), layers.Dense(2), layers.Dense(2)]).weights]
        )
    assert all((one == other).all() for one, other in zip(*draws, strict=True))
    assert not (draws[0][0][:2] == draws[0][2]).any()
