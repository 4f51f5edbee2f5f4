"""Picking slices by position."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import INDEXES
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import axis_number

__all__ = ["POSITIONS", "are_inside", "first_true", "gather", "refuse_outside"]

POSITIONS = INDEXES - {np.dtype(np.uint8)}
"""The dtypes of positions."""


def first_true(xp: Any, truths: Any) -> tuple[int, ...]:
    """The index of the first true one; that of a single truth value has no numbers."""
    return tuple(int(axis[0]) for axis in xp.nonzero(truths)) if truths.ndim else ()


def are_inside(positions: Any, size: int) -> bool:
    """Whether all positions are from 0 up to, not including, ``size``."""
    # Seen as unsigned, what is negative is large: one pass instead of two.
    return not positions.size or bool(positions.view(f"u{positions.dtype.itemsize}").max() < size)


def refuse_outside(xp: Any, positions: Any, size: int, what: str) -> None:
    """Raise InvalidArgumentError unless all positions are from 0 up to, not including, ``size``."""
    if are_inside(positions, size):
        return
    place = first_true(xp, xp.logical_or(xp.less(positions, 0), xp.greater_equal(positions, size)))
    where_ = f"[{','.join(map(str, place))}]" if place else ""
    raise InvalidArgumentError(f"{what}{where_} = {int(positions[place])} is not in [0, {size})")


def _gather(xp: Any, params: Any, indices: Any, *, axis: int = 0, batch_dims: int = 0) -> Any:
    refuse_outside(xp, indices, params.shape[axis], "indices")
    if not batch_dims:
        picked = xp.take(params, indices, axis=axis)
        return xp.full((), picked, params.dtype) if picked.__class__ is bytes else picked
    if params.shape[:batch_dims] != indices.shape[:batch_dims] or axis % params.ndim < batch_dims:
        raise ValueError("the leading axes do not go together")
    outer, many = axis % params.ndim - batch_dims, indices.ndim - batch_dims
    front = xp.moveaxis(params, axis, batch_dims)
    batches = math.prod(front.shape[:batch_dims])
    rows = xp.reshape(front, (batches, *front.shape[batch_dims:]))
    picked = rows[
        xp.arange(batches)[(..., *(None,) * many)], xp.reshape(indices, (batches, *indices.shape[batch_dims:]))
    ]
    picked = xp.reshape(picked, (*indices.shape, *front.shape[batch_dims + 1 :]))
    source = tuple(range(batch_dims + many, batch_dims + many + outer))
    return xp.moveaxis(picked, source, tuple(range(batch_dims, batch_dims + outer)))


def _gather_rule(params: Spec, indices: Spec, *, axis: int = 0, batch_dims: int = 0) -> Spec:
    rank, most = len(params.shape), len(indices.shape)
    if not rank:
        raise InvalidArgumentError("params must be at least 1 dimensional")
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {rank}")
    if not 0 <= batch_dims <= most:
        raise InvalidArgumentError(f"Expected batch_dims in the range [{-most}, {most}], but got {batch_dims}")
    position = axis % rank
    if position < batch_dims:
        raise InvalidArgumentError(f"batch_dims ({batch_dims}) must be less than or equal to axis ({position})")
    for number, (size, other) in enumerate(zip(params.shape[:batch_dims], indices.shape, strict=False)):
        if size != other:
            raise InvalidArgumentError(
                f"params.shape[{number}]: {size} should be equal to indices.shape[{number}]: {other}"
            )
    return Spec((*params.shape[:position], *indices.shape[batch_dims:], *params.shape[position + 1 :]), params.dtype)


def _gather_gradient(
    F: Any, g: Any, params_spec: Any, indices: Any, indices_spec: Any, axis: int, batch_dims: int
) -> Any:
    """Add the gradient of each picked row to the row's own: rows picked twice get two."""
    shape, dtype = params_spec.shape, indices_spec.dtype
    axis, many = axis % len(shape), len(indices_spec.shape) - batch_dims
    outer, size, batches = axis - batch_dims, shape[axis], math.prod(shape[:batch_dims])
    rest = (*shape[batch_dims:axis], *shape[axis + 1 :])
    middle = range(batch_dims, batch_dims + outer)
    picks = range(batch_dims + outer, batch_dims + outer + many)
    order = (*range(batch_dims), *picks, *middle, *range(picks.stop, len(g.shape)))
    rows = F.reshape(F.transpose(g, perm=order), shape=(math.prod(indices_spec.shape), *rest))
    positions = F.reshape(indices, shape=(-1,))
    if batch_dims:
        each = math.prod(indices_spec.shape[batch_dims:])
        step = size or 1
        starts = F.reshape(F.range(start=0, limit=batches * step, delta=step, dtype=dtype), shape=(batches, 1))
        positions = F.reshape(F.add(F.reshape(indices, shape=(batches, each)), starts), shape=(-1,))
    sums = F.unsorted_segment_sum(rows, positions, num_segments=batches * size)
    whole = F.reshape(sums, shape=(*shape[:batch_dims], size, *rest))
    back = (*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, len(shape)))
    return F.transpose(whole, perm=back)


_TWO = np.array([2, 0, 2], np.int32)
_gathered = op(
    "gather",
    doc="The slices of a tensor at given indices along an axis.",
    family="indexing",
    tf_name="GatherV2",
    forward=_gather,
    infer=_gather_rule,
    static=static_shape_rules.gather,
    types={"params": None, "indices": POSITIONS},
    vjp={"params": _gather_gradient},
    formula=r"y_{ij} = x_{k_i j}",
    vjp_formula=(r"\bar x_{kj} = \sum_{i: k_i = k} \bar y_{ij}",),
    samples=cases(
        ([(3, 2), _TWO], {"axis": 0, "batch_dims": 0}),
        ([(2, 3, 2), _TWO.reshape(3, 1)], {"axis": 1, "batch_dims": 0}),
        ([(3,), np.array(1)], {"axis": 0, "batch_dims": 0}),
        ([(2, 3, 2), np.array([[2, 0], [1, 1]])], {"axis": 1, "batch_dims": 1}),
        ([(2, 2, 3, 2), np.array([[2, 0], [1, 1]])], {"axis": 2, "batch_dims": 1}),
    ),
    silent=True,
    traits="indexes moves",
)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """The slices of ``params`` at ``indices`` along ``axis``.

    Args:
        params: the tensor to pick from.
        indices: integers of any shape, from 0 to the size of the axis.
        validate_indices: accepted as TensorFlow does; positions are always checked.
        axis: the axis to pick along; the first after ``batch_dims`` when it is None.
        batch_dims: how many leading axes of ``params`` and ``indices`` go together; negative ones count from the last
            axis of ``indices``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a position or an axis does not exist.

    >>> import tapeviz as tf
    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """
    if not batch_dims:
        return _gathered.run(params, indices, 0 if axis is None else axis_number(axis), 0)
    along = batch_dims if axis is None else int(axis)
    if batch_dims < 0:
        indices = convert_to_tensor(indices)
        batch_dims += indices.ndim
    return _gathered.run(params, indices, along, batch_dims if along else 0)
