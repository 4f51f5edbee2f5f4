"""Building a recording: rows go in, frames come out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from tapeviz.recording.codec import MAGIC, Frame
from tapeviz.recording.columns import RecordingError, near_miss
from tapeviz.recording.reader import Recording
from tapeviz.recording.row_buffer import Pending, frame_sized
from tapeviz.recording.schema import SCHEMA

__all__ = ["Builder"]


class Builder:
    """Takes rows and whole columns, and makes frames of them.

    Everything pending goes into one frame at `flush`, so that each frame ends in a state that makes sense by itself:
    whoever writes to a file while recording loses only what came after the last flush. Threads may share a builder.

    Args:
        on_frame: called with each finished frame as bytes; a file is `MAGIC` followed by all of them (`FrameWriter`).

    Example::

        builder = Builder()
        row = builder.append("devices", name="CPU:0")
        builder.extend("events", {"id": [0, 1], "t0": [10, 25], "device": row})
        builder.recording().events.t0
    """

    def __init__(self, on_frame: Callable[[bytes | memoryview], object] | None = None) -> None:
        self._on_frame = on_frame
        self._pending = {name: Pending(name) for name in SCHEMA}
        self._frames: list[Frame] = []
        self._strings: dict[str, int] = {}
        self._lock = threading.RLock()

    def append(self, table: str, **columns: Any) -> int:
        """Adds one row; a column that is left out holds its none.

        Returns:
            The number of the row in its table.

        Raises:
            RecordingError: a table or column that the schema does not have, or a value that does not fit.
        """
        with self._lock:
            pending = self._table(table)
            row = pending.append(columns)
            if pending.is_large():
                self.flush()
            return row

    def extend(self, table: str, columns: Mapping[str, Any]) -> int:
        """Adds whole columns; one that is left out holds its none, a single number or text goes into every row.

        The values are copied. Arrays of the column's own type are fastest.

        Returns:
            The number of the first row added.

        Raises:
            RecordingError: a table or column that the schema does not have, columns of different lengths, or a number
                that its column cannot hold exactly.
        """
        with self._lock:
            pending = self._table(table)
            row = pending.extend(columns)
            if pending.is_large():
                self.flush()
            return row

    def intern(self, text: str) -> int:
        """The row of strings that holds this text, a new one if need be."""
        row = self._strings.get(text)
        if row is None:
            with self._lock:
                row = self._strings.get(text)
                if row is None:
                    row = self._strings[text] = self.append("strings", text=text)
        return row

    def meta(self, key: str, value: Any) -> None:
        """States a fact about the recording; ``value`` is anything JSON can say."""
        self.append("meta", key=key, value=json.dumps(value))

    def rows(self, table: str) -> int:
        """How many rows a table has so far: the number of its next one."""
        return self._table(table).count()

    def flush(self) -> None:
        """Makes one frame of all that is pending, several when it is more than a frame should hold."""
        with self._lock:
            rows = {name: chunk for name, pending in self._pending.items() if (chunk := pending.take())}
            for tables in frame_sized(rows):
                frame = Frame(tables)
                self._frames.append(frame)
                if self._on_frame:
                    self._on_frame(frame.data)

    def replace(self, tables: Mapping[str, Mapping[str, Any]]) -> None:
        """Has these rows, given as columns, instead of all that there are. What is in the hands of others stays."""
        with self._lock:
            self._frames.clear()
            self._pending = {name: Pending(name) for name in SCHEMA}
            for name, columns in tables.items():
                self._pending[name].extend(columns)
            texts = tables.get("strings", {}).get("text", ())
            self._strings = {text: row for row, text in enumerate(texts)}
            self.flush()

    def recording(self) -> Recording:
        """All rows so far, as a recording that later rows do not change."""
        with self._lock:
            self.flush()
            return Recording(self._frames)

    def to_bytes(self) -> bytes:
        """All rows so far, as a file."""
        return b"".join([MAGIC, *self.recording().stream()])

    def _table(self, name: str) -> Pending:
        pending = self._pending.get(name)
        if pending is None:
            raise RecordingError(f"a recording has no table {name!r}{near_miss(name, SCHEMA)}")
        return pending
