"""Incomplete integrals: of the gamma function up to x, and of the beta function."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases, pairs
from tapeviz.engine.types import FLOATS
from tapeviz.ops.math.gamma import polygamma
from tapeviz.ops.math.special import special_function

__all__ = ["betainc", "igamma", "igammac"]

_PRECISE: Final = frozenset(map(np.dtype, ("float32", "float64")))
_NODES: Final = 120
_RAISED: Final = 3
_NEGLIGIBLE: Final = 38.0  # e to the minus this is less than half of what float64 adds to 1
_LARGE: Final = 50.0


@cache
def _legendre() -> tuple[np.ndarray, np.ndarray]:
    """Points between 0 and 1, and their weights, whose weighted sum is the integral."""
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    return (points + 1.0) / 2.0, weights / 2.0


def _bell(F: Any, parts: list[Any]) -> Any:
    """The complete Bell polynomial: how often a density was differentiated, from the derivatives of its logarithm."""
    found = [parts[0]]
    for n in range(2, len(parts) + 1):
        total = parts[n - 1]
        for k in range(1, n):
            term = F.multiply(parts[k - 1], found[n - k - 1])
            total = F.add(total, F.multiply(term, float(math.comb(n - 1, k - 1))))
        found.append(total)
    return found[-1]


def _peak(xp: Any, a: Any) -> Any:
    """The logarithm of the density of ln t at its peak, by Stirling's series where a is large."""
    series = xp.log(a / (2.0 * math.pi)) / 2.0 - (1.0 - (1.0 - 2.0 / (7.0 * a**2)) / (30.0 * a**2)) / (12.0 * a)
    small = xp.minimum(a, _LARGE)
    return xp.where(
        xp.greater(a, _LARGE), series, small * xp.log(small) - small - special_function(xp, "gammaln", small)
    )


def _added_up(xp: Any, a: Any, x: Any, order: int) -> Any:
    """The derivative by a, for an a above 1: an integral over ``ln t``, of a hill that is too low outside to count."""
    where, share = (xp.asarray(part) for part in _legendre())
    end = xp.log(x) - xp.log(a)
    top, spread = xp.minimum(end, 0.0), xp.sqrt(2.0 * _NEGLIGIBLE / a)
    left = top - spread - _NEGLIGIBLE / a
    right = xp.minimum(end, top + xp.minimum(spread, 1.0 + xp.log1p(2.0 * _NEGLIGIBLE / a)))
    width, wide_a = (right - left)[..., None], a[..., None]
    d = left[..., None] + width * where
    density = xp.exp(wide_a * (d - xp.expm1(d)) + _peak(xp, a)[..., None])
    parts = [part[..., None] for part in _by_shape(xp, a, order)]
    parts[0] = d + xp.log(wide_a) - parts[0]
    return xp.sum(density * share * width * _bell(xp, parts), axis=-1)


def _by_shape(xp: Any, a: Any, order: int) -> list[Any]:
    """Digamma of a, then how the density's logarithm changes with a beyond the first derivative."""
    higher = [-polygamma.forward(xp, xp.zeros_like(a) + float(n), a) for n in range(1, order)]
    return [special_function(xp, "psi", a), *higher]


def _slope(xp: Any, a: Any, x: Any, *, order: int) -> Any:
    """For a larger a, where the hill is narrow, then down: each step by one adds a term with its own derivative."""
    given_a = xp.asarray(a + xp.zeros_like(x), dtype="float64")
    given_x = xp.asarray(x + xp.zeros_like(a), dtype="float64")
    positive = xp.logical_and(xp.greater(given_a, 0), xp.isfinite(given_a))
    between = xp.logical_and(xp.greater(given_x, 0), xp.isfinite(given_x))
    shape, inside = xp.where(positive, given_a, 1.0), xp.where(between, given_x, 1.0)
    log = xp.log(inside)
    total = _added_up(xp, shape + float(_RAISED), inside, order)
    for step in range(1, _RAISED + 1):
        upper = shape + float(step)
        parts = _by_shape(xp, upper, order)
        edge = xp.exp((upper - 1.0) * log - inside - special_function(xp, "gammaln", upper))
        total = total + edge * _bell(xp, [log - parts[0], *parts[1:]])
    beyond = xp.logical_and(positive, xp.equal(given_x, np.inf))
    flat = xp.logical_or(xp.logical_or(xp.equal(given_x, 0), beyond), xp.equal(given_a, np.inf))
    outside = xp.where(flat, 0.0, np.nan)
    return xp.where(xp.logical_and(positive, between), total, outside).astype(a.dtype)


def _density(F: Any, a: Any, x: Any) -> Any:
    """The gamma distribution's density at x, in logarithms first, as both parts can be large."""
    power = F.multiply(F.subtract(a, 1.0), F.log(x))
    return F.exp(F.subtract(F.subtract(power, x), F.lgamma(a)))


def _density_slope(F: Any, a: Any, x: Any, order: int) -> Any:
    """The derivative of that order, by a, of the density at x."""
    higher = [F.negative(F.polygamma(F.multiply(F.ones_like(a), float(n)), a)) for n in range(1, order)]
    return F.multiply(_density(F, a, x), _bell(F, [F.subtract(F.log(x), F.digamma(a)), *higher]))


