"""Cells that point nowhere: found when a recording is read, named, and replaced by none, so that the rest opens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.recording.codec import Chunk, Frame
from tapeviz.recording.columns import RecordingError
from tapeviz.recording.schema import SCHEMA, Column

__all__ = ["with_sound_rows"]

_POINTER: Final = " row"


def with_sound_rows(frames: Sequence[Frame]) -> tuple[Sequence[Frame], str | None]:
    """The frames with none in place of each cell that points nowhere, and a line about the first of these.

    Looked at are numbers of rows of other tables, positions in enumerations, and the facts in JSON of ``meta``.
    """
    rows = {name: sum(frame.tables[name].rows for frame in frames if name in frame.tables) for name in SCHEMA}
    before = dict.fromkeys(SCHEMA, 0)
    problems: list[str] = []
    sound = []
    for frame in frames:
        changed = {}
        for name, chunk in frame.tables.items():
            if name not in SCHEMA:
                continue
            new = dict(_replaced(name, chunk, rows, before[name], problems))
            before[name] += chunk.rows
            if new:
                changed[name] = Chunk(chunk.rows, chunk.types, {key: chunk.cells(key) for key in chunk.types} | new)
        sound.append(Frame({**frame.tables, **changed}) if changed else frame)
    if not problems:
        return frames, None
    more = f" (and {len(problems) - 1:,} more columns have such cells)" if len(problems) > 1 else ""
    return sound, f"malformed: {problems[0]}{more}"


def _replaced(table: str, chunk: Chunk, rows: dict[str, int], first: int, problems: list[str]) -> Iterator[Any]:
    """The columns of a chunk that have such cells, made good."""
    for column in SCHEMA[table].columns:
        if column.name not in chunk.types:
            continue
        most = _most(column, rows)
        try:
            if most is not None:
                cells: Any = chunk.cells(column.name)
                wrong = _outside(cells, column, most)
                if wrong is not None:
                    at = int(np.argmax(wrong))
                    where = f"{table}, row {first + at:,}, column {column.name}"
                    problems.append(f"{where}: {cells[at]} is no {column.unit}")
                    yield column.name, np.where(wrong, np.array(column.none, cells.dtype), cells)
            elif (table, column.name) == ("meta", "value"):
                yield from _facts(chunk, first, problems)
        except RecordingError:
            continue  # said when the column is asked for


def _most(column: Column, rows: dict[str, int]) -> int | None:
    """How many there are of what a column counts; None where it counts nothing."""
    if column.labels:
        return len(column.labels)
    target = column.unit.removesuffix(_POINTER) if column.unit.endswith(_POINTER) else ""
    return rows.get(target)


def _outside(cells: NDArray[Any], column: Column, most: int) -> NDArray[np.bool_] | None:
    if not len(cells) or (int(cells.min()) >= 0 and int(cells.max()) < most):
        return None
    wrong = ((cells < 0) | (cells >= most)) & (cells != column.none)
    return wrong if wrong.any() else None


def _facts(chunk: Chunk, first: int, problems: list[str]) -> Iterator[Any]:
    if "key" not in chunk.types:
        return
    keys, values = list(chunk.cells("key")), list(chunk.cells("value"))
    for row, value in enumerate(values):
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            problems.append(f"meta, row {first + row:,}, column value: {value!r:.40} is no JSON")
            keys[row], values[row] = "", "null"
    if "" in keys:
        yield from {"key": keys, "value": values}.items()
