"""Special functions: the bell curve's area and what it takes back, and integrals that have names."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.backends.libraries import library
from tapeviz.backends.numpy_kernels import error_function as on_host
from tapeviz.engine import rules
from tapeviz.engine.declaration import Op
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases, floats
from tapeviz.engine.types import FLOATS

__all__ = ["dawsn", "erf", "erfc", "erfcinv", "erfinv", "error_function", "expint", "fresnel_cos", "fresnel_sin",
           "ndtri", "special_function", "spence"]  # fmt: skip

_WIDE: Final = 4  # bytes of the smallest type that SciPy computes in


def special_function(xp: Any, name: str, *arrays: Any) -> Any:
    """SciPy's function of that name, in the dtype of what it is given."""
    dtype = arrays[0].dtype
    if dtype.itemsize < _WIDE:
        arrays = tuple(array.astype("float32") for array in arrays)
    return getattr(library(xp, "special"), name)(*arrays).astype(dtype, copy=False)


def error_function(xp: Any, x: Any) -> Any:
    """``erf`` on arrays."""
    return on_host(x) if xp is np else special_function(xp, "erf", x)


_unary = partial(op, family="elementwise", infer=rules.elementwise, types=FLOATS)
_PEAK: Final = 2.0 / math.sqrt(math.pi)


def _bell(F: Any, g: Any, x: Any) -> Any:
    """The slope of the error function times ``g``."""
    return F.multiply(F.multiply(g, _PEAK), F.exp(F.negative(F.square(x))))


erf: Op = _unary(
    "erf",
    doc="The error function, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.erf(0.0).numpy()\nnp.float32(0.0)",
    forward=error_function,
    vjp={"x": _bell},
    formula=r"y_i = \frac{2}{\sqrt\pi} \int_0^{x_i} e^{-t^2} dt",
    vjp_formula=(r"\bar x_i = \frac{2}{\sqrt\pi}\, \bar y_i\, e^{-x_i^2}",),
    samples=lambda rng: [*floats(-3.0, 3.0)(rng), *cases(([(3,)], {}), low=1.5, high=4.0)(rng)],
    traits="bipolar saturates",
)

erfc: Op = _unary(
    "erfc",
    doc="1 - erf(x), exact where that is small, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.erfc(0.0).numpy()\nnp.float32(1.0)",
    forward=lambda xp, x: special_function(xp, "erfc", x),
    vjp={"x": lambda F, g, x: F.negative(_bell(F, g, x))},
    formula=r"y_i = \frac{2}{\sqrt\pi} \int_{x_i}^\infty e^{-t^2} dt",
    vjp_formula=(r"\bar x_i = -\frac{2}{\sqrt\pi}\, \bar y_i\, e^{-x_i^2}",),
    samples=floats(-3.0, 3.0),
    traits="saturates",
)

erfinv: Op = _unary(
    "erfinv",
    doc="The inverse of erf, element by element: infinite at -1 and 1, nan beyond.",
    example=">>> import tapeviz as tf\n>>> tf.math.erfinv(0.0).numpy()\nnp.float32(0.0)",
    forward=lambda xp, x: special_function(xp, "erfinv", x),
    vjp={"x": lambda F, g, y: F.multiply(F.multiply(g, 1.0 / _PEAK), F.exp(F.square(y)))},
    formula=r"y_i = \mathrm{erf}^{-1}(x_i)",
    vjp_formula=(r"\bar x_i = \frac{\sqrt\pi}{2}\, \bar y_i\, e^{y_i^2}",),
    samples=floats(-0.9, 0.9),
    domain="-1 1",
)

ndtri: Op = _unary(
    "ndtri",
    doc="The quantile function of the standard normal distribution, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.ndtri(0.5).numpy()\nnp.float32(0.0)",
    forward=lambda xp, x: special_function(xp, "ndtri", x),
    vjp={"x": lambda F, g, y: F.multiply(F.multiply(g, math.sqrt(2.0 * math.pi)), F.exp(F.multiply(F.square(y), 0.5)))},
    formula=r"y_i = \Phi^{-1}(x_i)",
    vjp_formula=(r"\bar x_i = \sqrt{2\pi}\, \bar y_i\, e^{y_i^2 / 2}",),
    samples=floats(0.05, 0.95),
    domain="0 1",
)


