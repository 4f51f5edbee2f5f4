"""Measure tapeviz beside PyTorch, TensorFlow, JAX and autograd.

`make bench` installs them into .venv-bench, runs this and writes benchmarks/results/. A part of it alone:

    .venv-bench/bin/python -m benchmarks.run --only chain
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import Any, Final

__all__ = ["main"]

SUBJECTS: Final = (
    "dispatch", "chain", "graphs", "large", "training", "recording", "overhead", "codec", "importing", "memory",
)  # fmt: skip


def main() -> int:
    """Run the subjects asked for and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=SUBJECTS, help="subjects; results are not saved")
    parser.add_argument("--strict", action="store_true", help="exit status 1 when a goal is not met")
    chosen = parser.parse_args()
    report_module: Any = importlib.import_module("benchmarks.report")
    before = report_module.load()
    outcomes = []
    for subject in chosen.only:
        print(f"{subject} ...", file=sys.stderr, flush=True)
        outcomes += importlib.import_module(f"benchmarks.{subject}").run()
    report = report_module.Report(outcomes, before)
    print("\n".join([*report.header(), "", report.table(), "", report.closing()]))
    if chosen.only == SUBJECTS:
        print(f"\nwritten: benchmarks/results/{report.save().name} and latest.md")
    return 1 if report.unmet and chosen.strict else 0


def _with_one_thread() -> None:
    """Start again with the environment in which each library uses one thread, on one core.

    Libraries read the environment when they are imported. JAX has a thread beside it that works on another core
    whatever the environment says, so that its time on two cores is no time of one thread.
    """
    wanted = importlib.import_module("benchmarks.environment").ONE_THREAD
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if any(os.environ.get(key) != value for key, value in wanted.items()):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.run", *sys.argv[1:]], {**os.environ, **wanted})


if __name__ == "__main__":
    _with_one_thread()
    sys.exit(main())
