"""How ops are written as calls of array functions that are told where to put their results."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Protocol

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.backends.numpy_kernels import sigmoid_into
from tapeviz.engine.declaration import Op, Ufunc
from tapeviz.engine.kernels import kernel_of
from tapeviz.engine.rules import axes_of
from tapeviz.engine.types import BFLOAT16
from tapeviz.graphs.passes.label_gather import refuse_others
from tapeviz.graphs.passes.plan import PICK, Step
from tapeviz.graphs.passes.runtime_sizes import Sizes

__all__ = ["can_write", "is_one_call", "scratch_of", "ufunc_of", "written"]

try:
    from numpy._core import umath

    _clip: Any = umath.clip  # type: ignore[attr-defined]
except (ImportError, AttributeError):  # another NumPy keeps it elsewhere
    _clip = None

_KEYWORD: Final = frozenset((np.maximum, np.minimum, np.fmax, np.fmin))
_FLOATS: Final = tuple(map(np.dtype, (np.float16, np.float32, np.float64)))
_BOOL: Final = np.dtype(np.bool_)
_MATRIX: Final = 2
_SMALL: Final = 127  # what every integer dtype can hold


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

    def prepared(self, name: str, how: tuple[Any, ...], function: Callable[[Any], Any]) -> str:
        """The name of a view of a buffer that is made once; empty where the array is no buffer."""

    sizes: Sizes


def can_write(step: Step, sizes: Sizes) -> bool:
    """Whether a step can be told where to put its result, and the place can be prepared."""
    if not (isinstance(step.op, Op) or step.op is PICK) or step.op.many or step.open or step.op.effects:
        return False
    for value in (*step.inputs, *step.outputs):
        if sizes.of(value) is None or value._a.dtype == BFLOAT16:
            return False
    if ufunc_of(step.op) is not None:
        return True
    rule = _WRITERS.get(step.op.name)
    return rule is not None and rule[0](step, sizes)


def is_one_call(step: Step) -> bool:
    """Whether a step is one call of a ufunc."""
    return isinstance(step.op, Op) and ufunc_of(step.op) is not None


def scratch_of(step: Step, sizes: Sizes) -> list[tuple[tuple[int, ...], np.dtype]]:
    """The buffers that a step needs while it runs."""
    rule = _WRITERS.get(step.op.name)
    return [] if rule is None or ufunc_of(step.op) is not None else rule[2](step, sizes)


def written(writer: Writing, step: Step, out: str) -> list[str]:
    """Lines that compute a step into ``out``."""
    function = ufunc_of(step.op)
    if function is None:
        return _WRITERS[step.op.name][1](writer, step, out)
    where = f"out={out}" if function in _KEYWORD else out
    inputs = ", ".join(map(writer.name, step.inputs))
    return [f"{writer.constant(function, 'k')}({inputs}, {where})"]


@cache
def ufunc_of(op: Any) -> Any:
    """The ufunc that is all of an op, None where there is none."""
    if not isinstance(op, Op) or not isinstance(op.forward, Ufunc):
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


def _are_floats(step: Step, sizes: Sizes) -> bool:
    return step.inputs[0]._a.dtype in _FLOATS and 0 not in (sizes.of(step.inputs[0]) or ())


def _largest(writer: Writing, step: Step, out: str) -> list[str]:
    reduce = writer.constant(np.maximum.reduce, "k")
    x = writer.name(step.inputs[0])
    return [f"{reduce}({x}, {step.attrs['axis']!r}, None, {out}, {step.attrs['keepdims']!r})"]


# Labels.


def _is_one_or_zero(step: Step, _sizes: Sizes) -> bool:
    attrs = step.attrs
    return bool(attrs["axis"] == -1 and attrs["on"] == 1 and attrs["off"] == 0 and _dtype(step).kind in "fiu")


def _one_hot_scratch(step: Step, sizes: Sizes) -> list[tuple[tuple[int, ...], np.dtype]]:
    return [(sizes.of(step.outputs[0]) or (), _BOOL)]


def _one_hot(writer: Writing, step: Step, out: str) -> list[str]:
    depth, dtype = step.attrs["depth"], step.inputs[0]._a.dtype
    classes = writer.constant(np.arange(depth).astype(dtype if depth <= _SMALL else np.int64), "c")
    hits = writer.scratch(step)[0]
    labels = writer.name(step.inputs[0])
    equal, copy = (writer.constant(function, "k") for function in (np.equal, np.copyto))
    return [f"{equal}({labels}[..., None], {classes}, {hits})", f"{copy}({out}, {hits})"]


def _pick_scratch(step: Step, sizes: Sizes) -> list[tuple[tuple[int, ...], np.dtype]]:
    return [(sizes.of(step.outputs[0]) or (), np.dtype(np.int64))]


def _pick(writer: Writing, step: Step, out: str) -> list[str]:
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


def _argmax(writer: Writing, step: Step, out: str) -> list[str]:
    kernel, copy = writer.constant(kernel_of(step.op, NUMPY), "k"), writer.constant(np.copyto, "k")
    kind = writer.constant(step.attrs["output_type"], "c")
    return [f"{copy}({out}, {kernel}({writer.name(step.inputs[0])}, axis={step.attrs['axis']!r}, output_type={kind}))"]


_Rule = tuple[
    Callable[[Step, Sizes], bool],
    Callable[[Writing, Step, str], list[str]],
    Callable[[Step, Sizes], list[tuple[tuple[int, ...], np.dtype]]],
]


def _sigmoid(writer: Writing, step: Step, out: str) -> list[str]:
    return [f"{writer.constant(sigmoid_into, 'k')}({writer.name(step.inputs[0])}, {out})"]


# Choices and casts.


_REAL: Final = "fiub"


def _is_real_cast(step: Step, _sizes: Sizes) -> bool:
    return step.inputs[0]._a.dtype.kind in _REAL and _dtype(step).kind in _REAL


def _cast(writer: Writing, step: Step, out: str) -> list[str]:
    return [f'{writer.constant(np.copyto, "k")}({out}, {writer.name(step.inputs[0])}, "unsafe")']


def _where(writer: Writing, step: Step, out: str) -> list[str]:
    condition, x, y = map(writer.name, step.inputs)
    copy = writer.constant(np.copyto, "k")
    return [f"{copy}({out}, {y})", f"{copy}({out}, {x}, where={condition})"]


def _is_of_floats(step: Step, _sizes: Sizes) -> bool:
    return _dtype(step) in _FLOATS


def _zeros_scratch(step: Step, sizes: Sizes) -> list[tuple[tuple[int, ...], np.dtype]]:
    return [(sizes.of(step.inputs[1]) or (), _BOOL)]


def _no_nan(function: Any) -> Any:
    """The rule of an op that gives 0 where its second input is 0."""

    def write(writer: Writing, step: Step, out: str) -> list[str]:
        x, y = map(writer.name, step.inputs)
        zero, zeros = writer.constant(np.zeros((), _dtype(step)), "c"), writer.scratch(step)[0]
        equal, combine, copy = (writer.constant(each, "k") for each in (np.equal, function, np.copyto))
        return [
            f"{equal}({y}, {zero}, {zeros})", f"{combine}({x}, {y}, {out})", f"{copy}({out}, {zero}, where={zeros})",
        ]  # fmt: skip

    return write


def _squared_difference(writer: Writing, step: Step, out: str) -> list[str]:
    inputs = ", ".join(map(writer.name, step.inputs))
    subtract, square = writer.constant(np.subtract, "k"), writer.constant(np.square, "k")
    return [f"{subtract}({inputs}, {out})", f"{square}({out}, {out})"]


def _adds_along_the_end(step: Step, sizes: Sizes) -> bool:
    return not str(step.attrs["data_format"]).startswith("NC") or len(sizes.of(step.inputs[0]) or ()) == _MATRIX


def _bias_add(writer: Writing, step: Step, out: str) -> list[str]:
    return [f"{writer.constant(np.add, 'k')}({', '.join(map(writer.name, step.inputs))}, {out})"]


def _broadcast(writer: Writing, step: Step, out: str) -> list[str]:
    return [f"{writer.constant(np.copyto, 'k')}({out}, {writer.name(step.inputs[0])})"]


_WRITERS: Final[dict[str, _Rule]] = {
    "relu": (_is_float, _relu, _nothing),
    "relu_grad": (_is_plain_gradient, _relu_grad, _relu_grad_scratch),
    "broadcast_to": (_always, _broadcast, _nothing),
    "cast": (_is_real_cast, _cast, _nothing),
    "where": (_is_of_floats, _where, _nothing),
    "divide_no_nan": (_is_of_floats, _no_nan(np.true_divide), _zeros_scratch),
    "multiply_no_nan": (_is_of_floats, _no_nan(np.multiply), _zeros_scratch),
    "squared_difference": (_is_of_floats, _squared_difference, _nothing),
    "bias_add": (_adds_along_the_end, _bias_add, _nothing),
    "sigmoid": (_are_floats, _sigmoid, _nothing),
    "matmul": (_are_matrices, _matmul, _nothing),
    "reduce_sum": (_always, _sum, _nothing),
    "reduce_max": (_are_floats, _largest, _nothing),
    "one_hot": (_is_one_or_zero, _one_hot, _one_hot_scratch),
    "argmax": (_are_floats, _argmax, _nothing),
    "pick": (_always, _pick, _pick_scratch),
    "reduce_mean": (_is_mean_of_floats, _mean, _nothing),
}
