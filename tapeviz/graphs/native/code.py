"""The text of a function in LLVM's language: lines, names, loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from tapeviz.native.addresses import pointer
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
    address_of,
)

__all__ = ["Code", "ShapeDtype"]

ShapeDtype = tuple[tuple[int, ...], np.dtype]
"""The shape and dtype of an array."""

_ARRAY: Final = id(np.ndarray)
_NONE: Final = id(None)
_TRUE: Final = id(True)


class Code:
    """Writes a function ``run(memory, *arrays)``: None when it has run, True when an array is not of the kind it needs.

    Args:
        forms: of the arrays that it is given after the one with the program's memory.
        lets_go: whether others may run meanwhile, as is right for what takes long.
    """

    def __init__(self, forms: Sequence[ShapeDtype], *, lets_go: bool) -> None:
        arrays = len(forms) + 1
        self._head: list[str] = []
        self._lines: list[str] = []
        self._globals: dict[str, str] = {}
        self._declared: dict[str, str] = {}
        self._count = 0
        self._block = "start"
        self._lets_go = lets_go
        for place in range(arrays):
            self.line(f"%o{place}.p = getelementptr ptr, ptr %args, i64 {place}")
            self.line(f"%o{place} = load ptr, ptr %o{place}.p")
        self._check(arrays)
        for place, form in enumerate(forms, 1):
            self._check_form(place, *form)
        for place in range(arrays):
            self.line(f"%o{place}.d = getelementptr i8, ptr %o{place}, i64 {DATA}")
            self.line(f"%a{place} = load ptr, ptr %o{place}.d")
        if lets_go:
            self.line(f"%thread = call ptr {pointer(address_of('PyEval_SaveThread'))}()")

    def _check(self, arrays: int) -> None:
        """All must be arrays that lie row by row."""
        for place in range(arrays):
            self.line(f"%o{place}.t = getelementptr i8, ptr %o{place}, i64 {TYPE}")
            kind = self.value(f"load ptr, ptr %o{place}.t")
            self.refuse_if(self.value(f"icmp ne ptr {kind}, {pointer(_ARRAY)}"), "unfit")
        flags = [self.name() for _ in range(arrays)]
        for place, flag in enumerate(flags):
            self.line(f"%o{place}.f = getelementptr i8, ptr %o{place}, i64 {FLAGS}")
            self.line(f"{flag} = load i32, ptr %o{place}.f")
        every = flags[0]
        for flag in flags[1:]:
            every = self.value(f"and i32 {every}, {flag}")
        masked = self.value(f"and i32 {every}, {CONTIGUOUS}")
        fits = self.value(f"icmp eq i32 {masked}, {CONTIGUOUS}")
        self.line(f"br i1 {fits}, label %fits, label %unfit")
        self.label("fits")

    def _check_form(self, place: int, shape: tuple[int, ...], dtype: np.dtype) -> None:
        """It must have this shape and dtype: otherwise the code would read memory that is not the array's."""
        array = f"%o{place}"

        def unless(kind: str, where: str, offset: int, wanted: int) -> None:
            number = self.value(f"load {kind}, ptr {self.value(f'getelementptr i8, ptr {where}, i64 {offset}')}")
            self.refuse_if(self.value(f"icmp ne {kind} {number}, {wanted}"), "unfit")

        def inside(offset: int) -> str:
            return self.value(f"load ptr, ptr {self.value(f'getelementptr i8, ptr {array}, i64 {offset}')}")

        unless("i32", array, RANK, len(shape))
        if shape:
            axes = inside(AXES)
            for axis, size in enumerate(shape):
                unless("i64", axes, 8 * axis, size)
        found = inside(DTYPE)
        unless("i32", found, KIND, dtype.num)
        unless("i8", found, ORDER, ord(dtype.byteorder))

    # Lines.

    def line(self, text: str) -> None:
        """Add a line."""
        self._lines.append(f"  {text}")

    def name(self) -> str:
        """A new name."""
        self._count += 1
        return f"%v{self._count}"

    def value(self, expression: str) -> str:
        """The name of a new value."""
        name = self.name()
        self.line(f"{name} = {expression}")
        return name

    def label(self, name: str) -> None:
        """Begin a block."""
        self._lines.append(f"{name}:")
        self._block = name

    def declare(self, text: str) -> None:
        """Say what a function that is called looks like."""
        self._declared[text] = f"declare {text}"

    def room(self, kind: str) -> str:
        """The place of a local variable."""
        self._count += 1
        self._head.append(f"  %v{self._count} = alloca {kind}")
        return f"%v{self._count}"

    def numbers(self, values: Sequence[int]) -> str:
        """Fixed whole numbers, by their address."""
        text = f"[{len(values)} x i64] [{', '.join(f'i64 {value}' for value in values)}]"
        return self._globals.setdefault(text, f"@n{len(self._globals)}")

    def at(self, base: str, index: str, kind: str) -> str:
        """The address of an element."""
        return base if index == "0" else self.value(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def refuse_if(self, condition: str, where: str = "refused") -> None:
        """Go no further where this holds."""
        self._count += 1
        self.line(f"br i1 {condition}, label %{where}, label %l{self._count}")
        self.label(f"l{self._count}")

    @contextmanager
    def loop(self, first: int, end: int, step: int = 1) -> Iterator[str]:
        """What is written inside is done for each index from ``first`` to below ``end``, which is more than once."""
        if first + step >= end:
            yield str(first)
            return
        self._count += 1
        head, index, following = f"l{self._count}", f"%i{self._count}", f"%j{self._count}"
        self.line(f"br label %{head}")
        before = self._block
        self.label(head)
        place = len(self._lines)
        self._lines.append("")
        yield index
        self._lines[place] = f"  {index} = phi i64 [{first}, %{before}], [{following}, %{self._block}]"
        self.line(f"{following} = add i64 {index}, {step}")
        more = self.value(f"icmp ult i64 {following}, {end}")
        self.line(f"br i1 {more}, label %{head}, label %{head}.end")
        self.label(f"{head}.end")

    # The whole.

    def text(self) -> str:
        """The whole text."""
        back = f"call void {pointer(address_of('PyEval_RestoreThread'))}(ptr %thread)" if self._lets_go else ""
        count = f"call void {pointer(address_of('Py_IncRef'))}"
        ends = [
            f"  {back}", f"  {count}(ptr {pointer(_NONE)})", f"  ret ptr {pointer(_NONE)}",
            "refused:", f"  {back}", "  br label %unfit",
            "unfit:", f"  {count}(ptr {pointer(_TRUE)})", f"  ret ptr {pointer(_TRUE)}", "}",
        ]  # fmt: skip
        constants = [f"{name} = private constant {text}" for text, name in self._globals.items()]
        start = ["define ptr @run(ptr %self, ptr %args, i64 %count) {", "start:"]
        return "\n".join([*constants, *self._declared.values(), *start, *self._head, *self._lines, *ends])