igamma_slope = op(
    "igamma_slope",
    doc="The derivative of some order of igamma(a, x) by a, element by element, broadcasting.",
    family="elementwise",
    forward=_slope,
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "a": lambda F, g, a, x, order: F.multiply(g, F.igamma_slope(a, x, order=order + 1)),
        "x": lambda F, g, a, x, order: F.multiply(g, _density_slope(F, a, x, order)),
    },
    formula=r"y_i = \frac{\partial^n}{\partial a_i^n} \frac{1}{\Gamma(a_i)} \int_0^{x_i} t^{a_i - 1} e^{-t} dt",
    vjp_formula=(
        r"\bar a_i = \bar y_i\, \partial y_i / \partial a_i",
        r"\bar x_i = \bar y_i\, \partial^n (x_i^{a_i - 1} e^{-x_i} / \Gamma(a_i)) / \partial a_i^n",
    ),
    samples=lambda rng: [(inputs, {"order": 1}) for inputs, _ in pairs(0.3, 4.0)(rng)],
)


def _share(xp: Any, name: str, a: Any, x: Any) -> Any:
    """SciPy takes an a of 0 as a limit; TensorFlow does not."""
    return special_function(xp, name, xp.where(xp.greater(a, 0), a, xp.asarray(np.nan, dtype=a.dtype)), x)


def _lower_share(xp: Any, a: Any, x: Any) -> Any:
    return xp.where(xp.equal(x, 0), xp.zeros((), x.dtype), _share(xp, "gammainc", a, x))


igamma = op(
    "igamma",
    doc="The regularized lower incomplete gamma function of a and x, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.igamma(1.0, 2.0).numpy()\nnp.float32(0.86466473)",
    family="elementwise",
    forward=_lower_share,
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "a": lambda F, g, a, x: F.multiply(g, F.igamma_slope(a, x, order=1)),
        "x": lambda F, g, a, x: F.multiply(g, _density(F, a, x)),
    },
    formula=r"y_i = \frac{1}{\Gamma(a_i)} \int_0^{x_i} t^{a_i - 1} e^{-t} dt",
    vjp_formula=(
        r"\bar a_i = \bar y_i\, \partial y_i / \partial a_i",
        r"\bar x_i = \bar y_i\, x_i^{a_i - 1} e^{-x_i} / \Gamma(a_i)",
    ),
    samples=pairs(0.3, 4.0),
)

igammac = op(
    "igammac",
    doc="The regularized upper incomplete gamma function, 1 - igamma(a, x), exact where it is small, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.igammac(1.0, 2.0).numpy()\nnp.float32(0.13533528)",
    family="elementwise",
    forward=lambda xp, a, x: _share(xp, "gammaincc", a, x),
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "a": lambda F, g, a, x: F.negative(F.multiply(g, F.igamma_slope(a, x, order=1))),
        "x": lambda F, g, a, x: F.negative(F.multiply(g, _density(F, a, x))),
    },
    formula=r"y_i = \frac{1}{\Gamma(a_i)} \int_{x_i}^\infty t^{a_i - 1} e^{-t} dt",
    vjp_formula=(
        r"\bar a_i = \bar y_i\, \partial y_i / \partial a_i",
        r"\bar x_i = -\bar y_i\, x_i^{a_i - 1} e^{-x_i} / \Gamma(a_i)",
    ),
    samples=pairs(0.3, 4.0),
)


def _alike(a: Spec, b: Spec, x: Spec) -> Spec:
    """All of one shape, or single numbers."""
    shaped = [(name, spec.shape) for name, spec in zip("abx", (a, b, x), strict=True) if spec.shape]
    for name, shape in shaped[1:]:
        if shape != shaped[0][1]:
            raise InvalidArgumentError(
                f"Shapes of {shaped[0][0]} and {name} are inconsistent: "
                f"{rules.shape_text(shaped[0][1])} vs. {rules.shape_text(shape)}"
            )
    return Spec(shaped[0][1] if shaped else (), a.dtype)


_alike.broadcasts = True  # type: ignore[attr-defined]  # single numbers do


def _betainc(xp: Any, a: Any, b: Any, x: Any) -> Any:
    if len({array.shape for array in (a, b, x) if array.shape}) > 1:
        raise ValueError("shapes differ")  # arrays might broadcast; the rule says what is wrong
    positive = xp.logical_and(xp.greater(a, 0), xp.greater(b, 0))
    return special_function(xp, "betainc", xp.where(positive, a, xp.asarray(np.nan, dtype=a.dtype)), b, x)


def _beta_density(F: Any, a: Any, b: Any, x: Any) -> Any:
    log_beta = F.subtract(F.add(F.lgamma(a), F.lgamma(b)), F.lgamma(F.add(a, b)))
    powers = F.add(F.xlog1py(F.subtract(b, 1.0), F.negative(x)), F.xlogy(F.subtract(a, 1.0), x))
    return F.exp(F.subtract(powers, log_beta))


betainc = op(
    "betainc",
    doc="The regularized incomplete beta function of a, b and x, element by element; a gradient for x alone.",
    example=">>> import tapeviz as tf\n>>> tf.math.betainc(2.0, 3.0, 0.5).numpy()\nnp.float32(0.6875)",
    family="elementwise",
    forward=_betainc,
    infer=_alike,
    types=_PRECISE,
    vjp={"x": lambda F, g, a, b, x: F.multiply(g, _beta_density(F, a, b, x))},
    formula=r"y_i = \frac{1}{B(a_i, b_i)} \int_0^{x_i} t^{a_i - 1} (1 - t)^{b_i - 1} dt",
    vjp_formula=(r"\bar x_i = \bar y_i\, x_i^{a_i - 1} (1 - x_i)^{b_i - 1} / B(a_i, b_i)",),
    samples=cases(
        ([(), (), ()], {}), ([(3,), (3,), (3,)], {}), ([(2, 3), (), (2, 3)], {}), ([(2,), (2,), ()], {}),
        low=0.3, high=0.9,
    ),
)  # fmt: skip
