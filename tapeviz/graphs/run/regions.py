"""Regions: units of a program, one after the other, that run as one call of compiled code.

Between them lies what only Python can do: other programs, random numbers, ops whose kernels are Python functions. Code
may refuse to run: for an array that does not lie row by row, of which it is given a copy then, or for a label that is
no class, which is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tapeviz.graphs.ir.special_nodes import CAPTURE, CONSTANT, READ
from tapeviz.graphs.lowering.rule import Lowered, element
from tapeviz.graphs.lowering.steps import lowered
from tapeviz.graphs.memory.buffers import Memory
from tapeviz.graphs.memory.flat_packs import Flat, Pack
from tapeviz.graphs.native.code import Code, ShapeDtype
from tapeviz.graphs.native.loops import Element, Group
from tapeviz.graphs.native.operands import MemoryRef, is_plain
from tapeviz.graphs.native.tiles import write_all
from tapeviz.graphs.passes.layouts import backward_values
from tapeviz.graphs.passes.plan import Step
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.native.lanes import copied
from tapeviz.native.machine import compiled
from tapeviz.ops.declarations import matmul
from tapeviz.process.background import checkpoint

__all__ = ["Region", "regions_of"]

_WORTH: Final = 2  # ops in a region
_LONG: Final = 200_000  # elements worked on, from which on other threads may run meanwhile
_FLOPS: Final = 8  # multiplications that take as long as one element of an elementwise op


@dataclass(slots=True)
class Region:
    """Units from ``first`` to before ``end``; ``arrays`` are the values that the code is given, after the memory."""

    first: int
    end: int = 0
    arrays: list[Any] = field(default_factory=list)
    count: int = 0
    stored: set[int] = field(default_factory=set)
    work: int = 0
    kept: list[Any] = field(default_factory=list)
    groups: list[Any] = field(default_factory=list)
    """Elementwise ops as groups, and what writes other code."""

    def function(self, forms: Sequence[ShapeDtype]) -> Callable[..., Any]:
        """Compile it for arrays of these forms."""
        code = Code(forms, lets_go=self.work > _LONG)
        write_all(code, self.groups, self.stored)
        function, keeper = compiled(code.text())
        self.kept.append(keeper)
        return function

    def add(self, code: list[Lowered]) -> None:
        """Add the code of a unit."""
        self.count += len(code)
        for part in code:
            if not isinstance(part, Element):
                self.groups.append(part)
            elif not (self.groups and isinstance(self.groups[-1], Group) and self.groups[-1].took(part)):
                self.groups.append(Group(part))


def regions_of(units: Sequence[Step | Pack], memory: Memory, sizes: Sizes, outputs: Sequence[Any]) -> list[Region]:
    """The regions of a program, in order."""
    return _Finder(units, memory, sizes, outputs).found


class _Finder:
    """Goes through the units and tries to write each as code."""

    def __init__(self, units: Sequence[Step | Pack], memory: Memory, sizes: Sizes, outputs: Sequence[Any]) -> None:
        self.found: list[Region] = []
        self._memory = memory
        self._sizes = sizes
        self._backward = backward_values(memory.steps())
        self._fixed: dict[int, np.ndarray] = {}
        self._parts: dict[int, tuple[Any, int]] = {}  # values that are parts of flat ones, and where in them
        self._region: Region | None = None
        self._numbers: dict[int, int] = {}
        for place, unit in enumerate(units):
            checkpoint()
            self._meet(place, unit)
        self._close(len(units))
        self._find_stored(outputs)

    # Regions.

    def _meet(self, place: int, unit: Step | Pack) -> None:
        if isinstance(unit, Step) and self._is_free(unit):
            return
        for _ in range(2):
            region = self._region or Region(place)
            before = len(region.arrays), dict(self._numbers)
            self._region = region
            code = self._pack(unit) if isinstance(unit, Pack) else self._step(unit)
            if code is not None:
                region.add(code)
                region.work += self._work(unit)
                return
            del region.arrays[before[0] :]
            self._numbers = before[1]
            self._close(place)

    def _close(self, place: int) -> None:
        region, self._region, self._numbers = self._region, None, {}
        if region is not None and region.count >= _WORTH:
            region.end = place
            self.found.append(region)

    def _is_free(self, step: Step) -> bool:
        """Whether nothing is computed for a step."""
        if step.op in (CONSTANT, CAPTURE):
            tensor = step.attrs["tensor"]
            array = tensor._host()
            if isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.aligned:
                self._fixed[id(step.outputs[0])] = array
            return True
        return step.op is READ or bool(step.outputs and id(step.outputs[0]) in self._memory.views)

    def _work(self, unit: Step | Pack) -> int:
        if isinstance(unit, Pack):
            return sum(map(math.prod, unit.shapes)) * len(unit.steps)
        shapes = [self._sizes.of(value) or () for value in (*unit.inputs, *unit.outputs)]
        if unit.op is matmul:
            return math.isqrt(math.prod(math.prod(shape) for shape in shapes)) // _FLOPS
        return max(map(math.prod, shapes))

    # Code.

    def _step(self, step: Step) -> list[Lowered] | None:
        if not step.outputs or step.op.many or not self._memory.can_write(step):
            return None
        if not self._backward.isdisjoint(map(id, step.inputs)):
            return None
        operands = [(self._root(value), self._place(value)) for value in step.inputs]
        out = self._place(step.outputs[0])
        if out is None or any(place is None for _, place in operands):
            return None
        return lowered(step, operands, (id(step.outputs[0]), out))  # type: ignore[arg-type]

    def _pack(self, pack: Pack) -> list[Lowered] | None:
        found: list[Lowered] = []
        for flat in pack.inputs:
            if flat.variables:
                continue
            for place, (source, part) in enumerate(zip(flat.parts, self._cut(flat, pack), strict=True)):
                if self._memory.is_in_place(flat, place):
                    continue
                where, target = self._place(source), self._place_in(*part)
                if where is None or target is None:
                    return None
                copy = element(
                    copied(source._a.dtype), pack.step, [(self._root(source), where)], (-1, target.shaped(where.shape))
                )
                if copy is None:
                    return None
                copy.forced = True
                found.append(copy)
        for step in pack.steps:
            code = self._packed(step)
            if code is None:
                return None
            found += code
        for flat in pack.results:
            self._parts.update((id(value), part) for value, part in zip(flat.parts, self._cut(flat, pack), strict=True))
        return found

    def _packed(self, step: Step) -> list[Lowered] | None:
        operands = [(id(value), self._place(value)) for value in step.inputs]
        out = self._place(step.outputs[0])
        if out is None or any(place is None for _, place in operands):
            return None
        return lowered(step, operands, (id(step.outputs[0]), out))  # type: ignore[arg-type]

    @staticmethod
    def _cut(flat: Flat, pack: Pack) -> list[tuple[Any, int]]:
        """Where the parts of a flat value begin in it, in bytes."""
        found, first = [], 0
        for shape in pack.shapes:
            found.append((flat.value, first))
            first += math.prod(shape) * flat.value._a.dtype.itemsize
        return found

    # Places.

    def _root(self, value: Any) -> int:
        """The identity of the value that this one is a view of, if it is one."""
        while (view := self._memory.views.get(id(value))) is not None:
            value = view[0]
        return id(value)

    def _place(self, value: Any) -> MemoryRef | None:
        """Where a value is, None for one that code cannot use."""
        shape, dtype, memory = self._sizes.of(value), value._a.dtype, self._memory
        if shape is None or not is_plain(dtype):
            return None
        if id(value) in memory.views:
            return self._place_of_view(value, shape)
        if (array := memory.arrays.get(id(value))) is not None:
            return MemoryRef(0, memory.first_of(array), shape, dtype)
        if (fixed := self._fixed.get(id(value))) is not None:
            return MemoryRef(fixed.ctypes.data, 0, shape, dtype, fixed=True, kept=fixed)
        if (part := self._parts.get(id(value))) is not None:
            place = self._place_in(*part)
            return None if place is None else place.shaped(shape)
        return MemoryRef(self._array(value), 0, shape, dtype) if memory.is_apart(value) else None

    def _array(self, value: Any) -> int:
        """The number of an array that the code is given."""
        number = self._numbers.get(id(value))
        if number is None:
            assert self._region is not None  # noqa: S101 - a unit is being written
            self._region.arrays.append(value)
            number = self._numbers[id(value)] = len(self._region.arrays)
        return number

    def _place_of_view(self, value: Any, shape: tuple[int, ...]) -> MemoryRef | None:
        source = self._place(self._memory.views[id(value)][0])
        perm = self._memory.transposed.get(id(value))
        if source is None or source.turned or perm not in (None, (1, 0)):
            return None
        return source.shaped(shape) if perm is None else source.swapped()

    def _place_in(self, flat: Any, first: int) -> MemoryRef | None:
        place = self._place(flat)
        return None if place is None else MemoryRef(place.base, place.first + first, (), place.dtype)

    def _find_stored(self, outputs: Sequence[Any]) -> None:
        """Note for each region which values somebody outside of their own loops takes."""
        takers: dict[int, set[int]] = {}
        for step in self._memory.steps():
            if not (step.outputs and id(step.outputs[0]) in self._memory.views):
                for value in step.taken():
                    takers.setdefault(self._root(value), set()).add(id(step))
        leaving = {self._root(value) for value in outputs if value is not None}
        for region in self.found:
            for group in region.groups:
                if isinstance(group, Group):
                    mine = {id(member.step) for member in group.members}
                    made = {member.value for member in group.members}
                    region.stored |= {key for key in made if key in leaving or takers.get(key, set()) - mine}
