"""Frames: the same bytes in a file, in a message to a browser and in a block of a stand-alone page.

A recording is `MAGIC` and any number of frames. A frame is a head of fixed size, a deflated part (a JSON header and the
columns that deflate well) and a plain part (the columns that do not). ``docs/format.md`` describes each byte.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from tapeviz.recording.columns import NUMBERS, Cells, RecordingError, columns_of
from tapeviz.recording.encodings import decode_cells, encode_cells, encoded_size
from tapeviz.recording.limits import MAX_HEADER, MemoryBudget

__all__ = ["MAGIC", "MAX_BYTES", "MAX_ROWS", "Chunk", "Frame", "Tables", "decode_frame", "encode_frame", "read_frames"]

# The high bit and the line end show a transfer that took the file for text; the digit is the format's version.
MAGIC: Final = b"\x93TAPE1\r\n"
# What a reader is ready to allocate for one frame, and a writer keeps to.
MAX_BYTES: Final = 2**28
MAX_ROWS: Final = 2**22
_MAX_CELLS: Final = 2**26

# mark, bytes of the deflated part, its size when inflated, bytes of the plain part, checksum of both parts; and then
# the checksum of this head, so that no wrong length is ever followed.
_HEAD: Final = struct.Struct("<4sIIII")
_HEAD_SIZE: Final = _HEAD.size + 4
_MARK: Final = b"FRAM"

# A column this large is tried on a sample first: deflating what does not deflate costs more than all else.
_TRY_FROM: Final = 2**15
_SAMPLE: Final = 2**12
_PAYS: Final = 0.9

_HINTS: Final = {
    b"<": "it looks like HTML or XML",
    b"{": "it looks like JSON",
    b"PK": "it looks like a zip file",
    b"\x1f\x8b": "it looks like a gzip file: unpack it first",
    b"\x93NUMPY": "it looks like a NumPy array",
}


class Encoded:
    """A column that is still bytes."""

    __slots__ = ("_data", "_rows", "_spec", "_type", "_where")

    def __init__(self, where: str, spec: Mapping[str, Any], type_: str, rows: int, data: memoryview) -> None:
        self._where, self._spec, self._type, self._rows, self._data = where, spec, type_, rows, data

    def decode(self) -> Cells:
        """The cells."""
        try:
            return decode_cells(self._spec, self._type, self._rows, self._data)
        except RecordingError as error:
            raise RecordingError(f"{self._where}: {error}") from error


class Chunk:
    """The rows of one table in one frame; a column that came from bytes is decoded when first asked for."""

    __slots__ = ("_columns", "rows", "types")

    def __init__(self, rows: int, types: Mapping[str, str], columns: Mapping[str, Cells | Encoded]) -> None:
        self.rows: int = rows
        self.types: Mapping[str, str] = types
        self._columns = dict(columns)

    def cells(self, name: str) -> Cells:
        """The cells of a column that is among ``types``."""
        column = self._columns[name]
        if isinstance(column, Encoded):
            column = self._columns[name] = column.decode()
        return column


Tables: TypeAlias = Mapping[str, Chunk]


class Frame:
    """Some rows of some tables, written and read together; bytes are made when first asked for."""

    __slots__ = ("_data", "tables")

    def __init__(self, tables: Tables, data: bytes | memoryview | None = None) -> None:
        self.tables: Any = tables
        self._data = data

    @property
    def data(self) -> bytes | memoryview:
        """The frame as bytes, as it stands in a file behind `MAGIC` and the frames before it."""
        if self._data is None:
            self._data = encode_frame(self.tables)
        return self._data


def encode_frame(tables: Tables) -> bytes:
    """The frame that holds these rows.

    Raises:
        RecordingError: more than a frame may hold (`MAX_ROWS` rows a table, `MAX_BYTES` bytes).
    """
    header: list[dict[str, Any]] = []
    packed: list[bytes] = [b"", b""]
    plain: list[bytes] = []
    for name, chunk in tables.items():
        columns = [_encode_column(chunk, column, packed, plain) for column in chunk.types]
        header.append({"name": name, "rows": chunk.rows, "columns": columns})
    text = json.dumps({"tables": header}, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    packed[:2] = [len(text).to_bytes(4, "little"), text]
    inflated = b"".join(packed)
    deflated = zlib.compress(inflated, 1)
    rest = b"".join(plain)
    if max(len(inflated), len(rest)) > MAX_BYTES or any(chunk.rows > MAX_ROWS for chunk in tables.values()):
        raise RecordingError(f"more than a frame holds: {len(inflated) + len(rest):,} bytes")
    checksum = zlib.crc32(rest, zlib.crc32(deflated))
    head = _HEAD.pack(_MARK, len(deflated), len(inflated), len(rest), checksum)
    return b"".join((head, zlib.crc32(head).to_bytes(4, "little"), deflated, rest))


def _encode_column(chunk: Chunk, name: str, packed: list[bytes], plain: list[bytes]) -> dict[str, Any]:
    type_ = chunk.types[name]
    spec, data = encode_cells(type_, chunk.cells(name))
    pays = _pays(data)
    (packed if pays else plain).extend(data)
    return {"name": name, "type": type_, **spec, **({} if pays else {"plain": True})}


def _pays(data: list[bytes]) -> bool:
    largest = max(data, key=len)
    if len(largest) < _TRY_FROM:
        return True
    middle = (len(largest) - _SAMPLE) // 2
    return len(zlib.compress(largest[middle : middle + _SAMPLE], 1)) < _PAYS * _SAMPLE


def read_frames(data: memoryview) -> tuple[list[Frame], str | None]:
    """The frames of a recording in order, and a line that says what is wrong, None when nothing is.

    Nothing behind a damaged frame is read: rows are known by their position, so what follows would point to wrong rows.

    Raises:
        RecordingError: bytes that do not begin as a recording does.
    """
    _check_magic(data)
    frames: list[Frame] = []
    budget = MemoryBudget(len(data))
    at = len(MAGIC)
    while at < len(data):
        done = len(frames)
        try:
            end = _frame_end(data, at)
            if end > len(data):
                return frames, f"cut off after frame {done}: only {len(data) - at:,} bytes of the next are there"
            frames.append(Frame(decode_frame(data[at:end], budget), data[at:end]))
        except RecordingError as error:
            return frames, f"damaged after frame {done}, at byte {at:,}: {error}"
        at = end
    return frames, None


def decode_frame(frame: memoryview, budget: MemoryBudget) -> Tables:
    """The rows of one whole frame, columns still as bytes. What they take is counted before it is taken.

    Raises:
        RecordingError: a checksum that is wrong, or contents that no writer writes.
    """
    _, packed, inflated, plain, checksum = _head(frame)
    parts = frame[_HEAD_SIZE:]
    if len(parts) != packed + plain or zlib.crc32(parts) != checksum:
        raise RecordingError("its checksum is wrong")
    budget.take(inflated)
    body = memoryview(_inflate(parts[:packed], inflated))
    length = int.from_bytes(body[:4], "little")
    if len(body) < 4 + length:
        raise RecordingError("its header is longer than the frame")
    if length > MAX_HEADER:
        raise RecordingError(f"its header is longer than one may be: {length:,} bytes")
    try:
        header = json.loads(str(body[4 : 4 + length], "utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"its header is no JSON: {error}") from error
    return _Sections(body[4 + length :], parts[packed:], budget).tables(header)


def _check_magic(data: memoryview) -> None:
    start = bytes(data[: len(MAGIC)])
    if start == MAGIC:
        return
    if not start:
        raise RecordingError("not a recording: it is empty")
    if MAGIC.startswith(start):
        raise RecordingError(f"cut off before the first frame: only {len(start)} bytes are there")
    if start[:5] == MAGIC[:5] and start[6:] == MAGIC[6:]:
        raise RecordingError(f"made by a newer tapeviz: format {start[5:6].decode('latin-1')!r}, this one reads '1'")
    hint = next((text for prefix, text in _HINTS.items() if start.startswith(prefix)), f"it begins with {start!r}")
    raise RecordingError(f"not a recording: {hint}")


def _frame_end(data: memoryview, at: int) -> int:
    """Where the frame ends; past the data's end when even its head is cut off."""
    if len(data) - at < _HEAD_SIZE:
        return len(data) + 1
    _, packed, _, plain, _ = _head(data[at : at + _HEAD_SIZE])
    return at + _HEAD_SIZE + packed + plain


