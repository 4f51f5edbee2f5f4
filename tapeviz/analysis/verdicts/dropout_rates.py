"""Dropout of nearly all units: what is to be kept was given for what is to be dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.training import training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["DROPOUT_RATES"]

_RATE: Final = "dropout_rate"
_CLOSE: Final = 1e-4


def _dropout_rates(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """One finding a line."""
    said: set[int] = set()
    for row in graph.runs_of(ops_with(graph.recording, "selects")):
        rate = _rate(graph, row)
        site = training_of(graph).written_at(row)
        if rate is None or not limits[_RATE] - _CLOSE <= rate < 1 or site in said:
            continue
        said.add(site)
        found = verdict_at(
            graph, row, "dropout_rate", LIKELY,
            f"dropout sets {rate:.0%} of the units to 0, and multiplies the others by {1 / (1 - rate):.3g}: its rate is"
            " the part that is dropped, not the part that is kept",
            f"if {rate:.3g} is to be kept, give the rate 1 - {rate:.3g} = {1 - rate:.3g}",
            tensor=graph.outputs[row][0], evidence={"rate": rate},
        )  # fmt: skip
        yield found.on(graph.place(site), site)


def _rate(graph: Graph, row: int) -> float | None:
    """The part of the elements that an op sets to 0 by chance, scaling up the others; None where it does not."""
    read = graph.operands[row]
    if len(read) != len(("condition", "kept", "dropped")) or graph.single(read[2]) != 0:
        return None
    compared, scaled = (int(graph.links.producer[tensor]) for tensor in read[:2])
    if min(compared, scaled) < 0 or not graph.has(scaled, "product") or not graph.operands[scaled]:
        return None
    drawn = graph.operands[compared]
    if not drawn or not graph.has(int(graph.links.producer[drawn[0]]), "random"):
        return None
    rate, scale = graph.single(drawn[-1]), graph.single(graph.operands[scaled][-1])
    if rate is None or scale is None or not 0 <= rate < 1:
        return None
    return rate if abs(scale * (1 - rate) - 1) < _CLOSE else None


DROPOUT_RATES: Final = Rule(
    _dropout_rates, {"dropout_rate": "dropout of nearly all units"}, "layers",
    (Threshold(_RATE, 0.8, "the rate of a dropout from which on it is taken for the part that is to be kept"),),
    applies=lambda recording: bool(ops_with(recording, "random").any() and ops_with(recording, "selects").any()),
    by_statistics=True,
)  # fmt: skip
