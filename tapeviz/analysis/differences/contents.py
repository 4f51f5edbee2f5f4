"""The contents of many tensors of two recordings against each other, in large pieces: how far apart they are.

A unit in the last place (ULP) of a number is the gap between it and the next number that its dtype can hold. The error
of an element in ULP is its distance, in the gap at the larger of the two; that is also what its relative error is
measured against.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.recording.schema import DTYPES

__all__ = ["EPSILON", "Compared", "Contents", "Distances", "compared", "distances", "gap", "shape_text"]

Floats = NDArray[np.float64]

# Elements that are looked at together.
_BLOCK: Final = 2**21

# For each dtype that rounds: how it is ordered from coarse to fine, and the gap between 1 and the next number.
EPSILON: Final = {
    "bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23,
    "complex128": 2.0**-52,
}  # fmt: skip
_SMALLEST: Final = {"bfloat16": -126, "float16": -14, "float32": -126, "float64": -1022}
_REAL: Final = {"complex64": "float32", "complex128": "float64"}


class Contents:
    """The bytes of a recording's tensors, by row, as far as they were kept or are still in memory."""

    def __init__(self, graph: Graph, arrays: Mapping[int, Any]) -> None:
        self.graph = graph
        self._arrays = arrays
        self._ids: list[int] = graph.recording.tensors.id.tolist()
        values = graph.recording.values
        rows = graph.links.tensor_rows(values.tensor).tolist()
        self._data: list[bytes] = values.data
        self._piece = dict(zip(rows, range(len(rows)), strict=True))
        # Of tensors whose contents were too large for one row, the rows by where in the tensor they begin.
        self._several: dict[int, dict[float, int]] = {}
        if len(self._piece) < len(rows):
            often = Counter(rows)
            for piece, (tensor, offset) in enumerate(zip(rows, values.offset.tolist(), strict=True)):
                if often[tensor] > 1:
                    self._several.setdefault(tensor, {})[offset] = piece

    def of(self, tensor: int, nbytes: float) -> bytes | None:
        """The elements of a tensor in its own dtype; None where they are not all there."""
        piece = self._piece.get(tensor)
        if piece is not None:
            data = self._data[piece]
            if tensor in self._several:
                data = b"".join(self._data[part] for _, part in sorted(self._several[tensor].items()))
            return data if len(data) == nbytes else None
        array = self._arrays.get(self._ids[tensor])
        if array is None or array.dtype.hasobject or array.nbytes != nbytes:
            return None
        found: bytes = array.tobytes()
        return found

    def dtype(self, tensor: int) -> str:
        """The dtype of a tensor; ``string`` for text."""
        return _name(int(self.graph.recording.tensors.dtype[tensor]))

    def elements(self, tensor: int) -> NDArray[Any] | None:
        """The elements of a tensor as numbers, flat; None where they are not all there, or text."""
        name, data = self.dtype(tensor), self.of(tensor, float(self.graph.recording.tensors.nbytes[tensor]))
        return None if data is None or name == "string" else _read(data, name)


@dataclass(slots=True)
class Compared:
    """For each pair of tensors how far apart they are; nan where that is not known.

    Attributes:
        known: whether the elements are.
        ulp, relative, absolute: the largest errors of elements that are finite in both.
        largest: the largest magnitude of an element that is finite in both.
        beyond: whether an element is further apart than the tolerances allow, where some were given.
        nonfinite: whether NaN or infinity stands in one where the other has something else.
    """

    known: NDArray[np.bool_]
    ulp: Floats
    relative: Floats
    absolute: Floats
    largest: Floats
    beyond: NDArray[np.bool_]
    nonfinite: NDArray[np.bool_]


