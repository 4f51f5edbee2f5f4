"""The recordings of several processes as one: their rows rank by rank, with numbers of its own, by one clock.

What a column holds says how its cells move: numbers of events and of what else has one count on from those of the rank
before, positions point to where the row is now, moments move with the rank's beginning. Rows that say the same, such as
a line of the program, are one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.recording.builder import Builder
from tapeviz.recording.clock import SECOND, Beginning, beginning
from tapeviz.recording.ranks import numbered, row_at
from tapeviz.recording.reader import Recording
from tapeviz.recording.schema import FACTS, KINDS, NUMBERED, SCHEMA, SHARED, SPAN_FIELDS, Column

__all__ = ["merge_recordings"]

_SPAN: Final = KINDS.index("span")
_FOUND: Final = frozenset({"verdicts", "health"})  # what is found in the parts is found again in the whole
_OWN: Final = frozenset({"clock", "rank", "merged", "looked_for", "rerun", "stopped"})


def merge_recordings(
    recordings: Sequence[Recording], numbers: Sequence[int], ahead: Sequence[float] | None = None,
    residual: float | None = None,
) -> Recording:  # fmt: skip
    """One recording of all.

    Args:
        recordings: one a process.
        numbers: the rank of each.
        ahead: by how many ns each one's wall clock is ahead of the first one's; taken as 0 unless given.
        residual: by how many seconds these may be wrong, if that is known.
    """
    metas = [recording.meta_dict() for recording in recordings]
    known = [beginning(meta) for meta in metas]
    late = [0.0] * len(recordings) if ahead is None else list(map(float, ahead))
    begun = [None if one is None else one.wall - round(ns) for one, ns in zip(known, late, strict=True)]
    first = min((wall for wall in begun if wall is not None), default=0)
    starts = [0.0 if wall is None else float(wall - first) for wall in begun]
    merger = _Merger()
    for rank, recording in enumerate(recordings):
        own = merger.add(rank, recording, starts[rank])
        clock = {} if ahead is None else {"ahead": late[rank]}
        if (one := known[rank]) is not None:
            clock["uncertainty"] = one.uncertainty
        merger.builder.append("ranks", number=numbers[rank], t0=starts[rank], **clock, **own)
        if metas[rank].get("stopped") and not merger.stopped:
            merger.stopped = _moved_stop(metas[rank]["stopped"], own["event"], f"rank {numbers[rank]}")
    facts = _facts(metas, starts) | merger.stopped | {"merged": _said(known, ahead is None, residual)}
    if first:
        facts["clock"] = {"wall": first, "at": 0, "uncertainty": max(one.uncertainty for one in known if one)}
    for key, value in facts.items():
        merger.builder.meta(key, value)
    return merger.builder.recording()


def _moved_stop(stopped: Mapping[str, Any], first: int, name: str) -> dict[str, Any]:
    """Where a rank ended early, in the whole."""
    event = stopped.get("event", -1)
    moved = {"event": first + event if event >= 0 else event, "text": f"{name}: {stopped.get('text') or ''}"}
    return {"stopped": {**stopped, **moved}}


def _said(known: Sequence[Beginning | None], taken_as_zero: bool, residual: float | None) -> str:
    """How far the ranks' clocks can be trusted, as a sentence."""
    offsets = "their offsets are taken as 0" if taken_as_zero else "offsets as given"
    offsets += "" if residual is None else f", right to {residual * 1e6:,.1f} µs"
    sure = [one.uncertainty for one in known if one is not None]
    if len(sure) < len(known):
        return f"{len(known)} ranks; not all say when they began, and those that do not begin with the first; {offsets}"
    worst = max(sure)
    within = "whole seconds" if worst >= SECOND else f"{worst / 1e3:,.1f} µs"
    return f"{len(known)} ranks by their wall clocks, each read to {within}; {offsets}"


