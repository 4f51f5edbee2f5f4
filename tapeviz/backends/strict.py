"""A second device made of host memory that refuses to mix with the host.

It has no speed and no hardware. It is there so that code that would break on a GPU (a host array slipping in, a call
into NumPy by name, a result assumed to be an ndarray) breaks in every test run instead.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tapeviz.backends.interface import Backend

__all__ = ["StrictArray", "StrictBackend"]

_PLAIN = (bool, int, float, complex, str, type(None), type(Ellipsis), np.dtype, type)


class StrictArray:
    """An array of the strict device: everything an ndarray does as long as only its own kind takes part."""

    __slots__ = ("__weakref__", "host")
    __array_ufunc__ = None  # NumPy's operators give way, and its functions raise

    def __init__(self, host: np.ndarray) -> None:
        self.host: np.ndarray = host

    def __array__(self, *_args: Any, **_kwargs: Any) -> np.ndarray:
        raise TypeError("an array of the strict device was given to NumPy; copy it to the host first")

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.host, name)
        return _guarded(value) if callable(value) else _wrap(value)

    def __getitem__(self, key: Any) -> Any:
        return _wrap(self.host[_unwrap(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.host[_unwrap(key)] = _unwrap(value)

    def __len__(self) -> int:
        return len(self.host)

    def __bool__(self) -> bool:
        return bool(self.host)

    def __int__(self) -> int:
        return int(self.host)

    def __float__(self) -> float:
        return float(self.host)

    def __index__(self) -> int:
        return operator.index(self.host)


def _operator(name: str) -> Callable[..., Any]:
    def apply(self: StrictArray, *others: Any) -> Any:
        return _wrap(getattr(self.host, name)(*map(_unwrap, others)))

    return apply


for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
):
    setattr(StrictArray, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(StrictArray, f"__r{_name}__", _operator(f"__r{_name}__"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert"):
    setattr(StrictArray, f"__{_name}__", _operator(f"__{_name}__"))


def _unwrap(value: Any) -> Any:
    if value.__class__ is StrictArray:
        return value.host
    if isinstance(value, (tuple, list)):
        return type(value)(map(_unwrap, value))
    if isinstance(value, slice):
        return slice(_unwrap(value.start), _unwrap(value.stop), _unwrap(value.step))
    if isinstance(value, _PLAIN):
        return value
    raise TypeError(f"{type(value).__name__} is on the host and was mixed with the strict device")


def _wrap(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return StrictArray(np.asarray(value))
    if isinstance(value, (tuple, list)) and any(isinstance(item, (np.ndarray, np.generic)) for item in value):
        return [_wrap(item) for item in value]
    return value


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return _wrap(function(*map(_unwrap, args), **{key: _unwrap(value) for key, value in kwargs.items()}))

    return call


class _Module:
    """An array module whose functions take and give only arrays of the strict device."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def asarray(self, data: Any, **options: Any) -> StrictArray:
        """The one door for host arrays, as on other devices: asked for by name, a copy comes over."""
        return StrictArray(np.array(data.host if isinstance(data, StrictArray) else data, **options))

    def library(self, name: str) -> _Module:
        """SciPy's module of that name, for arrays of this device."""
        return _Module(import_module(f"scipy.{name}"))

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, type(np.linalg)):
            return _Module(value)
        if isinstance(value, np.ufunc):
            return _Ufunc(value)
        return _guarded(value) if callable(value) and not isinstance(value, type) else value


class _Ufunc:
    """A ufunc of the strict device: callable, with ``reduce`` and its kin."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _guarded(self._ufunc)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return _guarded(getattr(self._ufunc, name))


class StrictBackend(Backend):
    """The strict device, named ``STRICT:0``.

    With ``kind = "GPU"`` and ``mixes = True`` it stands in for a GPU in tests.
    """

    kind = "STRICT"
    array_type = StrictArray
    mixes = False
    xp: Any = _Module(np)

    def from_host(self, array: np.ndarray) -> StrictArray:
        """A copy of ``array`` on this device."""
        return StrictArray(np.array(array))

    def to_host(self, array: StrictArray) -> np.ndarray:
        """A copy of ``array`` on the host."""
        return array.host.copy()

    def as_array(self, result: Any) -> StrictArray:
        """``result``, which is an array already unless a kernel left the device."""
        if result.__class__ is not StrictArray:
            raise TypeError(f"a kernel gave {type(result).__name__} on the strict device")
        return result
