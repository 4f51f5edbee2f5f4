"""Elementwise ops in machine code: several as one loop, in which what one has made stays in a register for the next.

Only ops whose results IEEE 754 defines to the last bit are here, so that the results are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.graphs.native.code import Code, pointer
from tapeviz.graphs.native.places import COLUMN, EACH, ONE, ROW, Place

__all__ = ["Element", "Group", "Piece", "Reach", "inlined", "kind_of", "write_group"]

_KINDS: Final = {"f4": "float", "f8": "double", "i4": "i32", "i8": "i64", "b1": "i1"}
_BOOL: Final = np.dtype(np.bool_)
_MOST: Final = 250  # members of a group: compiling one loop takes longer the more there are
_WIDE: Final = 4  # bytes: of these a vector has more


def kind_of(dtype: np.dtype) -> str | None:
    """What LLVM calls the numbers of a dtype, None where they are not computed with here."""
    return _KINDS.get(dtype.str[1:]) if dtype.isnative else None


def memory_kind(dtype: np.dtype) -> str:
    """What LLVM calls them in memory."""
    return "i8" if dtype == _BOOL else _KINDS[dtype.str[1:]]


class _Lanes:
    """Writes the computation of some elements at once: ``width`` of them."""

    def __init__(self, code: Code, width: int) -> None:
        self.code = code
        self.width = width

    def kind(self, scalar: str) -> str:
        return scalar if self.width == 1 else f"<{self.width} x {scalar}>"

    def constant(self, scalar: str, value: str) -> str:
        return value if self.width == 1 else f"<{', '.join([f'{scalar} {value}'] * self.width)}>"

    def intrinsic(self, name: str, scalar: str, argument: str) -> str:
        kind = self.kind(scalar)
        suffix = {"float": "f32", "double": "f64"}[scalar]
        full = f"@llvm.{name}.{suffix if self.width == 1 else f'v{self.width}{suffix}'}"
        self.code.declare(f"{kind} {full}({kind})")
        return self.code.value(f"call {kind} {full}({kind} {argument})")

    def spread(self, scalar: str, value: str) -> str:
        """One number in all lanes."""
        if self.width == 1:
            return value
        kind = self.kind(scalar)
        one = self.code.value(f"insertelement {kind} poison, {scalar} {value}, i64 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        return self.code.value(f"shufflevector {kind} {one}, {kind} poison, {zeros}")

    def load(self, address: str, dtype: np.dtype) -> str:
        memory = memory_kind(dtype)
        align = min(dtype.itemsize, 8)
        found = self.code.value(f"load {self.kind(memory)}, ptr {address}, align {align}")
        if dtype != _BOOL:
            return found
        return self.code.value(f"icmp ne {self.kind('i8')} {found}, zeroinitializer") if self.width > 1 else (
            self.code.value(f"icmp ne i8 {found}, 0")
        )  # fmt: skip

    def store(self, value: str, address: str, dtype: np.dtype) -> None:
        memory = memory_kind(dtype)
        if dtype == _BOOL:
            value = self.code.value(f"zext {self.kind('i1')} {value} to {self.kind('i8')}")
        self.code.line(f"store {self.kind(memory)} {value}, ptr {address}, align {dtype.itemsize}")


Writer = Callable[[_Lanes, str, Sequence[str]], str]
"""Writes an op: the lanes, what LLVM calls the operands' numbers, the operands; gives the result."""


