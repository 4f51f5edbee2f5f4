"""What looks wrong in a recording, each with a line and what to do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from tapeviz.analysis.coverage import NOT_LOOKED_FOR, Coverage, coverage
from tapeviz.analysis.graph import Graph, Site, graph_of
from tapeviz.analysis.health.findings import Unhealthy, unhealthy
from tapeviz.analysis.health.judgement import health_rows
from tapeviz.analysis.links import rows_of
from tapeviz.analysis.nonfinite.origins import nonfinite
from tapeviz.analysis.placement import elsewhere
from tapeviz.analysis.why.explanation import answer
from tapeviz.analysis.why.questions import of_request
from tapeviz.recording import Recording
from tapeviz.recording.schema import STATUSES
from tapeviz.recording.terminal_text import visible

__all__ = ["Verdict", "Verdicts", "verdicts", "with_verdicts"]

_FAULT, _LIKELY, _WORTH_KNOWING = 3, 2, 1
_LONGEST = 400
_LOOKED_FOR = "looked_for"
_FAILED = STATUSES.index("failed")


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """A finding; prints as a sentence, the line and what to do.

    Attributes:
        kind: ``gradient_none``, ``nonfinite``, ``vanishing``, ``exploding``, ``failed`` or ``soft_placement``.
        severity: 1 worth knowing, 2 likely a fault, 3 a fault.
        event, tensor: ids of where and what to look at, -1 for nothing in particular.
        site: the line; None where there is none.
        text: the finding.
        fix: what to do.
        evidence: the figures it rests on; for ``gradient_none`` the reason, ``from_source``, ``from_target`` (ids of
            tensors, without their middle when they are long) and the ``gap`` between.
        site_row: the row of ``sites`` of the line, -1 for none.
    """

    kind: str
    severity: int
    event: int
    tensor: int
    site: Site | None
    text: str
    fix: str
    evidence: dict[str, Any]
    site_row: int

    def __repr__(self) -> str:
        where = "" if self.site is None else f"\n  {self.site}: {self.site.text}"
        return visible(f"{'●◆▲'[self.severity - 1]} {self.text}.{where}\n  Fix: {self.fix}.")

    __str__ = __repr__

    def row(self) -> dict[str, Any]:
        """The finding as a row of the table ``verdicts``."""
        return {
            "kind": self.kind, "severity": self.severity, "event": self.event, "tensor": self.tensor,
            "site": self.site_row, "text": self.text, "fix": self.fix, "evidence": json.dumps(_plain(self.evidence)),
        }  # fmt: skip


class Verdicts(list[Verdict]):
    """Findings, gravest first; prints as them all, with what was not looked at. An empty one says what was looked for.

    Attributes:
        looked_for: the kinds of findings that were looked for.
        not_looked_for: kinds that nothing looks for yet.
        unseen: sentences about what was not looked at, such as tensors without statistics.
    """

    coverage: Coverage | None = None

    @property
    def looked_for(self) -> tuple[str, ...]:
        """The kinds of findings that were looked for."""
        return self.coverage.looked_for if self.coverage is not None else ()

    @property
    def not_looked_for(self) -> tuple[str, ...]:
        """Kinds that nothing looks for yet."""
        return tuple(NOT_LOOKED_FOR)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Sentences about what was not looked at, such as tensors without statistics."""
        return self.coverage.unseen if self.coverage is not None else ()

    @property
    def sentence(self) -> str:
        """What "no finding" means here: what was looked for."""
        return self.coverage.sentence if self.coverage is not None else "No finding."

    def __repr__(self) -> str:
        lines = list(map(repr, self))
        if self.coverage is not None and not self:
            lines += [self.sentence, self.coverage.not_looked_for]
        lines += [f"Not looked at: {sentence}." for sentence in self.unseen]
        return "\n".join(lines)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def verdicts(recording: Recording) -> Verdicts:
    """What looks wrong, gravest first.

    Thresholds are constants of :mod:`tapeviz.analysis.health.thresholds`, and in the evidence.

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


def _judged(recording: Recording) -> Verdicts:
    graph = graph_of(recording)
    found = Verdicts([*_failed(graph), *_none(graph), *_nonfinite(recording), *_unhealthy(graph), *_placed(graph)])
    found.sort(key=lambda verdict: (-verdict.severity, verdict.event))
    found.coverage = coverage(graph)
    return found


def _failed(graph: Graph) -> Iterator[Verdict]:
    """Ops that raised. One whose error the user's code caught is no fault by itself."""
    events, messages = graph.recording.events, graph.recording.messages
    stopped = graph.recording.meta_dict().get("stopped") or {}
    failed = np.flatnonzero((events.status == _FAILED) & (events.op >= 0))
    said = {event: row for row, event in enumerate(messages.event.tolist())}
    for row in failed.tolist():
        message = said.get(graph.event_id(row), -1)
        text = messages.text[message].partition("\n")[0] if message >= 0 else "it raised an error"
        uncaught = bool(stopped) and row == failed[-1]
        site = graph.site(row)
        yield Verdict(
            "failed", _FAULT if uncaught else _WORTH_KNOWING, graph.event_id(row), -1, graph.place(site),
            f"{graph.op(row)} failed: {text.rstrip('.')}", _repair(text),
            {"type": messages.type[message] if message >= 0 else "", "caught": not uncaught}, site,
        )  # fmt: skip


