"""What a step of training did to each layer, by its recording: norms of gradients, sizes of updates, activations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.recording import Recording
from tapeviz.recording.schema import KINDS, PHASES

__all__ = ["StepFigures", "step_figures"]

_OP: Final = KINDS.index("op")
_BACKWARD: Final = PHASES.index("backward")
_UNMEASURED: Final = -1.0
_LAYERS: Final = ("layer", "module")
_UNNAMED: Final = "Variable"

Elements = Callable[[int], Any]


@dataclass(slots=True)
class StepFigures:
    """Figures of one step.

    Attributes:
        rows: the names of the layers, or of variables that stand alone, in the order in which gradients were asked for.
        measured: by quantity (``gradient``, ``zeros``, ``update``, ``spread``, ``nan``) a number for each row, -1 where
            it is not known.
        losses: by the user's name of it, what was differentiated last under that name.
    """

    rows: list[str] = field(default_factory=list)
    measured: dict[str, list[float]] = field(default_factory=dict)
    losses: dict[str, float] = field(default_factory=dict)


def step_figures(recording: Recording, elements: Elements, since: int = 0) -> StepFigures:
    """Figures of the step that a recording, or its events from one on, are of.

    Args:
        recording: the recording, with statistics.
        elements: gives the elements of a tensor by its id, None where they were not kept.
        since: the id of the step's first event.
    """
    return _Step(graph_of(recording), elements, since).figures()


class _Step:
    def __init__(self, graph: Graph, elements: Elements, since: int) -> None:
        self._graph, self._elements, self._since = graph, elements, since
        self._tables = graph.recording
        self._stats = graph.links.stats
        self._separator = "." if framework_of(graph.recording) else "/"
        self._names = dict(zip(self._tables.names.tensor.tolist(), self._tables.names.name, strict=True))

    def figures(self) -> StepFigures:
        requests = self._tables.requests
        chosen = np.flatnonzero(requests.event >= self._since).tolist()
        found = StepFigures()
        gradients: dict[str, dict[int, int]] = {}
        for row in chosen:
            variable, source = int(requests.variable[row]), int(requests.source[row])
            owner = self._owner(self._name(variable, source))
            gradients.setdefault(owner, {})[variable if variable >= 0 else -2 - source] = int(requests.gradient[row])
            target = int(requests.target[row])
            found.losses[self._names.get(target, "loss")] = self._figure("mean", target)
        found.rows = list(gradients)
        spreads = self._spreads(found.rows)
        columns = [
            {**self._of_gradients(list(of.values())), "update": self._update([v for v in of if v >= 0])}
            for of in gradients.values()
        ]
        for column, owner in zip(columns, found.rows, strict=True):
            column["spread"] = spreads.get(owner, _UNMEASURED)
        names = ("gradient", "zeros", "update", "spread", "nan")
        found.measured = {name: [column[name] for column in columns] for name in names}
        return found

    def _owner(self, name: str) -> str:
        """The layer of a variable: all but the last part of its name."""
        return name.rpartition(self._separator)[0] or name

    def _name(self, variable: int, source: int) -> str:
        variables = self._tables.variables
        names = [variables.name[row] for row in np.flatnonzero(variables.id == variable)] if variable >= 0 else []
        name = str(names[-1]).partition(":")[0] if names else ""
        if name in ("", _UNNAMED):
            return self._names.get(source) or name or f"tensor {source}"
        return name

    def _figure(self, name: str, tensor: int) -> float:
        row = self._stats_row(tensor)
        if row < 0:
            return float("nan")
        of: Any = self._tables.stats
        return float("nan") if of.nan[row] else float(getattr(of, name)[row])

    def _stats_row(self, tensor: int) -> int:
        place = int(self._graph.links.tensor_rows(np.array([tensor]))[0]) if tensor >= 0 else -1
        return int(self._stats[place]) if place >= 0 else -1

    def _of_gradients(self, gradients: list[int]) -> dict[str, float]:
        """The norm of all of them, the share of zeros, and whether there is a NaN; of None nothing is known."""
        stats = self._tables.stats
        rows = [row for row in map(self._stats_row, gradients) if row >= 0]
        if not rows:
            return {"gradient": _UNMEASURED, "zeros": _UNMEASURED, "nan": _UNMEASURED}
        norm = float(np.sqrt(np.sum(np.square(stats.norm[rows]))))
        counts = [np.frombuffer(stats.histogram[row], "<u4").sum() for row in rows]
        total = sum(counts) + float(np.sum(stats.nan[rows] + stats.posinf[rows] + stats.neginf[rows]))
        return {
            "gradient": norm,
            "zeros": float(np.sum(stats.zero[rows])) / max(total, 1.0),
            "nan": float(np.isnan(norm)),
        }

    def _update(self, variables: list[int]) -> float:
        """How far the step has moved variables, beside how long they are."""
        tensors = self._tables.tensors
        moved = length = 0.0
        known = False
        for variable in variables:
            ids = tensors.id[(tensors.variable == variable)].tolist()
            first, last = (self._elements(ids[0]), self._elements(ids[-1])) if len(ids) > 1 else (None, None)
            if first is None or last is None or np.shape(first) != np.shape(last):
                continue
            known = True
            moved += float(np.sum(np.square(np.asarray(last, "f8") - np.asarray(first, "f8"))))
            length += float(np.sum(np.square(np.asarray(first, "f8"))))
        return float(np.sqrt(moved / (length or 1.0))) if known else _UNMEASURED

    def _spreads(self, rows: list[str]) -> dict[str, float]:
        """The standard deviation of what each layer gave last, of those whose layer ran forward in this step."""
        ends: dict[str, int] = {}
        wanted = set(rows)
        self._owners = rows
        for event, scopes in self._scoped_ops():
            for owner in wanted.intersection(scopes):
                ends[owner] = event
        found = {}
        for owner, event in ends.items():
            outputs = self._graph.outputs[event]
            row = int(self._stats[outputs[-1]]) if outputs else -1
            if row >= 0:
                found[owner] = float(self._tables.stats.std[row])
        return {owner: spread for owner, spread in found.items() if np.isfinite(spread)}

    def _scoped_ops(self) -> Iterator[tuple[int, list[str]]]:
        """The forward ops in their order, each with the names of the layers and scopes that it is in."""
        events, links = self._tables.events, self._graph.links
        nodes, runs = self._tables.nodes, self._tables.node_runs
        names = dict(zip(zip(nodes.graph.tolist(), nodes.number.tolist(), strict=True), nodes.name, strict=True))
        named = {
            event: str(names.get((graph, node), ""))
            for event, graph, node in zip(runs.event.tolist(), runs.graph.tolist(), runs.node.tolist(), strict=True)
        }
        forward = (events.kind == _OP) & (events.phase != _BACKWARD) & (events.id >= self._since)
        for event in np.flatnonzero(forward).tolist():
            name = named.get(int(events.id[event]), "")
            if name.startswith("gradient_tape/") or "/Read/" in name:
                continue
            spans = list(self._spans(int(links.parent[event])))
            yield event, [*name.split("/")[:-1], *spans, self._path(spans)]

    def _path(self, spans: list[str]) -> str:
        """What the variables of the innermost layer are called by where names tell the layers around it."""
        inside = "".join(f"{self._separator}{name}" for name in reversed(spans[:-1]))
        return next((owner for owner in self._owners if inside and owner.endswith(inside)), "")

    def _spans(self, event: int) -> Iterator[str]:
        parent, spans = self._graph.links.parent, self._graph.links.spans
        while event >= 0:
            kind, name = spans.get(event, ("", ""))
            if kind in _LAYERS:
                yield name
            event = int(parent[event])
