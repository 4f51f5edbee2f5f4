"""Weights and optimizers that are made anew at each step, so that what they learned is thrown away."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Request, Training, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["MADE_ANEW"]

_ITERATION: Final = "/iteration"


def _made_anew(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    if framework_of(graph.recording) == "torch":  # whose leaves may be inputs: its own rules ask what is a parameter
        return
    training = training_of(graph)
    for requests in training.by_line.values():
        if len(requests) >= limits["made_anew"]:
            yield from _weights(training, [asked for asked in requests if asked.target >= 0], int(limits["made_anew"]))
    yield from _optimizers(training, int(limits["made_anew"]))


def _weights(training: Training, requests: list[Request], steps: int) -> Iterator[Verdict]:
    """Variables that each step's loss reads for the first and the last time."""
    lines: dict[int, list[tuple[int, ...]]] = {}
    for before, asked in itertools.pairwise(requests):
        fresh = [v for v in training.read_by(asked.target) if _is_fresh(training, v, before, asked)]
        for line in {training.layer_line(variable) for variable in fresh}:
            lines.setdefault(line, []).append(tuple(v for v in fresh if training.layer_line(v) == line))
    for made in lines.values():
        each = len(made) >= steps - 1 and len(made) >= len(requests) - 2
        if each and _trains(training, made) and not _are_models(training, len(made)):
            yield _anew(training, made)


def _are_models(training: Training, times: int) -> bool:
    """Whether each step has an optimizer of its own, too: then it is one model after the other that is trained."""
    names = training.assigned
    own = [one for one in names if training.own_name(one).endswith(_ITERATION)]
    return len(own) >= times and all(map(training.once, own))


def _is_fresh(training: Training, variable: int, before: Request, asked: Request) -> bool:
    """Whether a variable was made between two calls, with values that come from no other variable."""
    values = training.assigned.get(variable, ())
    if not values or training.made(variable) < 0:
        return False
    event = int(training.graph.links.producer[values[0]])
    own = training.read_by(values[0]).keys() <= {variable}
    return before.span < event < asked.span and own and not _is_copy(training, values[0])


def _is_copy(training: Training, value: int) -> bool:
    """Whether a first value was computed from another variable's."""
    graph = training.graph
    reads = graph.inputs[int(graph.links.producer[value])]
    return any(training.read_by(other) for other in reads)


def _trains(training: Training, made: list[tuple[int, ...]]) -> bool:
    """Whether it is training: some are updated, or others are that stay."""
    fresh = {variable for variables in made for variable in variables}
    return bool(fresh & training.learned) or any(
        len(training.assigned[variable]) > len(made) // 2 for variable in training.learned - fresh
    )


def _anew(training: Training, made: list[tuple[int, ...]]) -> Verdict:
    graph, last = training.graph, made[-1]
    event = int(graph.links.producer[training.assigned[last[0]][0]])
    site = training.layer_line(last[0])
    names, are = training.names(list(last)), "are" if len(last) > 1 else "is"
    often = f"{names} {are} made anew at each step, {len(made) + 1} times"
    text = f"{often}: what a step learned is thrown away, and the next one begins with new values"
    fix = "make the layer or variable once, outside of the function that runs at each step, and use it there"
    tensors = [graph.tensor_id(training.assigned[v][0]) for v in last]
    evidence = {"tensors": tensors, "times": len(made) + 1}
    return Verdict("variables", LIKELY, graph.event_id(event), tensors[0], graph.place(site), text, fix, evidence, site)


def _optimizers(training: Training, steps: int) -> Iterator[Verdict]:
    """Optimizers from one line that made a single step each, on the same variables."""
    graph = training.graph
    lines: dict[int, list[int]] = {}
    for variable in training.assigned:
        if training.own_name(variable).endswith(_ITERATION):
            lines.setdefault(training.made(variable), []).append(variable)
    for site, iterations in lines.items():
        if site < 0 or len(iterations) < steps or not all(map(training.once, iterations)):
            continue
        prefixes = [training.own_name(one).removesuffix(_ITERATION) + "/" for one in iterations]
        slots = {name for v in training.assigned if (name := training.own_name(v)).startswith(tuple(prefixes))
                 and not name.endswith((_ITERATION, "/learning_rate"))}  # fmt: skip
        first, last = (int(graph.links.producer[training.assigned[one][-1]]) for one in (iterations[0], iterations[-1]))
        between = {u.variable for u in training.updates if first < u.event < last and u.gradients}
        if not slots or not between or not _stayed(training, between, len(iterations)):
            continue
        event = int(graph.links.producer[training.assigned[iterations[-1]][0]])
        often = f"an optimizer is made anew at each step, {len(iterations)} times"
        text = f"{often}: its state ({_kept(slots)}) begins again each time"
        fix = "make the optimizer once, outside of the function that runs at each step, and use it there"
        yield verdict_at(graph, event, "variables", LIKELY, text, fix, evidence={"times": len(iterations)})


def _stayed(training: Training, variables: set[int], times: int) -> bool:
    return any(len(training.assigned[variable]) >= times for variable in variables)


def _kept(slots: set[str]) -> str:
    """What the slots of an optimizer hold, in words."""
    kinds = sorted({name.rsplit("_", 1)[-1] for name in slots})
    return ", ".join(kinds)


MADE_ANEW: Final = Rule(
    _made_anew,
    {"variables": "variables that are left out, made anew or updated with what is not theirs"},
    "variables",
    (Threshold("made_anew", 3, "times from which on something is made at each step"),),
    applies=lambda recording: len(recording.requests) > 0,
)
