"""A recording as a Chrome trace (``.json``), which Perfetto opens: nothing is sent anywhere, its page reads the file.

A process for each device, of a merged recording for each device of a rank; in it a track for forward and one for
backward (each with the spans around the ops), one for pauses, and the memory as a counter. Arrows lead from each
forward op to its backward step. The user's functions, and what was done once beside the ops (an op's first use, an
import), have tracks of their own in the rank's first process.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.links import rows_of
from tapeviz.exports import headline
from tapeviz.exports.details import Details
from tapeviz.exports.memory import memory_of
from tapeviz.exports.schedule import BACKWARD, FORWARD, OP, SPAN, by_time
from tapeviz.exports.setups import setup_title
from tapeviz.exports.stretches import functions_of
from tapeviz.exports.target import Target, put
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS

__all__ = ["trace", "write"]

Entry: TypeAlias = dict[str, Any]

_TRACKS: Final = ("forward", "backward", "pauses", "functions", "functions, backward", "setup")
_PAUSES, _FUNCTIONS, _SETUP = 2, 3, 5


def write(recording: Recording, target: Target) -> None:
    """Write the trace.

    Args:
        recording: what to write.
        target: a path, or a file open for writing bytes.

    Raises:
        OSError: it cannot be written.

    Example::

        write(tape.recording, "run.json")      # then open it at ui.perfetto.dev, or chrome://tracing
    """
    put((piece.encode() for piece in _pieces(recording)), target)


def trace(recording: Recording) -> Iterator[Entry]:
    """The entries of the trace, one after the other; times in µs."""
    graph = graph_of(recording)
    yield from _names(graph)
    yield from _events(graph)
    yield from _functions(graph)
    yield from _setups(graph)
    yield from _arrows(graph)
    yield from _findings(graph)
    yield from _memory(graph)
    yield from _pools(graph)


def _pieces(recording: Recording) -> Iterator[str]:
    facts = {"title": headline.title(recording), **recording.meta_dict()}
    yield f'{{"displayTimeUnit": "ns",\n"otherData": {_json(facts)},\n"traceEvents": [\n'
    first = True
    for entry in trace(recording):
        yield ("" if first else ",\n") + _json(entry)
        first = False
    yield "\n]}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)


def _process(device: int) -> int:
    # Chrome's viewer leaves out process 0.
    return device + 1


def _track(thread: int, sort: int) -> int:
    return len(_TRACKS) * thread + sort + 1


def _names(graph: Graph) -> Iterator[Entry]:
    """What processes and tracks are called, and in which order they stand."""
    recording = graph.recording
    for device, name in enumerate(recording.devices.name):
        rank = _rank(recording, int(recording.devices.rank[device]))
        yield {"ph": "M", "name": "process_name", "pid": _process(device), "args": {"name": f"{rank}{name}"}}
    used = sorted({(int(device), int(thread), sort) for device, thread, sort in _places(graph)} | _beside(graph))
    threads = recording.threads.name
    several = len(set(threads)) > 1
    for device, thread, sort in used:
        place = {"pid": _process(device), "tid": _track(thread, sort)}
        name = _TRACKS[sort] + (f" · {threads[thread]}" if several and thread < len(threads) else "")
        yield {"ph": "M", "name": "thread_name", **place, "args": {"name": name}}
        yield {"ph": "M", "name": "thread_sort_index", **place, "args": {"sort_index": _track(thread, sort)}}


def _places(graph: Graph) -> Any:
    events = graph.recording.events
    sorts = np.where(np.isin(events.kind, [OP, SPAN]), events.phase, _PAUSES)
    return zip(events.device.tolist(), events.thread.tolist(), sorts.tolist(), strict=True)


def _events(graph: Graph) -> Iterator[Entry]:
    """Ops, spans and pauses; of those that start together the longest first, so that the others nest in it."""
    events = graph.recording.events
    schedule = by_time(graph)
    took = schedule.end - schedule.start
    places = list(_places(graph))
    details = Details(graph)
    for row in np.lexsort((np.arange(graph.events), -took, schedule.start)).tolist():
        device, thread, sort = places[row]
        kind = KINDS[events.kind[row]] if events.kind[row] < len(KINDS) else "other"
        category = f"{kind},{_TRACKS[sort]}" if sort != _PAUSES else kind
        entry = {
            "ph": "X", "name": graph.op(row) or ("GC pause" if kind == "gc" else kind), "cat": category,
            "pid": _process(device), "tid": _track(thread, sort), "ts": _us(schedule.start[row]), "dur": _us(took[row]),
        }  # fmt: skip
        yield {**entry, "args": details.of(row)}


def _rank(recording: Recording, rank: int) -> str:
    """What stands before the names of a rank's processes."""
    return f"rank {recording.ranks.number[rank]} · " if 0 <= rank < len(recording.ranks) else ""


