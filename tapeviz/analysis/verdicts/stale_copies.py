"""A copy of a model whose weights follow it and whose moving averages don't."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Training, Update, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["STALE_COPIES"]


def _stale(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Once for the line that copies."""
    training = training_of(graph)
    copies = {update.variable: update for update in training.updates
              if not update.gradients and update.variable not in training.asked}  # fmt: skip
    scopes: dict[str, Update] = {}
    for variable, update in copies.items():
        scopes[_scope(training, variable)] = update
    found: dict[int, list[int]] = {}
    for variable in training.assigned:
        copy = scopes.get(_scope(training, variable))
        if copy is not None and not training.is_trainable(variable) and _is_left(training, variable, copy):
            found.setdefault(graph.site(copy.event), []).append(variable)
    for stale in found.values():
        yield _verdict(training, scopes[_scope(training, stale[0])], stale)


def _scope(training: Training, variable: int) -> str:
    return training.own_name(variable).rpartition("/")[0]


def _is_left(training: Training, variable: int, copy: Update) -> bool:
    """Whether a variable beside one that follows another doesn't follow that one's neighbour, which moves."""
    graph, name = training.graph, training.own_name(variable).rpartition("/")[2]
    sources = training.read_by(graph.inputs[copy.event][0]).keys() - {copy.variable}
    scopes = {_scope(training, source) for source in sources}
    beside = {f"{scope}/{name}" for scope in scopes}
    partners = [other for other in training.assigned if training.own_name(other) in beside]
    follows = [value for value in training.assigned[variable] if graph.links.producer[value] > copy.event]
    moved = [v for v in partners if len(training.assigned[v]) > len(training.assigned[variable]) + 1]
    return bool(scopes) and bool(moved) and not follows and bool(graph.readers[training.assigned[variable][-1]])


def _verdict(training: Training, copy: Update, stale: list[int]) -> Verdict:
    graph, names, copied = training.graph, training.names(stale), training.name(copy.variable)
    text = f"{copied} follows its model, and {names} beside it do not: they keep their first values"
    fix = "copy all weights, model.weights on both sides: moving averages are not trainable, and yet part of the model"
    evidence = {"tensors": [graph.tensor_id(training.assigned[variable][-1]) for variable in stale]}
    return verdict_at(
        graph, copy.event, "variables", LIKELY, text, fix, tensor=training.assigned[stale[0]][-1], evidence=evidence
    )


STALE_COPIES: Final = Rule(
    _stale,
    {"variables": "variables that are left out, made anew or updated with what is not theirs"},
    "variables",
    applies=lambda recording: len(recording.requests) > 0,
)
