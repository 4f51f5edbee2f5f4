"""Write down what Keras computes in ten steps of every optimizer, and the rates of its schedules.

Run by hand, where TensorFlow is installed::

    python tests/keras/optimizers/make_reference.py
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np
import tensorflow as tf

from tests.keras.optimizers.steps import ANSWERS, CASES, DTYPES, SCHEDULES, rates, run

if __name__ == "__main__":
    found = {f"{title}/{dtype}": run(tf, title, dtype) for title in CASES for dtype in DTYPES}
    found |= {f"schedule {title}": rates(tf, title) for title in SCHEDULES}
    np.savez_compressed(
        ANSWERS, version=np.array(f"Keras {tf.keras.__version__}, TensorFlow {tf.__version__}"), **found
    )
    print(f"{len(found)} answers, {ANSWERS.stat().st_size} bytes")