def erfcinv(x: Any, name: str | None = None) -> Any:
    """The inverse of erfc, element by element: infinite at 0 and 2, nan beyond.

    >>> import tapeviz as tf
    >>> tf.math.erfcinv([0.0, 2.0]).numpy()
    array([ inf, -inf], dtype=float32)
    """
    x = public["convert_to_tensor"](x)
    return -ndtri.run(x * 0.5) * math.sqrt(0.5)


dawsn: Op = _unary(
    "dawsn",
    doc="Dawson's integral, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.dawsn(0.0).numpy()\nnp.float32(0.0)",
    forward=lambda xp, x: special_function(xp, "dawsn", x),
    vjp={"x": lambda F, g, x, y: F.multiply(g, F.subtract(1.0, F.multiply(F.multiply(x, y), 2.0)))},
    formula=r"y_i = e^{-x_i^2} \int_0^{x_i} e^{t^2} dt",
    vjp_formula=(r"\bar x_i = \bar y_i\,(1 - 2 x_i y_i)",),
    samples=floats(),
)

expint: Op = _unary(
    "expint",
    doc="The exponential integral Ei, element by element: -inf at 0.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.expint(0.0).numpy()\nnp.float32(-inf)",
    forward=lambda xp, x: special_function(xp, "expi", x),
    vjp={"x": lambda F, g, x: F.divide(F.multiply(g, F.exp(x)), x)},
    formula=r"y_i = \int_{-\infty}^{x_i} \frac{e^t}{t} dt",
    vjp_formula=(r"\bar x_i = \bar y_i\, e^{x_i} / x_i",),
    samples=floats(0.5, 2.0),
)


def _wave(F: Any, x: Any) -> Any:
    """The angle of Fresnel's integrals."""
    return F.multiply(F.square(x), math.pi / 2.0)


fresnel_cos: Op = _unary(
    "fresnel_cos",
    doc="Fresnel's cosine integral, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.fresnel_cos(0.0).numpy()\nnp.float32(0.0)",
    forward=lambda xp, x: _fresnel(xp, x)[1],
    vjp={"x": lambda F, g, x: F.multiply(g, F.cos(_wave(F, x)))},
    formula=r"y_i = \int_0^{x_i} \cos(\pi t^2 / 2)\, dt",
    vjp_formula=(r"\bar x_i = \bar y_i \cos(\pi x_i^2 / 2)",),
    samples=floats(),
)

fresnel_sin: Op = _unary(
    "fresnel_sin",
    doc="Fresnel's sine integral, element by element.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.fresnel_sin(0.0).numpy()\nnp.float32(0.0)",
    forward=lambda xp, x: _fresnel(xp, x)[0],
    vjp={"x": lambda F, g, x: F.multiply(g, F.sin(_wave(F, x)))},
    formula=r"y_i = \int_0^{x_i} \sin(\pi t^2 / 2)\, dt",
    vjp_formula=(r"\bar x_i = \bar y_i \sin(\pi x_i^2 / 2)",),
    samples=floats(),
)


def _fresnel(xp: Any, x: Any) -> tuple[Any, Any]:
    wide = x.astype("float32") if x.dtype.itemsize < _WIDE else x
    sine, cosine = library(xp, "special").fresnel(wide)
    return sine.astype(x.dtype, copy=False), cosine.astype(x.dtype, copy=False)


def _spence_slope(F: Any, x: Any) -> Any:
    """log(x) / (1 - x), which is -1 at 1."""
    at_one = F.equal(x, 1.0)
    elsewhere = F.where(at_one, 2.0, x)
    return F.where(at_one, -1.0, F.divide(F.log(elsewhere), F.subtract(1.0, elsewhere)))


spence: Op = _unary(
    "spence",
    doc="Spence's function, the dilogarithm of 1 - x, element by element: nan below 0.",
    example=">>> import tapeviz as tf\n>>> tf.math.special.spence(1.0).numpy()\nnp.float32(0.0)",
    forward=lambda xp, x: special_function(xp, "spence", x),
    vjp={"x": lambda F, g, x: F.multiply(g, _spence_slope(F, x))},
    formula=r"y_i = -\int_1^{x_i} \frac{\ln t}{t - 1} dt",
    vjp_formula=(r"\bar x_i = \bar y_i \ln x_i / (1 - x_i)",),
    samples=floats(1.5, 3.0),
    domain="0 inf",
)
