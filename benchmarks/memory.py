"""A thousand re-runs of a recorded cell: what stays behind of each.

The cell's source is compiled anew for each run, as a notebook does, and its tape stays bound to the same name. It runs
in a process of its own, so that nothing else is in the figures.
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any, Final

from benchmarks.harness import Figure, Goal

__all__ = ["run"]

SUBJECT: Final = "memory"
RUNS: Final = 1000
_SETTLED: Final = 300  # caches are full by then
_TRACED_RUNS: Final = 200
_TRACED_SETTLED: Final = 50
_CELL: Final = """\
with tf.record() as run:
    gradients = step()
recording = run.recording
events = len(recording.events)
"""


def run() -> list[Figure]:
    """Run the cell a thousand times in a new process."""
    code = "from benchmarks import memory; memory.watch()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    total = f"{_SETTLED} to {RUNS} runs: {found['rss_mib']:.1f} MiB of {found['rss_total']:.0f} MiB"
    page, some = Goal(at_most=4096), Goal(at_most=1024)  # a tape of this cell alone takes tens of thousands of bytes
    return [
        Figure(SUBJECT, "the process grew by, per re-run", found["rss"], "B", page, total),
        Figure(SUBJECT, "Python's objects grew by, per re-run", found["traced"], "B", some, "tracemalloc"),
    ]


def watch() -> None:
    """Print what stays behind of a run, as JSON."""
    cell = _cell()
    for _ in range(_SETTLED):
        cell()
    begin = _resident()
    for _ in range(RUNS - _SETTLED):
        cell()
    end = _resident()
    grown = end - begin
    megabytes = {"rss_mib": grown / 2**20, "rss_total": end / 2**20}
    print(json.dumps({"rss": grown / (RUNS - _SETTLED), "traced": _traced(cell), **megabytes}))


def _cell() -> Any:
    import tapeviz as tf  # noqa: PLC0415  # not in the process that only starts this one
    from benchmarks import tour  # noqa: PLC0415

    scope = {"tf": tf, "step": tour.tape_step(tf)}

    def cell() -> None:
        exec(compile(_CELL, "<cell>", "exec"), scope)  # noqa: S102

    return cell


def _traced(cell: Any) -> float:
    tracemalloc.start()
    for _ in range(_TRACED_SETTLED):
        cell()
    gc.collect()
    begin = tracemalloc.get_traced_memory()[0]
    for _ in range(_TRACED_RUNS):
        cell()
    gc.collect()
    return (tracemalloc.get_traced_memory()[0] - begin) / _TRACED_RUNS


def _resident() -> int:
    """Return the bytes that the process has in memory, free ones given back first."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * 4096
