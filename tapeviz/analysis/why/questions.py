"""What a question about a gradient is about: from names and ids to tensors, a tape and the time it was asked."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.why.replay import Replay, replay, tape_before

__all__ = ["Question", "Subject", "SubjectLike", "ask", "find", "of_request", "unanswered"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A tensor by its id, or a variable by its number and the tensor that is its value."""

    tensor: int
    variable: int = -1


SubjectLike: TypeAlias = "str | int | Subject"
"""A name of the user's, the id of a tensor, or a `Subject`."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The tensors, latest last, and the variables that a name or an id may mean; rows and numbers."""

    text: str
    tensors: tuple[int, ...]
    variables: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Why is there no gradient of one tensor by another?

    Attributes:
        graph: the graph of the recording.
        target, source: the rows of the two tensors; for a variable its value when asked.
        variable: the variable that the source is, -1 when it is a tensor.
        target_name, source_name: what the user calls them.
        tape: the tape asked, as far as the recording knows it; None when there was none.
        request: the row of ``requests``, -1 when ``gradient`` was not called for this pair.
        until: when (ns) it was asked; infinite when it was not.
    """

    graph: Graph
    target: int
    source: int
    variable: int
    target_name: str
    source_name: str
    tape: Replay | None
    request: int
    until: float

    @property
    def answered(self) -> bool:
        """Whether ``gradient`` gave a gradient."""
        return self.request >= 0 and int(self.graph.recording.requests.gradient[self.request]) >= 0

    @property
    def site(self) -> int:
        """The row of ``sites`` on which ``gradient`` was called, else where the target was made."""
        if self.request >= 0:
            events = self.graph.recording.events
            rows = np.flatnonzero(events.id == self.graph.recording.requests.event[self.request])
            if len(rows) and events.site[rows[0]] >= 0:
                return int(events.site[rows[0]])
        return self.graph.site(int(self.graph.links.producer[self.target]))

    @property
    def sources(self) -> list[int]:
        """The tensors whose gradients would make up the source's: for a variable the values that the tape met."""
        if self.variable < 0:
            return [self.source]
        values = self._values()
        if self.tape is not None:
            watched = [row for row in values if row in self.tape.watched]
            if watched:
                return watched
            read = np.zeros(self.graph.tensors, np.bool_)
            event, tensor, _ = self.graph.reads
            read[tensor[self.tape.events[event]]] = True
            if met := [row for row in values if read[row]]:
                return met
        return [self.source]

    def all_values(self) -> list[int]:
        """The source; for a variable all the values it ever had."""
        return [self.source] if self.variable < 0 else self._values()

    def _values(self) -> list[int]:
        values: list[int] = np.flatnonzero(self.graph.recording.tensors.variable == self.variable).tolist()
        return values


def ask(graph: Graph, target: SubjectLike | None, source: SubjectLike) -> Question:
    """The question that is meant: the latest call of ``gradient`` for such a pair, else the pair by itself.

    Raises:
        LookupError: there is no such tensor, or nothing was said of the target and nothing asked about the source.
    """
    sought = find(graph, source)
    aimed = None if target is None else find(graph, target)
    row = _request(graph, aimed, sought)
    if row >= 0:
        named = None if aimed is None else _said(target, aimed)
        return of_request(graph, row, source=_said(source, sought), target=named)
    if aimed is None:
        name = sought.text
        raise LookupError(f"no gradient by {name} was asked for in this recording; say of what: why(loss, {name})")
    goal = aimed.tensors[-1]
    variable = sought.variables[-1] if sought.variables and not sought.tensors else -1
    origin = sought.tensors[-1] if sought.tensors else -1
    if origin >= 0 and (isinstance(source, Subject) or graph.recording.tensors.variable[origin] >= 0):
        variable = int(graph.recording.tensors.variable[origin])
    number = tape_before(graph, _made_at(graph, goal), math.inf)
    tape = replay(graph, number) if number >= 0 else None
    names = _said(target, aimed) or graph.name(goal), _said(source, sought) or graph.name(origin)
    return Question(graph, goal, origin, variable, *names, tape, -1, math.inf)


def of_request(graph: Graph, row: int, *, source: str | None = None, target: str | None = None) -> Question:
    """The question that a call of ``gradient`` was, by its row in ``requests``."""
    requests, events = graph.recording.requests, graph.recording.events
    request = requests[row]
    goal, origin = graph.links.tensor_rows(np.array([request.target, request.source])).tolist()
    spans = np.flatnonzero(events.id == request.event)
    until = float(events.t0[spans[0]]) if len(spans) else math.inf
    names = target or _name(graph, goal, until), source or _source_name(graph, origin, request.variable, until)
    return Question(graph, goal, origin, request.variable, *names, replay(graph, request.tape, until), row, until)


