"""A verdict: one finding about a recording, with its line and what to do; and all of them."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

from tapeviz.analysis.graph import Graph, Site
from tapeviz.analysis.threshold import Threshold
from tapeviz.recording import Recording
from tapeviz.recording.terminal_text import visible

__all__ = [
    "FAULT", "LIKELY", "NOT_LOOKED_FOR", "WORTH_KNOWING", "Coverage", "Rule", "Threshold", "Thresholds", "Verdict",
    "Verdicts", "verdict_at", "without_figures",
]  # fmt: skip

FAULT: Final = 3
LIKELY: Final = 2
WORTH_KNOWING: Final = 1

_WIDTH: Final = 120
_FIGURES: Final = re.compile(r"\S*[\d/]\S*")  # and names with a number or a scope, such as dense_1/kernel

NOT_LOOKED_FOR: Final[dict[str, str]] = {
    "dead_units": "single units that are always off",
    "update_ratio": "updates that are too small or too large for their parameter",
    "cancellation": "digits lost where large numbers cancel",
}
"""Kinds that nothing looks for yet."""


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """A finding; prints as a sentence, the line and what to do.

    Attributes:
        kind: which sort of finding it is: a key of a `Rule`'s ``kinds``, such as ``gradient_none``.
        severity: 1 worth knowing, 2 likely a fault, 3 a fault.
        event, tensor: ids of where and what to look at, -1 for nothing in particular.
        site: the line; None where there is none.
        text: the finding.
        fix: what to do.
        evidence: the figures it rests on; for ``gradient_none`` the reason, ``from_source``, ``from_target`` (ids of
            tensors, without their middle when they are long) and the ``gap`` between; the ``layer`` of the op, if any.
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

    def on(self, site: Site | None, row: int) -> Verdict:
        """The same finding on another line, by its row of ``sites``."""
        return replace(self, site=site, site_row=row)

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


def without_figures(text: str) -> str:
    """A text that is the same for findings that differ in figures and numbered names."""
    return _FIGURES.sub("#", text)


def verdict_at(
    graph: Graph,
    row: int,
    kind: str,
    severity: int,
    text: str,
    fix: str,
    *,
    tensor: int = -1,
    evidence: Mapping[str, Any] = {},  # never changed
) -> Verdict:
    """A finding on the line that has an event written; ``row`` and ``tensor`` are rows of ``events``, ``tensors``."""
    site = graph.written_at(row)
    shown = graph.tensor_id(tensor) if tensor >= 0 else -1
    return Verdict(kind, severity, graph.event_id(row), shown, graph.place(site), text, fix, dict(evidence), site)


Thresholds = Mapping[str, float]


def _always(_: Recording) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Rule:
    """What finds verdicts of one kind, or of a few that are told apart by the same facts.

    Attributes:
        find: gives the verdicts of a recording's graph, by the thresholds given.
        kinds: each kind that it may give, with what is looked for in words, such as ``gradients that are None``.
        subject: what it is about, as the sentence of a recording without findings names it.
        thresholds: the numbers it goes by.
        applies: whether the recording has anything that a finding could be about.
        is_across: whether it compares the ranks of a merged recording; others are asked of each rank by itself.
        by_statistics: whether it goes by figures of tensors, so that it finds nothing where none were kept.
    """

    find: Callable[[Graph, Thresholds], Iterator[Verdict]]
    kinds: Mapping[str, str]
    subject: str = "the program"
    thresholds: tuple[Threshold, ...] = ()
    applies: Callable[[Recording], bool] = _always
    by_statistics: bool = False
    is_across: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was looked for, as kinds with their words, in what, and what was not looked at, each as a clause.

    ``expected`` are the findings that the user dismissed.
    """

    kinds: Mapping[str, str]
    subjects: tuple[str, ...]
    unseen: tuple[str, ...]
    expected: tuple[Verdict, ...] = ()

    @property
    def looked_for(self) -> tuple[str, ...]:
        """The kinds of findings that were looked for."""
        return tuple(self.kinds)

    @property
    def sentence(self) -> str:
        """What "no finding" means here: in what nothing was found. ``kinds`` have each thing that was looked for."""
        return f"No finding; looked for mistakes in {', '.join(self.subjects[:-1])} and {self.subjects[-1]}."

    @property
    def dismissed(self) -> str:
        """How many findings are expected, of which kinds and where, as a sentence; empty for none."""
        where = [one.kind if one.site is None else f"{one.kind} ({one.site})" for one in self.expected]
        count = f"{len(where)} finding{'s are' if len(where) > 1 else ' is'}"
        return f"{count} expected, as the line says: {', '.join(where)}." if where else ""

    @property
    def not_looked_for(self) -> str:
        """The kinds that nothing looks for yet, as a sentence."""
        return f"Not looked for: {', '.join(NOT_LOOKED_FOR.values())}."

    def facts(self) -> dict[str, Any]:
        """As the recording's meta holds it, for the views."""
        return {"kinds": list(self.kinds), "text": self.sentence, "not": self.not_looked_for,
                "unseen": list(self.unseen), "expected": self.dismissed}  # fmt: skip


class Verdicts(list[Verdict]):
    """Findings, gravest first; prints as them all, with what was not looked at. An empty one says what was looked for.

    Attributes:
        looked_for: the kinds of findings that were looked for.
        not_looked_for: kinds that nothing looks for yet.
        unseen: sentences about what was not looked at, such as tensors without statistics.
        expected: the findings that the user dismissed, by a comment on the line.
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
    def expected(self) -> tuple[Verdict, ...]:
        """The findings that the user dismissed, by a comment on the line such as ``# tapeviz: expected broadcast``."""
        return self.coverage.expected if self.coverage is not None else ()

    @property
    def sentence(self) -> str:
        """What "no finding" means here: what was looked for."""
        return self.coverage.sentence if self.coverage is not None else "No finding."

    def __repr__(self) -> str:
        lines = list(map(repr, self))
        if self.coverage is not None and not self:
            kinds = textwrap.wrap(f"Looked for: {', '.join(self.coverage.kinds.values())}.", _WIDTH)
            lines += [self.sentence, *kinds, self.coverage.not_looked_for]
        lines += [self.coverage.dismissed] if self.expected and self.coverage is not None else []
        lines += [f"Not looked at: {sentence}." for sentence in self.unseen]
        return "\n".join(lines)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def _plain(value: Any) -> Any:
    """JSON has no form for numbers that are not finite: they are said as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
