"""Which rows a recording keeps when older ones are dropped, and the numbers that they have then."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import compress
from typing import Any, Final

import numpy as np

from tapeviz.recording.columns import NUMBERS
from tapeviz.recording.reader import Recording
from tapeviz.recording.schema import KINDS, PHASES, SCHEMA, SOURCES, Column

__all__ = ["Choice"]

_OP, _SPAN = KINDS.index("op"), KINDS.index("span")
_BACKWARD = PHASES.index("backward")
_EARLIER: Final = SOURCES.index("earlier")
_MADE: Final = [SOURCES.index(source) for source in ("op", "gradient")]
_PART: Final = 4  # a part of the ops may go beyond what has to, so that what is left begins with a whole step
# Where rows of an event say which one it is.
_OF_EVENTS: Final = {
    "ends": "event", "messages": "event", "edges": "event", "gradients": "backward", "requests": "event",
    "graph_runs": "event", "node_runs": "event", "device_times": "event",
}  # fmt: skip
_OF_TENSORS: Final = ("names", "releases", "stats", "values", "verdicts")


class Choice:
    """The newest ops of a recording, with all that belongs to them.

    Args:
        recording: all there is. Events are numbered from 0 without gaps.
        most: how many ops to keep; some fewer where a step, a tape or a span begins then.
        spans: further spans to keep, which are not over.
        base: the number that was tensor 0 so far.
        fresh: gives a number never used before.

    Tensors that are read, and were made by what goes, are kept as being from earlier.
    """

    def __init__(
        self, recording: Recording, most: int, spans: Iterable[int], base: int, fresh: Callable[[], int]
    ) -> None:
        self._recording = recording
        self._fresh, self._old_base = fresh, base
        self.cut: int
        self.skipped: float
        self.cut, self.skipped = _beginning(recording, most)
        events = recording.events
        self.kept: np.ndarray = events.id >= self.cut
        _add_parents(self.kept, events.parent, spans)
        self.event_rows: np.ndarray = np.flatnonzero(self.kept)
        self.events: np.ndarray = np.full(len(events), -1)
        """By event: its number from now on, -1 for none."""
        self.events[self.event_rows] = np.arange(len(self.event_rows))
        self._masks = {name: self._of_kept(name, column) for name, column in _OF_EVENTS.items()}
        for name in ("exits", "watches", "tapes"):
            self._masks[name] = recording.table(name).t >= self.skipped
        self._masks["setups"] = recording.setups.t0 >= self.skipped
        self._choose_tensors()
        self._choose_tapes()
        self._choose_others()
        self._choose_texts()

    def _of_kept(self, table: str, column: str) -> np.ndarray:
        cells: Any = self._recording.table(table).cells(column)
        found: np.ndarray = _looked_up(self.events, cells) >= 0
        return found

    def _choose_tensors(self) -> None:
        tensors = self._recording.tensors
        ids, own = tensors.id, tensors.producer >= self.cut
        first = int(ids[own].min()) if own.any() else self._fresh() - self._old_base
        self.base: int = self._old_base + first
        """The number that is tensor 0 from now on."""
        keep = (ids >= first) | np.isin(ids, np.concatenate([*self._read()]))
        keep |= np.isin(ids, tensors.storage[keep])
        self._masks["tensors"] = keep
        self.old_tensors: Any = ids[keep].astype("i8")
        self.new_tensors: np.ndarray = self._anew(self.old_tensors)
        """By tensor that is kept: its number so far, and its number from now on."""
        self.producers: np.ndarray = _looked_up(self.events, tensors.producer[keep])
        self.variables: set[Any] = set(tensors.variable[keep].tolist())

    def _read(self) -> Iterator[np.ndarray]:
        """The tensors that the rows kept so far speak of."""
        for name, mask in self._masks.items():
            for column in SCHEMA[name].columns:
                if column.unit == "tensor":
                    cells: Any = self._recording.table(name).cells(column.name)
                    yield cells[mask]

    def _anew(self, old: np.ndarray) -> np.ndarray:
        """Numbers from now on. What is from before the first tensor made gets one behind the last."""
        new = old + (self._old_base - self.base)
        for at in np.flatnonzero(new < 0).tolist():
            new[at] = self._fresh() - self.base
        return new

    def _choose_tapes(self) -> None:
        """Of the tapes that anything is known of, what happened to them, and how they stood before."""
        tapes, requests, watches = self._recording.tapes, self._recording.requests, self._recording.watches
        told = requests.tape[self._masks["requests"]], watches.tape[self._masks["watches"]]
        self.old_tapes: np.ndarray = np.unique(np.concatenate([tapes.id[self._masks["tapes"]], *told])).astype("i8")
        self.new_tapes: np.ndarray = self._anew(self.old_tapes)
        before = np.flatnonzero(~self._masks["tapes"] & np.isin(tapes.id, self.old_tapes))
        stood = {(tapes.id[row], tapes.change[row]): row for row in before.tolist()}
        self._masks["tapes"][list(stood.values())] = True
        watched = np.isin(watches.tape, self.old_tapes) & np.isin(watches.tensor, self.old_tensors)
        self._masks["watches"] |= watched

    def _choose_others(self) -> None:
        recording = self._recording
        for name in _OF_TENSORS:
            self._masks[name] = np.isin(recording.table(name).cells("tensor"), self.old_tensors)
        self.variables |= set(recording.requests.variable[self._masks["requests"]].tolist())
        self._masks["variables"] = np.isin(recording.variables.id, list(self.variables))
        pools = recording.pools
        self._masks["pools"] = pools.t >= self.skipped
        stood = {device: row for row, device in enumerate(pools.device.tolist()) if pools.t[row] < self.skipped}
        self._masks["pools"][list(stood.values())] = True

    def _choose_texts(self) -> None:
        """The texts that something points to. Those of backward passes say the number of a tape."""
        recording, texts = self._recording, self._recording.strings.text
        params = recording.events.params[self.kept].astype("i8")
        tensors = recording.tensors.shape[self._masks["tensors"]]
        spans = np.flatnonzero((recording.events.kind[self.kept] == _SPAN) & (params >= 0))
        asking = [at for at in spans.tolist() if '"tape"' in texts[params[at]]]
        plain = np.delete(params, asking)
        others = [recording.nodes.params, recording.graphs.source, recording.graphs.generated]
        used = np.unique(np.concatenate([plain, tensors, *others]))
        self.texts: dict[Any, int] = {row: at for at, row in enumerate(used[used >= 0].tolist())}
        """By row of strings: where it is from now on."""
        said = {texts[row]: at for row, at in self.texts.items()}
        tapes = dict(zip(self.old_tapes.tolist(), self.new_tapes.tolist(), strict=True))
        self._params = np.array([self.texts.get(row, -1) for row in params.tolist()], "i8")
        for at in asking:
            changed = json.loads(texts[params[at]])
            changed["tape"] = tapes.get(changed["tape"], -1)
            self._params[at] = said.setdefault(json.dumps(changed), len(said))
        self._said = list(said)

    # The rows.

    def tables(self) -> dict[str, Mapping[str, Any]]:
        """The columns of all tables but ``meta``, as they are from now on."""
        found = {name: dict(self._columns(name)) for name in SCHEMA if name != "meta"}
        found["events"] |= {"id": np.arange(len(self.event_rows)), "params": self._params, "op": self._ops()}
        made, sources = found["tensors"], self._recording.tensors.source[self._masks["tensors"]].copy()
        sources[(self.producers < 0) & np.isin(sources, _MADE)] = _EARLIER
        found["tensors"] = made | {"id": self.new_tensors, "source": sources}
        found["strings"] = {"text": self._said}
        return {name: columns for name, columns in found.items() if len(next(iter(columns.values()), ()))}

    def _ops(self) -> np.ndarray:
        """What ran; not for steps of a backward pass whose forward op is not there, for which they would be taken."""
        events = self._recording.events
        lost = (events.origin >= 0) & (_looked_up(self.events, events.origin) < 0)
        found: np.ndarray = np.where(lost, -1, events.op)[self.kept]
        return found

    def _columns(self, name: str) -> Iterator[tuple[str, Any]]:
        """The columns of a table that somebody has written."""
        for column in SCHEMA[name].columns:
            cells = self._picked(name, column.name)
            if column.type not in NUMBERS:
                if column.name == SCHEMA[name].columns[0].name or any(cells):
                    yield column.name, cells
            elif (cells != column.none).any():
                yield column.name, self._moved(cells, column)

    def _picked(self, name: str, column: str) -> Any:
        cells, mask = self._recording.table(name).cells(column), self._masks.get(name)
        if name == "events":
            mask = self.kept
        if mask is None:
            return cells
        return list(compress(cells, mask)) if isinstance(cells, list) else cells[mask]

    def _moved(self, cells: np.ndarray, column: Column) -> np.ndarray:
        """Cells with what they point to where it is from now on."""
        unit = column.unit
        if unit == "event":
            return _looked_up(self.events, cells)
        if unit == "tensor":
            return _translated(cells, self.old_tensors, self.new_tensors)
        if unit == "tape":
            return _translated(cells, self.old_tapes, self.new_tapes)
        if unit == "strings row":
            return np.array([self.texts.get(row, -1) for row in cells.tolist()], "i8")
        return np.maximum(cells - self.skipped, 0.0) if column.is_moment else cells


def _beginning(recording: Recording, most: int) -> tuple[int, float]:
    """The first event to keep, and when (ns) what is kept begins.

    That is where as many ops follow as shall be kept, or a little later where a tape begins to record or a span begins,
    in as few other spans as possible.
    """
    events, tapes = recording.events, recording.tapes
    ops = np.flatnonzero(events.kind == _OP)
    least = len(ops) - most
    rows = np.arange(ops[least], ops[least + most // _PART] + 1)
    rank = np.where((events.kind[rows] == _SPAN) & (events.phase[rows] != _BACKWARD), 1, 2)
    entered = tapes.t[np.array([change == "enter" for change in tapes.change], bool)]
    first = np.searchsorted(events.t0, entered) - rows[0]
    rank[first[(first >= 0) & (first < len(rows))]] = 0
    cut = int(rows[np.argmin(3 * _depths(events.parent, rows) + rank)])
    own = entered[np.searchsorted(events.t0, entered) == cut]
    return cut, float(own.min() if own.size else events.t0[cut])


def _depths(parents: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """In how many spans each event is."""
    depths, above = np.zeros(len(rows), "i8"), parents[rows]
    while (inside := above >= 0).any():
        depths += inside
        above = np.where(inside, parents[above], -1)
    return depths


def _add_parents(kept: np.ndarray, parents: np.ndarray, spans: Iterable[int]) -> None:
    """Mark the spans around what is marked."""
    above = np.unique(np.concatenate([parents[kept], np.fromiter(spans, "i8")]))
    while len(above := above[above >= 0]):
        kept[above] = True
        above = np.unique(parents[above])


def _looked_up(table: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """What is at these places of a table, -1 beyond it."""
    known = (numbers >= 0) & (numbers < len(table))
    return np.where(known, table[np.where(known, numbers, 0)], -1)


def _translated(numbers: np.ndarray, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Each of the old numbers as the new one, others as -1."""
    if not len(old):
        return np.full(len(numbers), -1)
    order = np.argsort(old, kind="stable")
    at = order[np.searchsorted(old, numbers, sorter=order).clip(0, len(old) - 1)]
    return np.where(old[at] == numbers, new[at], -1)
