"""Elementwise ops in machine code: several as one loop, in which what one has made stays in a register for the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tapeviz.graphs.native.code import Code
from tapeviz.graphs.native.operands import COLUMN, EACH, ONE, ROW, MemoryRef
from tapeviz.native.addresses import pointer
from tapeviz.native.lanes import Lanes, Writer, kind_of, memory_kind
from tapeviz.process.background import checkpoint

__all__ = ["Element", "Group", "Piece", "Reach", "address", "write_group"]

_MOST: Final = 250  # members of a group: compiling one loop takes longer the more there are
_WIDE: Final = 4  # bytes: of these a vector has more
# Elements at once: several vectors, so that a processor can begin with the next one while it waits for the first.
_WIDTHS: Final = ((64, 16, 4, 1), (32, 8, 2, 1))


@dataclass(slots=True)
class Element:
    """An elementwise op: what writes it, its operands with how they meet the result, and its result.

    An operand is known by its value's identity; ``place`` is where it is in memory.
    """

    step: Any
    write: Writer
    operands: list[tuple[int, MemoryRef, str]]
    value: int
    place: MemoryRef
    row: int = 0
    """The length of a row, 0 where there are none."""
    forced: bool = False
    """Whether its result is needed in memory, whoever takes it."""

    def meetings(self) -> list[tuple[MemoryRef, str]]:
        """Where its operands are, and how they meet the result."""
        return [(place, how) for _, place, how in self.operands]


class Reach:
    """What ops that go through the same elements read and write: whether one more can go along with them."""

    def __init__(self) -> None:
        self.size: int = 0
        self.row: int = 0
        self._written: set[MemoryRef] = set()
        self._seen: set[MemoryRef] = set()
        self._shared: set[MemoryRef] = set()

    def takes(self, operands: Sequence[tuple[MemoryRef, str]], place: MemoryRef, row: int) -> bool:
        """Whether an op has as many elements, and nothing is overwritten that is read at another index."""
        if self.size not in (0, place.size) or (self.row and row and self.row != row):
            return False
        if any(each.meets(other) for each, how in operands if how != EACH for other in self._written):
            return False
        return not (
            any(place.meets(other) for other in self._seen) or any(_is_within(place, other) for other in self._shared)
        )

    def add(self, operands: Sequence[tuple[MemoryRef, str]], place: MemoryRef, row: int) -> None:
        """Note an op that goes along."""
        self.size, self.row = place.size, self.row or row
        self._written.add(place)
        self._seen |= {place, *(each for each, _ in operands)}
        self._shared |= {each for each, how in operands if how != EACH}


class Group:
    """Ops of one loop, which begins with this one."""

    def __init__(self, first: Element) -> None:
        self.members: list[Element] = [first]
        self._reach = Reach()
        self._reach.add(first.meetings(), first.place, first.row)

    @property
    def row(self) -> int:
        """The length of a row, 0 where there are none."""
        return self._reach.row

    def took(self, new: Element) -> bool:
        """Let an op join if it can."""
        if len(self.members) >= _MOST or not self._reach.takes(new.meetings(), new.place, new.row):
            return False
        self.members.append(new)
        self._reach.add(new.meetings(), new.place, new.row)
        return True


def _is_within(written: MemoryRef, shared: MemoryRef) -> bool:
    return (written.base, written.fixed) == (shared.base, shared.fixed) and (
        written.first < shared.end and shared.first < written.end
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of the elements: ``count`` of them, which begin with number ``first``, in row ``row``."""

    first: str
    row: str
    count: int


def write_group(code: Code, group: Group, stored: set[int], piece: Piece | None = None) -> None:
    """Write a loop through all elements or a piece. ``stored`` has the values that somebody outside needs."""
    _Loop(code, group, stored, piece or Piece("0", "0", group.members[0].place.size)).write()


def base_of(place: MemoryRef) -> str:
    """The address of a place's first element as an expression."""
    return pointer(place.base + place.first) if place.fixed else f"%a{place.base}"


