"""Examples in an order that no training wants: features and labels shuffled apart, or one class after the other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

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
    """Batch after batch of one class each, from a pipeline without a shuffle or from slices of arrays."""
    passes = _of(graph, "pass")
    plain = [row for row in passes if not graph.attributes(row).get("shuffled")]
    if passes and not plain:
        return
    stats, lines = graph.recording.stats, dict[int, list[int]]()
    for row in graph.runs_of(ops_with(graph.recording, "logits")):
        read = graph.operands[row]
        known = len(read) > 1 and graph.links.stats[read[0]] >= 0 and graph.size(read[0]) >= _FEW
        trained = bool(plain) or any(graph.links.gradient[tensor] >= 0 for tensor in read)
        if known and trained and graph.dtype(read[0]).startswith(("int", "uint")):
            lines.setdefault(graph.site(row), []).append(row)
    for rows in lines.values():
        labels = [int(graph.links.stats[graph.operands[row][0]]) for row in rows]
        of_one = [label for label in labels if stats.min[label] == stats.max[label]]
        classes = [int(stats.max[label]) for label in of_one]
        if len(rows) < _FEW or len(of_one) < thresholds[_ONE_CLASS] * len(rows) or len(set(classes)) == 1:
            continue
        if not plain and not _in_runs(classes):
            continue
        yield _sorted_labels(graph, plain[0] if plain else -1, rows, len(of_one) / len(rows), len(set(classes)))
        return


def _in_runs(classes: list[int]) -> bool:
    """Whether a class comes in several batches on end; models that are told two kinds apart get them in turns."""
    changes = sum(before != after for before, after in itertools.pairwise(classes))
    return 0 < changes <= len(classes) // 2


def _sorted_labels(graph: Graph, piped: int, rows: list[int], share: float, classes: int) -> Verdict:
    if piped >= 0:
        event, site = piped, int(graph.attributes(piped).get("made", -1))
        fix = "shuffle them before they are batched: .shuffle(number_of_examples).batch(...)"
    else:
        event, site = rows[0], _outermost(graph, rows[0])
        fix = "take them in a random order: fit(shuffle=True), or one np.random.permutation for features and labels"
    return Verdict(
        "sorted_labels", LIKELY, graph.event_id(event), -1, graph.place(site),
        f"{share:.0%} of {len(rows):,} batches hold labels of one class alone: the examples come sorted by label",
        fix, {"batches": len(rows), "share": share, "classes": classes}, site,
    )  # fmt: skip


def _outermost(graph: Graph, event: int) -> int:
    """The line of the outermost call that an op is part of, a row of ``sites``."""
    while (around := int(graph.links.parent[event])) >= 0 and graph.site(around) >= 0:
        event = around
    return graph.site(event)


def _has_labels(recording: Recording) -> bool:
    return bool(ops_with(recording, "logits").any()) or _has_pipelines(recording)


def _has_pipelines(recording: Recording) -> bool:
    return any('"span": "data"' in text for text in recording.strings.text)


EXAMPLES_ORDER: Final = Rule(
    _examples_order,
    {"shuffled_apart": "features and labels in different orders", "sorted_labels": "batches of one class each"},
    "data",
    (Threshold(_ONE_CLASS, 0.5, "labels are called sorted when at least this part of the batches is of one class"),),
    applies=_has_labels,
)
