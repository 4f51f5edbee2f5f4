"""Records: each is its length, a checksum of the length, its bytes, and a checksum of the bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Final

from tapeviz.engine.errors import DataLossError
from tapeviz.io.checksums import masked

__all__ = ["framed", "records"]

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
