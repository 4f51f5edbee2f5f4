"""Shapes as values: of several tensors at once, and of what broadcasting would make."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.rules import shape_text
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.static_shapes import of_rank
from tapeviz.ops.array.creation import shape
from tapeviz.ops.runtime_calls import by_values, open_sizes

__all__ = ["broadcast_dynamic_shape", "broadcast_static_shape", "shape_n"]


def shape_n(input: Any, out_type: Any = "int32", name: str | None = None) -> list[Any]:
    """The shapes of the tensors in the list ``input``, each as a tensor.

    >>> import tapeviz as tf
    >>> [one.numpy().tolist() for one in tf.shape_n([[1, 2], [[3]]])]
    [[2], [1, 1]]
    """
    return [shape(one, out_type) for one in input]


def _longer(shape_x: Any, shape_y: Any) -> Any:
    sizes = [convert_to_tensor(one, dtype_hint="int32") for one in (shape_x, shape_y)]
    ranks = [of_rank(open_sizes(one), 1, "Sizes of broadcast_dynamic_shape")[0] for one in sizes]
    return (None if None in ranks else max(rank for rank in ranks if rank is not None),), sizes[0].dtype


@by_values(_longer)
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape that tensors of these two shapes broadcast to, as a tensor.

    Raises:
        InvalidArgumentError: they do not fit together.

    >>> import tapeviz as tf
    >>> tf.broadcast_dynamic_shape([1, 2, 3], [5, 1, 3]).numpy()
    array([5, 2, 3], dtype=int32)
    """
    first = convert_to_tensor(shape_x, dtype_hint="int32")
    second = convert_to_tensor(shape_y, dtype_hint="int32")
    sizes = [tuple(one._host().tolist()) for one in (first, second)]
    try:
        made = np.broadcast_shapes(*sizes)
    except ValueError:
        raise InvalidArgumentError(
            f"Incompatible shapes: {shape_text(sizes[0])} vs. {shape_text(sizes[1])}", "broadcast_dynamic_shape"
        ) from None
    return convert_to_tensor(list(made), dtype=first.dtype)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The :class:`TensorShape` that tensors of these two shapes broadcast to, as far as sizes are known.

    Raises:
        ValueError: they do not fit together.

    >>> import tapeviz as tf
    >>> tf.broadcast_static_shape(tf.TensorShape([None, 1]), tf.TensorShape([3]))
    TensorShape([None, 3])
    """
    first, second = TensorShape(shape_x), TensorShape(shape_y)
    if first.dims is None or second.dims is None:
        return TensorShape(None)
    made: list[int | None] = []
    for a, b in zip_longest(reversed(first.dims), reversed(second.dims), fillvalue=1):
        if a is None or b is None:
            known = b if a is None else a
            made.append(None if known == 1 else known)
        elif a != b and 1 not in (a, b):
            raise ValueError(
                "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are "
                f"either equal or one of them is 1. Received: {first} and {second}."
            )
        else:
            made.append(b if a == 1 else a)
    return TensorShape(made[::-1])
