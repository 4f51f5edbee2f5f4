"""Sums of products in machine code: a tile of results stays in registers while all their products are added to it.

A tile is some places along one axis times some vectors of results next to each other in memory. For each product an
element of the one operand is spread over a vector and multiplied with vectors of the other, in one rounding with the
addition. Each result is one chain of these, in the order of memory: it has the same bits whatever the tile's size, the
vector's and the number of threads are.

`sliding` serves convolutions, their gradients by the input, and products of matrices: places are windows.
`gathering` serves gradients by filters: places are elements of the filter, and products come from all windows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from tapeviz.native.functions import Function
from tapeviz.native.machine import code_of, is_available, vectors

__all__ = ["KINDS", "Call", "Tile", "are_possible", "called", "gathering", "share", "sliding", "tile_of"]

Call = Callable[..., None]

KINDS: Final = {4: "float", 8: "double"}
"""LLVM's names of numbers, by their bytes."""
_WIDEST: Final = {32: 4, 16: 2}  # vectors of a tile, by how many the processor keeps
_LONGEST: Final = 12  # places: with more of them the processor runs out of places for their addresses


class Tile(NamedTuple):
    """What a tile is made of."""

    itemsize: int
    lanes: int
    """Elements of a vector."""
    places: int
    """At most."""
    width: int
    """Vectors."""

    @property
    def elements(self) -> int:
        """How many results next to each other a tile has."""
        return self.lanes * self.width


def are_possible() -> bool:
    """Whether code can be made here, and the processor multiplies and adds at once."""
    return is_available() and vectors()[0] > 0


