"""Whether gradients are of a size to learn from: the sources of one call of ``gradient`` beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import rows_of

__all__ = ["EXPLODING", "VANISHING", "VANISHING_STEP", "Source", "Unhealthy", "sources", "unhealthy"]

VANISHING: Final = 1e-5
"""A gradient vanishes when its root mean square is below this part of the largest among the sources, and ..."""
VANISHING_STEP: Final = 1e-6
"""... its norm is below this part of the parameter's own norm."""
EXPLODING: Final = 1e3
"""A gradient explodes when its norm is above so many times the parameter's (at least 1 an element)."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source of a call of ``gradient``: rows of tensors, and figures that are nan where they are not known.

    Attributes:
        request: the row of ``requests``.
        tensor, gradient: the source and its gradient, -1 for None.
        elements: how many elements it has.
        norm: Euclidean norm of the gradient.
        own_norm: that of the source.
    """

    request: int
    tensor: int
    gradient: int
    elements: int
    norm: float
    own_norm: float

    @property
    def rms(self) -> float:
        """Root mean square of the gradient's elements."""
        return self.norm / math.sqrt(max(self.elements, 1))


@dataclass(frozen=True, slots=True)
class Unhealthy:
    """A source whose gradient is far too small or too large: what of it, and the figures by which it was told."""

    kind: str
    source: Source
    says: str
    fix: str
    figures: dict[str, float]


def sources(graph: Graph, span: int) -> list[Source]:
    """The sources of one call of ``gradient``, by the id of its span."""
    requests = graph.recording.requests
    rows = np.flatnonzero(requests.event == span)
    tensors = graph.links.tensor_rows(requests.source[rows])
    gradients = graph.links.tensor_rows(requests.gradient[rows])
    columns = zip(rows.tolist(), tensors.tolist(), gradients.tolist(), strict=True)
    return [
        Source(row, tensor, gradient, graph.size(tensor), _norm(graph, gradient), _norm(graph, tensor))
        for row, tensor, gradient in columns if tensor >= 0
    ]  # fmt: skip


def unhealthy(graph: Graph) -> Iterator[Unhealthy]:
    """The sources that vanish or explode in the latest call from each line."""
    for span in _latest(graph):
        found = [source for source in sources(graph, span) if math.isfinite(source.norm)]
        largest = max((source.rms for source in found), default=0.0)
        for source in found:
            judged = _vanishing(graph, source, largest) or _exploding(graph, source)
            if judged is not None:
                yield judged


def _latest(graph: Graph) -> list[int]:
    """The last call of ``gradient`` from each line, by the ids of their spans."""
    spans = np.unique(graph.recording.requests.event)
    rows = rows_of(graph.recording.events.id, spans)
    known = rows >= 0
    by_site = dict(zip(graph.recording.events.site[rows[known]].tolist(), spans[known].tolist(), strict=True))
    return sorted(by_site.values())


def _vanishing(graph: Graph, source: Source, largest: float) -> Unhealthy | None:
    ratio = source.rms / largest if largest > 0 else 1.0
    step = source.norm / source.own_norm if source.own_norm > 0 else 0.0
    if ratio >= VANISHING or step >= VANISHING_STEP:
        return None
    figures = {"norm": source.norm, "parameter_norm": source.own_norm, "rms": source.rms, "largest_rms": largest,
               "ratio": ratio, "threshold": VANISHING}  # fmt: skip
    name = graph.name(source.tensor)
    if source.norm == 0:
        says = f"every element of {name}'s gradient is exactly 0"
        fix = "look for a unit that is off for all inputs, or a value that is rounded or clipped on the way"
    else:
        says = f"{name}'s gradient is {1 / ratio:.0e} times smaller than the largest"
        fix = "use an activation that does not saturate (relu), a better initialisation, or fewer layers"
    return Unhealthy("vanishing", source, says, fix, figures)


def _exploding(graph: Graph, source: Source) -> Unhealthy | None:
    # Biases often begin at 0: a parameter counts as at least 1 an element.
    scale = max(source.own_norm if math.isfinite(source.own_norm) else 0.0, math.sqrt(max(source.elements, 1)))
    ratio = source.norm / scale
    if ratio <= EXPLODING:
        return None
    figures = {"norm": source.norm, "parameter_norm": source.own_norm, "ratio": ratio, "threshold": EXPLODING}
    says = f"{graph.name(source.tensor)}'s gradient is {ratio:.0e} times the size of the parameter"
    fix = "clip it (tf.clip_by_value), normalise the inputs, or make the initial weights smaller"
    return Unhealthy("exploding", source, says, fix, figures)


def _norm(graph: Graph, tensor: int) -> float:
    row = int(graph.links.stats[tensor]) if tensor >= 0 else -1
    return float(graph.recording.stats.norm[row]) if row >= 0 else math.nan
