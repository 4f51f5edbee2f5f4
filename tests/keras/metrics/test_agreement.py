"""Metrics agree with Keras' after each of several batches, eagerly and as graphs, in float64 and float32."""

import json
from pathlib import Path

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.metrics.cases import batches, cases, words

ANSWERS = json.loads((Path(__file__).parent / "answers.json").read_text())["cases"]
RELATIVE = {"float64": 1e-6, "float32": 1e-5}
IDS = [f"{inputs}: {expression}{' weighted' * weighted}" for inputs, expression, weighted in cases()]


def of_any_size(metric, batch):
    """Trace for any number of examples."""
    tensors = {name: tf.constant(array) for name, array in batch.items()}
    specs = [tf.TensorSpec([None, *tensor.shape[1:]], tensor.dtype) for tensor in tensors.values()]
    traced = tf.function(lambda *given: metric(**dict(zip(tensors, given, strict=True))), input_signature=specs)
    return lambda **given: traced(*(given[name] for name in tensors))


def test_the_answers_are_those_of_the_table():
    assert list(ANSWERS) == IDS


@pytest.mark.filterwarnings("ignore:More independent predictors:UserWarning")
@pytest.mark.parametrize("way", ["eager", "graph", "of_any_size"])
@pytest.mark.parametrize("dtype", RELATIVE)
@pytest.mark.parametrize(("inputs", "expression", "weighted"), cases(), ids=IDS)
def test_a_metric_is_that_of_keras(inputs, expression, weighted, dtype, way):
    metric = eval(expression, {**words(tf.keras.metrics, dtype), "huber": tf.keras.losses.huber})
    told = batches(inputs, dtype, weighted=weighted)
    tell = metric if way == "eager" else tf.function(metric) if way == "graph" else of_any_size(metric, told[0])
    wanted = ANSWERS[f"{inputs}: {expression}{' weighted' * weighted}"][dtype]
    for batch, answer in zip(told, wanted, strict=True):
        found = tell(**{name: tf.constant(array) for name, array in batch.items()}).numpy()
        assert found.shape == np.shape(answer)
        np.testing.assert_allclose(found, answer, rtol=RELATIVE[dtype], atol=RELATIVE[dtype])
    assert isinstance(metric.result(), tf.Tensor)
    np.testing.assert_allclose(metric.result().numpy(), wanted[-1], rtol=RELATIVE[dtype], atol=RELATIVE[dtype])
    metric.reset_state()
    assert all(not variable.numpy().any() for variable in metric.variables)


def test_each_metric_is_in_the_table():
    classes = [name for name in tf.keras.metrics.__all__ if isinstance(getattr(tf.keras.metrics, name), type)]
    named = " ".join(expression for _, expression, _ in cases())
    assert [name for name in classes if f"{name}(" not in named and name != "Metric"] == []
