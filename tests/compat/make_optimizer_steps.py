"""Write down what TensorFlow computes in ten steps of each optimizer of its first version.

Run by hand, where TensorFlow is installed::

    python tests/compat/make_optimizer_steps.py
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow as tf

from tests.compat.optimizer_steps import ANSWERS, RUNS, in_a_session

if __name__ == "__main__":
    found = {f"{title}/{dtype}": in_a_session(tf.compat.v1, title, dtype) for title, dtype in RUNS}
    np.savez_compressed(ANSWERS, version=np.array(f"TensorFlow {tf.__version__}"), **found)
    print(f"{len(found)} answers, {ANSWERS.stat().st_size} bytes")
