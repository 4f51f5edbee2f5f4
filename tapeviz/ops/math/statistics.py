"""Reductions of a second kind: spread, norm and logsumexp, and positions of extremes."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import and_complex, cases
from tapeviz.engine.types import BOOL, FIELDS, FLOATS, NUMBERS
from tapeviz.ops.arguments import axis_number, chosen_dtype
from tapeviz.ops.math.complex_numbers import is_complex, real_part
from tapeviz.ops.math.reductions import REDUCTION_SAMPLES, aligned, canonical_axis, count_of, largest, reduce_sum

__all__ = ["argmax", "argmin", "reduce_euclidean_norm", "reduce_logsumexp", "reduce_std", "reduce_variance"]

_reduction = partial(op, family="reduction", infer=rules.reduction, types=FLOATS, samples=REDUCTION_SAMPLES)


def _variance(xp: Any, x: Any, *, axis: Any, keepdims: bool) -> Any:
    count = count_of(x.shape, axis)
    distance = xp.subtract(x, xp.true_divide(xp.add.reduce(x, axis=axis, keepdims=True), count, dtype=x.dtype))
    if x.dtype.kind == "c":
        squares = xp.add(xp.square(xp.real(distance)), xp.square(xp.imag(distance)))
    else:
        squares = xp.square(distance)
    return xp.true_divide(xp.add.reduce(squares, axis=axis, keepdims=keepdims), count, dtype=squares.dtype)


def _real_reduction(x: Spec, *, axis: Any = None, keepdims: bool = False) -> Spec:
    return real_part(rules.reduction(x, axis=axis, keepdims=keepdims))


def _times_distance(F: Any, g: Any, x: Any, axis: Any) -> Any:
    """The distance from the mean, times a real gradient."""
    if is_complex(x):
        g = F.complex(g, F.zeros_like(g))
    return F.multiply(F.subtract(x, F.reduce_mean(x, axis=axis, keepdims=True)), g)


def _of_each(F: Any, whole: float, g: Any, count: int) -> Any:
    """What each of so many has of the whole, as a factor of ``g``."""
    if isinstance(count, Deferred):
        return F.divide(whole, public["number"](count, g._a.dtype))
    return whole / (count or 1)


def _variance_gradient(F: Any, g: Any, x: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    g = F.multiply(aligned(F, g, x_spec, axis, keepdims), _of_each(F, 2.0, g, count_of(x_spec.shape, axis)))
    return _times_distance(F, g, x, axis)


_distances = partial(op, family="reduction", infer=_real_reduction, types=FIELDS, holomorphic=False)
_spread: Op = _distances(
    "reduce_variance",
    doc="The variance over axes: the mean squared distance from the mean.",
    tf_name="Variance",
    forward=_variance,
    vjp={"x": _variance_gradient},
    formula=r"y = \frac{1}{n} \sum_i |x_i - \mu|^2",
    vjp_formula=(r"\bar x_i = \frac{2}{n}\, \bar y\, (x_i - \mu)",),
    samples=and_complex(REDUCTION_SAMPLES),
    traits="spread squares",
)


def _std_gradient(F: Any, g: Any, x: Any, y: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    share = F.multiply_no_nan(F.reciprocal(y), F.multiply(g, _of_each(F, 1.0, g, count_of(x_spec.shape, axis))))
    return _times_distance(F, aligned(F, share, x_spec, axis, keepdims), x, axis)


_deviation: Op = _distances(
    "reduce_std",
    doc="The standard deviation over axes: the square root of the variance.",
    tf_name="Std",
    forward=lambda xp, x, *, axis, keepdims: xp.sqrt(_variance(xp, x, axis=axis, keepdims=keepdims)),
    vjp={"x": _std_gradient},
    formula=r"y = \sqrt{\frac{1}{n} \sum_i |x_i - \mu|^2}",
    vjp_formula=(r"\bar x_i = \bar y\, (x_i - \mu) / (n y)",),
    # A single element has no deviation, and then, as in TensorFlow, no gradient that is a number.
    samples=and_complex(lambda rng: [sample for sample in REDUCTION_SAMPLES(rng) if sample[0][0].ndim]),
    traits="root spread squares",
)


def _logsumexp(xp: Any, x: Any, *, axis: Any, keepdims: bool) -> Any:
    top = largest(xp, x, axis)
    top = xp.where(xp.isfinite(top), top, xp.zeros((), x.dtype))
    total = xp.log(xp.add.reduce(xp.exp(xp.subtract(x, top)), axis=axis, keepdims=True))
    return xp.add(total, top) if keepdims else xp.add.reduce(xp.add(total, top), axis=axis)


def _logsumexp_gradient(F: Any, g: Any, x: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    # Not exp(x - y): y is rounded to the size of the largest x, which for x near 1000 is 3e-5 of each share.
    top = F.stop_gradient(F.reduce_max(x, axis=axis, keepdims=True))
    top = F.where(F.is_finite(top), top, F.zeros_like(top))
    shares = F.exp(F.subtract(x, top))
    return F.multiply(
        F.divide(shares, F.reduce_sum(shares, axis=axis, keepdims=True)), aligned(F, g, x_spec, axis, keepdims)
    )


_log_of_sum: Op = _reduction(
    "reduce_logsumexp",
    doc="The logarithm of the sum of exponentials over axes, without overflow.",
    tf_name="Logsumexp",
    forward=_logsumexp,
    vjp={"x": _logsumexp_gradient},
    formula=r"y = \ln \sum_i e^{x_i}",
    vjp_formula=(r"\bar x_i = \bar y\, \frac{e^{x_i}}{\sum_j e^{x_j}}",),
    traits="softmax",
)


def _norm_gradient(F: Any, g: Any, x: Any, y: Any, x_spec: Any, axis: Any, keepdims: bool) -> Any:
    return F.multiply(x, aligned(F, F.multiply_no_nan(F.reciprocal(y), g), x_spec, axis, keepdims))


_euclidean: Op = _reduction(
    "norm",
    doc="The Euclidean norm over axes.",
    tf_name="EuclideanNorm",
    forward=lambda xp, x, *, axis, keepdims: xp.sqrt(xp.add.reduce(xp.square(x), axis=axis, keepdims=keepdims)),
    vjp={"x": _norm_gradient},
    formula=r"y = \sqrt{\sum_i x_i^2}",
    vjp_formula=(r"\bar x_i = \bar y\, x_i / y",),
    traits="root squares",
)


def _position_rule(x: Spec, *, axis: int, output_type: Any) -> Spec:
    position = rules.axis_of(axis, len(x.shape))
    if x.shape[position] == 0:
        raise InvalidArgumentError(f"Reduction axis {position} is empty in shape {rules.shape_text(x.shape)}")
    return Spec(x.shape[:position] + x.shape[position + 1 :], np.dtype(output_type))


_INT64 = np.dtype(np.int64)
_DOUBLE = np.dtype(np.float64)
_position = partial(
    op,
    family="reduction",
    infer=_position_rule,
    traits="locates",
    types=NUMBERS | BOOL,
    samples=cases(
        (((2, 3),), {"axis": 0, "output_type": _INT64}),
        (((2, 3),), {"axis": -1, "output_type": np.dtype(np.int32)}),
        ([np.array([1, 3, 3], np.int32)], {"axis": 0, "output_type": _INT64}),
    ),
)


def _found(xp: Any, search: str, x: Any, axis: int, output_type: Any, worst: float) -> Any:
    if not x.ndim:
        raise ValueError("no axis to search along")  # arrays would not mind; the rule says what is wrong
    # A sum is nan when an element is, and sooner known than where that is. Like TensorFlow's, the search passes it by.
    if x.dtype.kind == "f" and math.isnan(xp.add.reduce(x, axis=None)):
        x = xp.where(xp.isnan(x), worst, x)
    place = getattr(x, search)(axis)
    return place if place.dtype == output_type else place.astype(output_type)


_argmax: Op = _position(
    "argmax",
    doc="The index of the largest element along an axis, the first of several.",
    tf_name="ArgMax",
    forward=lambda xp, x, *, axis, output_type: _found(xp, "argmax", x, axis, output_type, -math.inf),
    formula=r"y = \arg\max_i x_i",
    surrogate="use tf.nn.softmax, a smooth form of it, or keep argmax out of the loss",
    hints="fresh",
)

_argmin: Op = _position(
    "argmin",
    doc="The index of the smallest element along an axis, the first of several.",
    tf_name="ArgMin",
    forward=lambda xp, x, *, axis, output_type: _found(xp, "argmin", x, axis, output_type, math.inf),
    formula=r"y = \arg\min_i x_i",
    surrogate="use tf.nn.softmax of the negative, a smooth form of it, or keep argmin out of the loss",
    hints="fresh",
)


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The variance along ``axis``, the mean squared distance from the mean: one axis, several, or None for all.

    Arguments as for ``reduce_sum``, of floating-point or complex numbers; the result is real.

    Raises:
        TypeError: the elements are integers.

    >>> import tapeviz as tf
    >>> tf.math.reduce_variance([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    return _spread.run(_fractions(input_tensor), canonical_axis(axis), keepdims or False)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The standard deviation along ``axis``, the square root of the variance: one axis, several, or None for all.

    Arguments as for ``reduce_sum``, of floating-point or complex numbers; the result is real.

    Raises:
        TypeError: the elements are integers.

    >>> import tapeviz as tf
    >>> tf.math.reduce_std([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    return _deviation.run(_fractions(input_tensor), canonical_axis(axis), keepdims or False)


def _fractions(value: Any) -> Any:
    tensor = convert_to_tensor(value)
    if tensor.dtype.is_integer:
        raise TypeError(f"Input must be either real or complex. Received integer type {tensor.dtype}.")
    return tensor


def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """log(sum(exp(x))) along ``axis``, where exp alone would overflow: one axis, several, or None for all.

    Arguments as for ``reduce_sum``, of floating-point numbers. Of no elements it is -inf.

    >>> import tapeviz as tf
    >>> tf.reduce_logsumexp([1000.0, -1000.0]).numpy()
    np.float32(1000.0)
    """
    return _log_of_sum.run(input_tensor, canonical_axis(axis), keepdims or False)


def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The Euclidean norm along ``axis``, the square root of the sum of squares: one axis, several, or None for all.

    That of integers is an integer, the fraction cut off; that of complex numbers is complex.

    >>> import tapeviz as tf
    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    axes, keepdims = canonical_axis(axis), keepdims or False
    tensor = convert_to_tensor(input_tensor)
    if tensor.dtype.is_complex:
        squares = registry["multiply"].run(tensor, registry["conj"].run(tensor))
        return registry["sqrt"].run(reduce_sum(squares, axes, keepdims))
    if not tensor.dtype.is_integer:
        return _euclidean.run(tensor, axes, keepdims)
    squares = reduce_sum(registry["square"].run(tensor), axes, keepdims)
    return registry["cast"].run(registry["sqrt"].run(registry["cast"].run(squares, _DOUBLE)), tensor.dtype.numpy)


def argmax(input: Any, axis: int | None = None, output_type: Any = "int64", name: str | None = None) -> Any:
    """The index of the largest element along ``axis`` (0 when it is None), the first of several; never that of nan.

    Raises:
        InvalidArgumentError: there is no such axis, or nothing along it.

    >>> import tapeviz as tf
    >>> tf.argmax([[1.0, 4.0], [3.0, 2.0]], axis=1).numpy()
    array([1, 0])
    """
    wanted = chosen_dtype(output_type, "output_type", "int16 uint16 int32 int64", "ArgMax")
    return _argmax.run(input, 0 if axis is None else axis_number(axis), wanted)


def argmin(input: Any, axis: int | None = None, output_type: Any = "int64", name: str | None = None) -> Any:
    """The index of the smallest element along ``axis`` (0 when it is None), the first of several; never that of nan.

    Raises:
        InvalidArgumentError: there is no such axis, or nothing along it.

    >>> import tapeviz as tf
    >>> tf.argmin([[1.0, 4.0], [3.0, 2.0]], axis=1).numpy()
    array([0, 1])
    """
    wanted = chosen_dtype(output_type, "output_type", "int32 int64", "ArgMin")
    return _argmin.run(input, 0 if axis is None else axis_number(axis), wanted)
