"""Reductions: many elements to one, along axes."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from tapeviz.backends.blocks import LARGE
from tapeviz.backends.rows import rows_largest, total
from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import and_complex, cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.types import BOOL, COMPLEXES, NUMBERS

__all__ = [
    "REDUCTION_SAMPLES",
    "added",
    "aligned",
    "canonical_axis",
    "count_of",
    "extreme",
    "kept_shape",
    "largest",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "spread",
]  # fmt: skip

REDUCTION_SAMPLES = cases(
    (((2, 3),), {"axis": None, "keepdims": False}),
    (((2, 3),), {"axis": (0,), "keepdims": False}),
    (((2, 3),), {"axis": (-1,), "keepdims": True}),
    (((2, 3, 4),), {"axis": (0, 2), "keepdims": False}),
    (((2, 3),), {"axis": None, "keepdims": True}),
    (((),), {"axis": None, "keepdims": False}),
)
_reduction = partial(op, family="reduction", infer=rules.reduction, types=NUMBERS, samples=REDUCTION_SAMPLES)
_WITH_COMPLEX: dict[str, Any] = {"types": NUMBERS | COMPLEXES, "samples": and_complex(REDUCTION_SAMPLES)}


def canonical_axis(axis: Any) -> tuple[int, ...] | None:
    """``axis`` as the ops take it: None for all axes, else a tuple of plain numbers."""
    if axis is None:
        return None
    return (axis,) if axis.__class__ is int else as_dimensions(axis)


def kept_shape(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """``shape`` with the reduced axes of size 1, so that the result broadcasts against what was reduced."""
    axes = rules.axes_of(axis, len(shape))
    return tuple(1 if position in axes else size for position, size in enumerate(shape))


def count_of(shape: tuple[int, ...], axis: Any) -> int:
    """How many elements go into one result."""
    return (
        math.prod(shape) if axis is None else math.prod(shape[position] for position in rules.axes_of(axis, len(shape)))
    )


def aligned(F: Any, value: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    """A reduction's result, or its gradient, in the shape that broadcasts against what was reduced."""
    return value if keepdims else F.reshape(value, shape=kept_shape(x_spec.shape, axis))


def spread(F: Any, g: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    """The gradient of a sum: each summed element gets the sum's gradient."""
    return F.broadcast_to(aligned(F, g, x_spec, axis, keepdims), shape=x_spec.shape)


def added(xp: Any, x: Any, *, axis: Any, keepdims: bool) -> Any:
    """The sum over axes, in the order that sums of so many elements have."""
    if x.size < LARGE:
        return xp.add.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype)
    return total(xp, x, axis, keepdims)


_sum: Op = _reduction(
    "reduce_sum",
    doc="The sum over axes.",
    tf_name="Sum",
    forward=added,
    vjp={"x": spread},
    formula=r"y = \sum_i x_i",
    vjp_formula=(r"\bar x_i = \bar y",),
    **_WITH_COMPLEX,
    traits="objects sum",
)


