"""Gradients that vanish or explode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.health.findings import Unhealthy, unhealthy
from tapeviz.analysis.health.thresholds import EXPLODING, ROUNDING, VANISHING, VANISHING_ALONE, VANISHING_STEP
from tapeviz.analysis.training import training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict
from tapeviz.analysis.why.questions import of_request
from tapeviz.recording import Recording

__all__ = ["GRADIENT_SIZES"]


def _unhealthy(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    for found in unhealthy(graph):
        site, event = _where(graph, found)
        yield Verdict(
            found.kind, found.severity, event, graph.tensor_id(found.source.tensor), graph.place(site), found.says,
            found.fix, found.figures, site,
        )  # fmt: skip


def _where(graph: Graph, found: Unhealthy) -> tuple[int, int]:
    """The line (a row of ``sites``) and the event (by its id) where a gradient becomes small or large."""
    event = found.stage.event if found.stage is not None else -1
    if event < 0:
        step = int(graph.links.producer[found.source.gradient])
        event = int(graph.links.origin[step]) if step >= 0 and graph.links.origin[step] >= 0 else step
    site = _zero_weights(graph, found) if found.stage is not None else -1
    site = site if site >= 0 else training_of(graph).written_at(event)
    return (site if site >= 0 else of_request(graph, found.source.request).site), graph.event_id(event)


def _zero_weights(graph: Graph, found: Unhealthy) -> int:
    """The line that makes the weights that a gradient is multiplied by, where they are all 0; -1 for others."""
    stage = found.stage
    if stage is None or not stage.by_variable or found.severity < LIKELY:
        return -1
    training = training_of(graph)
    variables = [int(graph.recording.tensors.variable[read]) for read in graph.operands[stage.event]]
    zero = [v for v in variables if v >= 0 and all(training.norm(value) == 0 for value in training.assigned.get(v, ()))]
    return training.layer_line(zero[0]) if zero else -1


def _has_gradients(recording: Recording) -> bool:
    return len(recording.requests) > 0 or len(recording.gradients) > 0


GRADIENT_SIZES: Final = Rule(
    _unhealthy,
    {"vanishing": "gradients that vanish or are all 0", "exploding": "gradients that explode"},
    "gradients",
    (VANISHING, VANISHING_STEP, VANISHING_ALONE, EXPLODING, ROUNDING),
    applies=_has_gradients,
    by_statistics=True,
)
