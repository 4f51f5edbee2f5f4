"""Write down what TensorFlow says of the runs in ``old_image_cases.py``. Run by hand, where it is installed::

python tests/compat/make_old_image_answers.py
"""

import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow.compat.v1 as tf

from tests.compat.old_image_cases import ANSWERS, RUNS, answer

if __name__ == "__main__":
    np.savez_compressed(ANSWERS, **{name: answer(tf, name) for name in RUNS})
