"""``import``: a new process each time, the libraries in turn."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from benchmarks.harness import Figure, Goal, Race, Row, Sample, spread

__all__ = ["run"]

SUBJECT: Final = "import"
_ROUNDS: Final = 15
_SLOW_ROUNDS: Final = 3
_CODE: Final = "import time; t0_ = time.process_time()\n{}\nprint(time.process_time() - t0_)"
_FIRST_OP: Final = {
    "tapeviz": "import tapeviz as tf; tf.constant([1.0]) + tf.constant([2.0])",
    "numpy": "import numpy as np; np.array([1.0]) + np.array([2.0])",
    "torch": "import torch; torch.tensor([1.0]) + torch.tensor([2.0])",
    "tensorflow": "import tensorflow as tf; tf.constant([1.0]) + tf.constant([2.0])",
    "autograd": "import autograd.numpy as np; np.add(np.array([1.0]), np.array([2.0]))",
}
_GRADIENT: Final = (
    "import tapeviz as tf\nx = tf.Variable([1.0])\nwith tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)"
)
_RECORD: Final = f"import tapeviz as tf\nwith tf.record() as tape_:\n    {_GRADIENT.replace(chr(10), chr(10) + '    ')}"
_OURS: Final = {"import and the first addition": _FIRST_OP["tapeviz"], "import and the first gradient": _GRADIENT}
_FIRST_RECORD: Final = f"{_RECORD}\nstr(tape_)"


def _sample(code: str) -> Sample:
    def sample() -> float:
        code_ = _CODE.format(code)
        done = subprocess.run([sys.executable, "-c", code_], capture_output=True, text=True, check=True)
        return float(done.stdout)

    return sample


def run() -> list[Row | Figure]:
    """Return our time beside NumPy's, and beside the other libraries'."""
    goals = {"import tapeviz": Goal(at_most=1.6, against="numpy")}
    ours, numpys = _sample("import tapeviz"), _sample("import numpy")
    beside_numpy = Race(SUBJECT, {"import tapeviz": ours}, {"numpy": numpys}, goals)
    first = {title: _sample(code) for title, code in _OURS.items()}
    goals = dict.fromkeys(first, Goal(at_most=1.25, against="numpy"))
    first_beside_numpy = Race(SUBJECT, first, {"numpy": _sample(_FIRST_OP["numpy"])}, goals)
    peers = {name: _sample(code) for name, code in _FIRST_OP.items() if name not in ("tapeviz", "numpy")}
    peers = {name: sample for name, sample in peers.items() if _installed(sample)}
    title = "import and the first addition"
    rows: list[Row | Figure] = [*beside_numpy.run(_ROUNDS, 2 * _ROUNDS), *first_beside_numpy.run(_ROUNDS, 2 * _ROUNDS)]
    rows += Race(SUBJECT, {f"{title}, beside others": first[title]}, peers).run(_SLOW_ROUNDS, _SLOW_ROUNDS)
    return [*rows, _first_record()]


def _first_record() -> Figure:
    found = spread(map(_seconds_of_record, range(_ROUNDS)))
    title, note = "import and the first record() with its summary as text", "the processor's time"
    return Figure(SUBJECT, title, 1e3 * found.median, "ms", Goal(at_most=200), note)


def _seconds_of_record(_round: int) -> float:
    return _sample(_FIRST_RECORD)()


def _installed(sample: Sample) -> bool:
    try:
        sample()
    except subprocess.CalledProcessError:
        return False
    return True
