"""The summaries of many arrays in one call, in machine code: what NumPy does in `tapeviz.recording.rows.statistics`.

It adds up in the order that is defined there, so its rows are the same to the bit. Arrays of float32 and float64 that
lie row by row are read, others left to who calls. An array is read from memory once, for its ends and sums, and from
the processor's cache again for the histogram. Nothing is read beyond its end. Python's lock is let go meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final

import numpy as np

from tapeviz.native.addresses import pointer
from tapeviz.native.functions import Carried, Function
from tapeviz.native.machine import (
    AXES,
    CONTIGUOUS,
    DATA,
    DTYPE,
    FLAGS,
    KIND,
    ORDER,
    RANK,
    TYPE,
    CompilationError,
    address_of,
    compiled,
    is_available,
)
from tapeviz.recording.rows.statistics import BINS, BLOCK, FIGURES, LANES, NARROW, SPREAD, Kernel

__all__ = ["DONE", "HUGE", "LEFT", "kernel_text", "summary_kernel"]

DONE, LEFT, HUGE = range(3)
"""What becomes of an array: its row is filled in, it is none of those that are read, or its squares overflow."""

_AN_ARRAY: Final = 2e-6  # seconds that NumPy takes for a small array
_AN_ELEMENT: Final = 2.5e-9  # and for an element of a large one
_LOADING: Final = 0.15  # what it takes to load the compiler and to compile

_CHUNK: Final = 16
"""Elements at once: of float32 a line of the processor's cache."""
_GROUP: Final = 512  # elements whose bins are counted together: a vector of the processor's has a bit for each
_GROUPED: Final = 128  # elements from which it pays
_BITS: Final = (BINS - 1).bit_length()
_WORDS: Final = _GROUP // 32
_INFINITY: Final = "0x7FF0000000000000"
_MINUS_INFINITY: Final = "0xFFF0000000000000"
_NAN: Final = "0x7FF8000000000000"
_BYTES: Final = {"float": 4, "double": 8}
_LETTERS: Final = {"float": "f32", "double": "f64"}
_NUMBERS: Final = {"float": np.dtype("f4").num, "double": np.dtype("f8").num}

# What reading an array gives: doubles behind each other. The counts are over all elements, the others over finite ones.
_MEASURES: Final = ("low", "high", "total", "square", "zero", "negative", "finite", "nan", "posinf", "neginf")
_COUNTS: Final = _MEASURES[4:]

_D: Final = f"<{_CHUNK} x double>"
_I: Final = f"<{_CHUNK} x i32>"
_M: Final = f"<{_CHUNK} x i1>"
_W: Final = f"<{_WORDS} x i32>"


def kernel_text() -> str:
    """The text of ``run(addresses, figures, histograms, outcomes)``, for :func:`machine.compiled`.

    Its arguments are arrays: of the addresses of the arrays to read, of int64; of a row of float64 and a row of uint32
    for each of them, and of an int8, which says what became of it.
    """
    parts = [_declarations(), _fold()]
    for kind in _BYTES:
        parts += [_reading(kind, masked=False), _reading(kind, masked=True), _spread(kind), _first_bad(kind)]
        parts += [_plane_bins(kind), _plain_bins(kind), _summary(kind)]
    return "\n".join(map(str, [*parts, _one(), _run()]))


def _declarations() -> str:
    lines = [
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        "declare double @llvm.sqrt.f64(double)",
        f"declare i32 @llvm.vector.reduce.add.v{_CHUNK}i32({_I})",
        f"declare {_W} @llvm.ctpop.v{_WORDS}i32({_W})",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    ]
    for kind, letters in _LETTERS.items():
        vector = f"<{_CHUNK} x {kind}>"
        lines.append(f"declare {vector} @llvm.fabs.v{_CHUNK}{letters}({vector})")
        lines.append(f"declare {vector} @llvm.masked.load.v{_CHUNK}{letters}.p0(ptr, i32, {_M}, {vector})")
    return "\n".join(lines)


def _constant(kind: str, value: str, count: int = _CHUNK) -> str:
    """A vector of equal constants."""
    return "<" + ", ".join([f"{kind} {value}"] * count) + ">"


