"""Kernels of rows: softmax, what is made of it, and their gradients, each in one pass through memory.

A group of rows that the processor's cache holds goes through all steps, in the order in which NumPy's functions would
take them. Exponentials and logarithms are NumPy's own loops, which are called by address.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tapeviz.native.functions import Function
from tapeviz.native.kernels import kernel_text
from tapeviz.native.lanes import Lanes
from tapeviz.native.row_functions import NUMBER_BYTES, extreme_of_row, in_lanes, of_each_row, piece_functions

__all__ = ["LONGEST", "PIECE", "SHORT", "WRITERS", "column_sums_text", "extremes_text", "sums_text"]

PIECE: Final = 1024
"""Elements that are added up as one piece."""
SHORT: Final = 64
"""Elements of a row below which it is added up as NumPy does."""
LONGEST: Final = 65_536
"""Elements of a row from which on there is no kernel for it."""

_LOOPS: Final = ("exp", "log", "sum")  # NumPy's, each with its address and that of its data
_TOGETHER: Final = 8  # rows that are added to the sums of columns at once


def sums_text(kind: str) -> str:
    """``run(start, stop, x, sums, n)``: the sum of each row of at most :data:`PIECE` numbers."""
    return kernel_text([*piece_functions(kind), of_each_row(kind, "piece")], 2, 0, 1)


def extremes_text(kind: str, relation: str) -> str:
    """``run(start, stop, x, found, n)``: the largest number of each row for "ogt", the smallest for "olt"."""
    return kernel_text([extreme_of_row(kind, relation), of_each_row(kind, "extreme")], 2, 0, 1)


def column_sums_text(kind: str) -> str:
    """``run(start, stop, x, sums, n)``: the sums of columns over some rows, each from the first row to the last."""
    f = Function("void", "block", "i64 %start, i64 %stop, ptr %x, ptr %sums, i64 %n")

    def add(i: str, count: int, *, first: bool = False) -> None:
        rows = [f.at("%x", kind, f.value(f"mul i64 {f.value(f'add i64 {i}, {k}')}, %n")) for k in range(count)]

        def write(j: str, width: int) -> None:
            of, size = Lanes(f, width).kind(kind), NUMBER_BYTES[kind]
            total, *more = (f.load(of, f.at(x, kind, j), size) for x in ([] if first else ["%sums"]) + rows)
            for one in more:
                total = f.value(f"fadd {of} {total}, {one}")
            f.store(of, total, f.at("%sums", kind, j), size)

        in_lanes(f, kind, "%n", write)

    def turn(count: int) -> Callable[[str], Sequence[str]]:
        def write_turn(i: str) -> Sequence[str]:
            add(i, count)
            return ()

        return write_turn

    add("%start", 1, first=True)
    second = f.value("add i64 %start, 1")
    left = f.value(f"sub i64 %stop, {second}")
    whole = f.value(f"add i64 {second}, {f.value(f'and i64 {left}, -{_TOGETHER}')}")
    f.loop(second, whole, _TOGETHER, (), turn(_TOGETHER))
    f.loop(whole, "%stop", 1, (), turn(1))
    f.ret()
    return kernel_text([f], 2, 0, 1)


class _Rows:
    """Writes ``block(start, stop, *arrays, work, n, group, *loops)``.

    ``arrays`` are named; ``work`` is memory for a group of rows, and behind it for a number for each of its rows.
    """

    def __init__(self, kind: str, arrays: Sequence[str]) -> None:
        self.kind, self._arrays = kind, [*arrays, "work"]
        loops = [f"%{name}.{part}" for name in _LOOPS for part in ("code", "data")]
        integers = ["%n", "%group", *loops]
        given = ["i64 %start", "i64 %stop", *(f"ptr %{name}" for name in self._arrays), *(f"i64 {i}" for i in integers)]
        self.f = Function("void", "block", ", ".join(given))
        self._loops = [self.f.value(f"inttoptr i64 {name} to ptr") for name in loops]
        self._integers = len(integers)
        work = self.f.value("mul i64 %group, %n")
        self.numbers = self.f.at("%work", kind, work)
        """Where the number of the first row of a group is."""

    def row(self, name: str, i: str) -> str:
        """The address of a row."""
        return self.f.at(f"%{name}", self.kind, self.f.value(f"mul i64 {i}, %n"))

    def extreme(self, x: str) -> str:
        """The largest number of a row."""
        return self.f.value(f"call {self.kind} @extreme(ptr {x}, i64 %n)")

    def total(self, x: str) -> str:
        """The sum of a row."""
        code, data = self._loops[4:]
        return self.f.value(f"call {self.kind} @total(ptr {x}, i64 %n, ptr {code}, ptr {data})")

    def mapped(self, name: str, x: str, out: str, count: str) -> None:
        """Call a loop of NumPy's for so many numbers."""
        code, data = self._loops[2 * _LOOPS.index(name) : 2 * _LOOPS.index(name) + 2]
        self.f.line(f"call void @mapped(ptr {code}, ptr {data}, ptr {x}, ptr {out}, i64 {count})")

    def each(self, inputs: Sequence[str], out: str, numbers: Sequence[str], body: str) -> None:
        """Compute each element of a row: ``body`` names an operation a line, of ``x0``, ``x1``, ``n0``, ..."""

        def write(i: str, width: int) -> None:
            lanes = Lanes(self.f, width)
            of, size = lanes.kind(self.kind), NUMBER_BYTES[self.kind]
            values = {f"x{k}": self.f.load(of, self.f.at(x, self.kind, i), size) for k, x in enumerate(inputs)}
            values |= {f"n{k}": lanes.spread(self.kind, number) for k, number in enumerate(numbers)}
            for step in body.split(";"):
                to, name, a, b = step.split()
                values[to] = self.f.value(f"{name} {of} {values[a]}, {values[b]}")
            self.f.store(of, values["y"], self.f.at(out, self.kind, i), size)

        in_lanes(self.f, self.kind, "%n", write)

    def groups(self, *stages: Callable[[str, str], None], between: Sequence[Callable[[str, str], None]] = ()) -> str:
        """The whole text: for each group of rows the stages, which write what is done for a row.

        A stage is given the number of a row, and of it within its group. After each but the last, what stands in
        ``between`` is done for the group: it is given the group's first row and how many there are.
        """
        f = self.f

        def group(first: str) -> Sequence[str]:
            end = f.value(f"add i64 {first}, %group")
            short = f.value(f"icmp slt i64 {end}, %stop")
            end = f.value(f"select i1 {short}, i64 {end}, i64 %stop")
            count = f.value(f"sub i64 {end}, {first}")
            for number, stage in enumerate(stages):
                f.loop(first, end, 1, (), self._turn(stage, first))
                if number < len(between):
                    between[number](first, count)
            return ()

        f.loop("%start", "%stop", "%group", (), group)
        f.ret()
        functions = [*piece_functions(self.kind), _total(self.kind), _mapped(self.kind)]
        functions.append(extreme_of_row(self.kind, "ogt"))
        return kernel_text([*functions, f], len(self._arrays), 0, self._integers)

    def _turn(self, stage: Callable[[str, str], None], first: str) -> Callable[[str], Sequence[str]]:
        def write(i: str) -> Sequence[str]:
            stage(i, self.f.value(f"sub i64 {i}, {first}"))
            return ()

        return write


