"""Losses of PyTorch's that are given something else than they take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["TORCH_LOSSES"]

_ROUNDING: Final = 1e-5


def _losses(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """``nll_loss`` of what are no logarithms of probabilities, as these are never above 0; one finding a line."""
    told = set[int]()
    for event, ran in enumerate(graph.ran.tolist()):
        site = graph.site(event)
        if not ran or graph.op(event) != "nll_loss" or site in told or graph.is_backward(event):
            continue
        given = next((one for one in reversed(graph.operands[event]) if graph.is_floating[one]), -1)
        ends = graph.ends(given) if given >= 0 else None
        if ends is None or not ends[1] > _ROUNDING:
            continue
        told.add(site)
        are = "probabilities" if graph.maker_of(given, "distribution") >= 0 else "scores"
        yield verdict_at(
            graph, event, "softmax", LIKELY,
            f"nll_loss takes logarithms of probabilities, which are at most 0, and is given {are} of up to"
            f" {ends[1]:.3g}",
            "give it log_softmax(scores, dim=1), or use cross_entropy on the scores", tensor=given,
        )  # fmt: skip


TORCH_LOSSES: Final = Rule(
    _losses,
    {"softmax": "a logarithm of a softmax that is missing"},
    "losses",
    by_statistics=True,
    applies=lambda recording: framework_of(recording) == "torch",
)