def _mean(xp: Any, x: Any, *, axis: Any, keepdims: bool) -> Any:
    count = count_of(x.shape, axis)
    if x.dtype.kind in "fc":
        small = x.size < LARGE
        sums = xp.add.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype) if small else total(xp, x, axis, keepdims)
        return xp.true_divide(sums, count, dtype=x.dtype)
    # A sum of integers is as wide as the machine's: their mean fits where their sum would not.
    sums = xp.add.reduce(x, axis=axis, keepdims=keepdims)
    return (xp.sign(sums) * (xp.absolute(sums) // count)).astype(x.dtype)


def _mean_gradient(F: Any, g: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    share = F.divide(g, count_of(x_spec.shape, axis) or 1)
    return spread(F, share, x_spec, axis, keepdims)


_average: Op = _reduction(
    "reduce_mean",
    doc="The mean over axes.",
    tf_name="Mean",
    forward=_mean,
    vjp={"x": _mean_gradient},
    formula=r"y = \frac{1}{n} \sum_i x_i",
    vjp_formula=(r"\bar x_i = \bar y / n",),
    **_WITH_COMPLEX,
    traits="mean",
)


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else int(np.iinfo(dtype).min)


def _highest(dtype: Any) -> Any:
    return np.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)


def extreme(reduce: Any, x: Any, axis: Any, keepdims: bool, nothing: Any) -> Any:
    """A maximum or minimum, which of no elements at all is what any element would beat."""
    if x.size >= LARGE and (found := rows_largest(reduce, x, axis, keepdims)) is not None:
        return found
    if 0 not in x.shape:
        return reduce(x, axis=axis, keepdims=keepdims)
    return reduce(x, axis=axis, keepdims=keepdims, initial=nothing(x.dtype))


def largest(xp: Any, x: Any, axis: Any) -> Any:
    """The maximum along ``axis``, which is kept: what to subtract before an exponential."""
    return extreme(xp.maximum.reduce, x, axis, True, _lowest)


def _extreme_gradient(F: Any, g: Any, x: Any, y: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    """Elements that share the extreme share its gradient."""
    y, g = aligned(F, y, x_spec, axis, keepdims), aligned(F, g, x_spec, axis, keepdims)
    hits = F.cast(F.equal(x, y), dtype=x_spec.dtype)
    return F.multiply(F.divide(hits, F.reduce_sum(hits, axis=axis, keepdims=True)), g)


_max: Op = _reduction(
    "reduce_max",
    doc="The largest element along axes; elements that share the maximum share its gradient.",
    tf_name="Max",
    forward=lambda xp, x, *, axis, keepdims: extreme(xp.maximum.reduce, x, axis, keepdims, _lowest),
    vjp={"x": _extreme_gradient},
    formula=r"y = \max_i x_i",
    vjp_formula=(r"\bar x_i = \bar y\,[x_i = y] / \textstyle\sum_k [x_k = y]",),
    traits="flat moves",
    hints="fresh",
)

_min: Op = _reduction(
    "reduce_min",
    doc="The smallest element along axes; elements that share the minimum share its gradient.",
    tf_name="Min",
    forward=lambda xp, x, *, axis, keepdims: extreme(xp.minimum.reduce, x, axis, keepdims, _highest),
    vjp={"x": _extreme_gradient},
    formula=r"y = \min_i x_i",
    vjp_formula=(r"\bar x_i = \bar y\,[x_i = y] / \textstyle\sum_k [x_k = y]",),
    traits="flat moves",
    hints="fresh",
)


def _prod_gradient(F: Any, g: Any, x: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    """Each element's gradient is the product of the others, computed without dividing by it: it may be 0."""
    shape = x_spec.shape
    axes = rules.axes_of(axis, len(shape))
    order = (*axes, *(position for position in range(len(shape)) if position not in axes))
    front = tuple(shape[position] for position in order)
    rows = F.reshape(F.transpose(x, perm=order), shape=(count_of(shape, axes), math.prod(front[len(axes) :])))
    before = F.cumprod(rows, axis=0, exclusive=True, reverse=False)
    after = F.cumprod(rows, axis=0, exclusive=True, reverse=True)
    others = F.reshape(F.multiply(before, after), shape=front)
    others = F.transpose(others, perm=tuple(np.argsort(order).tolist()))
    return F.multiply(others, aligned(F, g, x_spec, axis, keepdims))


_prod: Op = _reduction(
    "reduce_prod",
    doc="The product over axes.",
    tf_name="Prod",
    forward=lambda xp, x, *, axis, keepdims: xp.multiply.reduce(x, axis=axis, keepdims=keepdims, dtype=x.dtype),
    vjp={"x": _prod_gradient},
    formula=r"y = \prod_i x_i",
    vjp_formula=(r"\bar x_i = \bar y \prod_{k \ne i} x_k",),
    **_WITH_COMPLEX,
    traits="factors objects",
    hints="fresh",
)

_TRUTHS = np.array([[True, False, True], [True, True, True]])
_truth = partial(
    op,
    family="reduction",
    infer=rules.reduction,
    types=BOOL,
    samples=cases(
        ([_TRUTHS], {"axis": None, "keepdims": False}),
        ([_TRUTHS], {"axis": (1,), "keepdims": False}),
        ([_TRUTHS], {"axis": (0,), "keepdims": True}),
    ),
    silent=True,
)

_all: Op = _truth(
    "reduce_all",
    doc="Whether all elements along axes are true.",
    tf_name="All",
    forward=lambda xp, x, *, axis, keepdims: xp.logical_and.reduce(x, axis=axis, keepdims=keepdims),
    formula=r"y = \bigwedge_i x_i",
)

_any: Op = _truth(
    "reduce_any",
    doc="Whether any element along axes is true.",
    tf_name="Any",
    forward=lambda xp, x, *, axis, keepdims: xp.logical_or.reduce(x, axis=axis, keepdims=keepdims),
    formula=r"y = \bigvee_i x_i",
)


def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The sum over ``axis``: one axis, several, or None for all. Integers that do not fit their dtype wrap around.

    Args:
        input_tensor: numbers of any shape, complex ones too (not for a maximum or minimum).
        axis: the axes to sum over.
        keepdims: keep them with size 1.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis, or the elements are not numbers.

    >>> import tapeviz as tf
    >>> tf.reduce_sum([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([4., 6.], dtype=float32)
    """
    return _sum.run(input_tensor, axis if axis is None else canonical_axis(axis), keepdims or False)


def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The mean over ``axis``: one axis, several, or None for all. Integers give integers, the fraction cut off.

    Arguments and errors as for ``reduce_sum``. The mean of no elements is nan.

    >>> import tapeviz as tf
    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]]).numpy()
    np.float32(2.5)
    """
    return _average.run(input_tensor, axis if axis is None else canonical_axis(axis), keepdims or False)


def reduce_max(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The largest element along ``axis``: one axis, several, or None for all.

    Arguments and errors as for ``reduce_sum``. Of no elements it is -inf, or the dtype's smallest integer.

    >>> import tapeviz as tf
    >>> tf.reduce_max([[1.0, 4.0], [3.0, 2.0]], axis=1).numpy()
    array([4., 3.], dtype=float32)
    """
    return _max.run(input_tensor, axis if axis is None else canonical_axis(axis), keepdims or False)


def reduce_min(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The smallest element along ``axis``: one axis, several, or None for all.

    Arguments and errors as for ``reduce_sum``. Of no elements it is inf, or the dtype's largest integer.

    >>> import tapeviz as tf
    >>> tf.reduce_min([[1.0, 4.0], [3.0, 2.0]], axis=1).numpy()
    array([1., 2.], dtype=float32)
    """
    return _min.run(input_tensor, axis if axis is None else canonical_axis(axis), keepdims or False)


def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The product over ``axis``: one axis, several, or None for all.

    Arguments and errors as for ``reduce_sum``. The product of no elements is 1.

    >>> import tapeviz as tf
    >>> tf.reduce_prod([[1.0, 2.0], [3.0, 4.0]], axis=0).numpy()
    array([3., 8.], dtype=float32)
    """
    return _prod.run(input_tensor, axis if axis is None else canonical_axis(axis), keepdims or False)


def _truths(value: Any) -> Any:
    """A list is one of truth values, or wrong: an empty one would be of floating-point numbers by itself."""
    return convert_to_tensor(value, dtype="bool") if isinstance(value, (list, tuple)) else value


def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Whether all elements along ``axis`` are true: one axis, several, or None for all. Of no elements all are.

    Arguments as for ``reduce_sum``, of truth values.

    Raises:
        InvalidArgumentError: there is no such axis, or the elements are not truth values.
        TypeError: a list holds anything else.

    >>> import tapeviz as tf
    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy()
    array([False,  True])
    """
    return _all.run(_truths(input_tensor), axis if axis is None else canonical_axis(axis), keepdims or False)


def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Whether any element along ``axis`` is true: one axis, several, or None for all. Of no elements none is.

    Arguments and errors as for ``reduce_all``.

    >>> import tapeviz as tf
    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy()
    array([ True, False])
    """
    return _any.run(_truths(input_tensor), axis if axis is None else canonical_axis(axis), keepdims or False)
