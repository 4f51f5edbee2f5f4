"""``tf.contrib.summary.summary_test_util``: what a folder of summaries has in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tapeviz.summary.records import events

__all__ = ["events_from_file", "events_from_logdir"]


def events_from_file(filepath: Any) -> list[Any]:
    """All events of a file."""
    return list(events(filepath))


def events_from_logdir(logdir: Any) -> list[Any]:
    """All events of the one file of a folder.

    Raises:
        AssertionError: there is another number of files.
    """
    files = list(Path(logdir).iterdir())
    if len(files) != 1:
        raise AssertionError(f"Found not exactly one file in logdir: {[file.name for file in files]}")
    return events_from_file(files[0])
