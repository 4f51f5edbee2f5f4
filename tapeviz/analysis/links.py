"""How the rows of a recording hang together, as arrays of row numbers; -1 where there is none."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS, ROLES

__all__ = ["Links", "Mask", "Rows", "distinct", "latest", "ops_with", "pick", "rows_of"]

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.int64]

SPAN: Final = KINDS.index("span")
_IN: Final = ROLES.index("in")
_OUT: Final = ROLES.index("out")
_DENSE: Final = 8  # numbers per id up to which a table of all numbers is quicker than a search


class Links:
    """Row numbers behind the ids of events and tensors, found when first asked for."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.events: int = len(recording.events)
        self.tensors: int = len(recording.tensors)

    @cached_property
    def parent(self) -> Rows:
        """For each event the span it is in."""
        return self._event_rows(self.recording.events.parent)

    @cached_property
    def origin(self) -> Rows:
        """For each event the forward event it is the partner of."""
        return self._event_rows(self.recording.events.origin)

    @cached_property
    def producer(self) -> Rows:
        """For each tensor the event that made it."""
        return self._event_rows(self.recording.tensors.producer)

    @cached_property
    def reads(self) -> tuple[Rows, Rows]:
        """The events and the tensors of the edges that read, in the order of the edges."""
        return self._edges(_IN)

    @cached_property
    def makes(self) -> tuple[Rows, Rows]:
        """The events and the tensors of the edges that make."""
        return self._edges(_OUT)

    @cached_property
    def gradient(self) -> Rows:
        """For each tensor its whole gradient: that of its last contribution."""
        gradients = self.recording.gradients
        found = np.full(self.tensors, -1)
        tensor = self.tensor_rows(gradients.tensor)
        found[tensor[tensor >= 0]] = self.tensor_rows(gradients.gradient)[tensor >= 0]
        return found

    @cached_property
    def stats(self) -> Rows:
        """For each tensor its last row of stats."""
        return latest(self.tensor_rows(self.recording.stats.tensor), self.tensors)

    @cached_property
    def spans(self) -> dict[int, tuple[str, str]]:
        """The sort and the name of each span, by its row."""
        events = self.recording.events
        rows = np.flatnonzero(events.kind == SPAN)
        texts = self.recording.strings.text
        known = {row: _span(texts[row]) for row in set(events.params[rows].tolist()) if 0 <= row < len(texts)}
        return {row: known.get(events.params[row], ("span", "span")) for row in rows.tolist()}

    @cached_property
    def _tensor_index(self) -> Index:
        return Index(self.recording.tensors.id)

    def tensor_rows(self, ids: NDArray[Any]) -> Rows:
        """The rows of tensors."""
        return self._tensor_index.rows(ids)

    def of_producers(self, events: Mask) -> Mask:
        """The tensors that these events made."""
        return pick(events, self.producer)

    def makers(self, tensors: Mask) -> Mask:
        """The events that made one of these tensors."""
        return self._touching(self.makes, tensors)

    def readers(self, tensors: Mask) -> Mask:
        """The events that read one of these tensors."""
        return self._touching(self.reads, tensors)

    def _touching(self, edges: tuple[Rows, Rows], tensors: Mask) -> Mask:
        event, tensor = edges
        found = np.zeros(self.events, np.bool_)
        found[event[tensors[tensor]]] = True
        return found

    def _event_rows(self, ids: NDArray[Any]) -> Rows:
        return rows_of(self.recording.events.id, ids)

    def _edges(self, role: int) -> tuple[Rows, Rows]:
        edges = self.recording.edges
        chosen = edges.role == role
        event, tensor = self._event_rows(edges.event[chosen]), self.tensor_rows(edges.tensor[chosen])
        known = (event >= 0) & (tensor >= 0)
        return (event, tensor) if known.all() else (event[known], tensor[known])


def pick(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """The values in these rows; 0 or False where a row is not there."""
    if not len(values):
        return np.zeros(len(rows), values.dtype)
    inside = (rows >= 0) & (rows < len(values))
    found: NDArray[Any] = values[np.where(inside, rows, 0)]
    found[~inside] = 0
    return found


def ops_with(recording: Recording, *traits: str) -> Mask:
    """The rows of ``ops`` that have one of these traits or more."""
    return np.array([not set(traits).isdisjoint(said.split()) for said in recording.ops.traits], np.bool_)


def distinct(numbers: ArrayLike) -> NDArray[Any]:
    """Each number once, in order."""
    # np.unique by itself loads numpy.ma, which takes longer than all the findings of a small recording.
    return np.unique(numbers, return_counts=True)[0]


def latest(keys: NDArray[Any], size: int) -> Rows:
    """The last row in which each of the numbers below ``size`` stands among the keys, -1 where in none."""
    rows = np.full(size, -1)
    known = np.flatnonzero((keys >= 0) & (keys < size))
    rows[keys[known]] = known
    return rows


def rows_of(ids: NDArray[Any], wanted: NDArray[Any]) -> Rows:
    """The row of each wanted id, -1 where it is not among the ids."""
    return Index(ids).rows(wanted)


class Index:
    """The rows of ids; of an id that has several, the first."""

    def __init__(self, ids: NDArray[Any]) -> None:
        self._ids = ids
        self._table: Rows | None = None
        self._counting = bool(len(ids)) and ids[0] == 0 and ids[-1] == len(ids) - 1 and bool((np.diff(ids) == 1).all())
        if len(ids) and not self._counting and ids.min() >= 0 and ids.max() < _DENSE * len(ids):
            self._table = np.full(int(ids.max()) + 1, -1, np.int64)
            self._table[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)

    def rows(self, wanted: NDArray[Any]) -> Rows:
        """The row of each wanted id, -1 where it is not among the ids."""
        ids = self._ids
        if not len(ids):
            return np.full(len(wanted), -1)
        if self._counting:
            return np.where((wanted >= 0) & (wanted < len(ids)), wanted, -1).astype(np.int64)
        if self._table is not None:
            last = len(self._table) - 1
            found: Rows = self._table[np.clip(wanted, 0, last)]
            found[(wanted < 0) | (wanted > last)] = -1
            return found
        order = np.argsort(ids, kind="stable")
        at = np.searchsorted(ids, wanted, sorter=order).clip(0, len(ids) - 1)
        return np.where(ids[order[at]] == wanted, order[at], -1)


def _span(params: str) -> tuple[str, str]:
    try:
        found = json.loads(params)
    except ValueError:
        return "span", params or "span"
    if not isinstance(found, dict):
        return "span", "span"
    sort = str(found.get("span", "span"))
    return sort, str(found.get("name", sort))
