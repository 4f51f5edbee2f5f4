"""Lowering rules of elementwise ops that are no ufunc: activations, selections, casts and the like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapeviz.backends.numpy_kernels import sigmoid_into
from tapeviz.graphs.lowering.rule import (
    BOOL,
    FLOATS,
    MEMORY,
    Buffers,
    CallWriter,
    Lowered,
    Lowering,
    Operand,
    dtype_of,
    element,
    lowering,
    together,
)
from tapeviz.graphs.native.library_calls import Mapped
from tapeviz.graphs.passes.plan import Step
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.native.lanes import Lanes, cast_writer, copied, inlined, kind_of, select, square
from tapeviz.ops import declarations as ops

__all__: list[str] = []

_FLOATS: Final = ({"float"}, {"double"})
_MATRIX: Final = 2
_NOBODY: Final = -1  # a result that is only read from its place

try:
    from numpy._core import umath

    _clip: Any = umath.clip  # type: ignore[attr-defined]
except (ImportError, AttributeError):  # another NumPy keeps it elsewhere
    _clip = None


class _OfFloats(Lowering):
    """An op on floats of one dtype that IEEE 754 defines; ``write`` is its :data:`Writer`."""

    def fits(self, step: Step, _sizes: Sizes) -> bool:
        return dtype_of(step) in FLOATS

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        kinds = {kind_of(place.dtype) for _, place in operands}
        return together(element(self.write if kinds in _FLOATS else None, step, operands, out))

    def write(self, lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        raise NotImplementedError


@lowering(ops.relu)
class _Relu(_OfFloats):
    def fits(self, step: Step, sizes: Sizes) -> bool:
        return _clip is not None and super().fits(step, sizes)

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        low, high = (writer.constant(np.full((), value, dtype_of(step)), "c") for value in (0, np.inf))
        return [f"{writer.constant(_clip, 'k')}({writer.name(step.inputs[0])}, {low}, {high}, {out})"]

    def write(self, lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        zero = lanes.constant(scalar, "0.0")
        below = lanes.code.value(f"fcmp olt {lanes.kind(scalar)} {operands[0]}, {zero}")  # nan and -0.0 are let through
        return select(lanes, scalar, below, zero, operands[0])


@lowering(ops.relu_grad)
class _ReluGradient(_OfFloats):
    """The bits of the gradient times 0 or 1: 0 where nothing passes, nan or not."""

    def fits(self, step: Step, sizes: Sizes) -> bool:
        upstream, y = step.inputs
        return super().fits(step, sizes) and sizes.of(upstream) == sizes.of(y)

    def scratch(self, step: Step, sizes: Sizes) -> Buffers:
        shape = sizes.of(step.outputs[0]) or ()
        return [(shape, BOOL), (shape, self._bits(step))]

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        upstream, y = map(writer.name, step.inputs)
        passes, factor = writer.scratch(step)
        zero, bits = writer.constant(np.zeros((), dtype_of(step)), "c"), self._bits(step)
        greater, copy, times = (writer.constant(f, "k") for f in (np.greater, np.copyto, np.multiply))
        return [
            f"{greater}({y}, {zero}, {passes})",
            f"{copy}({factor}, {passes})",
            f"{times}({factor}, {writer.bits(upstream, bits)}, {writer.bits(out, bits)})",
        ]

    @staticmethod
    def _bits(step: Step) -> np.dtype:
        return np.dtype(f"i{dtype_of(step).itemsize}")

    def write(self, lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        zero = lanes.constant(scalar, "0.0")
        above = lanes.code.value(f"fcmp ogt {lanes.kind(scalar)} {operands[1]}, {zero}")
        return select(lanes, scalar, above, operands[0], zero)


@lowering(ops.sigmoid)
class _Sigmoid(Lowering):
    """The steps of its kernel, in the result's own memory."""

    def fits(self, step: Step, sizes: Sizes) -> bool:
        return step.inputs[0]._a.dtype in FLOATS and 0 not in (sizes.of(step.inputs[0]) or ())

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        return [f"{writer.constant(sigmoid_into, 'k')}({writer.name(step.inputs[0])}, {out})"]

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        x, result = operands[0][1], out[1]
        negative = element(inlined(np.negative, [x.dtype]), step, operands, (_NOBODY, result))
        if negative is not None:
            negative.forced = True
        end = element(
            self._end if kind_of(result.dtype) in ("float", "double") else None, step, [(MEMORY, result)], out
        )
        return together(negative, Mapped.of(np.exp, [result], result), end)

    @staticmethod
    def _end(lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        one, kind = lanes.constant(scalar, "1.0"), lanes.kind(scalar)
        return lanes.code.value(f"fdiv {kind} {one}, {lanes.code.value(f'fadd {kind} {operands[0]}, {one}')}")


@lowering(ops.cast)
class _Cast(Lowering):
    def fits(self, step: Step, _sizes: Sizes) -> bool:
        return step.inputs[0]._a.dtype.kind in "fiub" and dtype_of(step).kind in "fiub"

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        return [f'{writer.constant(np.copyto, "k")}({out}, {writer.name(step.inputs[0])}, "unsafe")']

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        return together(element(cast_writer(operands[0][1].dtype, out[1].dtype), step, operands, out))


@lowering(ops.where)
class _Where(_OfFloats):
    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        condition, x, y = map(writer.name, step.inputs)
        copy = writer.constant(np.copyto, "k")
        return [f"{copy}({out}, {y})", f"{copy}({out}, {x}, where={condition})"]

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        kinds = {kind_of(place.dtype) for _, place in operands[1:]}
        plain = kinds in _FLOATS and kind_of(operands[0][1].dtype) is not None
        return together(element(self.write if plain else None, step, operands, out))

    def write(self, lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        return select(lanes, scalar, *operands)


class _NoNan(_OfFloats):
    """An op that gives 0 where its second input is 0."""

    function: Any
    instruction: str

    def scratch(self, step: Step, sizes: Sizes) -> Buffers:
        return [(sizes.of(step.inputs[1]) or (), BOOL)]

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        x, y = map(writer.name, step.inputs)
        zero, zeros = writer.constant(np.zeros((), dtype_of(step)), "c"), writer.scratch(step)[0]
        equal, combine, copy = (writer.constant(each, "k") for each in (np.equal, self.function, np.copyto))
        return [
            f"{equal}({y}, {zero}, {zeros})",
            f"{combine}({x}, {y}, {out})",
            f"{copy}({out}, {zero}, where={zeros})",
        ]

    def write(self, lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        kind, zero = lanes.kind(scalar), lanes.constant(scalar, "0.0")
        nothing = lanes.code.value(f"fcmp oeq {kind} {operands[1]}, {zero}")
        result = lanes.code.value(f"{self.instruction} {kind} {operands[0]}, {operands[1]}")
        return select(lanes, scalar, nothing, zero, result)


@lowering(ops.divide_no_nan)
class _DivideNoNan(_NoNan):
    function, instruction = np.true_divide, "fdiv"


@lowering(ops.multiply_no_nan)
class _MultiplyNoNan(_NoNan):
    function, instruction = np.multiply, "fmul"


@lowering(ops.squared_difference)
class _SquaredDifference(_OfFloats):
    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        inputs = ", ".join(map(writer.name, step.inputs))
        subtract, square_ = writer.constant(np.subtract, "k"), writer.constant(np.square, "k")
        return [f"{subtract}({inputs}, {out})", f"{square_}({out}, {out})"]

    def write(self, lanes: Lanes, scalar: str, operands: Sequence[str]) -> str:
        difference = lanes.code.value(f"fsub {lanes.kind(scalar)} {operands[0]}, {operands[1]}")
        return square(lanes, scalar, [difference])


@lowering(ops.bias_add)
class _BiasAdd(Lowering):
    def fits(self, step: Step, sizes: Sizes) -> bool:
        """Whether the bias lies along the last axis."""
        return not str(step.attrs["data_format"]).startswith("NC") or len(sizes.of(step.inputs[0]) or ()) == _MATRIX

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        return [f"{writer.constant(np.add, 'k')}({', '.join(map(writer.name, step.inputs))}, {out})"]

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        return together(element(inlined(np.add, [place.dtype for _, place in operands]), step, operands, out))


@lowering(ops.broadcast_to)
class _BroadcastTo(Lowering):
    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        return [f"{writer.constant(np.copyto, 'k')}({out}, {writer.name(step.inputs[0])})"]

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        return together(element(copied(operands[0][1].dtype), step, operands, out))
