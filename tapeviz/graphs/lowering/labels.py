"""Lowering rules of what has to do with classes: the likeliest one, one-hot rows, the share of a label."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.kernels import kernel_of
from tapeviz.graphs.lowering.rule import (
    BOOL,
    FLOATS,
    Buffers,
    CallWriter,
    Lowered,
    Lowering,
    Operand,
    dtype_of,
    lowering,
    together,
)
from tapeviz.graphs.native.library_calls import Picked, argmax, one_hot
from tapeviz.graphs.passes.label_gather import refuse_others
from tapeviz.graphs.passes.plan import PICK, Step
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.ops import declarations as ops

__all__: list[str] = []

_SMALL: Final = 127  # what every integer dtype can hold


@lowering(ops.one_hot)
class _OneHot(Lowering):
    def fits(self, step: Step, _sizes: Sizes) -> bool:
        attrs = step.attrs
        return bool(attrs["axis"] == -1 and attrs["on"] == 1 and attrs["off"] == 0 and dtype_of(step).kind in "fiu")

    def scratch(self, step: Step, sizes: Sizes) -> Buffers:
        return [(sizes.of(step.outputs[0]) or (), BOOL)]

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        depth, dtype = step.attrs["depth"], step.inputs[0]._a.dtype
        classes = writer.constant(np.arange(depth).astype(dtype if depth <= _SMALL else np.int64), "c")
        hits = writer.scratch(step)[0]
        labels = writer.name(step.inputs[0])
        equal, copy = (writer.constant(function, "k") for function in (np.equal, np.copyto))
        return [f"{equal}({labels}[..., None], {classes}, {hits})", f"{copy}({out}, {hits})"]

    def code(self, _step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        return together(one_hot(operands[0][1], out[1]))


@lowering(PICK)
class _Pick(Lowering):
    def scratch(self, step: Step, sizes: Sizes) -> Buffers:
        return [(sizes.of(step.outputs[0]) or (), np.dtype(np.int64))]

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        shape = writer.sizes.of(step.inputs[1]) or ()
        count = math.prod(shape[:-1])
        firsts = writer.constant((np.arange(count) * shape[-1]).reshape(shape[:-1]), "c")
        check, add, negative = (writer.constant(f, "k") for f in (refuse_others, np.add, np.negative))
        labels, shares = map(writer.name, step.inputs)
        places = writer.scratch(step)[0]
        flat = writer.prepared(shares, ("flat",), lambda array: array.reshape(-1)) or f"{shares}.reshape(-1)"
        return [
            f"{check}({labels}, {shape[-1]})",
            f"{add}({firsts}, {labels}, {places})",
            f'{flat}.take({places}, None, {out}, "clip")',
            f"{negative}({out}, {out})",
        ]

    def code(self, _step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        return together(Picked.of(operands[0][1], operands[1][1], out[1]))


@lowering(ops.argmax)
class _ArgMax(Lowering):
    def fits(self, step: Step, sizes: Sizes) -> bool:
        return step.inputs[0]._a.dtype in FLOATS and 0 not in (sizes.of(step.inputs[0]) or ())

    def calls(self, writer: CallWriter, step: Step, out: str) -> list[str]:
        kernel, copy = writer.constant(kernel_of(step.op, NUMPY), "k"), writer.constant(np.copyto, "k")
        kind, x = writer.constant(step.attrs["output_type"], "c"), writer.name(step.inputs[0])
        return [f"{copy}({out}, {kernel}({x}, axis={step.attrs['axis']!r}, output_type={kind}))"]

    def code(self, step: Step, operands: list[Operand], out: Operand) -> list[Lowered] | None:
        return together(argmax(operands[0][1], step.attrs["axis"], out[1]))
