"""Write down what Keras computes for the losses in ``cases.py``, and their gradients: ``answers.json``.

Run by hand, where TensorFlow is installed, from the repository's root::

    python -m tests.keras.losses.make_answers
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

from tests.keras.losses.cases import cases, given, words

STORED = Path(__file__).parent / "answers.json"


def answer(inputs: str, expression: str, dtype: str) -> dict[str, Any]:
    """Return the value, and the gradient of its sum by the predictions."""
    tensors = {name: tf.constant(value) for name, value in given(inputs, dtype).items()}
    with tf.GradientTape() as tape:
        tape.watch(tensors["y_pred"])
        value = eval(expression, {**words(tf.keras.losses, dtype), **words(keras.losses, dtype), **tensors})
        total = tf.reduce_sum(value)
    gradient = tape.gradient(total, tensors["y_pred"])
    return {"value": _plain(value), "gradient": _plain(tf.convert_to_tensor(gradient))}


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    # Enough digits to tell them from their neighbours, and no more.
    return [float(f"{number:.{17 if array.dtype == np.float64 else 9}g}") for number in array.ravel()] + [
        list(array.shape)
    ]


if __name__ == "__main__":
    found = {}
    for inputs, expression in cases():
        answers = {}
        for dtype in ("float64", "float32"):
            keras.config.set_floatx(dtype)
            answers[dtype] = answer(inputs, expression, dtype)
        found[f"{inputs}: {expression}"] = answers
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(answers)}" for name, answers in found.items())
    STORED.write_text(f'{{"keras": "{keras.__version__}", "cases": {{\n{lines}\n}}}}\n')
