"""Arithmetic: the ops behind ``+ - * /`` and their kin."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.declaration import ufunc
from tapeviz.engine.define import op
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.operators import public
from tapeviz.engine.samples import floats, pairs
from tapeviz.engine.types import FLOATS, NUMBERS

__all__ = ["add", "divide", "multiply", "negative", "square", "subtract"]

add = op(
    "add",
    doc="x + y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.add([1, 2], 3).numpy()\narray([4, 5], dtype=int32)",
    family="elementwise",
    tf_name="AddV2",
    forward=ufunc("add", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": lambda F, g: g, "y": lambda F, g: g},
    formula=r"z_i = x_i + y_i",
    vjp_formula=(r"\bar x_i = \bar z_i", r"\bar y_i = \bar z_i"),
    samples=pairs(),
)

subtract = op(
    "subtract",
    doc="x - y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.subtract([1, 2], 3).numpy()\narray([-2, -1], dtype=int32)",
    family="elementwise",
    tf_name="Sub",
    forward=ufunc("subtract", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": lambda F, g: g, "y": lambda F, g: F.negative(g)},
    formula=r"z_i = x_i - y_i",
    vjp_formula=(r"\bar x_i = \bar z_i", r"\bar y_i = -\bar z_i"),
    samples=pairs(),
)

multiply = op(
    "multiply",
    doc="x * y, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.multiply([1, 2], 3).numpy()\narray([3, 6], dtype=int32)",
    family="elementwise",
    tf_name="Mul",
    forward=ufunc("multiply", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={"x": lambda F, g, y: F.multiply(g, y), "y": lambda F, g, x: F.multiply(g, x)},
    formula=r"z_i = x_i y_i",
    vjp_formula=(r"\bar x_i = \bar z_i\, y_i", r"\bar y_i = \bar z_i\, x_i"),
    samples=pairs(),
)

_divide = op(
    "divide",
    doc="x / y for floating-point numbers, element by element, broadcasting.",
    family="elementwise",
    tf_name="RealDiv",
    forward=ufunc("true_divide", "x y"),
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "x": lambda F, g, y: F.divide(g, y),
        "y": lambda F, g, y, z: F.negative(F.divide(F.multiply(g, z), y)),
    },
    formula=r"z_i = x_i / y_i",
    vjp_formula=(r"\bar x_i = \bar z_i / y_i", r"\bar y_i = -\bar z_i\, z_i / y_i"),
    samples=pairs(0.5, 2.0),
)


def divide(x: Any, y: Any, name: str | None = None) -> Any:  # noqa: ARG001 - TensorFlow's signature
    """x / y as Python divides: integers give float64 (float32 for 8 and 16 bits).

    Args:
        x, y: tensors of one dtype that broadcast together, or what converts to such.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: shapes do not broadcast or dtypes differ.

    >>> import tapeviz as tf
    >>> tf.divide([1, 2], 2).numpy()
    array([0.5, 1. ])
    """
    x, y = convert_inputs(_divide, (x, y))
    if x._a.dtype is y._a.dtype and x.dtype.is_integer:
        wide = "float32" if x.dtype.size <= 2 else "float64"  # noqa: PLR2004 - bytes
        x, y = public["cast"](x, wide), public["cast"](y, wide)
    return _divide.run(x, y)


public["divide"] = divide

negative = op(
    "negative",
    doc="-x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.negative([1.0, -2.0]).numpy()\narray([-1.,  2.], dtype=float32)",
    family="elementwise",
    tf_name="Neg",
    forward=ufunc("negative"),
    infer=rules.elementwise,
    types=NUMBERS,
    vjp={"x": lambda F, g: F.negative(g)},
    formula=r"y_i = -x_i",
    vjp_formula=(r"\bar x_i = -\bar y_i",),
    samples=floats(),
    silent=True,
)

square = op(
    "square",
    doc="x times itself, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.square([1.0, -2.0]).numpy()\narray([1., 4.], dtype=float32)",
    family="elementwise",
    forward=ufunc("square"),
    infer=rules.elementwise,
    types=NUMBERS,
    vjp={"x": lambda F, g, x: F.multiply(F.multiply(g, x), 2.0)},
    formula=r"y_i = x_i^2",
    vjp_formula=(r"\bar x_i = 2\,\bar y_i\, x_i",),
    samples=floats(),
)
