"""Findings of several ranks: one for those that they have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tapeviz.analysis.verdicts.verdict import Verdict, without_figures
from tapeviz.recording import Recording

__all__ = ["once_for_ranks"]


def once_for_ranks(recording: Recording, by_rank: Sequence[Sequence[Verdict]]) -> list[Verdict]:
    """One finding for those of several ranks that differ in figures alone, which says what ranks have it."""
    numbers: list[int] = recording.ranks.number.tolist()
    alike: dict[tuple[Any, ...], list[tuple[int, Verdict]]] = {}
    for rank, found in zip(numbers, by_rank, strict=True):
        seen: Counter[tuple[Any, ...]] = Counter()
        for verdict in found:
            said = (verdict.kind, verdict.severity, verdict.site_row, without_figures(verdict.text))
            seen[said] += 1
            alike.setdefault((*said, seen[said]), []).append((rank, verdict))
    return [_said(numbers, [rank for rank, _ in group], group[0][1]) for group in alike.values()]


def _said(numbers: Sequence[int], ranks: Sequence[int], verdict: Verdict) -> Verdict:
    some = f"rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"
    where = "every rank" if len(ranks) == len(numbers) else some
    return replace(verdict, text=f"{verdict.text}, on {where}", evidence={**verdict.evidence, "ranks": list(ranks)})
