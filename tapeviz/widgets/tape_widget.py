"""The widget that shows a recording: a small synced state, and everything else as custom messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import traitlets

from tapeviz.exports.view_names import VIEWS
from tapeviz.recording import Recording
from tapeviz.widgets.loaded_widget import Answerer, LoadedWidget

__all__ = ["RecordingLike", "TapeWidget", "frames_for_page"]

_NOTHING: Final[dict[str, int | None]] = {"event": None, "tensor": None, "step": None}
_CONTENTS: Final = 2**22  # bytes of tensors' elements that a page gets at once


class RecordingLike(Protocol):
    """What a widget needs of a recording."""

    def to_bytes(self) -> bytes:
        """Return the recording as the bytes of a file."""


class TapeWidget(LoadedWidget):
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

    selected = traitlets.Dict(default_value=_NOTHING).tag(sync=True)
    view = traitlets.Enum(VIEWS, default_value=VIEWS[0]).tag(sync=True)
    filter = traitlets.Unicode().tag(sync=True)

    def __init__(self, recording: RecordingLike, *, answer: Answerer | None = None, **traits: Any) -> None:
        super().__init__(answer, **traits)
        self._recording = recording

    def select(self, *, event: int | None = None, tensor: int | None = None, step: int | None = None) -> None:
        """Select an event, a tensor or a step in all views; with no argument, nothing."""
        self.selected = {"event": event, "tensor": tensor, "step": step}

    @property
    def recording(self) -> RecordingLike:
        """What is shown."""
        return self._recording

    def show(self, recording: RecordingLike) -> None:
        """Show another recording in place of this one, in every page that has the widget open."""
        self._recording = recording
        self.send({"kind": "replaced"})

    def _ask(self, message: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        kind = message.get("kind")
        if kind == "recording":
            return {}, [self._recording.to_bytes()]
        if kind == "ready":
            return frames_for_page(self._recording, pages=self._answer is not None)
        return super()._ask(message)


def frames_for_page(recording: RecordingLike, *, pages: bool) -> tuple[Mapping[str, Any], Sequence[bytes]]:
    """A recording as a message to a page, where there is an answer for ``pages`` of a tensor without its contents.

    Whole tensors stay here: the page asks for what it shows of them, and for everything when somebody saves it.
    """
    light = recording.without_contents(_CONTENTS) if pages and isinstance(recording, Recording) else recording
    said = {} if light is recording else {"whole": False}
    return {"kind": "frames", **said}, [light.to_bytes()]
