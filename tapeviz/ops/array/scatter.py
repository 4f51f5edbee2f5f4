"""Picking and putting elements by rows of indices, one index an axis: ``gather_nd`` and ``scatter_nd``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import has_deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.symbolic import UnknownNumbersError
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import as_sizes
from tapeviz.ops.array.gather import POSITIONS, are_inside, first_true
from tapeviz.ops.array.row_sums import row_sums
from tapeviz.ops.runtime_calls import later

__all__ = ["check_room", "combined", "gather_nd", "rows_of", "scatter_nd"]

_INT64 = np.dtype(np.int64)


def rows_of(xp: Any, indices: Any, shape: tuple[int, ...], what: str = "shape") -> Any:
    """The number of the row that each row of indices names, were the axes it indexes one axis."""
    depth = indices.shape[-1]
    if not depth:
        return xp.zeros(indices.shape[:-1], _INT64).reshape(-1)
    parts = [indices[..., axis] for axis in range(depth)]
    if not all(are_inside(part, size) for part, size in zip(parts, shape, strict=False)):
        _refuse_rows(xp, indices, shape, what)
    flat = parts[0].astype(_INT64)
    for part, size in zip(parts[1:], shape[1:], strict=False):
        flat = xp.add(xp.multiply(flat, size), part)
    return xp.reshape(flat, (-1,))


def _refuse_rows(xp: Any, indices: Any, shape: tuple[int, ...], what: str) -> None:
    """Name the first row of indices that is outside."""
    wrong = xp.zeros(indices.shape[:-1], bool)
    for axis in range(indices.shape[-1]):
        part = indices[..., axis]
        wrong = xp.logical_or(wrong, xp.logical_or(xp.less(part, 0), xp.greater_equal(part, shape[axis])))
    place = first_true(xp, wrong)
    where = f"[{','.join(map(str, place))}]" if place else ""
    row = [int(number) for number in indices[place]]
    raise InvalidArgumentError(f"indices{where} = {row} does not index into {what} {rules.shape_text(shape)}")


def _gather(xp: Any, params: Any, indices: Any) -> Any:
    depth = indices.shape[-1]
    shape, inner = params.shape[:depth], params.shape[depth:]
    _check_something(params.shape, indices.shape)
    if len(shape) < depth:
        raise ValueError("rows are longer than there are axes")
    positions = rows_of(xp, indices, params.shape, "param shape")
    count: int = math.prod(shape)
    picked = xp.take(xp.reshape(params, (count, *inner)), positions, axis=0)
    return xp.reshape(picked, (*indices.shape[:-1], *inner))


def _gather_rule(params: Spec, indices: Spec) -> Spec:
    if not indices.shape:
        raise InvalidArgumentError("indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > len(params.shape):
        raise InvalidArgumentError(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. {len(params.shape)}"
        )
    _check_something(params.shape, indices.shape)
    return Spec((*indices.shape[:-1], *params.shape[depth:]), params.dtype)


def _check_something(params: tuple[int, ...], indices: tuple[int, ...]) -> None:
    """Refuse to pick from nothing, even slices that have no elements."""
    if 0 in params and 0 not in indices[:-1]:
        raise InvalidArgumentError(
            f"Requested more than 0 entries, but params is empty.  Params shape: {rules.shape_text(params)}"
        )


_PAIRS = np.array([[1, 0], [0, 2], [1, 0]], np.int32)
_ROWS = np.array([[1], [0], [1]], np.int32)
_NONE = np.zeros((0, 1), np.int32)
_gathered = op(
    "gather_nd",
    doc="The elements (or slices) at rows of indices.",
    family="indexing",
    forward=_gather,
    infer=_gather_rule,
    static=static_shape_rules.gather_nd,
    types={"params": None, "indices": POSITIONS},
    vjp={"params": lambda F, g, params_spec, indices: F.scatter_nd(indices, g, shape=params_spec.shape)},
    formula=r"y_i = x_{k_{i1} k_{i2} \dots}",
    vjp_formula=(r"\bar x_k = \sum_{i: k_i = k} \bar y_i",),
    samples=cases(
        ([(2, 3), _PAIRS], {}), ([(2, 3), _ROWS], {}), ([(2, 3, 2), _PAIRS.reshape(3, 1, 2)], {}),
        ([(3,), np.array([2])], {}), ([(3,), _NONE], {}),
    ),
    silent=True,
    traits="indexes moves",
)  # fmt: skip


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None,
              bad_indices_policy: str = "") -> Any:  # fmt: skip
    """The elements (or slices) of ``params`` that the rows of ``indices`` name: a row has an index an axis.

    Args:
        params: the tensor to pick from.
        indices: integers; the last axis holds the indices of one element, or of one slice where they are fewer than
            there are axes.
        batch_dims: how many leading axes of ``params`` and ``indices`` go together.
        name: accepted as TensorFlow does.
        bad_indices_policy: accepted as TensorFlow does; an index that does not exist is always an error.

    Raises:
        InvalidArgumentError: an index does not exist, or rows are longer than there are axes.
        ValueError: ``batch_dims`` is not less than the rank of ``indices``.

    >>> import tapeviz as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy()
    array([2, 3], dtype=int32)
    """
    if not batch_dims:
        return _gathered.run(params, indices)
    params, indices = convert_to_tensor(params), convert_to_tensor(indices)
    if batch_dims >= indices.ndim or batch_dims < 0:
        raise ValueError(f"Argument `batch_dims` = {batch_dims} must be less than rank(`indices`) = {indices.ndim}")
    outer, leading = indices._a.shape[:-1], indices._a.shape[:batch_dims]
    if has_deferred((outer, params._a.shape[:batch_dims])):
        return later(gather_nd, (params, indices, batch_dims), {})
    if params._a.shape[:batch_dims] != leading:
        raise InvalidArgumentError(
            f"the first {batch_dims} axes of params ({rules.shape_text(params._a.shape)}) and indices "
            f"({rules.shape_text(indices._a.shape)}) should be equal",
            "gather_nd",
        )
    own = np.moveaxis(np.indices(leading), 0, -1).reshape(*leading, *(1,) * (len(outer) - batch_dims), batch_dims)
    own = np.broadcast_to(own, (*outer, batch_dims))
    every = convert_to_tensor(own, dtype=indices.dtype)
    return _gathered.run(params, registry["concat"].run(every, indices, axis=-1))


def _blank(xp: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    return xp.full(shape, b"", dtype) if dtype.kind == "O" else xp.zeros(shape, dtype)


def combined(xp: Any, ufunc: Any, updates: Any, positions: Any) -> tuple[Any, Any]:
    """Updates to one row made one update, by sorting; and the rows, each once."""
    order = xp.argsort(positions, kind="stable")
    positions = positions[order]
    first = xp.concatenate([xp.ones((1,), bool), xp.not_equal(positions[1:], positions[:-1])])
    starts = xp.flatnonzero(first)
    return ufunc.reduceat(updates[order], starts, axis=0, dtype=updates.dtype), positions[starts]


def _scatter(xp: Any, indices: Any, updates: Any, *, shape: tuple[int, ...]) -> Any:
    depth = indices.shape[-1]
    outer, inner = shape[:depth], shape[depth:]
    check_room(shape, indices.shape, updates.shape)
    if updates.shape != (*indices.shape[:-1], *inner) or len(outer) < depth:
        raise ValueError("shapes do not fit")
    positions = rows_of(xp, indices, shape)
    count: int = math.prod(outer)
    rows = xp.reshape(updates, (positions.size, *inner))
    if (whole := row_sums(xp, rows, positions, count)) is None:
        whole = _blank(xp, (count, *inner), updates.dtype)
        if updates.size:
            sums, places = combined(xp, xp.add, rows, positions)
            whole[places] = sums
    return xp.reshape(whole, shape)


def check_room(shape: tuple[int, ...], indices: tuple[int, ...], updates: tuple[int, ...]) -> None:
    """Refuse to put something where there is no element.

    Raises:
        InvalidArgumentError: the shape has none, and there are rows of indices, or updates.
    """
    if 0 in shape and (0 not in indices or 0 not in updates):
        raise InvalidArgumentError(
            f"Indices and updates specified for empty output.  indices shape: {rules.shape_text(indices)}"
        )


def _scatter_rule(indices: Spec, updates: Spec, *, shape: tuple[int, ...]) -> Spec:
    if not indices.shape:
        raise InvalidArgumentError("Indices shape must have rank at least one. Found:[]")
    if any(size < 0 for size in shape):
        raise InvalidArgumentError(f"Dimension {min(shape)} must be >= 0")
    check_room(shape, indices.shape, updates.shape)
    texts = [rules.shape_text(one) for one in (indices.shape, updates.shape, shape)]
    outer, depth = len(indices.shape) - 1, indices.shape[-1]
    if has_deferred((indices.shape, updates.shape, shape)):
        return Spec(tuple(shape), updates.dtype)
    if updates.shape[:outer] != indices.shape[:-1]:
        raise InvalidArgumentError(
            f"Dimensions [0,{outer}) of indices[shape={texts[0]}] must match dimensions [0,{outer}) of "
            f"updates[shape={texts[1]}]"
        )
    if depth > len(shape) or updates.shape[outer:] != tuple(shape[depth:]):
        raise InvalidArgumentError(
            f"Dimensions [{depth},{len(shape)}) of input[shape={texts[2]}] must match dimensions "
            f"[{outer},{len(updates.shape)}) of updates[shape={texts[1]}]"
        )
    return Spec(tuple(shape), updates.dtype)


_scattered = op(
    "scatter_nd",
    doc="Zeros, with updates (elements or slices) added at rows of indices.",
    family="indexing",
    forward=_scatter,
    infer=_scatter_rule,
    static=static_shape_rules.scatter,
    types={"indices": POSITIONS, "updates": None},
    vjp={"updates": lambda F, g, indices: F.gather_nd(g, indices)},
    formula=r"y_k = \sum_{i: k_i = k} x_i",
    vjp_formula=(r"\bar x_i = \bar y_{k_i}",),
    samples=cases(
        ([_PAIRS, (3,)], {"shape": (2, 3)}), ([_ROWS, (3, 2)], {"shape": (4, 2)}), ([_NONE, (0,)], {"shape": (2,)}),
    ),
    traits="indexes sum",
)  # fmt: skip


def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None) -> Any:
    """Zeros of this shape with ``updates`` added where the rows of ``indices`` say; what comes twice is added twice.

    Args:
        indices: integers; the last axis holds the indices of one element, or of one slice.
        updates: the elements or slices.
        shape: of the result; integers of the dtype of ``indices`` where it is a tensor.
        bad_indices_policy: accepted as TensorFlow does; an index that does not exist is always an error.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: an index does not exist, or shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.scatter_nd([[2], [0], [2]], [1.0, 2.0, 3.0], [4]).numpy()
    array([2., 0., 4., 0.], dtype=float32)
    """
    if hasattr(shape, "_host"):
        indices = convert_to_tensor(indices)
        if shape.dtype is not indices.dtype:
            raise InvalidArgumentError(
                f"cannot compute ScatterNd as input #2(zero-based) was expected to be a {indices.dtype.name} tensor "
                f"but is a {shape.dtype.name} tensor",
                "scatter_nd",
            )
    try:
        sizes = as_sizes(shape, "ScatterNd")
    except UnknownNumbersError:
        return later(scatter_nd, (indices, updates, shape), {}, (None, convert_to_tensor(updates).dtype))
    return _scattered.run(indices, updates, sizes)
