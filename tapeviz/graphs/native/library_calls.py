"""Ops of which NumPy's own loops do the work: products of matrices, sums, exponentials; and the picking of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final, Self

import numpy as np

from tapeviz.backends.small_products import is_product_in_pieces, rows_of_pieces
from tapeviz.graphs.native.code import Code
from tapeviz.graphs.native.loops import Piece, address
from tapeviz.graphs.native.operands import EACH, ONE, MemoryRef, meeting
from tapeviz.native.addresses import pointer
from tapeviz.native.lanes import kind_of, memory_kind
from tapeviz.native.numpy_loops import loop_of, sums_as_expected

__all__ = ["Mapped", "Picked", "argmax", "matmul", "one_hot", "reduction"]
_LEAST: Final = {"float": "0xFFF0000000000000", "double": "0xFFF0000000000000"}  # minus infinity
_ZEROS: Final = {"float": "0.0", "double": "0.0", "i32": "0", "i64": "0"}


class Call:
    """One call of a loop again and again, for the rows of its operands.

    Args:
        loop: the addresses of the loop and of its data.
        sizes: the lengths that it is told.
        strides: how far apart elements are in each operand, in bytes, and what else the loop is told.
    """

    def __init__(self, loop: tuple[int, int], sizes: Sequence[int], strides: Sequence[int]) -> None:
        self._loop = loop
        self._sizes = sizes
        self._strides = strides

    def write(self, code: Code, addresses: Sequence[str]) -> None:
        """Write a call for operands at these addresses."""
        room = code.room(f"[{len(addresses)} x ptr]")
        for number, where in enumerate(addresses):
            code.line(f"store ptr {where}, ptr {code.at(room, str(number), 'ptr')}")
        sizes, strides = code.numbers(self._sizes), code.numbers(self._strides)
        function, data = self._loop
        extra = pointer(data) if data else "null"
        code.line(f"call void {pointer(function)}(ptr {room}, ptr {sizes}, ptr {strides}, ptr {extra})")


class Mapped:
    """A ufunc whose operands are arrays of the result's shape, or numbers: as ``operands``, with how they meet it."""

    def __init__(self, loop: tuple[int, int], operands: list[tuple[MemoryRef, str]], out: MemoryRef) -> None:
        self.operands = operands
        self.place = out
        self._loop = loop
        self._steps = [*_steps_of(operands), int(out.dtype.itemsize)]

    @classmethod
    def of(cls, ufunc: Any, inputs: Sequence[MemoryRef], out: MemoryRef) -> Self | None:
        """The ufunc for these operands, None where NumPy has no loop for them."""
        loop = loop_of(ufunc, tuple(place.dtype for place in (*inputs, out)))
        ways = [meeting(place.shape, out.shape) for place in inputs]
        met = [(place, way[0]) for place, way in zip(inputs, ways, strict=True) if way and way[0] in (EACH, ONE)]
        return None if loop is None or len(met) < len(inputs) else cls(loop, met, out)

    def __call__(self, code: Code, piece: Piece | None = None) -> None:
        """Write it, for all elements or a piece of them."""
        first = "0" if piece is None else piece.first
        addresses = [
            code.at(address(code, place), "0" if how == ONE else first, memory_kind(place.dtype))
            for place, how in (*self.operands, (self.place, EACH))
        ]
        Call(self._loop, [self.place.size if piece is None else piece.count], self._steps).write(code, addresses)


def _steps_of(operands: Sequence[tuple[MemoryRef, str]]) -> list[int]:
    """How far apart NumPy says that operands' elements are: a power whose exponents lie 0 apart is a square for 2.

    NumPy says 0 of what is stretched: a number without axes, and one element among operands of several shapes.
    """
    mixed = len({place.shape for place, _ in operands if place.shape}) > 1
    return [
        0 if how == ONE or not place.shape or (mixed and place.size == 1) else int(place.dtype.itemsize)
        for place, how in operands
    ]


