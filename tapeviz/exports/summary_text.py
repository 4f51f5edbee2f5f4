"""A recording as text: what a terminal shows, and what stands beside a widget when there is no page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.health.judgement import Source, sources
from tapeviz.analysis.op_times import op_times
from tapeviz.analysis.verdicts import Verdict, Verdicts, verdicts
from tapeviz.exports import graph_text, headline, numbers
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS, PHASES
from tapeviz.recording.terminal_text import visible

__all__ = ["summary"]

_WIDTH: Final = 80
_OPS, _SOURCES, _VERDICTS = 6, 12, 5
_OP: Final = KINDS.index("op")
_BACKWARD: Final = PHASES.index("backward")
_MARKS: Final = " ●◆▲"


def summary(recording: Recording) -> str:
    """The recording in at most 80 columns: ops, time, gradients, traces, findings, and where it stopped.

    Example::

        print(summary(tape.recording))
    """
    graph = graph_of(recording)
    parts = [
        _head(graph), _top_ops(graph), _gradients(graph), graph_text.section(recording),
        _findings(verdicts(recording)), _end(recording),
    ]  # fmt: skip
    return visible("\n\n".join("\n".join(part) for lines in parts if (part := list(lines))))


def _head(graph: Graph) -> Iterator[str]:
    meta = graph.recording.meta_dict()
    title = str(meta.get("title") or "tape")
    cell = f"cell {meta['cell']}" if meta.get("cell") is not None else ""
    where = " · ".join(str(part) for part in (cell, meta.get("mode"), meta.get("device")) if part)
    yield _between(title, where)
    yield "─" * _WIDTH
    events = graph.recording.events
    ops, backward = events.kind == _OP, events.phase == _BACKWARD
    times = op_times(graph.recording)
    halves = [f"forward {_sum(times, ops & ~backward)}", f"backward {_sum(times, ops & backward)}"]
    took = f" in {numbers.duration(1e9 * meta['seconds'])}" if isinstance(meta.get("seconds"), (int, float)) else ""
    yield f"{headline.ops(int(ops.sum()), meta)}{took}: {halves[0]}, {halves[1]}"
    overhead = meta.get("overhead") or {}
    if overhead.get("inside_s") is not None:
        added = f"recording added {numbers.duration(1e9 * overhead['inside_s'])}"
        after = overhead.get("stats_s")
        yield added + (f"; statistics took {numbers.duration(1e9 * after)} afterwards" if after else "")
    if merged := meta.get("merged"):
        yield from wrap(f"{merged}.", _WIDTH)
    if again := headline.rerun(graph.recording):
        yield _cut(again[0].upper() + again[1:])
    if stale := headline.stale(graph.recording):
        yield from wrap(stale, _WIDTH)
    if graph.recording.problem:
        yield from wrap(graph.recording.problem, _WIDTH)


def _sum(times: np.ndarray, chosen: np.ndarray) -> str:
    return f"{numbers.count(int(chosen.sum()))} ({numbers.duration(float(times[chosen].sum()))})"


def _top_ops(graph: Graph) -> Iterator[str]:
    """The ops that took longest, all runs of one together, forward and backward."""
    events, names = graph.recording.events, graph.recording.ops.name
    ops = np.flatnonzero((events.kind == _OP) & (events.op >= 0) & (events.op < len(names)))
    if not len(ops):
        return
    runs = np.bincount(events.op[ops], minlength=len(names))
    time = np.bincount(events.op[ops], weights=op_times(graph.recording)[ops], minlength=len(names))
    order = np.argsort(-time, kind="stable")
    order = order[runs[order] > 0]
    rows = [(names[row], numbers.count(int(runs[row])), numbers.duration(float(time[row])),
             numbers.percent(float(time[row] / (time.sum() or 1)))) for row in order[:_OPS].tolist()]  # fmt: skip
    yield from _table(("Longest ops", "runs", "time", "share"), rows)
    if len(order) > _OPS:
        yield f"  … and {numbers.plural(len(order) - _OPS, 'other')}"


def _gradients(graph: Graph) -> Iterator[str]:
    """The sources of the latest call of ``gradient``."""
    requests = graph.recording.requests
    if not len(requests):
        return
    found = sources(graph, int(requests.event[-1]))
    target = int(graph.links.tensor_rows(requests.target[-1:])[0])
    of = f" of {graph.name(target)}" if target >= 0 else ""
    rows = [(graph.name(source.tensor), _norm(source), numbers.number(source.own_norm) if source.own_norm >= 0 else "–",
             numbers.shape(graph.shape(source.tensor))) for source in found[:_SOURCES]]  # fmt: skip
    yield from _table((f"Gradient{of} by", "its norm", "own norm", "shape"), rows)
    if len(found) > _SOURCES:
        yield f"  … and {numbers.plural(len(found) - _SOURCES, 'other')}"


def _norm(source: Source) -> str:
    if source.gradient < 0:
        return "None"
    return "–" if np.isnan(source.norm) else numbers.number(source.norm)


def _findings(found: Verdicts) -> Iterator[str]:
    """The findings; where there are none, what was looked for; and what was not looked at."""
    yield from _listed(found) if found else wrap(found.sentence, _WIDTH)
    if found.coverage is not None and found.expected:
        yield from wrap(found.coverage.dismissed, _WIDTH)
    for sentence in found.unseen:
        yield from wrap(f"Not looked at: {sentence}.", _WIDTH)


def _listed(found: Sequence[Verdict]) -> Iterator[str]:
    yield numbers.plural(len(found), "finding")
    for verdict in found[:_VERDICTS]:
        mark = f"  {_MARKS[verdict.severity]} "
        yield from wrap(f"{verdict.text}.", _WIDTH, initial_indent=mark, subsequent_indent="    ")
        if verdict.site is not None:
            yield _cut(f"    {verdict.site}: {verdict.site.text}")
        yield from wrap(f"Fix: {verdict.fix}.", _WIDTH, initial_indent="    ", subsequent_indent="    ")
    if len(found) > _VERDICTS:
        yield f"  … and {numbers.count(len(found) - _VERDICTS)} more: tape.verdicts()"


def _end(recording: Recording) -> Iterator[str]:
    meta = recording.meta_dict()
    if stopped := meta.get("stopped"):
        line = f", line {stopped['line']}" if stopped.get("line") else ""
        text = str(stopped.get("text") or "").partition("\n")[0]
        event = stopped.get("event")
        op = f"at op {event}" if event is not None and event >= 0 else "before the first op"
        yield _cut(f"Stopped {op}{line}: {stopped.get('type') or 'an error'}{f': {text}' if text else ''}")
    if failures := headline.dropped(meta)[1]:
        yield f"Of the ops before these, some failed: {failures}"
    if ops := (meta.get("truncated") or {}).get("ops"):
        yield f"The recording was full after {numbers.plural(ops, 'op')}: what ran then is not in it"
    if evicted := meta.get("evicted"):
        size = numbers.bytes_(evicted.get("bytes") or 0)
        many = numbers.plural(evicted.get("tensors") or 0, "tensor")
        text = f"The elements of {many} ({size}) were let go to stay within the budget; {_statistics(recording)}"
        yield from wrap(text, _WIDTH)


def _statistics(recording: Recording) -> str:
    return f"statistics of {numbers.plural(len(recording.stats), 'tensor')} are kept"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Aligned columns, the first to the left, the others to the right; a first cell that is too long is cut."""
    widths = [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]
    widths[0] = min(max(widths[0] + 2, 24), _WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1))
    for row, indent in ((head, ""), *((row, "  ") for row in rows)):
        first = _cut(indent + row[0], widths[0]).ljust(widths[0])
        yield "  ".join([first, *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]).rstrip()


def _between(left: str, right: str) -> str:
    room = _WIDTH - len(right) - 2
    return f"{_cut(left, room).ljust(room)}  {right}".rstrip()


def _cut(text: str, width: int = _WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
