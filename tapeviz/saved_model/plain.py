"""What attributes, arguments and results are made of, as plain data for JSON, and back.

Numbers, strings, truth values and None stay as they are; all else becomes a dict of one key, which says what it is.
"""

from __future__ import annotations

import operator
from collections import namedtuple
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.deferred_numbers import Deferred, computed
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.shapes import TensorShape

__all__ = ["Plain", "Restored", "UnknownError"]

# The arithmetic of sizes that are known only at a run.
_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod,
    "neg": operator.neg, "max": max, "min": min,
}  # fmt: skip
_NAMES: Final = {function: name for name, function in _FUNCTIONS.items()}


class UnknownError(TypeError):
    """A value has no plain form."""


class Plain:
    """Gives the plain form of values.

    Args:
        tensor: the plain form of a tensor of the graph.
        array: the plain form of an array.
    """

    def __init__(self, tensor: Callable[[Any], Any], array: Callable[[np.ndarray], Any]) -> None:
        self._tensor = tensor
        self._array = array

    def __call__(self, value: Any) -> Any:  # noqa: C901, PLR0911, PLR0912 - a line a sort
        """The plain form. Raises UnknownError: there is none."""
        if isinstance(value, Deferred):
            return {"size": self._size(value)}
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            named = [[key, self(part)] for key, part in zip(value._fields, value, strict=True)]
            return {"namedtuple": [type(value).__name__, named]}
        if value.__class__ in (tuple, list):
            return {value.__class__.__name__: [self(part) for part in value]}
        if isinstance(value, dict):
            return {"dict": [[self(key), self(part)] for key, part in value.items()]}
        if isinstance(value, slice):
            return {"slice": [self(part) for part in (value.start, value.stop, value.step)]}
        if value is Ellipsis:
            return {"ellipsis": True}
        if isinstance(value, (np.dtype, DType)):
            return {"dtype" if isinstance(value, DType) else "array_dtype": as_dtype(value).name}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"array_type": as_dtype(value).name}
        if isinstance(value, TensorShape):
            return {"shape": None if value.dims is None else list(value.dims)}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if isinstance(value, (np.ndarray, np.generic)):
            return {"array": self._array(np.asarray(value))}
        if hasattr(value, "shape") and hasattr(value, "dtype"):
            return {"spec": [_dims(value), value.dtype.name, getattr(value, "_name", None)]}
        raise UnknownError(f"a value of type {type(value).__name__}")

    def _size(self, size: Deferred) -> Any:
        sort, *rest = size.source
        if sort in ("axis", "value"):
            return [sort, self._tensor(rest[0]), *rest[1:]]
        if sort == "expression" and rest[0] in _NAMES:
            return [sort, _NAMES[rest[0]], *(self(part) for part in rest[1:])]
        what = "a number that is drawn at each run" if sort == "call" else "a size that a function of Python computes"
        raise UnknownError(what)


def _dims(value: Any) -> Any:
    dims = value.shape.dims
    return None if dims is None else list(dims)


class Restored:
    """Gives values from their plain form.

    Args:
        tensor: the tensor that a plain form stands for.
        array: likewise for arrays.
    """

    def __init__(self, tensor: Callable[[Any], Any], array: Callable[[Any], np.ndarray]) -> None:
        self._tensor = tensor
        self._stored = array

    def __call__(self, plain: Any) -> Any:
        """The value."""
        if not isinstance(plain, dict):
            return plain
        ((sort, inside),) = plain.items()
        return getattr(self, f"_{sort}")(inside)

    def _tuple(self, parts: Any) -> Any:
        return tuple(map(self, parts))

    def _namedtuple(self, told: Any) -> Any:
        name, named = told
        kind = namedtuple(name, [key for key, _ in named])  # type: ignore[misc]  # noqa: PYI024 - made of data
        return kind(*[self(part) for _, part in named])

    def _list(self, parts: Any) -> Any:
        return list(map(self, parts))

    def _dict(self, pairs: Any) -> Any:
        return {self(key): self(part) for key, part in pairs}

    def _slice(self, parts: Any) -> Any:
        return slice(*map(self, parts))

    def _ellipsis(self, _: Any) -> Any:
        return Ellipsis

    def _dtype(self, name: str) -> Any:
        return as_dtype(name)

    def _array_dtype(self, name: str) -> Any:
        return as_dtype(name).numpy

    def _array_type(self, name: str) -> Any:
        return as_dtype(name).as_numpy_dtype

    def _shape(self, dims: Any) -> Any:
        return TensorShape(dims)

    def _complex(self, parts: Any) -> Any:
        return complex(*parts)

    def _bytes(self, text: str) -> Any:
        return bytes.fromhex(text)

    def _array(self, told: Any) -> Any:
        return self._stored(told)

    def _spec(self, told: Any) -> Any:
        return TensorSpec(*told)

    def _size(self, told: Any) -> Any:
        sort, first, *rest = told
        if sort == "expression":
            return computed(_FUNCTIONS[first], *map(self, rest))
        tensor = self._tensor(first)
        if sort == "value":
            return tensor._numbers()[0] if hasattr(tensor, "_numbers") else int(tensor)
        return tensor._a.shape[rest[0]]
