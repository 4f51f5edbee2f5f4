"""Gradients of which nothing comes: that nothing reads, or of a loss that was computed before the updates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Request, Training, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["IDLE_GRADIENTS"]


def _idle(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """One finding a line that asks for gradients. What the branches of a graph read is not known: it may be these."""
    training = training_of(graph)
    yield from _unasked(training, int(limits["idle_calls"]))
    left = set(graph.links.tensor_rows(graph.recording.exits.tensor).tolist())
    for requests in training.by_line.values():
        steps = [asked for asked in requests if asked.target >= 0 and max(asked.gradients.values(), default=-1) >= 0]
        if len(steps) < limits["idle_calls"]:
            continue
        if (stale := _asked_again(training, steps)) >= 0:
            yield _stale(training, steps, stale)
        elif not training.is_in_a_graph(steps[-1].span) and _is_unread(training, steps, left):
            yield _unread(training, steps)


def _unasked(training: Training, times: int) -> Iterator[Verdict]:
    """Tapes of a line of which few are asked, though each saw variables that are trained."""
    graph, tapes = training.graph, training.graph.recording.tapes
    rows = list(zip(tapes.id.tolist(), tapes.change, tapes.site.tolist(), strict=True))
    used = {tape for tape, change, _ in rows if change == "used"}
    lines: dict[int, list[int]] = {}
    for tape, change, site in rows:
        if change == "enter" and training.learned & training.watched.get(tape, frozenset()):
            lines.setdefault(site, []).append(tape)
    for site, opened in lines.items():
        asked = used.intersection(opened)
        if asked and len(opened) - len(asked) >= max(times, 2 * len(asked)):
            text = (
                f"{len(opened)} tapes recorded here, and gradients are asked of {len(asked)}: what the others recorded"
                " is not learned from"
            )
            fix = "ask for the gradients, and apply them, in each round of the loop: look at how the lines are indented"
            evidence = {"opened": len(opened), "asked": len(asked)}
            yield Verdict("not_learning", LIKELY, -1, -1, graph.place(site), text, fix, evidence, site)


def _asked_again(training: Training, steps: list[Request]) -> int:
    """A variable by which one tensor was differentiated each time, though it was updated in between; -1 for none."""
    if len({asked.target for asked in steps}) > 1:
        return -1
    for variable in steps[0].gradients:
        spans = [asked.span for asked in steps if variable in asked.gradients]
        updated = [one.event for one in training.updates if one.variable == variable]
        between = [any(first < event < second for event in updated) for first, second in itertools.pairwise(spans)]
        if between and all(between):
            return variable
    return -1


def _stale(training: Training, steps: list[Request], variable: int) -> Verdict:
    graph, target = training.graph, steps[-1].target
    name = training.name(variable)
    text = (
        f"the gradients of {graph.name(target)} are asked for {len(steps)} times, and {name} is updated each time, but"
        f" {graph.name(target)} was computed once, before the first update: each gradient is that of the first step"
    )
    fix = "compute the loss again in each step, inside the loop and under a new GradientTape"
    evidence = {"calls": len(steps), "tensors": [graph.tensor_id(target)]}
    return verdict_at(graph, steps[-1].span, "not_learning", LIKELY, text, fix, tensor=target, evidence=evidence)


def _is_unread(training: Training, steps: list[Request], left: set[int]) -> bool:
    """Whether no op reads any of the gradients, no value of them left the engine, and nothing moves the variables."""
    graph, begun = training.graph, steps[0].span
    gradients = {one for asked in steps for one in asked.gradients.values() if one >= 0}
    if not gradients.isdisjoint(left) or any(graph.readers[one] for one in gradients):
        return False
    variables = {variable for asked in steps for variable in asked.gradients}
    producer = graph.links.producer
    moved = any(producer[value] > begun for variable in variables for value in training.assigned.get(variable, ()))
    return not moved and all(map(training.is_trainable, variables))


def _unread(training: Training, steps: list[Request]) -> Verdict:
    graph, last = training.graph, steps[-1]
    several = len(last.gradients) > 1
    names = f"{training.names(sorted(last.gradients))} {'stay as they are' if several else 'stays as it is'}"
    text = (
        f"the gradients of {graph.name(last.target)} are asked for {len(steps)} times, and nothing is done with them:"
        f" {names}"
    )
    fix = "hand them to an optimizer: optimizer.apply_gradients(zip(gradients, variables))"
    evidence = {"calls": len(steps), "tensors": [graph.tensor_id(one) for one in last.gradients.values() if one >= 0]}
    return verdict_at(graph, last.span, "not_learning", LIKELY, text, fix, tensor=last.target, evidence=evidence)


IDLE_GRADIENTS: Final = Rule(
    _idle,
    {"not_learning": "gradients of which nothing comes"},
    "gradients",
    (Threshold("idle_calls", 4, "calls of gradient from a line from which on something has to come of them"),),
    applies=lambda recording: len(recording.requests) > 0,
)
