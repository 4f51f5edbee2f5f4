"""What a trace is made for: the arguments as structures, with a spec in a tensor's place and Python values as they are.

Two calls whose signatures are equal run the same trace.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.tensor import EagerTensor, Tensor

__all__ = ["Leaf", "Signature", "leaves_of", "signature_of", "tensors_of"]

_CONTAINERS: Final = (dict, list, tuple)
_PLAIN: Final = (bool, int, float, complex, str, bytes, type(None))


@dataclass(frozen=True, slots=True)
class Leaf:
    """One part of an argument: ``path`` is where it is, such as ``x[0]``, ``text`` what it was traced as."""

    path: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Signature:
    """The key of a trace, and for people the parts that it is made of, each with its own key.

    ``structures`` are the arguments by name, each None or a container's type and what is in it; ``containers`` are the
    names of the types of those that are lists, tuples and dictionaries.
    """

    key: Hashable
    structures: tuple[tuple[str, Any], ...]
    leaves: tuple[Leaf, ...]
    keys: tuple[Hashable, ...]
    containers: dict[str, str]


class _ById:
    """Stands in a key for an object that is only equal to itself. Does not keep it alive."""

    __slots__ = ("_identity", "_reference")

    def __init__(self, thing: Any) -> None:
        self._identity = id(thing)
        try:
            self._reference: Any = weakref.ref(thing)
        except TypeError:
            self._reference = lambda: thing

    def __hash__(self) -> int:
        return self._identity

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _ById):
            return NotImplemented
        mine = self._reference()
        return mine is not None and mine is other._reference()


def leaves_of(named: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The parts of named arguments, each with its path."""
    found: list[tuple[str, Any]] = []
    for name, value in named:
        _walk(name, value, found)
    return found


def tensors_of(named: Sequence[tuple[str, Any]]) -> list[Any]:
    """The tensors among named arguments. What has ``_argument()``, a dataset for one, is given in a tensor."""
    found = []
    for _, value in leaves_of(named):
        if isinstance(value, Tensor):
            found.append(value)
        elif hasattr(value, "_argument"):
            found.append(value._argument())
    return found


def _walk(path: str, value: Any, found: list[tuple[str, Any]]) -> None:
    if isinstance(value, dict):
        for key in sorted(value, key=str):
            _walk(f"{path}[{key!r}]", value[key], found)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for field, part in zip(value._fields, value, strict=True):
            _walk(f"{path}.{field}", part, found)
    elif isinstance(value, (list, tuple)):
        for place, part in enumerate(value):
            _walk(f"{path}[{place}]", part, found)
    elif hasattr(type(value), "__tf_unflatten__"):
        for place, part in enumerate(value.__tf_flatten__()[1]):
            _walk(f"{path}.{place}", part, found)
    else:
        found.append((path, value))


def signature_of(named: Sequence[tuple[str, Any]]) -> Signature:
    """The signature of named arguments, whose arrays have become tensors before."""
    keys: list[Hashable] = []
    leaves: list[Leaf] = []
    for path, value in leaves_of(named):
        key, text, kind = _part(value)
        keys.append(key)
        leaves.append(Leaf(path.removeprefix("*"), text, kind))  # the mark of those given by keyword is ours alone
    structures = tuple((name, _structure(value)) for name, value in named)
    containers = {
        name.removeprefix("*"): type(value).__name__ for name, value in named if isinstance(value, _CONTAINERS)
    }
    return Signature((structures, tuple(keys)), structures, tuple(leaves), tuple(keys), containers)


def _structure(value: Any) -> Hashable:
    if isinstance(value, dict):
        return (type(value), tuple((key, _structure(value[key])) for key in sorted(value, key=str)))
    if isinstance(value, (list, tuple)):
        return (type(value), tuple(map(_structure, value)))
    if hasattr(type(value), "__tf_unflatten__"):
        return (type(value), len(value.__tf_flatten__()[1]))
    return None


def _part(value: Any) -> tuple[Hashable, str, str]:
    """Key, text and kind of one part."""
    if value.__class__ is EagerTensor:
        array = value._a
        return (array.shape, array.dtype), _tensor_text(value), "tensor"
    if isinstance(value, (Tensor, TensorSpec)):
        shape = value.shape
        dims = None if shape.rank is None else tuple(shape.dims or ())
        return (dims, value.dtype.numpy), _tensor_text(value), "tensor"
    if hasattr(value, "_traced_as"):  # it is given in a tensor
        key, text = value._traced_as()
        return key, text, "object"
    if hasattr(value, "_read"):
        return _ById(value), f"variable {value.name} {value.shape} {value.dtype.name}", "variable"
    if isinstance(value, _PLAIN) or _has_value(value):
        return (value.__class__, value), repr(value), "python"
    return _ById(value), *_identified(value)


def _identified(value: Any) -> tuple[str, str]:
    """Text and kind of what is only equal to itself."""
    if value.__class__ is FunctionType:
        return f"function {value.__qualname__} of line {value.__code__.co_firstlineno}", "function"
    return f"{type(value).__name__} object", "object"


def _has_value(value: Any) -> bool:
    """Whether an object says itself when it equals another one."""
    own: Any = type(value).__eq__
    try:
        hash(value)
    except TypeError:
        return False
    return own is not object.__eq__


def _tensor_text(value: Any) -> str:
    return f"tensor {value.shape} {value.dtype.name}"
