"""Activations that go on without a bound, at least to one side."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.ops import activations
from tapeviz.ops.arithmetic import abs as absolute
from tapeviz.ops.arithmetic import add, maximum, minimum
from tapeviz.ops.choosing import where
from tapeviz.ops.comparison import greater
from tapeviz.ops.creation import ones_like, zeros_like
from tapeviz.ops.elementwise import exp, softplus, sqrt, square
from tapeviz.ops.rounding import clip_by_value
from tapeviz.ops.trigonometry import tanh

__all__ = [
    "celu", "elu", "exponential", "gelu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu",
    "linear", "mish", "relu", "relu6", "selu", "silu", "soft_shrink", "squareplus", "threshold",
]  # fmt: skip


def linear(x: Any) -> Any:
    """X as it is."""
    return x


def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """X above ``threshold``, no larger than ``max_value``; below it ``negative_slope * (x - threshold)``.

    >>> import tapeviz as tf
    >>> tf.keras.activations.relu(tf.constant([-1.0, 0.5, 9.0]), max_value=6.0).numpy()
    array([0. , 0.5, 6. ], dtype=float32)
    """
    if not negative_slope and max_value is None and not threshold:
        return activations.relu.run(x)
    x = convert_to_tensor(x)
    kept = where(x > threshold, x, zeros_like(x)) if threshold else activations.relu.run(x)
    if max_value is not None:
        kept = clip_by_value(kept, 0.0, float(max_value))
    if negative_slope:
        kept = kept - activations.relu.run(threshold - x) * negative_slope
    return kept


def relu6(x: Any) -> Any:
    """x, no smaller than 0 and no larger than 6."""
    return activations.relu6.run(x)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """X where it is positive, else ``negative_slope * x``."""
    return activations.leaky_relu(x, alpha=negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """X where it is positive, else ``alpha * (exp(x) - 1)``."""
    bent = activations.elu.run(x)
    return bent if alpha == 1.0 else where(greater.run(x, 0), bent, bent * alpha)


def celu(x: Any, alpha: float = 1.0) -> Any:
    """X where it is positive, else ``alpha * (exp(x / alpha) - 1)``."""
    x = convert_to_tensor(x)
    return maximum.run(x, 0.0) + activations.elu.run(minimum.run(x, 0.0) / alpha) * alpha


def selu(x: Any) -> Any:
    """``elu`` scaled so that mean 0 and variance 1 are kept through layers."""
    return activations.selu.run(x)


def gelu(x: Any, approximate: bool = False) -> Any:
    """X times the probability that a standard normal number is below it."""
    return activations.gelu(x, approximate)


def silu(x: Any) -> Any:
    """X times its sigmoid; also called swish."""
    return activations.silu(x)


def mish(x: Any) -> Any:
    """X times the hyperbolic tangent of its softplus."""
    x = convert_to_tensor(x)
    return x * tanh.run(softplus.run(x))


def exponential(x: Any) -> Any:
    """E to the power of x."""
    return exp.run(x)


def hard_sigmoid(x: Any) -> Any:
    """``x / 6 + 0.5``, no smaller than 0 and no larger than 1."""
    return activations.relu6.run(add.run(x, 3.0)) / 6.0


def hard_silu(x: Any) -> Any:
    """X times its ``hard_sigmoid``; also called hard swish."""
    x = convert_to_tensor(x)
    return x * hard_sigmoid(x)


def hard_tanh(x: Any) -> Any:
    """x, no smaller than -1 and no larger than 1."""
    return clip_by_value(x, -1.0, 1.0)


def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """X where it is farther from 0 than ``threshold``, else 0."""
    x = convert_to_tensor(x)
    return where(absolute.run(x) > threshold, x, zeros_like(x))


def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """X moved towards 0 by ``threshold``, but not past it."""
    x = convert_to_tensor(x)
    return activations.relu.run(x - threshold) - activations.relu.run(-x - threshold)


def squareplus(x: Any, b: float = 4) -> Any:
    """Half of x plus the root of its square plus ``b``: a smooth ReLU."""
    x = convert_to_tensor(x)
    return (x + sqrt.run(square.run(x) + float(b))) / 2.0


def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """X above ``threshold``, else ``default_value``."""
    x = convert_to_tensor(x)
    return where(x > threshold, x, ones_like(x) * default_value)
