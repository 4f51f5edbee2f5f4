"""The files that a tape can be saved as: by suffix, the module of this room that writes it, and what it is."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from tapeviz.exports.target import Target
from tapeviz.recording import Recording

__all__ = ["WRITERS", "suffixes", "write"]

WRITERS: Final = {
    ".tape": ("tape_file", "the recording"),
    ".html": ("html", "a page"),
    ".json": ("chrome_trace", "a Chrome trace"),
}


def write(recording: Recording, target: Target, suffix: str, **options: Any) -> None:
    """Write the file that goes with a suffix. Imports its module, for some need matplotlib."""
    module, _ = WRITERS[suffix]
    import_module(f"{__package__}.{module}").write(recording, target, **options)


def suffixes(*, explained: bool = False) -> str:
    """The suffixes in words, such as ".tape, .html or .json"."""
    words = [f"{suffix} ({what})" if explained else suffix for suffix, (_, what) in WRITERS.items()]
    return f"{', '.join(words[:-1])} or {words[-1]}"
