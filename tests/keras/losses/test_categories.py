"""One-hot rows and arrays of length 1: arrays of arrays, tensors of tensors."""

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.keras.utils import normalize, to_categorical


def test_rows_for_class_numbers():
    assert to_categorical([2, 0]).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert to_categorical(np.array([[1], [0]]), 2).tolist() == [[0, 1], [1, 0]]
    assert to_categorical(np.zeros((2, 3), int), 4).shape == (2, 3, 4)
    assert to_categorical(1, 3).tolist() == [0, 1, 0]
    with pytest.raises(IndexError):
        to_categorical([3], 3)


def test_tensors_give_tensors():
    found = to_categorical(tf.constant([[1], [2]]))
    assert isinstance(found, tf.Tensor)
    assert found.numpy().tolist() == [[0, 1, 0], [0, 0, 1]]
    traced = tf.function(lambda x: to_categorical(x, 3), input_signature=[tf.TensorSpec([None], tf.int32)])
    assert traced(tf.constant([0, 2])).numpy().tolist() == [[1, 0, 0], [0, 0, 1]]
    with pytest.raises(ValueError, match="num_classes must be given"):
        tf.function(to_categorical)(tf.constant([0]))


def test_lengths_of_1():
    x = np.random.default_rng(0).normal(size=(3, 4))
    assert np.allclose(np.linalg.norm(normalize(x), axis=-1), 1.0)
    assert np.allclose(np.abs(normalize(x, axis=0, order=1)).sum(0), 1.0)
    assert normalize(np.zeros((1, 2))).tolist() == [[0.0, 0.0]]
    assert np.allclose(normalize(tf.constant(x), axis=0).numpy(), normalize(x, axis=0))


def test_the_namespace_is_there_under_keras_name():
    import tapeviz.keras.utils

    assert tapeviz.keras.utils is tf.keras.utils
    assert {"to_categorical", "normalize", "register_keras_serializable"} <= set(tf.keras.utils.__all__)
