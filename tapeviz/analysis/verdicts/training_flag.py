"""Dropout and batch normalization in inference mode while variables are trained, and in training mode elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from tapeviz.analysis.calls import Calls, calls_of
from tapeviz.analysis.graph import NOT_REACHED, Graph
from tapeviz.analysis.links import Rows
from tapeviz.analysis.verdicts.traced_training_flag import traced
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at
from tapeviz.recording import Recording

__all__ = ["TRAINING_FLAG"]

_SAMPLES: Final = 5  # calls on the same input that are meant as samples

_SHOWN: Final = 3  # names of like layers in one sentence


@dataclass(frozen=True)
class _Call:
    """A call of a layer that does something else in training: rows of events."""

    leaf: int
    line: int
    root: int
    training: bool
    name: str
    what: str


class _LayerCalls:
    """The calls of layers in a recording, and what was differentiated of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.facts: dict[int, dict[str, Any]] = {}
        for row, (kind, _) in graph.links.spans.items():
            if kind == "layer":
                self.facts[row] = graph.attributes(row)

    @cached_property
    def calls(self) -> list[_Call]:
        return [self._call(row, facts) for row, facts in self.facts.items() if facts.get("by_training")]

    def _call(self, leaf: int, facts: dict[str, Any]) -> _Call:
        training = bool(facts.get("training"))
        line = leaf
        while (outer := self._outer(line)) >= 0 and bool(self.facts[outer].get("training")) == training:
            line = outer
        return _Call(leaf, line, self.root(leaf), training, str(facts.get("name", "")), str(facts["by_training"]))

    def _outer(self, row: int) -> int:
        """The layer's call that a call is in; -1 for none."""
        parent = int(self.graph.links.parent[row])
        while parent >= 0 and parent not in self.facts:
            parent = int(self.graph.links.parent[parent])
        return parent

    def root(self, row: int) -> int:
        """The outermost call of a layer that a call is in."""
        while (outer := self._outer(row)) >= 0:
            row = outer
        return row

    @cached_property
    def of_event(self) -> Rows:
        """For each event the outermost call of a layer that it is in; -1 for none."""
        found = np.full(self.graph.events, -1)
        parents = self.graph.links.parent
        for row in range(self.graph.events):  # a span comes before what is in it
            parent = int(parents[row])
            found[row] = found[parent] if parent >= 0 and found[parent] >= 0 else parent if parent in self.facts else -1
        return found

    @cached_property
    def made(self) -> dict[int, list[int]]:
        """The tensors that were made in each outermost call."""
        found: dict[int, list[int]] = {}
        for tensor, event in enumerate(self.graph.links.producer.tolist()):
            if event >= 0 and self.of_event[event] >= 0 and not self.graph.is_variable[tensor]:
                found.setdefault(int(self.of_event[event]), []).append(tensor)
        return found

    def is_differentiated(self, root: int) -> bool:
        """Whether a gradient went back through a call."""
        return any(self.graph.links.gradient[tensor] >= 0 for tensor in self.made.get(root, []))

    @cached_property
    def asked(self) -> set[int]:
        """The variables that a gradient was asked by."""
        requests = self.graph.recording.requests
        return set(requests.variable[(requests.variable >= 0) & (requests.gradient >= 0)].tolist())

    def variables(self, row: int) -> dict[int, int]:
        """The variables that were read in a call of a layer, each with a tensor of its value."""
        events, tensors, _ = self.graph.reads
        inside = self._inside(row)[events]
        of = self.graph.recording.tensors.variable
        return {int(of[tensor]): int(tensor) for tensor in tensors[inside].tolist() if of[tensor] >= 0}

    def _inside(self, row: int) -> Any:
        found = np.zeros(self.graph.events, np.bool_)
        found[row] = True
        parents = self.graph.links.parent
        for event in range(row + 1, self.graph.events):
            parent = int(parents[event])
            if parent >= row and found[parent]:
                found[event] = True
            elif parent < row:
                break
        return found

    def uses(self, root: int) -> tuple[list[int], bool]:
        """The events outside of a call that read what it made, and whether that left for Python."""
        made = self.made.get(root, [])
        readers = [event for tensor in made for event in self.graph.readers[tensor]
                   if self.of_event[event] != root and not self.graph.is_backward(event)]  # fmt: skip
        ids = {self.graph.tensor_id(tensor) for tensor in made}
        exits = self.graph.recording.exits
        return readers, not ids.isdisjoint(exits.tensor.tolist())


