"""The keywords of ``tf.Variable`` beside its value."""

from __future__ import annotations

import copy
import inspect

import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1


def test_a_constraint_holds_after_an_optimizers_update():
    weights = tf.Variable([1.0, -2.0], constraint=tf.nn.relu)
    assert weights.constraint is tf.nn.relu
    assert weights.numpy().tolist() == [1.0, -2.0]
    tf.keras.optimizers.SGD(1.0).apply_gradients([(tf.constant([2.0, 0.0]), weights)])
    assert weights.numpy().tolist() == [0.0, 0.0]
    assert tf.Variable(1.0).constraint is None
    with pytest.raises(ValueError, match="must be a callable"):
        tf.Variable(1.0, constraint=3)


def test_how_devices_would_treat_it_is_kept():
    made = tf.Variable(
        1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.MEAN, name="made"
    )
    for variable in (made, copy.deepcopy(made)):
        assert (variable.synchronization.name, variable.aggregation.name) == ("ON_READ", "MEAN")
    assert (tf.Variable(1.0).synchronization.name, tf.Variable(1.0).aggregation.name) == ("AUTO", "NONE")
    with tf1.Graph().as_default():
        of_graph = tf1.Variable(1.0, aggregation=tf1.VariableAggregation.SUM)
        assert (of_graph.synchronization.name, of_graph.aggregation.name) == ("AUTO", "SUM")


def test_arguments_are_in_the_order_of_tensorflow():
    made = tf.Variable([1], False, True, None, "counts", None, tf.float64)
    assert (made.name, made.trainable, made.dtype) == ("counts:0", False, tf.float64)
    assert list(inspect.signature(tf.Variable).parameters)[:5] == [
        "initial_value", "trainable", "validate_shape", "caching_device", "name",
    ]  # fmt: skip


def test_operations_of_a_traced_function_are_listed():
    graph = tf.function(lambda x: x * 2 + 1).get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    assert [each.type for each in graph.get_operations()][-1] in {"AddV2", "Add", "Identity"}
    assert len(graph.get_operations()) >= 3
