"""Write down what Keras says of the texts in ``tokenizer_cases.py``. Run by hand, where TensorFlow is installed::

python tests/keras/base/make_tokenizer_answers.py
"""

import json
import os
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[3]))

import tensorflow as tf

from tests.keras.base.tokenizer_cases import OPTIONS, answers

if __name__ == "__main__":
    said = {name: answers(tf, name) for name in OPTIONS}
    said["hashed"] = tf.keras.preprocessing.text.hashing_trick("to be to or Not", 50, "md5")
    Path(__file__).with_name("tokenizer_answers.json").write_text(json.dumps(said, indent=1) + "\n")
