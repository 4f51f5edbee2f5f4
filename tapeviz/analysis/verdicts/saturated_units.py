"""Hidden units on the flat part of their function: next to nothing of a gradient passes through them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.training import Training, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["SATURATED_UNITS"]

_FEWEST: Final = 16  # elements, for a handful may well be saturated together


def _saturated(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """Once for a line, where it is so in each of its runs."""
    training = training_of(graph)
    found: dict[int, list[tuple[int, float]]] = {}
    for event in graph.runs_of(ops_with(graph.recording, "saturates")):
        if (
            not graph.is_backward(event)
            and not graph.has(event, "softmax")
            and (passed := _passed(training, event)) is not None
        ):
            found.setdefault(graph.written_at(event), []).append((event, passed))
    for runs in found.values():
        event, passed = max(runs, key=lambda run: run[1])
        if passed < limits["saturated_units"]:
            yield _verdict(graph, event, passed)


def _passed(training: Training, event: int) -> float | None:
    """The part of a gradient that passes through an activation of hidden units; None for others, and where not known.

    Units are hidden where a product with weights reads them. At the end of a model outputs that are as they should be
    are saturated, too.
    """
    graph = training.graph
    read, made = graph.operands[event], graph.outputs[event]
    if (
        len(read) != 1
        or len(made) != 1
        or graph.shape(read[0]) != graph.shape(made[0])
        or graph.size(made[0]) < _FEWEST
    ):
        return None
    after = graph.forward_readers(made[0])
    if not after or not all(graph.has(one, "product") and graph.said(one, "family") == "linalg" for one in after):
        return None
    if len(graph.forward_readers(read[0])) != 1:  # its gradient is not of this op alone
        return None
    gradients = [int(graph.links.gradient[tensor]) for tensor in (read[0], made[0])]
    if min(gradients) < 0:
        return None
    below, above = map(training.norm, gradients)
    return below / above if above > 0 and below > 0 else None  # of gradients that are all 0 another rule tells


def _verdict(graph: Graph, event: int, passed: float) -> Verdict:
    op, made = graph.op(event), graph.outputs[event][0]
    text = (
        f"one part in {round(1 / passed):,} of the gradient passes through {op}: its units are saturated, on the flat"
        " part of the function, and what stands before them does not learn"
    )
    fix = "scale the inputs (x / 255, or mean 0 and variance 1), begin with smaller weights, or lower the learning rate"
    evidence = {"passed": passed, "op": op}
    return verdict_at(graph, event, "not_learning", LIKELY, text, fix, tensor=made, evidence=evidence)


SATURATED_UNITS: Final = Rule(
    _saturated,
    {"not_learning": "layers that cannot learn"},
    "layers",
    (
        Threshold(
            "saturated_units", 2e-2, "of a gradient that passes through hidden units, below which they are saturated"
        ),
    ),
    applies=lambda recording: len(recording.gradients) > 0,
    by_statistics=True,
)
