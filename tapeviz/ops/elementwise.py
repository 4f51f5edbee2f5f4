"""Elementwise mathematics: powers, exponentials and logarithms."""

from __future__ import annotations

from functools import partial

from tapeviz.engine import rules
from tapeviz.engine.declaration import ufunc
from tapeviz.engine.define import op
from tapeviz.engine.samples import floats, pairs
from tapeviz.engine.types import FLOATS, NUMBERS

__all__ = ["exp", "expm1", "log", "log1p", "log_sigmoid", "pow", "reciprocal", "rsqrt", "sigmoid", "softplus", "sqrt",
           "square"]  # fmt: skip

_unary = partial(op, family="elementwise", infer=rules.elementwise, types=FLOATS)

exp = _unary(
    "exp",
    doc="e to the power of x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.exp(0.0).numpy()\nnp.float32(1.0)",
    forward=ufunc("exp"),
    vjp={"x": lambda F, g, y: F.multiply(g, y)},
    formula=r"y_i = e^{x_i}",
    vjp_formula=(r"\bar x_i = \bar y_i\, y_i",),
    samples=floats(),
)

expm1 = _unary(
    "expm1",
    doc="e to the power of x, minus 1, exact near 0, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.expm1(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("expm1"),
    vjp={"x": lambda F, g, y: F.multiply(g, F.add(y, 1.0))},
    formula=r"y_i = e^{x_i} - 1",
    vjp_formula=(r"\bar x_i = \bar y_i\,(y_i + 1)",),
    samples=floats(),
)

log = _unary(
    "log",
    doc="The natural logarithm of x, element by element: -inf at 0, nan below.",
    example=">>> import tapeviz as tf\n>>> tf.math.log(1.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("log"),
    vjp={"x": lambda F, g, x: F.divide(g, x)},
    formula=r"y_i = \ln x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / x_i",),
    samples=floats(0.5, 3.0),
)

log1p = _unary(
    "log1p",
    doc="The natural logarithm of 1 + x, exact near 0, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.log1p(0.0).numpy()\nnp.float32(0.0)",
    forward=ufunc("log1p"),
    vjp={"x": lambda F, g, x: F.divide(g, F.add(x, 1.0))},
    formula=r"y_i = \ln(1 + x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i / (1 + x_i)",),
    samples=floats(-0.5, 2.0),
)

sigmoid = _unary(
    "sigmoid",
    doc="1 / (1 + exp(-x)), between 0 and 1, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.sigmoid(0.0).numpy()\nnp.float32(0.5)",
    forward=lambda xp, x: xp.reciprocal(xp.add(xp.exp(xp.negative(x)), 1.0)),
    vjp={"x": lambda F, g, y: F.multiply(g, F.multiply(y, F.subtract(1.0, y)))},
    formula=r"y_i = \frac{1}{1 + e^{-x_i}}",
    vjp_formula=(r"\bar x_i = \bar y_i\, y_i (1 - y_i)",),
    samples=floats(),
)

softplus = _unary(
    "softplus",
    doc="log(1 + exp(x)), a smooth relu, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.softplus(0.0).numpy()\nnp.float32(0.6931472)",
    forward=lambda xp, x: xp.logaddexp(x, xp.zeros((), x.dtype)),
    vjp={"x": lambda F, g, x: F.multiply(g, F.sigmoid(x))},
    formula=r"y_i = \ln(1 + e^{x_i})",
    vjp_formula=(r"\bar x_i = \bar y_i\, \sigma(x_i)",),
    samples=floats(),
)

log_sigmoid = _unary(
    "log_sigmoid",
    doc="The logarithm of the sigmoid of x, without its rounding to log(0), element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.log_sigmoid(0.0).numpy()\nnp.float32(-0.6931472)",
    forward=lambda xp, x: xp.negative(xp.logaddexp(xp.negative(x), xp.zeros((), x.dtype))),
    vjp={"x": lambda F, g, x: F.multiply(g, F.sigmoid(F.negative(x)))},
    formula=r"y_i = -\ln(1 + e^{-x_i})",
    vjp_formula=(r"\bar x_i = \bar y_i\, \sigma(-x_i)",),
    samples=floats(),
)

sqrt = _unary(
    "sqrt",
    doc="The square root of x, element by element: nan below 0.",
    example=">>> import tapeviz as tf\n>>> tf.sqrt(4.0).numpy()\nnp.float32(2.0)",
    forward=ufunc("sqrt"),
    vjp={"x": lambda F, g, y: F.divide(F.multiply(g, 0.5), y)},
    formula=r"y_i = \sqrt{x_i}",
    vjp_formula=(r"\bar x_i = \bar y_i / (2 y_i)",),
    samples=floats(0.5, 3.0),
)

rsqrt = _unary(
    "rsqrt",
    doc="1 / sqrt(x), element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.rsqrt(4.0).numpy()\nnp.float32(0.5)",
    forward=lambda xp, x: xp.reciprocal(xp.sqrt(x)),
    vjp={"x": lambda F, g, y: F.multiply(F.multiply(g, -0.5), F.multiply(F.square(y), y))},
    formula=r"y_i = 1 / \sqrt{x_i}",
    vjp_formula=(r"\bar x_i = -\tfrac{1}{2}\, \bar y_i\, y_i^3",),
    samples=floats(0.5, 3.0),
)

reciprocal = _unary(
    "reciprocal",
    doc="1 / x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.reciprocal(4.0).numpy()\nnp.float32(0.25)",
    forward=ufunc("reciprocal"),
    vjp={"x": lambda F, g, y: F.negative(F.multiply(g, F.square(y)))},
    formula=r"y_i = 1 / x_i",
    vjp_formula=(r"\bar x_i = -\bar y_i\, y_i^2",),
    samples=floats(0.5, 3.0),
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

pow = op(
    "pow",
    doc="x to the power of y, element by element, broadcasting. Integers take no negative powers.",
    example=">>> import tapeviz as tf\n>>> tf.pow([2.0, 3.0], 2.0).numpy()\narray([4., 9.], dtype=float32)",
    family="elementwise",
    forward=ufunc("power", "x y"),
    infer=rules.broadcast,
    types=NUMBERS,
    vjp={
        "x": lambda F, g, x, y: F.multiply(F.multiply(g, y), F.pow(x, F.subtract(y, 1.0))),
        # The logarithm counts as 0 where x is not positive; its argument is replaced, so that no nan comes back.
        "y": lambda F, g, x, z: F.multiply(F.multiply(g, z), F.log(F.where(F.greater(x, 0.0), x, 1.0))),
    },
    formula=r"z_i = x_i^{y_i}",
    vjp_formula=(r"\bar x_i = \bar z_i\, y_i\, x_i^{y_i - 1}", r"\bar y_i = \bar z_i\, z_i \ln x_i"),
    samples=pairs(0.5, 2.0),
)
