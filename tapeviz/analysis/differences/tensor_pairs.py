"""Which tensors of two recordings are the same: what paired events made, what came into both, gradients by source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import pick, rows_of
from tapeviz.recording.schema import PHASES, ROLES

__all__ = ["Asked", "TensorPairs", "arrivals", "asked", "makes"]

_SLOTS: Final = 2**16
_BACKWARD: Final = PHASES.index("backward")

_INSTANCE: Final = re.compile(r"_\d+(?=/|:|$)")

Numbers: TypeAlias = NDArray[np.int64]
Answers: TypeAlias = dict[tuple[str, int], tuple[int, int]]
"""The span and the gradient by the name of the source, and by how often that was asked for before."""
TensorPairs: TypeAlias = tuple[Numbers, Numbers, Numbers]
"""The number of a row, the tensor in one and the tensor in the other."""


def makes(a: Graph, b: Graph, events: tuple[Numbers, Numbers]) -> tuple[TensorPairs, tuple[Numbers, Numbers]]:
    """What the events of each row made, output by output; and how many outputs each side's event has."""
    sides = [_touched(graph, "out", of) for graph, of in zip((a, b), events, strict=True)]
    counts = tuple(np.bincount(rows // _SLOTS, minlength=len(events[0])) for rows, _ in sides)
    return _joined(*sides), (counts[0], counts[1])


def arrivals(a: Graph, b: Graph, events: tuple[Numbers, Numbers]) -> TensorPairs:
    """What came into both at the same place, each once; with the first row that reads it."""
    sides = []
    for graph, of in zip((a, b), events, strict=True):
        forward = np.where(pick(graph.recording.events.phase, of) != _BACKWARD, of, -1)
        code, tensor = _touched(graph, "in", forward)
        outside = graph.links.producer[tensor] < 0
        sides.append((code[outside], tensor[outside]))
    rows, left, right = _joined(*sides)
    seen: dict[tuple[int, int], int] = {}
    for row, one, other in zip(rows.tolist(), left.tolist(), right.tolist(), strict=True):
        seen.setdefault((one, other), row)
    found = np.array([(row, one, other) for (one, other), row in seen.items()], np.int64).reshape(-1, 3)
    return found[:, 0], found[:, 1], found[:, 2]


@dataclass(frozen=True, slots=True)
class Asked:
    """The gradient of a source in each tape: rows of the span and of the gradient, -1 where there is none.

    ``asked`` says in which of the two it was asked for.
    """

    name: str
    number: int
    spans: tuple[int, int]
    gradients: tuple[int, int]
    asked: tuple[bool, bool]


def asked(a: Graph, b: Graph) -> Iterator[Asked]:
    """The gradients of both, by the name of the source and by how often it was asked."""
    sides = _renamed([_answers(graph) for graph in (a, b)])
    for name, number in dict.fromkeys([*sides[0], *sides[1]]):
        both = [side.get((name, number)) for side in sides]
        spans, gradients = zip(*((-1, -1) if one is None else one for one in both), strict=True)
        yield Asked(name, number, spans, gradients, (both[0] is not None, both[1] is not None))


def _renamed(sides: list[Answers]) -> list[Answers]:
    """The same, with the names of the first side for what has the name of another instance in the second.

    Names are counted through a session: a model that is built again has ``dense_2`` where it had ``dense``.
    """
    alone = [[key for key in side if key not in other] for side, other in (sides, sides[::-1])]
    waiting: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for name, number in alone[0]:
        waiting.setdefault((_INSTANCE.sub("", name), number), []).append((name, number))
    names = {}
    for name, number in alone[1]:
        if known := waiting.get((_INSTANCE.sub("", name), number)):
            names[name, number] = known.pop(0)
    return [sides[0], {names.get(key, key): found for key, found in sides[1].items()}]


def _answers(graph: Graph) -> Answers:
    requests = graph.recording.requests
    columns = (
        rows_of(graph.recording.events.id, requests.event),
        graph.links.tensor_rows(requests.source),
        graph.links.tensor_rows(requests.gradient),
    )
    found: Answers = {}
    often: Counter[str] = Counter()
    for span, source, gradient in zip(*(column.tolist() for column in columns), strict=True):
        if source >= 0:
            name = _source_name(graph, source)
            found[name, often[name]] = span, gradient
            often[name] += 1
    return found


def _source_name(graph: Graph, tensor: int) -> str:
    """A name that says the same in another recording: no number of an event or a tensor."""
    variable = int(graph.recording.tensors.variable[tensor])
    if variable in graph.variable_labels:
        return graph.variable_labels[variable]
    if tensor in graph.names:
        return graph.names[tensor]
    producer = int(graph.links.producer[tensor])
    return graph.op(producer) if producer >= 0 else "tensor"


def _touched(graph: Graph, role: str, events: Numbers) -> tuple[Numbers, Numbers]:
    """The row and slot (as one number) and the tensor of each edge of the events of some rows."""
    edges = graph.recording.edges
    chosen = np.flatnonzero(edges.role == ROLES.index(role))
    event = rows_of(graph.recording.events.id, edges.event[chosen])
    tensor, slot = graph.links.tensor_rows(edges.tensor[chosen]), edges.slot[chosen].astype(np.int64)
    known = (event >= 0) & (tensor >= 0)
    event, tensor, slot = event[known], tensor[known], slot[known]
    order = np.argsort(event, kind="stable")
    count = np.bincount(event, minlength=graph.events)
    start = np.cumsum(count) - count
    rows = np.flatnonzero(events >= 0)
    counts = count[events[rows]]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    edge = order[np.repeat(start[events[rows]], counts) + within]
    return np.repeat(rows, counts) * _SLOTS + slot[edge], tensor[edge]


def _joined(a: tuple[Numbers, Numbers], b: tuple[Numbers, Numbers]) -> TensorPairs:
    """The pairs of tensors in the same slots of the same rows."""
    code: Any
    code, left, right = np.intersect1d(a[0], b[0], return_indices=True)
    return code // _SLOTS, a[1][left], b[1][right]
