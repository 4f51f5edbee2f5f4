"""Have TensorFlow write files of records, and keep them.

Run by hand, where TensorFlow is installed::

    python tests/io/make_records.py
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow as tf

from tests.io.samples import KINDS, RECORDS, STORED

if __name__ == "__main__":
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            path = Path(folder, kind or "plain")
            with tf.io.TFRecordWriter(str(path), kind) as writer:
                for record in RECORDS:
                    writer.write(record)
            found[kind or "plain"] = np.frombuffer(path.read_bytes(), np.uint8)
    np.savez_compressed(STORED, version=np.array(f"TensorFlow {tf.__version__}"), **found)
    print({name: len(value) for name, value in found.items()}, STORED.stat().st_size)
