"""What a shell tells the pages of JupyterLab that have its notebook open: what is chosen in it, and its tapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import tapeviz
from tapeviz.magics.settings import SETTINGS, Settings
from tapeviz.magics.tape_history import Entry, TapeHistory
from tapeviz.tape import controls
from tapeviz.tape.live_strip import tape_behind

__all__ = ["KernelBridge"]


class KernelBridge:
    """Answers for one shell; any thread may ask.

    Args:
        settings: what is chosen.
        tapes: what was recorded.
        cells: the ids by which pages know cells, by their numbers.
    """

    def __init__(self, settings: Settings, tapes: TapeHistory, cells: Mapping[int, str]) -> None:
        self._settings = settings
        self._tapes = tapes
        self._cells = cells

    def state(self) -> dict[str, Any]:
        """What is chosen and can be chosen, which tapes there are, and which is the latest."""
        now = {"mode": self._settings.mode, "device": self._settings.device_now}
        latest, bundle = self._tapes.latest, tapeviz.widgets.loaded_widget.bundle()[0]
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
            "tape": None if latest is None else {**latest.line(), "bundle": bundle},
            "tapes": self._tapes.lines(),
            "bundle": bundle,
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
        entry = self._tapes.find(int(asked.get("tape", -1)))
        # A page that is shown each of many tapes in a row gets the one that there is when its question arrives.
        if entry is None and asked.get("kind") == "ready":
            entry = self._tapes.latest
        if entry is None:
            raise ValueError("this tape is not there any more")
        return (self._marks(entry), ()) if asked.get("kind") == "marks" else entry.tape.answer(asked)

    def _marks(self, entry: Entry) -> dict[str, Any]:
        """What editors show of a tape, its cells by the ids that pages know them by."""
        marks = entry.marks()
        cells = [{**cell, "cell": self._cells.get(cell["number"], "")} for cell in marks["cells"]]
        return {**marks, "cells": cells, "tape": entry.number}