def _called(f: Function, code: str, data: str, pointers: Sequence[str], strides: Sequence[str], count: str) -> None:
    """Call a loop of NumPy's."""
    places, steps, size = (f.value(f"alloca [3 x {kind}]") for kind in ("ptr", "i64", "i64"))
    for k, (pointer, stride) in enumerate(zip(pointers, strides, strict=True)):
        f.store("ptr", pointer, f.at(places, "ptr", k))
        f.store("i64", stride, f.at(steps, "i64", k))
    f.store("i64", count, size)
    f.line(f"call void {code}(ptr {places}, ptr {size}, ptr {steps}, ptr {data})")


def _mapped(kind: str) -> Function:
    f = Function("void", "mapped", "ptr %code, ptr %data, ptr %x, ptr %out, i64 %n")
    _called(f, "%code", "%data", ["%x", "%out"], [str(NUMBER_BYTES[kind])] * 2, "%n")
    f.ret()
    return f


def _total(kind: str) -> Function:
    """The sum of a row in the order that the sums of rows of large arrays have."""
    size = str(NUMBER_BYTES[kind])
    f = Function(kind, "total", "ptr %x, i64 %n, ptr %code, ptr %data")
    pieces = f.value(f"alloca [{LONGEST // PIECE} x {kind}]")
    place = f.value(f"alloca {kind}")
    f.store(kind, "0.0", place)

    def as_numpy(x: str, count: str) -> None:
        _called(f, "%code", "%data", [place, x, place], ["0", size, "0"], count)

    def short() -> None:
        as_numpy("%x", "%n")
        f.ret(f"{kind} {f.load(kind, place)}")

    f.when(f.value(f"icmp slt i64 %n, {SHORT}"), short)
    one_piece = f.value(f"icmp sle i64 %n, {PIECE}")
    f.when(one_piece, lambda: f.ret(f"{kind} " + f.value(f"call {kind} @piece(ptr %x, i64 %n)")))
    count = f.value(f"lshr i64 %n, {PIECE.bit_length() - 1}")

    def piece(i: str) -> Sequence[str]:
        found = f.value(f"call {kind} @piece(ptr {f.at('%x', kind, f.value(f'mul i64 {i}, {PIECE}'))}, i64 {PIECE})")
        f.store(kind, found, f.at(pieces, kind, i))
        return ()

    f.loop("0", count, 1, (), piece)
    as_numpy(pieces, count)
    whole = f.value(f"mul i64 {count}, {PIECE}")
    left = f.value(f"sub i64 %n, {whole}")

    def rest() -> None:
        found = f.value(f"call {kind} @piece(ptr {f.at('%x', kind, whole)}, i64 {left})")
        f.ret(f"{kind} " + f.value(f"fadd {kind} {f.load(kind, place)}, {found}"))

    f.when(f.value(f"icmp sgt i64 {left}, 0"), rest)
    f.ret(f"{kind} {f.load(kind, place)}")
    return f


