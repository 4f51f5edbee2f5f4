"""Write down what TensorFlow gives for assignments to parts of variables; run by hand where it is installed."""

import json
import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import tensorflow as tf

from tests.engine.variable_parts import ASSIGNMENTS, FOLLOWED, answer, slopes

found = {
    "version": tf.__version__,
    "answers": {text: answer(tf, text) for text in ASSIGNMENTS},
    "slopes": {text: slopes(tf, text) for text in FOLLOWED},
}
Path(__file__).with_name("variable_parts.json").write_text(json.dumps(found, indent=1) + "\n")
