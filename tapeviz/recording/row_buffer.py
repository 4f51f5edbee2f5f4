"""Rows that are in no frame yet, and how they are shared out to frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.recording.codec import Chunk, Tables
from tapeviz.recording.columns import (
    NUMBERS,
    Cells,
    RecordingError,
    as_cells,
    columns_of,
    join_cells,
    near_miss,
    none_cells,
)
from tapeviz.recording.schema import SCHEMA

__all__ = ["MAX_CELL", "Pending", "frame_sized"]

MAX_CELL: Final = 2**24
"""The longest text or bytes that one cell may hold; a tensor's values beyond it go into several rows."""

_FRAME_BYTES: Final = 2**24
# Rows are not held back beyond these, even if nobody flushes.
_LARGE_ROWS: Final = 2**20
_LARGE_BYTES: Final = 2**25

_RANGES: Final = {"u1": range(2**8), "u2": range(2**16), "i4": range(-(2**31), 2**31)}
_KINDS: Final[dict[str, Any]] = {"text": str, "bytes": bytes, "f4": (float, int), "f8": (float, int)}


class Pending:
    """The rows of one table that are in no frame yet."""

    def __init__(self, table: str) -> None:
        if table not in SCHEMA:
            raise RecordingError(f"a recording has no table {table!r}{near_miss(table, SCHEMA)}")
        self._table = table
        self._schema = columns_of(table)
        self._framed = 0
        self._rows = 0
        self._bytes = 0
        self._blocks: list[Chunk] = []
        self._single: list[Mapping[str, Any]] = []

    def append(self, row: Mapping[str, Any]) -> int:
        """Adds one row and returns its number."""
        for name, value in row.items():
            self._check(name, value)
        self._single.append(row)
        self._rows += 1
        return self._framed + self._rows - 1

    def extend(self, columns: Mapping[str, Any]) -> int:
        """Adds whole columns and returns the number of the first row."""
        rows = self._length(columns)
        first = self.count()
        if rows:
            block = self._chunk({name: _spread(values, rows) for name, values in columns.items()}, rows)
            self._close_single()
            self._blocks.append(block)
            self._rows += rows
        return first

    def count(self) -> int:
        """How many rows there are, those in frames included."""
        return self._framed + self._rows

    def is_large(self) -> bool:
        """Whether these rows should be held back no longer."""
        return self._rows >= _LARGE_ROWS or self._bytes >= _LARGE_BYTES

    def take(self) -> Chunk | None:
        """The pending rows, which then are pending no more; None when there are none."""
        self._close_single()
        blocks, self._blocks = self._blocks, []
        if not blocks:
            return None
        self._framed += self._rows
        self._rows = self._bytes = 0
        return blocks[0] if len(blocks) == 1 else self._joined(blocks)

    def _check(self, name: str, value: Any) -> None:
        """Refuses a wrong value at the call that gave it, rather than when the frame is made."""
        column = self._column(name)
        plain = type(value) is int and value in _RANGES[column.type] if column.type in _RANGES else False
        if plain or isinstance(value, _KINDS.get(column.type, ())):
            self._bytes += self._measure(name, value) if column.type not in NUMBERS else 0
        else:
            as_cells(f"{self._table}.{name}", column.type, [value])

    def _column(self, name: str) -> Any:
        column = self._schema.get(name)
        if column is None:
            raise RecordingError(f"{self._table} has no column {name!r}{near_miss(name, self._schema)}")
        return column

    def _measure(self, name: str, value: str | bytes) -> int:
        if len(value) > MAX_CELL:
            raise RecordingError(f"{self._table}.{name}: {len(value):,} in one cell, which holds {MAX_CELL:,}")
        return len(value)

    def _length(self, columns: Mapping[str, Any]) -> int:
        lengths = {name: len(values) for name, values in columns.items() if not _is_single(values)}
        if not lengths:
            return 1 if columns else 0
        name, rows = next(iter(lengths.items()))
        for other, count in lengths.items():
            if count != rows:
                raise RecordingError(f"{self._table}: {other} has {count:,} rows, {name} has {rows:,}")
        return rows

    def _chunk(self, columns: Mapping[str, Any], rows: int) -> Chunk:
        types = {name: self._column(name).type for name in columns}
        cells = {name: as_cells(f"{self._table}.{name}", types[name], values) for name, values in columns.items()}
        for name, values in cells.items():
            if types[name] not in NUMBERS and len(longest := max(values, key=len)) > 0:
                self._measure(name, longest)
                self._bytes += sum(map(len, values))
        return Chunk(rows, types, cells)

    def _close_single(self) -> None:
        """The rows that came one by one, as a block of columns."""
        rows, self._single = self._single, []
        if not rows:
            return
        used = [name for name in self._schema if any(name in row for row in rows)] or list(self._schema)[:1]
        nones = {name: none_cells(self._schema[name], 1)[0] for name in used}
        columns = {name: [row.get(name, nones[name]) for row in rows] for name in used}
        self._blocks.append(self._chunk(columns, len(rows)))

    def _joined(self, blocks: list[Chunk]) -> Chunk:
        # A column that nobody wrote stays out of the frame: reading gives its none.
        names = [name for name in self._schema if any(name in block.types for block in blocks)]
        types = {name: self._schema[name].type for name in names}
        cells = {name: join_cells(types[name], [self._part(block, name) for block in blocks]) for name in names}
        return Chunk(sum(block.rows for block in blocks), types, cells)

    def _part(self, block: Chunk, name: str) -> Cells:
        return block.cells(name) if name in block.types else none_cells(self._schema[name], block.rows)


def frame_sized(tables: Tables) -> Iterator[Tables]:
    """The rows shared out to frames: as a rule one; more when text and bytes are many."""
    frame: dict[str, Chunk] = {}
    size = 0
    for name, chunk in tables.items():
        for part, part_size in _parts(chunk):
            if frame and (name in frame or size + part_size > _FRAME_BYTES):
                yield frame
                frame, size = {}, 0
            frame[name] = part
            size += part_size
    if frame:
        yield frame


def _parts(chunk: Chunk) -> Iterator[tuple[Chunk, int]]:
    ends = np.cumsum(_row_sizes(chunk))
    start = 0
    while start < chunk.rows:
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + _FRAME_BYTES, "right")))
        end = min(end, start + _LARGE_ROWS)
        part = chunk if end - start == chunk.rows else _rows(chunk, start, end)
        yield part, int(ends[end - 1]) - before
        start = end


def _row_sizes(chunk: Chunk) -> NDArray[np.float64]:
    sizes = np.zeros(chunk.rows)
    for name, type_ in chunk.types.items():
        if type_ in NUMBERS:
            sizes += NUMBERS[type_].itemsize
        else:
            sizes += np.fromiter(map(len, chunk.cells(name)), np.float64, chunk.rows)
    return sizes


def _rows(chunk: Chunk, start: int, end: int) -> Chunk:
    return Chunk(end - start, chunk.types, {name: chunk.cells(name)[start:end] for name in chunk.types})


def _is_single(values: Any) -> bool:
    return isinstance(values, (str, bytes, int, float, np.generic))


def _spread(values: Any, rows: int) -> Any:
    """A single value for every row; numbers stay an array, text and bytes a list."""
    if isinstance(values, (str, bytes)):
        return [values] * rows
    return np.full(rows, values) if _is_single(values) else values
