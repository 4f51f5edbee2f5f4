"""Columns in memory: from what a caller gives to the array or list of a column's type."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapeviz.recording.schema import SCHEMA, Column

__all__ = ["NUMBERS", "Cells", "RecordingError", "as_cells", "columns_of", "join_cells", "near_miss", "none_cells"]

Cells: TypeAlias = NDArray[Any] | list[str] | list[bytes]

NUMBERS: Final = {name: np.dtype(f"<{name}") for name in ("u1", "u2", "i4", "f4", "f8")}


class RecordingError(ValueError):
    """Bytes that are no recording, or rows that do not fit the schema; its text is one line that says what is wrong."""


def columns_of(table: str) -> Mapping[str, Column]:
    """The columns of a table by name; empty for a table that the schema does not have."""
    return _COLUMNS.get(table, {})


_COLUMNS: Final = {table.name: {column.name: column for column in table.columns} for table in SCHEMA.values()}


def as_cells(where: str, type_: str, given: Any) -> Cells:
    """What a caller gives for a column, copied to its type: a read-only array, or a list for text and bytes.

    Raises:
        RecordingError: a number that the type cannot hold exactly, or something else than text or bytes.
    """
    if type_ == "text":
        return _items(where, given, str)
    if type_ == "bytes":
        return [bytes(item) for item in _items(where, given, bytes | bytearray | memoryview)]
    return _numbers(where, NUMBERS[type_], given)


def none_cells(column: Column, rows: int) -> Cells:
    """The cells of a column that nobody wrote."""
    if column.type == "text":
        return [""] * rows
    if column.type == "bytes":
        return [b""] * rows
    return _frozen(np.full(rows, column.none, NUMBERS[column.type]))


def join_cells(type_: str, parts: Sequence[Cells]) -> Cells:
    """The parts of one column, one after the other; a single part is not copied."""
    if len(parts) == 1:
        return parts[0]
    if type_ in NUMBERS:
        return _frozen(np.concatenate([np.empty(0, NUMBERS[type_]), *parts]))
    joined: list[Any] = []
    for part in parts:
        joined.extend(part)
    return joined


def near_miss(name: str, known: Iterable[str]) -> str:
    """The hint for a name that is not known: "; did you mean 'events'?", or nothing when none is near."""
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _items(where: str, given: Any, kind: Any) -> list[Any]:
    items = list(given)
    for item in items:
        if not isinstance(item, kind):
            name = "text" if kind is str else "bytes"
            raise RecordingError(f"{where}: expected {name}, got {type(item).__name__} {item!r:.60}")
    return items


def _numbers(where: str, dtype: np.dtype[Any], given: Any) -> NDArray[Any]:
    try:
        source = np.asarray(given)
        if source.size == 0:
            return _frozen(np.empty(source.shape[0] if source.ndim else 0, dtype))
        if source.dtype.kind not in "biuf" or source.ndim != 1:
            raise RecordingError(f"{where}: expected a column of numbers, got {source.dtype} of shape {source.shape}")
        with np.errstate(all="ignore"):
            cells = source.astype(dtype)
    except (OverflowError, ValueError, TypeError) as error:
        raise error if isinstance(error, RecordingError) else RecordingError(f"{where}: {error}") from error
    if not np.can_cast(source.dtype, dtype) and not (dtype.kind == "f" and source.dtype.kind == "f"):
        kept = cells == source
        if not kept.all():
            raise RecordingError(f"{where}: {source[~kept][0]} does not fit in {dtype.kind}{dtype.itemsize}")
    return _frozen(cells)


def _frozen(cells: NDArray[Any]) -> NDArray[Any]:
    cells.setflags(write=False)
    return cells
