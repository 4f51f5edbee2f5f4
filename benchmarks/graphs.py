"""Traced functions beside compiled ones: a chain of small ops, training steps, first calls, shapes that change."""

from __future__ import annotations

import gc
import itertools
import logging
import statistics
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from threading import Thread
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks import graph_steps
from benchmarks.harness import Figure, Goal, Race, Row, call

__all__ = ["run"]

SUBJECT: Final = "graphs"
_COMPILED: Final = ("torch.compile", "tf.function", "jit_compile", "jax")
_NODES: Final = 10_000
_CALLS: Final = 10_000
_BEFORE: Final = 100  # calls after which a function at its usual settings is raced
_FIRST_CALL: Final = Goal(at_most=50)


def run() -> list[Row | Figure]:
    """Run the races, and measure what is asked of first calls and of changing shapes."""
    rows: list[Row | Figure] = []
    works: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        f"{graph_steps.CHAIN} small ops": graph_steps.chain(tf)
    }
    goals = {f"{graph_steps.CHAIN} small ops": ("", 1.0)}
    peers = {f"{graph_steps.CHAIN} small ops": graph_steps.chains}
    for (sizes, batch), most in ((graph_steps.SMALL, 0.7), (graph_steps.LARGE, 1.0)):
        title = f"{batch}x{'-'.join(map(str, sizes))} and Adam, one step"
        works[title] = graph_steps.step(tf, sizes, batch)
        goals[title] = ("", most)
        peers[title] = _peers(sizes, batch)
    for title, (work, given) in works.items():
        first = Figure(SUBJECT, f"{title}: first call, less AutoGraph", *_first_call(work, given))
        rows += [_row(title, tf.function(work), given, peers[title](), goals[title]), first]
    recurrent = graph_steps.recurrent(tf)
    rows.append(_row(graph_steps.RECURRENT, recurrent, (), graph_steps.recurrents(), ("", 1.0)))
    large = next(row for row in rows if isinstance(row, Row) and row.title.startswith(f"{graph_steps.LARGE[1]}x784"))
    rows.append(_products(*graph_steps.LARGE, large.time.median))
    return [*rows, *_longest_calls(), _trace(), *_changing_shapes()]


def _peers(sizes: tuple[int, ...], batch: int) -> Callable[[], Any]:
    return lambda: graph_steps.steps(sizes, batch)


def _row(title: str, traced: Any, given: Any, others: dict[str, Any], goal: tuple[str, float]) -> Row:
    """Race, with a goal against one library or, without a name, against the fastest compiled one."""
    for _ in range(_BEFORE):
        traced(*given)
    race = Race(SUBJECT, {title: call(lambda: traced(*given))}, {name: call(work) for name, work in others.items()})
    row = race.run()[0]
    against, most = goal
    compiled = [name for name in _COMPILED if name in row.peers]
    if not against and compiled:
        against = min(compiled, key=lambda name: row.peers[name].median)
    return replace(row, goal=Goal(at_most=most, against=against)) if against in row.ratios else row


def _first_call(work: Callable[..., Any], given: Any) -> tuple[float, str, Goal, str]:
    """Milliseconds of a first call of a function that AutoGraph has converted: the median of several."""
    tf.function(work)(*given)  # AutoGraph keeps what it has converted
    taken, planning = [], []
    for _ in range(9):
        traced = tf.function(work)
        t0 = process_time()
        traced(*given)
        taken.append(1e3 * (process_time() - t0))
        t0 = process_time()
        traced(*given)
        planning.append(1e3 * (process_time() - t0))
    note = f"the second, which plans and compiles: {statistics.median(planning):.1f}"
    return statistics.median(taken), "ms", _FIRST_CALL, note


