"""Every layer of the table gives what Keras gives: outputs, gradients, changed weights, shapes and configurations."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tf
from tests.keras.layers.agreement import (
    TOLERANCES,
    WAYS,
    answer,
    differences,
    inputs_of,
    layer_of,
    prepared,
    weight_name,
)
from tests.keras.layers.answers import DTYPES, answers
from tests.keras.layers.cases import Case, cases

ALL = pytest.mark.parametrize("case", cases(), ids=str)


@pytest.mark.parametrize("way", WAYS)
@ALL
def test_a_layer_gives_what_keras_gives(case: Case, way: str):
    for dtype in DTYPES:
        expected = answers(case.family)[str(case)][1][dtype]
        found = differences(answer(case, dtype, way), expected)
        assert {part: size for part, size in found.items() if not size <= TOLERANCES[dtype]} == {}, dtype


@ALL
def test_weights_are_those_of_keras(case: Case):
    facts, layer = answers(case.family)[str(case)][0], prepared(case, "float32")[0]
    assert [[weight_name(weight), list(weight.shape)] for weight in layer.weights] == facts["weights"]
    assert len(layer.trainable_weights) == facts["trainable"]


@ALL
def test_the_configuration_is_that_of_keras(case: Case):
    expected = answers(case.family)[str(case)][0]["config"]
    layer = layer_of(case, "float32")
    eval(case.call, {**inputs_of(case, "float32"), "layer": layer})
    found = {key: value for key, value in layer.get_config().items() if key not in {"name", "dtype"}}
    if "trainable" not in expected:  # of these classes Keras forgets it
        del found["trainable"]
    assert _plain(found) == _plain(expected)


@ALL
def test_a_layer_of_the_same_configuration_has_the_same_one(case: Case):
    config = layer_of(case, "float32").get_config()
    layer = getattr(tf.keras.layers, case.kind)
    assert layer.from_config(config).get_config() == config


@ALL
def test_a_symbolic_call_has_keras_shape(case: Case):
    fixed = "stateful" in case.layer
    symbols = {
        name: tf.keras.Input(batch_shape=tuple(x.shape) if fixed else (None, *x.shape[1:]), dtype=x.dtype)
        for name, x in inputs_of(case, "float32").items()
    }
    results = tf.nest.flatten(eval(case.call, {**symbols, "layer": layer_of(case, "float32")}))
    assert [list(y.shape) for y in results] == answers(case.family)[str(case)][0]["shapes"]


@ALL
def test_a_call_gives_what_it_is_said_to_give(case: Case):
    layer = layer_of(case, "float32")
    given = eval(case.call, {**inputs_of(case, "float32"), "layer": layer})
    results = given if case.call.startswith("[") else [given]  # of several calls
    said = type(layer).call.__annotations__["return"]
    assert said != "Tensor" or all(isinstance(y, tf.Tensor) for y in results)


# What Keras' configurations say besides.
_BESIDES = {
    "lora_rank", "lora_alpha", "quantization_config", "module", "registered_name", "build_config", "seed",
    "rms_scaling",
    "input_axes", "output_axes", "name", "dtype",
}  # fmt: skip


def _plain(value: Any) -> Any:
    """A configuration with what both say: lists for tuples, and of objects their classes and configurations."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in _BESIDES}
    if isinstance(value, float):
        return round(value, 6)  # some of Keras' are rounded to single precision
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
