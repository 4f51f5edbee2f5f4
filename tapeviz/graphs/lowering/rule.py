"""A lowering rule of an op: how it is computed into a buffer, and how in machine code. Ufuncs need none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from tapeviz.engine.declaration import Op
from tapeviz.graphs.ir.special_nodes import Special
from tapeviz.graphs.native.code import Code
from tapeviz.graphs.native.loops import Element
from tapeviz.graphs.native.operands import MemoryRef, meeting
from tapeviz.graphs.passes.plan import Step
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.native.lanes import Writer

__all__ = ["BOOL", "FLOATS", "LOWERINGS", "MEMORY", "Buffers", "CallWriter", "Lowered", "Lowering", "Operand",
           "dtype_of", "element", "lowering", "together"]  # fmt: skip

FLOATS: Final = tuple(map(np.dtype, (np.float16, np.float32, np.float64)))
BOOL: Final = np.dtype(np.bool_)
MEMORY: Final = 0
"""An operand that is read from its place, whatever a register has."""

Lowered = Element | Callable[[Code], None]
"""An elementwise op that can join others in a loop, or what writes the code of another one."""
Operand = tuple[int, MemoryRef]
"""A value by its identity, and where it is."""
Buffers = list[tuple[tuple[int, ...], np.dtype]]
"""Shapes and dtypes."""


class CallWriter(Protocol):
    """What writes the lines of an executable."""

    def name(self, value: Any) -> str:
        """The name of a value."""

    def constant(self, value: Any, kind: str) -> str:
        """A name for an object."""

    def scratch(self, step: Step) -> list[str]:
        """The names of the buffers that a step needs while it runs."""

    def turned(self, name: str) -> str:
        """A matrix transposed."""

    def bits(self, name: str, dtype: np.dtype) -> str:
        """The same memory as of another dtype."""

    def prepared(self, name: str, how: tuple[Any, ...], function: Callable[[Any], Any]) -> str:
        """The name of a view of a buffer that is made once; empty where the array is no buffer."""

    sizes: Sizes


class Lowering:
    """The rule of an op. Both ways give what the op's kernel gives, to the bit."""

    def fits(self, _step: Step, _sizes: Sizes) -> bool:
        """Whether the rule holds for a step, whose shapes are all known."""
        return True

    def scratch(self, _step: Step, _sizes: Sizes) -> Buffers:
        """The buffers that a step needs while it runs as calls."""
        return []

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        """Lines of Python that compute a step into ``out``."""
        raise NotImplementedError

    def code(self, _step: Step, _operands: list[Operand], _out: Operand) -> list[Lowered] | None:
        """The machine code of a step that writes its result to a place, None where there is none."""
        return None


LOWERINGS: Final[dict[Op | Special, Lowering]] = {}
"""The rule of each op that has one."""
_Rule = TypeVar("_Rule", bound=type[Lowering])


def lowering(op: Op | Special) -> Callable[[_Rule], _Rule]:
    """Register a class as the rule of an op."""

    def register(rule: _Rule) -> _Rule:
        LOWERINGS[op] = rule()
        return rule

    return register


def dtype_of(step: Step) -> np.dtype:
    """The dtype of what a step gives."""
    return step.outputs[0]._a.dtype  # type: ignore[no-any-return]


def element(write: Writer | None, step: Step, operands: list[Operand], out: Operand) -> Element | None:
    """An elementwise op that IEEE 754 defines, for operands that meet the result in some way."""
    ways = [meeting(place.shape, out[1].shape) for _, place in operands]
    rows = {way[1] for way in ways if way is not None and way[1]}
    if write is None or None in ways or len(rows) > 1 or 0 in out[1].shape:
        return None
    met = [(key, place, way[0]) for (key, place), way in zip(operands, ways, strict=True) if way is not None]
    return Element(step, write, met, *out, next(iter(rows), 0))


def together(*parts: Lowered | None) -> list[Lowered] | None:
    """The parts of a step's code; None where one of them is None."""
    every = [part for part in parts if part is not None]
    return every if len(every) == len(parts) else None
