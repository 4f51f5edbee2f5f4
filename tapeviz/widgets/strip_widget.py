"""The widget that shows training while it runs: layers x steps, the loss under them, and the progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

from tapeviz.widgets import strip_summary
from tapeviz.widgets.loaded_widget import bundle

__all__ = ["StripWidget"]

_SCRIPT: Final = Path(__file__).parent / "static" / "strip.js"


class StripWidget(anywidget.AnyWidget):
    """A strip of layers x steps that grows while a cell runs.

    A kernel that is busy answers nothing, so while a cell runs the widget asks nothing: its script and its numbers come
    by themselves, as traits. ``strip`` is what is drawn (see ``LiveStrip.payload``), ``show`` which quantity. Dots of
    the strip open tapes, whose views ask here when the kernel has time.

    Args:
        tape_behind: gives the tape that a dot opens, by its number; ValueError: it is not kept any more.
        **traits: initial values of the traits.

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
    bundle = traitlets.Unicode().tag(sync=True)

    def __init__(self, tape_behind: Callable[[int], Any] | None = None, **traits: Any) -> None:
        super().__init__(**traits)
        self.stand_in = f"tapeviz-{self.model_id}"
        self.bundle = bundle()[0]
        self._tape_behind = tape_behind or _nothing_behind
        self.on_msg(self._receive)

    def text(self) -> str:
        """The strip in words."""
        return strip_summary.text(self.strip, self.show)

    def html(self) -> str:
        """The strip as a piece of HTML without scripts, hidden where the widget itself is drawn."""
        return strip_summary.html(self.strip, self.show, mark=self.stand_in)

    def _receive(self, _widget: object, message: Mapping[str, Any], _buffers: object) -> None:
        kind = message.get("kind")
        if kind == "bundle":
            digest, source = bundle()
            self.send({"kind": "bundle", "hash": digest}, [source])
            return
        try:
            fields, buffers = self._tape_behind(int(message.get("tape", 0))).answer(message)
        except Exception as error:  # noqa: BLE001  # a page must get its answer, whatever went wrong here
            fields, buffers = {"error": str(error)}, ()
        self.send({**fields, "kind": fields.get("kind", kind), "request": message.get("request")}, list(buffers))


def _nothing_behind(_number: int) -> Any:
    raise ValueError("this strip has no tapes behind it")
