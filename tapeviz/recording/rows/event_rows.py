"""Rows of ``events``, ``ops`` and ``edges``, and what is remembered of each event for later rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.recording.builder import Builder
from tapeviz.recording.rows.growable_array import Growing
from tapeviz.recording.rows.spans import Spans
from tapeviz.recording.rows.tensor_numbers import Numbering
from tapeviz.recording.schema import PHASES, ROLES

__all__ = ["EventRows", "plain"]

_FORWARD, _BACKWARD = PHASES.index("forward"), PHASES.index("backward")
_NONE: Final = {"origin": -1, "site": -1, "params": -1}


class EventRows:
    """Numbers events in the order of their starts and writes them in that order."""

    def __init__(
        self, builder: Builder, spans: Spans, numbers: Numbering, nanoseconds: Callable[[np.ndarray], np.ndarray]
    ) -> None:
        self._builder = builder
        self._spans = spans
        self._numbers = numbers
        self._nanoseconds = nanoseconds
        self.count: int = 0
        self._blocks: list[dict[str, Any]] = []
        self._op_rows: dict[Any, int] = {}
        self.op_of: Growing = Growing(-1)  # by event
        self.site_of: Growing = Growing(-1)
        self.device_of: Growing = Growing(0)
        self._origin_of: Growing = Growing(-1)

    def numbered(self, groups: list[Any]) -> list[np.ndarray]:
        """Event numbers for each group of starts (s), in the order of these; the last group is that of the spans."""
        starts = np.concatenate([np.asarray(group, "f8") for group in groups])
        numbers = np.empty(starts.size, "i4")
        numbers[np.argsort(starts, kind="stable")] = np.arange(self.count, self.count + starts.size)
        self.count += starts.size
        parts = np.split(numbers, np.cumsum([len(group) for group in groups])[:-1])
        for span, event in zip(self._spans.begun, parts[-1].tolist(), strict=True):
            span.event = event
        return parts

    def add(self, t0: Any, t1: Any, ids: np.ndarray, **columns: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows of ``events`` that begin and end at these clock readings.

        Returns:
            When each ended (ns), and whether it is part of a backward pass.
        """
        t0, t1 = np.asarray(t0, "f8"), np.asarray(t1, "f8")
        parents, backward = self._spans.at(t0)
        begun = self._nanoseconds(t0)
        dur = np.maximum(np.rint((t1 - t0) * 1e9), 0.0)
        phases = np.where(backward, _BACKWARD, _FORWARD).astype("u1")
        self.block({"id": ids, "parent": parents, "t0": begun, "dur": dur, "phase": phases, **_NONE, **columns})
        self.op_of.set(ids, columns["op"])
        self.site_of.set(ids, columns.get("site", -1))
        if "origin" in columns:
            self._origin_of.set(ids, columns["origin"])
        if "device" in columns:
            self.device_of.set(ids, columns["device"])
        return begun + dur, backward

    def block(self, columns: dict[str, Any]) -> None:
        """Columns of some events, as arrays or as one value for all."""
        self._blocks.append({"status": 0, "device": 0, **columns})

    def write(self) -> None:
        """The rows of ``events`` in the order of their numbers, so that row and number agree."""
        blocks, self._blocks = self._blocks, []
        if blocks:
            sizes = [len(block["id"]) for block in blocks]
            order = np.argsort(np.concatenate([block["id"] for block in blocks]), kind="stable")
            joined = {name: _joined([block[name] for block in blocks], sizes)[order] for name in blocks[0]}
            self._builder.extend("events", joined)

    def forward(self, events: np.ndarray) -> np.ndarray:
        """The events; of a step of a backward pass, which is differentiated itself, the forward event it belongs to."""
        origins = self._origin_of.of(events)
        return np.where(origins >= 0, origins, events)

    def renumber(self, old: np.ndarray) -> None:
        """Only these events are left, numbered from 0 on."""
        moved = dict(zip(old.tolist(), range(len(old)), strict=True))
        origins = [moved.get(origin, -1) for origin in self._origin_of.of(old).tolist()]
        self._origin_of = Growing(-1)
        self._origin_of.set(np.arange(len(old)), np.array(origins, "i8"))
        self.count = len(old)
        for column in (self.op_of, self.site_of, self.device_of):
            column.renumber(old, np.arange(len(old)))

    def op_row(self, op: Any) -> int:
        """The row of ``ops`` that has this declaration."""
        row = self._op_rows.get(op)
        if row is None:
            row = self._op_rows[op] = self._builder.append(
                "ops",
                name=op.name,
                family=op.family,
                formula=op.formula,
                vjp_formula="\n".join(op.vjp_formula),
                differentiable=op.differentiable,
                traits=" ".join(sorted({*op.traits, *op.effects.split()})),
                domain=op.domain,
                surrogate=op.surrogate,
            )
        return row

    def params(self, attrs: Any) -> int:
        """The row of ``strings`` that has these attributes, -1 for none."""
        return self._builder.intern(json.dumps(attrs, default=plain)) if attrs else -1

    def edges(self, ids: np.ndarray, counts: np.ndarray, tensors: np.ndarray, role: str) -> None:
        """An edge for each tensor of each event; ``counts`` says how many each has."""
        flat = self._numbers.locals(tensors)
        starts = np.cumsum(counts) - counts
        self.edge_rows(np.repeat(ids, counts), flat, role, np.arange(flat.size) - np.repeat(starts, counts))

    def edge_rows(self, events: np.ndarray, tensors: np.ndarray, role: str, slots: Any) -> None:
        """Rows of ``edges``; ``slots`` is one number for all or an array."""
        if len(events):
            slots = slots.astype("u2") if isinstance(slots, np.ndarray) else slots
            self._builder.extend(
                "edges", {"event": events, "tensor": tensors.astype("i4"), "role": ROLES.index(role), "slot": slots}
            )


def plain(value: Any) -> Any:
    """Attributes that JSON has no form for, as a person writes them: float32, 0:256, ..., and else Python's way."""
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, slice):
        ends = ["" if end is None else str(end) for end in (value.start, value.stop, value.step)]
        return ":".join(ends if ends[2] else ends[:2])
    return "..." if value is Ellipsis else repr(value)


def _joined(values: list[Any], sizes: list[int]) -> np.ndarray:
    """Arrays of these sizes after each other, a number standing for as many of it.

    Of many blocks nearly all are of one row: a call of NumPy's for each would take longer than all else.
    """
    arrays = [isinstance(value, np.ndarray) and value.ndim > 0 for value in values]
    kinds = {value.dtype for value, is_array in zip(values, arrays, strict=True) if is_array}
    plain = np.array([0 if is_array else value for value, is_array in zip(values, arrays, strict=True)])
    found = np.repeat(plain.astype(np.result_type(plain, *kinds)), sizes)
    end = 0
    for value, size, is_array in zip(values, sizes, arrays, strict=True):
        end += size
        if is_array:
            found[end - size : end] = value
    return found
