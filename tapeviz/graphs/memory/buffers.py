"""Which values share which memory: a plan's buffers, from when each value is needed last.

A buffer belongs to a program and must never be seen from outside. So a value that leaves it (an output, what is
assigned to a variable, what another program is given) is no buffer, and neither is one that such a value may be a view
of. Of ops that nobody knows better it is assumed that their results may be views of any of their inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.graphs.ir.special_nodes import ASSIGN, CAPTURE, CONSTANT, INPUT, READ
from tapeviz.graphs.lowering.steps import can_write, scratch_of
from tapeviz.graphs.memory.flat_packs import Flat, Pack
from tapeviz.graphs.memory.huge_pages import block
from tapeviz.graphs.passes.fusion import is_elementwise
from tapeviz.graphs.passes.layouts import turned_values
from tapeviz.graphs.passes.plan import GATHER, SPREAD, Step, runs_others
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.ops.declarations import sum_to_shape, transpose
from tapeviz.process.background import checkpoint

__all__ = ["Array", "Memory"]

_ALIGNMENT: Final = 64
_LOOSE: Final = 4  # a buffer may be this many times larger than what is put into it
_SOURCES: Final = (READ, CONSTANT, CAPTURE, INPUT)


class Array(NamedTuple):
    """A buffer as an array: the slot of memory, a shape and a dtype."""

    slot: int
    shape: tuple[int, ...]
    dtype: np.dtype
    first: int = 0
    """Where in the slot it begins, in bytes."""


class Memory:
    """The arrays of a program's own.

    Args:
        units: all steps in order, those that are fused one by one, and packs.
        outputs: the values that leave the program.
        sizes: the shapes.

    ``arrays`` has, by the identity of a value, the buffer that it is in, ``views`` the value and the function that it
    is a view by, ``transposed`` for views with their axes in another order that order, ``scratch`` by the identity of a
    step the buffers that it needs while it runs, and ``slots`` the size in bytes of each slot.
    """

    def __init__(self, units: Sequence[Step | Pack], outputs: Sequence[Any], sizes: Sizes) -> None:
        self.arrays: dict[int, Array] = {}
        self.views: dict[int, tuple[Any, Callable[[Any], Any]]] = {}
        self.transposed: dict[int, tuple[int, ...]] = {}
        self.scratch: dict[int, list[Array]] = {}
        self.slots: list[int] = []
        self._sizes = sizes
        self._steps = [step for unit in units for step in (unit.all() if isinstance(unit, Pack) else (unit,))]
        self._turned = turned_values(self._steps)
        # A part of a flat value: which one, where in it in bytes, and its number.
        self._homes: dict[int, tuple[Any, int, int]] = {}
        self._roots: dict[int, frozenset[int]] = {}
        self._leaving: set[int] = set()
        self._banked: set[int] = set()
        self._last: dict[int, int] = {}
        self._free: list[int] = []
        self._written: dict[int, bool] = {}
        self._contiguous: set[int] = set()
        for unit in units:
            if isinstance(unit, Pack):
                self._find_homes(unit)
        self._trace(outputs)
        for unit in units:
            if isinstance(unit, Pack) and unit.piece:
                self._keep_for_pieces(unit)
        self._place()

    @property
    def nbytes(self) -> int:
        """How much memory one set of buffers takes."""
        return sum(self.slots)

    def is_in_place(self, flat: Flat, place: int) -> bool:
        """Whether a part of a flat value is made where the flat value has it.

        A value may be several parts of one, or parts of several: it is made in the first place, and copied to others.
        """
        part = flat.parts[place]
        home = self._homes.get(id(part))
        return id(part) in self.arrays and home is not None and home[0] is flat.value and home[2] == place

    # Parts of flat values, which are made where they are needed.

    def _find_homes(self, pack: Pack) -> None:
        self._banked |= {id(flat.value) for flat in (*pack.inputs, *pack.results) if flat.variables}
        self._leaving |= self._banked
        for flat in pack.inputs:
            first = 0
            for place, (part, shape) in enumerate(zip(flat.parts, pack.shapes, strict=True)):
                if not flat.variables:
                    self._homes.setdefault(id(part), (flat.value, first, place))
                first += math.prod(shape) * flat.value._a.dtype.itemsize

    def _home(self, value: Any) -> tuple[Any, int, int] | None:
        """The flat value that a value is a part of, if it can be made in it."""
        home = self._homes.get(id(value))
        return None if home is None or id(home[0]) in self._leaving else home

    def _flat(self, value: Any, ending: dict[int, list[int]]) -> Array:
        """The buffer of a flat value."""
        array = self.arrays.get(id(value))
        if array is None:
            array = self.arrays[id(value)] = self._array(self._sizes.of(value) or (), value._a.dtype)
            ending.setdefault(self._last[id(value)], []).append(array.slot)
        return array

    # What may share memory with what, and until when.

    def can_write(self, step: Step) -> bool:
        """Whether a step can be told where to put its result."""
        found = self._written.get(id(step))
        if found is None:
            found = self._turned.isdisjoint(map(id, step.outputs)) and can_write(step, self._sizes)
            self._written[id(step)] = found
        return found

    def _trace(self, outputs: Sequence[Any]) -> None:
        for place, step in enumerate(self._steps):
            checkpoint()
            for value in step.taken():
                for root in self._roots_of(value):
                    self._last[root] = place
            shared = self._shared(step)
            for value in step.outputs:
                own = id(value) if (home := self._homes.get(id(value))) is None else id(home[0])
                self._roots[id(value)] = shared if step.op is SPREAD else shared | {own}
                self._last[id(value)] = self._last[own] = place
            if step.op is ASSIGN or runs_others(step):
                self._leaving.update(root for value in step.inputs for root in self._roots_of(value))
        self._leaving.update(root for value in outputs if value is not None for root in self._roots_of(value))

    def _keep_for_pieces(self, pack: Pack) -> None:
        """Have what a pack takes from outside last to its end: its steps run again for the next piece."""
        made = {id(value) for step in pack.steps for value in step.outputs}
        end = next(place for place, step in enumerate(self._steps) if step is pack.steps[-1])
        for step in pack.steps:
            for value in step.inputs:
                if id(value) not in made:
                    for root in self._roots_of(value):
                        self._last[root] = max(self._last.get(root, 0), end)

    def _roots_of(self, value: Any) -> frozenset[int]:
        return self._roots.get(id(value), frozenset((id(value),)))

    def _shared(self, step: Step) -> frozenset[int]:
        """What the results of a step may be views of."""
        if step.op in _SOURCES or step.op is GATHER or "fresh" in step.op.hints or self.can_write(step):
            return frozenset()
        return frozenset(root for value in step.inputs for root in self._roots_of(value))

    # Where each value is put.

    def _place(self) -> None:
        ending: dict[int, list[int]] = {}
        for place, step in enumerate(self._steps):
            checkpoint()
            if self._is_view(step):
                continue
            if step.op is GATHER and id(step.outputs[0]) not in self._banked:
                self._flat(step.outputs[0], ending)
            if self.can_write(step):
                if self._leaving.isdisjoint(self._roots[id(step.outputs[0])]):
                    self._own(step, place, ending)
                if forms := scratch_of(step, self._sizes):
                    arrays = self.scratch[id(step)] = [self._array(*form) for form in forms]
                    self._free += [array.slot for array in arrays]
            self._free += ending.pop(place, [])

    def _own(self, step: Step, place: int, ending: dict[int, list[int]]) -> None:
        """Put what a step makes into a buffer, until it is not needed any more."""
        value = step.outputs[0]
        self._contiguous.add(id(value))
        if (home := self._home(value)) is not None:
            whole = self._flat(home[0], ending)
            self.arrays[id(value)] = Array(whole.slot, self._sizes.of(value) or (), value._a.dtype, home[1])
            return
        slot = self._reused(step, place, ending)
        array = self.arrays[id(value)] = self._array(self._sizes.of(value) or (), value._a.dtype, slot)
        ending.setdefault(self._last[id(value)], []).append(array.slot)

    def _is_view(self, step: Step) -> bool:
        """Whether a step gives a view of a buffer, which is made beforehand."""
        if not ("view" in step.op.hints or self._changes_nothing(step) or (step.op is transpose and not step.open)):
            return False
        source, value = step.inputs[0], step.outputs[0]
        if id(source) not in self._contiguous or self._sizes.of(value) is None:
            return False
        shape = self._sizes.of(value)
        if step.op is transpose:
            perm = step.attrs["perm"]
            self.views[id(value)] = (source, lambda array: array.transpose(perm))
            rank = len(shape or ())
            self.transposed[id(value)] = (
                tuple(range(rank))[::-1] if perm is None else tuple(axis % rank for axis in perm)
            )
        else:
            self.views[id(value)] = (source, lambda array: array.reshape(shape))
            self._contiguous.add(id(value))
        return True

    def _changes_nothing(self, step: Step) -> bool:
        """Whether a sum over the axes along which an operand was repeated has no such axis, for these sizes."""
        if step.op is not sum_to_shape:
            return False
        shape = self._sizes.of(step.outputs[0])
        return shape is not None and shape == self._sizes.of(step.inputs[0])

    def _reused(self, step: Step, place: int, ending: dict[int, list[int]]) -> int | None:
        """The slot of an input that is not needed any more, where an elementwise step may overwrite it."""
        value = step.outputs[0]
        # In place NumPy multiplies complex numbers by another loop, which rounds differently.
        if not is_elementwise(step) or scratch_of(step, self._sizes) or value._a.dtype.kind == "c":
            return None
        # And numbers it copies first, which takes twice the time.
        if self._sizes.of(value) == ():
            return None
        for source in step.inputs:
            array = self.arrays.get(id(source))
            if array is None or self._last[id(source)] != place or array.shape != self._sizes.of(value):
                continue
            if array.dtype.itemsize == value._a.dtype.itemsize and array.slot in ending.get(place, ()):
                ending[place].remove(array.slot)
                return array.slot
        return None

    def _array(self, shape: tuple[int, ...], dtype: np.dtype, slot: int | None = None) -> Array:
        """A buffer of this form, in a free slot or a new one."""
        size = max(1, math.prod(shape) * dtype.itemsize)
        if slot is None:
            fitting = [free for free in self._free if size <= self.slots[free] <= max(_LOOSE * size, _ALIGNMENT)]
            if fitting:
                slot = min(reversed(fitting), key=lambda free: self.slots[free])
                self._free.remove(slot)
            else:
                slot = len(self.slots)
                self.slots.append(-(-size // _ALIGNMENT) * _ALIGNMENT)
        return Array(slot, shape, dtype)

    def steps(self) -> list[Step]:
        """All steps one by one, with those that bring parts together and apart."""
        return self._steps

    def is_apart(self, value: Any) -> bool:
        """Whether a value that is in no buffer cannot be a view of one either."""
        return not any(root in self.arrays for root in self._roots_of(value))

    def first_of(self, array: Array) -> int:
        """Where an array begins in the whole memory, in bytes."""
        return sum(self.slots[: array.slot]) + array.first

    def made(self) -> tuple[np.ndarray, dict[Array, np.ndarray]]:
        """The whole memory and the arrays in it, new ones, for one run at a time."""
        memory = block(self.nbytes)
        firsts = [0, *accumulate(self.slots)]
        wanted = {*self.arrays.values(), *(array for arrays in self.scratch.values() for array in arrays)}
        return memory, {
            array: np.ndarray(array.shape, array.dtype, memory, firsts[array.slot] + array.first) for array in wanted
        }
