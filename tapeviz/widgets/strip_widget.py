"""The widget that shows training while it runs: layers x steps, the loss under them, and the progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

from tapeviz.widgets import strip_summary

__all__ = ["StripWidget"]

_SCRIPT: Final = Path(__file__).parent / "static" / "strip.js"


class StripWidget(anywidget.AnyWidget):
    """A strip of layers x steps that grows while a cell runs.

    A kernel that is busy answers nothing, so the widget asks nothing: its script and its numbers come by themselves, as
    traits. ``strip`` is what is drawn (see ``StripColumns.payload``), ``show`` which quantity.

    Example:
        >>> widget = StripWidget(show="gradient")
        >>> widget.strip = {"rows": ["dense"], "steps": 0}
        >>> widget.show
        'gradient'

    """

    _esm = _SCRIPT.read_text(encoding="utf-8")
    strip = traitlets.Dict().tag(sync=True)
    show = traitlets.Unicode("gradient").tag(sync=True)
    stand_in = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.stand_in = f"tapeviz-{self.model_id}"

    def text(self) -> str:
        """The strip in words."""
        return strip_summary.text(self.strip, self.show)

    def html(self) -> str:
        """The strip as a piece of HTML without scripts, hidden where the widget itself is drawn."""
        return strip_summary.html(self.strip, self.show, mark=self.stand_in)
