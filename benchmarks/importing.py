"""``import``: a new process each time, the libraries in turn."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from benchmarks.harness import Goal, Race, Row, Sample

__all__ = ["run"]

SUBJECT: Final = "import"
_ROUNDS: Final = 15
_SLOW_ROUNDS: Final = 3
_CODE: Final = "import time; t = time.process_time(); {}; print(time.process_time() - t)"
_FIRST_OP: Final = {
    "tapeviz": "import tapeviz as tf; tf.constant([1.0]) + tf.constant([2.0])",
    "numpy": "import numpy as np; np.array([1.0]) + np.array([2.0])",
    "torch": "import torch; torch.tensor([1.0]) + torch.tensor([2.0])",
    "tensorflow": "import tensorflow as tf; tf.constant([1.0]) + tf.constant([2.0])",
    "autograd": "import autograd.numpy as np; np.add(np.array([1.0]), np.array([2.0]))",
}


def _sample(code: str) -> Sample:
    def sample() -> float:
        code_ = _CODE.format(code)
        done = subprocess.run([sys.executable, "-c", code_], capture_output=True, text=True, check=True)
        return float(done.stdout)

    return sample


def run() -> list[Row]:
    """Return our time beside NumPy's, and beside the other libraries'."""
    goals = {"import tapeviz": Goal(at_most=1.6, against="numpy")}
    ours, numpys = _sample("import tapeviz"), _sample("import numpy")
    beside_numpy = Race(SUBJECT, {"import tapeviz": ours}, {"numpy": numpys}, goals)
    first = {name: _sample(code) for name, code in _FIRST_OP.items()}
    first = {name: sample for name, sample in first.items() if _installed(sample)}
    beside_peers = Race(SUBJECT, {"import and the first addition": first.pop("tapeviz")}, first)
    return [*beside_numpy.run(_ROUNDS, 2 * _ROUNDS), *beside_peers.run(_SLOW_ROUNDS, _SLOW_ROUNDS)]


def _installed(sample: Sample) -> bool:
    try:
        sample()
    except subprocess.CalledProcessError:
        return False
    return True
