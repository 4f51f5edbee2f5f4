"""What of a recording could not be looked at: "no finding" says no more than what was."""

from __future__ import annotations

from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.health.judgement import judgements
from tapeviz.analysis.links import SPAN, pick
from tapeviz.recording.schema import HEALTHS, SOURCES

__all__ = ["unseen"]

_VARIABLE: Final = SOURCES.index("variable")
_UNKNOWN: Final = HEALTHS.index("unknown")


def unseen(graph: Graph) -> tuple[str, ...]:
    """What was not looked at, each as a clause, such as tensors without statistics."""
    recording = graph.recording
    meta = recording.meta_dict()
    found = []
    if graph.tensors and not len(recording.stats):
        found.append("the numbers, of which no statistics were kept: record with values='stats'")
    elif missing := _without_statistics(graph):
        found.append(f"{missing:,} of {graph.tensors:,} tensors, which have no statistics")
    unknown = int((judgements(graph).health == _UNKNOWN).sum())
    if unknown and len(recording.stats):
        found.append(f"{unknown:,} of {len(recording.requests):,} gradients asked for, which have no statistics")
    dropped = (meta.get("dropped") or {}).get("ops") or 0
    if dropped:
        found.append(f"the {dropped:,} ops before these, which were not kept")
    if meta.get("truncated"):
        found.append("what ran after the recording was full")
    if at_once := [name for kind, name in graph.links.spans.values() if kind == "at_once"]:
        found.append(f"what ran inside loops, branches and called functions: {at_once[0]}")
    if recording.problem:
        found.append(f"what is lost of a damaged file ({recording.problem})")
    return tuple(found)


def _without_statistics(graph: Graph) -> int:
    """How many tensors that an op made or read could have had statistics and have none."""
    links, tensors = graph.links, graph.recording.tensors
    missing = (links.stats < 0) & graph.is_floating
    if not missing.any():
        return 0
    read = np.zeros(graph.tensors, np.bool_)
    read[graph.reads[1]] = True
    by_op = links.producer >= 0
    # What a backward pass begins with is made by its span: ones.
    missing &= ~(by_op & (pick(graph.recording.events.kind, links.producer) == SPAN))
    # A variable's new value that nothing reads as such is what was assigned to it, which was looked at.
    assigned = (tensors.source == _VARIABLE) & ~read
    return int((missing & (read | by_op) & ~assigned).sum())
