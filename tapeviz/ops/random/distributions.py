"""Draws whose distribution depends on tensors: gamma, Poisson, binomial and categorical.

Each turns evenly spread numbers into its distribution by the inverse of the distribution function. That is smooth in
the parameters (which gamma's gradient needs) and gives every device the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.backends.libraries import library
from tapeviz.engine import rules
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import BFLOAT16, FLOATS, INTEGERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.random.seeds import generator_of

__all__ = ["binomial", "categorical", "gamma", "gamma_gradient", "parameterized_truncated_normal", "poisson"]

_WIDE: Final = np.dtype(np.float64)
_LEAST: Final = 2.0**-54


def _evenly(xp: Any, shape: tuple[int, ...], seed: int) -> Any:
    """Numbers between 0 and 1, neither of them."""
    return xp.asarray(np.maximum(np.asarray(generator_of(seed).random(shape)), _LEAST))


def _wide(x: Any) -> Any:
    return x.astype(_WIDE)


def _ends_with(shape: tuple[int, ...], parameters: tuple[int, ...]) -> None:
    for size in shape:
        if size < 0:
            raise InvalidArgumentError(f"Dimension {size} must be >= 0")
    if len(parameters) > len(shape) or shape[len(shape) - len(parameters) :] != parameters:
        raise InvalidArgumentError("Shape passed in must end with broadcasted shape.")


def _tiny(dtype: Any) -> float:
    return 1.2e-38 if dtype == BFLOAT16 else float(np.finfo(dtype).tiny)


def _gamma(xp: Any, alpha: Any, *, shape: tuple[int, ...], seed: int) -> Any:
    chance = _evenly(xp, shape, seed)
    drawn = library(xp, "special").gammaincinv(_wide(alpha), chance)
    # An infinite alpha aside, only those too small for the dtype are 0; TensorFlow gives the least number instead.
    return xp.maximum(drawn, _tiny(alpha.dtype)).astype(alpha.dtype)


def _gamma_rule(alpha: Spec, *, shape: tuple[int, ...], seed: int) -> Spec:
    _ends_with(shape, alpha.shape)
    return Spec(tuple(shape), alpha.dtype)


gamma = op(
    "random_gamma",
    doc="Samples of the gamma distribution with shape alpha and rate 1.",
    family="random",
    tf_name="RandomGamma",
    forward=_gamma,
    infer=_gamma_rule,
    static=static_shape_rules.drawn,
    types=FLOATS,
    formula=r"y_i \sim \Gamma(\alpha_i, 1)",
    samples=cases(
        ([np.array([0.5, 2.0, 30.0])], {"shape": (2, 3), "seed": 7}),
        ([np.array(3.0)], {"shape": (), "seed": 8}),
    ),
    effects="random",
)

_STEP: Final = 1e-5


def _gamma_slope(xp: Any, alpha: Any, sample: Any) -> Any:
    special = library(xp, "special")
    a, x = _wide(alpha), _wide(sample)
    step = a * _STEP
    # The chance below x changes with a by this much; the upper tail is differenced there to keep its digits.
    below = special.gammainc(a + step, x) - special.gammainc(a - step, x)
    above = special.gammaincc(a - step, x) - special.gammaincc(a + step, x)
    change = xp.where(x > a, above, below) / (2.0 * step)
    density = xp.exp((a - 1.0) * xp.log(x) - x - special.gammaln(a))
    return (-change / density).astype(sample.dtype)


gamma_gradient = op(
    "random_gamma_grad",
    doc="The derivative of a sample of the gamma distribution by alpha, at the same quantile.",
    family="random",
    tf_name="RandomGammaGrad",
    forward=_gamma_slope,
    infer=rules.broadcast,
    types=FLOATS,
    formula=r"\frac{\partial y_i}{\partial \alpha_i} = -\frac{\partial_\alpha P(\alpha_i, y_i)}{p(y_i; \alpha_i)}",
    samples=cases(([np.array([0.5, 2.0, 30.0]), np.array([0.4, 2.5, 27.0])], {}), ([np.array(1.5), np.array(1.0)], {})),
)


def _lowest(xp: Any, chance: Any, guess: Any, below: Callable[[Any], Any]) -> Any:
    """The lowest whole number whose chance of not being exceeded, ``below``, is ``chance``: from a guess, in steps."""
    number = xp.maximum(xp.floor(guess), 0.0)
    while (short := below(number) < chance).any():
        number = number + short
    while (beyond := xp.logical_and(number >= 1.0, below(number - 1.0) >= chance)).any():
        number = number - beyond
    return number


def _poisson(xp: Any, rate: Any, *, shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    _ends_with(shape, rate.shape)
    special = library(xp, "special")
    chance = _evenly(xp, shape, seed)
    mean = xp.maximum(_wide(rate), 0.0) + xp.zeros_like(chance)
    z = special.ndtri(chance)
    guess = mean + xp.sqrt(mean) * z + (z * z - 1.0) / 6.0
    return _lowest(xp, chance, guess, lambda number: special.gammaincc(number + 1.0, mean)).astype(dtype)


def _drawn_rule(first: Spec, *others: Spec, shape: tuple[int, ...], dtype: Any, seed: int) -> Spec:
    _ends_with(shape, rules.broadcast_shapes(first.shape, *(spec.shape for spec in others)))
    return Spec(tuple(shape), np.dtype(dtype))


poisson = op(
    "random_poisson",
    doc="Samples of the Poisson distribution.",
    family="random",
    tf_name="RandomPoissonV2",
    forward=_poisson,
    infer=_drawn_rule,
    static=static_shape_rules.drawn,
    types=FLOATS | frozenset(map(np.dtype, ("int32", "int64"))),
    formula=r"y_i \sim \mathrm{Pois}(\lambda_i)",
    samples=cases(
        ([np.array([0.0, 0.5, 40.0])], {"shape": (2, 3), "dtype": np.dtype(np.int32), "seed": 7}),
        ([np.array(3.0)], {"shape": (), "dtype": np.dtype(np.float32), "seed": 8}),
    ),
    effects="random",
)


def _binomial(xp: Any, counts: Any, probs: Any, *, shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    _ends_with(shape, np.broadcast_shapes(counts.shape, probs.shape))
    special = library(xp, "special")
    chance = _evenly(xp, shape, seed)
    n = xp.floor(_wide(counts)) + xp.zeros_like(chance)
    p = _wide(probs) + xp.zeros_like(chance)
    spread = xp.sqrt(n * p * (1.0 - p))
    guess = xp.minimum(n * p + spread * special.ndtri(chance), n)

    def below(number: Any) -> Any:
        inside = xp.minimum(number, n - 1.0)  # at n and beyond it is sure
        found = special.betainc(xp.maximum(n - inside, 1.0), inside + 1.0, 1.0 - p)
        return xp.where(number >= n, 1.0, found)

    return _lowest(xp, chance, guess, below).astype(dtype)


binomial = op(
    "random_binomial",
    doc="Samples of the binomial distribution: the number of trials that succeed.",
    family="random",
    tf_name="StatelessRandomBinomial",
    forward=_binomial,
    infer=_drawn_rule,
    static=static_shape_rules.drawn,
    types={"counts": FLOATS | INTEGERS, "probs": "counts"},
    formula=r"y_i \sim \mathrm{B}(n_i, p_i)",
    samples=cases(
        (
            [np.array([0.0, 5.0, 1000.0]), np.array([0.5, 0.25, 0.9])],
            {"shape": (2, 3), "dtype": np.dtype(np.int32), "seed": 7},
        ),
        ([np.array(7.0), np.array(1.0)], {"shape": (), "dtype": np.dtype(np.float32), "seed": 8}),
    ),
    effects="random",
)


def _categorical(xp: Any, logits: Any, *, num_samples: int, dtype: Any, seed: int) -> Any:
    chance = _evenly(xp, (logits.shape[0], num_samples), seed)
    wide = _wide(logits)
    weights = xp.cumsum(xp.exp(wide - xp.amax(wide, axis=-1, keepdims=True)), axis=-1)
    rows = [xp.searchsorted(row, share * row[-1], side="right") for row, share in zip(weights, chance, strict=True)]
    found = xp.stack(rows) if rows else chance
    return xp.minimum(found, logits.shape[1] - 1).astype(dtype)


def _categorical_rule(logits: Spec, *, num_samples: int, dtype: Any, seed: int) -> Spec:
    if len(logits.shape) != 2:  # noqa: PLR2004 - rows and classes
        raise InvalidArgumentError(f"logits should be a matrix, got shape {rules.shape_text(logits.shape)}")
    if num_samples < 0:
        raise InvalidArgumentError(f"num_samples should be non-negative, got {num_samples}")
    if logits.shape[1] == 0:
        raise InvalidArgumentError("num_classes should be positive, got 0")
    return Spec((logits.shape[0], num_samples), np.dtype(dtype))


categorical = op(
    "random_categorical",
    doc="Samples of the categorical distribution of each row of logits.",
    family="random",
    tf_name="Multinomial",
    forward=_categorical,
    infer=_categorical_rule,
    static=static_shape_rules.categorical,
    types=FLOATS,
    formula=r"P(y_{ij} = k) = \frac{e^{x_{ik}}}{\sum_m e^{x_{im}}}",
    samples=cases(
        ([(2, 3)], {"num_samples": 4, "dtype": np.dtype(np.int64), "seed": 7}),
        ([(0, 3)], {"num_samples": 4, "dtype": np.dtype(np.int32), "seed": 7}),
    ),
    traits="logits",
    effects="random",
)


def _between(
    xp: Any, means: Any, stddevs: Any, minvals: Any, maxvals: Any, *, shape: tuple[int, ...], seed: int
) -> Any:
    special = library(xp, "special")
    chance = _evenly(xp, shape, seed)
    mean, spread, least, most = (_wide(one) + xp.zeros_like(chance) for one in (means, stddevs, minvals, maxvals))
    if not xp.logical_and(spread > 0.0, least < most).all():
        raise InvalidArgumentError("Invalid parameters")
    low, high = (least - mean) / spread, (most - mean) / spread
    # The lower tail keeps its digits, the upper one is 1 less a little: what lies there is drawn mirrored.
    mirrored = low > 0.0
    start, end = xp.where(mirrored, -high, low), xp.where(mirrored, -low, high)
    first, last = special.ndtr(start), special.ndtr(end)
    z = xp.maximum(xp.minimum(special.ndtri(first + chance * (last - first)), end), start)
    return (mean + spread * xp.where(mirrored, -z, z)).astype(means.dtype)


def _between_rule(
    means: Spec, stddevs: Spec, minvals: Spec, maxvals: Spec, *, shape: tuple[int, ...], seed: int
) -> Spec:
    return _drawn_rule(means, stddevs, minvals, maxvals, shape=shape, dtype=means.dtype, seed=seed)


parameterized_truncated_normal = op(
    "parameterized_truncated_normal",
    doc="Samples of a normal distribution truncated to an interval.",
    family="random",
    tf_name="StatelessParameterizedTruncatedNormal",
    forward=_between,
    infer=_between_rule,
    static=static_shape_rules.drawn,
    types=FLOATS - {BFLOAT16},
    formula=r"y_i \sim N(\mu_i, \sigma_i^2),\; a_i \le y_i \le b_i",
    samples=cases(
        ([np.array([0.0, 5.0, -3.0]), np.array(1.0), np.array(-1.0), np.array(4.0)], {"shape": (2, 3), "seed": 7}),
        ([np.array(0.0), np.array(1.0), np.array(6.0), np.array(7.0)], {"shape": (), "seed": 8}),
    ),
    effects="random",
)
