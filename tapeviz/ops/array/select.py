"""Picking by condition: elements where something is true, and rows that say which class is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor, is_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.types import BOOL, COMPLEXES, FIELDS, INDEXES, NUMBERS
from tapeviz.ops.runtime_calls import by_rank, waits

__all__ = ["boolean_mask", "one_hot", "where"]

_FLOAT = as_dtype("float32")
_TWO = np.array([2, 0, 2], np.int32)


def _one_hot(xp: Any, indices: Any, *, depth: int, on: Any, off: Any, axis: int, dtype: Any) -> Any:
    if depth < 0 or axis < -1:
        raise ValueError("no such depth or axis")
    hot = xp.equal(xp.expand_dims(indices, -1), xp.arange(depth))
    filled = xp.where(hot, xp.asarray(on, dtype=dtype), xp.asarray(off, dtype=dtype))
    return filled if axis == -1 else xp.moveaxis(filled, -1, axis)


def _one_hot_rule(indices: Spec, *, depth: int, axis: int, dtype: Any, **_values: Any) -> Spec:
    rank = len(indices.shape)
    if depth < 0:
        raise InvalidArgumentError(f"depth must be non-negative, got: {depth}")
    if not -1 <= axis <= rank:
        raise InvalidArgumentError(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}")
    position = rank if axis == -1 else axis
    return Spec((*indices.shape[:position], depth, *indices.shape[position:]), np.dtype(dtype))


_HOT = {"depth": 3, "on": 1.0, "off": 0.0, "axis": -1, "dtype": np.dtype(np.float32)}
_hot = op(
    "one_hot",
    doc="A one-hot row for each index: on at the index, off elsewhere.",
    family="indexing",
    forward=_one_hot,
    infer=_one_hot_rule,
    types=INDEXES | {np.dtype(np.int8)},
    formula=r"y_{ik} = [x_i = k]",
    samples=cases(([_TWO], _HOT), ([_TWO.reshape(3, 1)], {**_HOT, "axis": 1, "on": 5.0}), ([np.array(7)], _HOT)),
    silent=True,
    traits="indexes",
    hints="fresh",
    surrogate="one_hot takes class numbers: compute the loss from the probabilities themselves",
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
        axis: where the new axis goes; last when it is None or -1.
        dtype: of the result; that of the values, float32 when neither is given.
        name: accepted as TensorFlow does.

    Raises:
        TypeError: the values are not of one dtype, or not of the one asked for.
        InvalidArgumentError: the depth is negative, or there is no such axis.

    >>> import tapeviz as tf
    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    if indices.__class__ is list and not indices:
        indices = convert_to_tensor(indices, dtype="int32")
    elif isinstance(indices, np.ndarray) and indices.dtype.kind == "f":
        indices = indices.astype(np.int64)  # of an array alone, as TensorFlow has it
    wanted = None if dtype is None else as_dtype(dtype)
    if on_value is None and off_value is None and (wanted is None or wanted.numpy in FIELDS):
        axis = -1 if axis is None else int(axis)
        return _hot.run(indices, as_dimensions(depth)[0], 1, 0, axis, (wanted or _FLOAT).numpy)
    on, off = (
        None if value is None else convert_to_tensor(value, dtype_hint=wanted) for value in (on_value, off_value)
    )
    for kind, value in (("on_value", on), ("off_value", off)):
        if wanted is not None and value is not None and value.dtype is not wanted:
            raise TypeError(f"dtype {value.dtype} of {kind} does not match dtype parameter {wanted}")
    wanted = wanted or next(value.dtype for value in (on, off) if value is not None)
    on = convert_to_tensor(1, dtype=wanted) if on is None else on
    off = convert_to_tensor(0, dtype=wanted) if off is None else off
    if on.dtype is not off.dtype:
        raise TypeError(f"dtype {on.dtype} of on_value does not match dtype {off.dtype} of off_value")
    if waits(on) or waits(off):
        axis = -1 if axis is None else int(axis)
        hot = _hot.run(indices, as_dimensions(depth)[0], True, False, axis, np.dtype(bool))
        stop = registry["stop_gradient"].run  # these have no gradients, as in TensorFlow
        return _select.run(hot, stop(on), stop(off))
    numbers = (on._host().item(), off._host().item())
    return _hot.run(indices, as_dimensions(depth)[0], *numbers, -1 if axis is None else int(axis), wanted.numpy)


def _select_rule(condition: Spec, x: Spec, y: Spec) -> Spec:
    try:
        shape = rules.broadcast_shapes(condition.shape, x.shape, y.shape)
    except InvalidArgumentError:
        texts = tuple(rules.shape_text(spec.shape) for spec in (condition, x, y))
        raise InvalidArgumentError("condition {}, then {}, and else {} must be broadcastable".format(*texts)) from None
    return Spec(shape, x.dtype)


def _selected(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """Its gradients choose between an array and a number, which makes of bfloat16 what NumPy likes."""
    found = xp.where(condition, x, y)
    dtype = (y if x.__class__ is float else x).dtype
    return found if found.dtype == dtype else found.astype(dtype)


_select_rule.broadcasts = True  # type: ignore[attr-defined]

_select = op(
    "where",
    doc="x where the condition is true, else y, element by element, broadcasting.",
    family="elementwise",
    tf_name="SelectV2",
    forward=_selected,
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
    traits="flat moves selects",
    hints="fresh uneven",
)


def _positions_of_the_true(xp: Any, condition: Any) -> Any:
    if not condition.ndim:
        raise ValueError("a single value has no positions")
    return xp.argwhere(condition).astype(np.dtype(np.int64))


def _positions_rule(condition: Spec) -> Spec:
    if not condition.shape:
        raise InvalidArgumentError("WhereOp : Unhandled input dimensions: 0")
    return Spec((rules.UNKNOWN, len(condition.shape)), np.dtype(np.int64))


_true_positions = op(
    "nonzero",
    doc="The indices of the elements that are true, one a row.",
    family="indexing",
    tf_name="Where",
    forward=_positions_of_the_true,
    infer=_positions_rule,
    types=NUMBERS | BOOL | COMPLEXES,
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
    if not (is_tensor(x) or is_tensor(y)):
        x = convert_to_tensor(x)
        y = convert_to_tensor(y, dtype=x.dtype)
    return _select.run(condition, x, y)


def _of_mask(tensor: Any, mask: Any, *_options: Any, **_named: Any) -> Any:
    if convert_to_tensor(mask).shape.rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is ok, "
            "but shape=None is not."
        )
    return None, convert_to_tensor(tensor).dtype


@by_rank(_of_mask)
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
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
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
    return registry["gather"].run(rows, positions, first, 0)
