"""How the cells of one column become bytes, and back.

Numbers are written as differences to a base in as few bytes as hold them, either each by itself (``offset``) or each
from the one before (``delta``); the bytes of equal rank stand together ("planes"), which deflate likes. Floats that
are no whole numbers keep their bits (``float``), in four bytes where these hold them exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tapeviz.recording.columns import NUMBERS, Cells, RecordingError

__all__ = ["decode_cells", "encode_cells", "encoded_size"]

Spec: TypeAlias = dict[str, Any]

# Whole numbers up to here are exact in a double, which is what a browser counts with.
_EXACT: Final = 2**53
_WIDEST: Final = 7
_WIDE: Final = np.dtype("<u8")
_NARROW: Final = np.dtype("<u4")
# Texts of one column are joined by the first character from here up that none of them holds.
_SEPARATORS: Final = range(0xD800)


def encode_cells(type_: str, cells: Cells) -> tuple[Spec, list[bytes]]:
    """What to write of a column into the header, and its bytes in parts."""
    if isinstance(cells, np.ndarray):
        spec, data = _encode_numbers(cells)
        return spec, [data]
    if type_ == "text":
        return _encode_text(cells)  # type: ignore[arg-type]
    blob = b"".join(cells)  # type: ignore[arg-type]
    lengths, data = _encode_numbers(np.fromiter(map(len, cells), np.float64, len(cells)))
    return {"code": "bytes", "lengths": lengths, "size": len(blob)}, [data, blob]


def encoded_size(spec: Mapping[str, Any], type_: str, rows: int) -> int:
    """How many bytes a column takes by its header; checks the header as far as that goes.

    Raises:
        RecordingError: a header that no writer writes.
    """
    code = spec.get("code")
    if code in ("offset", "delta") and type_ in NUMBERS:
        width = _integer(spec, "width", 0, _WIDEST)
        _integer(spec, "base", -_EXACT, _EXACT)
        if code == "delta":
            _integer(spec, "first", -_EXACT, _EXACT)
        return width * (rows if code == "offset" else rows - 1)
    if code == "float" and type_ in ("f4", "f8"):
        return _float_width(spec, type_) * rows
    if code == "text" and type_ == "text":
        _integer(spec, "separator", 0, 0x10FFFF)
        return _integer(spec, "size", 0, _EXACT)
    if code == "bytes" and type_ == "bytes":
        lengths = spec.get("lengths")
        if not isinstance(lengths, dict):
            raise RecordingError("bytes without lengths")
        return encoded_size(lengths, "f8", rows) + _integer(spec, "size", 0, _EXACT)
    raise RecordingError(f"unknown encoding {code!r:.40} of type {type_!r:.40}")


def decode_cells(spec: Mapping[str, Any], type_: str, rows: int, data: memoryview) -> Cells:
    """The cells of a column from its bytes, which are as many as `encoded_size` says.

    Raises:
        RecordingError: bytes that do not give `rows` cells.
    """
    if type_ == "text":
        return _decode_text(spec, rows, data)
    if type_ == "bytes":
        return _decode_bytes(spec, rows, data)
    cells = _decode_numbers(spec, NUMBERS[type_], rows, data)
    cells.setflags(write=False)
    return cells


def _float_width(spec: Mapping[str, Any], type_: str) -> int:
    width = _integer(spec, "width", _NARROW.itemsize, NUMBERS[type_].itemsize)
    if width not in (_NARROW.itemsize, _WIDE.itemsize):
        raise RecordingError(f"width is {width!r:.40}")
    return width


def _integer(spec: Mapping[str, Any], key: str, low: int, high: int) -> int:
    value = spec.get(key)
    if type(value) is not int or not low <= value <= high:
        raise RecordingError(f"{key} is {value!r:.40}")
    return value


# Numbers


def _encode_numbers(cells: NDArray[Any]) -> tuple[Spec, bytes]:
    whole = _whole(cells) if cells.dtype.kind == "f" else cells
    if whole is None:
        return _encode_floats(cells)
    low, high = int(whole.min()), int(whole.max())
    if high - low > _EXACT or max(high, -low) > _EXACT:
        return _encode_floats(cells)
    width = _width(high - low)
    if width == 0:
        return {"code": "offset", "base": low, "width": 0}, b""
    if whole.dtype.itemsize >= _NARROW.itemsize:
        steps = _steps(whole, high - low)
        least, most = int(steps.min()), int(steps.max())
        if _width(most - least) < width or (most - least) * 2 < high - low:
            width = _width(most - least)
            spec = {"code": "delta", "first": int(whole[0]), "base": least, "width": width}
            return spec, _planes(steps, least, width)
    return {"code": "offset", "base": low, "width": width}, _planes(whole, low, width)


def _whole(cells: NDArray[Any]) -> NDArray[np.int64] | None:
    """The same numbers as integers; None when one is not whole, infinite, NaN or -0."""
    with np.errstate(all="ignore"):
        whole = cells.astype(np.int64)
    bits = f"<i{cells.dtype.itemsize}"
    return whole if np.array_equal(whole.astype(cells.dtype).view(bits), cells.view(bits)) else None


def _steps(whole: NDArray[Any], span: int) -> NDArray[Any]:
    if span >= 2 ** (8 * whole.dtype.itemsize - 1):
        whole = whole.astype(np.int64)
    return np.diff(whole)


def _width(span: int) -> int:
    return (span.bit_length() + 7) // 8


def _planes(whole: NDArray[Any], base: int, width: int) -> bytes:
    """The lowest ``width`` bytes of each number above the base: first the lowest byte of all, then the next."""
    dtype = _NARROW if whole.dtype.itemsize <= _NARROW.itemsize else _WIDE
    above = whole.astype(dtype) - np.array(base % 2 ** (8 * dtype.itemsize), dtype)
    if width == 1:
        return bytes(above.astype(np.uint8))
    return _transposed(above, width)


def _transposed(numbers: NDArray[Any], width: int) -> bytes:
    octets = numbers.view(np.uint8)
    planes = np.empty((width, numbers.size), np.uint8)
    for rank in range(width):
        planes[rank] = octets[rank :: numbers.dtype.itemsize]
    return bytes(planes)


def _encode_floats(cells: NDArray[Any]) -> tuple[Spec, bytes]:
    if cells.dtype.itemsize == _WIDE.itemsize:
        with np.errstate(all="ignore"):
            half = cells.astype("<f4")
            if np.array_equal(half.astype("<f8").view("<u8"), cells.view("<u8")):
                cells = half
    width = cells.dtype.itemsize
    return {"code": "float", "width": width}, _transposed(np.ascontiguousarray(cells), width)


def _decode_numbers(spec: Mapping[str, Any], dtype: np.dtype[Any], rows: int, data: memoryview) -> NDArray[Any]:
    width = spec["width"]
    if spec["code"] == "float":
        floats: NDArray[Any] = _gathered(data, rows, width, np.dtype(f"<f{width}")).astype(dtype, copy=False)
        return floats
    wide = _NARROW if dtype.kind != "f" else _WIDE
    modulus = 2 ** (8 * wide.itemsize)
    base = np.array(spec["base"] % modulus, wide)
    if spec["code"] == "offset":
        whole = _gathered(data, rows, width, wide) + base
    else:
        whole = np.empty(rows, wide)
        whole[0] = spec["first"] % modulus
        whole[1:] = _gathered(data, rows - 1, width, wide) + base
        np.cumsum(whole, out=whole)
    cells: NDArray[Any] = whole.view(f"<i{wide.itemsize}").astype(dtype, copy=False)
    return cells


def _gathered(data: memoryview, count: int, width: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    planes = np.frombuffer(data, np.uint8, count * width)
    if width == 1:
        return planes.astype(dtype)
    numbers = np.zeros(count, dtype)
    octets = numbers.view(np.uint8)
    # Ranks beyond the type's own, which only a wrong header has, are dropped.
    for rank in range(min(width, dtype.itemsize)):
        octets[rank :: dtype.itemsize] = planes[rank * count : (rank + 1) * count]
    return numbers


# Text and bytes


def _encode_text(texts: list[str]) -> tuple[Spec, list[bytes]]:
    whole = "".join(texts)
    separator = next(code for code in _SEPARATORS if chr(code) not in whole)
    try:
        blob = chr(separator).join(texts).encode()
    except UnicodeEncodeError:
        # A lone surrogate is no UTF-8; as an escape it stays readable, and recording a strange name never fails.
        return _encode_text([text.encode("utf-8", "backslashreplace").decode() for text in texts])
    return {"code": "text", "separator": separator, "size": len(blob)}, [blob]


def _decode_text(spec: Mapping[str, Any], rows: int, data: memoryview) -> list[str]:
    try:
        texts = str(data, "utf-8").split(chr(spec["separator"]))
    except UnicodeDecodeError as error:
        raise RecordingError("text that is not UTF-8") from error
    if len(texts) != rows:
        raise RecordingError(f"{len(texts)} texts where {rows} are announced")
    return texts


def _decode_bytes(spec: Mapping[str, Any], rows: int, data: memoryview) -> list[bytes]:
    size = spec["size"]
    lengths = _decode_numbers(spec["lengths"], NUMBERS["f8"], rows, data[: len(data) - size])
    ends = np.cumsum(lengths)
    if not np.isfinite(ends).all() or lengths.min() < 0 or ends[-1] != size:
        raise RecordingError(f"lengths that do not add up to {size} bytes")
    blob = data[len(data) - size :]
    bounds = ends.astype(np.int64).tolist()
    return [bytes(blob[start:end]) for start, end in zip([0, *bounds], bounds, strict=False)]
