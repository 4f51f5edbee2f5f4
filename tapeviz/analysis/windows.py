"""A window of a tensor's elements, as the tensor view asks for it: any two axes, any stride.

The question and the answer are described in ``labextension/packages/views/src/tensor/messages.ts``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

__all__ = ["LIMIT", "contents", "window"]

LIMIT: Final = 2**18
"""The most elements in one answer."""

_LARGEST: Final = 2**24


def contents(tensor: int, array: np.ndarray) -> dict[str, Any] | None:
    """All elements of a tensor as a row of the table ``values``; None when they are too many for one, or text."""
    if array.dtype.hasobject or array.nbytes > _LARGEST:
        return None
    data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).tobytes()
    return {"tensor": tensor, "offset": 0.0, "length": float(array.size), "data": data}


def window(array: np.ndarray, asked: Mapping[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The elements asked for: the fields of the answer, and its buffer.

    Raises:
        ValueError: the window is not one of this tensor, or larger than `LIMIT`.
    """
    if array.dtype.hasobject:
        raise ValueError("text is not sent")
    rows, columns = (int(size) for size in asked["size"])
    if rows * columns > LIMIT or rows < 0 or columns < 0:
        raise ValueError(f"{rows} x {columns} elements are more than one answer holds")
    cut = _wrapped(array, asked) if asked.get("wrap") else (_sheet if asked.get("facets") else _plane)(array, asked)
    if cut.shape != (rows, columns):
        raise ValueError(f"a tensor of shape {array.shape} has no such window")
    data = np.ascontiguousarray(cut.astype(cut.dtype.newbyteorder("<"), copy=False))
    return {"state": "ok", "shape": [rows, columns], "dtype": array.dtype.name}, [data.tobytes()]


def _plane(array: np.ndarray, asked: Mapping[str, Any]) -> np.ndarray:
    """Two axes of a tensor, all others at an index; an axis of -1 is one of length 1."""
    axes = [int(axis) for axis in asked["axes"]]
    index: list[Any] = [int(position) for position in asked["index"]]
    if len(index) != array.ndim or any(axis >= array.ndim for axis in axes):
        raise ValueError(f"a tensor of shape {array.shape} has no such axes")
    for axis, start, size, stride in zip(axes, asked["start"], asked["size"], asked["stride"], strict=True):
        if axis >= 0:
            index[axis] = slice(int(start), int(start) + (int(size) - 1) * int(stride) + 1, int(stride))
    cut = array[tuple(index)]
    cut = cut.T if 0 <= axes[1] < axes[0] else cut
    return np.reshape(cut, [int(size) for size in asked["size"]] if cut.ndim < len(axes) else cut.shape)


def _sheet(array: np.ndarray, asked: Mapping[str, Any]) -> np.ndarray:
    """A plane for each index of a third axis, side by side; zeros in the gaps and past the last one."""
    facet, across, gap = (int(number) for number in asked["facets"])
    axes = [int(axis) for axis in asked["axes"]]
    if len(asked["index"]) != array.ndim or not all(0 <= axis < array.ndim for axis in (*axes, facet)):
        raise ValueError(f"a tensor of shape {array.shape} has no such axes")
    (block_row, row), (block_column, column) = (
        np.divmod(int(start) + np.arange(int(size)) * int(stride), array.shape[axis] + gap)
        for axis, start, size, stride in zip(axes, asked["start"], asked["size"], asked["stride"], strict=True)
    )
    index: list[Any] = [int(position) for position in asked["index"]]
    index[axes[0]], index[axes[1]] = row[:, None], column[None, :]
    index[facet] = block_row[:, None] * across + block_column[None, :]
    inside = (index[axes[0]] < array.shape[axes[0]]) & (index[axes[1]] < array.shape[axes[1]])
    inside = inside & (index[facet] < array.shape[facet])
    held = [np.minimum(at, length - 1) for at, length in zip(index, array.shape, strict=True)]
    return np.where(inside, array[tuple(held)], np.zeros((), array.dtype))


def _wrapped(array: np.ndarray, asked: Mapping[str, Any]) -> np.ndarray:
    """One axis cut into rows of ``wrap`` elements, zeros past its end."""
    wrap = int(asked["wrap"])
    row, column = (
        int(start) + np.arange(int(size)) * int(stride)
        for start, size, stride in zip(asked["start"], asked["size"], asked["stride"], strict=True)
    )
    at = row[:, None] * wrap + column[None, :]
    inside = (at >= 0) & (at < array.size)
    flat = array.reshape(-1)
    found = np.zeros(at.shape, array.dtype)
    found[inside] = flat[at[inside]]
    return found
