"""Losses and their gradients agree with Keras', eagerly and as graphs, in float64 and float32."""

import json
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.losses.cases import cases, given, words

ANSWERS = json.loads((Path(__file__).parent / "answers.json").read_text())["cases"]
RELATIVE = {"float64": 1e-6, "float32": 1e-5}
IDS = [f"{inputs}: {expression}" for inputs, expression in cases()]


def eager(function, _tensors):
    return function


def graph(function, _tensors):
    return tf.function(function)


def of_any_size(function, tensors):
    """Trace for any number of examples."""
    specs = [tf.TensorSpec([None, *tensor.shape[1:]], tensor.dtype) for tensor in tensors]
    return tf.function(function, input_signature=specs)


def ours(inputs, expression, dtype, way):
    arrays = given(inputs, dtype)
    names = words(tf.keras.losses, dtype)

    def with_gradient(y_true, y_pred, weights):
        with tf.GradientTape() as tape:
            tape.watch(y_pred)
            value = eval(expression, {**names, "y_true": y_true, "y_pred": y_pred, "weights": weights})
            total = tf.reduce_sum(value)
        return value, tf.convert_to_tensor(tape.gradient(total, y_pred))

    tensors = [tf.constant(arrays[name]) for name in ("y_true", "y_pred", "weights")]
    return way(with_gradient, tensors)(*tensors)


def agrees(found, answer, dtype):
    *numbers, shape = answer
    wanted = np.array(numbers).reshape(shape)
    assert found.dtype.name == dtype
    assert found.shape == tuple(shape)
    size = np.abs(wanted).max() if wanted.size else 0.0
    np.testing.assert_allclose(found.numpy(), wanted, rtol=RELATIVE[dtype], atol=RELATIVE[dtype] * size)


def test_the_answers_are_those_of_the_table():
    assert list(ANSWERS) == IDS


@pytest.mark.parametrize("way", [eager, graph, of_any_size])
@pytest.mark.parametrize("dtype", RELATIVE)
@pytest.mark.parametrize(("inputs", "expression"), cases(), ids=IDS)
def test_a_loss_is_that_of_keras(inputs, expression, dtype, way):
    answer = ANSWERS[f"{inputs}: {expression}"][dtype]
    value, gradient = ours(inputs, expression, dtype, way)
    agrees(value, answer["value"], dtype)
    agrees(gradient, answer["gradient"], dtype)


def test_each_loss_is_in_the_table():
    named = " ".join(expression for _, expression in cases())
    # Other names of functions that are there are the same functions; get and its like have tests of their own.
    left_out = {"Loss", "deserialize", "get", "serialize", "KLD", "kld", "kullback_leibler_divergence", "logcosh"}
    left_out |= {"categorical_generalized_cross_entropy", "Reduction"}
    assert [name for name in tf.keras.losses.__all__ if f"{name}(" not in named and name not in left_out] == []