def matmul(first: MemoryRef, second: MemoryRef, out: MemoryRef) -> Any:
    """What writes a product of two matrices; None for one that is a vector, which other routines multiply."""
    loop = loop_of(np.matmul, (first.dtype, second.dtype, out.dtype))
    if loop is None or min(*first.shape, *second.shape) < 2:  # noqa: PLR2004
        return None
    (rows, inner), columns = _sides(first), _sides(second)[1]
    strides = [0, 0, 0, *_steps(first), *_steps(second), *_steps(out)]
    pieces = is_product_in_pieces(rows, inner * columns)
    step = rows_of_pieces(rows, inner * columns) if pieces else rows

    def write(code: Code) -> None:
        addresses = [address(code, place) for place in (first, second, out)]
        for begin in range(0, rows, step):
            moved = [begin * _steps(first)[0], 0, begin * _steps(out)[0]]
            at = [code.at(base, str(by), "i8") for base, by in zip(addresses, moved, strict=True)]
            Call(loop, [1, min(step, rows - begin), inner, columns], strides).write(code, at)

    return write


def _sides(place: MemoryRef) -> tuple[int, int]:
    rows, columns = place.shape
    return (columns, rows) if place.turned else (rows, columns)


def _steps(place: MemoryRef) -> tuple[int, int]:
    row, element = place.shape[1] * place.dtype.itemsize, place.dtype.itemsize
    return (element, row) if place.turned else (row, element)


def reduction(ufunc: Any, source: MemoryRef, kept: Sequence[bool], out: MemoryRef) -> Any:
    """What writes a sum or the like over axes that are not kept; None where other axes lie between them.

    It calls the loop for the same elements as NumPy does, since a sum depends on that.
    """
    loop = loop_of(ufunc, (source.dtype,) * 3)
    if loop is None or out.dtype != source.dtype or not source.size or kind_of(source.dtype) not in _ZEROS:
        return None
    if not sums_as_expected():
        return None
    axes = [(keep, size) for keep, size in zip(kept, source.shape, strict=True) if size != 1]
    before = list(takewhile(lambda axis: axis[0], axes))
    after = list(takewhile(lambda axis: axis[0], reversed(axes[len(before) :])))
    if any(keep for keep, _ in axes[len(before) : len(axes) - len(after)]):
        return None
    if not after:
        return _along_rows(loop, source, out, adds=ufunc is np.add)
    return _down_columns(loop, source, out, math.prod(size for _, size in after), adds=ufunc is np.add)


def _along_rows(loop: tuple[int, int], source: MemoryRef, out: MemoryRef, *, adds: bool) -> Any:
    """A sum begins with zero, a maximum with the first element of the row."""
    length, size, kind = source.size // out.size, source.dtype.itemsize, str(kind_of(source.dtype))
    call = Call(loop, [length if adds else length - 1], [0, size, 0])

    def write(code: Code) -> None:
        rows, results = address(code, source), address(code, out)
        with code.loop(0, out.size) as row:
            first = code.value(f"mul i64 {row}, {length}") if row != "0" else "0"
            where, result = code.at(rows, first, kind), code.at(results, row, kind)
            start = _ZEROS[kind] if adds else code.value(f"load {kind}, ptr {where}")
            code.line(f"store {kind} {start}, ptr {result}")
            if adds or length > 1:
                call.write(code, [result, where if adds else code.at(where, "1", kind), result])

    return write