def _first(recording: Recording, thread: int) -> tuple[int, int]:
    """The first device and thread of a thread's rank: functions and setups are the program's and no device's."""
    if not len(recording.ranks):
        return 0, 0
    rank = recording.threads.rank[thread]
    return int(np.argmax(recording.devices.rank == rank)), int(np.argmax(recording.threads.rank == rank))


def _beside(graph: Graph) -> set[tuple[int, int, int]]:
    """The tracks of functions and setups, as far as there are any."""
    schedule, recording = by_time(graph), graph.recording
    found = {
        (*_first(recording, recording.events.thread[rows[0]]), _FUNCTIONS + phase)
        for phase in (FORWARD, BACKWARD) for rows, _ in functions_of(graph, schedule, phase)
    }  # fmt: skip
    return found | {(*_first(recording, thread), _SETUP) for thread in set(recording.setups.thread.tolist())}


def _functions(graph: Graph) -> Iterator[Entry]:
    """The user's functions: neighbouring ops that stand in one, which may have been called once or several times."""
    schedule = by_time(graph)
    for phase in (FORWARD, BACKWARD):
        for rows, name in functions_of(graph, schedule, phase):
            device, thread = _first(graph.recording, graph.recording.events.thread[rows[0]])
            place = {"pid": _process(device), "tid": _track(thread, _FUNCTIONS + phase)}
            start, end = schedule.start[rows[0]], schedule.end[rows].max()
            site = graph.place(graph.site(int(rows[0])))
            yield {
                "ph": "X", "name": f"{name}()", "cat": f"function,{_TRACKS[phase]}", **place, "ts": _us(start),
                "dur": _us(end - start), "args": {"ops": len(rows), "site": str(site)},
            }  # fmt: skip


def _setups(graph: Graph) -> Iterator[Entry]:
    """What was done once, beside the ops."""
    setups = graph.recording.setups
    for row in np.argsort(setups.t0, kind="stable").tolist():
        device, thread = _first(graph.recording, setups.thread[row])
        place = {"pid": _process(device), "tid": _track(thread, _SETUP)}
        site = graph.place(int(setups.site[row]))
        yield {
            "ph": "X", "name": setup_title(graph, row), "cat": f"setup,{setups.kind[row]}", **place,
            "ts": _us(setups.t0[row]), "dur": _us(setups.dur[row]), "args": {"site": str(site)} if site else {},
        }  # fmt: skip


def _arrows(graph: Graph) -> Iterator[Entry]:
    """From each forward op to its backward steps."""
    events = graph.recording.events
    places = list(_places(graph))
    origin = graph.links.origin
    steps = np.flatnonzero((events.phase == BACKWARD) & (events.kind == OP) & (origin >= 0))
    for row in steps.tolist():
        for ph, at in (("s", int(origin[row])), ("f", row)):
            device, thread, sort = places[at]
            entry = {
                "ph": ph, "name": "backward", "cat": "partner", "id": graph.event_id(row), "pid": _process(device),
                "tid": _track(thread, sort), "ts": _us(events.t0[at]),
            }  # fmt: skip
            yield entry if ph == "s" else {**entry, "bp": "e"}


def _findings(graph: Graph) -> Iterator[Entry]:
    """The verdicts that the recording holds, as marks where they are about an event."""
    recording = graph.recording
    places = list(_places(graph))
    rows = rows_of(recording.events.id, recording.verdicts.event)
    for verdict, row in zip(recording.verdicts, rows.tolist(), strict=True):
        if row >= 0:
            device, thread, sort = places[row]
            yield {
                "ph": "i", "s": "t", "name": verdict.text, "cat": verdict.kind, "pid": _process(device),
                "tid": _track(thread, sort), "ts": _us(recording.events.t0[row]), "args": {"fix": verdict.fix},
            }  # fmt: skip


def _memory(graph: Graph) -> Iterator[Entry]:
    """The bytes that recorded tensors hold, at each change."""
    times, alive = memory_of(graph)
    last = np.append(times[1:] != times[:-1], True) if len(times) else np.zeros(0, np.bool_)
    for t, size in zip(times[last].tolist(), alive[last].tolist(), strict=True):
        yield {"ph": "C", "name": "memory", "pid": _process(0), "ts": _us(t), "args": {"bytes": int(size)}}


def _pools(graph: Graph) -> Iterator[Entry]:
    """The bytes that devices' pools of memory say are used, and how many of theirs are free."""
    for row in graph.recording.pools:
        sizes = {"used": int(row.used), "free": int(row.total - row.used)}
        yield {"ph": "C", "name": "pool", "pid": _process(row.device), "ts": _us(row.t), "args": sizes}


def _us(ns: float) -> float:
    return round(float(ns) / 1e3, 3) if math.isfinite(ns) else 0.0
