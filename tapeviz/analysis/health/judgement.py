"""Whether gradients are of a size to learn from: the one rule that every face of a recording goes by.

It is applied here and nowhere else. What comes of it travels with the recording, in the table ``health``, so that no
view needs a rule of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.health.thresholds import EXPLODING, ROUNDING, VANISHING, VANISHING_ALONE, VANISHING_STEP, epsilon
from tapeviz.analysis.links import Mask, Rows, distinct, latest, ops_with, pick, rows_of
from tapeviz.analysis.threshold import Threshold
from tapeviz.recording import Recording
from tapeviz.recording.schema import DTYPES, HEALTHS

__all__ = ["Judgements", "Source", "health_rows", "judgements", "sources"]

_OK, _ZERO, _VANISHING, _EXPLODING, _NONFINITE, _NONE, _UNKNOWN = map(
    HEALTHS.index, ("ok", "zero", "vanishing", "exploding", "nonfinite", "none", "unknown")
)

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Source:
    """One source of a call of ``gradient``: rows of tensors, and figures that are nan where they are not known.

    Attributes:
        request: the row of ``requests``.
        tensor, gradient: the source and its gradient, -1 for None.
        elements: how many elements it has.
        norm: Euclidean norm of the gradient.
        own_norm: that of the source.
        health: one of `HEALTHS`.
        low, high: the norms below which it is called vanishing and above which exploding; nan where not known.
        largest: the largest root mean square of a gradient in the same call.
    """

    request: int
    tensor: int
    gradient: int
    elements: int
    norm: float
    own_norm: float
    health: str
    low: float
    high: float
    largest: float

    @property
    def rms(self) -> float:
        """Root mean square of the gradient's elements."""
        return self.norm / math.sqrt(max(self.elements, 1))


@dataclass(frozen=True, slots=True)
class Judgements:
    """What each row of ``requests`` was judged to be. Columns of the same length; ``health`` are numbers of `HEALTHS`.

    Attributes:
        tensor, gradient: rows of the source and of its gradient.
        elements, norm, own_norm, largest: the figures.
        low, high: between which norms a gradient is of a size to learn from.
        health: what it is.
    """

    tensor: Rows
    gradient: Rows
    elements: _Floats
    norm: _Floats
    own_norm: _Floats
    largest: _Floats
    low: _Floats
    high: _Floats
    health: NDArray[np.uint8]


def judgements(graph: Graph) -> Judgements:
    """Every row of ``requests``, judged."""
    return graph.recording.derived(_judged)


def sources(graph: Graph, span: int) -> list[Source]:
    """The sources of one call of ``gradient``, by the id of its span."""
    found = judgements(graph)
    rows = np.flatnonzero((graph.recording.requests.event == span) & (found.tensor >= 0))
    return [
        Source(row, int(found.tensor[row]), int(found.gradient[row]), int(found.elements[row]), float(found.norm[row]),
               float(found.own_norm[row]), HEALTHS[found.health[row]], float(found.low[row]), float(found.high[row]),
               float(found.largest[row]))
        for row in rows.tolist()
    ]  # fmt: skip


def health_rows(graph: Graph) -> Iterator[dict[str, Any]]:
    """Rows of the table ``health``: each source asked for, and of the other gradients those that are not well."""
    found = judgements(graph)
    for row in range(len(found.health)):
        if found.tensor[row] >= 0:
            yield {
                "request": row, "tensor": graph.tensor_id(int(found.tensor[row])),
                "gradient": graph.tensor_id(int(found.gradient[row])), "health": int(found.health[row]),
                "low": float(found.low[row]), "high": float(found.high[row]),
            }  # fmt: skip
    asked = distinct(found.gradient)
    tensors, gradients, healths, lows = _on_the_way(graph)
    told = (healths != _OK) & ~np.isin(gradients, asked)
    for row in np.flatnonzero(told).tolist():
        yield {
            "request": -1, "tensor": graph.tensor_id(int(tensors[row])),
            "gradient": graph.tensor_id(int(gradients[row])), "health": int(healths[row]), "low": float(lows[row]),
        }  # fmt: skip


def _judged(recording: Recording) -> Judgements:
    graph = graph_of(recording)
    requests, links = recording.requests, graph.links
    tensor, gradient = links.tensor_rows(requests.source), links.tensor_rows(requests.gradient)
    elements = _sizes(graph, tensor)
    norm, own = _norms(graph, gradient), _norms(graph, tensor)
    with np.errstate(invalid="ignore"):
        rms = norm / np.sqrt(np.maximum(elements, 1))
    largest = _largest(requests.event, rms)
    low, high = _limits(graph, tensor, elements, own, largest, _norms(graph, links.tensor_rows(requests.target)))
    health = _healths(graph, gradient, norm, low, high)
    health[(health == _VANISHING) & _cancelled(graph, gradient, norm)] = _OK
    return Judgements(tensor, gradient, elements, norm, own, largest, low, high, health)


def _limits(
    graph: Graph, tensor: Rows, elements: _Floats, own: _Floats, largest: _Floats, target: _Floats
) -> tuple[_Floats, _Floats]:
    """Between which norms a gradient is of a size to learn from."""

    def limit(threshold: Threshold) -> float:
        return threshold.of(graph.recording)

    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(np.maximum(elements, 1))
        # Beside the others; of a parameter that is 0, or not measured, nobody asks how large a step would be.
        beside = np.minimum(limit(VANISHING) * largest * root, np.where(own > 0, limit(VANISHING_STEP) * own, np.inf))
        low = np.maximum(np.nan_to_num(beside, nan=0.0), _alone(graph, tensor, root, own, target))
        high = limit(EXPLODING) * np.maximum(np.where(np.isfinite(own), own, 0.0), root)
    return low, high


