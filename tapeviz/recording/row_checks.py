"""Cells that break the rules of the schema: found when a recording is opened, named, and replaced by none.

The rest opens. `Column.check` says the rules. The twin for pages is ``checks.ts``; both are tried on the same files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapeviz.recording.codec import Chunk, Frame
from tapeviz.recording.columns import NUMBERS, Cells, RecordingError, as_cells, none_cells
from tapeviz.recording.json_rules import MEANINGS, is_fact, is_json
from tapeviz.recording.schema import FACTS, SCHEMA, Column

__all__ = ["with_sound_rows"]

_EXACT: Final = 2**53
_HISTOGRAM: Final = 128  # bytes: 32 counts of four
_SHOWN: Final = 40
_HIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

Flags: TypeAlias = NDArray[np.bool_]


def with_sound_rows(frames: Sequence[Frame]) -> tuple[Sequence[Frame], str | None]:
    """The frames with none in place of each cell that breaks a rule, and a line about the first of these.

    A number that two rows of a table share, or that is below -1, is replaced in the later one by one that is free. A
    column that does not decode is none in that frame, also one that the schema does not have.
    """
    checked = _Checked(frames)
    for name in SCHEMA:
        checked.table(name)
    checked.others()
    if not checked.problems:
        return frames, None
    columns = len(checked.problems) - 1
    more = f" (and {columns:,} more column{'s have' if columns > 1 else ' has'} such cells)" if columns else ""
    return checked.frames(), f"malformed: {next(iter(checked.problems.values()))}{more}"


class _Checked:
    """The tables of a recording while they are checked, in the order of the schema."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._frames = frames
        self._rows = {name: sum(chunk.rows for _, chunk in self._chunks(name)) for name in SCHEMA}
        self._changed: dict[tuple[int, str], dict[str, Cells]] = {}
        self._texts: dict[tuple[str, str], bool] = {}
        self.problems: dict[tuple[str, str], str] = {}
        """By table and column: what is wrong with its first cell that is."""

    def _chunks(self, name: str) -> list[tuple[int, Chunk]]:
        return [(at, frame.tables[name]) for at, frame in enumerate(self._frames) if name in frame.tables]

    def frames(self) -> Sequence[Frame]:
        """All frames; new ones in place of those with changes."""
        return [self._frame(at, frame) for at, frame in enumerate(self._frames)]

    def _frame(self, at: int, frame: Frame) -> Frame:
        tables = dict(frame.tables)
        for name, chunk in frame.tables.items():
            if new := self._changed.get((at, name)):
                known = SCHEMA[name].columns if name in SCHEMA else ()
                types = {column.name: column.type for column in known if column.name in new}
                kept = {column: chunk.cells(column) for column in chunk.types if column not in new}
                tables[name] = Chunk(chunk.rows, {**chunk.types, **types}, {**kept, **new})
        return Frame(tables) if tables != frame.tables else frame

    def table(self, name: str) -> None:
        """Check the columns of a table."""
        for column in SCHEMA[name].columns:
            first = 0
            for at, chunk in self._chunks(name):
                if column.name in chunk.types:
                    cells = self._decoded(at, name, column, chunk, first)
                    self._check(at, name, column, cells, first)
                first += chunk.rows

    def others(self) -> None:
        """Check that the columns decode that this version does not know."""
        for at, frame in enumerate(self._frames):
            for name, chunk in frame.tables.items():
                known = {column.name for column in SCHEMA[name].columns} if name in SCHEMA else ()
                for column in chunk.types:
                    if column not in known:
                        self._decoded(at, name, Column(column, chunk.types[column], "", "", 0), chunk, 0)

    def _decoded(self, at: int, name: str, column: Column, chunk: Chunk, first: int) -> Cells:
        """A column's cells as the schema has them; none where the bytes give none."""
        try:
            cells = chunk.cells(column.name)
            if chunk.types[column.name] != column.type:
                cells = as_cells("", column.type, cells)
        except RecordingError as error:
            cells = none_cells(column, chunk.rows)
            self._changed.setdefault((at, name), {})[column.name] = cells
            reason = str(error).partition(": ")[2] or str(error)
            where = f"{name}, rows {first:,} to {first + chunk.rows - 1:,}, column {column.name}"
            self.problems.setdefault((name, column.name), f"{where}: {reason}")
        return cells

    def _check(self, at: int, name: str, column: Column, cells: Cells, first: int) -> None:
        rule, _, of = column.check.partition(" ")
        if not rule:
            return
        wrong, new = self._RULES[rule](self, of, name, column, cells, at)
        if wrong is None or not wrong.any():
            return
        row = int(np.argmax(wrong))
        where = f"{name}, row {first + row:,}, column {column.name}"
        self.problems.setdefault((name, column.name), f"{where}: {self._said(rule, of, column, cells[row])}")
        self._changed.setdefault((at, name), {})[column.name] = _replaced(column, cells, wrong) if new is None else new
        if (name, column.name) == ("meta", "value"):
            keys = list(self._now(at, name, "key"))
            self._changed[at, name] |= {
                "key": ["" if bad else key for key, bad in zip(keys, wrong, strict=True)],
                "value": ["null" if bad else text for text, bad in zip(cells, wrong, strict=True)],
            }

    def _now(self, at: int, name: str, column: str) -> Cells:
        """A column of a frame as it has become; what no writer wrote is none."""
        chunk = self._frames[at].tables[name]
        cells = self._changed.get((at, name), {}).get(column)
        if cells is None and column in chunk.types:
            cells = chunk.cells(column)
        return none_cells(_column(name, column), chunk.rows) if cells is None else cells

    def _whole(self, name: str, column: str) -> Any:
        return [cell for at, _ in self._chunks(name) for cell in self._now(at, name, column)]

    @cached_property
    def _strings(self) -> list[str]:
        texts: list[str] = []
        for _, chunk in self._chunks("strings"):
            try:
                texts += chunk.cells("text")  # type: ignore[arg-type]
            except (KeyError, RecordingError):  # is said when its own turn comes
                texts += [""] * chunk.rows
        return texts

    # What is wrong, by rule: flags, and the new cells where they are not none.

    def _row(self, of: str, _table: str, column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        return _outside(cells, self._rows[of], column), None

    def _label(self, of: str, _table: str, column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        return _outside(cells, int(of.partition(" ")[0]), column), None

    def _number(self, _of: str, _table: str, column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        return cells < column.none, None

    def _finite(self, _of: str, _table: str, _column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        return ~((cells >= 0) & (cells <= _EXACT)), None

    def _earlier(self, _of: str, table: str, column: Column, cells: Any, at: int) -> tuple[Any, Any]:
        ids = self._now(at, table, "id")
        return (cells < column.none) | (cells >= np.maximum(ids, 0)), None

    def _id(self, _of: str, table: str, _column: Column, cells: Any, at: int) -> tuple[Any, Any]:
        known, wrong = self._duplicates[table]
        own = slice(sum(chunk.rows for other, chunk in self._chunks(table) if other < at), None)
        flags = wrong[own][: len(cells)]
        return flags, known[own][: len(cells)]

    @cached_property
    def _duplicates(self) -> dict[str, tuple[NDArray[Any], Flags]]:
        """By table with numbers: these with free ones in place of those that are not, and which were."""
        tables = [name for name, table in SCHEMA.items() if any(column.check == "id" for column in table.columns)]
        return {name: _numbered(np.array(self._whole(name, "id"), "<i4")) for name in tables}

    def _counts(self, _of: str, _table: str, _column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        return np.fromiter((len(cell) not in (0, _HISTOGRAM) for cell in cells), np.bool_, len(cells)), None

    def _text(self, of: str, _table: str, column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        wrong = _outside(cells, self._rows["strings"], column)
        sound = cells if wrong is None else np.where(wrong, -1, cells)
        bad = [row for row in np.unique(sound).tolist() if row >= 0 and not self._keeps(of, self._strings[row])]
        if bad:
            odd = np.isin(sound, bad)
            wrong = odd if wrong is None else wrong | odd
        return wrong, None

    def _json(self, _of: str, table: str, _column: Column, cells: Any, at: int) -> tuple[Any, Any]:
        if table == "meta":
            keys: Any = self._now(at, table, "key")
            facts = zip(keys, cells, strict=True)
            return _flags(text != "" and not is_fact(FACTS.get(key), text) for key, text in facts), None
        return _flags(text != "" and not self._keeps("json", text) for text in cells), None

    def _list(self, _of: str, _table: str, _column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        return _flags(text != "" and not self._keeps("list", text) for text in cells), None

    def _lines(self, _of: str, _table: str, _column: Column, cells: Any, _at: int) -> tuple[Any, Any]:
        return _flags(text != "" and not self._keeps("lines", text) for text in cells), None

    def _keeps(self, rule: str, text: str) -> bool:
        kept = self._texts.get((rule, text))
        if kept is None:
            kept = self._texts[rule, text] = is_json(rule, text)
        return kept

    def _said(self, rule: str, of: str, column: Column, cell: Any) -> str:
        if rule == "text":
            outside = not 0 <= cell < len(self._strings)
            return f"{cell} is no strings row" if outside else _not(self._strings[cell], MEANINGS[of])
        if rule in MEANINGS:
            is_other = column.name == "value" and is_json("json", cell)
            return f"'{_short(cell)}' is not what the fact of this name is" if is_other else _not(cell, MEANINGS[rule])
        return _SAID[rule](cell, of)

    _RULES: Final[dict[str, Callable[..., tuple[Any, Any]]]] = {
        "row": _row, "label": _label, "number": _number, "finite": _finite, "earlier": _earlier, "id": _id,
        "counts": _counts, "text": _text, "json": _json, "list": _list, "lines": _lines,
    }  # fmt: skip


_SAID: Final[dict[str, Callable[[Any, str], str]]] = {
    "row": lambda cell, of: f"{cell} is no {of} row",
    "label": lambda cell, of: f"{cell} is no {of.partition(' ')[2]}",
    "number": lambda cell, of: f"{cell} is the number of no {of}",
    "earlier": lambda cell, of: f"{cell} is no earlier {of}",
    "id": lambda cell, _: f"{cell} is {'not a number from 0 up' if cell < 0 else 'the number of another row'}",
    "finite": lambda cell, of: f"{_amount(cell)} is no number of {of}",
    "counts": lambda cell, _: f"{len(cell):,} bytes are no 32 counts",
}


def _not(text: str, meaning: str) -> str:
    return f"'{_short(text)}' is no {meaning}"


def _column(table: str, name: str) -> Column:
    return next(column for column in SCHEMA[table].columns if column.name == name)


def _outside(cells: Any, most: int, column: Column) -> Flags | None:
    if not len(cells) or (int(cells.min()) >= 0 and int(cells.max()) < most):
        return None
    wrong: Flags = ((cells < 0) | (cells >= most)) & (cells != column.none)
    return wrong


def _replaced(column: Column, cells: Any, wrong: Flags) -> Cells:
    if column.type in NUMBERS:
        return np.where(wrong, np.array(column.none, cells.dtype), cells)
    none: Any = "" if column.type == "text" else b""
    return [none if bad else cell for cell, bad in zip(cells, wrong, strict=True)]


def _numbered(ids: NDArray[Any]) -> tuple[NDArray[Any], Flags]:
    if not len(ids) or (ids[0] >= -1 and bool((ids[1:] > ids[:-1]).all())):
        return ids, np.zeros(len(ids), np.bool_)
    again = np.ones(len(ids), np.bool_)
    again[np.unique(ids, return_index=True)[1]] = False
    wrong = (again & (ids >= 0)) | (ids < -1)
    if wrong.any():
        free = np.setdiff1d(np.arange(len(ids)), ids[~wrong])
        ids = ids.copy()
        ids[wrong] = free[: int(wrong.sum())]
    return ids, wrong


def _flags(items: Iterable[bool]) -> Flags:
    return np.fromiter(items, np.bool_)


def _amount(cell: float) -> str:
    """A number as both languages write it: 7, -3, nan, inf, 1.000e+300."""
    if cell == int(cell) if abs(cell) < _EXACT else False:
        return str(int(cell))
    return str(cell) if not abs(cell) < np.inf else re.sub(r"e([+-])0", r"e\1", f"{cell:.3e}")


def _short(text: str) -> str:
    """The beginning of a text, without what would command a terminal or turn the direction of writing."""
    return _HIDDEN.sub("\ufffd", text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")
