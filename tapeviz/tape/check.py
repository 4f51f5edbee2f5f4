"""Raising on findings: for tests, continuous integration and homework."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from tapeviz.analysis.verdicts import Verdict, Verdicts
from tapeviz.analysis.verdicts.dismissal import SHORT, kinds_of
from tapeviz.analysis.verdicts.rules import KINDS
from tapeviz.recording import Recording

__all__ = ["FindingsError", "check", "known_kinds"]


class FindingsError(AssertionError):
    """A recording has findings; the message has them all.

    ``findings`` are the verdicts, gravest first.
    """

    def __init__(self, findings: Sequence[Verdict], dismissed: str) -> None:
        self.findings = tuple(findings)
        count = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"
        super().__init__("\n".join([count, *map(repr, findings), *([dismissed] if dismissed else [])]))


def known_kinds(kinds: Collection[str], severity: int) -> set[str]:
    """The kinds that these words mean.

    Raises:
        ValueError: a kind that there is not, or a severity that is not 1, 2 or 3.
    """
    if severity not in (1, 2, 3):
        raise ValueError(f"severity={severity!r}: choose 1 (worth knowing), 2 (likely a fault) or 3 (a fault)")
    wanted = kinds_of(kinds)
    for kind in sorted(wanted - KINDS.keys()):
        near = difflib.get_close_matches(kind, [*SHORT, *KINDS], 1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise ValueError(f"{kind!r} is not a kind of finding{hint} There are: {', '.join(sorted({*SHORT, *KINDS}))}")
    return wanted


def check(recording: Recording, found: Verdicts, kinds: Collection[str], severity: int, *, over: bool) -> None:
    """Raise `FindingsError` where there is a finding of these kinds, or of any where none is named.

    Raises:
        ValueError: a kind that there is not, or a severity that is not 1, 2 or 3.
        LookupError: the recording has no statistics, which such findings go by; ``over`` says whether it can have.
    """
    wanted = known_kinds(kinds, severity)
    blind = sorted(kind for kind in wanted if any(rule.by_statistics for rule in KINDS[kind]))
    if blind and not len(recording.stats) and len(recording.tensors):
        what = "no statistics were kept: record with values='stats'" if over else "the recording is not over yet"
        raise LookupError(f"{', '.join(blind)} was not looked for: {what}")
    named = [one for one in found if one.severity >= severity and (not wanted or one.kind in wanted)]
    if named:
        raise FindingsError(named, found.coverage.dismissed if found.coverage is not None else "")
