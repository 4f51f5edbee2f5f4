"""Findings that are meant: the user says so in a comment on the line.

``# tapeviz: expected broadcast`` dismisses findings of that kind on that line, ``# tapeviz: expected`` all of them.
They are counted, and can be asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tapeviz.analysis.verdicts.verdict import Verdict

__all__ = ["SHORT", "is_expected", "kinds_of"]

SHORT: Final[dict[str, tuple[str, ...]]] = {"none": ("gradient_none",), "nan": ("nonfinite",)}
"""What kinds may be called besides, as people say them."""

_COMMENT: Final = re.compile(r"#\s*tapeviz:\s*expected\b[ :]*(?P<kinds>\w+(?:\s*,\s*\w+)*)?", re.IGNORECASE)


def kinds_of(words: Iterable[str]) -> set[str]:
    """The kinds that these words mean."""
    return {kind for word in words for kind in SHORT.get(word.lower(), (word.lower(),))}


def is_expected(verdict: Verdict) -> bool:
    """Whether the line of a finding says that it is meant."""
    found = _COMMENT.search(verdict.site.text) if verdict.site is not None else None
    if found is None:
        return False
    words = re.findall(r"\w+", found["kinds"] or "")
    return not words or verdict.kind in kinds_of(words)
