"""Units that begin alike and stay alike: the weights before them are all one number, and so are those behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.training import Training, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict

__all__ = ["IDENTICAL_UNITS"]

_MATRIX: Final = 2
_HOPS: Final = 6


def _identical(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Once for a line that makes weights, at the first product that they are in."""
    training, known = training_of(graph), set[int]()
    for event in graph.runs_of(ops_with(graph.recording, "product")):
        weights = _constant_weights(training, event)
        differentiated = any(graph.links.gradient[made] >= 0 for made in graph.outputs[event])
        if weights < 0 or not differentiated or graph.shape(weights)[-1] < _MATRIX:
            continue
        variable = int(graph.recording.tensors.variable[weights])
        if variable in known:
            continue
        known.add(variable)
        behind = _behind(training, event)
        if behind >= 0:
            yield _verdict(training, event, weights, behind)


def _constant_weights(training: Training, event: int) -> int:
    """The trained matrix of which a product reads the first value, where that is one number; -1 for none."""
    graph = training.graph
    if graph.said(event, "family") != "linalg":
        return -1
    for read in graph.operands[event]:
        variable = int(graph.recording.tensors.variable[read])
        first = training.assigned.get(variable, ())[:1]
        if variable in training.learned and len(graph.shape(read)) >= _MATRIX and _is_constant(graph, read):
            at_first = not first or graph.links.stats[first[0]] < 0 or training.norm(first[0]) == training.norm(read)
            return read if at_first else -1
    return -1


def _is_constant(graph: Graph, tensor: int) -> bool:
    row = int(graph.links.stats[tensor])
    stats = graph.recording.stats
    return row >= 0 and bool(stats.min[row] == stats.max[row])


def _behind(training: Training, event: int) -> int:
    """The constant weights that the units are multiplied by next; -1 where anything else reads them or sets them apart.

    What keeps units alike are ops on one element each, with nothing but numbers and weights that are alike.
    """
    graph = training.graph
    for _ in range(_HOPS):
        outputs = graph.outputs[event]
        after = [e for out in outputs for e in graph.readers[out] if graph.ran[e] and not graph.is_backward(e)]
        if len(after) != 1 or len(outputs) != 1:
            return -1
        event = after[0]
        if graph.said(event, "family") == "linalg" and graph.has(event, "product"):
            return _constant_weights(training, event)
        others = [read for read in graph.operands[event] if read != outputs[0]]
        one_each = graph.said(event, "family") == "elementwise" and not graph.has(event, "selects")
        keeps = one_each or graph.has(event, "identity")
        if not keeps or not all(_is_constant(graph, read) for read in others):
            return -1
    return -1


def _verdict(training: Training, event: int, weights: int, behind: int) -> Verdict:
    graph = training.graph
    variable, after = (int(graph.recording.tensors.variable[tensor]) for tensor in (weights, behind))
    value = float(graph.recording.stats.mean[int(graph.links.stats[weights])])
    site, name = training.layer_line(variable), training.name(variable)
    text = (
        f"all of {name} begins as {value:g}, and so do the weights of {training.name(after)} behind it: its"
        f" {graph.shape(weights)[-1]:,} units compute the same, get the same gradients and stay one unit"
    )
    fix = f"begin {name} with random numbers, such as a glorot_uniform or he_normal initializer"
    tensors = [graph.tensor_id(weights), graph.tensor_id(behind)]
    evidence = {"tensors": tensors, "value": value}
    return Verdict(
        "not_learning", LIKELY, graph.event_id(event), tensors[0], graph.place(site), text, fix, evidence, site
    )


IDENTICAL_UNITS: Final = Rule(
    _identical,
    {"not_learning": "layers that cannot learn"},
    "layers",
    applies=lambda recording: len(recording.requests) > 0,
    by_statistics=True,
)
