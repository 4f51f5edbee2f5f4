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
    "dispatch", "chain", "graphs", "large", "large_arrays", "convolutions", "training", "training_fit", "recording",
    "overhead", "live", "graph_models", "models", "codec", "importing", "memory",
)  # fmt: skip


def main() -> int:
    """Run the subjects asked for and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=SUBJECTS, help="subjects; results are not saved")
    parser.add_argument("--strict", action="store_true", help="exit status 1 when a goal is not met")
    parser.add_argument("--threads", type=int, default=1, help="of each library; with several, time is the wall's")
    chosen = parser.parse_args()
    _started_anew(chosen.threads)
    report_module: Any = importlib.import_module("benchmarks.report")
    before = report_module.load()
    outcomes = []
    for subject in chosen.only:
        print(f"{subject} ...", file=sys.stderr, flush=True)
        outcomes += importlib.import_module(f"benchmarks.{subject}").run()
    report = report_module.Report(outcomes, before)
    print("\n".join([*report.header(), "", report.table(), "", report.closing()]))
    if chosen.only == SUBJECTS and chosen.threads == 1:
        print(f"\nwritten: benchmarks/results/{report.save().name} and latest.md")
    return 1 if report.unmet and chosen.strict else 0


def _started_anew(count: int) -> None:
    """Start again with the environment in which each library has so many threads; one thread is on one core.

    Libraries read the environment when they are imported. JAX has a thread beside it that works on another core
    whatever the environment says, so that its time on two cores is no time of one thread.
    """
    environment: Any = importlib.import_module("benchmarks.environment")
    if count == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if environment.threads_now() != count:
        wanted = environment.threads(count)
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.run", *sys.argv[1:]], {**os.environ, **wanted})


if __name__ == "__main__":
    sys.exit(main())