def _repeated(f: Function, kind: str, value: str) -> str:
    """A vector of equal values."""
    first = f.value(f"insertelement <{_CHUNK} x {kind}> poison, {kind} {value}, i32 0")
    return f.value(f"shufflevector <{_CHUNK} x {kind}> {first}, <{_CHUNK} x {kind}> poison, {_I} zeroinitializer")


def _halves(f: Function, kind: str, vector: str, size: int) -> tuple[str, str]:
    """The two halves of a vector."""
    ranges = range(size // 2), range(size // 2, size)
    masks = [f"<{size // 2} x i32> <{', '.join(f'i32 {at}' for at in places)}>" for places in ranges]
    low, high = (
        f.value(f"shufflevector <{size} x {kind}> {vector}, <{size} x {kind}> poison, {mask}") for mask in masks
    )
    return low, high


def _extreme(f: Function, kind: str, vector: str, relation: str) -> str:
    """The element of a vector that stands in this relation to all others."""
    size = _CHUNK
    while size > 1:
        a, b = _halves(f, kind, vector, size)
        size //= 2
        of = f"<{size} x {kind}>"
        chosen = f.value(f"fcmp {relation} {of} {a}, {b}")
        vector = f.value(f"select <{size} x i1> {chosen}, {of} {a}, {of} {b}")
    return f.value(f"extractelement <1 x {kind}> {vector}, i32 0")


def _widened(f: Function, kind: str, vector: str) -> str:
    """The elements as doubles."""
    return vector if kind == "double" else f.value(f"fpext <{_CHUNK} x {kind}> {vector} to {_D}")


def _least(f: Function, a: str, b: str) -> str:
    smaller = f.value(f"icmp slt i64 {a}, {b}")
    return f.value(f"select i1 {smaller}, i64 {a}, i64 {b}")


# Sums.


def _fold() -> Function:
    """The sum of a block's lanes, added up in halves; the lanes are written over."""
    f = Function("double", "fold", "ptr %lanes")
    half = LANES // 2
    while half >= _CHUNK:

        def turn(i: str, half: int = half) -> Sequence[str]:
            low = f.at("%lanes", "double", i)
            a, b = f.load(_D, low, 64), f.load(_D, f.at(low, "double", half), 64)
            f.store(_D, f.value(f"fadd {_D} {a}, {b}"), low, 64)
            return ()

        f.loop("0", str(half), _CHUNK, (), turn)
        half //= 2
    vector, size = f.load(_D, "%lanes", 64), _CHUNK
    while size > 1:
        a, b = _halves(f, "double", vector, size)
        size //= 2
        vector = f.value(f"fadd <{size} x double> {a}, {b}")
    f.ret("double " + f.value(f"extractelement <1 x double> {vector}, i32 0"))
    return f


def _add_to_lanes(f: Function, lanes: str, index: str, values: str) -> None:
    """Add a chunk, whose first element has this index, to its lanes."""
    lane = f.at(lanes, "double", f.value(f"and i64 {index}, {LANES - 1}"))
    f.store(_D, f.value(f"fadd {_D} {f.load(_D, lane, 64)}, {values}"), lane, 64)


class _Chunks:
    """Goes through an array by blocks, a block by chunks, the last one of which may be a part."""

    def __init__(self, f: Function, kind: str, *, masked: bool) -> None:
        self._f, self._kind, self._masked = f, kind, masked
        self.vector = f"<{_CHUNK} x {kind}>"

    def through(self, start: str, stop: str, carried: Carried, write: Callable[..., Sequence[str]]) -> list[str]:
        """Write a loop: ``write(index, elements, which of them count, *carried)`` writes a turn."""
        f = self._f
        size = f.value(f"sub i64 {stop}, {start}")
        even = f.value(f"add i64 {start}, {f.value(f'and i64 {size}, -{_CHUNK}')}")

        def whole(i: str, *now: str) -> Sequence[str]:
            place = f.at("%data", self._kind, i)
            x = f.load(self.vector, place, _BYTES[self._kind])
            return write(i, x, self._finite(x) if self._masked else None, *now)

        def part(i: str, *now: str) -> Sequence[str]:
            place = f.at("%data", self._kind, i)
            left = _repeated(f, "i64", f.value(f"sub i64 {stop}, {i}"))
            numbers = "<" + ", ".join(f"i64 {at}" for at in range(_CHUNK)) + ">"
            there = f.value(f"icmp slt <{_CHUNK} x i64> {numbers}, {left}")
            call = f"call {self.vector} @llvm.masked.load.v{_CHUNK}{_LETTERS[self._kind]}.p0"
            x = f.value(f"{call}(ptr {place}, i32 {_BYTES[self._kind]}, {_M} {there}, {self.vector} zeroinitializer)")
            counts = f.value(f"and {_M} {there}, {self._finite(x)}") if self._masked else there
            return write(i, x, counts, *now)

        now = f.loop(start, even, _CHUNK, carried, whole)
        kinds = [kind for kind, _ in carried]
        return f.loop(even, stop, _CHUNK, list(zip(kinds, now, strict=True)), part)

    def _finite(self, x: str) -> str:
        size = self._f.value(f"call {self.vector} @llvm.fabs.v{_CHUNK}{_LETTERS[self._kind]}({self.vector} {x})")
        return self._f.value(f"fcmp olt {self.vector} {size}, {_constant(self._kind, _INFINITY)}")


def _reading(kind: str, *, masked: bool) -> Function:
    """Reads an array for its ends, sums and counts: of all elements as if they were finite, or of those that are."""
    f = Function("void", f"{'finite_' if masked else ''}reading.{kind}", "ptr %data, i64 %size, ptr %measures")
    sums, squares = (f.room(f"[{LANES} x double]", 8 * LANES) for _ in range(2))
    chunks = _Chunks(f, kind, masked=masked)
    counts = _COUNTS if masked else _COUNTS[:2]

    def turn(i: str, x: str, counted: str | None, low: str, high: str, *so_far: str) -> Sequence[str]:
        ends = [_better(f, chunks.vector, x, counted, now, to) for now, to in ((low, "olt"), (high, "ogt"))]
        kept = x
        if counted is not None:
            kept = f.value(f"select {_M} {counted}, {chunks.vector} {x}, {chunks.vector} zeroinitializer")
        wide = _widened(f, kind, kept)
        _add_to_lanes(f, sums, i, wide)
        _add_to_lanes(f, squares, i, f.value(f"fmul {_D} {wide}, {wide}"))
        flags = _flags(f, kind, x, counted, masked=masked)
        return [*ends, *(_count(f, flag, now) for flag, now in zip(flags, so_far, strict=True))]

    def block(start: str, low: str, high: str, total: str, square: str, *so_far: str) -> Sequence[str]:
        f.clear(sums, 8 * LANES)
        f.clear(squares, 8 * LANES)
        stop = _least(f, f.value(f"add i64 {start}, {BLOCK}"), "%size")
        carried = [(chunks.vector, low), (chunks.vector, high), *[(_I, "zeroinitializer")] * len(counts)]
        low, high, *inside = chunks.through(start, stop, carried, turn)
        more = [f.value(f"call double @fold(ptr {lanes})") for lanes in (sums, squares)]
        total, square = (f.value(f"fadd double {a}, {b}") for a, b in zip((total, square), more, strict=True))
        return [low, high, total, square, *(_and_inside(f, a, b) for a, b in zip(so_far, inside, strict=True))]

    ends = [(chunks.vector, _constant(kind, value)) for value in (_INFINITY, _MINUS_INFINITY)]
    carried = [*ends, *[("double", "0.0")] * 2, *[("i64", "0")] * len(counts)]
    low, high, total, square, *inside = f.loop("0", "%size", BLOCK, carried, block)
    low, high = _extreme(f, kind, low, "olt"), _extreme(f, kind, high, "ogt")
    values = [_positive_zero(f, _as_double(f, kind, value)) for value in (low, high)] + [total, square]
    values += [f.value(f"sitofp i64 {count} to double") for count in inside]
    if not masked:
        values += [f.value("sitofp i64 %size to double"), "0.0", "0.0", "0.0"]
    for at, value in enumerate(values):
        f.store("double", value, f.at("%measures", "double", at))
    f.ret()
    return f


def _better(f: Function, kind: str, x: str, counted: str | None, so_far: str, relation: str) -> str:
    """For each lane the one that stands in this relation to the other."""
    chosen = f.value(f"fcmp {relation} {kind} {x}, {so_far}")
    if counted is not None:
        chosen = f.value(f"and {_M} {chosen}, {counted}")
    return f.value(f"select {_M} {chosen}, {kind} {x}, {kind} {so_far}")


def _flags(f: Function, kind: str, x: str, counted: str | None, *, masked: bool) -> list[str]:
    """Which elements are to be counted as what, in the order of what is measured."""
    vector = f"<{_CHUNK} x {kind}>"
    flags = [f.value(f"fcmp {relation} {vector} {x}, zeroinitializer") for relation in ("oeq", "olt")]
    if counted is not None:
        flags = [f.value(f"and {_M} {flag}, {counted}") for flag in flags]
    if masked and counted is not None:
        flags += [counted, f.value(f"fcmp uno {vector} {x}, {x}")]
        flags += [f.value(f"fcmp oeq {vector} {x}, {_constant(kind, end)}") for end in (_INFINITY, _MINUS_INFINITY)]
    return flags


def _count(f: Function, flags: str, so_far: str) -> str:
    return f.value(f"sub {_I} {so_far}, {f.value(f'sext {_M} {flags} to {_I}')}")


def _and_inside(f: Function, before: str, lanes: str) -> str:
    """How many there were before and are in these lanes."""
    inside = f.value(f"call i32 @llvm.vector.reduce.add.v{_CHUNK}i32({_I} {lanes})")
    return f.value(f"add i64 {before}, {f.value(f'zext i32 {inside} to i64')}")


def _as_double(f: Function, kind: str, value: str) -> str:
    return value if kind == "double" else f.value(f"fpext {kind} {value} to double")


def _positive_zero(f: Function, value: str) -> str:
    """The same number: which of several zeros is the least is nobody's choice."""
    return f.value(f"fadd double {value}, 0.0")


def _spread(kind: str) -> Function:
    """The sum of the squares of what is left of the finite elements without their mean."""
    f = Function("double", f"spread.{kind}", "ptr %data, i64 %size, double %mean")
    squares = f.room(f"[{LANES} x double]", 8 * LANES)
    means = _repeated(f, "double", "%mean")
    chunks = _Chunks(f, kind, masked=True)

    def turn(i: str, x: str, counted: str) -> Sequence[str]:
        moved = f.value(f"fsub {_D} {_widened(f, kind, x)}, {means}")
        kept = f.value(f"select {_M} {counted}, {_D} {moved}, {_D} zeroinitializer")
        _add_to_lanes(f, squares, i, f.value(f"fmul {_D} {kept}, {kept}"))
        return ()

    def block(start: str, total: str) -> Sequence[str]:
        f.clear(squares, 8 * LANES)
        chunks.through(start, _least(f, f.value(f"add i64 {start}, {BLOCK}"), "%size"), (), turn)
        return [f.value(f"fadd double {total}, {f.value(f'call double @fold(ptr {squares})')}")]

    (total,) = f.loop("0", "%size", BLOCK, [("double", "0.0")], block)
    f.ret(f"double {total}")
    return f


def _first_bad(kind: str) -> Function:
    """The index of the first element that is not finite; the size where all are."""
    f = Function("i64", f"first_bad.{kind}", "ptr %data, i64 %size")

    def turn(i: str, found: str) -> Sequence[str]:
        x = f.load(kind, f.at("%data", kind, i))
        nothing = f.value(f"fsub {kind} {x}, {x}")  # NaN for what is not finite
        is_first = f.value(f"and i1 {f.value(f'fcmp uno {kind} {nothing}, {nothing}')}, "
                           f"{f.value(f'icmp slt i64 {i}, {found}')}")  # fmt: skip
        return [f.value(f"select i1 {is_first}, i64 {i}, i64 {found}")]

    (found,) = f.loop("0", "%size", 1, [("i64", "%size")], turn)
    f.ret(f"i64 {found}")
    return f


# Histograms.


def _plain_bins(kind: str) -> Function:
    """Counts the finite elements from an index on by bins, one by one."""
    span = "ptr %data, i64 %first, i64 %size"
    f = Function("void", f"plain_bins.{kind}", f"{span}, double %low, double %scale, ptr %counts")

    def turn(i: str) -> Sequence[str]:
        x = _as_double(f, kind, f.load(kind, f.at("%data", kind, i)))
        nothing = f.value(f"fsub double {x}, {x}")
        finite = f.value(f"fcmp ord double {nothing}, {nothing}")
        safe = f.value(f"select i1 {finite}, double {x}, double %low")
        scaled = f.value(f"fmul double {f.value(f'fsub double {safe}, %low')}, %scale")
        number = f.value(f"fptosi double {scaled} to i32")
        last = f.value(f"icmp sgt i32 {number}, {BINS - 1}")
        chosen = f.value(f"select i1 {last}, i32 {BINS - 1}, i32 {number}")
        place = f.at("%counts", "i32", f.value(f"zext i32 {chosen} to i64"))
        f.store("i32", f.value(f"add i32 {f.load('i32', place)}, {f.value(f'zext i1 {finite} to i32')}"), place)
        return ()

    f.loop("%first", "%size", 1, (), turn)
    f.ret()
    return f


def _plane_bins(kind: str) -> Function:
    """Counts elements, all of which are finite, by bins: many at once, by the bits of their bins' numbers.

    A plane is a bit of each number of a group. The bits that are set in a product of planes, or of what they lack, are
    the elements in one bin. What is missing in the last group is filled up with least elements, which are in bin 0.
    """
    parameters = "ptr %data, i64 %size, double %low, double %scale, ptr %counts"
    f = Function("void", f"plane_bins.{kind}", parameters)
    totals = f.room(f"[{BINS} x {_W}]", 4 * BINS * _WORDS)
    planes = f.room(f"[{_BITS} x {_W}]", 4 * _BITS * _WORDS)
    last = f.value(f"alloca [{_GROUP} x {kind}], align 64")
    even = f.value(f"and i64 %size, -{_GROUP}")

    def group(start: str) -> Sequence[str]:
        _write_planes(f, kind, f.at("%data", kind, start), planes)
        _count_planes(f, planes, totals)
        return ()

    def fill_up() -> None:
        low = _repeated(f, kind, "%low" if kind == "double" else f.value(f"fptrunc double %low to {kind}"))
        for at in range(0, _GROUP, _CHUNK):
            f.store(f"<{_CHUNK} x {kind}>", low, f.at(last, kind, at), 64)
        nbytes = f.value(f"mul i64 {f.value(f'sub i64 %size, {even}')}, {_BYTES[kind]}")
        source = f.at("%data", kind, even)
        f.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {last}, ptr {source}, i64 {nbytes}, i1 false)")
        _write_planes(f, kind, last, planes)
        _count_planes(f, planes, totals)

    f.loop("0", even, _GROUP, (), group)
    f.when(f.value(f"icmp slt i64 {even}, %size"), fill_up)
    for number in range(BINS):
        lanes = f.load(_W, f.at(totals, _W, number), 64)
        count = f.value(f"call i32 @llvm.vector.reduce.add.v{_WORDS}i32({_W} {lanes})")
        f.store("i32", count, f.at("%counts", "i32", number))
    filled = f.value(f"and i64 {f.value('sub i64 0, %size')}, {_GROUP - 1}")
    too_many = f.value(f"trunc i64 {filled} to i32")
    f.store("i32", f.value(f"sub i32 {f.load('i32', '%counts')}, {too_many}"), "%counts")
    f.ret()
    return f


