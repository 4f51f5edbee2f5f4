"""A function in LLVM's language, written from Python: values, loops with what they carry along, branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["Carried", "Function"]

Carried = Sequence[tuple[str, str]]
"""Type and value of what a loop hands from one turn to the next."""

_INDENT: Final = "  "


class Function:
    """Lines of one function. Its text is whole when each way through it has ended in a ``ret``."""

    def __init__(self, result: str, name: str, parameters: str) -> None:
        self._lines = [f"define {result} @{name}({parameters}) {{", "entry:"]
        self._count = 0
        self._block = "entry"
        self.declared: dict[str, None] = {}
        """What the functions that it calls look like, where the text of the whole has to say so."""

    def __str__(self) -> str:
        return "\n".join([*self._lines, "}", ""])

    def line(self, text: str) -> None:
        """Add an instruction without a result."""
        self._lines.append(_INDENT + text)

    def value(self, expression: str) -> str:
        """Add an instruction; the name of its result."""
        self._count += 1
        self.line(f"%v{self._count} = {expression}")
        return f"%v{self._count}"

    def declare(self, text: str) -> None:
        """Say what a function that is called looks like."""
        self.declared[f"declare {text}"] = None

    def at(self, pointer: str, kind: str, index: str | int) -> str:
        """The address of an element."""
        return self.value(f"getelementptr {kind}, ptr {pointer}, i64 {index}")

    def load(self, kind: str, pointer: str, align: int = 0) -> str:
        """What is in memory, where it lies as its type wants or as is said."""
        return self.value(f"load {kind}, ptr {pointer}" + (f", align {align}" if align else ""))

    def store(self, kind: str, value: str, pointer: str, align: int = 0) -> None:
        """Put a value into memory."""
        self.line(f"store {kind} {value}, ptr {pointer}" + (f", align {align}" if align else ""))

    def fetch(self, pointer: str, ahead: int) -> None:
        """Have what lies so many bytes behind an address be brought into the cache; it need not be anybody's memory."""
        self.declare("void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.line(f"call void @llvm.prefetch.p0(ptr {self.at(pointer, 'i8', ahead)}, i32 0, i32 3, i32 1)")

    def room(self, kind: str, nbytes: int) -> str:
        """Memory of the function's own, all zeros; to be asked for at its beginning."""
        place = self.value(f"alloca {kind}, align 64")
        self.clear(place, nbytes)
        return place

    def clear(self, pointer: str, nbytes: int) -> None:
        """Fill memory with zeros."""
        self.line(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {nbytes}, i1 false)")

    def _begin(self, block: str) -> None:
        self._lines.append(f"{block}:")
        self._block = block

    def loop(
        self, first: str, stop: str, step: int | str, carried: Carried, write: Callable[..., Sequence[str]]
    ) -> list[str]:
        """For each index from ``first`` to below ``stop``; what is carried along, after the last turn.

        ``write`` writes a turn: it is given the index and what is carried, and returns what that then is.
        """
        self._count += 1
        name, before = f"l{self._count}", self._block
        self.line(f"br label %{name}.head")
        self._begin(f"{name}.head")
        head = len(self._lines)
        names = [f"%{name}.c{at}" for at in range(len(carried))]
        more = self.value(f"icmp slt i64 %{name}.i, {stop}")
        self.line(f"br i1 {more}, label %{name}.body, label %{name}.done")
        self._begin(f"{name}.body")
        new = write(f"%{name}.i", *names)
        self.line(f"%{name}.next = add i64 %{name}.i, {step}")
        self.line(f"br label %{name}.head")
        turns = [("i64", f"%{name}.i", first, f"%{name}.next")]
        turns += [(kind, to, value, then) for (kind, value), to, then in zip(carried, names, new, strict=True)]
        self._lines[head:head] = [
            f"{_INDENT}{to} = phi {kind} [ {value}, %{before} ], [ {then}, %{self._block} ]"
            for kind, to, value, then in turns
        ]
        self._begin(f"{name}.done")
        return names

    def when(self, condition: str, write: Callable[[], object]) -> None:
        """Write what is done only when a condition holds; it may end with a ``ret``."""
        self._count += 1
        name = f"w{self._count}"
        self.line(f"br i1 {condition}, label %{name}.then, label %{name}.done")
        self._begin(f"{name}.then")
        write()
        if not self._lines[-1].startswith(f"{_INDENT}ret "):
            self.line(f"br label %{name}.done")
        self._begin(f"{name}.done")

    def ret(self, value: str = "void") -> None:
        """End here."""
        self.line(f"ret {value}")
