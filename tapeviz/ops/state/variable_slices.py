"""Parts of variables assigned: slices, rows, and what rows of indices name.

The new value is computed from the one of now by ops, and assigned whole, so that it goes wherever an assignment goes:
into graphs and sessions, recordings and saved models, and onto the variable's device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.indexed_slices import IndexedSlices
from tapeviz.engine.operators import public
from tapeviz.ops.array import creation
from tapeviz.ops.array.cast import cast
from tapeviz.ops.array.concat import stack
from tapeviz.ops.array.creation import shape, size
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.reshape import broadcast_to, reshape
from tapeviz.ops.array.scatter import gather_nd
from tapeviz.ops.math.segments import unsorted_segment_prod

__all__ = ["assign_by_example", "assign_rows", "assign_slice", "assign_where"]


def assign_slice(variable: Any, key: Any, value: Any, name: str | None = None) -> Any:
    """Replace a part of a variable: ``variable[key].assign(value)``.

    Args:
        variable: the variable.
        key: what stands between the brackets: numbers, slices, ``...``, ``tf.newaxis``, scalar tensors.
        value: what converts to a tensor of the variable's dtype, and can be broadcast to the shape of the part.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shape does not fit.
    """
    new = convert_to_tensor(value, dtype=variable.dtype)
    whole = variable._now()
    form = shape(whole)
    flat = reshape(whole, [-1])
    places = reshape(creation.range(size(whole)), form)[key]
    if new.shape.is_fully_defined() and places.shape.is_fully_defined() and not _fits(new.shape, places.shape):
        raise InvalidArgumentError(
            f"Cannot broadcast input shape {list(new.shape)} into final shape {list(places.shape)}",
            "ResourceStridedSliceAssign",
        )
    new = reshape(broadcast_to(new, shape(places)), [-1])
    changed = registry["tensor_scatter_nd_update"].run(flat, reshape(places, [-1, 1]), new)
    return variable.assign(reshape(changed, form), name=name)


def _fits(given: Any, wanted: Any) -> bool:
    try:
        return np.broadcast_shapes(tuple(given), tuple(wanted)) == tuple(wanted)
    except ValueError:
        return False


def assign_where(variable: Any, how: str, indices: Any, updates: Any) -> Any:
    """Change the elements, or slices, of a variable that rows of indices name.

    Args:
        variable: the variable.
        how: ``"update"``, ``"add"``, ``"sub"``, ``"min"`` or ``"max"``.
        indices: integers; the last axis names an element or slice.
        updates: the values, of shape ``indices.shape[:-1] + variable.shape[indices.shape[-1]:]``.

    Raises:
        InvalidArgumentError: an index is outside, or the shapes do not fit.
    """
    new = convert_to_tensor(updates, dtype=variable.dtype)
    changed = registry[f"tensor_scatter_nd_{how}"].run(variable._now(), convert_to_tensor(indices), new)
    return variable.assign(changed)


def assign_by_example(variable: Any, delta: Any) -> Any:
    """Replace slices of a variable, in each example by its own numbers.

    Args:
        variable: the variable.
        delta: :class:`~tapeviz.IndexedSlices`, whose indices have the variable's first axes, and one for the slices.

    Raises:
        TypeError: ``delta`` is something else.
        InvalidArgumentError: an index is outside, or the shapes do not fit.
    """
    numbers = convert_to_tensor(_indexed(delta).indices)
    form = shape(numbers)
    rank = numbers.shape.rank or 0
    # The place of each slice: its example's, which is the same for all of them, and its own number.
    axes = [
        broadcast_to(reshape(creation.range(form[axis]), [-1, *[1] * (rank - 1 - axis)]), form)
        for axis in range(rank - 1)
    ]
    places = stack([*(cast(axis, numbers.dtype) for axis in axes), numbers], axis=-1)
    return assign_where(variable, "update", places, delta.values)


def _indexed(delta: Any) -> Any:
    if not isinstance(delta, IndexedSlices):
        raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta}")
    return delta


def assign_rows(variable: Any, how: str, delta: Any) -> Any:
    """Change rows of a variable.

    Args:
        variable: the variable.
        how: ``"update"``, ``"add"``, ``"sub"``, ``"mul"``, ``"div"``, ``"min"`` or ``"max"``.
        delta: :class:`~tapeviz.IndexedSlices` of rows; a scalar serves every row.

    Raises:
        TypeError: ``delta`` is something else.
        InvalidArgumentError: an index is outside, or the shapes do not fit.
    """
    delta = _indexed(delta)
    whole = variable._now()
    rows = convert_to_tensor(delta.indices)
    new = convert_to_tensor(delta.values, dtype=variable.dtype)
    if new.shape.rank == 0:
        new = broadcast_to(new, shape(gather(whole, rows)))
    places = reshape(rows, [-1, 1])
    if rows.shape.rank != 1:
        new = reshape(new, [-1, *whole.shape[1:]])
    if how in ("mul", "div"):
        factors = unsorted_segment_prod(new, reshape(rows, [-1]), whole.shape[0])
        exact = how == "div" and not (whole.dtype.is_floating or whole.dtype.is_complex)
        combined = registry["multiply" if how == "mul" else "truncatediv" if exact else "divide"].run
        new, how = combined(gather_nd(whole, places), gather_nd(factors, places)), "update"
    return variable.assign(registry[f"tensor_scatter_nd_{how}"].run(whole, places, new))


public["assign_slice"] = assign_slice
public["assign_where"] = assign_where
public["assign_rows"] = assign_rows
public["assign_by_example"] = assign_by_example
