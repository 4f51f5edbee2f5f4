"""A recording of a hundred thousand ops: how large it is, how fast it is packed, written, read and searched."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import process_time
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks import chain
from benchmarks.harness import Figure, Goal
from tapeviz.analysis.query.query import select
from tapeviz.engine.state import local
from tapeviz.recording import Recording, read
from tapeviz.recording.codec import Frame
from tapeviz.recording.encodings import encode_cells
from tapeviz.recording.schema import SCHEMA

__all__ = ["run"]

SUBJECT: Final = "codec"
_CHAINS: Final = 50  # of 1000 ops forward and 1000 backward
_PACKED_CHAINS: Final = 10
_RUNS: Final = 7
_FILTERS: Final = (
    "op:multiply", "name:y", "line:70", "shape:4", "dtype:float32", "dur>1us", "phase:backward", "wrt:Variable",
    "op:add dur>1us phase:forward", "y",
)  # fmt: skip


def run() -> list[Figure]:
    """Make a recording of real ops and measure it."""
    recording, rates = _record()
    ops = recording.meta_dict()["ops"]
    data = recording.to_bytes()
    best = Goal(at_least=5e5)
    figures = [
        Figure(SUBJECT, "ops in the recording", ops, "ops"),
        Figure(SUBJECT, "in memory, as the schema's types", _schema_bytes(recording) / ops, "B/op"),
        Figure(SUBJECT, "in the file, before deflate", _encoded_bytes(recording) / ops, "B/op", Goal(at_most=140)),
        Figure(SUBJECT, "on disk", len(data) / ops, "B/op", Goal(at_most=60)),
        Figure(SUBJECT, "packed (recorder and builder)", statistics.median(rates), "ops/s", best, _fastest(rates)),
    ]
    write = _rates(lambda: _unwritten(recording).to_bytes(), ops)
    reading = _rates(lambda: _read_whole(data), ops)
    fast = Goal(at_least=1e6)
    figures += [
        Figure(SUBJECT, "written", statistics.median(write), "ops/s", fast, _fastest(write)),
        Figure(SUBJECT, "read, every column", statistics.median(reading), "ops/s", fast, _fastest(reading)),
    ]
    return figures + _queries(data)


def _record() -> tuple[Recording, list[float]]:
    """Record the chain; return the recording, and the ops that each packing packed in a second."""
    work = chain.tape_chain(tf)
    rates = []
    with tf.record(values="none") as tape:
        recorder: Any = local.state.observer
        for _ in range(_CHAINS // _PACKED_CHAINS):
            for _ in range(_PACKED_CHAINS):
                work()
            before = recorder.packer.ops
            t0 = process_time()
            recorder.pack()
            rates.append((recorder.packer.ops - before) / (process_time() - t0))
    return tape.recording, rates


def _schema_bytes(recording: Recording) -> int:
    size = 0
    for table in SCHEMA:
        view = recording.table(table)
        for name in view.columns:
            cells: Any = view.cells(name)
            size += cells.nbytes if isinstance(cells, np.ndarray) else sum(map(len, cells))
    return size


def _encoded_bytes(recording: Recording) -> int:
    """Return what all columns take in their frames before deflating."""
    return sum(
        len(part)
        for frame in recording._frames  # noqa: SLF001
        for chunk in frame.tables.values()
        for name, type_ in chunk.types.items()
        for part in encode_cells(type_, chunk.cells(name))[1]
    )


def _unwritten(recording: Recording) -> Recording:
    """Return the same rows in frames that have no bytes yet."""
    return Recording([Frame(frame.tables) for frame in recording._frames])  # noqa: SLF001


def _read_whole(data: bytes) -> None:
    recording = read(data)
    for table in SCHEMA:
        view = recording.table(table)
        for name in view.columns:
            view.cells(name)


def _rates(work: Callable[[], object], ops: int) -> list[float]:
    work()
    return [ops / _seconds(work) for _ in range(_RUNS)]


def _seconds(work: Callable[[], object]) -> float:
    t0 = process_time()
    work()
    return process_time() - t0


def _fastest(rates: list[float]) -> str:
    return f"fastest {max(rates):,.0f}"


def _queries(data: bytes) -> list[Figure]:
    """Return the slowest filter's time: asked first of a recording just read, and asked again."""
    goal = Goal(at_most=50)
    first = {text: statistics.median(_first_time(data, text) for _ in range(3)) for text in _FILTERS}
    recording = read(data)
    again = {}
    for text in _FILTERS:
        select(recording, text)
        again[text] = statistics.median(_seconds(lambda text=text: select(recording, text)) for _ in range(_RUNS))
    slow, slower = max(again, key=again.__getitem__), max(first, key=first.__getitem__)
    return [
        Figure(SUBJECT, "query, the slowest of ten filters", 1e3 * again[slow], "ms", goal, slow),
        Figure(SUBJECT, "query, the first of a recording just read", 1e3 * first[slower], "ms", goal, slower),
    ]


def _first_time(data: bytes, text: str) -> float:
    recording = read(data)
    return _seconds(lambda: select(recording, text))
