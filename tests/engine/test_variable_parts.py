"""Slices, rows and elements of variables assigned: as TensorFlow, eagerly, in graphs and elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tests.engine.strict_gpu import standing_in
from tests.engine.variable_parts import ASSIGNMENTS, FOLLOWED, answer, slopes

STORED = json.loads(Path(__file__).with_name("variable_parts.json").read_text())


@pytest.mark.parametrize("text", ASSIGNMENTS)
def test_as_tensorflow(text):
    assert answer(tf, text) == STORED["answers"][text]


@pytest.mark.parametrize("text", [text for text in ASSIGNMENTS if isinstance(STORED["answers"][text], list)])
def test_in_a_function(text):
    assert answer(tf, text, lambda f: tf.function(f)()) == STORED["answers"][text]


@pytest.mark.parametrize("text", [text for text in ASSIGNMENTS if isinstance(STORED["answers"][text], list)])
def test_on_another_device(text):
    with standing_in(), tf.device("GPU:0"):
        assert answer(tf, text) == STORED["answers"][text]


@pytest.mark.parametrize("text", FOLLOWED)
def test_what_is_assigned_gets_no_gradient(text):
    assert slopes(tf, text) == STORED["slopes"][text]


def test_in_a_session():
    with tf.Graph().as_default():
        v = tf.Variable(tf.zeros([3]))
        one, two = v[1].assign(4.0), v.scatter_nd_add([[0]], [1.0])
        three = v.scatter_update(tf.IndexedSlices([7.0], [2]))
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            assert session.run(one).tolist() == [0.0, 4.0, 0.0]
            assert session.run(two).tolist() == [1.0, 4.0, 0.0]
            assert session.run(three).tolist() == [1.0, 4.0, 7.0]
            assert session.run(v).tolist() == [1.0, 4.0, 7.0]


def test_with_bounds_that_are_tensors_of_a_graph():
    v = tf.Variable(tf.zeros([5]))

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
    def fill(start, value):
        v[start : start + 2].assign(tf.fill([2], value))
        return v.read_value()

    for start in (0, 3, 1, 2):
        wanted = v.numpy()
        wanted[start : start + 2] = start
        np.testing.assert_array_equal(fill(start, float(start)), wanted)


def test_a_recording_says_that_the_variable_was_assigned():
    v = tf.Variable(tf.zeros([3]), name="state")
    with tf.record() as tape:
        v[1].assign(2.0)
    assert "assign" in [op.name for op in tape.recording.table("ops")]


def test_only_slices_of_variables_can_be_assigned():
    v = tf.Variable([1.0, 2.0])
    assert hasattr(v[0], "assign")
    assert not hasattr(v[v > 0], "assign")
    assert not hasattr(v.read_value()[0], "assign")
    with pytest.raises(AttributeError, match="'EagerTensor' object has no attribute 'assign'"):
        tf.constant([1.0])[0].assign(2.0)
