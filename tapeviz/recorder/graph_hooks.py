"""What the recorder keeps of traced graphs and of their runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from tapeviz.engine.deferred_numbers import Deferred, replaced
from tapeviz.engine.dtypes import as_dtype
from tapeviz.functions.effects import effects_of
from tapeviz.functions.python_reads import reads_of, value_read
from tapeviz.recording.rows.graph_rows import GraphFacts, GraphRows, NodeFacts

__all__ = ["GraphHooks", "plain_attrs"]

_NANO: Final = 1e9
_SHOWN: Final = 60


class GraphHooks:
    """Notes graphs as they are traced or run, each once."""

    def __init__(self, rows: GraphRows) -> None:
        self._rows = rows
        self._known: dict[int, int] = {}
        self._plans: dict[int, Any] = {}

    def number(self, graph: Any) -> int:
        """The recording's number of a graph, which is described when rows are packed."""
        known = self._known.get(graph.number)
        if known is None:
            known = self._known[graph.number] = len(self._known)
            parent = -1 if graph.outer is None else self.number(graph.outer)
            self._rows.waiting.append((known, lambda: self._described(graph, parent)))
            for node in graph.nodes:
                for region in node.regions:
                    self.number(region)
        return known

    def add_run(self, span: Any, graph: Any, columns: Mapping[str, Any], plan: Any) -> None:
        """The observer's ``on_graph_run``."""
        self._plans.setdefault(graph.number, plan)
        number = self.number(graph)
        self._rows.runs.append((span, number, columns))
        python = graph.python_state
        if python is not None:
            for value, now in python.changes():
                self._rows.reads.append((span, number, partial(_value_read, python, value, now)))

    def add_trace(self, graph: Any) -> None:
        """The observer's ``on_trace``."""
        if graph.python_state is not None:
            self._rows.reads.append((None, -1, partial(_reads, graph)))

    def add_node(self, node: Any, output: Any) -> tuple[tuple[Any, int], dict[str, Any]]:
        """A node ran: its event, known by what it made first, is that node's. Its site and its attributes."""
        first = output[0] if output.__class__ is tuple else output
        self._rows.node_runs.append((first._i, self.number(node.graph), node.number))
        return (node.code, node.instruction), plain_attrs(node.attrs)

    # Describing.

    def _described(self, graph: Any, parent: int) -> GraphFacts:
        columns: dict[str, Any] = {"parent": parent, "name": graph.name, "sort": graph.kind}
        # Each run of a session's graph has a plan of its own, for what it fetches.
        plan = self._plans.pop(graph.number, None) if graph.kind != "session" else None
        facts = GraphFacts(columns, nodes=[self._node(node, plan) for node in graph.nodes])
        if plan is not None:
            facts.passes = [
                {"name": one.name, "dur": float(round(one.seconds * _NANO)), "before": one.before, "after": one.after,
                 "text": one.text}
                for one in plan.passes
            ]  # fmt: skip
            columns["planning"] = sum(row["dur"] for row in facts.passes)
        trace = graph.trace
        if trace is not None:
            facts.site, facts.began = (trace.code, trace.instruction), trace.began
            facts.definition = (trace.definition, 0)
            columns |= {
                "function": trace.function, "trace": trace.number, "reason": trace.reason, "argument": trace.argument,
                "before": trace.before, "after": trace.after, "fix": trace.fix,
                "converting": float(round(trace.converting * _NANO)), "tracing": float(round(trace.seconds * _NANO)),
                "key": json.dumps([[leaf.path, leaf.text] for leaf in trace.signature.leaves]),
            }  # fmt: skip
            facts.effects = effects_of(trace.python)
            facts.reads = _reads(graph)
            if (conversion := trace.conversion) is not None:
                facts.texts = {"source": conversion.source, "generated": conversion.generated}
                columns["lines"] = json.dumps(conversion.line_map)
        return facts

    def _node(self, node: Any, plan: Any) -> NodeFacts:
        fate = None if plan is None else plan.fate(node)
        return NodeFacts(
            number=node.number,
            name=node.name,
            op=node.op,
            params=plain_attrs(node.attrs),
            shapes=[_shape(tensor) for tensor in node.outputs],
            dtypes=[as_dtype(tensor._a.dtype).name for tensor in node.outputs],
            device=node.device,
            site=(node.code, max(node.instruction, 0)),
            inputs=[(tensor._node.number, tensor._slot) for tensor in node.inputs],
            control=[before.number for before in node.control],
            regions=[self.number(region) for region in node.regions],
            **({} if fate is None else {"fate": (fate.kind, _number(fate.into), fate.stage)}),
        )


def _reads(graph: Any) -> list[dict[str, Any]]:
    return [] if graph.python_state is None else [asdict(read) for read in reads_of(graph.python_state)]


def _value_read(python: Any, value: Any, now: Any) -> list[dict[str, Any]]:
    read = value_read(python, value, now)
    return [] if read is None else [asdict(read)]


def _number(node: Any) -> int:
    return -1 if node is None else int(node.number)


def _shape(tensor: Any) -> list[int | None] | None:
    shape = tensor.shape
    return None if shape.rank is None else list(shape)


def plain_attrs(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as people write them: sizes that are not known by where they come from, no objects of ours."""
    found: dict[str, Any] = {}
    for key, value in attrs.items():
        if key == "run":
            continue
        if key == "tensor":
            text = str(value._host().tolist())
            found["value"] = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        elif key == "variable":
            found[key] = value.name
        else:
            found[key] = replaced(value, _text)
    return found


def _text(number: Deferred) -> str:
    return number.text
