"""Ops by name, in the two forms that gradients are written for: on a device's arrays, and on tensors."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from tapeviz.backends import Backend
from tapeviz.backends.silence import run_silently
from tapeviz.engine.declaration import Op, Ufunc, registry

__all__ = ["RawOps", "accumulate", "kernel_of", "raw_ops", "recorded_ops"]


def kernel_of(op: Op, backend: Backend) -> Any:
    """The function that computes ``op`` on arrays of ``backend``; it takes the inputs, then attributes by name."""
    faster = backend.kernels.get(op.name)
    if faster is not None:
        return faster
    if isinstance(op.forward, Ufunc):
        return getattr(backend.xp, op.forward.name)
    return partial(op.forward, backend.xp)


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