def _write_planes(f: Function, kind: str, data: str, planes: str) -> None:
    """The bits of the numbers of the bins of a group."""
    lows, scales = _repeated(f, "double", "%low"), _repeated(f, "double", "%scale")
    together = 4 * _CHUNK
    most = _constant("i32", str(BINS - 1))

    def bins(at: str) -> str:
        x = f.load(f"<{_CHUNK} x {kind}>", f.at(data, kind, at), _BYTES[kind])
        moved = f.value(f"fsub {_D} {_widened(f, kind, x)}, {lows}")
        numbers = f.value(f"fptosi {_D} {f.value(f'fmul {_D} {moved}, {scales}')} to {_I}")
        beyond = f.value(f"icmp sgt {_I} {numbers}, {most}")
        return f.value(f"trunc {_I} {f.value(f'select {_M} {beyond}, {_I} {most}, {_I} {numbers}')} to <{_CHUNK} x i8>")

    def turn(i: str) -> Sequence[str]:
        parts = [bins(i), *(bins(f.value(f"add i64 {i}, {more}")) for more in range(_CHUNK, together, _CHUNK))]
        size = _CHUNK
        while len(parts) > 1:
            parts = [_joined(f, a, b, size) for a, b in zip(parts[::2], parts[1::2], strict=True)]
            size *= 2
        word = f.value(f"lshr i64 {i}, {together.bit_length() - 1}")
        for bit in range(_BITS):
            chosen = f.value(f"and <{together} x i8> {parts[0]}, {_constant('i8', str(1 << bit), together)}")
            flags = f.value(f"icmp ne <{together} x i8> {chosen}, zeroinitializer")
            place = f.at(f.at(planes, _W, bit), f"i{together}", word)
            f.store(f"i{together}", f.value(f"bitcast <{together} x i1> {flags} to i{together}"), place)
        return ()

    f.loop("0", str(_GROUP), together, (), turn)


