"""Layers of sigmoids one after the other, of which each passes at most a quarter of the gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Request, Training, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict

__all__ = ["DEEP_SIGMOIDS"]

_HOPS: Final = 2


def _deep(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """Once for a line that asks for gradients, by its last call."""
    training = training_of(graph)
    for requests in training.by_line.values():
        asked = requests[-1]
        if (
            asked.target < 0
            or len(asked.gradients) < limits["sigmoid_layers"]
            or not training.learned & asked.gradients.keys()
        ):
            continue
        kernels = list(_kernels(training, asked))
        squashed = [(variable, op) for _, variable, op in kernels if op >= 0]
        if len(squashed) < limits["sigmoid_layers"]:
            continue
        first, last = _rms(training, asked, kernels[0][1]), _rms(training, asked, kernels[-1][1])
        if 0 < first < limits["sigmoid_ratio"] * last:
            yield _verdict(training, squashed, kernels[-1][1], last / first)


def _kernels(training: Training, asked: Request) -> Iterator[tuple[int, int, int]]:
    """The weights that are multiplied by once, in order: the product's event, the variable, the sigmoid after it."""
    graph, read = training.graph, training.read_by(asked.target)
    found = []
    for variable in read.keys() & asked.gradients.keys():
        uses = [event for event in _after(graph, read[variable]) if graph.said(event, "family") == "linalg"]
        if len(uses) == 1 and graph.has(uses[0], "product"):
            found.append((uses[0], variable, _sigmoid(graph, uses[0])))
    yield from sorted(found)


def _sigmoid(graph: Graph, event: int) -> int:
    """The sigmoid of a product, over a bias or not; -1 for none."""
    for _ in range(_HOPS):
        after = [
            e for out in graph.outputs[event] for e in graph.readers[out] if graph.ran[e] and not graph.is_backward(e)
        ]
        if len(after) != 1:
            return -1
        event = after[0]
        if graph.has(event, "logistic"):
            return event
    return -1


def _after(graph: Graph, tensor: int) -> list[int]:
    """The ops that read a tensor in a forward pass."""
    return [event for event in graph.readers[tensor] if graph.ran[event] and not graph.is_backward(event)]


def _rms(training: Training, asked: Request, variable: int) -> float:
    gradient = asked.gradients[variable]
    return training.norm(gradient) / math.sqrt(max(training.graph.size(gradient), 1)) if gradient >= 0 else math.nan


def _verdict(training: Training, squashed: list[tuple[int, int]], last: int, ratio: float) -> Verdict:
    graph, (variable, event) = training.graph, squashed[0]
    site = training.layer_line(variable)
    site = site if training.is_in_layer(variable) else graph.site(event)
    name = training.name(variable)
    text = (
        f"{len(squashed)} sigmoids stand one after the other: {name}'s gradient is {ratio:.0f} times smaller than that"
        f" of {training.name(last)}, and the first layers hardly learn"
    )
    fix = 'use activation="relu" in the hidden layers, or fewer of them'
    tensors = [graph.tensor_id(graph.outputs[op][0]) for _, op in squashed]
    evidence = {"tensors": tensors, "ratio": ratio}
    return Verdict(
        "not_learning", LIKELY, graph.event_id(event), tensors[0], graph.place(site), text, fix, evidence, site
    )


DEEP_SIGMOIDS: Final = Rule(
    _deep,
    {"not_learning": "layers that cannot learn"},
    "layers",
    (
        Threshold("sigmoid_layers", 3, "sigmoids one after the other from which on they are many"),
        Threshold("sigmoid_ratio", 1e-2, "of the last layer's gradient below which the first layer's is small"),
    ),
    applies=lambda recording: len(recording.requests) > 0,
    by_statistics=True,
)
