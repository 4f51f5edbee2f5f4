"""The ranks of a merged recording: which rows are of which process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tapeviz.recording.codec import Chunk, Frame
from tapeviz.recording.columns import Cells
from tapeviz.recording.reader import Recording
from tapeviz.recording.schema import NUMBERED, SCHEMA, SHARED, Column

__all__ = ["numbered", "parts_of", "rank_of_events", "rank_of_number", "rank_of_setups", "row_at"]


def numbered(table: str) -> list[Column]:
    """The columns of a table that hold numbers of something."""
    return [column for column in SCHEMA[table].columns if column.unit in NUMBERED]


def row_at(places: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """What is at these positions; those beyond it, and -1, as they are."""
    known = (cells >= 0) & (cells < len(places))
    found: np.ndarray = np.where(known, places[np.where(known, cells, 0)] if len(places) else cells, cells)
    return found


def rank_of_events(recording: Recording) -> np.ndarray:
    """The rank of each row of ``events``, as a row of ``ranks``; -1 where the recording is of one process."""
    return _rank_of_threads(recording, recording.events.thread)


def rank_of_setups(recording: Recording) -> np.ndarray:
    """The same of each row of ``setups``."""
    return _rank_of_threads(recording, recording.setups.thread)


def _rank_of_threads(recording: Recording, threads: np.ndarray) -> np.ndarray:
    ranks = np.append(recording.threads.rank, -1)
    return row_at(ranks, np.minimum(threads.astype("i8"), len(ranks) - 1))


def rank_of_number(recording: Recording, unit: str, number: int) -> int:
    """The rank of what has a number, such as a variable; -1 where the recording is of one process."""
    (first,) = (recording.ranks.cells(column.name) for column in numbered("ranks") if column.unit == unit)
    return int(np.searchsorted(first, number, side="right")) - 1


def parts_of(recording: Recording) -> list[Recording]:
    """The recording of each rank, with the numbers and the clock of the whole; itself where it is of one process."""
    return recording.derived(_parts) if len(recording.ranks) else [recording]


def _parts(recording: Recording) -> list[Recording]:
    return [_part(recording, rank) for rank in range(len(recording.ranks))]


def _part(recording: Recording, rank: int) -> Recording:
    tables = {}
    for name in SCHEMA:
        columns, rows = SCHEMA[name].columns, _rows(recording, name, rank)
        if name != "ranks" and len(rows):
            cells = {column.name: _cells(recording, name, column, rows, rank) for column in columns}
            tables[name] = Chunk(len(rows), {column.name: column.type for column in columns}, cells)
    return Recording([Frame(tables)])


def _cells(recording: Recording, name: str, column: Column, rows: np.ndarray, rank: int) -> Cells:
    """A column of a part. Positions are those in the part."""
    cells: Any = recording.table(name).cells(column.name)
    if isinstance(cells, list):
        return [cells[row] for row in rows.tolist()]
    own: np.ndarray = cells[rows]
    if not column.table or column.table in SHARED:
        return own
    places = np.full(len(recording.table(column.table)), -1)
    kept = _rows(recording, column.table, rank)
    places[kept] = np.arange(len(kept))
    moved: np.ndarray = row_at(places, own).astype(cells.dtype)
    return moved


def _rows(recording: Recording, name: str, rank: int) -> np.ndarray:
    """The rows of a table that are of a rank: by the first number that each holds. Others are everyone's."""
    view = recording.table(name)
    if name in SHARED or name == "meta":
        return np.arange(len(view))
    found = np.full(len(view), -1)
    first = {column.unit: recording.ranks.cells(column.name) for column in numbered("ranks")}
    for column in SCHEMA[name].columns:
        if (owner := _owner(recording, column, view.cells(column.name), first)) is not None:
            found = np.where(found >= 0, found, owner)
    return np.flatnonzero(found == rank)


def _owner(recording: Recording, column: Column, cells: Any, first: Mapping[str, Any]) -> np.ndarray | None:
    """The rank that each cell of a column tells of, -1 for none."""
    if column.table == "threads":
        return _rank_of_threads(recording, cells)
    if column.table == "devices":
        return row_at(recording.devices.rank, cells.astype("i8"))
    if column.unit in first:
        return np.where(cells >= 0, np.searchsorted(first[column.unit], cells, side="right") - 1, -1)
    return None
