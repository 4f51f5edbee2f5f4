"""Files of records, read."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from tapeviz.engine.errors import DataLossError, NotFoundError
from tapeviz.io.framing import records
from tapeviz.io.record_files import checked_compression

__all__ = ["records_of", "tf_record_iterator"]


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