def _repair(message: str) -> str:
    lowered = message.lower()
    if allowed := re.search(r"not in the list of allowed values: ([\w, ]+)", lowered):
        return f"give that input one of these dtypes, with tf.cast: {allowed[1].strip()}"
    if "was expected to be a" in lowered or "dtype" in lowered or "attr 't'" in lowered:
        return "give all inputs one dtype, with tf.cast"
    if any(word in lowered for word in ("shape", "size", "dimension", "axis", "rank", "matrix")):
        return "compare the shapes in the message: transpose or reshape one of the inputs"
    return "look at the inputs of that op"


def _none(graph: Graph) -> Iterator[Verdict]:
    """Sources without a gradient; the same source asked again from the same line is one finding.

    Where zeros were asked for in the place of None, it was known.
    """
    requests, events = graph.recording.requests, graph.recording.events
    spans = rows_of(events.id, requests.event)
    order = np.arange(len(requests))
    first = np.maximum.accumulate(np.where(np.diff(requests.event, prepend=-2) != 0, order, 0)) if len(order) else order
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in np.flatnonzero((requests.gradient < 0) & (requests.filled == 0)).tolist():
        site = int(events.site[spans[row]]) if spans[row] >= 0 else -1
        groups.setdefault((site, row - int(first[row]), int(requests.variable[row])), []).append(row)
    for rows in groups.values():
        found = answer(of_request(graph, rows[-1]))
        if found.reason is None:
            continue
        probably = "" if found.certain else "probably "
        often = f" ({len(rows):,} times)" if len(rows) > 1 else ""
        gap = found.gap or {}
        evidence = {"reason": found.reason, "certain": found.certain, "from_source": _ends(found.from_source),
                    "from_target": _ends(found.from_target), "gap": gap, "times": len(rows)}  # fmt: skip
        severity = _LIKELY if found.reason == "unconnected" else _FAULT
        text = f"{found.source}: gradient of {found.target} is None{often}, {probably}because {found.says}"
        yield Verdict(
            "gradient_none", severity, gap.get("event", -1), found.source_id, found.site, text, found.fix, evidence,
            found.site_row,
        )  # fmt: skip


def _nonfinite(recording: Recording) -> Iterator[Verdict]:
    for found in nonfinite(recording):
        evidence = {"op": found.op, "phase": found.phase, "index": list(found.index), "value": found.value,
                    "partner": found.partner, "pattern": found.pattern, "harmless": found.harmless, "kind": found.kind,
                    "count": found.count, "times": found.times}  # fmt: skip
        severity = _WORTH_KNOWING if found.harmless else _FAULT
        text = found.sentence.removesuffix(".")
        yield Verdict(
            "nonfinite", severity, found.event, found.tensor, found.site, text, found.fix, evidence, found.site_row
        )


def _unhealthy(graph: Graph) -> Iterator[Verdict]:
    for found in unhealthy(graph):
        site, event = _where(graph, found)
        yield Verdict(
            found.kind, found.severity, event, graph.tensor_id(found.source.tensor), graph.place(site), found.says,
            found.fix, found.figures, site,
        )  # fmt: skip


def _where(graph: Graph, found: Unhealthy) -> tuple[int, int]:
    """The line (a row of ``sites``) and the event (by its id) where a gradient becomes small or large."""
    event = found.stage.event if found.stage is not None else -1
    if event < 0:
        step = int(graph.links.producer[found.source.gradient])
        event = int(graph.links.origin[step]) if step >= 0 and graph.links.origin[step] >= 0 else step
    site = graph.site(event)
    return (site if site >= 0 else of_request(graph, found.source.request).site), graph.event_id(event)


def _placed(graph: Graph) -> Iterator[Verdict]:
    """Blocks that asked for a device that is not there. What they computed is right, so it is no fault."""
    for found in elsewhere(graph):
        event, place = graph.event_id(found.row), graph.place(found.site)
        yield Verdict(
            "soft_placement", _WORTH_KNOWING, event, -1, place, found.says, found.fix, found.figures, found.site
        )


def _ends(way: Sequence[int]) -> list[int]:
    """A way, without its middle where it is longer than anybody looks at."""
    return list(way) if len(way) <= _LONGEST else [*way[: _LONGEST // 2], *way[-_LONGEST // 2 :]]


def _plain(value: Any) -> Any:
    """JSON has no form for numbers that are not finite: they are said as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
