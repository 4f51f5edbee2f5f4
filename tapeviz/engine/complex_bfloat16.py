"""The way of complex numbers and of bfloat16 through an op and back.

TensorFlow's gradient of a holomorphic function is the conjugate of what the rule for real numbers gives: the upstream
gradient and the results are conjugated around the op's own gradients, and no declaration says a word about it. What
NumPy cannot compute in bfloat16 is computed in float32 and rounded, as TensorFlow's kernels do on a CPU.

The usual dtypes never come here (:data:`tapeviz.engine.types.COMPLEX_BFLOAT16`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.backends import backend_of
from tapeviz.backends.silence import run_silently
from tapeviz.engine.broadcasting import unbroadcast
from tapeviz.engine.kernels import accumulate, raw_ops, recorded_ops
from tapeviz.engine.state import local, placed_on
from tapeviz.engine.tensor import EagerTensor, wrap
from tapeviz.engine.types import BFLOAT16, COMPLEX_BFLOAT16, COMPLEXES

if TYPE_CHECKING:
    from tapeviz.engine.declaration import Op

__all__ = ["is_complex_bfloat16", "tensor_vjp", "widened"]

_WIDE: Final = np.dtype(np.float32)


def is_complex_bfloat16(tensors: tuple[EagerTensor, ...], outputs: tuple[EagerTensor, ...] = ()) -> bool:
    """Whether one of these is complex or bfloat16."""
    return any(tensor._a.dtype in COMPLEX_BFLOAT16 for tensor in (*tensors, *outputs))


def widened(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel for arrays of bfloat16: computed in float32, and what is float32 then is rounded."""

    def compute(*arrays: Any, **attrs: Any) -> Any:
        wide = [array.astype(_WIDE) if array.dtype == BFLOAT16 else array for array in arrays]
        return _narrow(kernel(*wide, **attrs))

    return compute


def _narrow(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return [_narrow(part) for part in result]
    return result.astype(BFLOAT16) if result.dtype == _WIDE else result


@cache
def tensor_vjp(op: Op) -> TensorVjp:
    """What stands for the op in a tape's entry when a dtype is complex or bfloat16."""
    return TensorVjp(op)


class TensorVjp:
    """An op's backward step on tensors, whose ops know what to do with their dtypes."""

    contributes_to_all = False

    def __init__(self, op: Op) -> None:
        self.name: str = op.name
        self._op = op

    def apply_vjp(
        self, _ops: Any, upstream: Any, entry: Any, gradients: dict[int, Any], on_adjoint: Any, on_addend: Any
    ) -> None:
        """On arrays. The ops that it takes are not the user's, so nobody is told of them."""
        state = local.state
        observer, state.observer = state.observer, None
        try:
            g = tuple(map(wrap, upstream)) if upstream.__class__ is tuple else wrap(upstream)
            some: Any = g if g.__class__ is not tuple else next(part for part in g if part is not None)
            with placed_on(some._backend):
                given = self.step_tensors(recorded_ops, g, entry[2], entry[3])
        finally:
            state.observer = observer
        shapes = None if self._op.many else entry[4]
        for position, (number, gradient) in enumerate(zip(entry[2], given, strict=True)):
            if not number or gradient is None:
                continue
            addend = gradient._a
            ops = raw_ops(backend_of(addend))
            if shapes is not None and addend.shape != shapes[position]:
                addend = run_silently(_unbroadcast, ops, addend, shapes[position])
            accumulate(ops, gradients, number, position, addend, on_adjoint, on_addend)

    def step_tensors(self, ops: Any, upstream: Any, ins: Any, saved: Any) -> Any:
        """On tensors, conjugated where there is something to conjugate."""
        if not self._op.holomorphic:
            return self._op.step_tensors(ops, upstream, ins, saved)
        g = tuple(map(_conjugate, upstream)) if upstream.__class__ is tuple else _conjugate(upstream)
        return [None if found is None else _conjugate(found) for found in self._op.step_tensors(ops, g, ins, saved)]


def _conjugate(tensor: EagerTensor) -> EagerTensor:
    return recorded_ops.conj(tensor) if tensor._a.dtype in COMPLEXES else tensor


def _unbroadcast(ops: Any, gradient: Any, shape: tuple[int, ...]) -> Any:
    """Sum a gradient to a shape; of bfloat16 in float32, since 256 and 1 are 256 in bfloat16."""
    if gradient.dtype == BFLOAT16:
        return widened(lambda wide: unbroadcast(ops, wide, shape))(gradient)
    return unbroadcast(ops, gradient, shape)
