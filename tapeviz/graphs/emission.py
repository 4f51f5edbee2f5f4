"""How ops are written as calls of array functions that are told where to put their results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Protocol

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine.declaration import Op, Ufunc
from tapeviz.engine.kernels import kernel_of
from tapeviz.engine.rules import axes_of
from tapeviz.engine.types import BFLOAT16
from tapeviz.graphs.passes.plan import Step
from tapeviz.graphs.sizing import Sizes

__all__ = ["can_write", "is_one_call", "scratch_of", "written"]

try:
    from numpy._core import umath

    _clip: Any = umath.clip  # type: ignore[attr-defined]
except (ImportError, AttributeError):  # another NumPy keeps it elsewhere
    _clip = None

_KEYWORD: Final = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))
_FLOATS: Final = tuple(map(np.dtype, (np.float16, np.float32, np.float64)))
_BOOL: Final = np.dtype(np.bool_)
_MATRIX: Final = 2


class Writing(Protocol):
    """What writes the lines of a program."""

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

    sizes: Sizes


def can_write(step: Step, sizes: Sizes) -> bool:
    """Whether a step can be told where to put its result, and the place can be prepared."""
    if not isinstance(step.op, Op) or step.op.many or step.open or step.op.effects:
        return False
    values = (*step.inputs, *step.outputs)
    if any(sizes.of(value) is None or value._a.dtype == BFLOAT16 for value in values):
        return False
    if _ufunc_of(step.op) is not None:
        return True
    rule = _WRITERS.get(step.op.name)
    return rule is not None and rule[0](step, sizes)


def is_one_call(step: Step) -> bool:
    """Whether a step is one call of a ufunc."""
    return isinstance(step.op, Op) and _ufunc_of(step.op) is not None


def scratch_of(step: Step, sizes: Sizes) -> list[tuple[tuple[int, ...], np.dtype]]:
    """The buffers that a step needs while it runs."""
    rule = _WRITERS.get(step.op.name)
    return [] if rule is None or _ufunc_of(step.op) is not None else rule[2](step, sizes)


def written(writer: Writing, step: Step, out: str) -> list[str]:
    """Lines that compute a step into ``out``."""
    function = _ufunc_of(step.op)
    if function is None:
        return _WRITERS[step.op.name][1](writer, step, out)
    where = f"out={out}" if function in _KEYWORD else out
    inputs = ", ".join(map(writer.name, step.inputs))
    return [f"{writer.constant(function, 'k')}({inputs}, {where})"]


def _ufunc_of(op: Op) -> Any:
    """The ufunc that is all of an op, None where there is none."""
    if not isinstance(op.forward, Ufunc):
        return None
    kernel = kernel_of(op, NUMPY)
    return kernel if isinstance(kernel, np.ufunc) and kernel.nout == 1 else None


def _nothing(_step: Step, _sizes: Sizes) -> list[tuple[tuple[int, ...], np.dtype]]:
    return []


def _dtype(step: Step) -> np.dtype:
    return step.outputs[0]._a.dtype  # type: ignore[no-any-return]


# relu and its gradient.


def _is_float(step: Step, _sizes: Sizes) -> bool:
    return _clip is not None and _dtype(step) in _FLOATS


def _relu(writer: Writing, step: Step, out: str) -> list[str]:
    low, high = (writer.constant(np.full((), value, _dtype(step)), "c") for value in (0, np.inf))
    return [f"{writer.constant(_clip, 'k')}({writer.name(step.inputs[0])}, {low}, {high}, {out})"]


def _bits(step: Step) -> np.dtype:
    return np.dtype(f"i{_dtype(step).itemsize}")


def _is_plain_gradient(step: Step, sizes: Sizes) -> bool:
    upstream, y = step.inputs
    return _dtype(step) in _FLOATS and sizes.of(upstream) == sizes.of(y)


def _relu_grad_scratch(step: Step, sizes: Sizes) -> list[tuple[tuple[int, ...], np.dtype]]:
    shape = sizes.of(step.outputs[0]) or ()
    return [(shape, _BOOL), (shape, _bits(step))]


def _relu_grad(writer: Writing, step: Step, out: str) -> list[str]:
    """The bits of the gradient times 0 or 1: 0 where nothing passes, nan or not."""
    upstream, y = map(writer.name, step.inputs)
    passes, factor = writer.scratch(step)
    zero, bits = writer.constant(np.zeros((), _dtype(step)), "c"), _bits(step)
    greater, copy, times = (writer.constant(f, "k") for f in (np.greater, np.copyto, np.multiply))
    return [
        f"{greater}({y}, {zero}, {passes})",
        f"{copy}({factor}, {passes})",
        f"{times}({factor}, {writer.bits(upstream, bits)}, {writer.bits(out, bits)})",
    ]


# Products of matrices, sums and means.


def _are_matrices(step: Step, sizes: Sizes) -> bool:
    ranks = [len(sizes.of(value) or ()) for value in step.inputs]
    return ranks == [_MATRIX, _MATRIX] and _dtype(step).kind in "fc"


def _matmul(writer: Writing, step: Step, out: str) -> list[str]:
    inputs = [
        writer.turned(writer.name(value)) if step.attrs.get(flag) else writer.name(value)
        for value, flag in zip(step.inputs, ("transpose_a", "transpose_b"), strict=True)
    ]
    return [f"{writer.constant(np.dot, 'k')}({', '.join(inputs)}, {out})"]


def _always(_step: Step, _sizes: Sizes) -> bool:
    return True


def _sum(writer: Writing, step: Step, out: str) -> list[str]:
    return [_reduction(writer, step, out)]


def _reduction(writer: Writing, step: Step, out: str) -> str:
    x, dtype = writer.name(step.inputs[0]), writer.constant(_dtype(step), "c")
    reduce = writer.constant(np.add.reduce, "k")
    return f"{reduce}({x}, {step.attrs['axis']!r}, {dtype}, {out}, {step.attrs['keepdims']!r})"


def _is_mean_of_floats(step: Step, _sizes: Sizes) -> bool:
    return _dtype(step).kind == "f"


def _mean(writer: Writing, step: Step, out: str) -> list[str]:
    shape, axis = writer.sizes.of(step.inputs[0]) or (), step.attrs["axis"]
    count = math.prod(shape) if axis is None else math.prod(shape[place] for place in axes_of(axis, len(shape)))
    divisor = writer.constant(np.asarray(count, _dtype(step)), "c")
    return [_reduction(writer, step, out), f"{writer.constant(np.true_divide, 'k')}({out}, {divisor}, {out})"]


_Rule = tuple[
    Callable[[Step, Sizes], bool],
    Callable[[Writing, Step, str], list[str]],
    Callable[[Step, Sizes], list[tuple[tuple[int, ...], np.dtype]]],
]

_WRITERS: Final[dict[str, _Rule]] = {
    "relu": (_is_float, _relu, _nothing),
    "relu_grad": (_is_plain_gradient, _relu_grad, _relu_grad_scratch),
    "matmul": (_are_matrices, _matmul, _nothing),
    "reduce_sum": (_always, _sum, _nothing),
    "reduce_mean": (_is_mean_of_floats, _mean, _nothing),
}
