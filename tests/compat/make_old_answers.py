"""Write down what TensorFlow says of the losses, metrics and constraints of its first version.

Run by hand, where TensorFlow is installed::

    python tests/compat/make_old_answers.py
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow as tf

from tests.compat.old_answers import ANSWERS, RUNS, answers

if __name__ == "__main__":
    tf.compat.v1.disable_eager_execution()
    found, refused = {}, []
    for sort, title, dtype in RUNS:
        try:
            found[f"{sort}/{title}/{dtype}"] = answers(tf.compat.v1, sort, title, dtype)
        except (TypeError, ValueError) as error:
            refused.append(f"{sort}/{title}/{dtype}: {str(error)[:120]}")
    np.savez_compressed(ANSWERS, version=np.array(f"TensorFlow {tf.__version__}"), **found)
    print(f"{len(found)} answers, {ANSWERS.stat().st_size} bytes")
    print("\n".join(refused))
