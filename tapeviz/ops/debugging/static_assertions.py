"""Assertions about shapes and dtypes: they look at no element."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor
from tapeviz.ops.runtime_calls import later, open_sizes

__all__ = [
    "assert_integer", "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in",
    "assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type", "is_numeric_tensor",
]  # fmt: skip

_ANY_SIZE: Final = (None, ".")


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


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
