"""The widget that shows the difference of two recordings: their ops beside each other, and both in the same view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import traitlets

from tapeviz.widgets.loaded_widget import Answerer, LoadedWidget

__all__ = ["DIFF_VIEWS", "DiffWidget"]

DIFF_VIEWS: Final = ("flow", "timeline", "code")


class DiffWidget(LoadedWidget):
    """Two recordings beside each other, tied by the rows of their comparison.

    The traits are small and two-way: ``row`` (the number of the row that is looked at), ``view`` (the view that both
    recordings are shown in: ``"flow"``, ``"timeline"`` or ``"code"``) and ``height`` (pixels). Everything else travels
    as messages, so that a saved notebook holds none of it.

    Args:
        rows: gives what the page begins with, when it asks: fields, and the bytes of both recordings.
        elements: gives the fields that tell of the row with a number: what is said of it, and its elements.
        answers: answers what a page asks of the first recording, and of the second.
        **traits: initial values of the traits, and ipywidgets' ``layout``.

    Example:
        >>> widget = DiffWidget(lambda: ({}, []), lambda row: {}, (None, None), view="timeline")
        >>> widget.row
        -1

    """

    row = traitlets.Int(-1).tag(sync=True)
    view = traitlets.Enum(DIFF_VIEWS, default_value=DIFF_VIEWS[0]).tag(sync=True)

    def __init__(
        self,
        rows: Callable[[], tuple[Mapping[str, Any], Sequence[bytes]]],
        elements: Callable[[int], Mapping[str, Any]],
        answers: tuple[Answerer | None, Answerer | None],
        **traits: Any,
    ) -> None:
        super().__init__(self._of_row_or_side, **{"height": 760, "_shows": "diff", **traits})
        self._rows = rows
        self._elements = elements
        self._answers = answers

    def _of_row_or_side(self, message: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        kind = message.get("kind")
        if kind == "ready":
            return self._rows()
        if kind == "row":
            return self._elements(int(message["row"])), ()
        answer = self._answers[int(message["side"])]
        return answer(message) if answer is not None else ({"error": "this recording has no engine behind it"}, ())
