"""A name that was a variable's, or a watched tensor's, and then another tensor's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tapeviz.analysis.graph import NOT_REACHED, Graph
from tapeviz.analysis.why import advice
from tapeviz.analysis.why.questions import Question
from tapeviz.recording.schema import SOURCES

__all__ = ["Rebinding", "rebound", "rebound_elsewhere"]

_GRADIENT: Final = SOURCES.index("gradient")


@dataclass(frozen=True, slots=True)
class Rebinding:
    """That a name went over to another tensor.

    Attributes:
        before: the tensor (row) that had the name first.
        says, fix: the finding and what to do, as clauses.
        site: the row of ``sites`` of the line that gave the name away.
    """

    before: int
    says: str
    fix: str
    site: int


def rebound(question: Question) -> Rebinding | None:
    """The source's name was that of a variable, or of something watched, before; or it is an update of such."""
    return _described(question, _earlier(question)) or _updated(question)


def rebound_elsewhere(question: Question) -> Rebinding | None:
    """The same, and the target was computed from the one that had the name before."""
    graph = question.graph
    earlier = _earlier(question)
    if not earlier:
        return None
    back = graph.ancestors(question.target, assigned=False)
    return _described(question, [row for row in earlier if back[row] != NOT_REACHED])


def _earlier(question: Question) -> list[int]:
    """The tensors that had the source's name before it had, and that a tape would follow; the latest last."""
    graph = question.graph
    name = graph.variable_labels.get(question.variable, question.source_name)
    names, tensors, variables = graph.recording.names, graph.recording.tensors, graph.recording.variables
    rows = graph.links.tensor_rows(names.tensor)
    same = np.array([given == name for given in names.name], np.bool_) & (rows >= 0)
    own = same & (rows == question.source)
    if own.any():
        same &= names.t < names.t[own].max()
    found = rows[same]
    labels = zip(variables.id.tolist(), variables.name, strict=True)
    labelled = [variable for variable, label in labels if label.removesuffix(":0") == name]
    found = np.concatenate([found, np.flatnonzero(np.isin(tensors.variable, labelled) & (tensors.variable >= 0))])
    watched = set(graph.links.tensor_rows(graph.recording.watches.tensor).tolist())
    of = tensors.variable
    # Variables of one name that are asked for together, as those of a list, are none in place of the other.
    together = _asked_with(question)
    return [
        row for row in dict.fromkeys(found.tolist())
        if int(of[row]) not in together and row != question.source
        and (of[row] < 0 or of[row] != question.variable) and (of[row] >= 0 or row in watched)
        and _is_before(graph, row, question.source)
    ]  # fmt: skip


def _asked_with(question: Question) -> set[int]:
    """The variables that are sources of the same call."""
    requests = question.graph.recording.requests
    if question.request < 0:
        return set()
    return set(requests.variable[requests.event == requests.event[question.request]].tolist()) - {-1}


def _is_before(graph: Graph, row: int, source: int) -> bool:
    made, ids = graph.links.producer, graph.recording.tensors.id
    return bool(made[row] < made[source]) or (made[source] < 0 and bool(ids[row] < ids[source]))


def _updated(question: Question) -> Rebinding | None:
    """The source, without a name of its own, is a parameter less (or plus) some of its gradient."""
    graph = question.graph
    event = int(graph.links.producer[question.source])
    if event < 0 or not graph.has(event, "sum") or question.source in graph.names:
        return None
    inputs = graph.inputs[event]
    watched = set(graph.links.tensor_rows(graph.recording.watches.tensor).tolist())
    parameters = [row for row in inputs if graph.is_variable[row] or row in watched]
    near = [*inputs, *(other for row in inputs for other in _inputs_of(graph, row))]
    if not parameters or not any(_is_gradient(graph, row) for row in near):
        return None
    was, site = parameters[0], graph.site(event)
    says = f"{question.source_name} is {graph.name(was)} after an update, a new tensor, which no tape watches"
    fix = f"keep {graph.name(was)} a tf.Variable and update it by assign_sub, or call tape.watch on the new tensor"
    return Rebinding(was, says, fix, site)


def _inputs_of(graph: Graph, tensor: int) -> list[int]:
    event = int(graph.links.producer[tensor])
    return graph.inputs[event] if event >= 0 and graph.ran[event] else []


def _is_gradient(graph: Graph, tensor: int) -> bool:
    return bool(graph.recording.tensors.source[tensor] == _GRADIENT)


def _described(question: Question, earlier: list[int]) -> Rebinding | None:
    if not earlier:
        return None
    graph, name = question.graph, question.source_name
    before = earlier[-1]
    was_variable = bool(graph.is_variable[before])
    site = graph.site(int(graph.links.producer[question.source]))
    if question.variable >= 0:
        variables = graph.recording.variables
        made = np.flatnonzero(variables.id == question.variable)
        site = int(variables.site[made[0]]) if len(made) else -1
        says = f"{name} is now another variable than the one that {question.target_name} was computed from"
        fix = f"compute {question.target_name} again with the new {name}, or assign to the old one"
        return Rebinding(before, says, fix, site)
    place = graph.place(site)
    text = "" if place is None else place.text
    was = "a variable" if was_variable else "a watched tensor"
    says = f"{name} was {was} and is now a new tensor, which no tape watches"
    return Rebinding(before, says, advice.assign_instead(name, text, variable=was_variable), site)
