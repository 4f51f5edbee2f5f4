"""Write down what Keras computes for the layers in ``cases/``: ``answers/<family>.npz``.

Run by hand, where TensorFlow is installed, from the repository's root; by default for all families::

    python -m tests.keras.layers.make_answers
    python -m tests.keras.layers.make_answers pooling recurrent
    KERAS_BACKEND=torch python -m tests.keras.layers.make_answers over_torch
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from typing import Any

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")

import keras
import numpy as np
import tensorflow as tf
import torch

from tests.keras.layers.answers import DTYPES, Answer, store
from tests.keras.layers.cases import NAMES, Case, cases, upstream, weights, words


def _layer(case: Case, dtype: str) -> Any:
    return eval(case.layer, words(keras.layers, dtype))


def _inputs(case: Case, dtype: str) -> dict[str, Any]:
    drawn = (value.astype(dtype) if value.dtype == np.float64 else value for value in case.drawn())
    return {name: keras.ops.convert_to_tensor(value) for name, value in zip(NAMES, drawn, strict=False)}


def answer(case: Case, dtype: str) -> Answer:
    """What Keras gives: outputs, gradients and what the weights are afterwards."""
    keras.utils.set_random_seed(0)
    layer, inputs = _layer(case, dtype), _inputs(case, dtype)
    eval(case.call, {**inputs, "layer": layer})
    named = [(weight.path.rpartition("/")[2], tuple(weight.shape)) for weight in layer.weights]
    layer.set_weights([value.astype(dtype) for value in weights(case, named)])
    if getattr(layer, "stateful", False):
        layer.reset_state()
    results: list[Any] = []
    penalties: list[Any] = []

    def whole() -> Any:
        results[:] = keras.tree.flatten(eval(case.call, {**inputs, "layer": layer}))
        penalties[:] = [sum(layer.losses) if layer.losses else keras.ops.zeros([], dtype)]
        parts = [
            keras.ops.sum(y * keras.ops.convert_to_tensor(upstream(tuple(y.shape)).astype(dtype)))
            for y in results
            if "float" in _dtype(y)
        ]
        return sum(parts) + penalties[0]

    floats = [x for x in inputs.values() if "float" in _dtype(x)]
    gradients = GRADIENTS[keras.backend.backend()]
    by = gradients(whole, [*floats, *(weight.value for weight in layer.trainable_weights)])
    return Answer(
        outputs=[_plain(y) for y in results],
        by_inputs=[_plain(g) for g in by[: len(floats)]],
        by_weights=[_plain(g) for g in by[len(floats) :]],
        after=[_plain(weight) for weight in layer.non_trainable_weights],
        penalty=_plain(penalties[0]),
    )


def _with_tensorflow(function: Any, sources: list[Any]) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(sources)
        value = function()
    found = tape.gradient(value, sources, unconnected_gradients="zero")
    return [tf.convert_to_tensor(gradient) for gradient in found]


def _with_torch(function: Any, sources: list[Any]) -> list[Any]:
    for source in sources:
        source.requires_grad_(True)
    return list(torch.autograd.grad(function(), sources))


GRADIENTS = {"tensorflow": _with_tensorflow, "torch": _with_torch}


def _dtype(value: Any) -> str:
    return str(keras.backend.standardize_dtype(value.dtype))


def _plain(value: Any) -> np.ndarray:
    return np.asarray(keras.ops.convert_to_numpy(value))


def facts(case: Case) -> dict[str, Any]:
    """Return the weights' names and shapes, the shapes of symbolic results, and the configuration."""
    layer = _layer(case, "float32")
    eval(case.call, {**_inputs(case, "float32"), "layer": layer})
    said = {
        "weights": [[weight.path.rpartition("/")[2], list(weight.shape)] for weight in layer.weights],
        "trainable": len(layer.trainable_weights),
        "config": {key: value for key, value in layer.get_config().items() if key not in {"name", "dtype"}},
    }
    fixed = "stateful" in case.call + case.layer
    symbols = {
        name: keras.Input(batch_shape=tuple(value.shape) if fixed else (None, *value.shape[1:]), dtype=_dtype(value))
        for name, value in _inputs(case, "float32").items()
    }
    results = keras.tree.flatten(eval(case.call, {**symbols, "layer": _layer(case, "float32")}))
    return {**said, "shapes": [list(y.shape) for y in results]}


if __name__ == "__main__":
    families: dict[str, list[Case]] = defaultdict(list)
    for each in cases():
        families[each.family].append(each)
    for family in sys.argv[1:] or families.keys() - {"over_torch"}:
        found = {str(case): {dtype: answer(case, dtype) for dtype in DTYPES} for case in families[family]}
        store(family, found, {str(case): facts(case) for case in families[family]}, keras.__version__)
        print(f"{family}: {len(found)} layers from Keras {keras.__version__}")
