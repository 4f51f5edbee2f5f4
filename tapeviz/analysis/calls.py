"""What a program computes, as calls of ops on values: ops that ran eagerly and nodes of traced graphs alike.

A rule that goes by shapes and by who reads what need not know whether a line ran in Python or was traced. A call is an
event's row, or the number of events plus a node's row; a value is a tensor's row, or a number above all of them.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import Graph, Lists, graph_of
from tapeviz.analysis.links import Mask, Rows, pick, rows_of
from tapeviz.recording import Recording
from tapeviz.recording.schema import PHASES

__all__ = ["Calls", "Shape", "calls_of"]

Shape = tuple[int | None, ...]
"""The sizes of axes; None for one that a trace doesn't know."""

_BACKWARD: Final = PHASES.index("backward")
_GRADIENT_SCOPES: Final = ("gradient_tape/", "gradients/")
_SLOTS: Final = 64  # outputs a node: more of them share a number


class Calls:
    """The forward calls of a recording: each eager op, and each node of a traced graph once, however often it ran."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.graph: Graph = graph_of(recording)
        self.events, self.tensors = self.graph.events, self.graph.tensors
        nodes = recording.nodes
        self.count: int = self.events + len(nodes)
        self.values: int = self.tensors + _SLOTS * len(nodes)
        self.op: Rows = np.concatenate([recording.events.op, nodes.op]).astype(np.int64)

    @cached_property
    def is_forward(self) -> Mask:
        """The calls that the user's lines made: neither steps of a backward pass nor runs of nodes."""
        recording = self.recording
        eager = self.graph.ran & (recording.events.phase != _BACKWARD)
        ran = rows_of(recording.events.id, recording.node_runs.event)
        eager[ran[ran >= 0]] = False
        traced = [not any(scope in name for scope in _GRADIENT_SCOPES) for name in recording.nodes.name]
        return np.concatenate([eager, np.array(traced, np.bool_)])

    def of_family(self, family: str) -> Rows:
        """The forward calls of ops of a family, such as ``elementwise``."""
        ops = np.array([said == family for said in self.recording.ops.family], np.bool_)
        return np.flatnonzero(pick(ops, self.op) & self.is_forward)

    # What a call is.

    def family(self, call: int) -> str:
        """The family of a call's op."""
        row = int(self.op[call])
        return self.recording.ops.family[row] if row >= 0 else ""

    def traits(self, call: int) -> frozenset[str]:
        """What is true of a call's op."""
        row = int(self.op[call])
        return frozenset(self.recording.ops.traits[row].split()) if row >= 0 else frozenset()

    def params(self, call: int) -> dict[str, Any]:
        """The attributes of a call."""
        of, row = (self.recording.events, call) if call < self.events else (self.recording.nodes, call - self.events)
        try:
            found = json.loads(self.recording.text(int(of.params[row])) or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def site(self, call: int) -> int:
        """The row of ``sites`` of a call."""
        if call < self.events:
            return self.graph.site(call)
        return int(self.recording.nodes.site[call - self.events])

    def event(self, call: int) -> int:
        """The row of the event to show for a call: itself, or the first run of a node; -1 when it never ran."""
        return call if call < self.events else self._runs.get(call - self.events, -1)

    # What it reads and makes.

    @cached_property
    def _edges(self) -> tuple[Rows, Rows]:
        """Call and value of each edge that reads, by slot."""
        event, tensor, slot = self.graph.reads
        order = np.argsort(slot, kind="stable")
        event, tensor = event[order], tensor[order]
        kept = self.is_forward[event]
        edges = self.recording.node_edges
        chosen = np.flatnonzero(edges.position >= 0)
        chosen = chosen[np.argsort(edges.position[chosen], kind="stable")]
        source = self._node_rows(edges.graph[chosen], edges.source[chosen])
        target = self._node_rows(edges.graph[chosen], edges.target[chosen])
        known = (source >= 0) & (target >= 0)
        known[known] = self.is_forward[self.events + target[known]]
        slots = np.minimum(edges.slot[chosen][known], _SLOTS - 1)
        calls = np.concatenate([event[kept], self.events + target[known]])
        return calls, np.concatenate([tensor[kept], self.tensors + _SLOTS * source[known] + slots])

    @cached_property
    def readers(self) -> Lists:
        """The calls that read a value."""
        call, value = self._edges
        return Lists(value, call, self.values)

    def outputs(self, call: int) -> list[int]:
        """The values that a call makes."""
        if call < self.events:
            return self.graph.outputs[call]
        first = self.tensors + _SLOTS * (call - self.events)
        return [first + slot for slot in range(min(len(self._shapes(call - self.events)), _SLOTS))]

    # What a value is.

    def shape(self, value: int) -> Shape:
        """The sizes of a value's axes."""
        if value < self.tensors:
            return self.graph.shape(value)
        row, slot = divmod(value - self.tensors, _SLOTS)
        shapes = self._shapes(row)
        return tuple(shapes[slot]) if slot < len(shapes) and shapes[slot] is not None else ()

    @cached_property
    def _runs(self) -> dict[int, int]:
        """Of a node's row the row of the first event that ran it."""
        runs = self.recording.node_runs
        nodes, events = self._node_rows(runs.graph, runs.node), rows_of(self.recording.events.id, runs.event)
        pairs = zip(nodes[::-1].tolist(), events[::-1].tolist(), strict=True)
        return {node: event for node, event in pairs if node >= 0 and event >= 0}

    def _node_rows(self, graph: Any, number: Any) -> Rows:
        nodes = self.recording.nodes
        keys = nodes.graph.astype(np.int64) << 32 | nodes.number.astype(np.int64)
        return rows_of(keys, np.asarray(graph, np.int64) << 32 | np.asarray(number, np.int64))

    def _shapes(self, row: int) -> list[Any]:
        found = json.loads(self.recording.nodes.shapes[row] or "[]")
        return found if isinstance(found, list) else []


def calls_of(recording: Recording) -> Calls:
    """The calls of a recording, worked out once."""
    return recording.derived(Calls)
