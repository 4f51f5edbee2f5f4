"""The arguments of a traced function: named, as tensors, and cast to what a signature says."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.tensor import Tensor
from tapeviz.functions.signature import leaves_of, signature_of

__all__ = ["Parameters", "as_specs", "cast", "fits", "merged", "with_tensors"]


class Parameters:
    """The parameters of a Python function."""

    def __init__(self, signature: inspect.Signature) -> None:
        self.signature = signature
        kinds = {parameter.kind for parameter in signature.parameters.values()}
        self.simple: tuple[str, ...] | None = (
            tuple(signature.parameters) if kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD} else None
        )

        # How many positional arguments there are when each parameter is given one; None for any number.
        self._count = None if kinds == {inspect.Parameter.VAR_POSITIONAL} else len(self.simple or ())
        self._fixed = self.simple is not None or self._count is None

        self.by_keyword: frozenset[str] = frozenset(
            name for name, parameter in signature.parameters.items()
            if parameter.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        )  # fmt: skip

    def takes(self, count: int) -> bool:
        """Whether this many positional arguments leave nothing to defaults and keywords."""
        return self._fixed and (self._count is None or self._count == count)

    def named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
        """Names and values of all arguments, defaults too: positional ones first, each of ``*args`` by itself."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        names: list[str] = []
        for name, value in bound.arguments.items():
            if name not in self.by_keyword:
                several = self.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
                names += [f"{name}[{place}]" for place in range(len(value))] if several else [name]
        found = list(zip(names, bound.args, strict=True))
        return [*found, *((f"*{name}", bound.kwargs[name]) for name in sorted(bound.kwargs))]

    def bound(self, names: Sequence[str], values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments from what :meth:`named` gave."""
        pairs = list(zip(names, values, strict=True))
        positional = tuple(value for name, value in pairs if not name.startswith("*"))
        return positional, {name[1:]: value for name, value in pairs if name.startswith("*")}


def with_tensors(value: Any) -> Any:
    """A structure with NumPy arrays as tensors; other values as they are."""
    if isinstance(value, (np.ndarray, np.generic)):
        return convert_to_tensor(value)
    if isinstance(value, (list, tuple, dict)):
        leaves = nest.flatten(value)
        if any(isinstance(leaf, (np.ndarray, np.generic)) for leaf in leaves):
            return nest.pack(value, [with_tensors(leaf) for leaf in leaves])
    return value


def as_specs(given: Any) -> tuple[Any, ...] | None:
    """An ``input_signature`` as a tuple. TypeError: it is none."""
    if given is None:
        return None
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(given)}.")
    for spec in nest.flatten(given):
        if not isinstance(spec, TensorSpec):
            raise TypeError(f"Invalid input_signature {given}; input_signature must be a possibly nested sequence of "
                            "TensorSpec objects.")  # fmt: skip
    return tuple(given)


def cast(value: Any, spec: Any, name: str) -> Any:
    """An argument as tensors that agree with a spec, or a structure of specs."""
    specs = nest.flatten(spec)
    values = [value] if isinstance(spec, TensorSpec) else nest.flatten(value)  # a list may be one tensor
    if len(specs) != len(values):
        raise TypeError(f"Binding inputs to tf.function failed due to the structure of {name}: {value!r} for {spec!r}")
    made: list[Any] = []
    for one, wanted in zip(values, specs, strict=True):
        if isinstance(one, TensorSpec):
            made.append(one)
            continue
        tensor = one if isinstance(one, Tensor) else convert_to_tensor(one, dtype_hint=wanted.dtype)
        if not wanted.is_compatible_with(tensor):
            given = TensorSpec(tensor.shape, tensor.dtype)
            raise TypeError(
                f"Binding inputs to tf.function failed due to `Can not cast {given!r} to {wanted!r}` (argument {name})."
            )
        made.append(tensor)
    return made[0] if specs == [spec] else nest.pack(spec, made)


def fits(arguments: Sequence[tuple[str, Any]], wanted: Sequence[tuple[str, Any]]) -> bool:
    """Whether arguments agree with others, in which specs stand for tensors."""
    ours, theirs = leaves_of(arguments), leaves_of(wanted)
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return False
    for (_, value), (_, spec) in zip(ours, theirs, strict=True):
        if isinstance(value, Tensor) and isinstance(spec, TensorSpec):
            if not spec.is_compatible_with(value):
                return False
        elif signature_of([("", value)]).key != signature_of([("", spec)]).key:
            return False
    return True


def merged(arguments: list[tuple[str, Any]], earlier: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]] | None:
    """The arguments with specs for tensors that both kinds of arguments fit; None where they differ otherwise."""
    ours, theirs = leaves_of(arguments), leaves_of(earlier)
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return None
    for (_, value), (_, other) in zip(ours, theirs, strict=True):
        tensors = isinstance(value, (Tensor, TensorSpec)) and isinstance(other, (Tensor, TensorSpec))
        if not tensors and signature_of([("", value)]).key != signature_of([("", other)]).key:
            return None
        if tensors and (value.dtype != other.dtype or value.shape.rank != other.shape.rank):
            return None
    before = dict(theirs)
    found = []
    for name, value in arguments:
        leaves = [_open(leaf, before[path]) for path, leaf in leaves_of([(name, value)])]
        found.append((name, leaves[0] if not isinstance(value, (list, tuple, dict)) else nest.pack(value, leaves)))
    return found


def _open(value: Any, other: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    dims = [a if a == b else None for a, b in zip(value.shape, other.shape, strict=True)]
    return TensorSpec(dims, value.dtype)
