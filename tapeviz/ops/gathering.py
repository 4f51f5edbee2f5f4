"""Picking elements by position or by condition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.define import op
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.samples import cases
from tapeviz.engine.types import BOOL, INDEXES

__all__ = ["boolean_mask", "gather", "one_hot", "unsorted_segment_sum", "where"]


def _refuse_outside(xp: Any, positions: Any, size: int, what: str) -> None:
    if not positions.size or (positions.min() >= 0 and positions.max() < size):
        return
    place = tuple(
        int(axis[0]) for axis in xp.nonzero(xp.logical_or(xp.less(positions, 0), xp.greater_equal(positions, size)))
    )
    where_ = f"[{','.join(map(str, place))}]" if place else ""
    raise InvalidArgumentError(f"{what}{where_} = {int(positions[place])} is not in [0, {size})")


def _gather(xp: Any, params: Any, indices: Any, *, axis: int = 0, batch_dims: int = 0) -> Any:
    _refuse_outside(xp, indices, params.shape[axis], "indices")
    if not batch_dims:
        return xp.take(params, indices, axis=axis)
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
    rank = len(params.shape)
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {rank}")
    position = axis % rank
    if params.shape[:batch_dims] != indices.shape[:batch_dims]:
        raise InvalidArgumentError(
            f"params.shape{list(params.shape[:batch_dims])} should be equal to "
            f"indices.shape{list(indices.shape[:batch_dims])}"
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
        starts = F.reshape(F.range(start=0, limit=batches * size, delta=size, dtype=dtype), shape=(batches, 1))
        positions = F.reshape(F.add(F.reshape(indices, shape=(batches, each)), starts), shape=(-1,))
    sums = F.unsorted_segment_sum(rows, positions, num_segments=batches * size)
    whole = F.reshape(sums, shape=(*shape[:batch_dims], size, *rest))
    back = (*range(batch_dims), *range(batch_dims + 1, axis + 1), batch_dims, *range(axis + 1, len(shape)))
    return F.transpose(whole, perm=back)


_TWO = np.array([2, 0, 2], np.int32)
_gathered = op(
    "gather",
    doc="The slices of a tensor at given positions along an axis.",
    family="indexing",
    tf_name="GatherV2",
    forward=_gather,
    infer=_gather_rule,
    types={"params": None, "indices": INDEXES},
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
)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: int | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """The slices of ``params`` at the positions ``indices`` along ``axis``.

    Args:
        params: the tensor to pick from.
        indices: integers of any shape, from 0 to the size of the axis.
        validate_indices: accepted as TensorFlow does; positions are always checked.
        axis: the axis to pick along; the first after ``batch_dims`` when it is None.
        batch_dims: how many leading axes of ``params`` and ``indices`` go together.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a position or an axis does not exist.

    >>> import tapeviz as tf
    >>> tf.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)
    """
    return _gathered.run(params, indices, batch_dims if axis is None else int(axis), batch_dims)


def _segment_sums(xp: Any, data: Any, segment_ids: Any, *, num_segments: int) -> Any:
    """Sums by sorting: adding element by element at positions is thirty times slower."""
    _refuse_outside(xp, segment_ids, num_segments, "segment_ids")
    inner = data.shape[segment_ids.ndim :]
    sums = xp.zeros((num_segments, *inner), data.dtype)
    if segment_ids.size:
        positions = xp.reshape(segment_ids, (-1,))
        order = xp.argsort(positions, kind="stable")
        positions = positions[order]
        first = xp.concatenate([xp.ones((1,), bool), xp.not_equal(positions[1:], positions[:-1])])
        starts = xp.flatnonzero(first)
        rows = xp.reshape(data, (segment_ids.size, *inner))[order]
        sums[positions[starts]] = xp.add.reduceat(rows, starts, axis=0, dtype=data.dtype)
    return sums


def _segment_rule(data: Spec, segment_ids: Spec, *, num_segments: int) -> Spec:
    rank = len(segment_ids.shape)
    if data.shape[:rank] != segment_ids.shape:
        raise InvalidArgumentError(
            f"data.shape = {rules.shape_text(data.shape)} does not start with segment_ids.shape = "
            f"{rules.shape_text(segment_ids.shape)}"
        )
    return Spec((num_segments, *data.shape[rank:]), data.dtype)


_segments = op(
    "unsorted_segment_sum",
    doc="The sums of slices that have the same number.",
    family="indexing",
    forward=_segment_sums,
    infer=_segment_rule,
    types={"data": None, "segment_ids": INDEXES},
    vjp={"data": lambda F, g, segment_ids: F.gather(g, segment_ids, axis=0, batch_dims=0)},
    formula=r"y_k = \sum_{i: s_i = k} x_i",
    vjp_formula=(r"\bar x_i = \bar y_{s_i}",),
    samples=cases(
        ([(3, 2), _TWO], {"num_segments": 4}),
        ([(3, 1), _TWO.reshape(3, 1)], {"num_segments": 3}),
        ([(3,), _TWO], {"num_segments": 3}),
    ),
)


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The sum of those slices of ``data`` whose ``segment_ids`` are k, for each k below ``num_segments``.

    Raises:
        InvalidArgumentError: shapes do not fit, or a number is not below ``num_segments``.

    >>> import tapeviz as tf
    >>> tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 2).numpy()
    array([2., 4.], dtype=float32)
    """
    return _segments.run(data, segment_ids, int(num_segments))


