"""Structures of classes of one's own, and what a tape sees of calls into Python."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeviz as tf


class Point(NamedTuple):
    x: Any
    y: Any


class Field:
    def __init__(self, name):
        self.name = name


class Record:
    """What a class of the attrs library looks like."""

    __attrs_attrs__ = (Field("a"), Field("b"))

    def __init__(self, a, b):
        self.a, self.b = a, b


class Masked:
    """TensorFlow's protocol for classes of one's own."""

    def __init__(self, mask, value):
        self.mask, self.value = mask, value

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


def test_structures_keep_their_classes():
    doubled = tf.nest.map_structure(lambda n: 2 * n, {"p": Point(1, 2), "r": Record(3, [4]), "m": Masked("kept", 5)})
    assert doubled["p"] == Point(2, 4)
    assert (doubled["r"].a, doubled["r"].b) == (6, [8])
    assert (doubled["m"].mask, doubled["m"].value) == ("kept", 10)
    ordered = tf.nest.map_structure(str, collections.OrderedDict([("b", 1), ("a", 2)]))
    assert list(ordered.items()) == [("b", "1"), ("a", "2")]
    default = tf.nest.map_structure(str, collections.defaultdict(list, {"a": 1}))
    assert default["new"] == []
    assert tf.nest.flatten({"k": 1}.items()) == ["k", 1]


def test_structures_of_other_classes_differ():
    with pytest.raises(TypeError, match="has type Point, while second structure"):
        tf.nest.assert_same_structure(Point(1, 2), (1, 2))
    tf.nest.assert_same_structure({"a": 1}, collections.OrderedDict(a=1))


def test_recomputing_gives_the_same_gradients_and_the_tape_keeps_little():
    w, x = tf.Variable(3.0), tf.constant([1.0, 2.0])

    def steps(z):
        for _ in range(5):
            z = tf.sin(z * w)
        return z

    def run(function):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        kept = len(tape._entries)
        return kept, [g.numpy() for g in tape.gradient(y, [x, w])]

    many, plain = run(steps)
    few, again = run(tf.recompute_grad(steps))
    assert few < many
    for one, other in zip(plain, again, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_an_array_keeps_no_gradient_of_what_was_overwritten():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        array = tf.TensorArray(tf.float32, 2).write(0, x * x).write(1, x).write(0, 3.0 * x)
        y = tf.reduce_sum(array.stack())
    assert tape.gradient(y, x).numpy() == 4.0


def test_errors_of_python_functions_keep_their_cause():
    def fail(_value):
        raise KeyError("k")

    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'k'") as caught:
        tf.py_function(fail, [1.0], tf.float32)
    assert isinstance(caught.value.__cause__, KeyError)


def test_functions_given_as_decorators():
    @tf.py_function(Tout=tf.float32)
    def doubled(x):
        return 2.0 * x

    @tf.numpy_function(Tout=tf.float32)
    def halved(x):
        return x / np.float32(2)

    assert doubled(tf.constant(3.0)).numpy() == 6.0
    assert halved(tf.constant(3.0)).numpy() == 1.5


def test_control_inputs_that_are_functions_are_called():
    called = []
    with tf.control_dependencies([lambda: called.append(1), tf.constant(1)]):
        pass
    assert called == [1]