def _joined(f: Function, a: str, b: str, size: int) -> str:
    """Two vectors of bytes behind each other."""
    mask = f"<{2 * size} x i32> <{', '.join(f'i32 {at}' for at in range(2 * size))}>"
    return f.value(f"shufflevector <{size} x i8> {a}, <{size} x i8> {b}, {mask}")


def _count_planes(f: Function, planes: str, totals: str) -> None:
    """Add to the totals how many elements of a group are in each bin."""
    whole = [f.load(_W, f.at(planes, _W, bit), 64) for bit in range(_BITS)]
    lacking = [f.value(f"xor {_W} {plane}, {_constant('i32', '-1', _WORDS)}") for plane in whole]

    def add(number: int, bit: int, inside: str | None) -> None:
        if bit < 0:
            count = f.value(f"call {_W} @llvm.ctpop.v{_WORDS}i32({_W} {inside})")
            place = f.at(totals, _W, number)
            f.store(_W, f.value(f"add {_W} {f.load(_W, place, 64)}, {count}"), place, 64)
            return
        for is_set, plane in enumerate((lacking[bit], whole[bit])):
            both = plane if inside is None else f.value(f"and {_W} {inside}, {plane}")
            add(number | is_set << bit, bit - 1, both)

    add(0, _BITS - 1, None)


