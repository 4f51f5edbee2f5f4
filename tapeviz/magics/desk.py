"""What a shell tells the pages of JupyterLab that have its notebook open: what is chosen in it, and its latest tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import tapeviz
from tapeviz.exports import headline
from tapeviz.magics.settings import SETTINGS, Settings
from tapeviz.magics.shelf import Entry, Shelf

__all__ = ["Desk"]


class Desk:
    """Answers for one shell; any thread may ask.

    Args:
        settings: what is chosen.
        shelf: the tapes.
    """

    def __init__(self, settings: Settings, shelf: Shelf) -> None:
        self._settings = settings
        self._shelf = shelf

    def state(self) -> dict[str, Any]:
        """What is chosen and can be chosen, and what the latest tape is."""
        now = {"mode": self._settings.mode, "device": self._settings.device_now}
        entry = self._shelf.latest()
        return {
            "version": tapeviz.__version__,
            "settings": {
                what: {
                    "word": getattr(self._settings, what),
                    "now": now[what],
                    "choices": [asdict(choice) for choice in self._settings.choices(what)],
                }
                for what in SETTINGS
            },
            "tape": None if entry is None else _said_of(entry),
        }

    def choose(self, what: str, word: str) -> None:
        """Choose a mode or a device, for the cells that run from now on. ValueError: it is not there."""
        self._settings.choose(what, word)

    def answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """Answer what a page asks of a tape: its bytes, the script that draws it, some of a tensor's values."""
        number = asked.get("tape")
        entry = self._shelf.find(number) if isinstance(number, int) else None
        if asked.get("kind") == "bundle":
            digest, source = tapeviz.widgets.tape_widget.bundle()
            return {"hash": digest}, [source]
        if entry is None:
            raise ValueError(f"there is no tape {number} any more")
        return entry.tape.answer(asked)


def _said_of(entry: Entry) -> dict[str, Any]:
    recording = entry.tape.recording
    return {
        "number": entry.number,
        "title": headline.title(recording),
        "facts": headline.facts(recording),
        "bundle": tapeviz.widgets.tape_widget.bundle()[0],
    }
