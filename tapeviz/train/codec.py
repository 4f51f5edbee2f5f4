"""Values of variables as arrays that safetensors knows, and back: strings as bytes, complex numbers as pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.dtypes import as_dtype

__all__ = ["from_stored", "in_memory_order", "stored_dtype", "to_stored"]

_LENGTH: Final = np.dtype("<u8")
_PARTS: Final[dict[str, np.dtype]] = {"complex64": np.dtype(np.float32), "complex128": np.dtype(np.float64)}


def in_memory_order(value: Any) -> np.ndarray:
    """The value as an array whose elements lie one after the other, in the machine's byte order."""
    array = np.asarray(value, order="C")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def to_stored(array: np.ndarray) -> np.ndarray:
    """The array that stands for one in a file."""
    kind = as_dtype(array.dtype).name
    if kind == "string":
        return _text_bytes(array)
    if kind in _PARTS:
        return array.reshape(*array.shape, 1).view(_PARTS[kind])
    return array


def _text_bytes(array: np.ndarray) -> np.ndarray:
    """The lengths of texts, then the texts."""
    texts = [text if isinstance(text, bytes) else str(text).encode() for text in array.ravel()]
    lengths = np.array([len(text) for text in texts], _LENGTH)
    return np.frombuffer(lengths.tobytes() + b"".join(texts), np.uint8)


def stored_dtype(kind: str) -> np.dtype:
    """The dtype of what stands for an array of this one."""
    return np.dtype(np.uint8) if kind == "string" else _PARTS.get(kind, as_dtype(kind).numpy)


def from_stored(data: Any, kind: str, shape: Sequence[int]) -> np.ndarray:
    """An array of its own from the bytes of a file.

    Raises:
        ValueError: there are too many or too few bytes.
    """
    stored = np.frombuffer(data, stored_dtype(kind))
    if kind == "string":
        return _texts(stored, shape)
    if kind in _PARTS:
        stored = stored.view(as_dtype(kind).numpy)
    return stored.reshape(shape).copy()


def _texts(stored: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    count = math.prod(shape)
    if count * _LENGTH.itemsize > stored.size:
        raise ValueError(f"{count:,} texts are announced in {stored.size:,} bytes")
    lengths = stored[: count * _LENGTH.itemsize].view(_LENGTH)
    ends = np.cumsum(lengths, dtype=np.int64) + count * _LENGTH.itemsize
    whole = stored.tobytes()
    if int(lengths.sum(dtype=np.float64)) != len(whole) - count * _LENGTH.itemsize:
        raise ValueError("the lengths of the texts do not add up")
    texts = np.empty(count, object)
    texts[:] = [whole[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]
    return texts.reshape(shape)
