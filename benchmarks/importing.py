"""``import``: a new process each time, the libraries in turn."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from benchmarks.harness import Goal, Race, Row, Sample

__all__ = ["run"]

SUBJECT: Final = "import"
_ROUNDS: Final = 15
_MODULES: Final = ("torch", "tensorflow", "autograd")
_SLOW_ROUNDS: Final = 3
_CODE: Final = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"


def _sample(module: str) -> Sample:
    def sample() -> float:
        code = _CODE.format(module)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return float(done.stdout)

    return sample


def run() -> list[Row]:
    """Return our time beside NumPy's, and beside the other libraries'."""
    goals = {"import tapeviz": Goal(at_most=1.6, against="numpy")}
    beside_numpy = Race(SUBJECT, {"import tapeviz": _sample("tapeviz")}, {"numpy": _sample("numpy")}, goals)
    others = {name: sample for name in _MODULES if (sample := _sample(name)) and _installed(sample)}
    beside_peers = Race(SUBJECT, {"import tapeviz, beside": _sample("tapeviz")}, others)
    return [*beside_numpy.run(_ROUNDS, 2 * _ROUNDS), *beside_peers.run(_SLOW_ROUNDS, _SLOW_ROUNDS)]


def _installed(sample: Sample) -> bool:
    try:
        sample()
    except subprocess.CalledProcessError:
        return False
    return True
