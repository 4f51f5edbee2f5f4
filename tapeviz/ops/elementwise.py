"""Elementwise mathematics: powers, exponentials, trigonometry, rounding."""

from __future__ import annotations

from tapeviz.engine import rules
from tapeviz.engine.declaration import ufunc
from tapeviz.engine.define import op
from tapeviz.engine.samples import floats
from tapeviz.engine.types import FLOATS

__all__ = ["exp", "log", "tanh"]

exp = op(
    "exp",
    doc="e to the power of x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.exp(0.0).numpy()\nnp.float32(1.0)",
    family="elementwise",
    forward=ufunc("exp"),
    infer=rules.elementwise,
    types=FLOATS,
    vjp={"x": lambda F, g, y: F.multiply(g, y)},
    formula=r"y_i = e^{x_i}",
    vjp_formula=(r"\bar x_i = \bar y_i\, y_i",),
    samples=floats(),
)

log = op(
    "log",
    doc="The natural logarithm of x, element by element: -inf at 0, nan below.",
    example=">>> import tapeviz as tf\n>>> tf.math.log(1.0).numpy()\nnp.float32(0.0)",
    family="elementwise",
    forward=ufunc("log"),
    infer=rules.elementwise,
    types=FLOATS,
    vjp={"x": lambda F, g, x: F.divide(g, x)},
    formula=r"y_i = \ln x_i",
    vjp_formula=(r"\bar x_i = \bar y_i / x_i",),
    samples=floats(0.5, 3.0),
)

tanh = op(
    "tanh",
    doc="The hyperbolic tangent of x, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.tanh(0.0).numpy()\nnp.float32(0.0)",
    family="elementwise",
    forward=ufunc("tanh"),
    infer=rules.elementwise,
    types=FLOATS,
    vjp={"x": lambda F, g, y: F.multiply(g, F.subtract(1.0, F.square(y)))},
    formula=r"y_i = \tanh x_i",
    vjp_formula=(r"\bar x_i = \bar y_i\,(1 - y_i^2)",),
    samples=floats(),
)