def _training_flag(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    if not _trains(graph.recording):
        return
    layers = _LayerCalls(graph)
    told: set[int] = set()
    trained = {call.name for call in layers.calls if call.training and layers.is_differentiated(call.root)}
    by_line: dict[int, list[_Call]] = {}
    for call in layers.calls:
        by_line.setdefault(graph.site(call.line), []).append(call)
    for site, calls in by_line.items():
        off = next((one for one in calls if not one.training and _is_off(layers, one, trained)), None)
        finding = _off(layers, off, calls) if off is not None else _on(layers, calls)
        if finding is not None and site not in told:
            told.add(site)
            yield finding
    yield from (one for one in (*_dropped(layers), *traced(graph)) if one.site_row not in told)


def _dropped(layers: _LayerCalls) -> Iterator[Verdict]:
    """A line that drops elements outside of layers, in training and also where nothing is differentiated."""
    graph, calls = layers.graph, calls_of(layers.graph.recording)
    lines: dict[int, list[int]] = {}
    for call in calls.of_family("random").tolist():
        if call < calls.events and layers.of_event[call] < 0 and (kept := _chosen(calls, call)) >= 0:
            lines.setdefault(calls.site(call), []).append(kept)
    for events in lines.values():
        graded = [_learns(graph, event) for event in events]
        outside = [event for event, learns in zip(events, graded, strict=True) if not learns]
        if any(graded) and 0 < len(outside) < _SAMPLES:
            yield verdict_at(
                graph, outside[0], "training_flag", LIKELY,
                "elements are dropped here in training, and also where nothing is differentiated: what it gives "
                "changes from call to call",
                "drop under a condition, such as if training:, and call it without at prediction",
                tensor=graph.outputs[outside[0]][0],
                evidence={"events": [graph.event_id(event) for event in outside]},
            )  # fmt: skip


def _learns(graph: Graph, event: int) -> bool:
    """Whether what an event made, or what was made of that, has a gradient."""
    made = graph.outputs[event]
    further = [other for tensor in made for reader in graph.readers[tensor] for other in graph.outputs[reader]]
    return any(graph.links.gradient[tensor] >= 0 for tensor in (*made, *further))


def _chosen(calls: Calls, call: int) -> int:
    """The call that keeps or drops by the random numbers of a call on the same line; -1 for none."""
    for number in calls.outputs(call):
        for compares in calls.readers[number]:
            for reader in (one for value in calls.outputs(compares) for one in calls.readers[value]):
                if "selects" in calls.traits(reader) and calls.site(reader) == calls.site(call):
                    return reader
    return -1


def _is_off(layers: _LayerCalls, call: _Call, trained: set[str]) -> bool:
    """Whether a layer has never run in training mode though its variables, or those around it, are trained."""
    if call.name in trained or not layers.is_differentiated(call.root):
        return False
    own = layers.variables(call.leaf)
    if not own:
        return not layers.asked.isdisjoint(layers.variables(call.root))
    # Averages that were learned before are meant to be used as they are.
    return not layers.asked.isdisjoint(own) and any(_is_constant(layers.graph, tensor, 0.0) for tensor in own.values())


def _off(layers: _LayerCalls, call: _Call, calls: list[_Call]) -> Verdict:
    graph = layers.graph
    names = list(dict.fromkeys(one.name for one in calls if not one.training))
    rest = len(names) - _SHOWN
    shown = ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
    lost = "nothing is dropped" if call.what == "noise" else "the moving averages stay as they were at the start"
    return verdict_at(
        graph, call.line, "training_flag", LIKELY,
        f"variables are trained through {shown}, which {'run' if len(names) > 1 else 'runs'} in inference mode: {lost}",
        _with_training(graph, call.line, "True"),
        evidence={"layers": names, "events": [graph.event_id(call.leaf)]},
    )  # fmt: skip


def _on(layers: _LayerCalls, calls: list[_Call]) -> Verdict | None:
    """Of calls of one line in training mode one that is no training."""
    graph = layers.graph
    outside = [call for call in calls if call.training and not layers.is_differentiated(call.root)]
    roots = list(dict.fromkeys(call.root for call in outside))
    if not roots or _are_samples(layers, roots):
        return None
    for call in outside:
        last = max((one.root for one in layers.calls if one.name == call.name and one.training
                    and layers.is_differentiated(one.root)), default=-1)  # fmt: skip
        readers, left = layers.uses(call.root)
        reached = graph.descendants([tensor for event in readers for tensor in graph.outputs[event]])
        learns = bool(((np.array(reached) != NOT_REACHED) & (graph.links.gradient >= 0)).any())
        if last < 0 or not (readers or left) or (learns and last > call.root):
            continue
        effect = "what it gives changes from call to call" if call.what == "noise" else "an answer depends on the rest "
        effect += "" if call.what == "noise" else "of its batch, and the averages move"
        return verdict_at(
            graph, call.line, "training_flag", LIKELY,
            f"{call.name} runs in training mode where nothing is trained: {effect}",
            _with_training(graph, call.line, "False"),
            evidence={"layers": [call.name], "events": [graph.event_id(call.leaf)]},
        )  # fmt: skip
    return None


def _are_samples(layers: _LayerCalls, roots: list[int]) -> bool:
    """Whether calls are samples of one answer: put together by one op, or taken often of the same input."""
    graph = layers.graph
    seen: dict[int, int] = {}
    for root in roots:
        for event in {*layers.uses(root)[0]}:
            if seen.setdefault(event, root) != root:
                return True
    first = [_fingerprint(graph, layers, root) for root in roots]
    return any(first.count(one) >= _SAMPLES for one in first if one is not None)


def _fingerprint(graph: Graph, layers: _LayerCalls, root: int) -> tuple[float, ...] | None:
    events = [event for event in range(root + 1, min(root + 40, graph.events)) if layers.of_event[event] == root]
    made = set(layers.made.get(root, []))
    for event in events:
        for tensor in graph.inputs[event]:
            row = int(graph.links.stats[tensor])
            if tensor not in made and not graph.is_variable[tensor] and row >= 0 and graph.shape(tensor):
                stats = graph.recording.stats
                return float(stats.mean[row]), float(stats.norm[row]), float(stats.max[row])
    return None


def _is_constant(graph: Graph, tensor: int, value: float) -> bool:
    row, stats = int(graph.links.stats[tensor]), graph.recording.stats
    return row >= 0 and stats.min[row] == stats.max[row] == value


def _with_training(graph: Graph, row: int, flag: str) -> str:
    place = graph.place(graph.site(row))
    said = place.text if place is not None else ""
    other = "False" if flag == "True" else "True"
    if f"training={other}" in said:
        return f"write training={flag} in place of training={other}, or pass on the training that the layer is told"
    return f"call the layer with training={flag} there"


def _trains(recording: Recording) -> bool:
    return len(recording.requests) > 0 or len(recording.nodes) > 0


TRAINING_FLAG: Final = Rule(
    _training_flag,
    {"training_flag": "dropout and batch normalization in the wrong mode"},
    "ops",
    applies=_trains,
)
