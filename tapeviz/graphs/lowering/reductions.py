"""Lowering rules of products of matrices, sums, means and largest elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.backends.blocks import LARGE
from tapeviz.backends.small_products import is_product_in_pieces, product_in_pieces
from tapeviz.backends.tiled_products import are_tiled
from tapeviz.engine.rules import axes_of
from tapeviz.graphs.lowering.rule import (
    FLOATS,
    MEMORY,
    CallWriter,
    Lowered,
    Lowering,
    Operand,
    dtype_of,
    element,
    lowering,
    together,
)
from tapeviz.graphs.native.library_calls import matmul, reduction
from tapeviz.graphs.native.operands import MemoryRef
from tapeviz.graphs.passes.plan import Step
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.native.lanes import inlined
from tapeviz.ops import declarations as ops

__all__: list[str] = []


@lowering(ops.matmul)
class _MatMul(Lowering):
    def fits(self, step: Step, sizes: Sizes) -> bool:
        shapes = [sizes.of(value) or () for value in step.inputs]
        if any(len(shape) != 2 for shape in shapes) or dtype_of(step).kind not in "fc":  # noqa: PLR2004
            return False
        # Of long vectors and of large matrices the op's kernel makes another sum, on all cores.
        if all(1 in shape for shape in shapes) and max(map(math.prod, shapes)) >= LARGE:
            return False
        first, second = (
            shape[::-1] if turned else shape for shape, turned in zip(shapes, self._turned(step), strict=True)
        )
        return not are_tiled(dtype_of(step), first[0], first[1], second[1])

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        first, second = (
            writer.turned(writer.name(value)) if turned else writer.name(value)
            for value, turned in zip(step.inputs, self._turned(step), strict=True)
        )
        rows, inner = (writer.sizes.of(step.inputs[0]) or ())[:: -1 if self._turned(step)[0] else 1]
        whole = not is_product_in_pieces(rows, inner * (writer.sizes.of(step.outputs[0]) or ())[1])
        return [f"{writer.constant(np.dot if whole else product_in_pieces, 'k')}({first}, {second}, {out})"]

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        first, second = (
            place.swapped() if turned else place
            for (_, place), turned in zip(operands, self._turned(step), strict=True)
        )
        return together(matmul(first, second, out[1]))

    @staticmethod
    def _turned(step: Step) -> tuple[Any, Any]:
        return step.attrs.get("transpose_a"), step.attrs.get("transpose_b")


class _Reduction(Lowering):
    function: Any

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        x, dtype = writer.name(step.inputs[0]), self.dtype(writer, step)
        reduce = writer.constant(self.function.reduce, "k")
        return [f"{reduce}({x}, {step.attrs['axis']!r}, {dtype}, {out}, {step.attrs['keepdims']!r})"]

    def dtype(self, writer: CallWriter, step: Step) -> str:
        """The dtype that elements are added in."""
        return writer.constant(dtype_of(step), "c")

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        source, axis = operands[0][1], step.attrs["axis"]
        rank = len(source.shape)
        gone = set(range(rank)) if axis is None else set(axes_of(axis, rank))
        return together(reduction(self.function, source, [place not in gone for place in range(rank)], out[1]))


@lowering(ops.reduce_sum)
class _Sum(_Reduction):
    function = np.add

    def fits(self, step: Step, sizes: Sizes) -> bool:
        """Large sums are those of the op's kernel, in its order, on all cores."""
        return math.prod(sizes.of(step.inputs[0]) or ()) < LARGE


@lowering(ops.reduce_max)
class _Max(_Reduction):
    function = np.maximum

    def fits(self, step: Step, sizes: Sizes) -> bool:
        return step.inputs[0]._a.dtype in FLOATS and 0 not in (sizes.of(step.inputs[0]) or ())

    def dtype(self, _writer: CallWriter, _step: Step) -> str:
        return "None"


@lowering(ops.reduce_mean)
class _Mean(_Sum):
    """A sum, and then each element of it divided by how many there were."""

    def fits(self, step: Step, sizes: Sizes) -> bool:
        return dtype_of(step).kind == "f" and super().fits(step, sizes)

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        shape, axis = writer.sizes.of(step.inputs[0]) or (), step.attrs["axis"]
        count = math.prod(shape) if axis is None else math.prod(shape[place] for place in axes_of(axis, len(shape)))
        divisor = writer.constant(np.asarray(count, dtype_of(step)), "c")
        divide = f"{writer.constant(np.true_divide, 'k')}({out}, {divisor}, {out})"
        return [*super().calls(writer, step, out), divide]

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        total, result = super().code(step, operands, out), out[1]
        count = np.asarray(operands[0][1].size // max(1, result.size), result.dtype)
        number = MemoryRef(count.ctypes.data, 0, (), count.dtype, fixed=True, kept=count)
        write = inlined(np.true_divide, [result.dtype, count.dtype])
        share = element(write, step, [(MEMORY, result), (MEMORY, number)], out)
        return None if total is None else together(*total, share)
