"""Write down what Keras computes for the parts that layers are made of: ``answers.json``.

Run by hand, where TensorFlow is installed, from the repository's root::

    python -m tests.keras.base.make_answers
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")

import keras
import numpy as np
import tensorflow as tf

from tests.keras.base.models import INPUTS, MODELS, spread
from tests.keras.base.tables import ACTIVATIONS, CONSTRAINTS, INITIALIZERS, PENALTIES, SHAPES, WEIGHT, X

DTYPES = ("float32", "float64")


def _activation(text: str, dtype: str) -> list[Any]:
    keras.backend.set_floatx(dtype)
    x = tf.constant(X, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = eval(f"a.{text}", {"a": keras.activations, "x": x})
    return [y.numpy().tolist(), tape.gradient(y, x).numpy().tolist()]


def _penalty(text: str, dtype: str) -> Any:
    if text.startswith("Orthogonal"):
        dtype = "float32"  # the only one that Keras' takes
    return float(eval(f"r.{text}", {"r": keras.regularizers})(tf.constant(WEIGHT, dtype)))


def _constrained(text: str, dtype: str) -> Any:
    keras.backend.set_floatx(dtype)
    return eval(f"c.{text}", {"c": keras.constraints})(tf.constant(WEIGHT, dtype)).numpy().tolist()


def _draw(text: str, shape: tuple[int, ...]) -> dict[str, Any]:
    keras.backend.set_floatx("float32")
    drawn = np.asarray(eval(f"i.{text}", {"i": keras.initializers})(shape))
    return {"mean": float(drawn.mean()), "std": float(drawn.std()), "most": float(np.abs(drawn).max())}


def _model(name: str) -> dict[str, Any]:
    keras.backend.set_floatx("float32")
    keras.backend.clear_session()
    model = MODELS[name](keras)
    weights = [np.asarray(weight, "float32") for weight in spread([tuple(w.shape) for w in model.weights])]
    model.set_weights(weights)
    given = INPUTS[name]
    arrays = {k: np.array(v) for k, v in given.items()} if isinstance(given, dict) else [np.array(v) for v in given]
    found = model(arrays[0] if isinstance(arrays, list) and len(arrays) == 1 else arrays)
    text: list[str] = []
    model.summary(print_fn=lambda line, **_: text.append(line))
    outputs = keras.tree.map_structure(lambda tensor: np.asarray(tensor).tolist(), found)
    return {
        "outputs": outputs,
        "layers": [layer.name for layer in model.layers],
        "weights": [[weight.path, list(weight.shape)] for weight in model.weights],
        "config": _plain(model.get_config()),
        "summary": "\n".join(text),
        "losses": [float(loss) for loss in model.losses],
    }


def _plain(config: Any) -> Any:
    """A config as plain data, with the name of a dtype in the place of a policy."""
    if isinstance(config, dict) and config.get("class_name") == "DTypePolicy":
        return config["config"]["name"]
    if isinstance(config, dict):
        return {key: _plain(value) for key, value in config.items()}
    return [_plain(item) for item in config] if isinstance(config, (list, tuple)) else config


def main() -> None:
    """Write the file."""
    found = {
        "keras": keras.__version__,
        "activations": {text: {dtype: _activation(text, dtype) for dtype in DTYPES} for text in ACTIVATIONS},
        "regularizers": {text: {dtype: _penalty(text, dtype) for dtype in DTYPES} for text in PENALTIES},
        "constraints": {text: {dtype: _constrained(text, dtype) for dtype in DTYPES} for text in CONSTRAINTS},
        "initializers": {text: [_draw(text, shape) for shape in SHAPES] for text in INITIALIZERS},
        "models": {name: _model(name) for name in MODELS},
    }
    Path(__file__).with_name("answers.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
