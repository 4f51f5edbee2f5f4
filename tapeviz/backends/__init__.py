"""Devices: each file is one, behind the interface of ``interface.py``."""

from __future__ import annotations

from typing import Any

from tapeviz.backends.interface import Backend
from tapeviz.backends.numpy_backend import NUMPY, NumpyBackend

__all__ = ["NUMPY", "Backend", "NumpyBackend", "backend_of", "moved", "register"]

_by_array_type: dict[type, Backend] = {NUMPY.array_type: NUMPY}


def register(backend: Backend) -> None:
    """Make the engine recognise the arrays of ``backend``."""
    _by_array_type[backend.array_type] = backend


def backend_of(array: Any) -> Backend:
    """The device whose array this is; the host for NumPy's scalars."""
    return _by_array_type.get(array.__class__, NUMPY)


def moved(array: Any, backend: Backend) -> Any:
    """A copy of an array in the memory of ``backend``; the array itself when it is there."""
    here = backend_of(array)
    return array if here is backend else backend.from_host(here.to_host(array))
