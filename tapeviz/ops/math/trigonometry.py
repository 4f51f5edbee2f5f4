"""Elementwise mathematics: circles and hyperbolas."""

from __future__ import annotations

from functools import partial
from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.declaration import Op, ufunc
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import and_complex, floats, pairs
from tapeviz.engine.types import FIELDS, FLOATS

__all__ = ["acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "sin", "sinh", "tan", "tanh"]

_unary = partial(op, family="elementwise", infer=rules.elementwise, types=FIELDS)

sin: Op = _unary(
    "sin",
    doc="The sine of x in radians, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.sin(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("sin"),
    vjp={"x": lambda F, g, x: F.multiply(g, F.cos(x))},
    formula=r"y_i = \sin x_i",
    vjp_formula=(r"\bar x_i = \bar y_i \cos x_i",),
    samples=and_complex(floats()),
)

cos: Op = _unary(
    "cos",
    doc="The cosine of x in radians, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.cos(0.0).numpy()\nnp.float32(1.0)",
    forward=ufunc("cos"),
    vjp={"x": lambda F, g, x: F.negative(F.multiply(g, F.sin(x)))},
    formula=r"y_i = \cos x_i",
    vjp_formula=(r"\bar x_i = -\bar y_i \sin x_i",),
    samples=and_complex(floats()),
)

tan: Op = _unary(
    "tan",
    doc="The tangent of x in radians, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.tan(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("tan"),
    vjp={"x": lambda F, g, y: F.multiply(g, F.add(F.square(y), 1.0))},
    formula=r"y_i = \tan x_i",
    vjp_formula=(r"\bar x_i = \bar y_i\,(1 + y_i^2)",),
    samples=and_complex(floats(-1.0, 1.0)),
)

asin: Op = _unary(
    "asin",
    doc="The inverse sine of x in radians, element by element: nan outside -1 to 1.",
    example=">>> import tapeviz as tf\n>>> tf.asin(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("arcsin"),
    vjp={"x": lambda F, g, x: F.multiply(g, F.rsqrt(F.subtract(1.0, F.square(x))))},
    formula=r"y_i = \arcsin x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / \sqrt{1 - x_i^2}",),
    samples=and_complex(floats(-0.8, 0.8)),
    domain="-1 1",
)

acos: Op = _unary(
    "acos",
    doc="The inverse cosine of x in radians, element by element: nan outside -1 to 1.",
    example=">>> import tapeviz as tf\n>>> tf.acos(1.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("arccos"),
    vjp={"x": lambda F, g, x: F.negative(F.multiply(g, F.rsqrt(F.subtract(1.0, F.square(x)))))},
    formula=r"y_i = \arccos x_i",
    vjp_formula=(r"\bar x_i = -\bar y_i / \sqrt{1 - x_i^2}",),
    samples=and_complex(floats(-0.8, 0.8)),
    domain="-1 1",
)

atan: Op = _unary(
    "atan",
    doc="The inverse tangent of x in radians, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.atan(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("arctan"),
    vjp={"x": lambda F, g, x: F.divide(g, F.add(F.square(x), 1.0))},
    formula=r"y_i = \arctan x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / (1 + x_i^2)",),
    samples=and_complex(floats()),
    traits="saturates",
)


def _over_square(F: Any, g: Any, x: Any, y: Any) -> Any:
    return F.divide(g, F.add(F.square(x), F.square(y)))


atan2 = op(
    "atan2",
    doc="The angle in radians of the point (x, y), element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.atan2(0.0, 1.0).numpy()\nnp.float32(0.0)",
    family="elementwise",
    forward=ufunc("arctan2", "y x"),
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "y": lambda F, g, y, x: F.multiply(_over_square(F, g, x, y), x),
        "x": lambda F, g, y, x: F.negative(F.multiply(_over_square(F, g, x, y), y)),
    },
    formula=r"z_i = \arctan(y_i / x_i)",
    vjp_formula=(r"\bar y_i = \bar z_i\, x_i / (x_i^2 + y_i^2)", r"\bar x_i = -\bar z_i\, y_i / (x_i^2 + y_i^2)"),
    samples=pairs(0.5, 2.0),
)

sinh: Op = _unary(
    "sinh",
    doc="The hyperbolic sine of x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.sinh(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("sinh"),
    vjp={"x": lambda F, g, x: F.multiply(g, F.cosh(x))},
    formula=r"y_i = \sinh x_i",
    vjp_formula=(r"\bar x_i = \bar y_i \cosh x_i",),
    samples=and_complex(floats()),
    traits="grows_exponentially",
)

cosh: Op = _unary(
    "cosh",
    doc="The hyperbolic cosine of x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.cosh(0.0).numpy()\nnp.float32(1.0)",
    forward=ufunc("cosh"),
    vjp={"x": lambda F, g, x: F.multiply(g, F.sinh(x))},
    formula=r"y_i = \cosh x_i",
    vjp_formula=(r"\bar x_i = \bar y_i \sinh x_i",),
    samples=and_complex(floats()),
    traits="grows_exponentially",
)

tanh: Op = _unary(
    "tanh",
    doc="The hyperbolic tangent of x, between -1 and 1, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.tanh(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("tanh"),
    vjp={"x": lambda F, g, y: F.multiply(g, F.subtract(1.0, F.square(y)))},
    formula=r"y_i = \tanh x_i",
    vjp_formula=(r"\bar x_i = \bar y_i\,(1 - y_i^2)",),
    samples=and_complex(floats()),
    traits="bipolar saturates",
)

asinh: Op = _unary(
    "asinh",
    doc="The inverse hyperbolic sine of x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.asinh(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("arcsinh"),
    vjp={"x": lambda F, g, y: F.divide(g, F.cosh(y))},
    formula=r"y_i = \mathrm{arsinh}\, x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / \cosh y_i",),
    samples=and_complex(floats()),
)

acosh: Op = _unary(
    "acosh",
    doc="The inverse hyperbolic cosine of x, element by element: nan below 1.",
    example=">>> import tapeviz as tf\n>>> tf.acosh(1.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("arccosh"),
    vjp={"x": lambda F, g, y: F.divide(g, F.sinh(y))},
    formula=r"y_i = \mathrm{arcosh}\, x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / \sinh y_i",),
    samples=and_complex(floats(1.5, 3.0)),
    domain="1 inf",
)

atanh: Op = _unary(
    "atanh",
    doc="The inverse hyperbolic tangent of x, element by element: infinite at -1 and 1, nan beyond.",
    example=">>> import tapeviz as tf\n>>> tf.atanh(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("arctanh"),
    vjp={"x": lambda F, g, x: F.divide(g, F.subtract(1.0, F.square(x)))},
    formula=r"y_i = \mathrm{artanh}\, x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / (1 - x_i^2)",),
    samples=and_complex(floats(-0.8, 0.8)),
    domain="-1 1",
)
