"""What is shown of a loop while it runs: the strip, the marks on its rail, and the tapes that open from there."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from time import perf_counter
from typing import Any, Final

import tapeviz
from tapeviz.engine.userline import ipython_shell
from tapeviz.exports.strip_columns import QUANTITIES, StripColumns
from tapeviz.tape.tape import Tape

__all__ = ["LiveStrip", "check_choices", "tape_behind"]

_WIDGET: Final = "application/vnd.jupyter.widget-view+json"
_OFTEN: Final = 0.1  # seconds: ten messages a second at most
_DEAR: Final = 100  # a message may take a hundredth of the time, else they get rarer
_MOST_MARKS: Final = 200

_tapes: Final[weakref.WeakValueDictionary[int, Tape]] = weakref.WeakValueDictionary()
_numbers: Final = count(1)
_last: Final[list[Callable[[], str]]] = []


def check_choices(show: str, columns: int) -> None:
    """ValueError: there is no such quantity, or a strip cannot have so many columns."""
    if show not in QUANTITIES:
        raise ValueError(f"show={show!r}: choose one of {', '.join(QUANTITIES)}")
    if columns < 2 or columns % 2:  # noqa: PLR2004
        raise ValueError(f"`columns` must be an even number of at least 2. Received: columns={columns}")


def tape_behind(number: int) -> Tape:
    """The tape that a dot opens. ValueError: it is no longer kept."""
    tape = _tapes.get(number)
    if tape is None:
        raise ValueError("that tape is no longer kept")
    return tape


def last_shown() -> str | None:
    """The last loop that is over, in words; None: there was none."""
    return _last[-1]() if _last else None


class LiveStrip:
    """The strip of one loop.

    Args:
        title: who shows it.
        show: which quantity is shown first.
        columns: how many columns there are.
        loop: by what number pages know the loop.
    """

    def __init__(self, title: str, show: str, columns: int, loop: int) -> None:
        self.title: str = title
        self.columns: StripColumns = StripColumns([], columns)
        self.marks: list[dict[str, Any]] = []
        self.view: Any = None
        self.messages: int = 0
        self.interval: float = 0.0
        self.next: float = 0.0
        """When it is time for the next message, as ``perf_counter`` counts."""
        self._show, self._loop = show, loop
        self._behind: dict[int, Tape] = {}

    # Marks.

    def mark(self, kind: str, text: str, step: int | None = None, tape: Tape | None = None) -> None:
        """Something happened at a step, counted from 1, by default the last; ``tape`` opens there while it is kept."""
        at = max(self.columns.steps - 1, 0) if step is None else step - 1
        mark: dict[str, Any] = {"step": at, "kind": kind, "text": text}
        if tape is not None:
            number = mark["tape"] = next(_numbers)
            self._behind[number] = _tapes[number] = tape
        self.marks.append(mark)
        del self.marks[:-_MOST_MARKS]

    def mark_trigger(self, text: str, step: int, tape: Tape) -> None:
        """A condition held for a step."""
        self.mark(text if text in ("nan", "retrace") else "trigger", text, step, tape)

    def keep(self, tapes: Sequence[Tape | None]) -> None:
        """These tapes alone are kept: the dots of others are gone."""
        kept = set(map(id, tapes))
        for number, tape in [*self._behind.items()]:
            if id(tape) not in kept:
                del self._behind[number]
                _tapes.pop(number, None)

    # Showing.

    def payload(self, progress: Mapping[str, Any], notes: Sequence[str], overhead: float) -> dict[str, Any]:
        """What is drawn: the columns, the marks, where the loop is, and what is worth knowing about it."""
        notes = [*notes, *([f"drawn every {self.interval:.1f} s"] if self.interval > 2 * _OFTEN else [])]
        marks = [{**mark, "tape": mark["tape"] if mark.get("tape") in self._behind else 0} for mark in self.marks]
        return {
            **self.columns.payload(), "title": self.title, "marks": marks, "progress": progress,
            "note": "; ".join(notes), "overhead": round(overhead, 4), "loop": self._loop,
        }  # fmt: skip

    def begin(self, payload: Callable[[], Mapping[str, Any]]) -> None:
        """Show it in the cell that runs, in a notebook."""
        if _shell() is None:
            return
        self.view = tapeviz.widgets.StripWidget(show=self._show, tape_behind=tape_behind)
        self.send(payload)
        shown: Any = self.view._repr_mimebundle_()
        data = (shown[0] if isinstance(shown, tuple) else shown)[_WIDGET]
        _publish({_WIDGET: data, "text/plain": self.title})

    def send(self, payload: Callable[[], Mapping[str, Any]]) -> None:
        """Show what there is now, where somebody sees it."""
        now = perf_counter()
        if self.view is None:
            self.next = now + _OFTEN
            return
        self.view.strip = payload()
        self.messages += 1
        self.interval = max(_OFTEN, _DEAR * (perf_counter() - now))
        self.next = now + self.interval

    def end(self, payload: Callable[[], Mapping[str, Any]]) -> None:
        """Show the end, and beside the widget what stands in for it where no kernel answers."""
        if "IPython" in sys.modules:  # where %live may ask
            _last[:] = [partial(_text, payload(), self._show)]
        if self.view is not None:
            self.send(payload)
            _publish({"text/html": self.view.html(), "text/plain": self.view.text()})

    def text(self, payload: Mapping[str, Any]) -> str:
        """All of it in words."""
        return _text(payload, self._show)


def _text(payload: Mapping[str, Any], show: str) -> str:
    return str(tapeviz.widgets.strip_summary.text(payload, show))


def _shell() -> Any:
    shell = ipython_shell()
    return shell if hasattr(shell, "kernel") else None


def _publish(bundle: dict[str, Any]) -> None:
    _shell().display_pub.publish(bundle)
