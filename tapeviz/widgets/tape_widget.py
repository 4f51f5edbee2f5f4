"""The widget that shows a recording: a small synced state, and everything else as custom messages."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import anywidget
import traitlets

from tapeviz.exports.view_names import VIEWS
from tapeviz.recording import Recording

__all__ = ["Answerer", "RecordingLike", "TapeWidget", "frames_for_page"]

_STATIC: Final = Path(__file__).parent / "static"
_NOTHING: Final[dict[str, int | None]] = {"event": None, "tensor": None, "step": None}
_CONTENTS: Final = 2**22  # bytes of tensors' elements that a page gets at once


class RecordingLike(Protocol):
    """What a widget needs of a recording."""

    def to_bytes(self) -> bytes:
        """Return the recording as the bytes of a file."""


Answerer = Callable[[Mapping[str, Any]], tuple[Mapping[str, Any], Sequence[bytes]]]
"""Answers a question of the front end, such as ``{"kind": "values", "tensor": 4, ...}``: fields and buffers."""


class TapeWidget(anywidget.AnyWidget):
    """Linked interactive views of a recording, as a widget that composes with others.

    The traits are small and two-way: ``selected`` (a dict with ``event``, ``tensor`` and ``step``, each an int or
    None), ``view`` (``"timeline"``, ``"flow"``, ``"tensor"``, ``"code"``, and where functions were traced ``"graph"``
    or ``"traces"``), ``filter`` (the text of the filter box) and ``height`` (pixels). ``summary`` is what is shown
    where no kernel answers. The recording travels as a message when a page asks for it, never as a trait, so that a
    saved notebook holds none of it.

    Args:
        recording: what to show; anything with ``to_bytes()``, such as a ``tapeviz.recording.Recording``.
        answer: answers what the recording does not hold, such as the values of a tensor; without it those questions
            get ``{"error": ...}``.
        **traits: initial values of the traits, and ipywidgets' ``layout``.

    Example:
        >>> from tapeviz.recording import Builder
        >>> widget = TapeWidget(Builder().recording(), view="code")
        >>> widget.select(event=3)
        >>> widget.selected
        {'event': 3, 'tensor': None, 'step': None}

    """

    # Its text, for anywidget follows a file for as long as the class lives, and each widget ever made with it.
    _esm = (_STATIC / "loader.js").read_text(encoding="utf-8")
    _bundle = traitlets.Unicode().tag(sync=True)
    selected = traitlets.Dict(default_value=_NOTHING).tag(sync=True)
    view = traitlets.Enum(VIEWS, default_value=VIEWS[0]).tag(sync=True)
    filter = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(560, min=240).tag(sync=True)
    summary = traitlets.Unicode().tag(sync=True)
    _stand_in = traitlets.Unicode().tag(sync=True)
    _made_layout = False  # true of a whole widget only: one that a wrong trait kept from being made is closed, too

    def __init__(self, recording: RecordingLike, *, answer: Answerer | None = None, **traits: Any) -> None:
        super().__init__(**traits)
        self._recording = recording
        self._answer = answer
        self._bundle = bundle()[0]
        self.on_msg(self._receive)
        self._made_layout = "layout" not in traits

    def close(self) -> None:
        """Take the views off each page, and let go of all that belongs to them."""
        layout = self.layout
        super().close()
        if self._made_layout and layout is not None:
            layout.close()  # ipywidgets would keep it for good

    def select(self, *, event: int | None = None, tensor: int | None = None, step: int | None = None) -> None:
        """Select an event, a tensor or a step in all views; with no argument, nothing."""
        self.selected = {"event": event, "tensor": tensor, "step": step}

    @property
    def stand_in(self) -> str:
        """A class for an element that is shown in the place of the views, and hidden where they are drawn.

        From the first time it is asked for, such an element is there, and ``summary`` is not shown.
        """
        if not self._stand_in:
            self._stand_in = f"tapeviz-{self.model_id}"
        return self._stand_in

    @property
    def recording(self) -> RecordingLike:
        """What is shown."""
        return self._recording

    def show(self, recording: RecordingLike) -> None:
        """Show another recording in place of this one, in every page that has the widget open."""
        self._recording = recording
        self.send({"kind": "replaced"})

    def _receive(self, _widget: object, message: Mapping[str, Any], _buffers: object) -> None:
        kind = message.get("kind")
        if kind == "bundle":
            digest, source = bundle()
            self.send({"kind": "bundle", "hash": digest}, [source])
        elif kind == "recording":
            self.send({"kind": kind, "request": message.get("request")}, [self._recording.to_bytes()])
        elif kind == "ready":
            fields, buffers = frames_for_page(self._recording, pages=self._answer is not None)
            self.send({**fields, "request": message.get("request")}, list(buffers))
        else:
            fields, buffers = self._ask(message)
            self.send({**fields, "kind": kind, "request": message.get("request")}, list(buffers))

    def _ask(self, message: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        if self._answer is None:
            return {"error": "this recording has no engine behind it"}, ()
        try:
            return self._answer(message)
        except Exception as error:  # noqa: BLE001  # a page must get its answer, whatever went wrong here
            return {"error": f"{type(error).__name__}: {error}"}, ()


def frames_for_page(recording: RecordingLike, *, pages: bool) -> tuple[Mapping[str, Any], Sequence[bytes]]:
    """A recording as a message to a page, where there is an answer for ``pages`` of a tensor without its contents.

    Whole tensors stay here: the page asks for what it shows of them, and for everything when somebody saves it.
    """
    light = recording.without_contents(_CONTENTS) if pages and isinstance(recording, Recording) else recording
    said = {} if light is recording else {"whole": False}
    return {"kind": "frames", **said}, [light.to_bytes()]


@functools.cache
def bundle() -> tuple[str, bytes]:
    """Return the front end's script and a short hash of it."""
    source = (_STATIC / "bundle.js").read_bytes()
    return hashlib.sha256(source).hexdigest()[:16], source
