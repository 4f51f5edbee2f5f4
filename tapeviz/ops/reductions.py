"""Reductions: many elements to one, along axes."""

from __future__ import annotations


from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.define import op
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.types import NUMBERS

__all__ = ["canonical_axis", "kept_shape", "reduce_mean", "reduce_sum"]

_SAMPLES = cases(
    (((2, 3),), {"axis": None, "keepdims": False}),
    (((2, 3),), {"axis": (0,), "keepdims": False}),
    (((2, 3),), {"axis": (1,), "keepdims": True}),
    (((2, 3, 4),), {"axis": (0, 2), "keepdims": False}),
    (((),), {"axis": None, "keepdims": False}),
)


def canonical_axis(axis: Any) -> tuple[int, ...] | None:
    """``axis`` as the ops take it: None for all axes, else a tuple of plain numbers."""
    if axis is None:
        return None
    return (axis,) if axis.__class__ is int else as_dimensions(axis)


def kept_shape(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """``shape`` with the reduced axes of size 1, so that the result broadcasts against what was reduced."""
    axes = rules.axes_of(axis, len(shape))
    return tuple(1 if position in axes else size for position, size in enumerate(shape))


def spread(F: Any, g: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:  # noqa: N803, FBT001
    """The gradient of a sum: each summed element gets the sum's gradient."""
    if not keepdims:
        g = F.reshape(g, shape=kept_shape(x_spec.shape, axis))
    return F.broadcast_to(g, shape=x_spec.shape)


def _mean(xp: Any, x: Any, *, axis: Any, keepdims: bool) -> Any:
    total = xp.add.reduce(x, axis=axis, keepdims=keepdims)
    count = count_of(x.shape, axis)
    return total // count if x.dtype.kind in "iu" else xp.true_divide(total, count, dtype=x.dtype)


def count_of(shape: tuple[int, ...], axis: Any) -> int:
    """How many elements go into one result."""
    return int(np.prod([shape[position] for position in rules.axes_of(axis, len(shape))], dtype=np.int64))


def _mean_gradient(F: Any, g: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:  # noqa: N803, FBT001
    return spread(F, F.multiply(g, 1.0 / (count_of(x_spec.shape, axis) or 1)), x_spec, axis, keepdims)


_sum = op(
    "reduce_sum",
    doc="The sum over axes.",
    family="reduction",
    tf_name="Sum",
    forward=lambda xp, x, *, axis, keepdims: xp.add.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype),
    infer=rules.reduction,
    types=NUMBERS,
    vjp={"x": spread},
    formula=r"y = \sum_i x_i",
    vjp_formula=(r"\bar x_i = \bar y",),
    samples=_SAMPLES,
)

_average = op(
    "reduce_mean",
    doc="The mean over axes.",
    family="reduction",
    tf_name="Mean",
    forward=_mean,
    infer=rules.reduction,
    types=NUMBERS,
    vjp={"x": _mean_gradient},
    formula=r"y = \frac{1}{n} \sum_i x_i",
    vjp_formula=(r"\bar x_i = \bar y / n",),
    samples=_SAMPLES,
)


def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:  # noqa: ARG001, FBT001, FBT002
    """The sum over ``axis``: one axis, several, or None for all.

    Args:
        input_tensor: numbers of any shape.
        axis: the axes to sum over.
        keepdims: keep them with size 1.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis, or the elements are not numbers.

    >>> import tapeviz as tf
    >>> tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([4., 6.], dtype=float32)
    """
    return _sum.run(input_tensor, canonical_axis(axis), keepdims)


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:  # noqa: ARG001, FBT001, FBT002
    """The mean over ``axis``: one axis, several, or None for all. Integers are averaged to integers, rounded down.

    Args:
        input_tensor: numbers of any shape.
        axis: the axes to average over.
        keepdims: keep them with size 1.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis, or the elements are not numbers.

    >>> import tapeviz as tf
    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(2.5)
    """
    return _average.run(input_tensor, canonical_axis(axis), keepdims)