def _alone(graph: Graph, tensor: Rows, root: _Floats, own: _Floats, target: _Floats) -> _Floats:
    """Below which norm a gradient vanishes whatever the others are; 0 where the target's size is not known."""
    smallest = VANISHING_ALONE.of(graph.recording) * _epsilons(graph, tensor)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(own > 0, own, root)
        found: _Floats = smallest * np.minimum(scale, target / scale)
    return np.where(np.isfinite(found), found, 0.0)


def _healths(graph: Graph, gradient: Rows, norm: _Floats, low: _Floats, high: _Floats) -> NDArray[np.uint8]:
    with np.errstate(invalid="ignore"):
        health = np.full(len(norm), _OK, np.uint8)
        health[norm > high] = _EXPLODING
        health[norm < low] = _VANISHING
        health[norm == 0] = _ZERO
    health[~np.isfinite(norm)] = _NONFINITE
    health[~_measured(graph, gradient)] = _UNKNOWN
    health[gradient < 0] = _NONE
    return health


def _largest(spans: NDArray[Any], rms: _Floats) -> _Floats:
    """The largest root mean square among the finite ones of each row's call."""
    kinds, of = np.unique(spans, return_inverse=True)
    most = np.zeros(len(kinds))
    np.maximum.at(most, of, np.where(np.isfinite(rms), rms, 0.0))
    found: _Floats = most[of]
    return found


def _cancelled(graph: Graph, gradient: Rows, norm: _Floats) -> Mask:
    """The gradients that are what rounding left of a sum of terms that cancel."""
    found = np.zeros(len(gradient), np.bool_)
    if not len(gradient):
        return found
    event, tensor, _ = graph.reads
    norms = _norms(graph, tensor)
    terms, elements = np.zeros(graph.events), np.zeros(graph.events)
    np.maximum.at(terms, event, np.where(np.isfinite(norms), norms, 0.0))
    np.maximum.at(elements, event, _sizes(graph, tensor))
    maker = pick(graph.links.producer, gradient)
    summed = (
        pick(ops_with(graph.recording, "sum"), pick(graph.recording.events.op, maker)) & (gradient >= 0) & (maker >= 0)
    )
    # What rounding leaves of a sum grows with the root of how many terms there are.
    each = np.sqrt(np.maximum(pick(elements, maker) / np.maximum(_sizes(graph, gradient), 1), 1))
    with np.errstate(invalid="ignore"):
        rounding = ROUNDING.of(graph.recording) * _epsilons(graph, gradient) * each
        found[:] = summed & (norm < rounding * pick(terms, maker))
    return found


def _on_the_way(graph: Graph) -> tuple[Rows, Rows, NDArray[np.uint8], _Floats]:
    """Tensors, gradients, health and lower limits of all that the latest backward pass through them reached."""
    recording, links = graph.recording, graph.links
    gradients, requests = recording.gradients, recording.requests
    row = latest(links.tensor_rows(gradients.tensor), graph.tensors)
    tensor = np.flatnonzero((row >= 0) & (links.gradient >= 0))
    gradient, steps = links.gradient[tensor], gradients.backward[row[tensor]]
    spans = np.where(np.isin(steps, requests.event), steps, _parents(graph, steps))
    at = rows_of(requests.event, spans)
    targets = _norms(graph, links.tensor_rows(requests.target))
    target = np.where(at >= 0, pick(targets, at), np.nan)
    own, norm = _norms(graph, tensor), _norms(graph, gradient)
    low = _alone(graph, tensor, np.sqrt(np.maximum(_sizes(graph, tensor), 1)), own, target)
    return tensor, gradient, _healths(graph, gradient, norm, low, np.full(len(low), np.inf)), low


def _parents(graph: Graph, events: NDArray[Any]) -> NDArray[Any]:
    """The ids of the spans that events are in, -1 for none."""
    rows = rows_of(graph.recording.events.id, events)
    return np.where(rows >= 0, pick(graph.recording.events.parent, rows), -1)


def _norms(graph: Graph, tensors: Rows) -> _Floats:
    """Their norms, nan where they are not known."""
    rows = pick(graph.links.stats, tensors)
    norms = pick(np.asarray(graph.recording.stats.norm, np.float64), rows)
    return np.where(_measured(graph, tensors), norms, np.nan)


def _measured(graph: Graph, tensors: Rows) -> Mask:
    """The tensors that have statistics."""
    return (tensors >= 0) & (pick(graph.links.stats, tensors) >= 0)


def _sizes(graph: Graph, tensors: Rows) -> _Floats:
    shapes = pick(graph.recording.tensors.shape, tensors)
    kinds, of = np.unique(shapes, return_inverse=True)
    first = dict(zip(shapes.tolist(), tensors.tolist(), strict=True))
    sizes = np.array([graph.size(first[kind]) if first[kind] >= 0 else 0 for kind in kinds.tolist()], np.float64)
    return sizes[of] if len(kinds) else np.zeros(0)


def _epsilons(graph: Graph, tensors: Rows) -> _Floats:
    table = np.array([epsilon(name) for name in DTYPES])
    return pick(table, pick(graph.recording.tensors.dtype, tensors))
