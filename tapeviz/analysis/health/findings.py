"""Gradients that vanish or explode, as findings: one for all that do so in the same call for the same reason."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.health.attenuation import Backward, Stage
from tapeviz.analysis.health.judgement import Source, sources
from tapeviz.analysis.health.thresholds import EXPLODING, VANISHING
from tapeviz.analysis.links import distinct, rows_of

__all__ = ["Unhealthy", "unhealthy"]

LIKELY, WORTH_KNOWING = 2, 1
_NAMED: Final = 4


@dataclass(frozen=True, slots=True)
class Unhealthy:
    """Sources whose gradients are far too small or too large: what of them, and the figures by which it was told.

    Attributes:
        kind: ``vanishing`` or ``exploding``.
        severity: 1 worth knowing, 2 likely a fault.
        source: of several the one whose gradient is worst.
        stage: where it happens; None where that cannot be told.
        says, fix: the finding and what to do, as clauses.
        figures: the evidence.
    """

    kind: str
    severity: int
    source: Source
    stage: Stage | None
    says: str
    fix: str
    figures: dict[str, Any]


def unhealthy(graph: Graph) -> Iterator[Unhealthy]:
    """What vanishes or explodes in the latest call of ``gradient`` from each line."""
    for span in _latest(graph):
        asked = sources(graph, span)
        measured = [source for source in asked if source.health not in ("none", "unknown")]
        if not _is_finite(graph, span):  # gradients of NaN or infinity say nothing by themselves
            continue
        if measured and all(source.health == "zero" for source in measured):
            yield _all_zero(graph, span, measured)
            continue
        yield from _of_call(graph, span, measured)


def _is_finite(graph: Graph, span: int) -> bool:
    """Whether what was differentiated is finite, as far as is known."""
    requests, stats = graph.recording.requests, graph.recording.stats
    targets = graph.links.tensor_rows(requests.target[requests.event == span])
    rows = graph.links.stats[targets[targets >= 0]]
    rows = rows[rows >= 0]
    return not (stats.nan[rows] + stats.posinf[rows] + stats.neginf[rows]).any()


def _of_call(graph: Graph, span: int, asked: Sequence[Source]) -> Iterator[Unhealthy]:
    """The findings of one call, those with the same cause as one."""
    backward = Backward(graph, span)
    groups: dict[tuple[Any, ...], list[tuple[Source, Stage | None]]] = {}
    for source in asked:
        if source.health not in ("zero", "vanishing", "exploding"):
            continue
        if source.health == "zero" and _cancels(graph, source):
            yield _cancelled(graph, source)
            continue
        grows = source.health == "exploding"
        stage = backward.exploding_stage(source.tensor) if grows else backward.vanishing_stage(source.tensor)
        cause = (source.health, stage and (stage.op, stage.site, stage.factor_is_zero))
        groups.setdefault(cause, []).append((source, stage))
    for (health, _), found in groups.items():
        worst = max(found, key=lambda one: one[0].norm) if health == "exploding" else min(
            found, key=lambda one: one[0].rms / one[0].largest if one[0].largest > 0 else 1.0
        )  # fmt: skip
        say = {"zero": _zero, "vanishing": _vanishing, "exploding": _exploding}[health]
        yield say(graph, worst[0], worst[1], [source for source, _ in found], len(asked))


def _latest(graph: Graph) -> list[int]:
    """The last call of ``gradient`` from each line, by the ids of their spans."""
    spans = distinct(graph.recording.requests.event)
    rows = rows_of(graph.recording.events.id, spans)
    known = rows >= 0
    by_site = dict(zip(graph.recording.events.site[rows[known]].tolist(), spans[known].tolist(), strict=True))
    return sorted(by_site.values())


def _all_zero(graph: Graph, span: int, found: Sequence[Source]) -> Unhealthy:
    target = int(graph.links.tensor_rows(graph.recording.requests.target[[found[0].request]])[0])
    row = int(graph.links.stats[target]) if target >= 0 else -1
    exact = row >= 0 and graph.recording.stats.norm[row] == 0
    name = graph.name(target) if target >= 0 else "the target"
    stage = Backward(graph, span).vanishing_stage(found[0].tensor)
    if len(found) == 1:
        says = f"every element of {graph.name(found[0].tensor)}'s gradient is exactly 0"
    else:
        says = f"all {len(found)} gradients of {name} are exactly 0 ({_names(graph, found)})"
    says += _ends_at(graph, stage)
    norm = float(graph.recording.stats.norm[row]) if row >= 0 else math.nan
    figures = {**_figures(graph, found[0]), "target_norm": norm, "tensors": _ids(graph, found)}
    if exact:
        says += f"; {name} is 0 as well"
        fix = f"nothing where {name} = 0 is the best there is; else look at what {name} is computed from"
        return Unhealthy("vanishing", WORTH_KNOWING, found[0], stage, says, fix, figures)
    return Unhealthy("vanishing", LIKELY, found[0], stage, says, _zero_fix(stage, moves=False), figures)


def _zero(graph: Graph, worst: Source, stage: Stage | None, found: Sequence[Source], asked: int) -> Unhealthy:
    says = f"every element of {graph.name(worst.tensor)}'s gradient is exactly 0"
    if len(found) > 1:
        says = f"{len(found)} of {asked} gradients are exactly 0 ({_names(graph, found)})"
    # What is multiplied by a weight that begins at 0 moves as soon as that weight has moved.
    begins = stage is not None and stage.factor_is_zero and stage.by_variable
    severity = WORTH_KNOWING if begins else LIKELY
    figures = {**_figures(graph, worst), "tensors": _ids(graph, found)}
    fix = _zero_fix(stage, moves=begins)
    return Unhealthy("vanishing", severity, worst, stage, says + _ends_at(graph, stage), fix, figures)


def _cancels(graph: Graph, source: Source) -> bool:
    """Whether a gradient is 0 because contributions to it, or terms of its one sum, which are not, are opposite."""
    _, before, total, added = graph.additions
    norms, rows = graph.recording.stats.norm, graph.links.stats
    if _is_added(graph, source):
        step = int(graph.links.producer[source.gradient])
        return any(rows[read] >= 0 and norms[rows[read]] > 0 for read in graph.operands[step])
    for at in np.flatnonzero(total == source.gradient).tolist():
        pair = rows[[before[at], added[at]]]
        if (pair >= 0).all() and (norms[pair] > 0).all():
            return True
    return False


def _is_added(graph: Graph, source: Source) -> bool:
    """Whether an op did nothing with a source but add it, so that its gradient is a sum of what came to the output."""
    step = int(graph.links.producer[source.gradient])
    event = int(graph.links.origin[step]) if step >= 0 else -1
    if event < 0 or not graph.has(event, "sum"):
        return False
    return not graph.has(event, "product") or source.tensor in graph.operands[event][2:]


def _cancelled(graph: Graph, source: Source) -> Unhealthy:
    says = f"every element of {graph.name(source.tensor)}'s gradient is exactly 0: its contributions cancel"
    fix = "nothing where the target is a difference in which it does not count; else look at the signs in the loss"
    figures = {**_figures(graph, source), "tensors": _ids(graph, [source])}
    return Unhealthy("vanishing", WORTH_KNOWING, source, None, says, fix, figures)


def _vanishing(graph: Graph, worst: Source, stage: Stage | None, found: Sequence[Source], asked: int) -> Unhealthy:
    ratio = worst.rms / worst.largest if worst.largest > 0 else 1.0
    name = graph.name(worst.tensor)
    small = (
        f"{1 / ratio:.0e} times smaller than the largest"
        if ratio < VANISHING.of(graph.recording)
        else f"{worst.norm:.0e} in size, {worst.norm / worst.own_norm:.0e} of {name} itself"
        if worst.own_norm > 0
        else f"{worst.norm:.0e} in size"
    )
    says = f"{name}'s gradient is {small}"
    if len(found) > 1:
        says = f"{len(found)} of {asked} gradients vanish, {name}'s most of all: it is {small}"
    if stage is not None and stage.decades < 0:
        often = f", {stage.times} times on the way" if stage.times > 1 else ""
        says += f"; most of it is lost in {_in_its_layer(graph, stage)}{often}"
    figures = {**_figures(graph, worst), "tensors": _ids(graph, found)}
    return Unhealthy("vanishing", LIKELY, worst, stage, says, _small_fix(stage), figures)


def _exploding(graph: Graph, worst: Source, stage: Stage | None, found: Sequence[Source], asked: int) -> Unhealthy:
    limit = EXPLODING.of(graph.recording)
    scale = worst.high / limit
    times = f"{worst.norm / scale:.0e} times the size of the parameter"
    says = f"{graph.name(worst.tensor)}'s gradient is {times}"
    if len(found) > 1:
        says = f"{len(found)} of {asked} gradients explode, {graph.name(worst.tensor)}'s most of all: it is {times}"
    if stage is not None and stage.decades > 0:
        often = f", {stage.times} times on the way" if stage.times > 1 else ""
        says += f"; it grows most in {_in_its_layer(graph, stage)}{often}"
    fix = "clip it (tf.clip_by_global_norm), normalise the inputs, or make the initial weights smaller"
    figures = {"norm": worst.norm, "parameter_norm": worst.own_norm, "ratio": worst.norm / scale,
               "threshold": limit, "tensors": _ids(graph, found)}  # fmt: skip
    return Unhealthy("exploding", LIKELY, worst, stage, says, fix, figures)


def _small_fix(stage: Stage | None) -> str:
    op = stage.op if stage is not None else ""
    if stage is not None and "saturates" in stage.traits:
        return "use an activation that does not saturate (relu), a better initialisation, or fewer layers"
    if stage is not None and "flat" in stage.traits:
        return f"few of {op}'s inputs are where it has a slope: look at their range"
    if op:
        return f"look at the factor in {op}: a better initialisation, a normalisation, or fewer layers"
    return "use a better initialisation, a normalisation, or fewer layers"


def _zero_fix(stage: Stage | None, *, moves: bool) -> str:
    op = stage.op if stage is not None else ""
    if stage is not None and stage.factor_is_zero:
        if moves:
            return f"nothing if the weight that {op} multiplies by is meant to begin at 0: it moves first"
        return f"give what {op} multiplies by another value than 0 (weights that all begin at 0 never move)"
    if stage is not None and stage.counts_alike:
        return "weigh the outputs of the softmax differently, as a loss that compares them with labels does"
    if stage is not None and stage.too_small_for:
        half = "scale the loss up (tf.keras.mixed_precision.LossScaleOptimizer), or compute it in float32"
        return half if stage.too_small_for == "float16" else _small_fix(stage)
    return _flat_fix(stage)


def _flat_fix(stage: Stage | None) -> str:
    """What to do about an op that has no slope where it was asked."""
    op, traits = (stage.op, stage.traits) if stage is not None else ("", frozenset())
    if "saturates" in traits:
        return f"make the numbers that go into {op} smaller: so far from 0 its slope is 0 in this dtype"
    if "flat" in traits:
        return f"look at the range of {op}'s inputs: it is flat at all of them (units off, values cut off)"
    somewhere = "look for a unit that is off for all inputs, or a value that is rounded or clipped on the way"
    return f"look at what goes into {op}: its slope is 0 there" if op else somewhere


def _ends_at(graph: Graph, stage: Stage | None) -> str:
    if stage is None:
        return ""
    op = _in_its_layer(graph, stage)
    if stage.factor_is_zero:
        return f": it ends at {op}, where it is multiplied by 0"
    if stage.counts_alike:
        return f": it ends at {op}, whose outputs count alike in what follows, and always add up to 1"
    if stage.too_small_for:
        return f": it shrinks on its way until, at {op}, it is too small for {stage.too_small_for}"
    return f": it ends at {op}"


def _in_its_layer(graph: Graph, stage: Stage) -> str:
    """The op with the layer of the model that it is in, where it is one alone."""
    layer = graph.layer(stage.event) if stage.times <= 1 else ""
    return f"{stage.op} in {layer}" if layer else stage.op


def _figures(graph: Graph, source: Source) -> dict[str, Any]:
    ratio = source.rms / source.largest if source.largest > 0 else 1.0
    return {"norm": source.norm, "parameter_norm": source.own_norm, "rms": source.rms, "largest_rms": source.largest,
            "ratio": ratio, "threshold": VANISHING.of(graph.recording), "low": source.low}  # fmt: skip


def _names(graph: Graph, found: Sequence[Source]) -> str:
    names = [graph.name(source.tensor) for source in found[:_NAMED]]
    return ", ".join(names) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")


def _ids(graph: Graph, found: Sequence[Source]) -> list[int]:
    return [graph.tensor_id(source.tensor) for source in found]
