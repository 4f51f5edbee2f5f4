"""Programs in the manner of the articles that the project began with: graphs first, then a session."""

import numpy as np
import pytest

import tapeviz.compat.v1 as tf
from tapeviz.errors import InvalidArgumentError


def test_a_placeholder_times_itself(capsys):
    matrix = tf.placeholder(tf.float32, shape=(64, 64))
    squared = tf.matmul(matrix, matrix)
    given = np.random.default_rng(0).random((64, 64))
    with tf.Session() as session:
        print(session.run(squared, feed_dict={matrix: given}))
        value = session.run(squared, feed_dict={matrix: given})
    assert capsys.readouterr().out == f"{value}\n"
    assert value.dtype == np.float32
    np.testing.assert_allclose(value, given @ given, rtol=1e-5)


def test_nothing_was_fed():
    matrix = tf.placeholder(tf.float32, shape=(64, 64))
    squared = tf.matmul(matrix, matrix)
    with tf.Session() as session, pytest.raises(InvalidArgumentError) as caught:
        session.run(squared)
    assert str(caught.value).startswith(
        "You must feed a value for placeholder tensor 'Placeholder' with dtype float and shape [64,64]"
    )


def test_a_graph_of_its_own(capsys):
    graph = tf.Graph()
    with graph.as_default():
        left = tf.constant([[10, 10], [11.0, 1.0]])
        right = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        offset = tf.Variable(12.0)
        product = tf.matmul(left, right) + offset
        begin = tf.global_variables_initializer()
    with tf.Session(graph=graph) as session:
        session.run(begin)
        print(session.run(product))
    assert capsys.readouterr().out == "[[22. 22.]\n [23. 13.]]\n"


def test_the_session_of_another_graph():
    graph = tf.Graph()
    with graph.as_default():
        begin = tf.global_variables_initializer()
        total = tf.constant(1.0) + tf.Variable(2.0)
    tf.constant(0.0)
    with tf.Session() as session:
        for thing in (begin, total):
            with pytest.raises(ValueError, match=r"is not an element of this graph\. .*tf\.Session\(graph=g\)"):
                session.run(thing)


def test_the_default_graph_will_do(capsys):
    left = tf.constant([[10, 10], [11.0, 1.0]])
    offset = tf.Variable(12.0)
    shifted = tf.matmul(left, tf.constant([[1.0, 0.0], [0.0, 1.0]])) + offset
    session = tf.InteractiveSession()
    tf.global_variables_initializer().run()
    print(shifted.eval())
    session.close()
    assert capsys.readouterr().out == "[[22. 22.]\n [23. 13.]]\n"


def test_a_placeholder_is_not_for_eager_programs(program):
    text = """
import tapeviz.compat.v1 as tf
tf.enable_eager_execution()
print(tf.executing_eagerly())
table = tf.constant([[1, 2], [3, 4]])
print(table)
print(tf.add(table, 1))
weight = tf.Variable([[1.0]])
with tf.GradientTape() as tape:
    loss = weight * weight
print(tape.gradient(loss, weight))
try:
    tf.placeholder(tf.float32)
except RuntimeError as error:
    print("RuntimeError:", error)
"""
    assert program(text).splitlines() == [
        "True", "tf.Tensor(", "[[1 2]", " [3 4]], shape=(2, 2), dtype=int32)", "tf.Tensor(", "[[2 3]",
        " [4 5]], shape=(2, 2), dtype=int32)", "tf.Tensor([[2.]], shape=(1, 1), dtype=float32)",
        "RuntimeError: tf.placeholder() is not compatible with eager execution.",
    ]  # fmt: skip
