"""From a code object and an instruction to a line of the user's source, and to the name stored right after.

While recording only the pair is kept, which costs nothing; lines, columns and names are found out when rows are packed,
once for each place in the code.
"""

from __future__ import annotations

import dis
import linecache
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from types import CodeType
from typing import Any, Final

import numpy as np

from tapeviz.recording.builder import Builder

__all__ = ["Cell", "CellOf", "Sites", "distinct_sites", "stored_names"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A notebook cell: its execution count, its source, and which line of that is line 1 of its made-up file."""

    number: int
    text: str
    first: int = 1


CellOf = Callable[[str], Cell | None]

_STORES: Final = ("STORE_NAME", "STORE_FAST", "STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR")
_TRANSPARENT: Final = ("CACHE", "NOP", "EXTENDED_ARG", "RESUME")
_LOADS: Final = ("LOAD_NAME", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_DEREF")
# Python 3.13 makes one instruction of two neighbours, such as STORE_FAST_STORE_FAST; Python 3.14 has loads that borrow.
_LOCAL: Final = re.compile(r"(?:LOAD|STORE)_FAST")


@dataclass(frozen=True, slots=True)
class _Instruction:
    """An instruction that loads or stores one name, or any other."""

    offset: int
    opname: str
    argval: Any


class Sites:
    """The sites of one recording: gives each place in the code its row in ``sites``."""

    def __init__(self, builder: Builder, cell_of: CellOf | None = None) -> None:
        self._builder = builder
        self._cell_of = cell_of or (lambda _file: None)
        self._rows: dict[tuple[CodeType | None, int], tuple[int, tuple[str, ...]]] = {}
        self._cells: dict[str, tuple[int, Cell | None]] = {}
        self._instructions: dict[CodeType, list[_Instruction]] = {}
        self._positions: dict[CodeType, list[tuple[int | None, ...]]] = {}

    def row(self, code: CodeType | None, instruction: int) -> int:
        """The row of the place, -1 for none."""
        return self._known(code, instruction)[0]

    def names(self, code: CodeType | None, instruction: int) -> tuple[str, ...]:
        """The names that the result of the call there is stored under; several where it is unpacked."""
        return self._known(code, instruction)[1]

    def _known(self, code: CodeType | None, instruction: int) -> tuple[int, tuple[str, ...]]:
        key = (code, instruction)
        if key not in self._rows:
            self._rows[key] = (
                (-1, ()) if code is None else (self._add(code, instruction), self._stored(code, instruction))
            )
        return self._rows[key]

    def _add(self, code: CodeType, instruction: int) -> int:
        if code not in self._positions:
            self._positions[code] = list(code.co_positions())
        positions = self._positions[code]
        position = positions[instruction // 2] if 0 <= instruction // 2 < len(positions) else (None,) * 4
        line = position[0] or code.co_firstlineno
        cell, written = self._cell(code.co_filename)
        text = _line_of(written, line) or linecache.getline(code.co_filename, line).rstrip("\n")
        same_line = position[1] == line
        return self._builder.append(
            "sites",
            file=code.co_filename,
            line=line,
            column=_characters(text, position[2]),
            end_column=_characters(text, position[3] if same_line else None),
            function=code.co_qualname,
            cell=cell,
            text=text,
        )

    def _cell(self, file: str) -> tuple[int, Cell | None]:
        if file not in self._cells:
            cell = self._cell_of(file)
            row = -1 if cell is None else self._builder.append(
                "cells", number=cell.number, file=file, text=cell.text, first=cell.first
            )  # fmt: skip
            self._cells[file] = (row, cell)
        return self._cells[file]

    def _stored(self, code: CodeType, instruction: int) -> tuple[str, ...]:
        if code not in self._instructions:
            self._instructions[code] = _instructions(code)
        return _stores_after(self._instructions[code], instruction)


def stored_names(code: CodeType, instruction: int) -> tuple[str, ...]:
    """The names under which the result of the call at an instruction is stored; several where it is unpacked."""
    return _stores_after(_instructions(code), instruction)


def _line_of(cell: Cell | None, line: int) -> str:
    """A line of a file as it is written in its cell; empty where that is not known."""
    lines = cell.text.split("\n")[cell.first - 1 :] if cell is not None else []
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _instructions(code: CodeType) -> list[_Instruction]:
    return [
        single
        for instruction in dis.get_instructions(code)
        if instruction.opname not in _TRANSPARENT
        for single in _singles(instruction)
    ]


def _singles(instruction: dis.Instruction) -> list[_Instruction]:
    """The instruction, or the two that it was made of; a load that borrows is a load."""
    locals_ = _LOCAL.findall(instruction.opname)
    names = instruction.argval if len(locals_) > 1 else (instruction.argval,)
    return [
        _Instruction(instruction.offset, opname, argval)
        for opname, argval in zip(locals_ or [instruction.opname], names, strict=True)
    ]


def _stores_after(listed: list[_Instruction], instruction: int) -> tuple[str, ...]:
    # A call of a Python function leaves the position in the inline cache behind the instruction, so: at or before.
    after = bisect_right(listed, instruction, key=lambda item: item.offset)
    return _stores(listed[after : after + 12])


def _stores(following: list[_Instruction]) -> tuple[str, ...]:
    """The names stored by the instructions right after a call."""
    if following and following[0].opname == "UNPACK_SEQUENCE":
        stores = following[1 : 1 + following[0].argval]
        return tuple(str(s.argval) if s.opname in _STORES else "" for s in stores)
    # What ``print(y := f())`` puts between the call and the store.
    rest = list(dropwhile(lambda step: step.opname == "COPY", following))
    if rest and rest[0].opname in _LOADS:
        # The object of ``self.w = f()`` or ``model.layer.w = f()``, loaded before its attribute is stored.
        rest = list(dropwhile(lambda step: step.opname == "LOAD_ATTR", rest[1:]))
        return (str(rest[0].argval),) if rest and rest[0].opname == "STORE_ATTR" else ()
    return (str(rest[0].argval),) if rest and rest[0].opname in _STORES else ()


def _characters(text: str, offset: int | None) -> int:
    """Python counts columns in bytes of UTF-8; views count characters."""
    return -1 if offset is None else len(text.encode()[:offset].decode(errors="ignore"))


def distinct_sites(codes: Sequence[Any], instructions: Sequence[int]) -> tuple[list[Any], np.ndarray]:
    """The different sites in the code, in the order of their first use, and for each op which one it is.

    Code objects are told apart by identity: comparing them would compare their instructions.
    """
    keys = list(zip(map(id, codes), instructions, strict=True))
    known = dict(zip(keys, zip(codes, instructions, strict=True), strict=True))
    order = {key: at for at, key in enumerate(known)}
    return list(known.values()), np.fromiter(map(order.__getitem__, keys), "i8", len(keys))
