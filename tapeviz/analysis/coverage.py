"""What the findings were looked for in, and what was not looked at: "no finding" says no more than that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.health.judgement import judgements
from tapeviz.analysis.links import SPAN, pick
from tapeviz.recording import Recording
from tapeviz.recording.schema import HEALTHS, SOURCES

__all__ = ["LOOKED_FOR", "NOT_LOOKED_FOR", "Coverage", "coverage"]

LOOKED_FOR: Final[dict[str, str]] = {
    "gradient_none": "gradients that are None",
    "vanishing": "gradients that vanish or are all 0",
    "exploding": "gradients that explode",
    "nonfinite": "NaN or infinity",
    "failed": "ops that failed",
    "soft_placement": "devices that are not there",
}
"""The kinds of findings, with what each is in words."""

NOT_LOOKED_FOR: Final[dict[str, str]] = {
    "retrace": "functions that are traced again (see tapeviz.retraces)",
    "dead_units": "units that are always off",
    "update_ratio": "updates that are too small or too large for their parameter",
    "cancellation": "digits lost where large numbers cancel",
}
"""Kinds that nothing looks for yet."""

_BY_STATISTICS: Final = ("vanishing", "exploding", "nonfinite")
_OF_REQUESTS: Final = ("gradient_none",)
_OF_GRADIENTS: Final = ("vanishing", "exploding")
_VARIABLE: Final = SOURCES.index("variable")
_UNKNOWN: Final = HEALTHS.index("unknown")


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was looked for, by kind, and what was not looked at, each as a clause."""

    looked_for: tuple[str, ...]
    unseen: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What "no finding" means here."""
        words = [LOOKED_FOR[kind] for kind in self.looked_for]
        return f"No finding; looked for {', '.join(words[:-1])} and {words[-1]}."

    @property
    def not_looked_for(self) -> str:
        """The kinds that nothing looks for yet, as a sentence."""
        return f"Not looked for: {', '.join(NOT_LOOKED_FOR.values())}."

    def facts(self) -> dict[str, Any]:
        """As the recording's meta holds it, for the views."""
        return {"kinds": list(self.looked_for), "text": self.sentence, "not": self.not_looked_for,
                "unseen": list(self.unseen)}  # fmt: skip


def coverage(graph: Graph) -> Coverage:
    """What findings in this recording can be about."""
    recording = graph.recording
    meta = recording.meta_dict()
    without, unseen = _without_subject(recording), []
    if graph.tensors and not len(recording.stats):
        without |= set(_BY_STATISTICS)
        unseen.append("the numbers, of which no statistics were kept: record with values='stats'")
    elif missing := _without_statistics(graph):
        unseen.append(f"{missing:,} of {graph.tensors:,} tensors, which have no statistics")
    unknown = int((judgements(graph).health == _UNKNOWN).sum())
    if unknown and len(recording.stats):
        unseen.append(f"{unknown:,} of {len(recording.requests):,} gradients asked for, which have no statistics")
    dropped = (meta.get("dropped") or {}).get("ops") or 0
    if dropped:
        unseen.append(f"the {dropped:,} ops before these, which were not kept")
    if meta.get("truncated"):
        unseen.append("what ran after the recording was full")
    if recording.problem:
        unseen.append(f"what is lost of a damaged file ({recording.problem})")
    return Coverage(tuple(kind for kind in LOOKED_FOR if kind not in without), tuple(unseen))


def _without_subject(recording: Recording) -> set[str]:
    """The kinds that nothing in the recording could be: where no gradient was asked for, none can be None."""
    none = set() if len(recording.requests) else set(_OF_REQUESTS)
    has_gradients = len(recording.requests) or len(recording.gradients)
    return none if has_gradients else none | set(_OF_GRADIENTS)


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