# Rows.


def _summary(kind: str) -> Function:
    """Fills in an array's row, and its counts by bins, which are 0 before."""
    f = Function("i8", f"summary.{kind}", "ptr %data, i64 %size, ptr %row, ptr %counts")
    room = f.room(f"[{len(_MEASURES) + 1} x double]", 8 * len(_MEASURES) + 8)
    m = {name: f.at(room, "double", at) for at, name in enumerate((*_MEASURES, "variance"))}
    row = {name: f.at("%row", "double", at) for at, name in enumerate(FIGURES)}

    def is_beyond() -> str:
        return f.value(f"fcmp uge double {f.load('double', m['square'])}, {_INFINITY}")  # NaN too

    def read_finite() -> None:
        f.line(f"call void @finite_reading.{kind}(ptr %data, i64 %size, ptr {room})")
        f.when(is_beyond(), lambda: f.ret(f"i8 {HUGE}"))
        first = f.value(f"call i64 @first_bad.{kind}(ptr %data, i64 %size)")
        f.store("double", f.value(f"sitofp i64 {first} to double"), row["bad"])

    f.store("double", "-1.0", row["bad"])
    f.line(f"call void @reading.{kind}(ptr %data, i64 %size, ptr {room})")
    f.when(is_beyond(), read_finite)
    found = {name: f.load("double", m[name]) for name in _MEASURES}
    for name in ("zero", "negative", "nan", "posinf", "neginf"):
        f.store("double", found[name], row[name])
    f.store("double", _norm(f, found), row["norm"])
    f.when(f.value(f"fcmp oeq double {found['finite']}, 0.0"), lambda: f.ret(f"i8 {DONE}"))
    mean, std = _moments(f, kind, found, m["variance"])
    for name, value in (("min", found["low"]), ("max", found["high"]), ("mean", mean), ("std", std)):
        f.store("double", value, row[name])
    _histogram(f, kind, found)
    f.ret(f"i8 {DONE}")
    return f