@lru_cache(maxsize=256)
def tile_of(itemsize: int, results: int) -> Tile:
    """The tile for so many results next to each other: as few tiles as possible, and equally wide ones."""
    nbytes, kept = vectors()
    lanes = nbytes // itemsize
    count = -(-results // lanes)
    width = -(-count // -(-count // _WIDEST[kept]))
    return Tile(itemsize, lanes, min(_LONGEST, (kept - 2 - width) // width), width)


@lru_cache(maxsize=256)
def share(count: int, most: int) -> tuple[int, int, int]:
    """``count`` in as few parts as possible: how long they are, how many are as long, and how many are one shorter."""
    parts = -(-count // most)
    length = -(-count // parts)
    few = parts * length - count
    return length, parts - few, few


def called(text: str, count: int) -> Call:
    """What a text says as a function of so many addresses and numbers, which lets other threads run."""
    code = code_of(text)
    function: Any = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * count)(code.address)
    function.code = code
    return function  # type: ignore[no-any-return]


class _Writer:
    """Writes what both functions have in common: vectors, masks at the end of the results, sums."""

    def __init__(self, tile: Tile, constants: str, parameters: str, *, masked: bool) -> None:
        self.tile, self.masked = tile, masked
        self.element = KINDS[tile.itemsize]
        self.vector = f"<{tile.lanes} x {self.element}>"
        self.mask = f"<{tile.lanes} x i1>"
        self.f = Function("void", "run", ", ".join(f"{kind} %{name}" for kind, name in _kinds("p same, " + parameters)))
        for number, (kind, name) in enumerate(_kinds(constants)):
            self.f.line(f"%{name} = load {kind}, ptr {self.f.at('%same', 'i64', number)}")

    def text(self) -> str:
        """All that LLVM is to be told."""
        self.f.ret()
        lanes, vector, mask = self.tile.lanes, self.vector, self.mask
        name = f"v{lanes}f{8 * self.tile.itemsize}"
        wide = f'attributes #0 = {{ "min-legal-vector-width"="{8 * vectors()[0]}" }}'
        declared = (
            f"declare {vector} @llvm.fma.{name}({vector}, {vector}, {vector})",
            f"declare {vector} @llvm.masked.load.{name}.p0(ptr, i32, {mask}, {vector})",
            f"declare void @llvm.masked.store.{name}.p0({vector}, ptr, i32, {mask})",
        )
        return "\n".join([*declared, wide, str(self.f).replace(") {", ") #0 {", 1)])

    def times(self, *factors: str | int) -> str:
        """The product of whole numbers."""
        result = str(factors[0])
        for factor in factors[1:]:
            result = self.f.value(f"mul i64 {result}, {factor}")
        return result

    def at(self, pointer: str, index: str | int) -> str:
        """The address of an element."""
        return self.f.at(pointer, self.element, index)

    def masks(self, left: str) -> list[str]:
        """For each vector of a tile which of its elements are results, where so many are left."""
        if not self.masked:
            return [""] * self.tile.width
        lanes = self.tile.lanes
        first = self.f.value(f"insertelement <{lanes} x i64> poison, i64 {left}, i32 0")
        wanted = self.f.value(
            f"shufflevector <{lanes} x i64> {first}, <{lanes} x i64> poison, <{lanes} x i32> zeroinitializer"
        )
        numbers = [range(start, start + lanes) for start in range(0, self.tile.elements, lanes)]
        listed = [", ".join(f"i64 {number}" for number in some) for some in numbers]
        return [self.f.value(f"icmp sgt <{lanes} x i64> {wanted}, <{some}>") for some in listed]

    def load(self, pointer: str, masks: Sequence[str] = ()) -> list[str]:
        """The vectors of a tile's width that lie here; where masks are given, of their elements."""
        places = [self.at(pointer, number * self.tile.lanes) for number in range(self.tile.width)]
        if not any(masks):
            return [self.f.load(self.vector, place, self.tile.itemsize) for place in places]
        call = f"call {self.vector} @llvm.masked.load.v{self.tile.lanes}f{8 * self.tile.itemsize}.p0"
        rest = f"i32 {self.tile.itemsize}"
        return [
            self.f.value(f"{call}(ptr {place}, {rest}, {self.mask} {mask}, {self.vector} zeroinitializer)")
            for place, mask in zip(places, masks, strict=True)
        ]

    def store(self, values: Sequence[str], pointer: str, masks: Sequence[str]) -> None:
        """Put vectors of a tile's width here."""
        for number, (value, mask) in enumerate(zip(values, masks, strict=True)):
            place = self.at(pointer, number * self.tile.lanes)
            if mask:
                name, align = f"@llvm.masked.store.v{self.tile.lanes}f{8 * self.tile.itemsize}.p0", self.tile.itemsize
                self.f.line(f"call void {name}({self.vector} {value}, ptr {place}, i32 {align}, {self.mask} {mask})")
            else:
                self.f.store(self.vector, value, place, self.tile.itemsize)

    def add_products(self, sums: Sequence[str], elements: Sequence[str], vectors: Sequence[str]) -> list[str]:
        """The sums after one product each: each element times each vector."""
        lanes, vector, made = self.tile.lanes, self.vector, []
        for place, pointer in enumerate(elements):
            first = self.f.value(f"insertelement {vector} poison, {self.element} {self.scalar(pointer)}, i32 0")
            spread = self.f.value(f"shufflevector {vector} {first}, {vector} poison, <{lanes} x i32> zeroinitializer")
            for number, other in enumerate(vectors):
                total = sums[place * len(vectors) + number]
                made.append(
                    self.f.value(
                        f"call {vector} @llvm.fma.v{lanes}f{8 * self.tile.itemsize}"
                        f"({vector} {spread}, {vector} {other}, {vector} {total})"
                    )
                )
        return made

    def scalar(self, pointer: str) -> str:
        """One element."""
        return self.f.load(self.element, pointer, self.tile.itemsize)

    def zeros(self, places: int) -> list[tuple[str, str]]:
        """What the sums of so many places begin with."""
        return [(self.vector, "zeroinitializer")] * (places * self.tile.width)

    def tiles(self, results: str, write: Callable[[str, list[str]], None]) -> None:
        """For each tile's width of the results: at which it begins, and which of its elements are results."""

        def one(first: str) -> Sequence[str]:
            left = self.f.value(f"sub i64 {results}, {first}") if self.masked else ""
            write(first, self.masks(left))
            return ()

        self.f.loop("0", results, self.tile.elements, [], one)

    def parts(self, places: int, pointers: Sequence[str], write: Callable[..., Sequence[str]]) -> None:
        """``%many`` times for so many places, and ``%few`` times for one fewer; pointers are carried along."""
        carried = [("ptr", pointer) for pointer in pointers]
        moved = self.f.loop("0", "%many", 1, carried, lambda _, *now: write(places, *now))
        if places > 1:
            again = [("ptr", pointer) for pointer in moved]
            self.f.loop("0", "%few", 1, again, lambda _, *now: write(places - 1, *now))


_SLIDING: Final = "p w, p y, p x_rows, p y_rows, i many, i few, p taps, i count, i length, i step, i y_step, i results"


@lru_cache(maxsize=512)
def sliding(tile: Tile, places: int, *, masked: bool) -> Call:
    """``y[row, place] = sum(x[row + place * step + tap + i] * w[tap * length + i])`` over taps and ``i`` < length.

    It takes the address of a list of what is the same for all calls, ``x``, the first row, and how many rows. Rows and
    taps are lists of distances in elements. ``w`` has for each tile's width of the results a matrix of its own. ``y``
    has as many elements as ``y_step`` from place to place. ``places`` are those of a tile; ``many`` tiles of a row have
    as many, ``few`` one fewer.
    """
    writer = _Writer(tile, _SLIDING, "p x, i first, i rows", masked=masked)
    f = writer.f

    def write_tile(count: int, masks: list[str], w: str, x: str, y: str) -> Sequence[str]:
        def tap(number: str, *carried: str) -> Sequence[str]:
            start = writer.at(x, f.load("i64", f.at("%taps", "i64", number)))
            starts = [writer.at(start, writer.times("%step", place)) for place in range(count)]

            def inner(i: str, line: str, *sums: str) -> Sequence[str]:
                elements = [writer.at(start, i) for start in starts]
                added = writer.add_products(sums, elements, writer.load(line))
                return [writer.at(line, tile.elements), *added]

            return f.loop("0", "%length", 1, [("ptr", carried[0]), *_typed(writer, carried[1:])], inner)

        sums = f.loop("0", "%count", 1, [("ptr", w), *writer.zeros(count)], tap)[1:]
        for place in range(count):
            part = sums[place * tile.width : (place + 1) * tile.width]
            writer.store(part, writer.at(y, writer.times("%y_step", place)), masks)
        return [writer.at(x, writer.times("%step", count)), writer.at(y, writer.times("%y_step", count))]

    def across(first: str, masks: list[str]) -> None:
        w = writer.at("%w", writer.times("%count", "%length", first))

        def row(number: str) -> Sequence[str]:
            x, y = (_row(writer, name, number) for name in "xy")
            writer.parts(places, [x, writer.at(y, first)], lambda count, *now: write_tile(count, masks, w, *now))
            return ()

        f.loop("%first", stop, 1, [], row)

    stop = f.value("add i64 %first, %rows")
    writer.tiles("%results", across)
    return called(writer.text(), 4)


_GATHERING: Final = (
    "p x, p g, p x_rows, p g_rows, i many, i few, p taps, i length, i windows, i x_step, i g_step, i y_step, i results"
)


@lru_cache(maxsize=512)
def gathering(tile: Tile, places: int, *, masked: bool) -> Call:
    """``y[tap * length + i] = sum(x[row + window * x_step + tap + i] * g[row + window * g_step])``.

    The sum goes over the rows and their windows. It takes the address of a list of what is the same for all calls,
    ``y``, the first row, how many rows, the first tap, and the one after the last. ``places`` are those of a tile along
    ``i``, as in :func:`sliding`.
    """
    writer = _Writer(tile, _GATHERING, "p y, i first, i rows, i first_tap, i stop_tap", masked=masked)
    f = writer.f

    def write_tile(count: int, masks: list[str], first: str, x: str, y: str) -> Sequence[str]:
        def row(number: str, *sums: str) -> Sequence[str]:
            here, g = (f.load("i64", f.at(f"%{name}_rows", "i64", number)) for name in "xg")

            def window(_: str, x: str, g: str, *sums: str) -> Sequence[str]:
                elements = [writer.at(x, place) for place in range(count)]
                added = writer.add_products(sums, elements, writer.load(g, masks))
                return [writer.at(x, "%x_step"), writer.at(g, "%g_step"), *added]

            pointers = [("ptr", writer.at(x, here)), ("ptr", writer.at(writer.at("%g", g), first))]
            return f.loop("0", "%windows", 1, [*pointers, *_typed(writer, sums)], window)[2:]

        lines = [writer.at(y, writer.times("%y_step", place)) for place in range(count)]
        sums = f.loop("%first", stop, 1, writer.zeros(count), row)
        for place in range(count):
            part = sums[place * tile.width : (place + 1) * tile.width]
            writer.store(part, lines[place], masks)
        return [writer.at(x, count), writer.at(y, writer.times("%y_step", count))]

    def across(first: str, masks: list[str]) -> None:
        def tap(number: str) -> Sequence[str]:
            x = writer.at("%x", f.load("i64", f.at("%taps", "i64", number)))
            y = writer.at(writer.at("%y", writer.times(number, "%length", "%y_step")), first)
            writer.parts(places, [x, y], lambda count, *now: write_tile(count, masks, first, *now))
            return ()

        f.loop("%first_tap", "%stop_tap", 1, [], tap)

    stop = f.value("add i64 %first, %rows")
    writer.tiles("%results", across)
    return called(writer.text(), 6)


def _row(writer: _Writer, name: str, number: str) -> str:
    f = writer.f
    return writer.at(f"%{name}", f.load("i64", f.at(f"%{name}_rows", "i64", number)))


def _typed(writer: _Writer, sums: Sequence[str]) -> list[tuple[str, str]]:
    return [(writer.vector, value) for value in sums]


def _kinds(parameters: str) -> list[tuple[str, str]]:
    """LLVM's types of named addresses and numbers."""
    words = [each.split() for each in parameters.split(", ")]
    return [({"p": "ptr", "i": "i64"}[kind], name) for kind, name in words]