class _Loop:
    """Writes the loop of a group."""

    def __init__(self, code: Code, group: Group, stored: set[int], piece: Piece) -> None:
        self._code = code
        self._piece = piece
        self._group = group
        self._stored = stored
        dtypes = {member.place.dtype for member in group.members}
        dtypes |= {place.dtype for member in group.members for _, place, _ in member.operands}
        self._widths = _WIDTHS[max(dtype.itemsize for dtype in dtypes) > _WIDE]
        self._addresses: dict[tuple[MemoryRef, str], str] = {}
        self._numbers: dict[tuple[Any, int], str] = {}

    def write(self) -> None:
        code, total = self._code, self._piece.count
        begins = {EACH: self._piece.first, COLUMN: self._piece.row}
        for place, how in self._places():
            self._addresses[place, how] = code.at(address(code, place), begins.get(how, "0"), memory_kind(place.dtype))
        row = self._group.row or total
        stretches = self._stretches(row)
        for lanes, _, _ in stretches:
            self._spread(lanes, ONE, "0")
        if not self._group.row:
            self._row("0", stretches)
            return
        with code.loop(0, total // row) as number:
            first = code.value(f"mul i64 {number}, {row}") if number != "0" else "0"
            for lanes, _, _ in stretches:
                self._spread(lanes, COLUMN, number)
            self._row(first, stretches)

    def _stretches(self, row: int) -> list[tuple[Lanes, int, int]]:
        """A row in stretches with fewer and fewer elements at once, the last ones one by one."""
        found, begin = [], 0
        for width in self._widths:
            end = begin + (row - begin) // width * width
            if begin < end:
                found.append((Lanes(self._code, width), begin, end))
            begin = end
        return found

    def _is_stored(self, member: Element) -> bool:
        return member.forced or member.value in self._stored

    def _places(self) -> list[tuple[MemoryRef, str]]:
        found = {meeting: None for member in self._group.members for meeting in member.meetings()}
        found.update(((member.place, EACH), None) for member in self._group.members if self._is_stored(member))
        return list(found)

    def _spread(self, lanes: Lanes, wanted: str, index: str) -> None:
        """Load what does not change in the loop that follows."""
        places = [place for member in self._group.members for _, place, how in member.operands if how == wanted]
        for place in dict.fromkeys(places):
            where = self._code.at(self._addresses[place, wanted], index, memory_kind(place.dtype))
            number = Lanes(self._code, 1).load(where, place.dtype)
            self._numbers[place, lanes.width] = lanes.spread(kind_of(place.dtype) or "", number)

    def _row(self, first: str, stretches: Sequence[tuple[Lanes, int, int]]) -> None:
        for lanes, begin, end in stretches:
            with self._code.loop(begin, end, lanes.width) as column:
                self._elements(lanes, first, column)

    def _elements(self, lanes: Lanes, first: str, column: str) -> None:
        """Compute some elements of one row."""
        code = self._code
        index = column if first == "0" else code.value(f"add i64 {first}, {column}")
        known: dict[int, str] = {}
        loaded: dict[tuple[MemoryRef, str], str] = {}
        for member in self._group.members:
            checkpoint()
            operands = []
            for key, place, how in member.operands:
                found = known.get(key) if how == EACH else self._numbers.get((place, lanes.width))
                if how == ROW:
                    found = None
                if found is None and (found := loaded.get((place, how))) is None:
                    where = code.at(
                        self._addresses[place, how], index if how == EACH else column, memory_kind(place.dtype)
                    )
                    found = loaded[place, how] = lanes.load(where, place.dtype)
                operands.append(found)
            scalar = kind_of(member.operands[-1][1].dtype) or ""
            made = known[member.value] = member.write(lanes, scalar, operands)
            if self._is_stored(member):
                where = code.at(self._addresses[member.place, EACH], index, memory_kind(member.place.dtype))
                lanes.store(made, where, member.place.dtype)
                for old in [key for key in loaded if key[0] == member.place]:
                    del loaded[old]


def address(code: Code, place: MemoryRef) -> str:
    """The address of a place's first element."""
    base = base_of(place)
    return base if place.fixed or not place.first else code.value(f"getelementptr i8, ptr {base}, i64 {place.first}")
