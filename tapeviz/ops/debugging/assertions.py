"""Assertions about values, shapes and dtypes: they raise unless what is said holds, and show what does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.state import local, outermost
from tapeviz.engine.tensor import Tensor, wrap
from tapeviz.ops.runtime_calls import later, open_sizes, waits

__all__ = [
    "Assert",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "is_numeric_tensor",
]

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


_ANY_SIZE: Final = (None, ".")


def _wrong_rank(tensor: Any, wanted: str, message: str | None) -> ValueError:
    return ValueError(
        f"{_prefix(message)}Tensor  must have rank {wanted}.  Received rank {tensor.ndim}, shape {tensor.shape}"
    )


def _rank(value: Any) -> int:
    rank = convert_to_tensor(value)
    assert_type(rank, "int32")
    if rank.ndim:
        raise ValueError("Rank must be a scalar.")
    return int(rank._host())


def _looked_at_later(check: Any, tensor: Any, wanted: Any, message: str | None) -> bool:
    """Have the graph look when it runs where the number of axes is not known before; whether it is so."""
    if tensor.shape.rank is not None:
        return False
    graph: Any = local.state.graph or tensor.graph
    graph.python(lambda value: check(value, wanted, message), (tensor,), name="Assert")
    return True


def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``x`` has ``rank`` axes.

    Args:
        x: a tensor.
        rank: how many axes there must be.
        message: what to say first.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: it has another number of axes, or ``rank`` is not one number.
        TypeError: ``rank`` is not a whole number.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_rank([[1, 2]], 2)
    """
    tensor, wanted = convert_to_tensor(x), _rank(rank)
    if _looked_at_later(assert_rank, tensor, wanted, message):
        return
    if tensor.ndim != wanted:
        raise _wrong_rank(tensor, f"{wanted}", message)


def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``x`` has ``rank`` axes or more. Arguments as for ``assert_rank``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_rank_at_least([[1, 2]], 1)
    """
    tensor, wanted = convert_to_tensor(x), _rank(rank)
    if _looked_at_later(assert_rank_at_least, tensor, wanted, message):
        return
    if tensor.ndim < wanted:
        raise _wrong_rank(tensor, f"at least {wanted}", message)


def assert_rank_in(x: Any, ranks: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless the number of axes of ``x`` is one of ``ranks``. Arguments as for ``assert_rank``.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_rank_in([[1, 2]], [1, 2])
    """
    tensor, wanted = convert_to_tensor(x), tuple(map(_rank, ranks))
    if _looked_at_later(assert_rank_in, tensor, wanted, message):
        return
    if tensor.ndim not in wanted:
        raise _wrong_rank(tensor, f"in {wanted}", message)


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``tensor`` has the dtype ``tf_type``.

    Args:
        tensor: a tensor.
        tf_type: a dtype.
        message: what to say first.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: it has another dtype.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)
    """
    wanted, found = as_dtype(tf_type), convert_to_tensor(tensor).dtype
    if found is not wanted:
        raise TypeError(f"{_prefix(message)}tensor must be of type {wanted!r}; got {found!r}")


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``x`` has an integer dtype.

    Args:
        x: a tensor.
        message: what to say first.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: its dtype is another.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_integer([1, 2])
    """
    found = convert_to_tensor(x).dtype
    if not found.is_integer:
        raise TypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {found}')


def assert_scalar(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """Raise unless ``tensor`` is one value.

    Args:
        tensor: a tensor.
        message: what to say first.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: it has axes.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_scalar(3)
    """
    shape = convert_to_tensor(tensor).shape
    if shape.rank:
        raise ValueError(f"{_prefix(message)}Expected scalar shape, saw shape: {shape}.")


def assert_proper_iterable(values: Any) -> None:
    """Raise unless ``values`` is a collection of things, which a tensor, an array and a text are not.

    Raises:
        TypeError: it is one of these, or nothing to go through.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    if isinstance(values, (Tensor, np.ndarray, str, bytes)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """Raise unless all have one floating-point dtype, which is returned.

    Args:
        tensors: tensors; None among them does not count.
        dtype: the dtype that they must have.

    Raises:
        ValueError: they differ, or the dtype is not floating-point.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.zeros([2])])
    tf.float32
    """
    known = [tensor for tensor in tensors or () if tensor is not None]
    wanted = None if dtype is None else as_dtype(dtype)
    as_first = ""
    for tensor in known:
        if wanted is None:
            wanted, as_first = tensor.dtype, f" as {tensor!s}"
        elif tensor.dtype is not wanted:
            raise ValueError(f"{tensor!s}, type={tensor.dtype}, must be of the same type ({wanted}){as_first}.")
    if wanted is None:
        return as_dtype("float32")
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of numbers.

    >>> import tapeviz as tf
    >>> tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.is_numeric_tensor(1)
    (True, False)
    """
    return isinstance(tensor, Tensor) and tensor.dtype.numpy.kind in "iufcV"