def unanswered(graph: Graph, target: SubjectLike | None = None) -> list[int]:
    """The rows of ``requests`` that got None in the latest call of ``gradient`` (of ``target``, when given).

    Raises:
        LookupError: ``gradient`` was not called, or not for this target.
    """
    requests = graph.recording.requests
    chosen = np.arange(len(requests))
    if target is not None:
        aimed = find(graph, target)
        chosen = chosen[np.isin(graph.links.tensor_rows(requests.target), aimed.tensors)]
    if not len(chosen):
        of = "" if target is None else f" of {aimed.text}"
        raise LookupError(f"no gradient{of} was asked for in this recording; name target and source: why(loss, w)")
    latest = chosen[requests.event[chosen] == requests.event[chosen[-1]]]
    rows: list[int] = latest[requests.gradient[latest] < 0].tolist()
    return rows


def find(graph: Graph, subject: SubjectLike) -> Matches:
    """The tensors and variables that a name, an id or a `Subject` may mean.

    Raises:
        LookupError: there are none.
    """
    if isinstance(subject, str):
        return _named(graph, subject)
    tensor = subject.tensor if isinstance(subject, Subject) else int(subject)
    row = int(graph.links.tensor_rows(np.array([tensor]))[0])
    variables = (subject.variable,) if isinstance(subject, Subject) and subject.variable >= 0 else ()
    if row < 0 and variables:
        values = np.flatnonzero(graph.recording.tensors.variable == variables[0])
        row = int(values[-1]) if len(values) else -1
    if row < 0:
        raise LookupError(f"there is no tensor {tensor} in this recording")
    return Matches(graph.name(row), (row,), variables)


def _named(graph: Graph, name: str) -> Matches:
    wanted = name.removesuffix(":0")
    names, tensors = graph.recording.names, graph.recording.tensors
    given = graph.links.tensor_rows(names.tensor[[n == wanted for n in names.name]])
    variables = {v for labels in (graph.variable_names, graph.variable_labels)
                 for v, label in labels.items() if label == wanted}  # fmt: skip
    own = zip(graph.recording.variables.id.tolist(), graph.recording.variables.name, strict=True)
    variables |= {v for v, label in own if label.removesuffix(":0") == wanted}
    rows = [row for row in given.tolist() if row >= 0]
    variables |= {int(tensors.variable[row]) for row in rows if tensors.variable[row] >= 0}
    values = np.flatnonzero(np.isin(tensors.variable, [v for v in variables if v >= 0]))
    if not rows and not len(values):
        known = {*names.name, *graph.variable_names.values()}
        near = difflib.get_close_matches(wanted, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise LookupError(f"nothing called {name!r} is in this recording{hint}")
    return Matches(wanted, tuple(_by_time(graph, {*rows, *values.tolist()})), tuple(sorted(variables)))


def _by_time(graph: Graph, rows: Iterable[int]) -> list[int]:
    return sorted(rows, key=lambda row: int(graph.recording.tensors.id[row]))


def _request(graph: Graph, target: Matches | None, source: Matches) -> int:
    """The latest call of ``gradient`` with this source (and this target), -1 for none."""
    requests = graph.recording.requests
    rows = graph.links.tensor_rows(requests.source)
    # Of a tensor's name that was a variable's before, whatever the call was really given counts.
    chosen = (np.isin(rows, source.tensors) & (requests.variable < 0)) | (
        np.isin(requests.variable, source.variables) & (requests.variable >= 0)
    )
    if target is not None:
        chosen &= np.isin(graph.links.tensor_rows(requests.target), target.tensors)
    hits = np.flatnonzero(chosen)
    return int(hits[-1]) if len(hits) else -1


def _made_at(graph: Graph, tensor: int) -> float:
    """When (ns) a tensor was made; -inf when no event made it."""
    producer = int(graph.links.producer[tensor])
    return float(graph.recording.events.t0[producer]) if producer >= 0 else -math.inf


def _said(subject: Any, found: Matches) -> str | None:
    return found.text if isinstance(subject, str) else None


def _name(graph: Graph, tensor: int, until: float) -> str:
    """What the user called a tensor then; a name that it got later only where it had none."""
    if tensor < 0:
        return "?"
    names = graph.recording.names
    rows = np.flatnonzero((graph.links.tensor_rows(names.tensor) == tensor) & (names.t <= until))
    return names.name[rows[-1]] if len(rows) else graph.name(tensor)


def _source_name(graph: Graph, tensor: int, variable: int, until: float) -> str:
    return graph.variable_names[variable] if variable in graph.variable_names else _name(graph, tensor, until)
