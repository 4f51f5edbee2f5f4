"""A variable that is updated with the gradient of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Training, Update, training_of
from tapeviz.analysis.verdicts.verdict import FAULT, Rule, Thresholds, Verdict, verdict_at

__all__ = ["CROSSED_UPDATES"]

_NAMED: Final = 3


def _crossed(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Once for a line that assigns."""
    training = training_of(graph)
    lines: dict[int, list[Update]] = {}
    for update in training.updates:
        if update.gradients and update.variable not in update.gradients and update.variable in training.asked:
            lines.setdefault(graph.site(update.event), []).append(update)
    for updates in lines.values():
        yield _verdict(training, updates)


def _verdict(training: Training, updates: list[Update]) -> Verdict:
    graph = training.graph
    pairs = {update.variable: next(iter(update.gradients)) for update in updates}
    said = [f"{training.name(to)} with that of {training.name(of)}" for to, of in pairs.items()]
    first = updates[0]
    gradient = next(iter(first.gradients.values()))
    some = ", ".join(said[:_NAMED]) + ", ..." * (len(said) > _NAMED)
    text = f"variables are updated with the gradients of others: {some}"
    names = training.names(sorted(set(pairs.values())))
    fix = f"apply the gradients to the variables that they were asked for, in that order: {names}"
    evidence = {"tensors": [graph.tensor_id(gradient), graph.tensor_id(first.tensor)], "times": len(updates)}
    return verdict_at(graph, first.event, "variables", FAULT, text, fix, tensor=gradient, evidence=evidence)


CROSSED_UPDATES: Final = Rule(
    _crossed,
    {"variables": "variables that are left out, made anew or updated with what is not theirs"},
    "variables",
    applies=lambda recording: len(recording.requests) > 0,
)
