"""PyTorch's modules between training and evaluation: dropout that ``eval()`` does not end, an ``eval()`` that stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["TORCH_MODES"]

_TIMES: Final = 2
_DROPS: Final = frozenset({"dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d", "dropout3d"})


def _modes(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    yield from _always_dropped(graph)
    yield from _stayed_in_eval(graph)


def _always_dropped(graph: Graph) -> Iterator[Verdict]:
    """Functions that drop elements within a module in evaluation mode; one finding a line."""
    told = set[int]()
    for event in np.flatnonzero(graph.ran).tolist():
        site = graph.site(event)
        if graph.op(event) not in _DROPS or graph.is_backward(event) or site in told:
            continue
        around = _module(graph, event)
        facts = graph.attributes(event)
        if not around or around.get("training", True) or not facts.get("training", True) or facts.get("p") == 0:
            continue
        told.add(site)
        text = f"{graph.op(event)} drops elements though the module is in evaluation mode: a function does not hear of"
        yield verdict_at(
            graph, event, "training_flag", LIKELY, f"{text} eval()",
            "pass training=self.training to it, or use an nn.Dropout made in __init__", tensor=graph.outputs[event][0],
        )  # fmt: skip


def _module(graph: Graph, event: int) -> dict[str, Any]:
    """What is known of the module's call around an event; nothing where there is none."""
    span = int(graph.links.parent[event])
    while span >= 0:
        if graph.links.spans.get(span, ("", ""))[0] == "layer":
            return graph.attributes(span)
        span = int(graph.links.parent[span])
    return {}


def _stayed_in_eval(graph: Graph) -> Iterator[Verdict]:
    """Modules that were trained in training mode first, and in evaluation mode from some step on."""
    roots = [row for row, (kind, _) in graph.links.spans.items() if kind == "layer" and not _module(graph, row)]
    modes: dict[int, list[tuple[int, bool]]] = {}
    for row in roots:
        modes.setdefault(graph.site(row), []).append((row, bool(graph.attributes(row).get("training"))))
    for calls in modes.values():
        trained = [(row, mode) for row, mode in calls if _is_differentiated(graph, row)]
        after = next((at for at, (_, mode) in enumerate(trained) if not mode), 0)
        left = trained[after:]
        if not after or len(left) < _TIMES or any(mode for _, mode in left) or not _differs(graph, left[0][0]):
            continue
        name = graph.links.spans[left[0][0]][1]
        yield verdict_at(
            graph, left[0][0], "training_flag", LIKELY,
            f"{name} is trained in evaluation mode from step {after + 1} on, {len(left)} times: nothing is dropped, and"
            " batch normalization keeps its averages", "call .train() again after the evaluation, before the next step",
        )  # fmt: skip


def _inside(graph: Graph, row: int) -> list[int]:
    """The events in a module's call."""
    found, parents = {row}, graph.links.parent
    for event in range(row + 1, graph.events):
        parent = int(parents[event])
        if parent < row:
            break
        if parent in found:
            found.add(event)
    return sorted(found)


def _is_differentiated(graph: Graph, row: int) -> bool:
    return any(graph.links.gradient[tensor] >= 0 for event in _inside(graph, row) for tensor in graph.outputs[event])


def _differs(graph: Graph, row: int) -> bool:
    """Whether a module, or a part of it, does something else in training."""
    classes = (str(graph.attributes(one).get("class", "")) for one in _inside(graph, row) if graph.is_span(one))
    return any(name.startswith("BatchNorm") or "Dropout" in name for name in classes)


TORCH_MODES: Final = Rule(
    _modes,
    {"training_flag": "dropout and batch normalization in the wrong mode"},
    "ops",
    applies=lambda recording: framework_of(recording) == "torch" and len(recording.requests) > 0,
)
