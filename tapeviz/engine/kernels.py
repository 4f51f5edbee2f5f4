"""Ops by name, in the two forms that gradients are written for: on a device's arrays, and on tensors."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY, Backend
from tapeviz.backends.blocks import stepwise, ufunc_in_blocks
from tapeviz.backends.numpy_kernels import large_kernel
from tapeviz.backends.silence import run_silently
from tapeviz.engine.declaration import Op, Ufunc, registry

__all__ = [
    "RawOps", "accumulate", "kernel_of", "large_gradient_of", "large_kernel_of", "raw_ops", "recorded_ops",
]  # fmt: skip


def kernel_of(op: Op, backend: Backend) -> Any:
    """The function that computes ``op`` on arrays of ``backend``; it takes the inputs, then attributes by name."""
    faster = backend.kernels.get(op.name)
    if faster is not None:
        return faster
    if isinstance(op.forward, Ufunc):
        return getattr(backend.xp, op.forward.name)
    return partial(op.forward, backend.xp)


def large_kernel_of(op: Op) -> Any:
    """The same on the host for many elements; None where there is no other."""
    if (own := large_kernel(op.name)) is not None:
        return own
    kernel = kernel_of(op, NUMPY)
    if op.name in NUMPY.kernels or not goes_by_elements(op):
        return None
    if isinstance(op.forward, Ufunc):
        # To ask each small one how large it is would cost as much as an addition's twentieth part, and where memory
        # takes longer than the processor, other cores help little.
        return None if "exact" in op.traits or not op.vjp else ufunc_in_blocks(kernel)
    return stepwise(kernel)


def large_gradient_of(op: Op, name: str) -> Any:
    """A gradient by an input, on arrays of the host that have many elements; None where there is no other."""
    gradient = op.vjp[name]
    names = gradient.__code__.co_names
    several = len(names) > 1 or any(name not in registry for name in names)
    return stepwise(gradient) if several and goes_by_elements(op) else None


def goes_by_elements(op: Op) -> bool:
    """Whether each number of the output depends on one of each input alone, all of one shape and dtype."""
    types = op.types[op.inputs[0]]
    numbers = types is None or np.dtype(np.float32) in types
    return op.family == "elementwise" and "uneven" not in op.hints and not op.converts and numbers


class RawOps:
    """Every op by name, on arrays of one device: no tensors, no tapes."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> Any:
        op = registry.get(name)
        if op is None:
            raise AttributeError(f"no op is called {name!r}")
        kernel = kernel_of(op, self._backend)
        setattr(self, name, kernel)
        return kernel


class _RecordedOps:
    """Every op by name, on tensors, seen by whoever is watching."""

    def __getattr__(self, name: str) -> Any:
        op = registry.get(name)
        if op is None:
            raise AttributeError(f"no op is called {name!r}")
        return op.run


_raw: dict[Backend, RawOps] = {}
recorded_ops: Final = _RecordedOps()


def raw_ops(backend: Backend) -> RawOps:
    """``F`` on arrays of ``backend``."""
    if backend not in _raw:
        _raw[backend] = RawOps(backend)
    return _raw[backend]


def accumulate(
    ops: Any, gradients: dict[int, Any], number: int, position: int, addend: Any, on_adjoint: Any, on_addend: Any
) -> None:
    """Add an array to the gradient of forward tensor ``number``, input ``position`` of what is differentiated.

    The observer's callbacks are called where there are any. Generated functions have the same in line.
    """
    before = gradients.get(number)
    gradients[number] = total = addend if before is None else run_silently(ops.add, before, addend)
    if on_adjoint is not None:
        on_adjoint((number, position, 0, 0))
    if on_addend is not None:
        on_addend((addend, total))
