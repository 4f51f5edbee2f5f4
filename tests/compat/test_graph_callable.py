"""``contrib.eager.graph_callable``: functions as graphs that find their variables by name."""

import numpy as np
import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
import tapeviz.contrib.eager as tfe


def layer(seen=None):
    @tfe.graph_callable([tfe.ShapeAndDtype(shape=[None, 3], dtype=tf.float32)])
    def dense(x):
        """One layer."""
        if seen is not None:
            seen.append(x)
        with tf1.variable_scope("dense"):
            weights = tf1.get_variable("weights", [3, 2], initializer=tf1.ones_initializer())
            shift = tf1.get_variable("shift", [2], initializer=tf1.zeros_initializer(), trainable=False)
        return x @ weights + shift

    return dense


def test_it_is_traced_when_it_is_made_and_keeps_its_variables():
    seen = []
    dense = layer(seen)
    traced = len(seen)
    assert traced > 0
    assert [variable.name for variable in dense.variables] == ["dense/weights:0", "dense/shift:0"]
    assert [variable.name for variable in dense.trainable_variables] == ["dense/weights:0"]
    for rows in (1, 4):
        assert dense(tf.ones([rows, 3])).numpy().tolist() == [[3.0, 3.0]] * rows
    dense.variables[1].assign([1.0, 2.0])
    assert dense(tf.ones([1, 3])).numpy().tolist() == [[4.0, 5.0]]
    assert len(seen) == traced
    assert (dense.__name__, dense.__doc__) == ("dense", "One layer.")
    assert dense.graph.name == "dense"


def test_two_have_variables_of_their_own():
    first, second = layer(), layer()
    first.variables[0].assign(2 * tf.ones([3, 2]))
    assert first(tf.ones([1, 3])).numpy().tolist() == [[6.0, 6.0]]
    assert second(tf.ones([1, 3])).numpy().tolist() == [[3.0, 3.0]]


def test_gradients_flow_to_its_variables():
    dense = layer()
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(dense(x))
    by_x, by_weights = tape.gradient(total, [x, dense.variables[0]])
    assert by_x.numpy().tolist() == [[2.0, 2.0, 2.0]]
    np.testing.assert_array_equal(by_weights.numpy(), [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])


def test_what_does_not_fit_is_refused():
    dense = layer()
    with pytest.raises(ValueError, match="dense takes 1 arguments, as its specs say, and was given 2"):
        dense(tf.ones([1, 3]), 1)
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        dense(tf.ones([1, 4]))
    with pytest.raises(TypeError, match="takes a ShapeAndDtype for each argument, got 3"):
        tfe.graph_callable([3])


def test_structures_and_several_results():
    spec = tfe.ShapeAndDtype(shape=[], dtype=tf.float32)

    @tfe.graph_callable([spec, {"a": spec, "b": spec}])
    def combined(x, others):
        return x + others["a"], {"product": x * others["b"]}

    total, rest = combined(tf.constant(2.0), {"a": tf.constant(3.0), "b": tf.constant(4.0)})
    assert (total.numpy(), rest["product"].numpy()) == (5.0, 8.0)