def _one_hot(xp: Any, indices: Any, *, depth: int, on: Any, off: Any, axis: int, dtype: Any) -> Any:
    hot = xp.equal(xp.expand_dims(indices, -1), xp.arange(depth))
    filled = xp.where(hot, xp.asarray(on, dtype=dtype), xp.asarray(off, dtype=dtype))
    return filled if axis == -1 else xp.moveaxis(filled, -1, axis)


def _one_hot_rule(indices: Spec, *, depth: int, axis: int, dtype: Any, **_values: Any) -> Spec:
    rank = len(indices.shape)
    if not -1 <= axis <= rank:
        raise InvalidArgumentError(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}")
    position = rank if axis == -1 else axis
    return Spec((*indices.shape[:position], depth, *indices.shape[position:]), np.dtype(dtype))


_HOT = {"depth": 3, "on": 1.0, "off": 0.0, "axis": -1, "dtype": np.dtype(np.float32)}
_hot = op(
    "one_hot",
    doc="For each position a row that is on there and off elsewhere.",
    family="indexing",
    forward=_one_hot,
    infer=_one_hot_rule,
    types=INDEXES,
    formula=r"y_{ik} = [x_i = k]",
    samples=cases(([_TWO], _HOT), ([_TWO.reshape(3, 1)], {**_HOT, "axis": 1, "on": 5.0}), ([np.array(7)], _HOT)),
    silent=True,
)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """For each element of ``indices`` a row of ``depth`` elements: ``on_value`` at that position, else ``off_value``.

    Args:
        indices: integers; those outside 0 to ``depth`` give rows that are off throughout.
        depth: how many classes there are.
        on_value: 1 when not given.
        off_value: 0 when not given.
        axis: where the new axis goes; last when it is None.
        dtype: of the result; that of the values, float32 when neither is given.
        name: accepted as TensorFlow does.

    >>> import tapeviz as tf
    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    given = on_value if on_value is not None else off_value
    wanted = as_dtype(dtype) if dtype is not None else convert_to_tensor(1.0 if given is None else given).dtype
    on, off = (
        default
        if value is None
        else convert_to_tensor(value, dtype=None if hasattr(value, "dtype") else wanted)._host().item()
        for value, default in ((on_value, 1), (off_value, 0))
    )
    return _hot.run(indices, int(depth), on, off, -1 if axis is None else int(axis), wanted.numpy)


def _select_rule(condition: Spec, x: Spec, y: Spec) -> Spec:
    try:
        shape = rules.broadcast_shapes(condition.shape, x.shape, y.shape)
    except InvalidArgumentError:
        texts = tuple(rules.shape_text(spec.shape) for spec in (condition, x, y))
        raise InvalidArgumentError("condition {}, then {}, and else {} must be broadcastable".format(*texts)) from None
    return Spec(shape, x.dtype)


_select_rule.broadcasts = True  # type: ignore[attr-defined]

_select = op(
    "where",
    doc="x where the condition is true, else y, element by element, broadcasting.",
    family="elementwise",
    tf_name="SelectV2",
    forward=lambda xp, condition, x, y: xp.where(condition, x, y),
    infer=_select_rule,
    types={"condition": BOOL, "x": None, "y": "x"},
    vjp={
        "x": lambda F, g, condition: F.where(condition, g, 0.0),
        "y": lambda F, g, condition: F.where(condition, 0.0, g),
    },
    formula=r"z_i = c_i\,?\,x_i : y_i",
    vjp_formula=(r"\bar x_i = \bar z_i\,[c_i]", r"\bar y_i = \bar z_i\,[\neg c_i]"),
    samples=cases(
        ([np.array([[True, False, True]]), (2, 3), (2, 3)], {}), ([np.array([[True], [False]]), (3,), ()], {})
    ),
    silent=True,
)

_true_positions = op(
    "nonzero",
    doc="The positions of the elements that are true, one a row.",
    family="indexing",
    tf_name="Where",
    forward=lambda xp, condition: xp.argwhere(condition).astype(np.dtype(np.int64)),
    infer=lambda condition: Spec((rules.UNKNOWN, len(condition.shape)), np.dtype(np.int64)),
    formula=r"y = \{i : c_i\}",
    samples=cases(([np.array([[True, False, True]])], {}), ([np.array([0.0, 2.0])], {})),
    silent=True,
)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """``x`` where ``condition`` is true, else ``y``; with ``condition`` alone the positions where it is.

    Gradients flow to the chosen elements only. Where the other branch is nan or infinite, that still spoils the
    gradient *before* it: ``where(x > 0, log(x), 0)`` at 0 has the gradient 0 / 0. Choose the argument, too.

    Args:
        condition: truth values.
        x: a tensor that broadcasts with ``condition``.
        y: a tensor of the same dtype that broadcasts with both.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not broadcast, or dtypes differ.
        ValueError: only one of ``x`` and ``y`` is given.

    >>> import tapeviz as tf
    >>> tf.where([True, False], [1, 2], 0).numpy()
    array([1, 0], dtype=int32)
    >>> tf.where([True, False, True]).numpy()
    array([[0],
           [2]])
    """
    if x is None and y is None:
        return _true_positions.run(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _select.run(condition, x, y)


def boolean_mask(tensor: Any, mask: Any, axis: int | None = None, name: str = "boolean_mask") -> Any:
    """The elements (or slices) of ``tensor`` where ``mask`` is true, as one axis in place of the mask's axes.

    Args:
        tensor: what to pick from.
        mask: truth values of the shape of the axes of ``tensor`` from ``axis`` on.
        axis: the first axis that the mask covers.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: the mask is a single value, or its shape is not that of the axes.

    >>> import tapeviz as tf
    >>> tf.boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask, dtype="bool")
    if not mask.ndim:
        raise ValueError("mask cannot be scalar.")
    first = 0 if axis is None else int(axis) % tensor.ndim
    shape, last = tensor._a.shape, first + mask.ndim
    covered = tensor.shape[first:last]
    if not mask.shape.is_compatible_with(covered):
        raise ValueError(f"Shapes {covered} and {mask.shape} are incompatible")
    reshape = registry["reshape"].run
    positions = reshape(_true_positions.run(reshape(mask, (-1,))), (-1,))
    rows = reshape(tensor, (*shape[:first], math.prod(shape[first:last]), *shape[last:]))
    return _gathered.run(rows, positions, first, 0)
