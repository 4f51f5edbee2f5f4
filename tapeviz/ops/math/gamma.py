"""The gamma function's family, and the beta function's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Op, registry
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases, floats, pairs
from tapeviz.engine.types import FLOATS
from tapeviz.ops.math.special import special_function

__all__ = ["digamma", "lbeta", "lgamma", "polygamma", "zeta"]

_unary = partial(op, family="elementwise", infer=rules.elementwise, types=FLOATS)

lgamma: Op = _unary(
    "lgamma",
    doc="The logarithm of the absolute value of the gamma function, element by element: inf at 0, -1, -2, ...",
    example=">>> import tapeviz as tf\n>>> tf.math.lgamma([1.0, 3.0]).numpy()\n"
    "array([0.       , 0.6931472], dtype=float32)",
    forward=lambda xp, x: special_function(xp, "gammaln", xp.where(xp.isinf(x), xp.absolute(x), x)),
    vjp={"x": lambda F, g, x: F.multiply(g, F.digamma(x))},
    formula=r"y_i = \ln |\Gamma(x_i)|",
    vjp_formula=(r"\bar x_i = \bar y_i\, \psi(x_i)",),
    samples=floats(0.5, 4.0),
)


def _digamma(xp: Any, x: Any) -> Any:
    """SciPy gives 0 the value of its right side; TensorFlow gives it none."""
    return special_function(xp, "psi", xp.where(xp.equal(x, 0), xp.asarray(np.nan, dtype=x.dtype), x))


digamma: Op = _unary(
    "digamma",
    doc="The derivative of lgamma, element by element: nan at 0, -1, -2, ...",
    example=">>> import tapeviz as tf\n>>> tf.math.digamma(1.0).numpy()\nnp.float32(-0.5772157)",
    forward=_digamma,
    vjp={"x": lambda F, g, x: F.multiply(g, F.polygamma(F.ones_like(x), x))},
    formula=r"y_i = \psi(x_i) = \Gamma'(x_i) / \Gamma(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, \psi^{(1)}(x_i)",),
    samples=floats(0.5, 4.0),
)


def _zeta(xp: Any, x: Any, q: Any) -> Any:
    """At the poles, where q is 0, -1, -2, ..., odd powers come from both sides: there is no value."""
    pole = xp.logical_and(xp.less_equal(q, 0), xp.equal(q, xp.floor(q)))
    even = xp.logical_or(xp.equal(xp.remainder(x, 2), 0), xp.isinf(x))
    nowhere = xp.logical_and(pole, xp.logical_not(xp.logical_or(even, xp.equal(x, 1))))
    return xp.where(nowhere, xp.asarray(np.nan, dtype=x.dtype), special_function(xp, "zeta", x, q))


zeta = op(
    "zeta",
    doc="Hurwitz's zeta function, element by element, broadcasting: inf where x is 1, nan below.",
    example=">>> import tapeviz as tf\n>>> tf.math.zeta(2.0, 1.0).numpy()\nnp.float32(1.644934)",
    family="elementwise",
    forward=_zeta,
    infer=rules.broadcast,
    types=FLOATS,
    vjp={"q": lambda F, g, x, q: F.negative(F.multiply(F.multiply(g, x), F.zeta(F.add(x, 1.0), q)))},
    formula=r"y_i = \sum_{n=0}^\infty (q_i + n)^{-x_i}",
    vjp_formula=(r"\bar q_i = -\bar y_i\, x_i\, \zeta(x_i + 1, q_i)",),
    samples=pairs(1.5, 4.0),
)


def _polygamma(xp: Any, a: Any, x: Any) -> Any:
    order = xp.add(a, 1)
    sign = xp.subtract(xp.multiply(xp.remainder(a, 2), 2), 1)
    size = xp.multiply(xp.exp(special_function(xp, "gammaln", order)), _zeta(xp, order, x))
    found = xp.where(xp.equal(a, 0), _digamma(xp, x), xp.multiply(sign, size))
    whole = xp.logical_and(xp.greater_equal(a, 0), xp.equal(a, xp.floor(a)))
    return xp.where(whole, found, xp.asarray(np.nan, dtype=x.dtype))


polygamma = op(
    "polygamma",
    doc="The derivative of order a of digamma at x, element by element, broadcasting; a is a whole number from 0.",
    example=">>> import tapeviz as tf\n>>> tf.math.polygamma(1.0, 1.0).numpy()\nnp.float32(1.644934)",
    family="elementwise",
    forward=_polygamma,
    infer=rules.broadcast,
    types=FLOATS,
    vjp={"x": lambda F, g, a, x: F.multiply(g, F.polygamma(F.add(a, 1.0), x))},
    formula=r"y_i = \psi^{(a_i)}(x_i)",
    vjp_formula=(r"\bar x_i = \bar y_i\, \psi^{(a_i + 1)}(x_i)",),
    samples=cases(
        ([np.array([0.0, 1.0, 2.0]), np.array([0.75, 1.5, 2.5])], {}),
        ([np.array([[1.0], [3.0]]), np.array([0.75, 1.5, 2.5])], {}),
        ([np.array(1.0), np.array(2.0)], {}),
    ),
)


def lbeta(x: Any, name: str | None = None) -> Any:
    """The logarithm of the absolute value of the beta function of the last axis: product of gammas by gamma of the sum.

    Args:
        x: floating-point numbers of rank 1 or more; an empty last axis gives -inf.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: ``x`` is a single number.

    >>> import tapeviz as tf
    >>> tf.math.lbeta([1.0, 2.0]).numpy()
    np.float32(-0.6931472)
    """
    x = convert_to_tensor(x)
    add_up = registry["reduce_sum"].run
    whole = lgamma.run(add_up(x, axis=(-1,), keepdims=False))
    return add_up(lgamma.run(x), axis=(-1,), keepdims=False) - whole