def _longest_calls() -> list[Figure]:
    """Milliseconds by which the longest of 1,000 calls is longer than the median, while the chain compiles beside them.

    By the wall, as it is waiting that is asked for; beside each the same with nothing to compile. What the other
    libraries have left for Python's collector to look through is none of it.
    """
    figures = []
    gc.collect()
    gc.freeze()
    for title, width in (("4 numbers", 4), ("2,000 numbers", 2000)):
        longest = {}
        for compiles in (None, False):
            work, _ = graph_steps.chain(tf)
            traced, given = tf.function(work, jit_compile=compiles), [tf.ones([width]) for _ in range(3)]
            other = tf.function(lambda x: tf.nn.relu(x @ x) * 0.5, jit_compile=False)
            for _ in range(2):  # the second plans, which has a figure of its own
                traced(*given)
            taken: dict[str, list[float]] = {"the calls": [], "another thread's": []}
            thread = Thread(target=_timed, args=(other, (tf.ones([100, 100]),), taken["another thread's"]))
            thread.start()
            _timed(traced, given, taken["the calls"])
            thread.join()
            longest[compiles] = {whose: 1e3 * (max(each) - statistics.median(each)) for whose, each in taken.items()}
        for whose, most in longest[None].items():
            note = f"with nothing to compile: {longest[False][whose]:.1f}"
            text = f"{graph_steps.CHAIN} ops on {title} compile: longest of 1,000 calls less the median, {whose}"
            figures.append(Figure(SUBJECT, text, most, "ms", Goal(at_most=50), note))
    gc.unfreeze()
    return figures


def _timed(work: Callable[..., Any], given: Any, taken: list[float]) -> None:
    for _ in range(1000):
        t0 = perf_counter()
        work(*given)
        taken.append(perf_counter() - t0)


def _trace() -> Figure:
    """Seconds to trace a graph of ten thousand nodes."""

    def long(x: Any) -> Any:
        for _ in range(_NODES):
            x = x + 1.0
        return x

    traced = tf.function(long, autograph=False)
    t0 = process_time()
    traced.get_concrete_function(tf.TensorSpec([4], tf.float32))
    return Figure(SUBJECT, f"trace of {_NODES:,} nodes", process_time() - t0, "s", Goal(at_most=1))


def _changing_shapes() -> list[Figure]:
    """What is left of calls with shapes that change: memory, traces kept, warnings."""
    warnings: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: warnings.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("tapeviz")
    logger.addHandler(handler)
    before, logger.propagate = logger.propagate, False
    sizes = np.random.default_rng(5).integers(1, 400, _CALLS)
    try:
        each = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * 2.0 + x))
        grown = _growth(each, sizes)
        relaxed = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * 2.0 + x), reduce_retracing=True)
        open_grown = _growth(relaxed, sizes)
    finally:
        logger.propagate = before
        logger.removeHandler(handler)
    title = f"{_CALLS:,} calls with changing shapes"
    return [
        Figure(SUBJECT, f"{title}: memory grown in the second half", grown / 1024, "KiB", Goal(at_most=1024)),
        Figure(SUBJECT, f"{title}, reduce_retracing: the same", open_grown / 1024, "KiB", Goal(at_most=256)),
        Figure(SUBJECT, f"{title}, reduce_retracing: traces", relaxed.experimental_get_tracing_count(), "", Goal(2, 1)),
        Figure(SUBJECT, f"{title}: warnings", len(warnings), "", Goal(at_most=1, at_least=1)),
    ]


def _growth(traced: Any, sizes: Any) -> int:
    """How many bytes more there are after all calls than after half of them."""
    half = len(sizes) // 2
    found = []
    tracemalloc.start()
    try:
        for part in (sizes[:half], sizes[half:]):
            for size in part:
                traced(tf.ones([int(size)]))
            gc.collect()
            found.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return found[1] - found[0]


def _products(sizes: tuple[int, ...], batch: int, step: float) -> Figure:
    """What share of a step's time its matrix products alone take: BLAS, in which there is nothing to gain."""
    pairs = list(itertools.pairwise(sizes))
    rng = np.random.default_rng(2)
    xs = [rng.normal(size=(batch, rows)).astype("f4") for rows in sizes]
    ws = [rng.normal(size=pair).astype("f4") for pair in pairs]
    forward, backward = [np.empty_like(x) for x in xs], [np.empty_like(w) for w in ws]

    def products() -> None:
        for place, w in enumerate(ws):
            np.dot(xs[place], w, forward[place + 1])
            np.dot(xs[place].T, xs[place + 1], backward[place])
            if place:
                np.dot(xs[place + 1], w.T, forward[place])

    sample = call(products)
    alone = statistics.median(sample() for _ in range(30))
    title = f"{batch}x{'-'.join(map(str, sizes))} and Adam: its matrix products alone"
    return Figure(SUBJECT, title, 100 * alone / step, "%", note=f"of the step: {1e6 * alone:,.0f} us of BLAS")
