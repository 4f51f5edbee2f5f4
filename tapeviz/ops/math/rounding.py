"""Rounding, clipping, and questions about single numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, Spec, ufunc
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases, floats, pairs
from tapeviz.engine.types import FLOATS, NUMBERS
from tapeviz.ops import static_shape_rules

__all__ = ["ceil", "clip_by_value", "floor", "is_finite", "is_inf", "is_nan", "nextafter", "rint", "round"]

_unary = partial(op, family="elementwise", types=FLOATS)

floor: Op = _unary(
    "floor",
    doc="The largest whole number that is not above x, element by element. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.floor(-1.5).numpy()\nnp.float32(-2.0)",
    forward=ufunc("floor"),
    infer=rules.elementwise,
    formula=r"y_i = \lfloor x_i \rfloor",
    samples=floats(),
    traits="exact",
    surrogate="round only what is reported, not what goes into the loss",
)

ceil: Op = _unary(
    "ceil",
    doc="The smallest whole number that is not below x, element by element. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.math.ceil(-1.5).numpy()\nnp.float32(-1.0)",
    forward=ufunc("ceil"),
    infer=rules.elementwise,
    formula=r"y_i = \lceil x_i \rceil",
    samples=floats(),
    traits="exact",
    surrogate="round only what is reported, not what goes into the loss",
)

round = op(
    "round",
    doc="The nearest whole number, the even one of two equally near, element by element. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.round([0.5, 1.5]).numpy()\narray([0., 2.], dtype=float32)",
    family="elementwise",
    types=NUMBERS,
    forward=lambda xp, x: xp.rint(x) if x.dtype.kind == "f" else x,
    infer=rules.elementwise,
    formula=r"y_i = \mathrm{round}(x_i)",
    samples=floats(),
    surrogate="round only what is reported, not what goes into the loss",
)

rint: Op = _unary(
    "rint",
    doc="The nearest whole number, the even one of two equally near, of floating-point numbers. No gradient.",
    example=">>> import tapeviz as tf\n>>> tf.math.rint([0.5, 1.5]).numpy()\narray([0., 2.], dtype=float32)",
    forward=ufunc("rint"),
    infer=rules.elementwise,
    formula=r"y_i = \mathrm{round}(x_i)",
    samples=floats(),
    traits="exact",
    surrogate="round only what is reported, not what goes into the loss",
)

nextafter = op(
    "nextafter",
    doc="The number next to x1 that its dtype has on the way to x2, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.nextafter(1.0, 2.0).numpy()\nnp.float32(1.0000001)",
    family="elementwise",
    tf_name="NextAfter",
    forward=ufunc("nextafter", "x1 x2"),
    infer=rules.broadcast,
    types=frozenset(map(np.dtype, ("float32", "float64"))),
    vjp={"x1": lambda F, g: g, "x2": lambda F, g: F.zeros_like(g)},
    formula=r"y_i = x_i + \epsilon",
    vjp_formula=(r"\bar x_i = \bar y_i", r"\bar x'_i = 0"),
    samples=pairs(),
)

is_nan: Op = _unary(
    "is_nan",
    doc="Whether x is not a number, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.is_nan([1.0, float('nan')]).numpy()\narray([False,  True])",
    forward=ufunc("isnan"),
    infer=rules.predicate,
    formula=r"y_i = [x_i \ne x_i]",
    samples=cases(([np.array([1.0, np.nan, np.inf, -np.inf])], {}), ([()], {})),
)

is_inf: Op = _unary(
    "is_inf",
    doc="Whether x is infinite, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.is_inf([1.0, float('inf')]).numpy()\narray([False,  True])",
    forward=ufunc("isinf"),
    infer=rules.predicate,
    formula=r"y_i = [|x_i| = \infty]",
    samples=cases(([np.array([1.0, np.nan, np.inf, -np.inf])], {}), ([()], {})),
)

is_finite: Op = _unary(
    "is_finite",
    doc="Whether x is a finite number, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.is_finite([1.0, float('inf')]).numpy()\narray([ True, False])",
    forward=ufunc("isfinite"),
    infer=rules.predicate,
    formula=r"y_i = [|x_i| < \infty]",
    samples=cases(([np.array([1.0, np.nan, np.inf, -np.inf])], {}), ([()], {})),
)


def _clip(xp: Any, x: Any, low: Any, high: Any) -> Any:
    clipped = xp.maximum(xp.minimum(x, high), low)
    if clipped.shape != x.shape:
        raise ValueError("limits would broadcast")
    return clipped


def _clip_rule(x: Spec, low: Spec, high: Spec) -> Spec:
    whole = rules.broadcast_shapes(x.shape, low.shape, high.shape)
    if whole != x.shape:
        raise InvalidArgumentError(f"Shapes {x.shape} and {whole} are incompatible: limits broadcast to what they clip")
    return x


_clip_rule.broadcasts = True  # type: ignore[attr-defined]


def _inside(F: Any, x: Any, low: Any, high: Any) -> Any:
    return F.logical_and(F.less_equal(x, high), F.greater_equal(x, low))


_clip_by_value = op(
    "clip_by_value",
    doc="x, no smaller than low and no larger than high, element by element.",
    family="elementwise",
    tf_name="ClipByValue",
    forward=_clip,
    infer=_clip_rule,
    static=static_shape_rules.clip_by_value,
    types={"x": NUMBERS, "low": "x", "high": "x"},
    vjp={
        "x": lambda F, g, x, low, high: F.where(_inside(F, x, low, high), g, 0.0),
        "low": lambda F, g, x, low, high: F.where(F.less(F.minimum(x, high), low), g, 0.0),
        "high": lambda F, g, x, low, high: F.where(
            F.logical_and(F.greater(x, high), F.greater_equal(high, low)), g, 0.0
        ),
    },
    formula=r"y_i = \max(\min(x_i, h), l)",
    vjp_formula=(
        r"\bar x_i = \bar y_i\,[l \le x_i \le h]",
        r"\bar l = \sum_i \bar y_i\,[\min(x_i, h) < l]",
        r"\bar h = \sum_i \bar y_i\,[x_i > h \ge l]",
    ),
    samples=cases(
        ([np.array([-1.5, -0.5, 0.25, 1.5]), np.array(-1.0), np.array(1.0)], {}),
        ([np.array([[-1.5, 0.5], [0.25, 1.5]]), np.array([-1.0, 0.75]), np.array([1.0, 1.25])], {}),
    ),
    traits="flat moves",
)


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """``t`` with smaller elements raised to ``clip_value_min`` and larger ones lowered to ``clip_value_max``.

    Args:
        t: numbers of any shape.
        clip_value_min: a limit of the dtype of ``t`` that broadcasts to its shape.
        clip_value_max: the other limit, likewise.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the limits do not broadcast to the shape of ``t``.

    >>> import tapeviz as tf
    >>> tf.clip_by_value([-2.0, 0.5, 3.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    return _clip_by_value.run(t, clip_value_min, clip_value_max)
