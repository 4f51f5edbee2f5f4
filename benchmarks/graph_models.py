"""Training steps of whole models as traced functions, beside compiled ones; what `jit_compile` and first calls cost.

A row of a race is about the fastest compiled library, after a hundred calls at the usual settings.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import tapeviz as tf
from benchmarks import graph_steps, model_steps, training_steps
from benchmarks.harness import Figure, Goal, Race, Row, call

__all__ = ["run"]

SUBJECT: Final = "graph_models"
_COMPILED: Final = ("tf.function", "jit_compile", "jax", "torch.compile")
_BEFORE: Final = 100
_JIT: Final = ", jit_compile=True"
_PROCESSES: Final = 5
_FIRST_CALL: Final = """
import time
import tapeviz as tf
from benchmarks.training_steps import convolutional
step = tf.function(convolutional(tf))
t0 = time.perf_counter()
step()
print(time.perf_counter() - t0)
"""

Work = Callable[[], Any]


def run() -> list[Row | Figure]:
    """Race the steps, then measure first calls."""
    rows: list[Row | Figure] = []
    convolution = training_steps.convolutional_peers
    rows += _raced("convolutional model", training_steps.convolutional, convolution, 1.0, jit=True)
    rows += _raced("linear regression", training_steps.regression, training_steps.regression_peers, 0.2)
    rows += _raced(model_steps.TRANSFORMER, model_steps.transformer, model_steps.transformers, 1.0)
    rows += _raced(f"{model_steps.RECURRENT}, unrolled", model_steps.recurrent, model_steps.recurrents, 1.0)
    rows += _raced(graph_steps.RECURRENT, graph_steps.recurrent, graph_steps.recurrents, 1.0, traced=True)
    return [*rows, *_first_calls()]


def _raced(
    title: str, make: Callable[[Any], Work], peers: Callable[[], Mapping[str, Work]], most: float,
    *, jit: bool = False, traced: bool = False,
) -> list[Row]:  # fmt: skip
    """A step beside the compiled ones; with ``jit``, compiled on demand as well, which must not be slower.

    ``traced`` says that what is made is a traced function already.
    """
    works = {title: make(tf) if traced else tf.function(make(tf))}
    if jit:
        works[title + _JIT] = tf.function(make(tf), jit_compile=True)
    others = {name: work for name, work in peers().items() if name in _COMPILED}
    for work in (*works.values(), *others.values()):
        for _ in range(_BEFORE):
            work()
    goals = {title + _JIT: Goal(at_most=1.05, against=title)} if jit else {}
    race = Race(SUBJECT, _sampled(works), _sampled(others), goals)
    rows = race.run()
    fastest = min(others, key=lambda name: rows[0].peers[name].median, default=None)
    if fastest is not None:
        rows[0] = replace(rows[0], goal=Goal(at_most=most, against=fastest))
    return rows


def _sampled(works: Mapping[str, Work]) -> dict[str, Any]:
    return {name: call(work) for name, work in works.items()}


def _first_calls() -> list[Figure]:
    """Seconds of the first call of the convolutional step in processes of their own: trace and run, by the wall."""
    taken = []
    for _ in range(_PROCESSES):
        ended = subprocess.run(
            [sys.executable, "-c", _FIRST_CALL], env=dict(os.environ), capture_output=True, text=True, check=True
        )
        taken.append(float(ended.stdout.split()[-1]))
    title, rest = "convolutional model: first call", f"of {_PROCESSES} processes, the first took {taken[0]:.2f}"
    return [Figure(SUBJECT, f"{title} in a later process", statistics.median(taken[1:]), "s", Goal(at_most=0.1), rest)]