def _norm(f: Function, found: dict[str, str]) -> str:
    root = f.value(f"call double @llvm.sqrt.f64(double {found['square']})")
    ends = f.value(f"fadd double {found['posinf']}, {found['neginf']}")
    infinite = f.value(f"fcmp ogt double {ends}, 0.0")
    size = f.value(f"select i1 {infinite}, double {_INFINITY}, double {root}")
    unknown = f.value(f"fcmp ogt double {found['nan']}, 0.0")
    return f.value(f"select i1 {unknown}, double {_NAN}, double {size}")


def _moments(f: Function, kind: str, found: dict[str, str], variance: str) -> tuple[str, str]:
    """The mean and the standard deviation, by way of a place for the variance."""
    count = found["finite"]
    equal = f.value(f"fcmp oeq double {found['low']}, {found['high']}")
    usual = f.value(f"fdiv double {found['total']}, {count}")
    mean = f.value(f"select i1 {equal}, double {found['low']}, double {usual}")
    squares = f.value(f"fdiv double {found['square']}, {count}")
    by_sums = f.value(f"fsub double {squares}, {f.value(f'fmul double {mean}, {mean}')}")
    f.store("double", f.value(f"select i1 {equal}, double 0.0, double {by_sums}"), variance)

    def read_again() -> None:
        total = f.value(f"call double @spread.{kind}(ptr %data, i64 %size, double {mean})")
        f.store("double", f.value(f"fdiv double {total}, {count}"), variance)

    close = f.value(f"fcmp ole double {by_sums}, {f.value(f'fmul double {squares}, {_hexadecimal(SPREAD)}')}")
    different = f.value(f"xor i1 {equal}, true")
    f.when(f.value(f"and i1 {close}, {different}"), read_again)
    return mean, f.value(f"call double @llvm.sqrt.f64(double {f.load('double', variance)})")


