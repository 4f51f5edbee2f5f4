"""The rules that find what looks wrong, in their order, and what they find in a recording."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from tapeviz.analysis.coverage import unseen
from tapeviz.analysis.foreign_words import framework_of, in_its_words
from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.health.judgement import health_rows
from tapeviz.analysis.links import rows_of
from tapeviz.analysis.verdicts.broadcasts import BROADCASTS
from tapeviz.analysis.verdicts.by_rank import once_for_ranks
from tapeviz.analysis.verdicts.consequences import without_consequences
from tapeviz.analysis.verdicts.crossed_updates import CROSSED_UPDATES
from tapeviz.analysis.verdicts.deep_sigmoids import DEEP_SIGMOIDS
from tapeviz.analysis.verdicts.dismissal import is_expected
from tapeviz.analysis.verdicts.dropout_rates import DROPOUT_RATES
from tapeviz.analysis.verdicts.examples_order import EXAMPLES_ORDER
from tapeviz.analysis.verdicts.failures import FAILURES
from tapeviz.analysis.verdicts.frozen import FROZEN
from tapeviz.analysis.verdicts.gradient_sizes import GRADIENT_SIZES
from tapeviz.analysis.verdicts.gradient_sums import GRADIENT_SUMS
from tapeviz.analysis.verdicts.growth import GROWTH
from tapeviz.analysis.verdicts.identical_units import IDENTICAL_UNITS
from tapeviz.analysis.verdicts.idle_gradients import IDLE_GRADIENTS
from tapeviz.analysis.verdicts.labels import LABELS
from tapeviz.analysis.verdicts.left_out import LEFT_OUT
from tapeviz.analysis.verdicts.lone_norm import LONE_NORM
from tapeviz.analysis.verdicts.made_anew import MADE_ANEW
from tapeviz.analysis.verdicts.missing_gradients import MISSING_GRADIENTS
from tapeviz.analysis.verdicts.not_finite import NOT_FINITE
from tapeviz.analysis.verdicts.padding import PADDING
from tapeviz.analysis.verdicts.pixel_scales import PIXEL_SCALES
from tapeviz.analysis.verdicts.precision import PRECISION
from tapeviz.analysis.verdicts.reshaped_axes import RESHAPED_AXES
from tapeviz.analysis.verdicts.retrace import RETRACE
from tapeviz.analysis.verdicts.saturated_units import SATURATED_UNITS
from tapeviz.analysis.verdicts.slow_ranks import CLOCKS_APART, SLOWEST_RANK
from tapeviz.analysis.verdicts.soft_placement import SOFT_PLACEMENT
from tapeviz.analysis.verdicts.softmaxes import SOFTMAXES
from tapeviz.analysis.verdicts.stale_copies import STALE_COPIES
from tapeviz.analysis.verdicts.torch_failures import TORCH_FAILURES
from tapeviz.analysis.verdicts.torch_losses import TORCH_LOSSES
from tapeviz.analysis.verdicts.torch_modes import TORCH_MODES
from tapeviz.analysis.verdicts.torch_updates import TORCH_UPDATES
from tapeviz.analysis.verdicts.training_flag import TRAINING_FLAG
from tapeviz.analysis.verdicts.unlike_ranks import RANKS_DIFFER
from tapeviz.analysis.verdicts.updates import UPDATES
from tapeviz.analysis.verdicts.verdict import Coverage, Rule, Threshold, Verdict, Verdicts, without_figures
from tapeviz.recording import Recording
from tapeviz.recording.ranks import parts_of

__all__ = [
    "KINDS",
    "RULES",
    "THRESHOLDS",
    "coverage",
    "known_thresholds",
    "verdicts",
    "with_thresholds",
    "with_verdicts",
]

RULES: Final[tuple[Rule, ...]] = (
    MISSING_GRADIENTS,
    GRADIENT_SIZES,
    NOT_FINITE,
    BROADCASTS,
    SOFTMAXES,
    LABELS,
    RESHAPED_AXES,
    PADDING,
    EXAMPLES_ORDER,
    PIXEL_SCALES,
    PRECISION,
    TRAINING_FLAG,
    DROPOUT_RATES,
    FAILURES,
    RETRACE,
    FROZEN,
    LEFT_OUT,
    IDLE_GRADIENTS,
    CROSSED_UPDATES,
    GRADIENT_SUMS,
    MADE_ANEW,
    STALE_COPIES,
    GROWTH,
    LONE_NORM,
    DEEP_SIGMOIDS,
    SATURATED_UNITS,
    IDENTICAL_UNITS,
    UPDATES,
    SOFT_PLACEMENT,
    TORCH_FAILURES,
    TORCH_UPDATES,
    TORCH_LOSSES,
    TORCH_MODES,
    SLOWEST_RANK,
    RANKS_DIFFER,
    CLOCKS_APART,
)
"""What looks for findings. One more is a module here with its `Rule`, and its name in this line."""

KINDS: Final[Mapping[str, tuple[Rule, ...]]] = {
    kind: tuple(rule for rule in RULES if kind in rule.kinds)
    for kind in dict.fromkeys(k for r in RULES for k in r.kinds)
}
"""Each kind of finding, and what looks for it."""
THRESHOLDS: Final[Mapping[str, Threshold]] = {one.name: one for rule in RULES for one in rule.thresholds}
"""The thresholds that can be set, by name."""

_LOOKED_FOR: Final = "looked_for"
_ALIKE: Final = 3
_NAMED: Final = 3


def verdicts(recording: Recording) -> Verdicts:
    """What looks wrong, gravest first.

    The thresholds they go by are in their evidence. Findings that the user dismissed are not among them, but counted.

    Example::

        for verdict in verdicts(recording):
            print(verdict.kind, verdict.site, verdict.fix)
    """
    return recording.derived(_judged)


def with_verdicts(recording: Recording) -> Recording:
    """A recording with all that the views show of its verdicts; one that has them is returned as it is.

    That is the tables ``verdicts`` and ``health``, and ``looked_for`` in the meta: what the findings are about.
    """
    return recording if _LOOKED_FOR in recording.meta_dict() else recording.derived(_with_rows)


def _with_rows(recording: Recording) -> Recording:
    found = verdicts(recording)
    rows = [] if len(recording.verdicts) else [verdict.row() for verdict in found]
    judged = recording.with_rows("verdicts", rows).with_rows("health", list(health_rows(graph_of(recording))))
    facts = found.coverage.facts() if found.coverage is not None else {}
    return judged.with_rows("meta", [{"key": _LOOKED_FOR, "value": json.dumps(facts)}])


def coverage(graph: Graph) -> Coverage:
    """What findings in this recording can be about."""
    recording = graph.recording
    blind = graph.tensors > 0 and not len(recording.stats)
    rules = [rule for rule in RULES if rule.applies(recording) and not (blind and rule.by_statistics)]
    words: dict[str, list[str]] = {}
    for rule in rules:
        for kind, said in rule.kinds.items():
            words.setdefault(kind, []).append(said)
    kinds = {kind: ", ".join(dict.fromkeys(said)) for kind, said in words.items()}
    return Coverage(kinds, tuple(dict.fromkeys(rule.subject for rule in rules)), unseen(graph))


def known_thresholds(chosen: Mapping[str, float]) -> dict[str, float]:
    """The thresholds that were chosen, by name.

    Raises:
        ValueError: there is no threshold of that name, or its value is no number.
    """
    for name, value in chosen.items():
        if name not in THRESHOLDS:
            near = difflib.get_close_matches(name, THRESHOLDS, 1)
            hint = f"; did you mean {near[0]}?" if near else "."
            raise ValueError(f"{name!r} is not a threshold{hint} There are: {', '.join(THRESHOLDS)}")
        if not isinstance(value, (int, float)):
            raise ValueError(f"threshold {name} must be a number, not {value!r}")  # noqa: TRY004 - as for its name
    return {name: float(value) for name, value in chosen.items()}


def with_thresholds(recording: Recording, chosen: Mapping[str, float]) -> Recording:
    """The recording to be judged by other thresholds; those that it has stay where no other is given."""
    both = {**(recording.meta_dict().get("thresholds") or {}), **known_thresholds(chosen)}
    return recording.with_rows("meta", [{"key": "thresholds", "value": json.dumps(both)}])


def _judged(recording: Recording) -> Verdicts:
    graph = graph_of(recording)
    parts = parts_of(recording)
    by_rank = [_found(graph_of(part), (rule for rule in RULES if not rule.is_across)) for part in parts]
    every = once_for_ranks(recording, by_rank) if len(parts) > 1 else by_rank[0]
    every += _found(graph, (rule for rule in RULES if rule.is_across))
    every.sort(key=lambda verdict: (-verdict.severity, verdict.event))
    expected = tuple(verdict for verdict in every if is_expected(verdict))
    found = Verdicts(_grouped(graph, [verdict for verdict in every if verdict not in expected]))
    found.coverage = replace(coverage(graph), expected=expected)
    return found


def _found(graph: Graph, rules: Iterable[Rule]) -> list[Verdict]:
    """What some rules find in a recording."""
    recording, every = graph.recording, list[Verdict]()
    for rule in rules:
        every += rule.find(graph, {threshold.name: threshold.of(recording) for threshold in rule.thresholds})
    if framework_of(recording):
        every = [replace(found, fix=in_its_words(recording, found.fix)) for found in every]
    return [_with_layer(graph, found) for found in without_consequences(graph, every)]


def _with_layer(graph: Graph, found: Verdict) -> Verdict:
    """The finding, in its evidence the layer that its op, or the forward op of its backward step, is in."""
    row = int(rows_of(graph.recording.events.id, np.array([found.event]))[0])
    origin = int(graph.links.origin[row]) if row >= 0 else -1
    layer = graph.layer(origin if origin >= 0 else row) if row >= 0 else ""
    return replace(found, evidence={**found.evidence, "layer": layer}) if layer else found


def _grouped(graph: Graph, found: list[Verdict]) -> Iterator[Verdict]:
    """One finding for those that differ in figures, numbered names and what they are about: the first.

    So are six like layers, and all the weights before a gradient's one interruption.
    """
    alike: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in found:
        said = verdict.text.removeprefix(f"{_names(graph, [verdict])}: ")
        words = (without_figures(said), without_figures(verdict.fix))
        alike.setdefault((verdict.kind, verdict.severity, *words), []).append(verdict)
    for group in alike.values():
        if len(group) < _ALIKE:
            yield from group
            continue
        first, *others = group
        lines = list(dict.fromkeys(str(one.site) for one in group if one.site is not None))
        where = f", in {', '.join(lines[:_NAMED])}{', ...' if len(lines) > _NAMED else ''}" if len(lines) > 1 else ""
        text = f"{first.text}; the same holds for {_names(graph, others)}{where}"
        more = [{"event": one.event, "tensor": one.tensor, "text": one.text} for one in others]
        yield replace(first, text=text, evidence={**first.evidence, "alike": more})


def _names(graph: Graph, found: list[Verdict]) -> str:
    """What findings are about, by name where all have one."""
    rows = graph.links.tensor_rows(np.array([one.tensor for one in found], np.int64)).tolist()
    names = list(dict.fromkeys(graph.name(row) for row in rows if row >= 0))
    if len(names) < len(found):
        return f"{len(found)} others"
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{rest}"
