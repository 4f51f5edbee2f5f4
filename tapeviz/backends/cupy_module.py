"""CuPy as the array module of our ops: what it lacks beside NumPy is filled in here, and nowhere else.

Documented differences that matter to ops: positions outside an array wrap around instead of raising, ufuncs have few
methods, reductions take no ``initial`` and no ``where``, decompositions of matrices do not say that they failed, and
some functions are missing. Those are computed on the host and copied back: slow, and right.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import numpy as np

__all__ = ["CupyModule"]

# By ufunc: the function that reduces whole axes, the one that keeps each step, cupyx's that scatters.
_METHODS: Final[dict[str, tuple[str, str, str]]] = {
    "add": ("sum", "cumsum", "scatter_add"),
    "multiply": ("prod", "cumprod", ""),
    "maximum": ("max", "", "scatter_max"),
    "minimum": ("min", "", "scatter_min"),
    "logical_and": ("all", "", ""),
    "logical_or": ("any", "", ""),
}
_OMITTED: Final = object()


class CupyModule:
    """``xp`` on the GPU: CuPy's functions, and ours where it has none.

    Args:
        cupy: the module.
        cupyx: its companion, with scatter and SciPy.
    """

    def __init__(self, cupy: Any, cupyx: Any) -> None:
        self._cupy = cupy
        self._cupyx = cupyx
        self.linalg: _Linalg = _Linalg(self, cupy, cupyx)

    def __getattr__(self, name: str) -> Any:
        found = self._find(name)
        setattr(self, name, found)  # once a name
        return found

    def _find(self, name: str) -> Any:
        theirs, host = getattr(self._cupy, name, _OMITTED), getattr(np, name, _OMITTED)
        if theirs is _OMITTED:
            if host is _OMITTED:
                raise AttributeError(f"neither CuPy nor NumPy has {name!r}")
            theirs = host if isinstance(host, type) or not callable(host) else self.by_host(host)
        return _Ufunc(self, theirs, host) if isinstance(host, np.ufunc) else theirs

    def library(self, name: str) -> Any:
        """SciPy's module of that name, for the GPU's arrays."""
        return _Library(self, name)

    def by_host(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the host's, for arrays here: copied there and back."""

        def call(*args: Any, **kwargs: Any) -> Any:
            return self.sent(function(*map(self.fetched, args), **{k: self.fetched(v) for k, v in kwargs.items()}))

        return call

    def fetched(self, value: Any) -> Any:
        """``value`` with the GPU's arrays in it on the host."""
        if isinstance(value, self._cupy.ndarray):
            return self._cupy.asnumpy(value)
        return type(value)(map(self.fetched, value)) if type(value) in (tuple, list) else value

    def sent(self, value: Any) -> Any:
        """``value`` with the host's arrays in it on the GPU."""
        if isinstance(value, (np.ndarray, np.generic)):
            return self._cupy.asarray(value)
        return tuple(map(self.sent, value)) if isinstance(value, (tuple, list)) else value

    # Positions are checked here: CuPy wraps those outside around, without a word.

    def take(self, a: Any, indices: Any, axis: int | None = None) -> Any:
        """Like NumPy's. IndexError: a position is outside."""
        self._check(indices, a.size if axis is None else a.shape[axis])
        return self._cupy.take(a, indices, axis=axis)

    def take_along_axis(self, arr: Any, indices: Any, axis: int) -> Any:
        """Like NumPy's. IndexError: a position is outside."""
        self._check(indices, arr.shape[axis])
        return self._cupy.take_along_axis(arr, indices, axis)

    def _check(self, indices: Any, size: int) -> None:
        if not isinstance(indices, self._cupy.ndarray):
            indices = np.asarray(indices)
        if indices.size and not (-size <= int(indices.min()) and int(indices.max()) < size):
            raise IndexError(f"an index is out of bounds for an axis of size {size}")


