"""What tapeviz computes for the layers of the table: eagerly, in a function, and as a functional model."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeviz as tf
from tests.keras.layers.answers import Answer
from tests.keras.layers.cases import NAMES, Case, upstream, weights, words

TOLERANCES = {"float64": 1e-6, "float32": 1e-5}
WAYS = ("eager", "function", "model")


def layer_of(case: Case, dtype: str) -> Any:
    """The layer of a case."""
    return eval(case.layer, words(tf.keras.layers, dtype))


def inputs_of(case: Case, dtype: str) -> dict[str, Any]:
    """The inputs of a case, by name."""
    drawn = (value.astype(dtype) if value.dtype == np.float64 else value for value in case.drawn())
    return {name: tf.constant(value) for name, value in zip(NAMES, drawn, strict=False)}


def prepared(case: Case, dtype: str) -> tuple[Any, dict[str, Any]]:
    """The layer, built, with the weights of the case, and the inputs."""
    layer, inputs = layer_of(case, dtype), inputs_of(case, dtype)
    eval(case.call, {**inputs, "layer": layer})
    put_weights(case, layer, dtype)
    return layer, inputs


def put_weights(case: Case, layer: Any, dtype: str) -> None:
    """Give the layer the weights of the case."""
    named = [(weight_name(weight), tuple(weight.shape)) for weight in layer.weights]
    layer.set_weights([value.astype(dtype) for value in weights(case, named)])
    if getattr(layer, "stateful", False):
        layer.reset_states()


def weight_name(weight: Any) -> str:
    """The last part of the name of a weight."""
    return weight.name.rpartition("/")[2].partition(":")[0]


def answer(case: Case, dtype: str, way: str) -> Answer:
    """What tapeviz gives."""
    layer, inputs = prepared(case, dtype)
    run = WAYS_TO_RUN[way](case, layer, inputs, dtype)
    floats = [x for x in inputs.values() if x.dtype.is_floating]
    results, penalty, by = run(floats)
    return Answer(
        outputs=[_plain(y) for y in results],
        by_inputs=[_plain(g) for g in by[: len(floats)]],
        by_weights=[_plain(g) for g in by[len(floats) :]],
        after=[_plain(weight) for weight in layer.non_trainable_weights],
        penalty=_plain(penalty),
    )


def _plain(value: Any) -> np.ndarray:
    return np.asarray(tf.convert_to_tensor(value).numpy())


def _step(layer: Any, call: Any, floats: list[Any], dtype: str) -> tuple[list[Any], Any, list[Any]]:
    """Outputs, penalty and gradients by the inputs and the trainable weights."""
    with tf.GradientTape() as tape:
        for x in floats:
            tape.watch(x)
        results = tf.nest.flatten(call())
        parts = [tf.reduce_sum(y * upstream(tuple(y.shape)).astype(dtype)) for y in results if y.dtype.is_floating]
        penalty = tf.add_n(layer.losses) if layer.losses else tf.zeros([], dtype)
        whole = tf.add_n([*parts, penalty])
    sources = [*floats, *layer.trainable_weights]
    found = tape.gradient(whole, sources, unconnected_gradients=tf.UnconnectedGradients.ZERO) if sources else []
    return results, penalty, [tf.convert_to_tensor(gradient) for gradient in found]


def _eager(case: Case, layer: Any, inputs: dict[str, Any], dtype: str) -> Any:
    return lambda floats: _step(layer, lambda: eval(case.call, {**inputs, "layer": layer}), floats, dtype)


def _function(case: Case, layer: Any, inputs: dict[str, Any], dtype: str) -> Any:
    names = [name for name, x in inputs.items() if x.dtype.is_floating]

    @tf.function
    def traced(floats: list[Any]) -> Any:
        given = {**inputs, **dict(zip(names, floats, strict=True)), "layer": layer}
        return _step(layer, lambda: eval(case.call, given), floats, dtype)

    return traced


def _model(case: Case, layer: Any, inputs: dict[str, Any], dtype: str) -> Any:
    fixed = "stateful" in case.layer
    symbols = {
        name: tf.keras.Input(batch_shape=tuple(x.shape) if fixed else (None, *x.shape[1:]), dtype=x.dtype)
        for name, x in inputs.items()
    }
    model = tf.keras.Model(list(symbols.values()), tf.nest.flatten(eval(case.call, {**symbols, "layer": layer})))
    if getattr(layer, "stateful", False):
        layer.reset_states()
    return lambda floats: _step(model, lambda: model(list(inputs.values())), floats, dtype)


WAYS_TO_RUN = {"eager": _eager, "function": _function, "model": _model}


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, relative to the largest number expected (or to 0.1 where all are smaller)."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise AssertionError(f"{found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}")
    if expected.size == 0:
        return 0.0
    if expected.dtype == bool or expected.dtype.kind in "iu":
        return float(np.any(found != expected))
    scale = max(float(np.max(np.abs(expected))), 0.1)
    return float(np.max(np.abs(found - expected))) / scale


def differences(found: Answer, expected: Answer) -> dict[str, float]:
    """The largest difference in each part of an answer."""
    largest = {}
    for part, ours, theirs in zip(Answer._fields, found._replace(penalty=[found.penalty]),
                                  expected._replace(penalty=[expected.penalty]), strict=True):  # fmt: skip
        if len(ours) != len(theirs):
            raise AssertionError(f"{part}: {len(ours)} instead of {len(theirs)}")
        largest[part] = max([difference(a, b) for a, b in zip(ours, theirs, strict=True)], default=0.0)
    return largest
