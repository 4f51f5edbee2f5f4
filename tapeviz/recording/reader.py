"""Reading: a recording that never changes, its tables and their columns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tapeviz.recording.codec import MAGIC, Frame, read_frames
from tapeviz.recording.row_buffer import Pending, frame_sized
from tapeviz.recording.row_checks import with_sound_rows
from tapeviz.recording.schema import SCHEMA
from tapeviz.recording.tables import TableView
from tapeviz.recording.terminal_text import visible
from tapeviz.recording.upgrade import upgraded

__all__ = ["Recording", "read", "read_sound"]

Result = TypeVar("Result")


class Recording:
    """What was recorded: one `TableView` for each table, as an attribute.

    A recording never changes. What is found out later goes into a new one, see `with_rows`.

    Example::

        recording = read("run.tape")
        recording.events.dur.sum()      # a NumPy array, in ns
        recording.sites.text[0]         # a list of str
        recording.events[5]             # a row
    """

    __slots__ = ("__dict__", "_derived", "_frames", "_views", "problem")

    problem: str | None
    """What was wrong with the bytes it was read from, in one line; None when nothing was."""

    def __init__(self, frames: Iterable[Frame] = (), problem: str | None = None) -> None:
        self._frames = tuple(frames)
        self._views: dict[str, TableView] = {}
        self._derived: dict[Callable[..., Any], Any] = {}
        self.problem = problem

    def __getattr__(self, name: str) -> TableView:
        if name not in SCHEMA:
            raise AttributeError(f"a recording has no table {name!r}")
        # From now on an attribute like others: rules ask for a column a million times.
        view = self.__dict__[name] = self.table(name)
        return view

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *SCHEMA]

    def __repr__(self) -> str:
        counts = [(name, len(self.table(name))) for name in self.tables]
        rows = ", ".join(f"{count:,} {name}" for name, count in counts if count) or "empty"
        return visible(f"<Recording: {rows}{'; ' + self.problem if self.problem else ''}>")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.to_bytes(), self.problem)

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of all tables: the schema's, then those that only this recording has."""
        names = dict.fromkeys(SCHEMA)
        for frame in self._frames:
            names.update(dict.fromkeys(frame.tables))
        return tuple(names)

    def table(self, name: str) -> TableView:
        """A table by name; one that was never written is empty."""
        view = self._views.get(name)
        if view is None:
            chunks = [frame.tables[name] for frame in self._frames if name in frame.tables]
            view = self._views[name] = TableView(name, chunks, self.table)
        return view

    def text(self, row: int) -> str:
        """The text in a row of strings; empty for -1."""
        return self.table("strings").text[row] if row >= 0 else ""

    def meta_dict(self) -> dict[str, Any]:
        """The facts about the recording; of several rows with one key the last counts."""
        meta = self.table("meta")
        return {key: json.loads(value) for key, value in zip(meta.key, meta.value, strict=True) if value}

    def derived(self, make: Callable[[Recording], Result]) -> Result:
        """What ``make`` works out from this recording; worked out once and kept with it."""
        if make not in self._derived:
            self._derived[make] = make(self)
        found: Result = self._derived[make]
        return found

    def with_rows(self, table: str, rows: Sequence[Mapping[str, Any]]) -> Recording:
        """A new recording with further rows, such as verdicts; this one stays as it is.

        Args:
            table: name of a table of the schema.
            rows: a mapping from column to value for each row; a column that is left out holds its none.

        Raises:
            RecordingError: a table or column that the schema does not have, or a value that does not fit.
        """
        pending = Pending(table)
        for row in rows:
            pending.append(row)
        chunk = pending.take()
        added = [Frame(tables) for tables in frame_sized({table: chunk})] if chunk else []
        return Recording((*self._frames, *added), self.problem)

    def without_contents(self, most: int, largest: int | None = None) -> Recording:
        """This recording with at most ``most`` bytes of the elements of tensors, the smaller ones first.

        Left out is what is larger than ``largest``, a sixty-fourth of it unless given. What a page is given: the rest
        it asks for window by window. This very recording where nothing is left out.
        """
        values = self.table("values")
        sizes = np.array([len(data) for data in values.data], np.int64)
        order = np.argsort(sizes, kind="stable")
        fits = np.empty(len(sizes), np.bool_)
        fits[order] = np.cumsum(sizes[order]) <= most
        small = fits & (sizes <= (most // 64 if largest is None else largest))
        if small.all():
            return self
        names = [column.name for column in SCHEMA["values"].columns]
        rows = [{name: values.cells(name)[row] for name in names} for row in np.flatnonzero(small).tolist()]
        frames = []
        for frame in self._frames:
            others = {name: chunk for name, chunk in frame.tables.items() if name != "values"}
            if others:
                frames.append(frame if "values" not in frame.tables else Frame(others))
        return Recording(frames, self.problem).with_rows("values", rows)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames it consists of."""
        return self._frames

    def to_bytes(self, first: Sequence[str] = ()) -> bytes:
        """The recording as a file; the tables in ``first`` in frames before all others, so that a view can begin."""
        return b"".join([MAGIC, *self.stream(first)])

    def stream(self, first: Sequence[str] = ()) -> Iterator[bytes | memoryview]:
        """Its frames as bytes one by one, without `MAGIC`; for ``first`` see `to_bytes`."""
        if not first:
            yield from (frame.data for frame in self._frames)
            return
        for wanted in (True, False):
            for frame in self._frames:
                part = {name: rows for name, rows in frame.tables.items() if (name in first) is wanted}
                if part:
                    yield Frame(part).data


def read(source: bytes | bytearray | memoryview | str | os.PathLike[str]) -> Recording:
    """Reads a recording from a file or from the bytes of one.

    A file that was cut off opens up to its last whole frame, a damaged one up to the damage; `Recording.problem` then
    says so.

    Raises:
        RecordingError: not a recording at all, or cut off before its first frame begins.
        OSError: the file cannot be read.
    """
    data = memoryview(source if isinstance(source, (bytes, bytearray, memoryview)) else Path(source).read_bytes())
    # Rows are views of these bytes; a buffer that its owner may still change is copied.
    data = data.cast("B") if data.readonly else memoryview(data.tobytes())
    frames, problem = read_frames(data)
    return Recording(map(upgraded, frames), problem)


def read_sound(source: str | os.PathLike[str]) -> Recording:
    """Reads a file as `read` does, and has none in place of each cell that points nowhere; `Recording.problem` says so.

    Raises:
        RecordingError: not a recording at all, or cut off before its first frame begins.
        OSError: the file cannot be read.
    """
    recording = read(source)
    sound, malformed = with_sound_rows(recording.frames)
    return Recording(sound, recording.problem or malformed)


def _restored(data: bytes, problem: str | None) -> Recording:
    return Recording(read(data).frames, problem)
