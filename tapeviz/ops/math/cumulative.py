"""Running sums, products and sums of exponentials along an axis."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import COMPLEXES, FLOATS, NUMBERS
from tapeviz.ops.arguments import axis_number

__all__ = ["cumprod", "cumsum", "cumulative_logsumexp"]


def _scan(xp: Any, combine: Any, x: Any, axis: int, exclusive: bool, reverse: bool, first: float) -> Any:
    if reverse:
        x = xp.flip(x, axis)
    y = combine.accumulate(x, axis=axis, dtype=x.dtype)
    if exclusive and x.shape[axis]:
        before = (slice(None),) * (axis % x.ndim)
        start = xp.full(x[(*before, slice(0, 1))].shape, first, x.dtype)
        y = xp.concatenate([start, y[(*before, slice(0, -1))]], axis=axis)
    return xp.flip(y, axis) if reverse else y


def _scan_rule(x: Spec, *, axis: int, exclusive: bool = False, reverse: bool = False) -> Spec:
    rules.axis_of(axis, len(x.shape), "ScanOp: Expected scan axis")
    return x


_REVERSED = ({"reverse": False}, {"reverse": True})
_SAMPLES = cases(
    *((((2, 3),), {"axis": 1, "exclusive": False, **reverse}) for reverse in _REVERSED),
    *((((5, 1),), {"axis": 0, "exclusive": False, **reverse}) for reverse in _REVERSED),
    (((3,),), {"axis": -1, "exclusive": False, "reverse": False}),
    (((0, 2),), {"axis": 0, "exclusive": True, "reverse": False}),
    low=0.5,
)
_EXCLUSIVE = cases(
    *((((2, 3),), {"axis": 1, "exclusive": True, **reverse}) for reverse in _REVERSED),
    (((5, 1),), {"axis": 0, "exclusive": True, "reverse": False}),
    low=0.5,
)
_running = partial(op, family="reduction", infer=_scan_rule)

_cumsum: Op = _running(
    "cumsum",
    doc="Cumulative sums along an axis.",
    forward=lambda xp, x, *, axis, exclusive, reverse: _scan(xp, xp.add, x, axis, exclusive, reverse, 0),
    types=NUMBERS | COMPLEXES,
    vjp={"x": lambda F, g, axis, exclusive, reverse: F.cumsum(g, axis=axis, exclusive=exclusive, reverse=not reverse)},
    formula=r"y_i = \sum_{k \le i} x_k",
    vjp_formula=(r"\bar x_i = \sum_{k \ge i} \bar y_k",),
    samples=lambda rng: [*_SAMPLES(rng), *_EXCLUSIVE(rng)],
    traits="sum",
    hints="fresh",
)


def _cumprod_gradient(F: Any, g: Any, x: Any, y: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    sums = F.cumsum(F.multiply(y, g), axis=axis, exclusive=exclusive, reverse=not reverse)
    return F.divide_no_nan(sums, x)


_cumprod: Op = _running(
    "cumprod",
    doc="Cumulative products along an axis.",
    forward=lambda xp, x, *, axis, exclusive, reverse: _scan(xp, xp.multiply, x, axis, exclusive, reverse, 1),
    types=NUMBERS | COMPLEXES,
    vjp={"x": _cumprod_gradient},
    formula=r"y_i = \prod_{k \le i} x_k",
    vjp_formula=(r"\bar x_i = \frac{1}{x_i} \sum_{k \ge i} \bar y_k\, y_k",),
    samples=lambda rng: [*_SAMPLES(rng), *_EXCLUSIVE(rng)],
    traits="factors",
    hints="fresh",
)


def _shifted(F: Any, value: Any, axis: int, rank: int, by: int) -> tuple[Any, Any]:
    """What is ``by`` places further along the axis, and what stands before it."""
    whole = (slice(None),) * (axis % rank)
    return F.strided_slice(value, key=(*whole, slice(by, None, None))), F.strided_slice(
        value, key=(*whole, slice(None, -by, None))
    )


def _padded(F: Any, value: Any, axis: int, x_spec: Spec, by: int) -> Any:
    """With ``by`` zeros after the end of the axis."""
    shape = tuple(by if at == axis % len(x_spec.shape) else size for at, size in enumerate(x_spec.shape))
    return F.concat(value, F.zeros(shape=shape, dtype=x_spec.dtype), axis=axis)


def _log_gradient(F: Any, g: Any, x: Any, y: Any, x_spec: Any, axis: int, exclusive: bool, reverse: bool) -> Any:
    r"""The sum of ``g[k] exp(x[i] - y[k])`` over all k from i on, in which no exponential can overflow.

    ``r[i] = sum of g[k] exp(y[i] - y[k])``, over a stretch that doubles: 1, 2, 4, ... places.
    """
    size, rank = x_spec.shape[axis], len(x_spec.shape)
    if reverse:
        x, y, g = (F.reverse(value, axis=(axis % rank,)) for value in (x, y, g))
    if exclusive and size:
        (y, _), (g, _), (_, x) = (_shifted(F, value, axis, rank, 1) for value in (y, g, x))
    stretch, sums = 1, g
    while stretch < size - exclusive:
        after, _ = _shifted(F, sums, axis, rank, stretch)
        later, sooner = _shifted(F, y, axis, rank, stretch)
        further = F.multiply(F.exp(F.subtract(sooner, later)), after)
        sums = F.add(sums, _padded(F, further, axis, x_spec, stretch))
        stretch *= 2
    found = F.multiply(F.exp(F.subtract(x, y)), sums)
    if exclusive and size:
        found = _padded(F, found, axis, x_spec, 1)
    return F.reverse(found, axis=(axis % rank,)) if reverse else found


_log_sums: Op = _running(
    "cumulative_logsumexp",
    doc="Cumulative logarithms of sums of exponentials along an axis, without overflow.",
    forward=lambda xp, x, *, axis, exclusive, reverse: _scan(xp, xp.logaddexp, x, axis, exclusive, reverse, -np.inf),
    types=FLOATS,
    vjp={"x": _log_gradient},
    formula=r"y_i = \ln \sum_{k \le i} e^{x_k}",
    vjp_formula=(r"\bar x_i = \sum_{k \ge i} \bar y_k\, e^{x_i - y_k}",),
    samples=_SAMPLES,  # exclusive ones begin with -inf, which has no slope
    traits="sized_gradient",
)


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """Cumulative sums along ``axis``: up to and with each element.

    Args:
        x: numbers, of one axis or more.
        axis: the axis to run along.
        exclusive: leave out the element itself.
        reverse: begin at the end.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis, or the elements are not numbers.

    >>> import tapeviz as tf
    >>> tf.cumsum([1, 2, 3]).numpy()
    array([1, 3, 6], dtype=int32)
    """
    return _cumsum.run(x, axis if axis.__class__ is int else axis_number(axis), exclusive, reverse)


def cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Any:
    """Cumulative products along ``axis``. Arguments and errors as for ``cumsum``.

    As in TensorFlow the gradient divides by the elements, so that it is 0 where one of them is.

    >>> import tapeviz as tf
    >>> tf.math.cumprod([1, 2, 3]).numpy()
    array([1, 2, 6], dtype=int32)
    """
    return _cumprod.run(x, axis if axis.__class__ is int else axis_number(axis), exclusive, reverse)


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    """Cumulative log(sum(exp(x))) along ``axis``, without overflow. Arguments and errors as for ``cumsum``.

    >>> import tapeviz as tf
    >>> tf.math.cumulative_logsumexp([0.0, 1000.0, 10.0]).numpy()
    array([   0., 1000., 1000.], dtype=float32)
    """
    return _log_sums.run(x, axis if axis.__class__ is int else axis_number(axis), exclusive, reverse)
