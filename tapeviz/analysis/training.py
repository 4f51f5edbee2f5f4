"""The calls of ``gradient`` of a recording, and the updates of variables that follow from them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph, Lists
from tapeviz.analysis.links import ops_with, pick, rows_of
from tapeviz.recording import Recording

__all__ = ["Request", "Training", "Update", "training_of"]

_FAR: Final = 400  # ops between a gradient and what is assigned: those of any optimizer's rule are fewer


@dataclass(frozen=True, slots=True)
class Request:
    """One call of ``gradient``: rows of its span, of what was differentiated, and by variable what came of it.

    Attributes:
        span: the span's row.
        tape: the tape's number, -1 where it is not known.
        target: what was differentiated, -1 where nothing was asked for.
        gradients: the gradient of each variable asked for, -1 for None; sources that are no variables are left out.
    """

    span: int
    tape: int
    target: int
    gradients: dict[int, int]


@dataclass(frozen=True, slots=True)
class Update:
    """A value assigned to a variable: rows of the op and of the value, and the gradients in it, by their variable."""

    event: int
    variable: int
    tensor: int
    gradients: dict[int, int]


class Training:
    """What of a recording is training; each part is worked out when first asked for."""

    def __init__(self, recording: Recording) -> None:
        self.graph = recording.derived(Graph)
        self._variables = {int(number): row for row, number in enumerate(recording.variables.id.tolist())}

    @cached_property
    def requests(self) -> list[Request]:
        """The calls of ``gradient``, in their order; those without a source too."""
        graph, table = self.graph, self.graph.recording.requests
        spans = rows_of(graph.recording.events.id, table.event)
        targets, gradients = graph.links.tensor_rows(table.target), graph.links.tensor_rows(table.gradient)
        found: dict[int, Request] = {
            row: Request(row, int(graph.attributes(row).get("tape", -1)), -1, {})
            for row, span in graph.links.spans.items() if span == ("backward", "gradient")
        }  # fmt: skip
        for row, span in enumerate(spans.tolist()):
            asked = found.get(span)
            if asked is None or asked.target < 0:
                known = {} if asked is None else asked.gradients
                asked = found[span] = Request(span, int(table.tape[row]), int(targets[row]), known)
            if table.variable[row] >= 0:
                asked.gradients[int(table.variable[row])] = int(gradients[row])
        return [found[span] for span in sorted(found) if span >= 0]

    @cached_property
    def by_line(self) -> dict[int, list[Request]]:
        """The calls of ``gradient`` from each line (a row of ``sites``)."""
        lines: dict[int, list[Request]] = {}
        for asked in self.requests:
            lines.setdefault(self.graph.site(asked.span), []).append(asked)
        return lines

    @cached_property
    def stores(self) -> dict[int, list[int]]:
        """The ops that gave a variable a value in a session, by the span of the run."""
        found: dict[int, list[int]] = {}
        ops = ops_with(self.graph.recording, "write")
        for event in np.flatnonzero(pick(ops, self.graph.recording.events.op) & self.graph.ran).tolist():
            parent = int(self.graph.links.parent[event])
            if parent >= 0 and self.graph.said(event, "family") == "variable":
                found.setdefault(parent, []).append(event)
        return found

    @cached_property
    def in_sessions(self) -> dict[int, list[Request]]:
        """The runs of sessions that train, by the line of the optimizer: their gradients are ops like others."""
        found: dict[int, list[Request]] = {}
        for span, stores in self.stores.items():
            line = self.graph.site(stores[0])
            target = self._minimized(span, line)
            if target >= 0:
                found.setdefault(line, []).append(Request(span, -1, target, {}))
        return found

    def _minimized(self, span: int, line: int) -> int:
        """What the gradients made on a line begin with: the first that its ops read from another line; -1 for none."""
        graph = self.graph
        inside = np.flatnonzero((graph.links.parent == span) & graph.ran)
        for event in inside.tolist():
            if graph.site(event) == line:
                made = [read for read in self._reads[event] if graph.links.producer[read] >= 0]
                return next((read for read in made if graph.site(int(graph.links.producer[read])) != line), -1)
        return -1

    @cached_property
    def assigned(self) -> dict[int, list[int]]:
        """The values of each variable, as rows of tensors, in the order in which they were assigned."""
        of, producer = self.graph.recording.tensors.variable, self.graph.links.producer
        found: dict[int, list[int]] = {}
        for tensor in np.flatnonzero((of >= 0) & (producer >= 0)).tolist():
            found.setdefault(int(of[tensor]), []).append(tensor)
        return {variable: sorted(values, key=lambda value: producer[value]) for variable, values in found.items()}

    @cached_property
    def updates(self) -> list[Update]:
        """What was assigned to trainable variables after their first value, in order."""
        producer = self.graph.links.producer
        found = [
            Update(int(producer[tensor]), variable, tensor, self._gradients(tensor))
            for variable, values in self.assigned.items() if self.is_trainable(variable)
            for tensor in (values[1:] if self.made(variable) >= 0 else values)
        ]  # fmt: skip
        return sorted(found, key=lambda update: update.event)

    @cached_property
    def learned(self) -> frozenset[int]:
        """The variables that were updated by a gradient."""
        return frozenset(update.variable for update in self.updates if update.gradients)

    @cached_property
    def asked(self) -> frozenset[int]:
        """The variables that a gradient was asked for."""
        return frozenset(variable for asked in self.requests for variable in asked.gradients)

    @cached_property
    def watched(self) -> dict[int, frozenset[int]]:
        """The variables that each tape watched by itself."""
        graph, table = self.graph, self.graph.recording.watches
        rows = graph.links.tensor_rows(table.tensor)
        found: dict[int, set[int]] = {}
        for tape, row, automatic in zip(table.tape.tolist(), rows.tolist(), table.automatic.tolist(), strict=True):
            if automatic and row >= 0:
                found.setdefault(tape, set()).add(int(graph.recording.tensors.variable[row]))
        return {tape: frozenset(variables) for tape, variables in found.items()}

    def is_trainable(self, variable: int) -> bool:
        """Whether tapes watch a variable by themselves."""
        row = self._variables.get(variable, -1)
        return row >= 0 and bool(self.graph.recording.variables.trainable[row])

    def made(self, variable: int) -> int:
        """The line where a variable was made, a row of ``sites``; -1 where it was there before."""
        row = self._variables.get(variable, -1)
        return int(self.graph.recording.variables.site[row]) if row >= 0 else -1

    def own_name(self, variable: int) -> str:
        """A variable's own name, without the number of its output."""
        row = self._variables.get(variable, -1)
        return self.graph.recording.variables.name[row].removesuffix(":0") if row >= 0 else ""

    def name(self, variable: int) -> str:
        """What the user knows a variable by."""
        return self.graph.variable_names.get(variable, f"variable {variable}")

    def names(self, variables: list[int], most: int = 4) -> str:
        """The names of variables, the first few of many."""
        known = [self.name(variable) for variable in variables]
        return ", ".join(known[:most]) + (", ..." if len(known) > most else "")

    def read_by(self, tensor: int) -> dict[int, int]:
        """The variables that a tensor can have a gradient by, each with the value that was read (a row)."""
        graph, seen, queue = self.graph, {tensor}, [tensor]
        found: dict[int, int] = {}
        of, producer = graph.recording.tensors.variable, graph.links.producer
        while queue:
            value = queue.pop()
            if of[value] >= 0:
                found[int(of[value])] = value
                continue
            event = int(producer[value])
            if event < 0 or not self._passes(event):
                continue
            for other in graph.inputs[event]:
                if other not in seen and graph.is_floating[other]:
                    seen.add(other)
                    queue.append(other)
        return found

    def once(self, variable: int) -> bool:
        """Whether a variable was given one value after its first."""
        return len(self.assigned.get(variable, ())[1:]) == 1

    def series(self, asked: list[Request]) -> list[float]:
        """The values of what was differentiated, where it is a single number."""
        return [self.value(one.target) for one in asked if one.target >= 0 and self.graph.size(one.target) == 1]

    def value(self, tensor: int) -> float:
        """The value of a tensor of one element; nan where it is not known."""
        graph = self.graph
        row = int(graph.links.stats[tensor]) if tensor >= 0 else -1
        if row < 0:
            return float("nan")
        stats = graph.recording.stats
        return float("inf") if stats.posinf[row] else float("-inf") if stats.neginf[row] else float(stats.mean[row])

    def norm(self, tensor: int) -> float:
        """The norm of a tensor; nan where it is not known."""
        row = int(self.graph.links.stats[tensor]) if tensor >= 0 else -1
        return float(self.graph.recording.stats.norm[row]) if row >= 0 else float("nan")

    def layer_line(self, variable: int) -> int:
        """The line where a layer with this variable was made, as a row of ``sites``; else that of the variable."""
        scopes = self.own_name(variable).split("/")[:-1]
        lines = (self._layers[scope] for scope in reversed(scopes) if scope in self._layers)
        return next(lines, self.made(variable))

    def is_in_layer(self, variable: int) -> bool:
        """Whether it is known which layer has this variable."""
        return not self._layers.keys().isdisjoint(self.own_name(variable).split("/"))

    def written_at(self, event: int) -> int:
        """The line to look at for an op, a row of ``sites``: in a traced step of ``fit`` where its layer was made.

        The loss of such a step has no layer: the one is named whose outputs it was given.
        """
        line = self.graph.written_at(event)
        span = self._graph_around(event)
        if span < 0 or self.graph.site(span) != line:
            return line
        while event >= 0:
            scopes = reversed(self._nodes.get(event, "").split("/"))
            made = next((self._layers[scope] for scope in scopes if scope in self._layers), -1)
            if made >= 0:
                return made
            before = [int(self.graph.links.producer[read]) for read in self.graph.operands[event]]
            event = max((maker for maker in before if maker > span), default=-1)
        return line

    @cached_property
    def _nodes(self) -> dict[int, str]:
        """The names of the nodes of graphs that events ran."""
        nodes, runs = self.graph.recording.nodes, self.graph.recording.node_runs
        names = dict(zip(zip(nodes.graph.tolist(), nodes.number.tolist(), strict=True), nodes.name, strict=True))
        events = rows_of(self.graph.recording.events.id, runs.event).tolist()
        ran = zip(runs.graph.tolist(), runs.node.tolist(), strict=True)
        return {event: names.get(node, "") for event, node in zip(events, ran, strict=True)}

    def is_in_a_graph(self, span: int) -> bool:
        """Whether a call of ``gradient`` is one of a graph's run, which keeps no sources that are no nodes."""
        return self._graph_around(span) >= 0

    def _graph_around(self, event: int) -> int:
        """The run of a graph that an event is in; -1 for none."""
        while event >= 0 and self.graph.links.spans.get(event, ("", ""))[0] != "graph":
            event = int(self.graph.links.parent[event])
        return event

    def is_frozen(self, variable: int) -> bool:
        """Whether a layer with this variable was told not to be trained, at any time."""
        return not self._frozen.isdisjoint(self.own_name(variable).split("/"))

    @cached_property
    def _layers(self) -> dict[str, int]:
        """The line where each layer was made that got its weights here, or was called and has none: the latest so."""
        graph = self.graph
        calls = [row for row, (sort, _) in graph.links.spans.items() if sort == "layer"]
        models = {int(graph.links.parent[row]) for row in calls}
        builds = [row for row, (sort, _) in graph.links.spans.items() if sort == "build"]
        spans = [*(row for row in calls if row not in models), *builds]
        made = {graph.op(row): graph.attributes(row).get("made", -1) for row in spans}
        return {name: row for name, row in made.items() if isinstance(row, int) and row >= 0}

    @cached_property
    def _frozen(self) -> frozenset[str]:
        return frozenset(name for sort, name in self.graph.links.spans.values() if sort == "frozen")

    @cached_property
    def _reads(self) -> Lists:
        """The tensors that an event reads, those too of which it asks the shape alone."""
        event, tensor, _ = self.graph.reads
        return Lists(event, tensor, self.graph.events)

    @cached_property
    def _spans(self) -> list[int]:
        return [asked.span for asked in self.requests]

    @cached_property
    def _asked_for(self) -> dict[int, int]:
        return {gradient: variable for asked in self.requests for variable, gradient in asked.gradients.items()
                if gradient >= 0}  # fmt: skip

    def _passes(self, event: int) -> bool:
        """Whether an op hands a gradient on to any of its inputs."""
        return self.graph.said(event, "differentiable").strip("0") != ""

    def _gradients(self, tensor: int) -> dict[int, int]:
        """The gradients of the same step that a value was computed from, by their variable."""
        graph, producer = self.graph, self.graph.links.producer
        found: dict[int, int] = {}
        at = bisect_right(self._spans, int(producer[tensor])) - 1
        begun = self._spans[at] if at >= 0 else graph.events
        queue, seen = [tensor], {tensor}
        for value in queue:
            if value in self._asked_for:
                found[self._asked_for[value]] = value
                continue
            variable = int(graph.recording.tensors.variable[value])
            if variable >= 0 and value != tensor and (producer[value] < begun or self.is_trainable(variable)):
                continue
            for other in graph.inputs[int(producer[value])] if producer[value] >= 0 else ():
                if other not in seen and len(queue) < _FAR:
                    seen.add(other)
                    queue.append(other)
        return found


def training_of(graph: Graph) -> Training:
    """The training in a recording, worked out once."""
    return graph.recording.derived(Training)