def _softmax(kind: str) -> str:
    r = _Rows(kind, ["x", "out"])

    def below(i: str, _k: str) -> None:
        x = r.row("x", i)
        r.each([x], r.row("out", i), [r.extreme(x)], "y fsub x0 n0")

    def shares(i: str, _k: str) -> None:
        out = r.row("out", i)
        r.each([out], out, [r.total(out)], "y fdiv x0 n0")

    return r.groups(below, shares, between=[lambda first, count: _powers(r, "out", "out", first, count)])


def _powers(r: _Rows, source: str, target: str, first: str, count: str) -> None:
    """The exponentials of a group's rows; in ``work`` a group begins at the first place."""
    places = ["%work" if name == "work" else r.row(name, first) for name in (source, target)]
    r.mapped("exp", places[0], places[1], r.f.value(f"mul i64 {count}, %n"))


def _log_softmax(kind: str) -> str:
    r = _Rows(kind, ["x", "out"])

    def below(i: str, _k: str) -> None:
        x = r.row("x", i)
        r.each([x], r.row("out", i), [r.extreme(x)], "y fsub x0 n0")

    def totals(_i: str, k: str) -> None:
        r.f.store(kind, r.total(r.row("work", k)), r.f.at(r.numbers, kind, k))

    def logarithms(i: str, k: str) -> None:
        out = r.row("out", i)
        r.each([out], out, [r.f.load(kind, r.f.at(r.numbers, kind, k))], "y fsub x0 n0")

    return r.groups(
        below, totals, logarithms,
        between=[
            lambda first, count: _powers(r, "out", "work", first, count),
            lambda _first, count: r.mapped("log", r.numbers, r.numbers, count),
        ],
    )  # fmt: skip


