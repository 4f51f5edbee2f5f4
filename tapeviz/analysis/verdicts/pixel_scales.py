"""Pictures that are scaled from 0 to 255 down to 0 to 1, and then once more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.expressions import operand_name
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.training import training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["PIXEL_SCALES"]

_LEVELS: Final = (255.0, 256.0, 127.5, 128.0)
_CLOSE: Final = 1e-5
_PICTURES: Final = 3  # axes of a batch of them, at least
_PIXELS: Final = 64


def _pixel_scales(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """One finding a line."""
    said: set[int] = set()
    for row in graph.runs_of(ops_with(graph.recording, "product", "quotient")):
        levels = _levels(graph, row)
        if not levels or training_of(graph).written_at(row) in said:
            continue
        given = graph.operands[row][0]
        ends = graph.ends(given)
        plain = graph.is_floating[given] and len(graph.shape(given)) >= _PICTURES and graph.size(given) >= _PIXELS
        if ends is None or not plain or not (ends[0] >= -1 and 0 < ends[1] <= 1) or graph.comes_from_variables(given):
            continue
        site = training_of(graph).written_at(row)
        said.add(site)
        name = operand_name(graph, row, 0)
        found = verdict_at(
            graph, row, "scaled_twice", LIKELY,
            f"{name} is divided by {levels:g}, but it is from {ends[0]:.3g} to {ends[1]:.3g} already: what comes out"
            f" is at most {ends[1] / levels:.2g}, a black picture",
            "scale pixels once: here, or where the data is prepared", tensor=given, evidence={"ends": list(ends)},
        )  # fmt: skip
        yield found.on(graph.place(site), site)


def _levels(graph: Graph, row: int) -> float:
    """How many levels an op divides its first input by; 0 where it does no such thing."""
    read = graph.operands[row]
    factor = graph.single(read[1]) if len(read) == len(("pixels", "levels")) and graph.size(read[1]) == 1 else None
    if not factor or graph.said(row, "family") != "elementwise":
        return 0.0
    by = factor if graph.has(row, "quotient") else 1 / factor
    return next((levels for levels in _LEVELS if abs(by / levels - 1) < _CLOSE), 0.0)


PIXEL_SCALES: Final = Rule(
    _pixel_scales, {"scaled_twice": "pixels that are scaled twice"}, "data",
    applies=lambda recording: bool(ops_with(recording, "product", "quotient").any()), by_statistics=True,
)  # fmt: skip
