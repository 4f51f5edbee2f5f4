"""CRC-32C, Castagnoli's checksum, in the form that records have it.

A checksum is the remainder of a division of polynomials over two elements, and so linear: that of a whole follows from
those of its parts. Long data goes in many lanes at once, each a row of an array, and the lanes are joined by twos.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

__all__ = ["crc32c", "masked"]

_POLYNOMIAL: Final = 0x82F63B78  # its bits from the lowest power on
_ONES: Final = 0xFFFFFFFF
_SHORT: Final = 1200  # below so many bytes, one after the other is faster
_LANES: Final = 1024


def crc32c(data: bytes) -> int:
    """The checksum.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) >= _SHORT:
        return _in_lanes(data) ^ _ONES
    table, register = _table(), _ONES
    for byte in data:
        register = table[(register ^ byte) & 255] ^ (register >> 8)
    return register ^ _ONES


def masked(data: bytes) -> int:
    """The checksum turned by 15 bits, plus a constant: so that checksums of what holds checksums are none of its parts.

    >>> hex(masked(b"123456789"))
    '0xc78ab0e5'
    """
    found = crc32c(data)
    return ((found >> 15 | found << 17) + 0xA282EAD8) & _ONES


@functools.cache
def _table() -> list[int]:
    """What becomes of a byte that leaves the register."""
    return [int(entry) for entry in _byte_table()]


def _byte_table() -> np.ndarray:
    entries = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        entries = np.where(entries & 1, entries >> 1 ^ np.uint32(_POLYNOMIAL), entries >> 1)
    return entries.astype(np.uint32)


@functools.cache
def _after_zeros(power: int) -> np.ndarray:
    """What a register becomes when 2**power bytes of zeros follow: tables for its bytes, whose entries add up."""
    if power == 0:
        bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
        images = _byte_table()[bits & 255] ^ bits >> 8
    else:
        half = _after_zeros(power - 1)
        images = _moved(half, _moved(half, np.uint32(1) << np.arange(32, dtype=np.uint32)))
    values = np.arange(256, dtype=np.uint32)
    tables = np.zeros((4, 256), np.uint32)
    for place in range(4):
        for bit in range(8):
            tables[place] ^= np.where(values >> bit & 1, images[8 * place + bit], 0).astype(np.uint32)
    return tables


def _moved(tables: np.ndarray, registers: np.ndarray) -> np.ndarray:
    found: np.ndarray = tables[0][registers & 255]
    for place in (1, 2, 3):
        found = found ^ tables[place][registers >> 8 * place & 255]
    return found


def _in_lanes(data: bytes) -> int:
    """The remainder of data of at least four bytes, of which the first four are turned round to begin with ones."""
    power = max(2, (len(data) // _LANES).bit_length())
    size = 1 << power
    lanes = 1 << max(0, (-(-len(data) // size) - 1).bit_length())
    # Zeros before the data change nothing: a register of 0 stays 0.
    laid = np.zeros(lanes * size, np.uint8)
    laid[len(laid) - len(data) :] = np.frombuffer(data, np.uint8)
    laid[len(laid) - len(data) :][:4] ^= 255
    words = np.ascontiguousarray(laid.view("<u4").reshape(lanes, size // 4).T)
    registers, four = np.zeros(lanes, np.uint32), _after_zeros(2)
    for word in words:
        registers = _moved(four, registers ^ word)
    while len(registers) > 1:
        registers = _moved(_after_zeros(power), registers[::2]) ^ registers[1::2]
        power += 1
    return int(registers[0])
