"""Assertions about values: they raise unless every element is as said, and show elements that are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.state import local, outermost
from tapeviz.engine.tensor import wrap
from tapeviz.ops.runtime_calls import waits

__all__ = [
    "Assert", "assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal",
    "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal",
    "assert_positive",
]  # fmt: skip

_SHOWN: Final = 3
_ALL: Final = 10**9


def _shown(summarize: int | None) -> int:
    if summarize is None:
        return _SHOWN
    return summarize if summarize >= 0 else _ALL


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> None:
    """Raise unless ``condition`` is true.

    Args:
        condition: one truth value.
        data: a list of tensors to show when it is not.
        summarize: how many elements of each to show; 3 by default, all when negative.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``condition`` is false.
        TypeError: ``data`` is not a list.

    >>> import tapeviz as tf
    >>> tf.debugging.Assert(tf.constant(1) < 2, ["one is not less than two"])
    """
    if not isinstance(data, (list, tuple)):
        raise TypeError("values must be a sequence.")
    graph = local.state.graph
    if hasattr(condition, "_numbers") or (graph is not None and (_is_run_later(graph) or any(map(waits, data)))):
        given = map(convert_to_tensor, (condition, *data))
        _in_graph(lambda holds, *values: Assert(holds, values, summarize), *given, later=_is_run_later(graph))
        return
    if not condition:
        texts = "\n".join(_summary(convert_to_tensor(item), _shown(summarize)) for item in data)
        raise InvalidArgumentError(f"Expected '{condition!s}' to be true. Summarized data: {texts}")


def _summary(tensor: Any, shown: int) -> str:
    values = tensor.numpy()
    flat = np.reshape(np.asarray(values, object if isinstance(values, bytes) else None), (-1,))
    texts = [str(item) for item in flat[:shown]]
    return ", ".join([*texts, "..."] if len(texts) < flat.size else texts)


def _is_run_later(graph: Any) -> bool:
    """Whether this is a graph of sessions: what is asserted there is an operation, which fails when it is run."""
    return graph is not None and graph.hashes_tensors


def _in_graph(check: Callable[..., None], *tensors: Any, later: bool = False) -> None:
    """Have a graph make the check when it runs; where the values are known while tracing, make it at once."""
    if later or any(map(waits, tensors)):
        graph: Any = local.state.graph or next(tensor for tensor in tensors if waits(tensor)).graph
        graph.python(check, tensors, name="Assert")
        return
    before = local.state
    local.state = outermost(before)
    try:
        check(*[wrap(tensor._host()) for tensor in tensors])
    finally:
        local.state = before


def _binary(
    sign: str, compare: Callable[[Any, Any], Any], x: Any, y: Any, message: str | None, summarize: int | None
) -> None:
    first, second = convert_to_tensor(x), convert_to_tensor(y)
    if hasattr(first, "_numbers") or hasattr(second, "_numbers") or local.state.graph is not None:
        if hasattr(first, "_numbers") or hasattr(second, "_numbers"):
            compare(first, second)  # what cannot be compared is an error while tracing
        _in_graph(lambda a, b: _binary(sign, compare, a, b, message, summarize), first, second)
        return
    holds = compare(first, second)
    if ops.reduce_all(holds, None, False):
        return
    shown = _shown(summarize)
    lines = [message] if message else []
    lines.append(f"Condition x {sign} y did not hold.")
    ours, theirs = first._host(), second._host()
    if ours.shape == theirs.shape and ours.ndim:
        places = np.argwhere(~holds._host())[:shown]
        where = tuple(places.T)
        lines += [
            f"Indices of first {len(places)} different values:\n{places}",
            f"Corresponding x values:\n{ours[where]}",
            f"Corresponding y values:\n{theirs[where]}",
        ]
    for letter, values in (("x", ours), ("y", theirs)):
        lines.append(f"First {min(values.size, shown)} elements of {letter}:\n{values.reshape(-1)[:shown]}")
    raise InvalidArgumentError("\n".join(lines))


def assert_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x == y`` in every element.

    Args:
        x: a tensor.
        y: a tensor of the same dtype that broadcasts with it.
        message: what to say first.
        summarize: how many elements to show; 3 by default, all when negative.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: they differ, or cannot be compared.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_equal(tf.constant([1, 2]), [1, 2])
    """
    if x is not y:
        _binary("==", ops.equal, x, y, message, summarize)