def _binary(floats: str, whole: str) -> Writer:
    def write(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
        name = floats if scalar in ("float", "double") else whole
        return lanes.code.value(f"{name} {lanes.kind(scalar)} {operands[0]}, {operands[1]}")

    return write


def _comparison(floats: str, whole: str) -> Writer:
    def write(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
        name = f"fcmp {floats}" if scalar in ("float", "double") else f"icmp {whole}"
        return lanes.code.value(f"{name} {lanes.kind(scalar)} {operands[0]}, {operands[1]}")

    return write


def _intrinsic(name: str) -> Writer:
    return lambda lanes, scalar, operands: lanes.intrinsic(name, scalar, operands[0])


def _negative(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    return lanes.code.value(f"fneg {lanes.kind(scalar)} {operands[0]}")


def _square(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    return lanes.code.value(f"fmul {lanes.kind(scalar)} {operands[0]}, {operands[0]}")


def _reciprocal(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    one = lanes.constant(scalar, "1.0")
    return lanes.code.value(f"fdiv {lanes.kind(scalar)} {one}, {operands[0]}")


def _select(lanes: _Lanes, scalar: str, condition: str, yes: str, no: str) -> str:
    kind = lanes.kind(scalar)
    return lanes.code.value(f"select {lanes.kind('i1')} {condition}, {kind} {yes}, {kind} {no}")


def _relu(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    zero = lanes.constant(scalar, "0.0")
    above = lanes.code.value(f"fcmp ugt {lanes.kind(scalar)} {operands[0]}, {zero}")  # nan is let through
    return _select(lanes, scalar, above, operands[0], zero)


def _relu_grad(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    zero = lanes.constant(scalar, "0.0")
    above = lanes.code.value(f"fcmp ogt {lanes.kind(scalar)} {operands[1]}, {zero}")
    return _select(lanes, scalar, above, operands[0], zero)


def _sigmoid_end(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    one, kind = lanes.constant(scalar, "1.0"), lanes.kind(scalar)
    return lanes.code.value(f"fdiv {kind} {one}, {lanes.code.value(f'fadd {kind} {operands[0]}, {one}')}")


def _where(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    return _select(lanes, scalar, *operands)


def _divide_no_nan(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    kind, zero = lanes.kind(scalar), lanes.constant(scalar, "0.0")
    nothing = lanes.code.value(f"fcmp oeq {kind} {operands[1]}, {zero}")
    return _select(lanes, scalar, nothing, zero, lanes.code.value(f"fdiv {kind} {operands[0]}, {operands[1]}"))


def _squared_difference(lanes: _Lanes, scalar: str, operands: Sequence[str]) -> str:
    difference = lanes.code.value(f"fsub {lanes.kind(scalar)} {operands[0]}, {operands[1]}")
    return _square(lanes, scalar, [difference])


def _cast(source: str, target: str) -> Writer | None:
    """What LLVM calls a cast between two kinds of numbers; None where C leaves open what comes out."""
    name = _CASTS.get((source, target))
    if name is None:
        return None

    def write(lanes: _Lanes, _scalar: str, operands: Sequence[str]) -> str:
        return lanes.code.value(f"{name} {lanes.kind(source)} {operands[0]} to {lanes.kind(target)}")

    return write


def _copy(_lanes: _Lanes, _scalar: str, operands: Sequence[str]) -> str:
    return operands[0]


_ANY: Final[dict[Any, Writer]] = {
    np.equal: _comparison("oeq", "eq"), np.not_equal: _comparison("une", "ne"),
}  # fmt: skip
_NUMBERS: Final[dict[Any, Writer]] = {
    **_ANY, np.add: _binary("fadd", "add"), np.subtract: _binary("fsub", "sub"), np.multiply: _binary("fmul", "mul"),
    np.less: _comparison("olt", "slt"), np.less_equal: _comparison("ole", "sle"),
    np.greater: _comparison("ogt", "sgt"), np.greater_equal: _comparison("oge", "sge"),
}  # fmt: skip
_FLOATS: Final[dict[Any, Writer]] = {
    **_NUMBERS, np.true_divide: _binary("fdiv", ""), np.negative: _negative, np.absolute: _intrinsic("fabs"),
    np.sqrt: _intrinsic("sqrt"), np.square: _square, np.reciprocal: _reciprocal, np.floor: _intrinsic("floor"),
    np.ceil: _intrinsic("ceil"), np.rint: _intrinsic("roundeven"), "relu": _relu, "relu_grad": _relu_grad,
    "sigmoid end": _sigmoid_end, "divide_no_nan": _divide_no_nan, "squared_difference": _squared_difference,
}  # fmt: skip
_TRUTHS: Final[dict[Any, Writer]] = {
    np.logical_and: _binary("", "and"), np.logical_or: _binary("", "or"),
}  # fmt: skip
_CASTS: Final = {
    ("float", "double"): "fpext", ("double", "float"): "fptrunc", ("i32", "i64"): "sext", ("i64", "i32"): "trunc",
    **{("i1", target): "uitofp" for target in ("float", "double")},
    **{("i1", target): "zext" for target in ("i32", "i64")},
    **{(source, target): "sitofp" for source in ("i32", "i64") for target in ("float", "double")},
}  # fmt: skip
_TABLES: Final = {"f": _FLOATS, "i": _NUMBERS, "b": _TRUTHS}


def inlined(what: Any, dtypes: Sequence[np.dtype], result: np.dtype) -> Writer | None:
    """What writes a ufunc, or an op by its name, for operands of these dtypes; None where NumPy must be called."""
    kinds = [kind_of(dtype) for dtype in dtypes]
    if None in kinds:
        return None
    if what == "cast":
        return _cast(str(kinds[0]), str(kind_of(result)))
    if what == "where":
        return _where if kinds[1] == kinds[2] and kinds[1] in ("float", "double") else None
    if any(kind != kinds[0] for kind in kinds):
        return None
    return _copy if what == "copy" else _TABLES[dtypes[0].kind].get(what)


@dataclass(slots=True)
class Element:
    """An elementwise op: what writes it, its operands with how they meet the result, and its result.

    An operand is known by its value's identity; ``place`` is where it is in memory.
    """

    step: Any
    write: Writer
    operands: list[tuple[int, Place, str]]
    value: int
    place: Place
    row: int = 0
    """The length of a row, 0 where there are none."""
    forced: bool = False
    """Whether its result is needed in memory, whoever takes it."""

    def meetings(self) -> list[tuple[Place, str]]:
        """Where its operands are, and how they meet the result."""
        return [(place, how) for _, place, how in self.operands]


class Reach:
    """What ops that go through the same elements read and write: whether one more can go along with them."""

    def __init__(self) -> None:
        self.size = 0
        self.row = 0
        self._written: set[Place] = set()
        self._seen: set[Place] = set()
        self._shared: set[Place] = set()

    def takes(self, operands: Sequence[tuple[Place, str]], place: Place, row: int) -> bool:
        """Whether an op has as many elements, and nothing is overwritten that is read at another index."""
        if self.size not in (0, place.size) or (self.row and row and self.row != row):
            return False
        if any(each.meets(other) for each, how in operands if how != EACH for other in self._written):
            return False
        return not (
            any(place.meets(other) for other in self._seen) or any(_is_within(place, other) for other in self._shared)
        )

    def add(self, operands: Sequence[tuple[Place, str]], place: Place, row: int) -> None:
        """Note an op that goes along."""
        self.size, self.row = place.size, self.row or row
        self._written.add(place)
        self._seen |= {place, *(each for each, _ in operands)}
        self._shared |= {each for each, how in operands if how != EACH}


class Group:
    """Ops of one loop, which begins with this one."""

    def __init__(self, first: Element) -> None:
        self.members = [first]
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


def _is_within(written: Place, shared: Place) -> bool:
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


def base_of(place: Place) -> str:
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
        self._width = 16 if max(dtype.itemsize for dtype in dtypes) <= _WIDE else 8
        self._addresses: dict[tuple[Place, str], str] = {}
        self._numbers: dict[tuple[Any, int], str] = {}

    def write(self) -> None:
        code, total = self._code, self._piece.count
        begins = {EACH: self._piece.first, COLUMN: self._piece.row}
        for place, how in self._places():
            self._addresses[place, how] = code.at(address(code, place), begins.get(how, "0"), memory_kind(place.dtype))
        row = self._group.row or total
        wide = row // self._width * self._width
        for lanes in [_Lanes(code, width) for width in ((self._width,) if wide else ()) + ((1,) if wide < row else ())]:
            self._spread(lanes, ONE, "0")
        if not self._group.row:
            self._row("0", wide, row)
            return
        with code.loop(0, total // row) as number:
            first = code.value(f"mul i64 {number}, {row}") if number != "0" else "0"
            for lanes in [_Lanes(code, w) for w in ((self._width,) if wide else ()) + ((1,) if wide < row else ())]:
                self._spread(lanes, COLUMN, number)
            self._row(first, wide, row)

    def _is_stored(self, member: Element) -> bool:
        return member.forced or member.value in self._stored

    def _places(self) -> list[tuple[Place, str]]:
        found = {meeting: None for member in self._group.members for meeting in member.meetings()}
        found.update(((member.place, EACH), None) for member in self._group.members if self._is_stored(member))
        return list(found)

    def _spread(self, lanes: _Lanes, wanted: str, index: str) -> None:
        """Load what does not change in the loop that follows."""
        places = {place for member in self._group.members for _, place, how in member.operands if how == wanted}
        for place in places:
            where = self._code.at(self._addresses[place, wanted], index, memory_kind(place.dtype))
            number = _Lanes(self._code, 1).load(where, place.dtype)
            self._numbers[place, lanes.width] = lanes.spread(kind_of(place.dtype) or "", number)

    def _row(self, first: str, wide: int, end: int) -> None:
        for width, begin, stop in ((self._width, 0, wide), (1, wide, end)):
            if begin < stop:
                with self._code.loop(begin, stop, width) as column:
                    self._elements(_Lanes(self._code, width), first, column)

    def _elements(self, lanes: _Lanes, first: str, column: str) -> None:
        """Compute some elements of one row."""
        code = self._code
        index = column if first == "0" else code.value(f"add i64 {first}, {column}")
        known: dict[int, str] = {}
        loaded: dict[tuple[Place, str], str] = {}
        for member in self._group.members:
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


def address(code: Code, place: Place) -> str:
    """The address of a place's first element."""
    base = base_of(place)
    return base if place.fixed or not place.first else code.value(f"getelementptr i8, ptr {base}, i64 {place.first}")