def _label_losses(kind: str) -> str:
    r = _Rows(kind, ["x", "labels", "out"])
    f = r.f

    def below(i: str, k: str) -> None:
        x, work = r.row("x", i), r.row("work", k)
        r.each([x], work, [r.extreme(x)], "y fsub x0 n0")
        label = f.load("i64", f.at("%labels", "i64", i))
        f.store(kind, f.load(kind, f.at(work, kind, label)), f.at("%out", kind, i))

    def totals(_i: str, k: str) -> None:
        f.store(kind, r.total(r.row("work", k)), f.at(r.numbers, kind, k))

    def losses(i: str, k: str) -> None:
        out = f.at("%out", kind, i)
        share = f.value(f"fsub {kind} {f.load(kind, out)}, {f.load(kind, f.at(r.numbers, kind, k))}")
        f.store(kind, f.value(f"fneg {kind} {share}"), out)

    return r.groups(
        below, totals, losses,
        between=[
            lambda first, count: _powers(r, "work", "work", first, count),
            lambda _first, count: r.mapped("log", r.numbers, r.numbers, count),
        ],
    )  # fmt: skip


def _loss_gradient(kind: str) -> str:
    r = _Rows(kind, ["x", "g", "labels", "out"])
    f = r.f

    def below(i: str, _k: str) -> None:
        x = r.row("x", i)
        r.each([x], r.row("out", i), [r.extreme(x)], "y fsub x0 n0")

    def shares(i: str, _k: str) -> None:
        out, g = r.row("out", i), f.load(kind, f.at("%g", kind, i))
        total = r.total(out)
        place = f.at(out, kind, f.load("i64", f.at("%labels", "i64", i)))
        share = f.value(f"fdiv {kind} {f.load(kind, place)}, {total}")
        r.each([out], out, [total, g], "y fdiv x0 n0; y fmul y n1")
        f.store(kind, f.value(f"fmul {kind} {f.value(f'fsub {kind} {share}, 1.0')}, {g}"), place)

    return r.groups(below, shares, between=[lambda first, count: _powers(r, "out", "out", first, count)])


def _softmax_gradient(kind: str) -> str:
    r = _Rows(kind, ["g", "y", "out"])

    def gradient(i: str, _k: str) -> None:
        g, y, out = r.row("g", i), r.row("y", i), r.row("out", i)
        r.each([g, y], out, [], "y fmul x0 x1")
        r.each([g, y], out, [r.total(out)], "y fsub x0 n0; y fmul y x1")

    return r.groups(gradient)


def _log_softmax_gradient(kind: str) -> str:
    r = _Rows(kind, ["g", "y", "out"])

    def nothing(_i: str, _k: str) -> None:
        """Exponentials come first."""

    def gradient(i: str, _k: str) -> None:
        g, out = r.row("g", i), r.row("out", i)
        r.each([g, out], out, [r.total(g)], "y fmul x1 n0; y fsub x0 y")

    return r.groups(nothing, gradient, between=[lambda first, count: _powers(r, "y", "out", first, count)])


WRITERS: Final[dict[str, Callable[[str], str]]] = {
    "softmax": _softmax, "softmax_gradient": _softmax_gradient, "log_softmax": _log_softmax,
    "log_softmax_gradient": _log_softmax_gradient, "label_losses": _label_losses, "loss_gradient": _loss_gradient,
}  # fmt: skip
"""By name, what writes a kernel for a kind of numbers: ``run(start, stop, *arrays, work, n, group, *loops)``."""
