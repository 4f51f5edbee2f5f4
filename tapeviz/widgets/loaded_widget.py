"""What widgets share of which a saved notebook holds a loader alone: the rest comes from the kernel, by message."""

from __future__ import annotations

import functools
import hashlib
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

__all__ = ["Answerer", "LoadedWidget", "answer", "bundle"]

_STATIC: Final = Path(__file__).parent / "static"

Answerer = Callable[[Mapping[str, Any]], tuple[Mapping[str, Any], Sequence[bytes]]]
"""Answers a question of the front end, such as ``{"kind": "values", "tensor": 4, ...}``: fields and buffers."""


_alive: Final[weakref.WeakValueDictionary[str, LoadedWidget]] = weakref.WeakValueDictionary()


class LoadedWidget(anywidget.AnyWidget):
    """A widget whose saved state is small: its script and what it shows come as messages when a page asks.

    Args:
        answer: answers what a page asks besides.
        **traits: initial values of the traits, and ipywidgets' ``layout``.
    """

    # Its text, for anywidget follows a file for as long as the class lives, and each widget ever made with it.
    _esm = (_STATIC / "loader.js").read_text(encoding="utf-8")
    _bundle = traitlets.Unicode().tag(sync=True)
    _shows = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(560, min=240).tag(sync=True)
    summary = traitlets.Unicode().tag(sync=True)
    _stand_in = traitlets.Unicode().tag(sync=True)
    _id = traitlets.Unicode().tag(sync=True)
    _made_layout = False  # true of a whole widget only: one that a wrong trait kept from being made is closed, too

    def __init__(self, answer: Answerer | None = None, **traits: Any) -> None:
        super().__init__(**traits)
        self._answer = answer
        self._bundle = bundle()[0]
        self._id = self.model_id
        _alive[self._id] = self
        self.on_msg(self._receive)
        self._made_layout = "layout" not in traits

    def close(self) -> None:
        """Take the views off each page, and let go of all that belongs to them."""
        layout = self.layout
        super().close()
        if self._made_layout and layout is not None:
            layout.close()  # ipywidgets would keep it for good

    @property
    def stand_in(self) -> str:
        """A class for an element that is shown in the place of the views, and hidden where they are drawn.

        From the first time it is asked for, such an element is there, and ``summary`` is not shown.
        """
        if not self._stand_in:
            self._stand_in = f"tapeviz-{self.model_id}"
        return self._stand_in

    def _receive(self, _widget: object, message: Mapping[str, Any], _buffers: object) -> None:
        fields, buffers = self._answered(message)
        self.send({"kind": message.get("kind"), **fields, "request": message.get("request")}, list(buffers))

    def _answered(self, message: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """Answer a page's question, such as that for the script or the recording, on any thread: fields and buffers."""
        if message.get("kind") == "bundle":
            digest, source = bundle()
            return {"hash": digest}, [source]
        return self._ask(message)

    def _ask(self, message: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        if self._answer is None:
            return {"error": "this recording has no engine behind it"}, ()
        try:
            return self._answer(message)
        except Exception as error:  # noqa: BLE001  # a page must get its answer, whatever went wrong here
            return {"error": f"{type(error).__name__}: {error}"}, ()


def answer(message: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
    """Answer the question of the page that shows ``message["widget"]``; ``unknown`` where there is no such widget."""
    widget = _alive.get(str(message["widget"]))
    return ({"unknown": True}, ()) if widget is None else widget._answered(message)  # noqa: SLF001


@functools.cache
def bundle() -> tuple[str, bytes]:
    """Return the front end's script and a short hash of it."""
    source = (_STATIC / "bundle.js").read_bytes()
    return hashlib.sha256(source).hexdigest()[:16], source
