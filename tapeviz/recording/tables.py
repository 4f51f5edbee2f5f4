"""One table of a recording: columns as read-only arrays, rows as named tuples."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.recording.codec import Chunk
from tapeviz.recording.columns import NUMBERS, Cells, as_cells, columns_of, join_cells, none_cells
from tapeviz.recording.schema import Column
from tapeviz.recording.terminal_text import visible

__all__ = ["TableView"]

_SHOWN: Final = 5
_CELL: Final = 28


class TableView:
    """The rows of one table. Columns are attributes: NumPy arrays that cannot be written to, lists for text and bytes.

    Example::

        events = recording.events
        len(events), events.columns
        events.t0[events.kind == KINDS.index("op")]
        events[5].site                  # a row is a named tuple
        events.to_pandas()
    """

    # Attributes are columns, so what is not a column keeps clear of the names that the schema uses.
    __slots__ = ("__dict__", "_cells", "_chunks", "_other", "_row", "_table", "_types", "columns")

    columns: tuple[str, ...]
    """Names of the columns: the schema's, then those that only this recording has."""

    def __init__(self, table: str, chunks: Sequence[Chunk], other: Callable[[str], TableView] | None = None) -> None:
        self._table = table
        self._other = other
        self._chunks = tuple(chunks)
        self._cells: dict[str, Cells] = {}
        self._types = {column.name: column.type for column in columns_of(table).values()}
        for chunk in chunks:
            for column, type_ in chunk.types.items():
                self._types.setdefault(column, type_)
        self.columns = tuple(self._types)
        self._row: Any = None

    def __len__(self) -> int:
        return sum(chunk.rows for chunk in self._chunks)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._types:
            raise AttributeError(f"{self._table} has no column {name!r}; it has {', '.join(self.columns)}")
        cells = self.__dict__[name] = self.cells(name)
        return cells

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.columns]

    def __getitem__(self, row: int) -> Any:
        """The row at a position; negative ones count from the end."""
        count = len(self)
        if not -count <= row < count:
            raise IndexError(f"row {row} of {self._table} is out of range: there are {count:,} rows")
        return self._row_type()(*(_item(self.cells(name)[row]) for name in self.columns))

    def __iter__(self) -> Iterator[Any]:
        return map(self._row_type()._make, zip(*map(self._items, self.columns), strict=True))

    def __repr__(self) -> str:
        count = len(self)
        shown = range(count) if count <= 2 * _SHOWN else [*range(_SHOWN), *range(count - _SHOWN, count)]
        lines = [["", *self.columns], *([str(row), *self._labels(row)] for row in shown)]
        if count > len(shown):
            lines.insert(1 + _SHOWN, ["…"] * (1 + len(self.columns)))
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        body = ("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
        return "\n".join([f"<{self._table}: {count:,} row{'' if count == 1 else 's'}>", *body])

    def cells(self, name: str) -> Cells:
        """A column by name; the same as the attribute.

        Raises:
            RecordingError: bytes that are whole and still make no sense, from a writer with a fault.
        """
        cells = self._cells.get(name)
        if cells is None:
            parts = [self._part(chunk, name) for chunk in self._chunks]
            cells = self._cells[name] = join_cells(self._types[name], parts)
        return cells

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame; enumerations as categories."""
        import pandas as pd  # noqa: PLC0415  # optional: only who asks for a DataFrame needs it

        frame = pd.DataFrame({name: self.cells(name) for name in self.columns})
        for column in columns_of(self._table).values():
            codes = frame[column.name]
            if column.labels and (codes < len(column.labels)).all():
                frame[column.name] = pd.Categorical.from_codes(codes, column.labels)
        return frame

    def _part(self, chunk: Chunk, name: str) -> Cells:
        """The cells of one frame: as its writer's schema had them, or none where it had no such column."""
        type_ = self._types[name]
        if name not in chunk.types:
            column = columns_of(self._table).get(name)
            return none_cells(column, chunk.rows) if column else _unknown(type_, chunk.rows)
        cells = chunk.cells(name)
        return cells if chunk.types[name] == type_ else as_cells(f"{self._table}.{name}", type_, cells)

    def _row_type(self) -> Any:
        if self._row is None:
            # Fields are known at run time only, which NamedTuple has no form for.
            name = self._table.capitalize() + "Row"
            self._row = namedtuple(name, self.columns, rename=True)  # type: ignore[misc]  # noqa: PYI024
        return self._row

    def _items(self, name: str) -> list[Any]:
        cells = self.cells(name)
        return cells.tolist() if isinstance(cells, np.ndarray) else cells

    def _labels(self, row: int) -> list[str]:
        known = columns_of(self._table)
        found = []
        for name in self.columns:
            item, column = _item(self.cells(name)[row]), known.get(name)
            pointed = "" if column is None else self._pointed(column, item)
            found.append(pointed or _label(item, () if column is None else column.labels))
        return found

    def _pointed(self, column: Column, item: Any) -> str:
        """What the row of another table that a number points to is called; empty for a column that points to none."""
        table = column.unit.removesuffix(" row")
        if table == column.unit or self._other is None or not isinstance(item, int):
            return ""
        if item < 0:
            return "-"
        rows = self._other(table)
        name = next((name for name in ("name", "line", "text") if name in rows.columns), None)
        if name is None or item >= len(rows):
            return ""
        told = _label(_item(rows.cells(name)[item]), ())
        return f"line {told}" if name == "line" else told


def _item(cell: Any) -> Any:
    return cell.item() if isinstance(cell, np.generic) else cell


def _label(item: Any, labels: tuple[str, ...]) -> str:
    if isinstance(item, bytes):
        return f"{len(item):,} bytes" if item else "-"
    if isinstance(item, float):
        return f"{item:.10g}"
    if isinstance(item, int):
        return labels[item] if 0 <= item < len(labels) else str(item)
    text = visible(str(item).replace("\n", "⏎"))
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _unknown(type_: str, rows: int) -> Cells:
    if type_ in NUMBERS:
        return as_cells("", type_, np.full(rows, -1 if type_ == "i4" else 0))
    return as_cells("", type_, [""] * rows if type_ == "text" else [b""] * rows)
