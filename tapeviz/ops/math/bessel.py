"""Bessel functions of the orders 0 and 1."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import floats
from tapeviz.engine.types import FLOATS
from tapeviz.ops.math.special import special_function

__all__ = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e",
           "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1"]  # fmt: skip


def _declare(name: str, **fields: Any) -> Any:
    """An op that SciPy computes under the same name without ``bessel_``; those from 0 up are at 0 for what is below."""
    scipy = name.removeprefix("bessel_")

    def everywhere(xp: Any, x: Any) -> Any:
        return special_function(xp, scipy, x)

    def from_0(xp: Any, x: Any) -> Any:
        return special_function(xp, scipy, xp.maximum(x, xp.zeros((), x.dtype)))

    forward = from_0 if scipy[0] in "ky" else everywhere
    return op(name, family="elementwise", forward=forward, infer=rules.elementwise, types=FLOATS, **fields)


def _ratio(F: Any, y: Any, x: Any) -> Any:
    """Divide y by x for a y that is about x / 2 around 0."""
    zero = F.equal(x, 0.0)
    return F.where(zero, 0.5, F.divide(y, F.where(zero, 1.0, x)))


bessel_i0 = _declare(
    "bessel_i0",
    doc="The modified Bessel function of the first kind, order 0, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.bessel_i0(0.0).numpy()\nnp.float32(1.0)",
    vjp={"x": lambda F, g, x: F.multiply(g, F.bessel_i1(x))},
    formula=r"y_i = I_0(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, I_1(x_i)",),
    samples=floats(),
    traits="grows_exponentially",
)

bessel_i0e = _declare(
    "bessel_i0e",
    doc="bessel_i0 times exp(-|x|), which stays small, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.bessel_i0e(0.0).numpy()\nnp.float32(1.0)",
    vjp={"x": lambda F, g, x, y: F.multiply(g, F.subtract(F.bessel_i1e(x), F.multiply(F.sign(x), y)))},
    formula=r"y_i = e^{-|x_i|} I_0(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, (e^{-|x_i|} I_1(x_i) - \mathrm{sign}(x_i)\, y_i)",),
    samples=floats(0.5, 2.0),
)

bessel_i1 = _declare(
    "bessel_i1",
    doc="The modified Bessel function of the first kind, order 1, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.bessel_i1(0.0).numpy()\nnp.float32(0.0)",
    vjp={"x": lambda F, g, x, y: F.multiply(g, F.subtract(F.bessel_i0(x), _ratio(F, y, x)))},
    formula=r"y_i = I_1(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, (I_0(x_i) - y_i / x_i)",),
    samples=floats(0.5, 2.0),
    traits="grows_exponentially",
)

bessel_i1e = _declare(
    "bessel_i1e",
    doc="bessel_i1 times exp(-|x|), which stays small, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.bessel_i1e(0.0).numpy()\nnp.float32(0.0)",
    vjp={
        "x": lambda F, g, x, y: F.multiply(
            g, F.subtract(F.subtract(F.bessel_i0e(x), F.multiply(F.sign(x), y)), _ratio(F, y, x))
        )
    },
    formula=r"y_i = e^{-|x_i|} I_1(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, (e^{-|x_i|} I_0(x_i) - y_i\,(\mathrm{sign}(x_i) + 1 / x_i))",),
    samples=floats(0.5, 2.0),
)

bessel_j0 = _declare(
    "bessel_j0",
    doc="The Bessel function of the first kind, order 0, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_j0(0.0).numpy()\nnp.float32(1.0)",
    vjp={"x": lambda F, g, x: F.negative(F.multiply(g, F.bessel_j1(x)))},
    formula=r"y_i = J_0(x_i)",
    vjp_formula=(r"\bar x_i = -\bar y_i\, J_1(x_i)",),
    samples=floats(),
)

bessel_j1 = _declare(
    "bessel_j1",
    doc="The Bessel function of the first kind, order 1, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_j1(0.0).numpy()\nnp.float32(0.0)",
    vjp={"x": lambda F, g, x, y: F.multiply(g, F.subtract(F.bessel_j0(x), _ratio(F, y, x)))},
    formula=r"y_i = J_1(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, (J_0(x_i) - y_i / x_i)",),
    samples=floats(0.5, 2.0),
)

bessel_k0 = _declare(
    "bessel_k0",
    doc="The modified Bessel function of the second kind, order 0, element by element: inf at 0 and below.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_k0(0.0).numpy()\nnp.float32(inf)",
    vjp={"x": lambda F, g, x: F.negative(F.multiply(g, F.bessel_k1(x)))},
    formula=r"y_i = K_0(x_i)",
    vjp_formula=(r"\bar x_i = -\bar y_i\, K_1(x_i)",),
    samples=floats(0.5, 2.0),
)

bessel_k0e = _declare(
    "bessel_k0e",
    doc="bessel_k0 times exp(x), which stays large enough, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_k0e(0.0).numpy()\nnp.float32(inf)",
    vjp={"x": lambda F, g, x, y: F.multiply(g, F.subtract(y, F.bessel_k1e(x)))},
    formula=r"y_i = e^{x_i} K_0(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, (y_i - e^{x_i} K_1(x_i))",),
    samples=floats(0.5, 2.0),
)

bessel_k1 = _declare(
    "bessel_k1",
    doc="The modified Bessel function of the second kind, order 1, element by element: inf at 0 and below.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_k1(0.0).numpy()\nnp.float32(inf)",
    vjp={"x": lambda F, g, x, y: F.negative(F.multiply(g, F.add(F.bessel_k0(x), F.divide(y, x))))},
    formula=r"y_i = K_1(x_i)",
    vjp_formula=(r"\bar x_i = -\bar y_i\, (K_0(x_i) + y_i / x_i)",),
    samples=floats(0.5, 2.0),
)

bessel_k1e = _declare(
    "bessel_k1e",
    doc="bessel_k1 times exp(x), which stays large enough, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_k1e(0.0).numpy()\nnp.float32(inf)",
    vjp={
        "x": lambda F, g, x, y: F.multiply(
            g, F.subtract(F.multiply(y, F.subtract(1.0, F.reciprocal(x))), F.bessel_k0e(x))
        )
    },
    formula=r"y_i = e^{x_i} K_1(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, (y_i - y_i / x_i - e^{x_i} K_0(x_i))",),
    samples=floats(0.5, 2.0),
)

bessel_y0 = _declare(
    "bessel_y0",
    doc="The Bessel function of the second kind, order 0, element by element: -inf at 0 and below.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_y0(0.0).numpy()\nnp.float32(-inf)",
    vjp={"x": lambda F, g, x: F.negative(F.multiply(g, F.bessel_y1(x)))},
    formula=r"y_i = Y_0(x_i)",
    vjp_formula=(r"\bar x_i = -\bar y_i\, Y_1(x_i)",),
    samples=floats(0.5, 2.0),
)

bessel_y1 = _declare(
    "bessel_y1",
    doc="The Bessel function of the second kind, order 1, element by element: -inf at 0 and below.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.bessel_y1(0.0).numpy()\nnp.float32(-inf)",
    vjp={"x": lambda F, g, x, y: F.multiply(g, F.subtract(F.bessel_y0(x), F.divide(y, x)))},
    formula=r"y_i = Y_1(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, (Y_0(x_i) - y_i / x_i)",),
    samples=floats(0.5, 2.0),
)