@dataclass(slots=True)
class _Group:
    """Pairs of the same dtypes that differ: their numbers, and their bytes."""

    numbers: list[int] = field(default_factory=list)
    left: list[bytes | memoryview] = field(default_factory=list)
    right: list[bytes | memoryview] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def add(self, number: int, left: bytes, right: bytes, size: int) -> None:
        """Put in a pair; one of large tensors in parts, which have the same number."""
        if size <= _BLOCK:
            parts: list[tuple[bytes | memoryview, bytes | memoryview, int]] = [(left, right, size)]
        else:
            one, other = (len(data) // size for data in (left, right))
            a, b = memoryview(left), memoryview(right)
            begins = range(0, size, _BLOCK)
            parts = [
                (a[at * one : (at + _BLOCK) * one], b[at * other : (at + _BLOCK) * other], min(_BLOCK, size - at))
                for at in begins
            ]
        for part, other_part, elements in parts:
            self.numbers.append(number)
            self.left.append(part)
            self.right.append(other_part)
            self.sizes.append(elements)

    def blocks(self) -> Iterator[tuple[NDArray[Any], bytes, bytes, NDArray[Any]]]:
        """Numbers, bytes of both and sizes, a few million elements at a time."""
        begin, held = 0, 0
        for at, size in enumerate(self.sizes):
            held += size
            # A full part ends its block, so that no number stands in a block twice.
            if held >= _BLOCK or at == len(self.sizes) - 1:
                cut = slice(begin, at + 1)
                yield (
                    np.array(self.numbers[cut]), b"".join(self.left[cut]), b"".join(self.right[cut]),
                    np.array(self.sizes[cut]),
                )  # fmt: skip
                begin, held = at + 1, 0


def compared(
    a: Contents, b: Contents, left: NDArray[Any], right: NDArray[Any], tolerances: tuple[float, float] | None = None
) -> Compared:
    """How far the tensors in rows ``left`` of one are from those in rows ``right`` of the other, of the same shapes.

    Args:
        a: the contents of one.
        b: those of the other.
        left: rows of tensors of the one.
        right: rows of as many of the other, with as many elements.
        tolerances: relative and absolute, by which ``beyond`` is told.
    """
    count = len(left)
    ulp, relative, absolute, largest = (np.full(count, np.nan) for _ in range(4))
    known, beyond, nonfinite = (np.zeros(count, np.bool_) for _ in range(3))
    found = Compared(known, ulp, relative, absolute, largest, beyond, nonfinite)
    for (one, other), group in _groups(a, b, left, right, found).items():
        for numbers, data, other_data, sizes in group.blocks():
            _measure(found, numbers, (_read(data, one), _read(other_data, other)), sizes, (one, other), tolerances)
    return found


def _groups(
    a: Contents, b: Contents, left: NDArray[Any], right: NDArray[Any], found: Compared
) -> dict[tuple[str, str], _Group]:
    """The pairs that differ, by their dtypes; those with the same bytes are told at once."""
    tensors, others = a.graph.recording.tensors, b.graph.recording.tensors
    columns = (left, right, tensors.dtype[left], others.dtype[right], tensors.nbytes[left], others.nbytes[right])
    groups: dict[tuple[str, str], _Group] = {}
    same = []
    for at, (one, other, dtype, other_dtype, nbytes, other_nbytes) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        data, other_data = a.of(one, nbytes), b.of(other, other_nbytes)
        names = _name(dtype), _name(other_dtype)
        if data is None or other_data is None or "string" in names:
            continue
        size = len(data) // _itemsize(names[0])
        if (dtype == other_dtype and data == other_data) or not size:
            same.append(at)
        elif size == len(other_data) // _itemsize(names[1]):
            groups.setdefault(names, _Group()).add(at, data, other_data, size)
    found.known[same] = True
    found.ulp[same] = found.relative[same] = found.absolute[same] = 0.0
    return groups


def _measure(
    found: Compared,
    numbers: NDArray[Any],
    values: tuple[NDArray[Any], NDArray[Any]],
    sizes: NDArray[Any],
    dtypes: tuple[str, str],
    tolerances: tuple[float, float] | None,
) -> None:
    starts = np.cumsum(sizes) - sizes
    apart = distances(values, dtypes)
    found.known[numbers] = True
    found.nonfinite[numbers] |= np.logical_or.reduceat(apart.odd, starts)
    for name in ("ulp", "relative", "absolute", "largest"):
        column = getattr(found, name)
        column[numbers] = np.fmax(column[numbers], np.maximum.reduceat(getattr(apart, name), starts))
    if tolerances is not None:
        beyond = apart.absolute > tolerances[1] + tolerances[0] * apart.largest
        found.beyond[numbers] |= np.logical_or.reduceat(beyond, starts)


@dataclass(frozen=True, slots=True)
class Distances:
    """How far apart the elements of two tensors are, one number for each.

    Attributes:
        odd: whether NaN or infinity stands in one where the other has something else.
        ulp, relative, absolute: errors; 0 where not both are finite. ``ulp`` is nan where neither dtype rounds.
        largest: the larger magnitude of the two.
    """

    odd: NDArray[np.bool_]
    ulp: Floats
    relative: Floats
    absolute: Floats
    largest: Floats


def distances(values: tuple[NDArray[Any], NDArray[Any]], dtypes: tuple[str, str]) -> Distances:
    """How far the elements of one tensor are from those of the other, of as many."""
    a, b = (_plain(side) for side in values)
    with np.errstate(all="ignore"):
        both = np.isfinite(a) & np.isfinite(b)
        odd = ~both & ~((a == b) | (np.isnan(a) & np.isnan(b)))
        apart = np.where(both, np.abs(a - b), 0.0).astype(np.float64)
        # Whole numbers of 64 bits do not fit into float64: those that differ are one apart at least.
        apart[both & (values[0] != values[1]) & (apart == 0)] = 1.0
        size = np.where(both, np.maximum(np.abs(a), np.abs(b)), 0.0).astype(np.float64)
        relative = np.where(apart > 0, apart / size, 0.0)
        return Distances(odd, _units(apart, size, dtypes), relative, apart, size)


def _units(apart: Floats, size: Floats, dtypes: tuple[str, str]) -> Floats:
    """Distances in the gap of the coarser dtype; nan where neither rounds."""
    rounding = [name for name in dtypes if name in EPSILON]
    if not rounding:
        return np.where(apart > 0, np.nan, 0.0)
    coarser = max(rounding, key=EPSILON.__getitem__)
    return np.where(apart > 0, apart / gap(size, coarser), 0.0)


def shape_text(graph: Graph, row: int) -> str:
    """A row of ``strings`` that says a shape; empty where there is none."""
    texts = graph.recording.strings.text
    return texts[row].replace(" ", "") if 0 <= row < len(texts) else ""


def gap(magnitude: Any, dtype: str) -> Any:
    """The distance from numbers of this size to the next that the dtype can hold."""
    _, exponent = np.frexp(np.asarray(magnitude, np.float64))
    bits = -int(np.log2(EPSILON[dtype]))
    least = _SMALLEST[_REAL.get(dtype, dtype)]
    return np.ldexp(1.0, np.maximum(exponent - 1, least) - bits)


def _read(data: bytes, dtype: str) -> NDArray[Any]:
    if dtype == "bfloat16":  # the upper half of a float32
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, np.dtype(dtype).newbyteorder("<"))


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    """The numbers in a dtype that differences are taken in."""
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def _name(dtype: int) -> str:
    return DTYPES[dtype] if dtype < len(DTYPES) else "string"


def _itemsize(dtype: str) -> int:
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize
