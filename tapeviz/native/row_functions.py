"""Functions on one row of numbers, for kernels: its sum in the order of large sums, its largest element, its steps.

The sum of a piece is added up as NumPy's ``einsum`` does on processors with vectors of 16 bytes: vectors four by four,
then those that are left, then the lanes of the total in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tapeviz.native.functions import Function

__all__ = ["NUMBER_BYTES", "extreme_of_row", "in_lanes", "of_each_row", "piece_functions"]

NUMBER_BYTES: Final = {"float": 4, "double": 8}
"""The kinds of numbers that rows have, and the bytes of one."""

_LETTERS: Final = {"float": "f32", "double": "f64"}
_NARROW: Final = 16  # bytes of a vector that sums have
_WIDE: Final = 64  # of one that all else has
_AHEAD: Final = 4096  # bytes, so that a row is in the cache when its sum begins
_ENDS: Final = {"ogt": "0xFFF0000000000000", "olt": "0x7FF0000000000000"}
_NAN: Final = "0x7FF8000000000000"


def piece_functions(kind: str) -> list[Function]:
    """``piece``, the sum of so many numbers, and ``rest``, which it ends with: from an index on, with what there is."""
    count = _NARROW // NUMBER_BYTES[kind]
    vector = f"<{count} x {kind}>"
    rest = _rest(kind, count, vector)
    f = Function(kind, "piece", "ptr %x, i64 %n")
    even = f.value(f"and i64 %n, -{4 * count}")

    def turn(i: str, total: str) -> Sequence[str]:
        place = f.at("%x", kind, i)
        f.fetch(place, _AHEAD)
        a, b, c, d = (f.load(vector, f.at(place, kind, number * count), NUMBER_BYTES[kind]) for number in range(4))
        first, second = f.value(f"fadd {vector} {a}, {b}"), f.value(f"fadd {vector} {c}, {d}")
        return [f.value(f"fadd {vector} {total}, {f.value(f'fadd {vector} {first}, {second}')}")]

    (total,) = f.loop("0", even, 4 * count, [(vector, "zeroinitializer")], turn)
    f.ret(f"{kind} " + f.value(f"call {kind} @rest(ptr %x, i64 %n, i64 {even}, {vector} {total})"))
    return [rest, f]


def _rest(kind: str, count: int, vector: str) -> Function:
    f = Function(kind, "rest", f"ptr %x, i64 %n, i64 %first, {vector} %total")
    mask, masked = f"<{count} x i1>", f"@llvm.masked.load.v{count}{_LETTERS[kind]}.p0"
    f.declare(f"{vector} {masked}(ptr, i32, {mask}, {vector})")
    numbers = f"<{', '.join(f'i64 {number}' for number in range(count))}>"

    def turn(i: str, total: str) -> Sequence[str]:
        left = f.value(f"insertelement <{count} x i64> poison, i64 {f.value(f'sub i64 %n, {i}')}, i32 0")
        zeros = f"<{count} x i32> zeroinitializer"
        left = f.value(f"shufflevector <{count} x i64> {left}, <{count} x i64> poison, {zeros}")
        there = f.value(f"icmp slt <{count} x i64> {numbers}, {left}")
        rest = f"i32 {NUMBER_BYTES[kind]}, {mask} {there}, {vector} zeroinitializer"
        found = f.value(f"call {vector} {masked}(ptr {f.at('%x', kind, i)}, {rest})")
        return [f.value(f"fadd {vector} {total}, {found}")]

    (total,) = f.loop("%first", "%n", count, [(vector, "%total")], turn)
    lanes = [f.value(f"extractelement {vector} {total}, i32 {number}") for number in range(count)]
    while len(lanes) > 1:
        lanes = [f.value(f"fadd {kind} {a}, {b}") for a, b in zip(lanes[::2], lanes[1::2], strict=True)]
    f.ret(f"{kind} {lanes[0]}")
    return f


def of_each_row(kind: str, function: str) -> Function:
    """``block(start, stop, x, out, n)``: what a function gives of each row of ``n`` numbers."""
    f = Function("void", "block", "i64 %start, i64 %stop, ptr %x, ptr %out, i64 %n")

    def one(i: str) -> Sequence[str]:
        place = f.at("%x", kind, f.value(f"mul i64 {i}, %n"))
        f.store(kind, f.value(f"call {kind} @{function}(ptr {place}, i64 %n)"), f.at("%out", kind, i))
        return ()

    f.loop("%start", "%stop", 1, (), one)
    f.ret()
    return f


def extreme_of_row(kind: str, relation: str) -> Function:
    """``extreme``: the element that stands in this relation to all others, 0 without a sign; NaN where there is one."""
    f = Function(kind, "extreme", "ptr %x, i64 %n")
    count, size = _WIDE // NUMBER_BYTES[kind], NUMBER_BYTES[kind]
    vector = f"<{count} x {kind}>"

    def better(of: str, value: str, so_far: str) -> str:
        condition = f.value(f"fcmp {relation} {of} {value}, {so_far}")
        kind_of_condition = f"<{count} x i1>" if of == vector else "i1"
        return f.value(f"select {kind_of_condition} {condition}, {of} {value}, {of} {so_far}")

    def turn(i: str, a: str, b: str, bad: str) -> Sequence[str]:
        place = f.at("%x", kind, i)
        x, y = f.load(vector, place, size), f.load(vector, f.at(place, kind, count), size)
        unknown = f.value(f"fcmp uno {vector} {x}, {y}")
        return [better(vector, x, a), better(vector, y, b), f.value(f"or <{count} x i1> {bad}, {unknown}")]

    start = f"<{', '.join([f'{kind} {_ENDS[relation]}'] * count)}>"
    even = f.value(f"and i64 %n, -{2 * count}")
    carried = [(vector, start), (vector, start), (f"<{count} x i1>", "zeroinitializer")]
    a, b, bad = f.loop("0", even, 2 * count, carried, turn)
    lanes = better(vector, a, b)
    while count > 1:
        count //= 2
        vector = f"<{count} x {kind}>"
        halves = [_part(f, kind, lanes, 2 * count, first) for first in (0, count)]
        lanes = better(vector, *halves)
    found_one = f.value(f"extractelement {vector} {lanes}, i32 0")
    flags = f"i{_WIDE // size}"
    bad = f.value(f"icmp ne {flags} {f.value(f'bitcast <{_WIDE // size} x i1> {bad} to {flags}')}, 0")

    def single(i: str, so_far: str, bad: str) -> Sequence[str]:
        x = f.load(kind, f.at("%x", kind, i))
        unknown = f.value(f"fcmp uno {kind} {x}, {x}")
        return [better(kind, x, so_far), f.value(f"or i1 {bad}, {unknown}")]

    one, bad = f.loop(even, "%n", 1, [(kind, found_one), ("i1", bad)], single)
    plain = f.value(f"fadd {kind} {one}, 0.0")
    f.ret(f"{kind} " + f.value(f"select i1 {bad}, {kind} {_NAN}, {kind} {plain}"))
    return f


def _part(f: Function, kind: str, vector: str, size: int, first: int) -> str:
    places = ", ".join(f"i32 {place}" for place in range(first, first + size // 2))
    of = f"<{size} x {kind}>"
    return f.value(f"shufflevector {of} {vector}, {of} poison, <{size // 2} x i32> <{places}>")


def in_lanes(f: Function, kind: str, n: str, write: Callable[[str, int], None]) -> None:
    """Write what is done for the elements of a row, several at once as long as there are as many, then one by one."""
    first, count = "0", _WIDE // NUMBER_BYTES[kind]

    def turn(width: int) -> Callable[[str], Sequence[str]]:
        def write_turn(i: str) -> Sequence[str]:
            write(i, width)
            return ()

        return write_turn

    for width in (count, count // 2, count // 4, 1) if count // 4 > 1 else (count, count // 2, 1):
        end = f.value(f"and i64 {n}, -{width}")
        f.loop(first, end, width, (), turn(width))
        first = end
