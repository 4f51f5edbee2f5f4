"""Files of records, written and read: each is its length, the length's checksum, its bytes, and their checksum."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final, Self

from tapeviz.engine.errors import DataLossError, FailedPreconditionError, NotFoundError
from tapeviz.engine.os_errors import translate_os_errors
from tapeviz.files import AppendFile
from tapeviz.io.checksums import masked

__all__ = [
    "TFRecordOptions",
    "TFRecordWriter",
    "checked_compression",
    "framed",
    "records",
    "records_of",
    "tf_record_iterator",
]

_KINDS: Final = ("", "GZIP", "ZLIB")
_BUFFER: Final = 1 << 16


class TFRecordOptions:
    """How records are compressed.

    Args:
        compression_type: "GZIP", "ZLIB", or "" for none.
        flush_mode: accepted as TensorFlow does, like all but ``compression_level``.
        input_buffer_size: accepted.
        output_buffer_size: accepted.
        window_bits: accepted.
        compression_level: from 0, none, to 9, the most; -1 for what zlib thinks best.
        compression_method: accepted.
        mem_level: accepted.
        compression_strategy: accepted.

    Raises:
        ValueError: there is no such compression.

    >>> import tapeviz as tf
    >>> tf.io.TFRecordOptions("GZIP", compression_level=9).compression_type
    'GZIP'
    """

    def __init__(
        self, compression_type: Any = None, flush_mode: int | None = None, input_buffer_size: int | None = None,
        output_buffer_size: int | None = None, window_bits: int | None = None, compression_level: int | None = None,
        compression_method: int | None = None, mem_level: int | None = None, compression_strategy: int | None = None,
    ) -> None:  # fmt: skip
        self.compression_type: str = checked_compression(compression_type)
        self.compression_level: int = -1 if compression_level is None else int(compression_level)
        self.flush_mode: int | None
        self.input_buffer_size: int | None
        self.output_buffer_size: int | None
        self.flush_mode, self.input_buffer_size, self.output_buffer_size = (
            flush_mode, input_buffer_size, output_buffer_size
        )  # fmt: skip
        self.window_bits: int | None
        self.compression_method: int | None
        self.window_bits, self.compression_method = window_bits, compression_method
        self.mem_level: int | None
        self.compression_strategy: int | None
        self.mem_level, self.compression_strategy = mem_level, compression_strategy


def checked_compression(kind: Any) -> str:
    """A compression that there is.

    Raises:
        ValueError: there is no such one.
    """
    named = kind.compression_type if isinstance(kind, TFRecordOptions) else (kind or "")
    if named not in _KINDS:
        raise ValueError(f"Not a valid compression_type: {kind!r}. Expected one of {list(_KINDS)}")
    return str(named)


class TFRecordWriter:
    """Writes records to a file, which is made anew.

    Each record is a string of bytes, with checksums. What is written is in the file after :meth:`flush`, and after the
    block of a ``with``. Whenever the process ends, the file has whole records: a full disk takes none in part.

    Args:
        path: the file.
        options: a compression, or :class:`TFRecordOptions`.

    Raises:
        ValueError: there is no such compression.
        NotFoundError, PermissionDeniedError, FailedPreconditionError, ResourceExhaustedError, UnknownError: the file
            cannot be made.

    >>> import os, tempfile, tapeviz as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "words.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for word in ("one", "two"):
    ...         writer.write(word)
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        chosen = options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)
        self._path = Path(os.fspath(path))
        with translate_os_errors("Cannot make the file of records"):
            self._file = AppendFile(self._path)
        self._pending: list[bytes] = []
        self._size, self._failed = 0, False
        header = {"GZIP": 16 + zlib.MAX_WBITS, "ZLIB": zlib.MAX_WBITS}.get(chosen.compression_type)
        self._packer = None if header is None else zlib.compressobj(chosen.compression_level, wbits=header)

    def write(self, record: Any) -> None:
        """Write a record.

        Args:
            record: bytes, or a text, which is written as UTF-8.

        Raises:
            TypeError: it is neither.
            FailedPreconditionError: the writer is closed.
            ResourceExhaustedError, UnknownError: it cannot be written; the file is whole up to a record before.
        """
        data = record.encode() if isinstance(record, str) else record
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"A record is a string of bytes. Received: {type(record).__name__}")
        self._check_open()
        made = framed(bytes(data))
        self._add(made if self._packer is None else self._packer.compress(made))
        if self._size >= _BUFFER:
            self._put()

    def _add(self, made: bytes) -> None:
        self._pending.append(made)
        self._size += len(made)

    def _put(self) -> None:
        """Give what is pending to the system."""
        pieces, self._pending, self._size = self._pending, [], 0
        with translate_os_errors("Cannot write records"):
            try:
                self._file.append(b"".join(pieces))
            except OSError:
                self._failed = True  # what came later would stand behind a gap
                for piece in pieces:  # as many as there is room for
                    self._file.append(piece)
                raise

    def flush(self) -> None:
        """Have the file hold what was written.

        Raises:
            FailedPreconditionError: the writer is closed.
            ResourceExhaustedError, UnknownError: it cannot be written.
        """
        self._check_open()
        if self._packer is not None:
            self._add(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._put()

    def close(self) -> None:
        """Finish the file. A second time nothing happens.

        Raises:
            ResourceExhaustedError, UnknownError: what was written last cannot be in it.
        """
        if self._file.closed:
            return
        try:
            if not self._failed:
                self._add(b"" if self._packer is None else self._packer.flush())
                self._put()
        finally:
            self._file.close()

    def _check_open(self) -> None:
        if self._file.closed:
            raise FailedPreconditionError(f"The writer of {self._path} is closed")
        if self._failed:
            raise FailedPreconditionError(f"Writing to {self._path} has failed; it has the records before that")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_LENGTH: Final = struct.Struct("<Q")
_CHECKSUM: Final = struct.Struct("<I")
_HEAD: Final = _LENGTH.size + _CHECKSUM.size


def framed(data: bytes) -> bytes:
    """The bytes as a record.

    >>> len(framed(b"abc"))
    19
    """
    length = _LENGTH.pack(len(data))
    return b"".join((length, _CHECKSUM.pack(masked(length)), data, _CHECKSUM.pack(masked(data))))


def records(read: Callable[[int], bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """The records of a file: the byte at which each begins, and what is in it.

    Args:
        read: gives up to so many bytes more.
        name: the file's, for errors.

    Raises:
        DataLossError: a record is damaged, or the file ends within one: where. Those before have been given.
    """
    at = 0
    while head := _whole(read, _HEAD):
        if len(head) < _HEAD:
            raise DataLossError(f"{name}: the file ends within the record at byte {at}, which has lost its end")
        size = head[: _LENGTH.size]
        if _CHECKSUM.unpack_from(head, _LENGTH.size)[0] != masked(size):
            raise DataLossError(f"{name}: the length of the record at byte {at} does not agree with its checksum")
        (length,) = _LENGTH.unpack(size)
        rest = _whole(read, length + _CHECKSUM.size)
        if len(rest) < length + _CHECKSUM.size:
            there, whole = _HEAD + len(rest), _HEAD + length + _CHECKSUM.size
            raise DataLossError(
                f"{name}: the file ends within the record at byte {at}: of {whole} bytes {there} are there"
            )
        data = rest[:length]
        if _CHECKSUM.unpack_from(rest, length)[0] != masked(data):
            raise DataLossError(f"{name}: the record at byte {at} does not agree with its checksum")
        yield at, data
        at += _HEAD + len(rest)


def _whole(read: Callable[[int], bytes], count: int) -> bytes:
    """So many bytes, or what is left. A length that was never written is not asked for at once."""
    parts: list[bytes] = []
    while count and (part := read(min(count, 1 << 26))):
        parts.append(part)
        count -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file, one after the other, as bytes.

    Args:
        path: the file.
        options: as for :class:`TFRecordWriter`.

    Raises:
        ValueError: there is no such compression.
        NotFoundError: there is no such file.
        DataLossError: a record is damaged, or the file ends within one. Those before it have been given.

    >>> import os, tempfile, tapeviz.compat.v1 as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "words.tfrecord")
    >>> with tf.python_io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(tf.python_io.tf_record_iterator(path))
    [b'one']
    """
    file = Path(os.fspath(path))
    kind = checked_compression(options)
    if not file.is_file():
        raise NotFoundError(f"{file}; No such file or directory")
    return records_of(file, kind)


def records_of(path: Path, compression: str) -> Iterator[bytes]:
    """The records of a file that is there.

    Raises:
        DataLossError: one is damaged, the file ends within one, or it is not compressed as was said.
    """
    with contextlib.closing(_OPENERS[compression](path)) as file:
        try:
            for _, record in records(file.read, str(path)):
                yield record
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataLossError(f"{path}: {error}") from error


class _Unpacked(io.RawIOBase):
    """A file that zlib has packed, read piece by piece."""

    def __init__(self, path: Path) -> None:
        self._file, self._packer = path.open("rb"), zlib.decompressobj()

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes more.

        Raises:
            zlib.error: it was not packed so.
            EOFError: the file ends within.
        """
        while not self._packer.eof:
            packed = self._packer.unconsumed_tail or self._file.read(1 << 16)
            found = self._packer.decompress(packed, max(size, 1))
            if found:
                return found
            if not packed:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        return b""

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
        super().close()


_OPENERS: Final[dict[str, Callable[[Path], IO[bytes] | _Unpacked | gzip.GzipFile]]] = {
    "": lambda path: path.open("rb"), "GZIP": gzip.open, "ZLIB": _Unpacked,
}  # fmt: skip
