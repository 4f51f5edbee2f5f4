"""What a shell tells the pages of JupyterLab that have its notebook open: what is chosen in it, and its latest tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import tapeviz
from tapeviz.exports import headline
from tapeviz.magics.settings import SETTINGS, Settings
from tapeviz.tape import controls
from tapeviz.tape.live_strip import tape_behind
from tapeviz.tape.tape import Tape

__all__ = ["KernelBridge"]


class KernelBridge:
    """Answers for one shell; any thread may ask.

    Args:
        settings: what is chosen.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._latest: Tape | None = None
        self._number = 0

    def take(self, tape: Tape | None) -> None:
        """This is the latest tape; None: there is none any more."""
        if tape is not self._latest:
            self._latest, self._number = tape, self._number + 1

    def state(self) -> dict[str, Any]:
        """What is chosen and can be chosen, and what the latest tape is."""
        now = {"mode": self._settings.mode, "device": self._settings.device_now}
        number, tape = self._number, self._latest
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
            "tape": None if tape is None else _said_of(number, tape),
        }

    def choose(self, what: str, word: str) -> None:
        """Choose a mode or a device, for the cells that run from now on. ValueError: it is not there."""
        self._settings.choose(what, word)

    def answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """Answer what a page asks of a tape (bytes, the script that draws it, values of a tensor) or of a loop."""
        if asked.get("widget"):
            return tapeviz.widgets.loaded_widget.answer(asked)
        if asked.get("kind") == "bundle":
            digest, source = tapeviz.widgets.loaded_widget.bundle()
            return {"hash": digest}, [source]
        if asked.get("kind") == "loop":
            controls.request(int(asked.get("loop", 0)), str(asked.get("what")))
            return {}, ()
        if asked.get("live"):
            return tape_behind(int(asked["live"])).answer(asked)
        tape = self._latest
        # A page that is shown each of many tapes in a row gets the one that there is when its question arrives.
        if tape is None or (asked.get("tape") != self._number and asked.get("kind") != "ready"):
            raise ValueError("a newer tape has replaced this one")
        return tape.answer(asked)


def _said_of(number: int, tape: Tape) -> dict[str, Any]:
    recording = tape.recording
    return {
        "number": number,
        "title": headline.title(recording),
        "facts": headline.facts(recording),
        "bundle": tapeviz.widgets.loaded_widget.bundle()[0],
    }
