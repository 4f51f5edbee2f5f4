"""Elements of datasets: structures of components, which are arrays on the host, or datasets themselves.

Tuples, dicts, named tuples and attrs classes are structures, as in ``tf.data``; a list is a tensor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.graphs.ir.special_nodes import CONSTANT
from tapeviz.graphs.ir.tracing import init_scope

__all__ = ["DatasetSpec", "check_same", "component", "labels", "mapped", "named", "normalized", "packer", "spec_of"]


class DatasetSpec:
    """What is known of a dataset that is a component of an element: what its own elements are.

    >>> import tapeviz as tf
    >>> tf.data.Dataset.range(4).window(2).element_spec
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec

    def is_compatible_with(self, other: Any) -> bool:
        """Whether ``other``, a dataset or its spec, has elements like these."""
        theirs = getattr(other, "element_spec", None)
        try:
            check_same(self.element_spec, theirs, "")
        except TypeError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash(repr(self.element_spec))

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"


def component(value: Any) -> Any:
    """One component: an array that nobody else writes to; a tensor that a graph will compute; or a dataset.

    Raises:
        ValueError: it cannot be a tensor.
        TypeError: likewise.
    """
    if hasattr(value, "_step"):
        return value
    if isinstance(value, SymbolicTensor) or (hasattr(value, "_read") and local.state.graph is not None):
        return _symbolic(convert_to_tensor(value))
    with init_scope():
        return _symbolic(convert_to_tensor(value))


def _symbolic(tensor: Any) -> Any:
    """The tensor of a graph; the array of an eager one, or of what is written in the program."""
    if isinstance(tensor, SymbolicTensor):
        return tensor.op.attrs["tensor"]._host() if tensor.op.op is CONSTANT else tensor
    return tensor._host()


def normalized(value: Any, leaf: Any = component) -> Any:
    """A structure with components as its leaves; lists become tensors."""
    return _mapped(value, leaf)


def _mapped(value: Any, leaf: Any) -> Any:
    if isinstance(value, tuple):
        parts = [_mapped(part, leaf) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, Mapping):
        made = {key: _mapped(part, leaf) for key, part in value.items()}
        if hasattr(value, "default_factory"):
            return type(value)(value.default_factory, made)  # type: ignore[call-arg]
        return type(value)(made) if type(value) is not dict else made  # type: ignore[call-arg]
    if hasattr(type(value), "__attrs_attrs__"):
        fields = [field.name for field in type(value).__attrs_attrs__]
        return type(value)(*[_mapped(getattr(value, field), leaf) for field in fields])
    return leaf(value)


def mapped(structure: Any, function: Any) -> Any:
    """``function`` of each leaf of a structure whose leaves are specs or components."""
    return nest.pack(structure, [function(leaf) for leaf in nest.flatten(structure)])


def spec_of(part: Any) -> Any:
    """The spec of a component."""
    if hasattr(part, "_step"):
        return DatasetSpec(part.element_spec)
    if isinstance(part, SymbolicTensor):
        return TensorSpec(part.shape, part.dtype)
    return TensorSpec(part.shape, part.dtype)


def packer(spec: Any) -> Any:
    """What gives a flat tuple of leaves the structure of ``spec``."""
    leaves = nest.flatten(spec)
    if len(leaves) == 1 and leaves[0] is spec:
        return lambda parts: parts[0]
    if type(spec) is tuple and len(leaves) == len(spec) and all(a is b for a, b in zip(leaves, spec, strict=True)):
        return tuple
    return lambda parts: nest.pack(spec, list(parts))


def labels(spec: Any) -> list[str]:
    """For messages, where each component is in its element: ``['image']``, ``[1]``; empty where there is only one."""
    found: list[str] = []
    _label("", spec, found)
    return found


def _label(path: str, spec: Any, found: list[str]) -> None:
    if isinstance(spec, Mapping):
        for key in sorted(spec):
            _label(f"{path}[{key!r}]", spec[key], found)
        return
    inside = nest.parts(spec)
    if inside is None:
        found.append(path)
        return
    fields = getattr(spec, "_fields", None)
    for place, part in enumerate(inside):
        _label(f"{path}.{fields[place]}" if fields else f"{path}[{place}]", part, found)


def named(place: int, names: Sequence[str]) -> str:
    """A component for messages: its number, and where it is in the element."""
    return f"component {place}" + (f" ({names[place]})" if names[place] else "")


def check_same(one: Any, other: Any, what: str) -> None:
    """Raise TypeError unless two element specs have one structure and equal dtypes."""
    first, second = nest.flatten(one), nest.flatten(other)
    same = labels(one) == labels(other) and type(one) is type(other)
    if not same or any(_sort(a) != _sort(b) for a, b in zip(first, second, strict=True)):
        raise TypeError(f"{what}:\n  {one} vs.   {other}")


def _sort(spec: Any) -> Any:
    return spec.dtype if isinstance(spec, TensorSpec) else type(spec)


def host(value: Any) -> np.ndarray:
    """What a user's Python gave, as an array."""
    return value._host() if hasattr(value, "_host") else np.asarray(value)
