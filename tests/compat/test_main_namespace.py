"""``import tapeviz as tf``: in a block of ``tf.Graph().as_default()`` its functions build, as those of TensorFlow 2."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.compat import v1

GRAPHS = [tf.Graph, v1.Graph, tf.compat.v1.Graph]


def initialized(graph=None):
    session = v1.Session(graph=graph)
    session.run(v1.global_variables_initializer())
    return session


@pytest.mark.parametrize("make", GRAPHS)
def test_constants_ops_and_operators_are_of_the_graph(make):
    assert tf.executing_eagerly()
    with make().as_default() as graph:
        assert not tf.executing_eagerly()
        assert v1.get_default_graph() is graph
        table = tf.constant([[10, 10], [11.0, 1.0]])
        unit = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        bias = tf.Variable(12.0)
        total = tf.matmul(table, unit) + bias
        begin = v1.global_variables_initializer()
    assert tf.executing_eagerly()
    assert [str(one) for one in (table, total)] == [
        'Tensor("Const:0", shape=(2, 2), dtype=float32)', 'Tensor("add:0", shape=(2, 2), dtype=float32)',
    ]  # fmt: skip
    assert (bias.name, begin.name) == ("Variable:0", "init")
    with v1.Session(graph=graph) as session:
        session.run(begin)
        assert session.run(total).tolist() == [[22.0, 22.0], [23.0, 13.0]]
    assert tf.constant(1.0).numpy() == 1.0


def test_what_was_eager_before_is_a_constant_of_the_graph():
    outside, weight = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(outside * 2.0).tolist() == [2.0, 4.0]
        assert session.run(outside + outside).tolist() == [2.0, 4.0]
        assert session.run(tf.reduce_sum(outside) * weight) == 9.0
    assert (outside * 2.0).numpy().tolist() == [2.0, 4.0]


def test_variables_scopes_and_devices():
    with tf.Graph().as_default() as graph:
        with tf.name_scope("layer"), tf.device("/cpu:0"):
            first = tf.Variable([1.0], name="w")
            shifted = first + 1.0
        with tf.name_scope("layer"):
            second = tf.Variable([1.0], name="w")
        assert [first.name, second.name, shifted.name] == ["layer/w:0", "layer_1/w:0", "layer/add:0"]
        assert shifted.device.endswith("CPU:0")
        assert isinstance(first, tf.Variable)
        assert v1.global_variables() == [first, second]
        with initialized() as session:
            session.run(first.assign_add([2.0]))
            assert session.run([first, second])[0].tolist() == [3.0]
    assert tf.Variable(1.0).numpy() == 1.0
    assert len(graph.get_operations()) > 4


@pytest.mark.parametrize("how", ["tape", "gradients"])
def test_gradients(how):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        if how == "tape":
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x**3)
            slope = tape.gradient(y, x)
        else:
            slope = v1.gradients(tf.reduce_sum(x**3), x)[0]
        assert session.run(slope, {x: [1.0, 2.0]}).tolist() == [3.0, 12.0]


def twice_or_minus(x):
    y = x * 2.0 if x > 0 else -x
    while y < 10.0:
        y = y + 3.0
    for step in tf.range(3):
        y = y + tf.cast(step, tf.float32)
    return y


def plain(x):
    y = x * 2.0 if x > 0 else -x
    while y < 10.0:
        y += 3.0
    return y + 3.0


CONVERTED = {"to_graph": tf.autograph.to_graph, "function": tf.function, "v1.to_graph": v1.autograph.to_graph,
             "v1.function": v1.function}  # fmt: skip


@pytest.mark.parametrize("place", ["block", "default graph"])
@pytest.mark.parametrize("how", CONVERTED)
def test_autograph_in_a_graph_of_sessions(how, place):
    function = CONVERTED[how](twice_or_minus)
    graph = tf.Graph() if place == "block" else v1.get_default_graph()
    if place == "block":
        with graph.as_default():
            x = v1.placeholder(tf.float32, [])
            y = function(x)
    else:
        x = v1.placeholder(tf.float32, [])
        y = function(x)
    with v1.Session(graph=graph) as session:
        assert [session.run(y, {x: given}) for given in (3.0, -3.0, 20.0)] == [plain(g) for g in (3.0, -3.0, 20.0)]


def test_control_flow_functions():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.int32, [])
        chosen = tf.cond(x > 2, lambda: x * 10, lambda: x)
        total = tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0)))[1]
        with tf.control_dependencies([v1.assert_positive(x)]):
            kept = tf.identity(x)
        assert session.run([chosen, total, kept], {x: 5}) == [50, 10, 5]


def test_layers_and_losses():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3])
        layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
        y = tf.reduce_mean(tf.square(layer(x) - 1.0))
        assert len(v1.trainable_variables()) == 2
        step = v1.train.GradientDescentOptimizer(0.1).minimize(y)
        with initialized() as session:
            before = session.run(y, {x: np.ones((4, 3))})
            session.run(step, {x: np.ones((4, 3))})
            assert session.run(y, {x: np.ones((4, 3))}) < before


def test_a_block_is_one_threads():
    found = []
    with tf.Graph().as_default():
        thread = threading.Thread(target=lambda: found.append(tf.executing_eagerly()))
        thread.start()
        thread.join()
    assert found == [True]


def test_blocks_nest_and_an_error_ends_them():
    with tf.Graph().as_default() as outer:
        with tf.Graph().as_default() as inner:
            assert tf.constant(1.0).graph is inner
        assert tf.constant(1.0).graph is outer
        with pytest.raises(ZeroDivisionError), inner.as_default():
            raise ZeroDivisionError
        assert tf.constant(1.0).graph is outer
    assert tf.executing_eagerly()


def test_a_traced_function_is_not_disturbed():
    @tf.function
    def doubled(x):
        with tf.Graph().as_default() as graph:
            assert tf.constant(1.0).graph is graph
        return x * 2.0

    assert doubled(tf.constant(2.0)).numpy() == 4.0
