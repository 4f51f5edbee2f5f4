"""Incomplete integrals: of the gamma function up to x, and of the beta function."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.declaration import Spec
from tapeviz.engine.define import op
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.samples import cases, pairs
from tapeviz.engine.types import FLOATS
from tapeviz.ops.special import special_function

__all__ = ["betainc", "igamma", "igammac"]

_PRECISE: Final = frozenset(map(np.dtype, ("float32", "float64")))
_NODES: Final = 120
_RAISED: Final = 3
_NEGLIGIBLE: Final = 38.0  # e to the minus this is less than half of what float64 adds to 1


@cache
def _legendre() -> tuple[np.ndarray, np.ndarray]:
    """Points between 0 and 1, and their weights, whose weighted sum is the integral."""
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    return (points + 1.0) / 2.0, weights / 2.0


def _moments(xp: Any, a: Any, x: Any, order: int) -> list[Any]:
    """``L_0`` to ``L_order``: the integrals up to x of ``t^(a-1) e^-t ln(t)^n``, over gamma of a, where a is above 1.

    In ``s = ln t`` what is integrated is a hill. Outside the limits taken it is too low to count.
    """
    where, share = (xp.asarray(part) for part in _legendre())
    end, top = xp.log(x), xp.minimum(xp.log(a), xp.log(x))
    spread = xp.sqrt(2.0 * _NEGLIGIBLE / a)
    left = top - spread - _NEGLIGIBLE / a
    right = xp.minimum(end, top + xp.minimum(spread, 1.0 + xp.log1p(2.0 * _NEGLIGIBLE / a)))
    s = left[..., None] + (right - left)[..., None] * where
    height = a[..., None] * s - xp.exp(s) - special_function(xp, "gammaln", a)[..., None]
    part = xp.exp(height) * share * (right - left)[..., None]
    return [xp.sum(part * s**n, axis=-1) for n in range(order + 1)]


def _moment(xp: Any, a: Any, x: Any, *, order: int) -> Any:
    """The moments for a larger a, then down by parts to a itself, where the hill may be too flat to add up."""
    wide_a = xp.asarray(a + xp.zeros_like(x), dtype="float64")
    wide_x = xp.asarray(x + xp.zeros_like(a), dtype="float64")
    inside = xp.where(xp.logical_and(xp.greater(wide_x, 0), xp.isfinite(wide_x)), wide_x, 1.0)
    log = xp.log(inside)
    found = _moments(xp, wide_a + float(_RAISED), inside, order)
    for step in range(_RAISED - 1, -1, -1):
        lower = wide_a + float(step)
        edge = xp.exp(lower * log - inside - special_function(xp, "gammaln", lower + 1.0))
        below: list[Any] = []
        for n, raised in enumerate(found):
            below.append(raised + edge * log**n - (n * below[-1] / lower if n else 0.0))
        found = below
    outside = xp.where(xp.equal(wide_x, 0), 0.0, np.nan)
    return xp.where(xp.equal(wide_x, inside), found[order], outside).astype(a.dtype)


def _density(F: Any, a: Any, x: Any) -> Any:
    """The gamma distribution's density at x, in logarithms first, as both parts can be large."""
    power = F.multiply(F.subtract(a, 1.0), F.log(x))
    return F.exp(F.subtract(F.subtract(power, x), F.lgamma(a)))


def _slope_by_order(F: Any, a: Any, x: Any, y: Any, order: int) -> Any:
    """The derivative by a of the integral of that order: the next one, less what gamma of a takes."""
    return F.subtract(F.igamma_moment(a, x, order=order + 1), F.multiply(F.digamma(a), y))


igamma_moment = op(
    "igamma_moment",
    doc="The incomplete gamma integral with a power of log t in it, over gamma of a: gradients by a are made of it.",
    family="elementwise",
    forward=_moment,
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "a": lambda F, g, a, x, y, order: F.multiply(g, _slope_by_order(F, a, x, y, order)),
        "x": lambda F, g, a, x, order: F.multiply(g, F.multiply(_density(F, a, x), F.pow(F.log(x), float(order)))),
    },
    formula=r"y_i = \frac{1}{\Gamma(a_i)} \int_0^{x_i} t^{a_i - 1} e^{-t} (\ln t)^n dt",
    vjp_formula=(
        r"\bar a_i = \bar y_i\,(y^{(n + 1)}_i - \psi(a_i)\, y_i)",
        r"\bar x_i = \bar y_i\, x_i^{a_i - 1} e^{-x_i} (\ln x_i)^n / \Gamma(a_i)",
    ),
    samples=lambda rng: [(inputs, {"order": 1}) for inputs, _ in pairs(1.2, 4.0)(rng)],
)


def _share(xp: Any, name: str, a: Any, x: Any) -> Any:
    """SciPy takes a of 0 as a limit; TensorFlow does not."""
    return special_function(xp, name, xp.where(xp.greater(a, 0), a, xp.asarray(np.nan, dtype=a.dtype)), x)


igamma = op(
    "igamma",
    doc="The share of the gamma distribution of shape a that lies below x, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.igamma(1.0, 2.0).numpy()\nnp.float32(0.86466473)",
    family="elementwise",
    forward=lambda xp, a, x: _share(xp, "gammainc", a, x),
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "a": lambda F, g, a, x, y: F.multiply(g, _slope_by_order(F, a, x, y, 0)),
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
    doc="1 - igamma(a, x), exact where that is small, element by element, broadcasting.",
    example=">>> import tapeviz as tf\n>>> tf.math.igammac(1.0, 2.0).numpy()\nnp.float32(0.13533528)",
    family="elementwise",
    forward=lambda xp, a, x: _share(xp, "gammaincc", a, x),
    infer=rules.broadcast,
    types=FLOATS,
    vjp={
        "a": lambda F, g, a, x: F.negative(F.multiply(g, _slope_by_order(F, a, x, F.igamma(a, x), 0))),
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
    doc="The share of the beta distribution of a and b that lies below x, element by element; a gradient for x alone.",
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
