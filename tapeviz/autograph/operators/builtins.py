"""Python's own functions where they meet a tensor of a graph."""

from __future__ import annotations

import builtins
from typing import Any

from tapeviz.autograph.operators.elements import Counted, Zipped, elements_of
from tapeviz.autograph.operators.kinds import in_graph, is_symbolic
from tapeviz.autograph.operators.lists import GraphList
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.symbolic import at_line
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.creation import range as tensor_range
from tapeviz.ops.array.creation import shape

__all__ = ["all_", "any_", "bool_", "enumerate_", "float_", "int_", "len_", "max_", "min_", "range_", "zip_"]


def len_(value: Any) -> Any:
    """``len(value)``: for a tensor the size of its first axis, as a number where it is known while tracing."""
    __tracebackhide__ = True
    if isinstance(value, GraphList):
        return value.length
    if not is_symbolic(value):
        return len(value)
    tensor = convert_to_tensor(value)
    dims = tensor.shape.dims
    if dims is not None and not dims:
        raise TypeError(f"len requires a non-scalar tensor, got one of shape (){at_line()}")
    return dims[0] if dims is not None and dims[0] is not None else shape(tensor)[0]


def range_(*limits: Any) -> Any:
    """``range(...)``: a tensor when a limit is one."""
    __tracebackhide__ = True
    return tensor_range(*limits) if any(map(is_symbolic, limits)) else builtins.range(*limits)


def int_(*arguments: Any) -> Any:
    """``int(value)``: of a tensor, the same as int32."""
    __tracebackhide__ = True
    return cast(arguments[0], as_dtype("int32")) if _has_tensor(arguments) else int(*arguments)


def float_(*arguments: Any) -> Any:
    """``float(value)``: of a tensor, the same as float32."""
    __tracebackhide__ = True
    return cast(arguments[0], as_dtype("float32")) if _has_tensor(arguments) else float(*arguments)


def bool_(*arguments: Any) -> Any:
    """``bool(value)``: of a tensor, whether it is not 0."""
    __tracebackhide__ = True
    return cast(arguments[0], as_dtype("bool")) if _has_tensor(arguments) else bool(*arguments)


def _has_tensor(arguments: tuple[Any, ...]) -> bool:
    return len(arguments) == 1 and is_symbolic(arguments[0])


def all_(values: Any) -> Any:
    """``all(values)``."""
    __tracebackhide__ = True
    return ops.reduce_all(_truths(values), axis=None, keepdims=False) if is_symbolic(values) else all(values)


def any_(values: Any) -> Any:
    """``any(values)``."""
    __tracebackhide__ = True
    return ops.reduce_any(_truths(values), axis=None, keepdims=False) if is_symbolic(values) else any(values)


def _truths(values: Any) -> Any:
    return cast(values, as_dtype("bool"))


def max_(*values: Any, **options: Any) -> Any:
    """``max(...)``."""
    __tracebackhide__ = True
    return _extreme(max, ops.maximum, values, options)


def min_(*values: Any, **options: Any) -> Any:
    """``min(...)``."""
    __tracebackhide__ = True
    return _extreme(min, ops.minimum, values, options)


def _extreme(python: Any, op: Any, values: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The largest or smallest: of several values, one of which is a tensor, by the op."""
    __tracebackhide__ = True
    if options or len(values) == 1 or not any(map(is_symbolic, values)):
        return python(*values, **options)
    found = values[0]
    for value in values[1:]:
        found = op(found, value)
    return found


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """``enumerate(iterable, start)``."""
    __tracebackhide__ = True
    hook = getattr(type(iterable), "_graph_enumerate", None) if in_graph() else None
    if hook is not None:
        return hook(iterable, start)
    elements = elements_of(iterable)
    return enumerate(iterable, start) if elements is None else Counted(elements, start)


def zip_(*iterables: Any, **options: Any) -> Any:
    """``zip(...)``: of tensors for a loop of the graph, when all are."""
    __tracebackhide__ = True
    hooks = [getattr(type(iterable), "_graph_zip", None) for iterable in iterables] if in_graph() else []
    if hooks and hooks[0] is not None and None not in hooks:
        return hooks[0](iterables)
    every = [elements_of(iterable) for iterable in iterables]
    if every and all(elements is not None for elements in every):
        return Zipped(tuple(elements for elements in every if elements is not None))
    return zip(*iterables, **options)  # noqa: B905 - the user says what is to be strict
