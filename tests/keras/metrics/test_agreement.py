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


def test_the_answers_are_those_of_the_table():
    assert list(ANSWERS) == IDS


@pytest.mark.filterwarnings("ignore:More independent predictors:UserWarning")
@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("dtype", RELATIVE)
@pytest.mark.parametrize(("inputs", "expression", "weighted"), cases(), ids=IDS)
def test_a_metric_is_that_of_keras(inputs, expression, weighted, dtype, graph):
    metric = eval(expression, {**words(tf.keras.metrics, dtype), "huber": tf.keras.losses.huber})
    tell = tf.function(metric) if graph else metric
    wanted = ANSWERS[f"{inputs}: {expression}{' weighted' * weighted}"][dtype]
    for batch, answer in zip(batches(inputs, dtype, weighted=weighted), wanted, strict=True):
        found = tell(**{name: tf.constant(array) for name, array in batch.items()}).numpy()
        assert found.shape == np.shape(answer)
        np.testing.assert_allclose(found, answer, rtol=RELATIVE[dtype], atol=RELATIVE[dtype])
    np.testing.assert_allclose(metric.result().numpy(), wanted[-1], rtol=RELATIVE[dtype], atol=RELATIVE[dtype])
    metric.reset_state()
    assert all(not variable.numpy().any() for variable in metric.variables)


def test_each_metric_is_in_the_table():
    classes = [name for name in tf.keras.metrics.__all__ if isinstance(getattr(tf.keras.metrics, name), type)]
    named = " ".join(expression for _, expression, _ in cases())
    assert [name for name in classes if f"{name}(" not in named and name != "Metric"] == []
