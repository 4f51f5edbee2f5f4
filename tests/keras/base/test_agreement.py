"""What layers are made of gives what Keras gives: activations, penalties, constraints, draws, models, configs."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tests.keras.base.models import INPUTS, MODELS, spread
from tests.keras.base.tables import ACTIVATIONS, CONSTRAINTS, INITIALIZERS, PENALTIES, SHAPES, WEIGHT, X

keras = tf.keras
TOLERANCE = {"float32": 1e-5, "float64": 1e-6}
EACH_DTYPE = pytest.mark.parametrize("dtype", TOLERANCE)


@cache
def answers() -> dict[str, Any]:
    """What Keras gave."""
    return json.loads(Path(__file__).with_name("answers.json").read_text())


def near(found: Any, expected: Any, tolerance: float) -> bool:
    """Whether numbers are those expected, relative to the largest of them."""
    expected = np.asarray(expected, "float64")
    return bool(np.abs(np.asarray(found, "float64") - expected).max() <= tolerance * max(1.0, np.abs(expected).max()))


@EACH_DTYPE
@pytest.mark.parametrize("text", ACTIVATIONS)
def test_activations(text: str, dtype: str):
    x = tf.constant(X, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = eval(f"a.{text}", {"a": keras.activations, "x": x})
    value, slope = answers()["activations"][text][dtype]
    assert near(y, value, TOLERANCE[dtype])
    assert near(tape.gradient(y, x), slope, TOLERANCE[dtype])
    assert y.dtype.name == dtype


@EACH_DTYPE
@pytest.mark.parametrize("text", PENALTIES)
def test_regularizers(text: str, dtype: str):
    regularizer = eval(f"r.{text}", {"r": keras.regularizers})
    expected = answers()["regularizers"][text][dtype]
    assert near(regularizer(tf.constant(WEIGHT, dtype)), expected, TOLERANCE["float32"])
    again = keras.regularizers.get(keras.regularizers.serialize(regularizer))
    assert again.get_config() == regularizer.get_config()


@EACH_DTYPE
@pytest.mark.parametrize("text", CONSTRAINTS)
def test_constraints(text: str, dtype: str):
    constraint = eval(f"c.{text}", {"c": keras.constraints})
    assert near(constraint(tf.constant(WEIGHT, dtype)), answers()["constraints"][text][dtype], TOLERANCE[dtype])
    again = keras.constraints.get(keras.constraints.serialize(constraint))
    assert again.get_config() == constraint.get_config()


@pytest.mark.parametrize("text", INITIALIZERS)
def test_initializers_agree_in_distribution(text: str):
    initializer = eval(f"i.{text}", {"i": keras.initializers})
    for shape, expected in zip(SHAPES, answers()["initializers"][text], strict=True):
        drawn = initializer(shape).numpy()
        error = 5 * expected["std"] / drawn.size**0.5  # five standard errors of a mean
        assert abs(drawn.mean() - expected["mean"]) <= 2 * error + 1e-7
        assert abs(drawn.std() - expected["std"]) <= 0.02 * expected["std"] + 1e-7
        bounded = "Uniform" in text or "Truncated" in text or "Glorot" in text
        assert abs(np.abs(drawn).max() - expected["most"]) <= (0.01 if bounded else 0.4) * expected["most"]
        assert (initializer(shape).numpy() == drawn).all()
    again = keras.initializers.get(keras.initializers.serialize(initializer))
    assert (again(SHAPES[0]).numpy() == initializer(SHAPES[0]).numpy()).all()


def made(name: str) -> Any:
    """A model of the table, with its weights spread."""
    keras.backend.clear_session()
    model = MODELS[name](keras)
    model.set_weights(spread([tuple(weight.shape) for weight in model.weights]))
    return model


def outputs(model: Any, name: str) -> Any:
    """What a model gives for the inputs of the table."""
    given = INPUTS[name]
    arrays = {k: np.array(v) for k, v in given.items()} if isinstance(given, dict) else [np.array(v) for v in given]
    return model(arrays[0] if isinstance(arrays, list) and len(arrays) == 1 else arrays)


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str):
    expected = answers()["models"][name]
    model = made(name)
    found = outputs(model, name)
    assert set(found) == set(expected["outputs"]) if isinstance(found, dict) else name != "nested"
    flat = tf.nest.flatten(found)
    theirs = [expected["outputs"]] if name == "chain" else _leaves(expected["outputs"])
    assert all(near(ours, numbers, 1e-5) for ours, numbers in zip(flat, theirs, strict=True))
    assert [layer.name for layer in model.layers] == expected["layers"]
    short = [[weight.name.rpartition("/")[2].removesuffix(":0"), list(weight.shape)] for weight in model.weights]
    assert short == [[path.rpartition("/")[2], shape] for path, shape in expected["weights"]]
    assert near([float(loss) for loss in model.losses] or [0.0], expected["losses"] or [0.0], 1e-5)


def _leaves(expected: Any) -> list[Any]:
    return [expected[key] for key in sorted(expected)] if isinstance(expected, dict) else list(expected)


@pytest.mark.parametrize("name", MODELS)
def test_configs_of_models(name: str):
    found = json.loads(json.dumps(made(name).get_config()))
    assert _differences(found, answers()["models"][name]["config"]) == []


def _differences(ours: Any, theirs: Any, path: str = "") -> list[str]:
    """Where a config of ours says something else than theirs, which may say more."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return [text for key, value in ours.items() for text in _differences(value, theirs.get(key), f"{path}.{key}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [
            text
            for k, (a, b) in enumerate(zip(ours, theirs, strict=True))
            for text in _differences(a, b, f"{path}[{k}]")
        ]
    same = ours == theirs or (path.endswith(".module") and (ours, theirs) == ("keras.models", "keras"))
    return [] if same else [f"{path}: {ours!r} instead of {theirs!r}"]


@pytest.mark.parametrize("name", MODELS)
def test_models_come_back_from_configs(name: str):
    model = made(name)
    config = json.loads(json.dumps(model.get_config()))
    from_text = keras.models.model_from_json(model.to_json())
    for again in (type(model).from_config(config), keras.models.clone_model(model), from_text):
        again.set_weights(model.get_weights())
        pairs = zip(tf.nest.flatten(outputs(again, name)), tf.nest.flatten(outputs(model, name)), strict=True)
        assert all((ours.numpy() == before.numpy()).all() for ours, before in pairs)
        assert again.weights[0] is not model.weights[0]


@pytest.mark.parametrize("name", MODELS)
def test_summaries(name: str):
    text: list[str] = []
    made(name).summary(print_fn=text.append)
    assert _rows(text[0]) == _rows(answers()["models"][name]["summary"])


def _rows(text: str) -> list[list[str]]:
    """Names, shapes and numbers of a table, wherever its lines are broken; and the lines below it."""
    cells: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith(("┃", "│")):
            parts = [part.strip() for part in line.strip("┃│").replace("┃", "│").split("│")]
            if parts[2]:
                cells.append(parts)
            else:  # the rest of a row that has not enough room
                cells[-1] = [f"{before} {part}".strip() for before, part in zip(cells[-1], parts, strict=True)]
        elif line and line[0] not in "┏┡├└":
            cells.append([line])
    return cells