class _Ufunc:
    """A ufunc with the methods that ours use."""

    def __init__(self, module: CupyModule, ufunc: Any, host: np.ufunc) -> None:
        self._module = module
        self._cupy = module._cupy
        self._ufunc = ufunc
        self._host: Any = host
        self._whole, self._steps, self._scatter = _METHODS.get(host.__name__, ("", "", ""))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._ufunc(*args, **kwargs)

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: None = None,  # noqa: ARG002 - the place it has in NumPy's signature
        keepdims: bool = False,
        initial: Any = _OMITTED,
        where: Any = True,
    ) -> Any:
        """Like NumPy's."""
        options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
        if not self._whole or where is not True or axis == () or not array.size:
            options |= {"dtype": dtype, "where": where} | ({} if initial is _OMITTED else {"initial": initial})
            return self._module.by_host(self._host.reduce)(array, **options)
        if dtype is not None:
            array = array.astype(dtype)
            options |= {"dtype": dtype} if self._whole in ("sum", "prod") else {}
        reduced = getattr(self._cupy, self._whole)(array, **options)
        return reduced if initial is _OMITTED else self._ufunc(reduced, initial)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None) -> Any:
        """Like NumPy's."""
        if not self._steps:
            return self._module.by_host(self._host.accumulate)(array, axis=axis, dtype=dtype)
        return getattr(self._cupy, self._steps)(array, axis=axis, dtype=dtype)

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
        """Like NumPy's."""
        return self._module.by_host(self._host.reduceat)(array, indices, axis=axis, dtype=dtype)

    def at(self, array: Any, indices: Any, values: Any) -> None:
        """Like NumPy's, in place; positions are the op's to check."""
        if self._scatter:
            try:
                getattr(self._module._cupyx, self._scatter)(array, indices, values)
            except TypeError:  # there are no atomic operations for small integers
                pass
            else:
                return
        host = self._module.fetched(array)
        self._host.at(host, self._module.fetched(indices), self._module.fetched(values))
        array[...] = self._module.sent(host)

    def outer(self, first: Any, second: Any) -> Any:
        """Like NumPy's."""
        return self._ufunc(first.reshape(first.shape + (1,) * second.ndim), second)


class _Linalg:
    """``xp.linalg``: what fails raises, and what CuPy lacks is computed on the host."""

    def __init__(self, module: CupyModule, cupy: Any, cupyx: Any) -> None:
        self._module = module
        self._cupy = cupy
        self._cupyx = cupyx

    def __getattr__(self, name: str) -> Any:
        theirs = getattr(self._cupy.linalg, name, None)
        if theirs is None:
            host = getattr(np.linalg, name)
            return host if isinstance(host, type) else self._module.by_host(host)
        if isinstance(theirs, type):
            return theirs

        def call(*args: Any, **kwargs: Any) -> Any:
            with self._cupyx.errstate(linalg="raise"):
                return theirs(*args, **kwargs)

        setattr(self, name, call)
        return call


class _Library:
    """A module of SciPy's: cupyx's functions, and the host's where it has none."""

    def __init__(self, module: CupyModule, name: str) -> None:
        self._module = module
        self._name = name

    def __getattr__(self, name: str) -> Any:
        host = self._module.by_host(getattr(import_module(f"scipy.{self._name}"), name))
        try:
            theirs = getattr(import_module(f"cupyx.scipy.{self._name}"), name)
        except (ImportError, AttributeError):
            found = host
        else:
            found = _where_it_fits(theirs, host)
        setattr(self, name, found)
        return found


def _where_it_fits(theirs: Callable[..., Any], host: Callable[..., Any]) -> Callable[..., Any]:
    """A function of cupyx's, and the host's for arguments that it does not take, such as ``p_indices`` of ``lu``."""
    try:
        signature = inspect.signature(theirs)
    except (TypeError, ValueError):  # a ufunc
        return theirs

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            signature.bind(*args, **kwargs)
        except TypeError:
            return host(*args, **kwargs)
        return theirs(*args, **kwargs)

    return call
