"""The rules that find what looks wrong, in their order, and what they find in a recording."""

from __future__ import annotations

import json
from typing import Final

from tapeviz.analysis.coverage import unseen
from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.health.judgement import health_rows
from tapeviz.analysis.verdicts.broadcasts import BROADCASTS
from tapeviz.analysis.verdicts.failures import FAILURES
from tapeviz.analysis.verdicts.frozen import FROZEN
from tapeviz.analysis.verdicts.gradient_sizes import GRADIENT_SIZES
from tapeviz.analysis.verdicts.missing_gradients import MISSING_GRADIENTS
from tapeviz.analysis.verdicts.not_finite import NOT_FINITE
from tapeviz.analysis.verdicts.padding import PADDING
from tapeviz.analysis.verdicts.reshaped_axes import RESHAPED_AXES
from tapeviz.analysis.verdicts.retrace import RETRACE
from tapeviz.analysis.verdicts.soft_placement import SOFT_PLACEMENT
from tapeviz.analysis.verdicts.softmaxes import SOFTMAXES
from tapeviz.analysis.verdicts.verdict import Coverage, Rule, Verdicts
from tapeviz.recording import Recording

__all__ = ["RULES", "coverage", "verdicts", "with_verdicts"]

RULES: Final[tuple[Rule, ...]] = (
    MISSING_GRADIENTS,
    GRADIENT_SIZES,
    NOT_FINITE,
    BROADCASTS,
    SOFTMAXES,
    RESHAPED_AXES,
    PADDING,
    FAILURES,
    RETRACE,
    FROZEN,
    SOFT_PLACEMENT,
)
"""What looks for findings. One more is a module here with its `Rule`, and its name in this line."""

_LOOKED_FOR = "looked_for"


def verdicts(recording: Recording) -> Verdicts:
    """What looks wrong, gravest first.

    The thresholds they go by are in their evidence.

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
    facts = coverage(graph_of(recording)).facts()
    return judged.with_rows("meta", [{"key": _LOOKED_FOR, "value": json.dumps(facts)}])


def coverage(graph: Graph) -> Coverage:
    """What findings in this recording can be about."""
    recording = graph.recording
    blind = graph.tensors > 0 and not len(recording.stats)
    rules = [rule for rule in RULES if rule.applies(recording) and not (blind and rule.by_statistics)]
    kinds = {kind: words for rule in rules for kind, words in rule.kinds.items()}
    return Coverage(kinds, tuple(dict.fromkeys(rule.subject for rule in rules)), unseen(graph))


def _judged(recording: Recording) -> Verdicts:
    graph = graph_of(recording)
    found = Verdicts()
    for rule in RULES:
        found += rule.find(graph, {threshold.name: threshold.value for threshold in rule.thresholds})
    found.sort(key=lambda verdict: (-verdict.severity, verdict.event))
    found.coverage = coverage(graph)
    return found