def assert_shapes(
    shapes: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> None:
    """Raise unless the shapes of several tensors fit together.

    Args:
        shapes: pairs of a tensor and its sizes, or a dict. A size is a number, a name that stands for the same size
            everywhere, or ``None`` or ``"."`` for any. ``...`` or ``"*"`` in front stands for any axes. A single value
            counts as one axis of size 1.
        data: accepted as TensorFlow does.
        summarize: accepted as TensorFlow does.
        message: what to say first.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: they do not.

    >>> import tapeviz as tf
    >>> tf.debugging.assert_shapes([(tf.zeros([5, 2]), ("N", 2)), (tf.zeros([5]), ("N",))])
    """
    pairs = shapes.items() if isinstance(shapes, Mapping) else shapes
    rows = [(convert_to_tensor(x), wanted) for x, wanted in pairs if wanted is not None]
    asked = [(tensor, *_sizes(tensor, wanted, message)) for tensor, wanted in rows]
    for tensor, innermost, sizes in asked:
        if len(sizes) > 1 and innermost:
            assert_rank_at_least(tensor, len(sizes), message)
        elif len(sizes) > 1:
            assert_rank(tensor, len(sizes), message)
        elif not innermost:
            assert_rank_in(tensor, (0, 1), message)
    if any(None in (open_sizes(tensor) or ()) for tensor, _ in rows):
        later(assert_shapes, ([list(row) for row in rows],), {"message": message}, [])
    known: dict[Any, tuple[int, str]] = {}
    for tensor, innermost, sizes in asked:
        for position, size in enumerate(sizes):
            if size not in _ANY_SIZE:
                axis = position - len(sizes) if innermost else position
                _check_size(tensor, axis, size, known, message)


def _described(tensor: Any) -> str:
    return f"shape={tensor.shape} dtype={tensor.dtype.name}"


def _sizes(tensor: Any, wanted: Any, message: str | None) -> tuple[bool, tuple[Any, ...]]:
    """Whether these are the innermost axes only, and their sizes."""
    if not hasattr(wanted, "__iter__") and not hasattr(wanted, "__getitem__"):
        raise ValueError(
            f"{_prefix(message)}Tensor {_described(tensor)}.  Specified shape must be an iterable.  An iterable has "
            f"the attribute `__iter__` or `__getitem__`.  Received specified shape: {wanted}"
        )
    sizes = tuple(wanted)
    for position, size in enumerate(sizes):
        if size in {Ellipsis, "*"} and position:
            raise ValueError(
                f"{_prefix(message)}Tensor {_described(tensor)} specified shape index {position}.  Symbol `...` or "
                "`*` for a variable number of unspecified dimensions is only allowed as the first entry"
            )
    innermost = bool(sizes) and sizes[0] in {Ellipsis, "*"}
    return innermost, (sizes[1:] if innermost else sizes) or (1,)


def _check_size(tensor: Any, axis: int, size: Any, known: dict[Any, tuple[int, str]], message: str | None) -> None:
    found = (tuple(tensor.shape) or (1,))[axis]
    if found is None:
        return  # the run says
    try:
        wanted, source = int(size), "Specified explicitly"
    except ValueError:
        wanted, source = known.setdefault(size, (found, f"Specified by tensor {_described(tensor)} dimension {axis}"))
    if found != wanted:
        raise ValueError(
            f"{_prefix(message)}{source}.  Tensor {_described(tensor)} dimension {axis} must have size {wanted}.  "
            f"Received size {found}, shape {tensor.shape}"
        )