def _head(frame: memoryview) -> tuple[bytes, int, int, int, int]:
    if len(frame) < _HEAD_SIZE:
        raise RecordingError("its head is cut off")
    if zlib.crc32(frame[: _HEAD.size]) != int.from_bytes(frame[_HEAD.size : _HEAD_SIZE], "little"):
        raise RecordingError("its head's checksum is wrong")
    mark, packed, inflated, plain, checksum = _HEAD.unpack(frame[: _HEAD.size])
    if mark != _MARK:
        raise RecordingError(f"its head begins with {mark!r}")
    if max(packed, inflated, plain) > MAX_BYTES:
        raise RecordingError(f"it is larger than a frame may be: {max(packed, inflated, plain):,} bytes")
    return mark, packed, inflated, plain, checksum


def _inflate(packed: memoryview, size: int) -> bytes:
    inflater = zlib.decompressobj()
    try:
        body = inflater.decompress(packed, size + 1)
    except zlib.error as error:
        raise RecordingError(f"it does not inflate: {error}") from error
    if len(body) != size or not inflater.eof or inflater.unused_data:
        raise RecordingError("it does not inflate to the size announced")
    return body


class _Sections:
    """The two parts of a frame while its columns are cut from them, one after the other."""

    def __init__(self, packed: memoryview, plain: memoryview, budget: MemoryBudget) -> None:
        self._rest = {False: packed, True: plain}
        self._budget = budget
        self._cells = 0

    def tables(self, header: Any) -> Tables:
        tables: dict[str, Chunk] = {}
        for table in _list(header, "tables"):
            name, rows, columns = _text(table, "name"), table.get("rows"), _list(table, "columns")
            if type(rows) is not int or not 0 < rows <= MAX_ROWS:
                raise RecordingError(f"{name}: rows is {rows!r:.40}")
            if name in tables:
                raise RecordingError(f"{name} is there twice")
            self._cells += rows * len(columns)
            if self._cells > _MAX_CELLS:
                raise RecordingError(f"it has more than {_MAX_CELLS:,} cells")
            tables[name] = self._chunk(name, rows, columns)
        if any(len(rest) for rest in self._rest.values()):
            raise RecordingError("it has bytes that belong to no column")
        return tables

    def _chunk(self, table: str, rows: int, columns: list[Any]) -> Chunk:
        types: dict[str, str] = {}
        cells: dict[str, Cells | Encoded] = {}
        for spec in columns:
            name, type_ = _text(spec, "name"), _text(spec, "type")
            where = f"{table}.{name}"
            if name in types:
                raise RecordingError(f"{where} is there twice")
            _check_type(where, table, name, type_)
            cells[name] = Encoded(where, spec, type_, rows, self._take(where, spec, type_, rows))
            types[name] = type_
        self._budget.take_table(table, rows, types)
        return Chunk(rows, types, cells)

    def _take(self, where: str, spec: Mapping[str, Any], type_: str, rows: int) -> memoryview:
        try:
            size = encoded_size(spec, type_, rows)
        except RecordingError as error:
            raise RecordingError(f"{where}: {error}") from error
        rest = self._rest[spec.get("plain") is True]
        if size > len(rest):
            raise RecordingError(f"{where}: its bytes are missing")
        self._rest[spec.get("plain") is True] = rest[size:]
        return rest[:size]


def _check_type(where: str, table: str, name: str, type_: str) -> None:
    known = columns_of(table).get(name)
    if known and type_ != known.type and not (type_ in NUMBERS and known.type in NUMBERS):
        raise RecordingError(f"{where} is {type_}, and should be {known.type}")


def _list(value: Any, key: str) -> list[Any]:
    items = value.get(key) if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise RecordingError(f"its header has no list {key!r}")
    return items


def _text(value: Any, key: str) -> str:
    text = value.get(key) if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise RecordingError(f"its header has no text {key!r}")
    return text
