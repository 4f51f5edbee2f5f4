"""What the recorder keeps of traced graphs and of their runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Final
from weakref import ref

from tapeviz.engine.deferred import Deferred, replaced
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import EagerTensor
from tapeviz.functions.effects import effects_of
from tapeviz.recorder.traced_backward import TracedBackward
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.graph_rows import GraphFacts, NodeFacts
from tapeviz.recording.packer import Packer
from tapeviz.recording.tensor_rows import Met

__all__ = ["GraphHooks"]

_NANO: Final = 1e9
_SHOWN: Final = 60


class GraphHooks:
    """Notes graphs as they are traced or run, each once."""

    def __init__(self, packer: Packer, store: ValueStore | None, number_of: Any) -> None:
        self._packer = packer
        self._rows = packer.graphs
        self._store = store
        self._number_of = number_of
        self._known: dict[int, int] = {}
        self._plans: dict[int, Any] = {}
        self.passes: TracedBackward = TracedBackward(packer, store, number_of)
        self.steps: bool = store is not None
        """Whether runs are wanted node by node."""
        self._quiet = False

    def quieten(self) -> None:
        """Note no more runs."""
        self.steps, self._quiet = False, True

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

    def ran(self, span: Any, graph: Any, columns: Mapping[str, Any], plan: Any) -> None:
        """A graph was run in this span; ``columns`` say what was fed, fetched and pruned, the plan what was run."""
        if self._quiet:
            return
        self._plans.setdefault(graph.number, plan)
        self._rows.runs.append((span, self.number(graph), columns))

    def ran_node(self, node: Any, inputs: Sequence[Any], outputs: Sequence[Any], t0: float, t1: float) -> None:
        """A node ran: an event like any other, and which node it was."""
        packer = self._packer
        base, bury = packer.base, packer.lifetimes.died.append
        ids = tuple([i if (i := tensor._id) >= base else self._number_of(tensor) for tensor in inputs])
        attrs = _plain_attrs(node)
        for tensor in outputs:
            if not hasattr(tensor, "_i"):
                tensor._i = next_id()  # asking for the number would tell us of a tensor that no op made
            if tensor.__class__ is not EagerTensor:
                packer.elsewhere[tensor._id] = tensor._backend.name
            if self._store is not None:
                self._store.keep(tensor._id, tensor._a)
        if len(outputs) == 1:
            (tensor,) = outputs
            array = tensor._a
            packer.log.add((
                t0, t1, node.op, node.code, node.instruction, ids, -1, tensor._id, array.shape, array.dtype, attrs,
                ref(tensor, bury), len(packer.lifetimes.died),
            ))  # fmt: skip
        else:
            met = [Met(tensor._id, tensor._a.shape, tensor._a.dtype) for tensor in outputs]
            refs = [ref(tensor, bury) for tensor in outputs]
            packer.many.append((t0, t1, node.op, node.code, node.instruction, ids, met, attrs, refs))
        self._rows.node_runs.append((outputs[0]._id, self.number(node.graph), node.number))

    def failed_node(self, node: Any, inputs: Sequence[Any], t0: float, error: BaseException) -> None:
        """A node failed: an event with a message."""
        ids = [self._number_of(tensor) for tensor in inputs]
        place = node.code, max(node.instruction, 0)
        self._packer.failures.append((t0, perf_counter(), node.op, *place, ids, _plain_attrs(node), error))

    # Describing.

    def _described(self, graph: Any, parent: int) -> GraphFacts:
        columns: dict[str, Any] = {"parent": parent, "name": graph.name, "sort": graph.sort}
        # Each run of a session's graph has a plan of its own, for what it fetches.
        plan = self._plans.pop(graph.number, None) if graph.sort != "session" else None
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
            params=_plain_attrs(node),
            shapes=[_shape(tensor) for tensor in node.outputs],
            dtypes=[as_dtype(tensor._a.dtype).name for tensor in node.outputs],
            device=node.device,
            place=(node.code, max(node.instruction, 0)),
            inputs=[(tensor._node.number, tensor._slot) for tensor in node.inputs],
            control=[before.number for before in node.control],
            regions=[self.number(region) for region in node.regions],
            **({} if fate is None else {"fate": (fate.kind, _number(fate.into), fate.stage)}),
        )


def _number(node: Any) -> int:
    return -1 if node is None else int(node.number)


def _shape(tensor: Any) -> list[int | None] | None:
    shape = tensor.shape
    return None if shape.rank is None else list(shape)


def _plain_attrs(node: Any) -> dict[str, Any]:
    """Attributes as people write them: sizes that are not known by where they come from, no objects of ours."""
    found: dict[str, Any] = {}
    for key, value in node.attrs.items():
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
