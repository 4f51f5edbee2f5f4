"""Rows of traced graphs: what each is, its nodes and edges, and which event ran which node.

Graphs are described when rows are packed, not while the program runs: finding out the line of a node takes longer than
making it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapeviz.recording.builder import Builder
from tapeviz.recording.rows.event_rows import EventRows
from tapeviz.recording.rows.sites import Sites
from tapeviz.recording.rows.tensor_rows import TensorRows

__all__ = ["GraphFacts", "GraphRows", "NodeFacts"]

_TEXTS = ("source", "generated")


@dataclass(slots=True)
class NodeFacts:
    """What a node's row says. ``site`` is a code object and an instruction; ``inputs`` are (node, output) numbers."""

    number: int
    name: str
    op: Any
    params: Mapping[str, Any]
    shapes: Sequence[Any]
    dtypes: Sequence[str]
    device: str
    site: tuple[Any, int]
    inputs: Sequence[tuple[int, int]]
    control: Sequence[int]
    regions: Sequence[int] = ()
    fate: tuple[str, int, int] = ("kept", -1, -1)
    """What the passes did, the node that stands for it then, and the position of the pass among the graph's."""


@dataclass(slots=True)
class GraphFacts:
    """What a graph's row says, with its nodes and passes. ``columns`` are those that need no looking up."""

    columns: dict[str, Any]
    site: tuple[Any, int] = (None, 0)
    definition: tuple[Any, int] = (None, 0)
    began: float | None = None
    texts: dict[str, str] = field(default_factory=dict)
    nodes: list[NodeFacts] = field(default_factory=list)
    passes: list[dict[str, Any]] = field(default_factory=list)
    effects: list[tuple[str, tuple[Any, int], str]] = field(default_factory=list)
    reads: list[dict[str, Any]] = field(default_factory=list)
    """What the trace took from Python: columns of ``trace_reads``, and ``place`` for the site."""


class GraphRows:
    """Writes graphs, and what ran of them. ``ns`` turns a clock reading into nanoseconds since the beginning."""

    def __init__(self, builder: Builder, sites: Sites, rows: EventRows, ns: Callable[[float], float]) -> None:
        self._builder = builder
        self._sites = sites
        self._rows = rows
        self._ns = ns
        self.waiting: list[tuple[int, Callable[[], GraphFacts]]] = []
        self.node_runs: list[tuple[int, int, int]] = []
        """``(output, graph, node)``: the tensor that an event made, by the engine's number, ran this node."""
        self.runs: list[tuple[Any, int, Mapping[str, Any]]] = []
        """``(span, graph, columns)``: a run of a graph."""

        self.reads: list[tuple[Any, int, Callable[[], list[dict[str, Any]]]]] = []
        """``(span, graph, columns)``: what a trace took from Python, found at a run, or of a graph without a number."""

    def write(self, tensors: TensorRows, base: int) -> None:
        """Make rows of what has gathered."""
        waiting, self.waiting = self.waiting, []
        for number, describe in waiting:
            self._graph(number, describe())
        runs, self.runs = self.runs, []
        for span, graph, columns in runs:
            self._builder.append("graph_runs", event=span.event, graph=graph, **columns)
        reads, self.reads = self.reads, []
        for span, graph, described in reads:
            for read in described():
                self._read(graph, -1 if span is None else span.event, read)
        if self.node_runs:
            outputs, graphs, nodes = (np.array(column, "i8") for column in zip(*self.node_runs, strict=True))
            self.node_runs.clear()
            events = tensors.producers(outputs - base)
            self._builder.extend(
                "node_runs",
                {"event": events.astype("i4"), "graph": graphs.astype("i4"), "node": nodes.astype("i4")},
            )

    def _graph(self, number: int, facts: GraphFacts) -> None:
        texts = {name: self._builder.intern(facts.texts[name]) if facts.texts.get(name) else -1 for name in _TEXTS}
        self._builder.append(
            "graphs",
            id=number,
            site=self._sites.row(*facts.site),
            definition=self._sites.row(*facts.definition),
            t=0.0 if facts.began is None else self._ns(facts.began),
            **texts,
            **facts.columns,
        )
        first = -1
        for row in facts.passes:
            position = self._builder.append("passes", graph=number, **row)
            first = position if first < 0 else first
        for node in facts.nodes:
            self._node(number, node, first)
        for kind, where, text in facts.effects:
            self._builder.append("trace_effects", graph=number, kind=kind, site=self._sites.row(*where), text=text)

        for read in facts.reads:
            self._read(number, -1, read)

    def _read(self, graph: int, event: int, read: dict[str, Any]) -> None:
        place = read.pop("place")
        self._builder.append("trace_reads", graph=graph, event=event, site=self._sites.row(*place), **read)

    def _node(self, graph: int, node: NodeFacts, first_pass: int) -> None:
        fate, into, stage = node.fate
        self._builder.append(
            "nodes",
            graph=graph,
            number=node.number,
            name=node.name,
            op=self._rows.op_row(node.op),
            params=self._rows.params(dict(node.params)),
            shapes=json.dumps(node.shapes),
            dtypes=json.dumps(node.dtypes),
            device=node.device,
            site=self._sites.row(*node.site),
            region=node.regions[0] if node.regions else -1,
            regions=len(node.regions),
            fate=fate,
            into=node.number if fate == "kept" else into,
            stage=-1 if stage < 0 else first_pass + stage,
        )
        for position, (source, slot) in enumerate(node.inputs):
            self._builder.append(
                "node_edges", graph=graph, source=source, slot=slot, target=node.number, position=position
            )
        for source in node.control:
            self._builder.append("node_edges", graph=graph, source=source, slot=0, target=node.number, position=-1)