def _hexadecimal(number: float) -> str:
    """A constant, to the bit."""
    return f"0x{int(np.float64(number).view(np.uint64)):016X}"


def _histogram(f: Function, kind: str, found: dict[str, str]) -> None:
    low, count = found["low"], found["finite"]
    width = f.value(f"fsub double {found['high']}, {low}")
    wide = f.value(f"fcmp ogt double {width}, {_hexadecimal(NARROW)}")
    divides = f.value(f"and i1 {wide}, {f.value(f'fcmp olt double {width}, {_INFINITY}')}")
    scale = f.value(f"fdiv double {float(BINS)}, {width}")
    large = f.value(f"icmp sge i64 %size, {_GROUPED}")
    whole = f.value(f"fcmp oeq double {count}, {f.value('sitofp i64 %size to double')}")
    grouped = f.value(f"and i1 {f.value(f'and i1 {large}, {whole}')}, {divides}")
    plain = f.value(f"and i1 {f.value(f'xor i1 {grouped}, true')}, {divides}")
    rest = f"double {low}, double {scale}, ptr %counts"
    f.when(grouped, lambda: f.line(f"call void @plane_bins.{kind}(ptr %data, i64 %size, {rest})"))
    f.when(plain, lambda: f.line(f"call void @plain_bins.{kind}(ptr %data, i64 0, i64 %size, {rest})"))
    single = f.value(f"xor i1 {divides}, true")
    f.when(single, lambda: f.store("i32", f.value(f"fptoui double {count} to i32"), "%counts"))


