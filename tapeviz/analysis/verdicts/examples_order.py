"""Examples in an order that no training wants: features and labels shuffled apart, or one class after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.verdicts.verdict import FAULT, LIKELY, Rule, Threshold, Thresholds, Verdict
from tapeviz.recording import Recording

__all__ = ["EXAMPLES_ORDER"]

_FEW: Final = 4
_ONE_CLASS: Final = "one_class_share"


def _examples_order(graph: Graph, thresholds: Thresholds) -> Iterator[Verdict]:
    yield from _apart(graph)
    yield from _one_class(graph, thresholds)


def _of(graph: Graph, name: str) -> list[int]:
    """The first span of each pipeline's, or zip's, line."""
    found: dict[int, int] = {}
    for row, span in graph.links.spans.items():
        if span == ("data", name):
            found.setdefault(int(graph.attributes(row).get("made", -1)), row)
    return list(found.values())


def _apart(graph: Graph) -> Iterator[Verdict]:
    """Features and labels that were shuffled one by one and then put side by side.

    Two sets of pictures are put side by side in whatever order, and pairs of features and labels are too: what has
    another shape than the others is what belongs to them.
    """
    for row in _of(graph, "zip"):
        attributes = graph.attributes(row)
        shuffled, shapes = attributes.get("shuffled", []), attributes.get("shapes", attributes.get("ranks", []))
        if not any(shuffled) or None in shapes or all(shape == shapes[0] for shape in shapes):
            continue
        site = int(attributes.get("made", -1))
        how = "each is shuffled in an order of its own" if all(shuffled) else "one is shuffled and another is not"
        yield Verdict(
            "shuffled_apart", FAULT, graph.event_id(row), -1, graph.place(site),
            f"the datasets that are zipped here no longer belong together: {how}",
            "zip them first, and shuffle what comes out: tf.data.Dataset.zip((features, labels)).shuffle(...)",
            {"shuffled": shuffled}, site,
        )  # fmt: skip


def _one_class(graph: Graph, thresholds: Thresholds) -> Iterator[Verdict]:
    """Batch after batch of one class each, from a pipeline without a shuffle."""
    passes = [row for row in _of(graph, "pass") if not graph.attributes(row).get("shuffled")]
    if not passes:
        return
    stats = graph.recording.stats
    lines: dict[int, list[int]] = {}
    for row in graph.runs_of(ops_with(graph.recording, "logits")):
        labels = graph.operands[row][0]
        known = len(graph.operands[row]) > 1 and graph.links.stats[labels] >= 0 and graph.size(labels) >= _FEW
        if known and graph.dtype(labels).startswith(("int", "uint")):
            lines.setdefault(graph.site(row), []).append(int(graph.links.stats[labels]))
    for rows in lines.values():
        alone = float(np.mean(stats.min[rows] == stats.max[rows]))
        classes = len(set(stats.max[rows].tolist()))
        if len(rows) < _FEW or alone < thresholds[_ONE_CLASS] or classes == 1:
            continue
        row = passes[0]
        site = int(graph.attributes(row).get("made", -1))
        yield Verdict(
            "sorted_labels", LIKELY, graph.event_id(row), -1, graph.place(site),
            f"{alone:.0%} of {len(rows):,} batches hold labels of one class alone: the examples come sorted by label",
            "shuffle them before they are batched: .shuffle(number_of_examples).batch(...)",
            {"batches": len(rows), "share": alone, "classes": classes}, site,
        )  # fmt: skip
        return


def _has_pipelines(recording: Recording) -> bool:
    return any('"span": "data"' in text for text in recording.strings.text)


EXAMPLES_ORDER: Final = Rule(
    _examples_order,
    {"shuffled_apart": "features and labels in different orders", "sorted_labels": "batches of one class each"},
    "data",
    (Threshold(_ONE_CLASS, 0.5, "labels are called sorted when at least this part of the batches is of one class"),),
    applies=_has_pipelines,
)
