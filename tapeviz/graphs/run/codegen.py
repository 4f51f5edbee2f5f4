"""A plan as the text of a Python function on arrays.

For ``y = tf.reduce_sum(tf.exp(x) * w)`` it is, where the shapes are known::

    def run(i0):
        if i0.shape != c1 or i0.dtype is not c2: raise unfit
        v0 = w3._value._a
        k4(i0, b0)
        k5(b0, v0, b0)
        v1 = empty(c6, c7)
        k8(b0, None, c7, v1, False)
        return (v1,)

``b0`` is a buffer of the program's own. Where shapes are not known, and for values that leave the program, arrays are
new ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.tensor import wrap
from tapeviz.graphs.ir.special_nodes import (
    ASSIGN,
    CALL,
    CAPTURE,
    CONDITION,
    CONSTANT,
    INPUT,
    LOOP,
    READ,
    array_for,
    array_on,
    run_on,
)
from tapeviz.graphs.lowering.steps import is_one_call, written
from tapeviz.graphs.memory.flat_packs import Pack
from tapeviz.graphs.passes.constant_folding import kernel_for
from tapeviz.graphs.passes.plan import Plan, Step, runs_others
from tapeviz.graphs.run.codegen_packs import write_pack
from tapeviz.graphs.run.codegen_regions import step_of, write_region
from tapeviz.graphs.run.last_uses import last_uses, used_in
from tapeviz.graphs.run.regions import regions_of
from tapeviz.process.background import checkpoint

if TYPE_CHECKING:
    from tapeviz.backends import Backend
    from tapeviz.graphs.ir.graph import Node
    from tapeviz.graphs.memory.buffers import Array, Memory
    from tapeviz.graphs.passes.runtime_sizes import Sizes

__all__ = ["Codegen", "UnfitError"]

_Slice: Final = slice
_LARGE: Final = 4096  # bytes from which on a value is let go as soon as nobody needs it


class UnfitError(Exception):
    """An input has not the shape or dtype for which a function was written."""


class Codegen:
    """Writes a plan's function.

    Args:
        plan: what to write.
        units: its steps one by one, and packs.
        backend: where it runs.
        sizes: the shapes of its values.
        memory: its buffers; None for none.
        native: whether to compile what can be compiled.

    ``source`` is the text, ``scope`` the names that it uses, ``lines`` the node that each line belongs to. What comes
    before line ``first_write`` changes nothing outside, what comes before ``first_draw`` draws no random numbers.
    """

    def __init__(
        self, plan: Plan, units: Sequence[Step | Pack], backend: Backend, sizes: Sizes, memory: Memory | None,
        *, native: bool = False,
    ) -> None:  # fmt: skip
        self.sizes = sizes
        self.scope: dict[str, Any] = {"wrap": wrap, "empty": np.empty, "asarray": backend.as_array}
        self.scope |= {"ndarray": np.ndarray, "unfit": UnfitError}
        self.lines: dict[int, Node] = {}
        self.first_write: int
        self.first_draw: int
        self.first_write = self.first_draw = sys.maxsize
        self._plan = plan
        self._backend = backend
        self._memory = memory
        self._names: dict[int, str] = {id(value): f"i{place}" for place, value in enumerate(plan.inputs)}
        self._constants: dict[int, str] = {}
        self._buffers: dict[Array, str] = {}
        self._made: list[tuple[str, str, Callable[[Any], Any]]] = []
        self._seen: dict[Any, str] = {}
        self._done: set[str] = set()
        self._banks: dict[tuple[int, ...], tuple[str, Callable[[], Any]]] = {}
        self._bound: dict[int, str] = {}
        self._written: list[str] = [f"def run({', '.join(f'i{place}' for place in range(len(plan.inputs)))}):"]
        self._used = used_in(units, plan.outputs)
        self._count = 0
        regions = regions_of(units, memory, sizes, plan.outputs) if native and memory is not None else []
        self._regions = {region.first: region for region in regions}
        self._given = {id(value) for region in regions for value in region.arrays}
        if memory is not None and (memory.slots or regions):
            self._guard()
        self._units(units)
        self._written.append(f"    return ({''.join(f'{self.name(value)}, ' for value in plan.outputs)})")
        self.source: str = "\n".join(self._written)

    def arrays(self) -> dict[str, Any]:
        """New buffers by the names that the text has for them."""
        if self._memory is None:
            return {}
        memory, made = self._memory.made()
        found = {name: made[array] for array, name in self._buffers.items()}
        found["memory"] = memory
        for name, base, function in self._made:
            found[name] = function(found[base])
        found.update((name, make()) for name, make in self._banks.values())
        return found

    # Names.

    def name(self, value: Any) -> str:
        """The name of a value."""
        return "None" if value is None else self._names[id(value)]

    def constant(self, value: Any, kind: str) -> str:
        """A name for an object."""
        name = self._constants.get(id(value))
        if name is None:
            name = self._constants[id(value)] = f"{kind}{len(self._constants)}"
            self.scope[name] = value  # which also keeps it, so that nothing else gets its identity
        return name

    def scratch(self, step: Step) -> list[str]:
        """The names of the buffers that a step needs while it runs."""
        memory = self._memory
        arrays = None if memory is None else memory.scratch.get(id(step))
        if arrays is not None:
            return [self.buffer(array) for array in arrays]
        raise LookupError(step)

    def turned(self, name: str) -> str:
        """A matrix transposed."""
        return self.prepared(name, ("T",), lambda array: array.T) or f"{name}.T"

    def bits(self, name: str, dtype: np.dtype) -> str:
        """The same memory as of another dtype."""
        return self.prepared(name, ("bits", dtype), lambda array: array.view(dtype)) or (
            f"{name}.view({self.constant(dtype, 'c')})"
        )

    def prepared(self, name: str, how: tuple[Any, ...], function: Callable[[Any], Any]) -> str:
        """The name of a view of a buffer that is made once; empty where the array is no buffer.

        ``how`` has all that the function's result depends on besides the buffer: another pack may use the same one.
        """
        if name[:1] != "b":
            return ""
        known = self._seen.get((name, how))
        if known is None:
            known = self._seen[name, how] = f"b{self._next()}"
            self._made.append((known, name, function))
        return known

    def buffer(self, array: Array) -> str:
        """The name of a buffer."""
        name = self._buffers.get(array)
        if name is None:
            name = self._buffers[array] = f"b{self._next()}"
        return name

    def _next(self) -> int:
        self._count += 1
        return self._count

    def fresh(self) -> str:
        """A new name."""
        return f"v{self._next()}"

    def new(self, value: Any) -> str:
        """A new name for a value."""
        name = self._names[id(value)] = self.fresh()
        return name

    def call(self, value: Any, name: str) -> None:
        """Have a value be known by this name from here on."""
        self._names[id(value)] = name

    def is_used(self, value: Any) -> bool:
        """Whether a step takes a value, or it is an output."""
        return id(value) in self._used

    def bank(self, variables: Sequence[Any], make: Callable[[], Any]) -> str:
        """The name of the bank of these variables."""
        key = tuple(map(id, variables))
        if key not in self._banks:
            self._banks[key] = f"bank{self._next()}", make
            self._bound.update((id(variable), self._banks[key][0]) for variable in variables)
        return self._banks[key][0]

    # Lines.

    def line(self, step: Step, text: str) -> None:
        """Add a line that belongs to a step."""
        self._written.append(f"    {text}")
        number = len(self._written)
        self.lines[number] = step.node
        effects = step.node.effects if runs_others(step) else step.op.effects
        if effects == "write":
            self.first_write = min(self.first_write, number)
        elif effects == "random":
            self.first_draw = min(self.first_draw, number)

    def _guard(self) -> None:
        """Buffers fit one shape only."""
        tests = []
        for place, value in enumerate(self._plan.inputs):
            if value._a.dtype.names is not None:
                continue  # a list, which has neither shape nor dtype
            shape, dtype = (self.constant(part, "c") for part in (self.sizes.of(value), value._a.dtype))
            tests.append(f"i{place}.shape != {shape} or i{place}.dtype is not {dtype}")
        if tests:
            self._written.append(f"    if {' or '.join(tests)}: raise unfit")

    def _units(self, units: Sequence[Step | Pack]) -> None:
        last = last_uses(units, self._plan.outputs)
        place = 0
        while place < len(units):
            checkpoint()
            region = self._regions.get(place)
            end = place + 1 if region is None else region.end
            if region is not None:
                assert self._memory is not None  # noqa: S101 - regions use the program's memory
                write_region(self, self._memory, region, units[place:end])
            else:
                self._unit(units[place])
            values = [value for each in range(place, end) for value in last.get(each, ())]
            done = dict.fromkeys(name for value in values if (name := self._letting_go(value)))
            if done:
                self.line(step_of(units[end - 1]), f"del {', '.join(done)}")
            place = end

    def _unit(self, unit: Step | Pack) -> None:
        if isinstance(unit, Step):
            self.write(unit)
            return
        assert self._memory is not None  # noqa: S101 - packs are flat buffers
        write_pack(self, self._memory, unit)

    def _letting_go(self, value: Any) -> str:
        name = self._names.get(id(value), "")
        if name[:1] not in ("v", "i"):
            return ""
        shape = self.sizes.of(value)
        small = self._memory is not None and shape is not None and value._a.dtype.itemsize * _product(shape) < _LARGE
        return "" if small else name

    def write(self, step: Step) -> None:
        """Write a step."""
        if step.op in _SPECIAL:
            _SPECIAL[step.op](self, step)
        elif runs_others(step):
            self._others(step)
        elif self._memory is not None and self._in_memory(step, self._memory):
            return
        else:
            self._plain(step)

    def _in_memory(self, step: Step, memory: Memory) -> bool:
        """Write a step whose result is in a buffer, or which is told where to put it."""
        if step.op.many:
            return False
        value = step.outputs[0]
        if id(value) in memory.views:
            self.view(value, memory)
            return True
        array = memory.arrays.get(id(value))
        if array is not None:
            self._names[id(value)] = self.buffer(array)
        elif not memory.can_write(step) or (is_one_call(step) and value._a._shape):
            return False
        else:
            self.empty(step)
        for text in written(self, step, self.name(value)):
            self.line(step, text)
        return True

    def view(self, value: Any, memory: Memory) -> None:
        """Name a view of a buffer."""
        source, function = memory.views[id(value)]
        self._names[id(value)] = self.prepared(self.name(source), ("view", self._next()), function)

    def empty(self, step: Step) -> None:
        """A new array for what a step makes."""
        value = step.outputs[0]
        form = f"{self.sizes.of(value)!r}, {self.constant(value._a.dtype, 'c')}"
        self.line(step, f"{self.new(value)} = empty({form})")

    def _plain(self, step: Step) -> None:
        """Write the call of a kernel."""
        kernel = self.constant(self._kernel(step), "k")
        attrs = [f"{key}={self.text(value)}" for key, value in step.attrs.items()]
        call = f"{kernel}({', '.join([*map(self.name, step.inputs), *attrs])})"
        names = [self.new(value) for value in step.outputs]
        if step.op.many:
            self.line(step, f"{''.join(f'{name}, ' for name in names)}= {call}")
        else:
            self.line(step, f"{names[0]} = {call}")
        self._lay_out(step)
        if step.op.many:
            return
        if not self.sizes.of(step.outputs[0]):  # array functions give scalars for rank 0
            self.line(step, f"if {names[0]}.__class__ is not ndarray: {names[0]} = asarray({names[0]})")

    def _lay_out(self, step: Step) -> None:
        """Have what may be a view lie row by row where compiled code takes it, which would refuse it at each run."""
        if step.op.aliases:
            for name in (self.name(value) for value in step.outputs if id(value) in self._given):
                self.line(step, f'{name} = {self.constant(np.asarray, "k")}({name}, order="C")')

    def _kernel(self, step: Step) -> Any:
        key = (step.op, *(value._a.dtype for value in (*step.inputs, *step.outputs)))
        kernel = self._seen.get(key)
        if kernel is None:
            kernel = self._seen[key] = kernel_for(step, self._backend)
        return kernel

    def text(self, value: Any) -> str:
        """An attribute as an expression."""
        if isinstance(value, Deferred):
            return self._number(value)
        if value.__class__ is tuple:
            return f"({''.join(f'{self.text(part)}, ' for part in value)})"
        if value.__class__ is list:
            return f"[{', '.join(map(self.text, value))}]"
        if value.__class__ is _Slice:
            bounds = ", ".join(map(self.text, (value.start, value.stop, value.step)))
            return f"{self.constant(_Slice, 'c')}({bounds})"
        if value is None or value.__class__ in (bool, int, str):
            return repr(value)
        return self.constant(value, "c")

    def _number(self, number: Deferred) -> str:
        known = self.sizes.number(number) if self._memory is not None else None
        if known is not None:
            return repr(known)
        sort, *rest = number.source
        if sort == "axis":
            return f"{self.name(rest[0])}.shape[{rest[1]}]"
        if sort == "value":
            return f"int({self.name(rest[0])})"
        if sort == "call":
            return f"{self.constant(rest[0], 'c')}()"
        function, *parts = rest
        return f"{self.constant(function, 'c')}({', '.join(map(self.text, parts))})"

    # Steps that are no ops on arrays.

    def _input(self, step: Step) -> None:
        raise ValueError(f"no value was given for {step.node.name}")

    def _fixed(self, step: Step) -> None:
        tensor = step.attrs["tensor"]
        here = array_on(self._backend, tensor)
        self._names[id(step.outputs[0])] = self.constant(here, "c")

    def _read(self, step: Step) -> None:
        if not self.is_used(step.outputs[0]):
            return
        variable = self.constant(step.attrs["variable"], "w")
        found = f"{variable}._value._a"
        if self._backend is not NUMPY:  # it stays where it is, be that another device
            found = f"{self.constant(partial(array_on, self._backend), 'f')}({variable}._value)"
        self.line(step, f"{self.new(step.outputs[0])} = {found}")

    def _assign(self, step: Step) -> None:
        bank = self._bound.get(id(step.attrs["variable"]))
        if bank is not None:
            if bank not in self._done:
                self._done.add(bank)
                self.line(step, f"{bank}.bind()")
            return
        variable, found = self.constant(step.attrs["variable"], "w"), self.name(step.inputs[0])
        if self._backend is not NUMPY:
            found = f"{self.constant(array_for, 'f')}({variable}, {found})"
        self.line(step, f'{variable}._bind(wrap({found}), "assigned")')

    def _others(self, step: Step) -> None:
        """A step that runs another program. One with graphs inside is asked for the outputs that are used."""
        slots = list(range(len(step.outputs)))
        if step.op in (CONDITION, LOOP, CALL):
            slots = [slot for slot in slots if id(step.outputs[slot]) in self._used]
        used, run = [step.outputs[slot] for slot in slots], run_on(step, slots, self._backend)
        targets = "".join(f"{self.new(value)}, " for value in used)
        inputs = "".join(f"{self.name(value)}, " for value in step.inputs)
        self.line(step, f"{targets}{'= ' if targets else ''}{self.constant(run, 'f')}(({inputs}))")
        assumed = [value for value in used if id(value) in self.sizes.assumed]
        tests = [f"{self.name(value)}.shape != {self.constant(self.sizes.of(value), 'c')}" for value in assumed]
        if tests:
            self.line(step, f"if {' or '.join(tests)}: raise unfit")


_SPECIAL: Final[dict[Any, Callable[[Codegen, Any], None]]] = {
    INPUT: Codegen._input,
    CONSTANT: Codegen._fixed,
    CAPTURE: Codegen._fixed,
    READ: Codegen._read,
    ASSIGN: Codegen._assign,
}


def _product(shape: tuple[int, ...]) -> int:
    size = 1
    for axis in shape:
        size *= axis
    return size
