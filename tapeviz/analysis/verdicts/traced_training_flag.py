"""The same in traced graphs: what a node draws, and which variables a graph reads and assigns, tells the mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.calls import Calls, calls_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.verdicts.verdict import LIKELY, Verdict

__all__ = ["traced"]

_AVERAGE: Final = "moving_mean"


class _Traces:
    """By graph: the variables that its nodes read and assign."""

    def __init__(self, graph: Graph) -> None:
        self.calls: Calls = calls_of(graph.recording)
        self.nodes = graph.recording.nodes
        self.reads: dict[int, dict[str, int]] = {}
        self.assigns: dict[int, set[str]] = {}
        self.draws: dict[int, list[int]] = {}
        for row, number in enumerate(self.nodes.graph.tolist()):
            call = self.calls.events + row
            variable = str(self.calls.params(call).get("variable", "")).removesuffix(":0")
            if self.calls.family(call) == "random" and self.calls.is_forward[call]:
                self.draws.setdefault(number, []).append(call)
            elif variable and "writes_variable" in self.calls.traits(call):
                self.assigns.setdefault(number, set()).add(variable)
            elif variable:
                self.reads.setdefault(number, {}).setdefault(variable, call)

    def scope(self, call: int) -> str:
        """The outermost layer that a node is in."""
        return str(self.nodes.name[call - self.calls.events]).partition("/")[0]

    def weights(self, number: int, scope: str) -> set[str]:
        """The variables that a graph reads in the outermost layer of that name."""
        return {name for name, call in self.reads.get(number, {}).items() if self.scope(call) == scope}


def traced(graph: Graph) -> Iterator[Verdict]:
    """Findings in traced graphs."""
    if not len(graph.recording.nodes):
        return
    traces = _Traces(graph)
    for number in traces.reads:
        yield from _averages_at_rest(graph, traces, number)
    for number, draws in traces.draws.items():
        yield from _noise_elsewhere(graph, traces, number, draws)


def _averages_at_rest(graph: Graph, traces: _Traces, number: int) -> Iterator[Verdict]:
    """Batch normalization whose scale is trained while its averages are read and never moved."""
    assigned = traces.assigns.get(number, set())
    sites: dict[int, list[str]] = {}
    for name, call in traces.reads[number].items():
        layer, _, kind = name.rpartition("/")
        trained = {f"{layer}/gamma", f"{layer}/beta"} & assigned
        if (
            kind == _AVERAGE
            and name not in assigned
            and trained
            and not _was_frozen(traces, name, trained)
            and (_is_new(graph, name))
        ):
            sites.setdefault(traces.calls.site(call), []).append(layer)
    for layers in sites.values():
        call = traces.reads[number][f"{layers[0]}/{_AVERAGE}"]
        yield _verdict(
            traces.calls, call, layers,
            f"variables are trained through {layers[0]}{_and_more(layers)} in inference mode: the moving averages stay "
            "as they were at the start",
            "call the layer with the training that the model is told, or with training=True",
        )  # fmt: skip


def _verdict(calls: Calls, call: int, layers: list[str], text: str, fix: str) -> Verdict:
    """A finding on the line of a node; its first run is the event to look at."""
    graph, site, event = calls.graph, calls.site(call), calls.graph.event_id(calls.event(call))
    facts = {"layers": layers, "events": [event] if event >= 0 else []}
    return Verdict("training_flag", LIKELY, event, -1, graph.place(site), text, fix, facts, site)


def _was_frozen(traces: _Traces, name: str, scales: set[str]) -> bool:
    """Whether another graph trains around that layer and leaves its scale alone, as fine-tuning does first."""
    return any(
        assigned and name in traces.reads.get(number, {}) and not assigned & {*scales, name}
        for number, assigned in traces.assigns.items()
    )


def _is_new(graph: Graph, name: str) -> bool:
    """Whether a variable is 0 in all of the recording."""
    variables, stats = graph.recording.variables, graph.recording.stats
    ids = [number for number, said in zip(variables.id.tolist(), variables.name, strict=True)
           if said.removesuffix(":0") == name]  # fmt: skip
    tensors = np.flatnonzero(np.isin(graph.recording.tensors.variable, ids))
    rows = graph.links.stats[tensors]
    rows = rows[rows >= 0]
    return bool(len(rows)) and bool((stats.min[rows] == 0).all() and (stats.max[rows] == 0).all())


def _noise_elsewhere(graph: Graph, traces: _Traces, number: int, draws: list[int]) -> Iterator[Verdict]:
    """Noise in a layer whose weights are trained in another graph, and not in this one."""
    assigned = traces.assigns.get(number, set())
    told: set[int] = set()
    for call in draws:
        weights, site = traces.weights(number, traces.scope(call)), traces.calls.site(call)
        others = [other for other, names in traces.assigns.items() if other != number and names & weights]
        if site in told or not weights or weights & assigned or not others:
            continue
        evaluates = not assigned and _ends_in_a_number(traces.calls, call)
        if evaluates or (assigned and _last_run(graph, others) < _first_run(graph, number)):
            told.add(site)
            yield _verdict(
                traces.calls, call, [traces.scope(call)],
                f"{traces.scope(call)} runs in training mode where its weights are not trained: what it gives changes "
                "from call to call",
                "call it with training=False there",
            )  # fmt: skip


def _ends_in_a_number(calls: Calls, start: int) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        for value in calls.outputs(waiting.pop()):
            for reader in calls.readers[value]:
                made = calls.outputs(reader)
                if calls.family(reader) == "reduction" and made and calls.shape(made[0]) == ():
                    return True
                if reader not in seen:
                    seen.add(reader)
                    waiting.append(reader)
    return False


def _runs(graph: Graph, numbers: list[int]) -> list[int]:
    runs = graph.recording.graph_runs
    return list(map(int, runs.event[np.isin(runs.graph, numbers)]))


def _last_run(graph: Graph, numbers: list[int]) -> int:
    return max(_runs(graph, numbers), default=-1)


def _first_run(graph: Graph, number: int) -> int:
    return min(_runs(graph, [number]), default=-1)


def _and_more(names: list[str]) -> str:
    return f" and {len(names) - 1} more like it" if len(names) > 1 else ""
