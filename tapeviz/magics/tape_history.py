"""The tapes recorded in a shell: the list behind ``%tapes``, and which view a cell has on the page."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from tapeviz.exports import editor_marks, headline
from tapeviz.tape.tape import Tape

__all__ = ["Entry", "TapeHistory"]

# A loop with %tape in it should not fill the memory: so many tapes, and so many bytes of their tensors.
_KEPT: Final = 50
_HELD: Final = 2**28
_UNTITLED: Final = "tape"


@dataclass(slots=True)
class Entry:
    """A recorded tape: its number in the list, the cell it is of, and its view if it was shown.

    ``cell`` is the same each time that the cell runs, ``run`` differs each time. ``page_cell`` is the id by which pages
    know the cell, empty where they do not say it; ``current`` becomes false when that has run again since.
    """

    number: int
    tape: Tape
    cell: Hashable
    run: Hashable
    page_cell: str = ""
    view: Any = None
    current: bool = True
    _marks: dict[str, Any] | None = None

    def row(self) -> tuple[str, ...]:
        """What the list says of it: number, cell, title, ops, time, size, status."""
        recording = self.tape.recording
        facts = recording.meta_dict()
        stopped = facts.get("stopped")
        return (
            str(self.number),
            f"In [{facts.get('cell', '?')}]",
            str(facts.get("title", "tape")),
            f"{facts.get('ops', 0):,}",
            f"{1e3 * facts.get('seconds', 0):.1f}",
            f"{len(recording.to_bytes()):,}",
            f"stopped by {stopped['type']}" if stopped else "complete",
        )

    def line(self) -> dict[str, Any]:
        """What a page's list says of it."""
        recording = self.tape.recording
        return {
            "number": self.number,
            "title": headline.title(recording),
            "facts": headline.facts(recording),
            "stopped": headline.stopped(recording),
            "cell": self.page_cell,
            "current": self.current,
            "widget": "" if self.view is None else str(self.view.model_id),
        }

    def marks(self) -> dict[str, Any]:
        """What the editors of its cells show of it; see :func:`tapeviz.exports.editor_marks.editor_marks`."""
        if self._marks is None:
            self._marks = editor_marks.editor_marks(self.tape.recording)
        return self._marks

    def close(self) -> None:
        """Take its view off the page."""
        if self.view is not None:
            self.view.close()
            self.view = None


class TapeHistory:
    """The tapes of one shell, oldest first."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._next = 1

    def add(self, tape: Tape, cell: Hashable, run: Hashable, page_cell: str = "") -> Entry:
        """Put a tape on the tape_history, in place of those of the same cell's earlier runs."""
        for old in self._entries:
            if old.cell == cell and old.run != run:
                old.close()
        self._entries = [old for old in self._entries if old.cell != cell or old.run == run][1 - _KEPT :]
        entry = Entry(self._next, tape, cell, run, page_cell)
        self._next += 1
        self._entries.append(entry)
        self._make_room()
        return entry

    def _make_room(self) -> None:
        """The oldest tapes give their tensors back where all together hold too much."""
        room = _HELD
        for entry in reversed(self._entries):
            room -= entry.tape.held
            if room < 0:
                entry.tape.let_go()

    def runs_again(self, page_cell: str) -> bool:
        """A cell begins to run: its tapes are of an earlier run from now on. Whether there are any."""
        old = [entry for entry in self._entries if entry.current and entry.page_cell == page_cell]
        for entry in old:
            entry.current = False
        return bool(old)

    def lines(self) -> list[dict[str, Any]]:
        """What a page's list says, oldest first."""
        return [entry.line() for entry in self._entries]

    @property
    def latest(self) -> Entry | None:
        """The tape recorded last."""
        return self._entries[-1] if self._entries else None

    def find(self, number: int) -> Entry | None:
        """The tape with this number."""
        return next((entry for entry in self._entries if entry.number == number), None)

    def titled(self) -> dict[str, Tape]:
        """The tapes that were given a title, the latest of each."""
        titles = {headline.title(entry.tape.recording): entry.tape for entry in self._entries}
        return {title: tape for title, tape in titles.items() if title != _UNTITLED}

    def numbers(self) -> list[int]:
        """The numbers of the tapes that are there."""
        return [entry.number for entry in self._entries]

    def clear(self) -> int:
        """Forget all tapes, close their views, and return how many there were."""
        for entry in self._entries:
            entry.close()
        count = len(self._entries)
        self._entries.clear()
        return count

    def __str__(self) -> str:
        if not self._entries:
            return "no tapes yet: put %%tape at the top of a cell"
        rows = [("", "cell", "title", "ops", "ms", "bytes", "status"), *(entry.row() for entry in self._entries)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        numeric = {0, 3, 4, 5}
        return "\n".join(
            "  ".join(f"{cell:{'>' if at in numeric else '<'}{widths[at]}}" for at, cell in enumerate(row)).rstrip()
            for row in rows
        )