def _down_columns(loop: tuple[int, int], source: MemoryRef, out: MemoryRef, columns: int, *, adds: bool) -> Any:
    """Each row is added to what there is, block after block."""
    rows, size, kind = source.size // out.size, source.dtype.itemsize, str(kind_of(source.dtype))
    call, nbytes = Call(loop, [columns], [size, size, size]), columns * size

    def write(code: Code) -> None:
        start, results = address(code, source), address(code, out)
        code.declare("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        code.declare("void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        with code.loop(0, out.size // columns) as block:
            first = code.at(start, code.value(f"mul i64 {block}, {rows * columns}"), kind)
            result = code.at(results, code.value(f"mul i64 {block}, {columns}"), kind)
            if adds:
                code.line(f"call void @llvm.memset.p0.i64(ptr {result}, i8 0, i64 {nbytes}, i1 false)")
            else:
                code.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {result}, ptr {first}, i64 {nbytes}, i1 false)")
            if adds or rows > 1:
                with code.loop(0 if adds else 1, rows) as row:
                    place = code.value(f"mul i64 {row}, {columns}")
                    call.write(code, [result, code.at(first, place, kind), result])

    return write


# Labels.


class Picked:
    """Writes the negated share of each label, and refuses labels that are no classes."""

    def __init__(self, labels: MemoryRef, shares: MemoryRef, out: MemoryRef) -> None:
        self._labels, self._shares, self._out = labels, shares, out

    @classmethod
    def of(cls, labels: MemoryRef, shares: MemoryRef, out: MemoryRef) -> Self | None:
        """What does so, None for numbers that are not computed with here."""
        fits = kind_of(labels.dtype) in ("i32", "i64") and kind_of(shares.dtype) in ("float", "double")
        return cls(labels, shares, out) if fits else None

    def __call__(self, code: Code) -> None:
        """Write it."""
        classes, whole, kind = self._shares.shape[-1], str(kind_of(self._labels.dtype)), str(kind_of(self._out.dtype))
        first, table, results = (address(code, place) for place in (self._labels, self._shares, self._out))
        with code.loop(0, self._labels.size) as row:
            label = code.value(f"load {whole}, ptr {code.at(first, row, whole)}")
            code.refuse_if(code.value(f"icmp uge {whole} {label}, {classes}"))
            column = code.value(f"zext {whole} {label} to i64") if whole == "i32" else label
            index = code.value(f"add i64 {code.value(f'mul i64 {row}, {classes}')}, {column}")
            share = code.value(f"load {kind}, ptr {code.at(table, index, kind)}")
            code.line(f"store {kind} {code.value(f'fneg {kind} {share}')}, ptr {code.at(results, row, kind)}")


def argmax(source: MemoryRef, axis: int, out: MemoryRef) -> Any:
    """What writes the first place of each row's largest element; nan is none."""
    kind, whole, length = kind_of(source.dtype), kind_of(out.dtype), source.shape[-1] if source.shape else 0
    if axis not in (-1, len(source.shape) - 1) or not length or kind not in ("float", "double"):
        return None
    if whole not in ("i32", "i64"):
        return None

    def write(code: Code) -> None:
        rows, results = address(code, source), address(code, out)
        best, found = code.room(kind), code.room("i64")
        with code.loop(0, out.size) as row:
            first = code.value(f"mul i64 {row}, {length}")
            code.line(f"store {kind} {_LEAST[kind]}, ptr {best}")
            code.line(f"store i64 0, ptr {found}")
            with code.loop(0, length) as column:
                place = code.value(f"add i64 {first}, {column}")
                now = code.value(f"load {kind}, ptr {code.at(rows, place, kind)}")
                before, where = code.value(f"load {kind}, ptr {best}"), code.value(f"load i64, ptr {found}")
                larger = code.value(f"fcmp ogt {kind} {now}, {before}")
                most = code.value(f"select i1 {larger}, {kind} {now}, {kind} {before}")
                here = code.value(f"select i1 {larger}, i64 {column}, i64 {where}")
                code.line(f"store {kind} {most}, ptr {best}")
                code.line(f"store i64 {here}, ptr {found}")
            end = code.value(f"load i64, ptr {found}")
            end = code.value(f"trunc i64 {end} to i32") if whole == "i32" else end
            code.line(f"store {whole} {end}, ptr {code.at(results, row, str(whole))}")

    return write


def one_hot(labels: MemoryRef, out: MemoryRef) -> Any:
    """What writes rows with 1 at the label and 0 elsewhere; a label that is no class makes a row of zeros."""
    classes, whole, kind = out.shape[-1], kind_of(labels.dtype), kind_of(out.dtype)
    if whole not in ("i32", "i64") or kind not in ("float", "double"):
        return None

    def write(code: Code) -> None:
        first, results = address(code, labels), address(code, out)
        code.declare("void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        nbytes = out.size * out.dtype.itemsize
        code.line(f"call void @llvm.memset.p0.i64(ptr {results}, i8 0, i64 {nbytes}, i1 false)")
        with code.loop(0, labels.size) as row:
            label = code.value(f"load {whole}, ptr {code.at(first, row, whole)}")
            column = code.value(f"zext {whole} {label} to i64") if whole == "i32" else label
            inside = code.value(f"icmp ult i64 {column}, {classes}")
            # Where there is no such class a zero is written to the first column again.
            place = code.value(f"select i1 {inside}, i64 {column}, i64 0")
            number = code.value(f"select i1 {inside}, {kind} 1.0, {kind} 0.0")
            index = code.value(f"add i64 {code.value(f'mul i64 {row}, {classes}')}, {place}")
            code.line(f"store {kind} {number}, ptr {code.at(results, index, kind)}")

    return write