def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raise unless ``x != y`` in every element. Arguments as for ``assert_equal``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    _binary("!=", ops.not_equal, x, y, message, summarize)


def assert_less(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x < y`` in every element. Arguments as for ``assert_equal``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_less([1, 2], 3)
    """
    _binary("<", ops.less, x, y, message, summarize)


def assert_less_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x <= y`` in every element. Arguments as for ``assert_equal``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_less_equal([1, 2], 2)
    """
    _binary("<=", ops.less_equal, x, y, message, summarize)


def assert_greater(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x > y`` in every element. Arguments as for ``assert_equal``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_greater([1, 2], 0)
    """
    _binary(">", ops.greater, x, y, message, summarize)


def assert_greater_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x >= y`` in every element. Arguments as for ``assert_equal``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_greater_equal([1, 2], 1)
    """
    _binary(">=", ops.greater_equal, x, y, message, summarize)


def _sign(
    condition: str, compare: Callable[[Any, Any], Any], x: Any, message: str | None, summarize: int | None
) -> None:
    tensor = convert_to_tensor(x)
    if hasattr(tensor, "_numbers") or local.state.graph is not None:
        _in_graph(lambda value: _sign(condition, compare, value, message, summarize), tensor)
        return
    if ops.reduce_all(compare(tensor, 0), None, False):
        return
    shown = _shown(summarize)
    flat = tensor._host().reshape(-1)
    texts = [*map(str, flat[:shown]), *(["..."] if flat.size > shown else [])]
    raise InvalidArgumentError(
        f"{_prefix(message)}\nCondition x {condition} 0 did not hold element-wise:\n"
        f"x (shape={tensor.shape} dtype={tensor.dtype.name}) = \n{texts}"
    )


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


def assert_positive(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raise unless ``x > 0`` in every element.

    Args:
        x: numbers.
        message: what to say first.
        summarize: how many elements to show; 3 by default, all when negative.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an element is not.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_positive([1, 2])
    """
    _sign(">", ops.greater, x, message, summarize)


def assert_negative(x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None) -> None:
    """Raise unless ``x < 0`` in every element. Arguments as for ``assert_positive``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_negative([-1, -2])
    """
    _sign("<", ops.less, x, message, summarize)


def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x >= 0`` in every element. Arguments as for ``assert_positive``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_non_negative([0, 1])
    """
    _sign(">=", ops.greater_equal, x, message, summarize)


def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Raise unless ``x <= 0`` in every element. Arguments as for ``assert_positive``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_non_positive([0, -1])
    """
    _sign("<=", ops.less_equal, x, message, summarize)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Raise unless ``|x - y| <= atol + rtol |y|`` in every element.

    Args:
        x: floating-point numbers.
        y: numbers of the same dtype that broadcast with ``x``.
        rtol: what to allow relative to ``y``; ten times the smallest step by default.
        atol: what to allow in all; likewise.
        message: what to say first.
        summarize: how many elements to show; 3 by default, all when negative.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: they are farther apart.
        ValueError: dtypes differ, or are not floating-point.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_near(0.1 + 0.2, 0.3)
    """
    first = convert_to_tensor(x)
    second = convert_to_tensor(y, dtype=first.dtype)
    if hasattr(first, "_numbers") or hasattr(second, "_numbers") or local.state.graph is not None:
        _in_graph(lambda a, b: assert_near(a, b, rtol, atol, message, summarize), first, second)
        return
    if not (first.dtype.is_floating or first.dtype.is_complex):
        raise ValueError(f"assert_near needs a floating-point dtype: {first.dtype.name} is not inexact.")
    step, size = 10 * np.finfo(first.dtype.as_numpy_dtype).eps, ops.abs(second)
    relative, absolute = (convert_to_tensor(step if tol is None else tol, size.dtype) for tol in (rtol, atol))
    allowed = ops.add(absolute, ops.multiply(relative, size))
    near = ops.reduce_all(ops.less_equal(ops.abs(ops.subtract(first, second)), allowed), None, False)
    said: list[Any] = [_prefix(message), f"x and y not equal to tolerance rtol = {relative!s}, atol = {absolute!s}"]
    for letter, tensor in (("x", first), ("y", second)):
        said += [f"{letter} (shape={tensor.shape} dtype={tensor.dtype.name}) = ", tensor]
    Assert(near, said, summarize=summarize)
