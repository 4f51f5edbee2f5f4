"""Public functions whose Python looks at values or sizes, in a graph: they run with the values when the graph runs.

Most functions are made of ops, which become nodes. A few decide by values what to do (how many bins there are, which
of two ways to solve). While a graph is traced and the values are not known, such a call becomes one node that runs the
function itself on eager tensors, with its gradient by a tape at that time.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.deferred_numbers import Deferred, has_deferred
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.state import local, outermost
from tapeviz.engine.symbolic import UnknownNumbersError
from tapeviz.engine.tensor import EagerTensor, Tensor, wrap

__all__ = [
    "as_given", "at_once", "by_length", "by_numbers", "by_rank", "by_sizes", "by_values", "later", "open_sizes",
    "waits",
]  # fmt: skip

ShapeDtype = tuple[Any, Any]
_Function = TypeVar("_Function", bound=Callable[..., Any])


def waits(value: Any) -> bool:
    """Whether this is a tensor of a graph whose value is not known while tracing."""
    if hasattr(value, "_read"):
        return local.state.graph is not None
    return hasattr(value, "_numbers") and (value._static_value is None or has_deferred(value._static_value.tolist()))


def as_given(tensor: Any, *_options: Any, **_named: Any) -> ShapeDtype:
    """The form of the first argument, for functions that leave it as it is."""
    tensor = convert_to_tensor(tensor)
    return open_sizes(tensor), tensor.dtype


def open_sizes(tensor: Any) -> Any:
    """The sizes of a tensor's axes as a graph writes them: None where one is not known."""
    shape = tensor._a._shape if hasattr(tensor._a, "_shape") else tensor._a.shape
    return None if shape is None else tuple(None if isinstance(size, Deferred) else size for size in shape)


def later(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any], form: Any = None, *,
    differentiable: bool = True,
) -> Any:  # fmt: skip
    """The call as one node of the graph being built.

    Args:
        function: takes eager tensors in the places of tensors, and gives one tensor or several.
        args: what it is called with.
        options: its keyword arguments.
        form: shape and dtype of the result, or a list of them; a shape of None is not known. Without it, a result of
            unknown shape and of the dtype of the first tensor.
        differentiable: whether gradients pass; what takes Python numbers when it runs at once lets none through.
    """
    structure = [list(args), options]
    leaves = nest.flatten(structure)
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, (Tensor, Deferred)) or waits(leaf)]
    tensors = [convert_to_tensor(leaves[place]) for place in places]
    plain = list(leaves)
    for place in places:
        plain[place] = None

    def run(*given: Any) -> Any:
        filled = list(plain)
        for place, tensor in zip(places, given, strict=True):
            filled[place] = tensor
        put, named = nest.pack(structure, filled)
        return function(*put, **named)

    form = (None, tensors[0].dtype) if form is None else form
    forms: list[ShapeDtype] = form if isinstance(form, list) else [form]
    first: Any = tensors[0]
    graph: Any = local.state.graph or first.graph
    made = graph.python(
        run, tensors, [(shape, as_dtype(dtype).numpy) for shape, dtype in forms], function.__name__.lstrip("_"),
        differentiable=differentiable,
    )  # fmt: skip
    return made if isinstance(form, list) else made[0]


def at_once(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> Any:
    """The call on eager tensors while a graph is traced, with the values that are known.

    A graph of a session gets constants of what comes out, which the session can be asked for.
    """
    structure = [list(args), options]
    leaves = [wrap(leaf._host()) if hasattr(leaf, "_numbers") else leaf for leaf in nest.flatten(structure)]
    put, named = nest.pack(structure, leaves)
    before = local.state
    local.state = outermost(before)
    try:
        found = function(*put, **named)
    finally:
        local.state = before
    graph = before.graph
    if graph is None or not graph.hashes_tensors:
        return found
    return nest.map_structure(lambda leaf: graph.own(leaf) if leaf.__class__ is EagerTensor else leaf, found)


def by_values(form: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorate a function that looks at the values of tensors. ``form`` gives the result's shape and dtype."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            if local.state.graph is None:
                return function(*args, **kwargs)
            if any(map(waits, nest.flatten([list(args), kwargs]))):
                return later(function, args, kwargs, form(*args, **kwargs))
            return at_once(function, args, kwargs)

        return public

    return decorate


def by_numbers(*names: str, form: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorate a function that takes these arguments as Python numbers. ``form`` gives the result's shape and dtype."""

    def decorate(function: Any) -> Any:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            if local.state.graph is not None:
                given = signature.bind(*args, **kwargs).arguments
                if any(map(waits, nest.flatten([given.get(name) for name in names]))):
                    return later(function, args, kwargs, form(*args, **kwargs))
            return function(*args, **kwargs)

        return public

    return decorate


def by_sizes(*axes: int, form: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorate a function that decides by the sizes of these axes. ``form`` gives the result's shape and dtype."""

    def decides(value: Any) -> bool:
        shape = getattr(getattr(value, "_a", None), "_shape", ())
        return shape is None or any(isinstance(shape[axis], Deferred) for axis in axes if -axis <= len(shape))

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            if local.state.graph is None or not any(map(decides, nest.flatten([list(args), kwargs]))):
                return function(*args, **kwargs)
            return later(function, args, kwargs, form(*args, **kwargs))

        return public

    return decorate


def by_rank(form: Callable[..., Any] | None = None) -> Callable[[_Function], _Function]:
    """Decorate a function that asks how many axes its tensors have.

    Args:
        form: gives shape and dtype of the result, or a list of them; by default any shape, and the first argument's
            dtype.
    """

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            if local.state.graph is None or not any(map(_has_any_rank, nest.flatten([list(args), kwargs]))):
                return function(*args, **kwargs)
            made = form or _of_the_first
            return later(function, args, kwargs, made(*args, **kwargs))

        return cast("_Function", public)

    return decorate


def by_length(form: Callable[..., Any] | None = None) -> Callable[[_Function], _Function]:
    """Decorate a function that takes a tensor as a list of whole numbers, which may be of any length.

    Args:
        form: as for :func:`by_rank`.
    """

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def public(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except UnknownNumbersError:
                return later(function, args, kwargs, (form or _of_the_first)(*args, **kwargs))

        return cast("_Function", public)

    return decorate


def _has_any_rank(value: Any) -> bool:
    return getattr(getattr(value, "_a", None), "_shape", ()) is None


def _of_the_first(*args: Any, **kwargs: Any) -> ShapeDtype:
    first = next(iter((*args, *kwargs.values())))
    return None, convert_to_tensor(first).dtype
