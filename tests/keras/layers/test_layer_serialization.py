"""Layers as plain data and back: alone, in a model, and in a model's file, with the same weights and values."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.layers.agreement import inputs_of, layer_of, prepared
from tests.keras.layers.cases import Case, cases

ALL = pytest.mark.parametrize("case", [case for case in cases() if "stateful" not in case.layer], ids=str)


def same(found: Any, expected: Any) -> None:
    """The same structure of tensors with the same values."""
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


@ALL
def test_a_layer_of_the_same_configuration_and_weights_gives_the_same(case: Case):
    layer, inputs = prepared(case, "float64")
    config = json.loads(json.dumps(tf.keras.utils.serialize_keras_object(layer)))
    again = tf.keras.utils.deserialize_keras_object(config)
    eval(case.call, {**inputs, "layer": again})
    weights = layer.get_weights()
    again.set_weights(weights)
    expected = eval(case.call, {**inputs, "layer": layer})
    same(eval(case.call, {**inputs, "layer": again}), expected)


@ALL
def test_a_model_with_it_is_loaded_from_its_file(case: Case, tmp_path):
    layer, inputs = prepared(case, "float64")
    symbols = {name: tf.keras.Input((*x.shape[1:],), dtype=x.dtype) for name, x in inputs.items()}
    outputs = tf.nest.flatten(eval(case.call, {**symbols, "layer": layer}))
    model = tf.keras.Model(list(symbols.values()), outputs)
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    given = list(inputs.values())
    same(again(given), model(given))


def test_every_class_is_made_of_what_its_configuration_says():
    seen = set()
    for case in cases():
        if case.kind not in seen:
            seen.add(case.kind)
            config = layer_of(case, "float32").get_config()
            assert json.loads(json.dumps(tf.keras.utils.serialize_keras_object(config)))
            eval(
                case.call, {**inputs_of(case, "float32"), "layer": type(layer_of(case, "float32")).from_config(config)}
            )
    assert len(seen) >= 80
