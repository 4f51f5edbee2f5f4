"""The files that a tape can be saved as: for each suffix the module of this room that writes it, and what it is."""

from __future__ import annotations

from typing import Final

__all__ = ["WRITERS", "suffixes"]

WRITERS: Final = {
    ".tape": ("tape_file", "the recording"),
    ".html": ("html", "a page"),
    ".json": ("chrome_trace", "a Chrome trace"),
}


def suffixes(*, explained: bool = False) -> str:
    """The suffixes in words, such as ".tape, .html or .json"."""
    words = [f"{suffix} ({what})" if explained else suffix for suffix, (_, what) in WRITERS.items()]
    return f"{', '.join(words[:-1])} or {words[-1]}"