class _Merger:
    """Adds one recording after the other to a builder."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.stopped: dict[str, Any] = {}
        self._next = dict.fromkeys(NUMBERED, 0)
        self._rows: dict[str, dict[tuple[Any, ...], int]] = {name: {} for name in SHARED}

    def add(self, rank: int, recording: Recording, shift: float) -> dict[str, int]:
        """Add the rows of a rank, ``shift`` ns later; its first number of each kind, as the columns of ``ranks``."""
        self._rank, self._recording, self._shift = rank, recording, shift
        self._places: dict[str, np.ndarray] = {}
        first = {column.name: self._next[column.unit] for column in numbered("ranks")}
        before = {name: self.builder.rows(name) for name in SCHEMA}
        for name in SHARED:
            self._place(name)
        for name in SCHEMA:
            if name not in SHARED | _FOUND | {"meta", "ranks"} and len(recording.table(name)):
                self.builder.extend(name, self._columns(name, before))
        for kind in NUMBERED:
            self._next[kind] += _count(recording, kind)
        return first

    def _columns(self, name: str, before: Mapping[str, int]) -> dict[str, Any]:
        cells = {column.name: self._recording.table(name).cells(column.name) for column in SCHEMA[name].columns}
        moved = {column.name: self._moved(column, cells[column.name], before) for column in SCHEMA[name].columns}
        if name == "events":
            moved["params"] = np.where(cells["kind"] == _SPAN, self._span_params(cells), moved["params"])
        return moved

    def _moved(self, column: Column, cells: Any, before: Mapping[str, int]) -> Any:
        """The cells of a column as the whole has them."""
        if column.unit in NUMBERED:
            return np.where(cells >= 0, cells + self._next[column.unit], cells)
        if column.table == "ranks":
            return np.full(len(cells), self._rank)
        if column.table in SHARED:
            return row_at(self._place(column.table), cells)
        if column.table:
            return np.where(cells >= 0, cells + before[column.table], cells)
        return cells + self._shift if column.is_moment else cells

    def _place(self, name: str) -> np.ndarray:
        """Where each row of a table is now that says the same as others."""
        if name not in self._places:
            columns, rows = SCHEMA[name].columns, len(self._recording.table(name))
            found = [self._moved(column, self._recording.table(name).cells(column.name), {}) for column in columns]
            if not rows and any(column.table == "ranks" for column in columns):  # what each event is taken to be in
                found = [[self._rank] if column.table == "ranks" else [""] for column in columns]
            cells = [column if isinstance(column, list) else column.tolist() for column in found]
            self._places[name] = np.array([self._row(name, row) for row in zip(*cells, strict=True)], "i8")
        return self._places[name]

    def _row(self, name: str, cells: tuple[Any, ...]) -> int:
        known = self._rows[name]
        if cells not in known:
            columns = SCHEMA[name].columns
            named = {column.name: cell for column, cell in zip(columns, cells, strict=True)}
            known[cells] = self.builder.append(name, **named)
        return known[cells]

    def _span_params(self, events: Mapping[str, Any]) -> np.ndarray:
        """The rows of strings with the params of spans, which say numbers, too."""
        texts, places = self._recording.strings.text, self._place("strings").copy()
        used = events["params"][(events["kind"] == _SPAN) & (events["params"] >= 0)]
        for row in np.unique(used).tolist():
            said = json.loads(texts[row])
            if held := SPAN_FIELDS.keys() & said.keys():
                for field in held:
                    column = Column(field, "i4", SPAN_FIELDS[field], "", -1)
                    said[field] = int(self._moved(column, np.array([said[field]]), {})[0])
                places[row] = self._row("strings", (json.dumps(said),))
        return row_at(places, events["params"])


def _count(recording: Recording, kind: str) -> int:
    """One more than the highest number of a kind."""
    last = -1
    for name in SCHEMA:
        for column in numbered(name):
            if column.unit == kind and len(cells := recording.table(name).cells(column.name)):
                last = max(last, int(np.max(cells)))
    return last + 1


def _facts(metas: Sequence[Mapping[str, Any]], starts: Sequence[float]) -> dict[str, Any]:
    """What is true of all ranks together: what they agree in, and sums of what adds up."""
    keys = dict.fromkeys(key for meta in metas for key in meta if key not in _OWN)
    facts = {key: _together(FACTS.get(key), [meta.get(key) for meta in metas]) for key in keys}
    if all(isinstance(meta.get("started"), str) for meta in metas):
        facts["started"] = min(meta["started"] for meta in metas)
    ends = [t0 / 1e9 + meta["seconds"] for t0, meta in zip(starts, metas, strict=True) if meta.get("seconds")]
    facts |= {"title": facts.get("title") or "merged", "seconds": max(ends, default=None)}
    return {key: value for key, value in facts.items() if value is not None}


def _together(kind: Any, values: Sequence[Any]) -> Any:
    """One value for those of all ranks; None where they differ in what has no sum."""
    said = [value for value in values if value is not None]
    if kind == "amount":
        return sum(said)
    if isinstance(kind, dict) and all(isinstance(value, dict) for value in said):
        fields = dict.fromkeys(field for value in said for field in value)
        each = {field: [value[field] for value in said if field in value] for field in fields}
        return {f: max(of) if kind.get(f) == "number" else _together(kind.get(f), of) for f, of in each.items()}
    return values[0] if all(value == values[0] for value in values) else None
