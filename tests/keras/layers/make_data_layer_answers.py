"""Write down what Keras gives in the cases of ``data_layer_cases.py``: ``answers/data_layers.json``.

Run by hand, where TensorFlow is installed, from the repository's root::

    python -m tests.keras.layers.make_data_layer_answers
"""

from __future__ import annotations

import json
import os
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.keras.layers.data_layer_cases import CASES, value

if __name__ == "__main__":
    lines = [f"{json.dumps(case)}: {json.dumps(value(case, tf))}" for case in CASES]
    head = f'"version": {json.dumps(tf.__version__)}'
    file = Path(__file__).parent / "answers" / "data_layers.json"
    file.write_text("{\n" + ",\n".join([head, *lines]) + "\n}\n", encoding="utf-8")
