"""Write down what Keras computes for the metrics in ``cases.py``: ``answers.json``, a result after each batch.

Run by hand, where TensorFlow is installed, from the repository's root::

    python -m tests.keras.metrics.make_answers
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_ENABLE_ONEDNN_OPTS="0", CUDA_VISIBLE_DEVICES="")

import keras
import numpy as np

from tests.keras.metrics.cases import batches, cases, words

STORED = Path(__file__).parent / "answers.json"


def answer(inputs: str, expression: str, dtype: str, *, weighted: bool) -> list[Any]:
    """Return the results after each batch."""
    metric = eval(expression, {**words(keras.metrics, dtype), "huber": keras.losses.huber})
    told = batches(inputs, dtype, weighted=weighted)
    if "TopK" in expression and "sorted" not in inputs:  # TensorFlow's kernel takes float32 alone
        told = [{**batch, "y_pred": batch["y_pred"].astype("float32")} for batch in told]
    return [_plain(metric(**batch)) for batch in told]


def _plain(value: Any) -> Any:
    array = np.asarray(value)
    digits = 17 if array.dtype == np.float64 else 9
    return np.array([float(f"{number:.{digits}g}") for number in array.ravel()]).reshape(array.shape).tolist()


if __name__ == "__main__":
    found = {}
    for inputs, expression, weighted in cases():
        answers = {}
        for dtype in ("float64", "float32"):
            keras.config.set_floatx(dtype)
            answers[dtype] = answer(inputs, expression, dtype, weighted=weighted)
        found[f"{inputs}: {expression}{' weighted' * weighted}"] = answers
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(answers)}" for name, answers in found.items())
    STORED.write_text(f'{{"keras": "{keras.__version__}", "cases": {{\n{lines}\n}}}}\n')
