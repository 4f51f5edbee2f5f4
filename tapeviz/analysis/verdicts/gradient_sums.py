"""Sums of gradients that are applied again and again, and never begin anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Training, Update, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["GRADIENT_SUMS"]

_TIMES: Final = 2  # updates by one sum, from which on it should have begun anew between them
_ADDENDS: Final = 3
_MOST_STEPS: Final = 100  # those of an optimizer's rule are fewer


def _gradient_sums(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """One finding a line that adds."""
    training = training_of(graph)
    gradients = {gradient for asked in training.requests for gradient in asked.gradients.values() if gradient >= 0}
    said: set[int] = set()
    for variable, values in training.assigned.items():
        later = values[1:]
        if len(later) < _ADDENDS or variable in training.asked or not _only_adds(graph, later, gradients):
            continue
        event = int(graph.links.producer[later[-1]])
        updates = _updates_by(training, variable)
        if len(updates) < _TIMES or graph.site(event) in said:
            continue
        said.add(graph.site(event))
        name = training.name(variable)
        yield verdict_at(
            graph, event, "variables", LIKELY,
            f"{name} is a sum of gradients that went into {len(updates)} updates and never began anew: each update"
            f" takes all gradients so far, {len(later)} by now",
            f"set it back after it was applied: {name}.assign(tf.zeros_like({name}))",
            tensor=later[-1], evidence={"added": len(later), "updates": [graph.event_id(row) for row in updates]},
        )  # fmt: skip


def _only_adds(graph: Graph, values: list[int], gradients: set[int]) -> bool:
    """Whether each value is the one before it and a gradient, as it is or as a share of the steps."""
    for value in values:
        assigned = graph.operands[int(graph.links.producer[value])]
        added = int(graph.links.producer[assigned[0]]) if assigned else -1
        if added < 0 or not graph.has(added, "sum") or graph.said(added, "family") != "elementwise":
            return False
        before, *addends = sorted(graph.operands[added], key=lambda tensor: not graph.is_variable[tensor])
        if not graph.is_variable[before] or not all(_is_share(graph, tensor, gradients) for tensor in addends):
            return False
    return True


def _is_share(graph: Graph, tensor: int, gradients: set[int]) -> bool:
    """Whether a tensor is a gradient, or one times a number."""
    if tensor in gradients:
        return True
    maker = int(graph.links.producer[tensor])
    if maker < 0 or not graph.traits(maker) & {"product", "quotient", "identity"}:
        return False
    first, *others = graph.operands[maker] or [-1]
    return first in gradients and all(graph.size(other) == 1 for other in others)


def _updates_by(training: Training, variable: int) -> list[int]:
    """The updates of trained variables that a variable's values went into, one for each value: rows of events."""
    found: dict[int, int] = {}
    for update in training.updates:
        value = _read(training, update, variable)
        if value >= 0:
            found.setdefault(value, update.event)
    return sorted(found.values())


def _read(training: Training, update: Update, variable: int) -> int:
    """The value of a variable that an update was computed from, by ops alone; -1 where there is none."""
    graph = training.graph
    of, producer = graph.recording.tensors.variable, graph.links.producer
    queue, seen = [update.tensor], {update.tensor}
    for tensor in queue:
        if of[tensor] == variable:
            return tensor
        if producer[tensor] < 0 or (of[tensor] >= 0 and tensor != update.tensor):
            continue
        for other in graph.inputs[int(producer[tensor])]:
            if other not in seen and len(seen) < _MOST_STEPS:
                seen.add(other)
                queue.append(other)
    return -1


GRADIENT_SUMS: Final = Rule(
    _gradient_sums, {"variables": "sums of gradients that never begin anew"}, "variables",
    applies=lambda recording: len(recording.requests) > 0,
)  # fmt: skip
