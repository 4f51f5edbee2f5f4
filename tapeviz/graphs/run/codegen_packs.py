"""The lines of a packed step: flat inputs brought together, steps (in pieces where there is much), results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeviz.graphs.lowering.steps import written
from tapeviz.graphs.memory.packed_variables import Bank, parts_of

if TYPE_CHECKING:
    from tapeviz.graphs.memory.buffers import Memory
    from tapeviz.graphs.memory.flat_packs import Flat, Pack
    from tapeviz.graphs.run.function_writer import FunctionWriter

__all__ = ["prepared_pack", "write_pack"]


def write_pack(text: FunctionWriter, memory: Memory, pack: Pack) -> None:
    """Write all lines of a packed step."""
    _PackCodegen(text, memory, pack).write()


def prepared_pack(text: FunctionWriter, memory: Memory, pack: Pack) -> _PackCodegen:
    """Write what compiled code needs that computes a packed step; the results are named when it has run."""
    found = _PackCodegen(text, memory, pack)
    found.prepare()
    return found


class _PackCodegen:
    """Writes one packed step."""

    def __init__(self, text: FunctionWriter, memory: Memory, pack: Pack) -> None:
        self._text = text
        self._memory = memory
        self._pack = pack
        self._total = sum(map(math.prod, pack.shapes))
        self._sets: dict[int, str] = {}  # by the identity of a flat value, the name of the set of a bank that it is in

    def write(self) -> None:
        """Inputs, steps, results."""
        for flat in self._pack.inputs:
            self._input(flat)
        for flat in self._pack.results:
            self._place(flat)
        for step in self._pack.steps:
            array = self._memory.arrays.get(id(step.outputs[0]))
            if array is not None:
                self._text.call(step.outputs[0], self._text.buffer(array))
        if self._pack.piece:
            self._in_pieces()
        else:
            for step in self._pack.steps:
                for line in written(self._text, step, self._text.name(step.outputs[0])):
                    self._text.line(step, line)
        self.name_results()

    def prepare(self) -> None:
        """Have variables' values together, and places for results."""
        for flat in self._pack.inputs:
            if flat.variables:
                self._bank(flat, "current")
        for flat in self._pack.results:
            self._place(flat)
        for flat in self._pack.results:
            if (array := self._memory.arrays.get(id(flat.value))) is not None:
                self._text.call(flat.value, self._text.buffer(array))

    def name_results(self) -> None:
        """Name the parts of the results."""
        for flat in self._pack.results:
            self._result(flat)

    def _line(self, line: str) -> None:
        self._text.line(self._pack.step, line)

    def _bank(self, flat: Flat, method: str) -> None:
        """Have a flat value be what a bank gives."""
        text, shapes, piece = self._text, self._pack.shapes, self._pack.piece
        variables, dtype = flat.variables, flat.value._a.dtype
        bank = text.bank(variables, lambda: Bank(variables, shapes, dtype, piece))
        name = self._sets[id(flat.value)] = text.fresh()
        self._line(f"{name} = {bank}.{method}()")
        if not piece:
            whole = text.new(flat.value)
            self._line(f"{whole} = {name}.flat")

    def _input(self, flat: Flat) -> None:
        """Bring the parts together that are not there already."""
        text, memory = self._text, self._memory
        if flat.variables:
            self._bank(flat, "current")
            return
        array = memory.arrays[id(flat.value)]
        name = text.buffer(array)
        text.call(flat.value, name)
        copy = text.constant(np.copyto, "k")
        for place, value in enumerate(flat.parts):
            if not memory.is_in_place(flat, place):
                self._line(f"{copy}({self._part(name, place)}, {text.name(value)})")

    def _part(self, name: str, place: int) -> str:
        shapes = tuple(self._pack.shapes)  # packs of the same total may use one buffer, each for parts of its own
        return self._text.prepared(name, ("part", place, shapes), lambda array: parts_of(array, shapes)[place])

    def _place(self, flat: Flat) -> None:
        """Where a result is put: into a bank, a new array, or a buffer."""
        if flat.variables:
            self._bank(flat, "fresh")
        elif id(flat.value) not in self._memory.arrays:
            name = self._text.new(flat.value)
            self._line(f"{name} = empty({self._total}, {self._text.constant(flat.value._a.dtype, 'c')})")

    def _result(self, flat: Flat) -> None:
        """Name the parts of a result."""
        text, first = self._text, 0
        for place, (value, shape) in enumerate(zip(flat.parts, self._pack.shapes, strict=True)):
            end = first + math.prod(shape)
            if not text.is_used(value):
                continue
            if flat.variables:
                self._line(f"{text.new(value)} = {self._sets[id(flat.value)]}.parts[{place}]")
            elif id(flat.value) in self._memory.arrays:
                text.call(value, self._part(text.name(flat.value), place))
            else:
                whole = text.name(flat.value)
                self._line(f"{text.new(value)} = {whole}[{first}:{end}].reshape({shape!r})")
            first = end

    def _in_pieces(self) -> None:
        """Write a loop over pieces that stay in the processor's cache from one step to the next."""
        text, pack = self._text, self._pack
        flats = [flat.value for flat in pack.inputs] + [step.outputs[0] for step in pack.steps]
        lists: dict[str, str] = {}
        whole: dict[int, str] = {}
        for value in flats:
            pieces = self._pieces(value)
            whole[id(value)] = text.name(value) if id(value) not in self._sets else ""
            lists.setdefault(pieces, text.fresh())
            text.call(value, lists[pieces])
        self._line(f"for {', '.join(lists.values())} in zip({', '.join(lists)}, strict=True):")
        for step in pack.steps:
            for line in written(text, step, text.name(step.outputs[0])):
                text.line(step, f"    {line}")
        for value in flats:
            text.call(value, whole[id(value)])

    def _pieces(self, value: Any) -> str:
        """The expression for the pieces of a flat value."""
        if (found := self._sets.get(id(value))) is not None:
            return f"{found}.pieces"
        name, piece, total = self._text.name(value), self._pack.piece, self._total

        def pieces(array: np.ndarray) -> list[np.ndarray]:
            firsts = range(0, total, piece)
            return [array[: min(piece, total - first)] if len(array) < total else array[first : first + piece]
                    for first in firsts]  # fmt: skip

        prepared = self._text.prepared(name, ("pieces", piece, total), pieces)
        return prepared or f"[{name}[k:k + {piece}] for k in range(0, {total}, {piece})]"