def _run() -> Function:
    """What Python calls."""
    f = Function("ptr", "run", "ptr %self, ptr %args, i64 %count")
    objects = [f.load("ptr", f.at("%args", "ptr", at)) for at in range(4)]
    addresses, rows, histograms, outcomes = (f.load("ptr", f.at(o, "i8", DATA)) for o in objects)
    arrays = f.load("i64", f.load("ptr", f.at(objects[0], "i8", AXES)))
    thread = f.value(f"call ptr {_pointer('PyEval_SaveThread')}()")

    def turn(k: str) -> Sequence[str]:
        array = f.value(f"inttoptr i64 {f.load('i64', f.at(addresses, 'i64', k))} to ptr")
        row = f.at(rows, "double", f.value(f"mul i64 {k}, {len(FIGURES)}"))
        counts = f.at(histograms, "i32", f.value(f"mul i64 {k}, {BINS}"))
        outcome = f.value(f"call i8 @one(ptr {array}, ptr {row}, ptr {counts})")
        f.store("i8", outcome, f.at(outcomes, "i8", k))
        return ()

    f.loop("0", arrays, 1, (), turn)
    f.line(f"call void {_pointer('PyEval_RestoreThread')}(ptr {thread})")
    none = pointer(id(None))
    f.line(f"call void {_pointer('Py_IncRef')}(ptr {none})")
    f.ret(f"ptr {none}")
    return f


def _one() -> Function:
    """Fills in the row of one of Python's objects, if it is an array of a kind that is read."""
    f = Function("i8", "one", "ptr %object, ptr %row, ptr %counts")

    def leave_unless(kind: str, place: str, wanted: int, mask: int = -1) -> None:
        bits = f.value(f"and {kind} {f.load(kind, place)}, {mask}")
        f.when(f.value(f"icmp ne {kind} {bits}, {wanted}"), lambda: f.ret(f"i8 {LEFT}"))

    def inside(offset: int) -> str:
        return f.at("%object", "i8", offset)

    is_other = f.value(f"icmp ne ptr {f.load('ptr', inside(TYPE))}, {pointer(id(np.ndarray))}")
    f.when(is_other, lambda: f.ret(f"i8 {LEFT}"))
    leave_unless("i32", inside(FLAGS), CONTIGUOUS, CONTIGUOUS)
    dtype = f.load("ptr", inside(DTYPE))
    leave_unless("i8", f.at(dtype, "i8", ORDER), ord("="))
    number = f.load("i32", f.at(dtype, "i8", KIND))
    data, axes = f.load("ptr", inside(DATA)), f.load("ptr", inside(AXES))

    def multiplied(axis: str, size: str) -> Sequence[str]:
        return [f.value(f"mul i64 {size}, {f.load('i64', f.at(axes, 'i64', axis))}")]

    rank = f.value(f"zext i32 {f.load('i32', inside(RANK))} to i64")
    (size,) = f.loop("0", rank, 1, [("i64", "1")], multiplied)
    f.when(f.value(f"icmp eq i64 {size}, 0"), lambda: f.ret(f"i8 {LEFT}"))

    def read(kind: str) -> None:
        call = f"call i8 @summary.{kind}(ptr {data}, i64 {size}, ptr %row, ptr %counts)"
        f.ret(f"i8 {f.value(call)}")

    for kind, wanted in _NUMBERS.items():
        f.when(f.value(f"icmp eq i32 {number}, {wanted}"), partial(read, kind))
    f.ret(f"i8 {LEFT}")
    return f


def _pointer(name: str) -> str:
    """A function of Python's C interface."""
    return pointer(address_of(name))


# Calls.


class _Work:
    """What NumPy would have taken for all summaries so far, in seconds."""

    seconds = 0.0


_KEPT: Final[list[Any]] = []  # the code lives as long as the process


def summary_kernel(arrays: int, elements: int) -> Kernel | None:
    """What summarises so many more arrays with so many elements in all faster than NumPy does.

    None where there is no compiler, and before so much has come that NumPy has taken as long as loading one takes.
    """
    _Work.seconds += _AN_ARRAY * arrays + _AN_ELEMENT * elements
    return _loaded() if _Work.seconds >= _LOADING else None


@cache
def _loaded() -> Kernel | None:
    if not is_available():
        return None
    try:
        run, keeper = compiled(kernel_text())
    except CompilationError:
        return None
    _KEPT.append(keeper)
    return partial(_summarise, run)


def _summarise(
    run: Callable[..., Any], arrays: Sequence[np.ndarray], figures: np.ndarray, histograms: np.ndarray
) -> np.ndarray:
    """Fill in rows; for each array what became of it."""
    addresses = np.fromiter(map(id, arrays), np.int64, len(arrays))
    outcomes = np.empty(len(arrays), np.int8)
    run(addresses, figures, histograms, outcomes)
    return outcomes
