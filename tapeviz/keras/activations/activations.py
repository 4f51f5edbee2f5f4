"""Activation functions."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.keras.logits import remember
from tapeviz.ops.array.concat import split
from tapeviz.ops.array.creation import ones_like, zeros_like
from tapeviz.ops.array.select import where
from tapeviz.ops.math import exponentials, trigonometry
from tapeviz.ops.math.arithmetic import abs as absolute
from tapeviz.ops.math.arithmetic import add, maximum, minimum
from tapeviz.ops.math.comparison import greater
from tapeviz.ops.math.exponentials import exp, sqrt, square
from tapeviz.ops.math.rounding import clip_by_value
from tapeviz.ops.nn import activations

__all__ = [
    "celu",
    "elu",
    "exponential",
    "gelu",
    "glu",
    "hard_shrink",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "leaky_relu",
    "linear",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_shrink",
    "softmax",
    "softplus",
    "softsign",
    "squareplus",
    "tanh",
    "tanh_shrink",
    "threshold",
]


def linear(x: Any) -> Any:
    """The input as it is.

    >>> import tapeviz as tf
    >>> tf.keras.activations.linear(3.0)
    3.0
    """
    return x


def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """The input above ``threshold``, no larger than ``max_value``; below it ``negative_slope * (x - threshold)``.

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
    """The input, no smaller than 0 and no larger than 6.

    >>> import tapeviz as tf
    >>> tf.keras.activations.relu6([-1.0, 2.0, 7.0]).numpy()
    array([0., 2., 6.], dtype=float32)
    """
    return activations.relu6.run(x)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """The input where it is positive, else ``negative_slope * x``.

    >>> import tapeviz as tf
    >>> tf.keras.activations.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    return activations.leaky_relu(x, alpha=negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """The input where it is positive, else ``alpha * (exp(x) - 1)``.

    >>> import tapeviz as tf
    >>> tf.keras.activations.elu([-1.0, 2.0]).numpy().round(3)
    array([-0.632,  2.   ], dtype=float32)
    """
    bent = activations.elu.run(x)
    return bent if alpha == 1.0 else where(greater.run(x, 0), bent, bent * alpha)


def celu(x: Any, alpha: float = 1.0) -> Any:
    """The input where it is positive, else ``alpha * (exp(x / alpha) - 1)``.

    >>> import tapeviz as tf
    >>> tf.keras.activations.celu([-1.0, 2.0], alpha=2.0).numpy().round(3)
    array([-0.787,  2.   ], dtype=float32)
    """
    x = convert_to_tensor(x)
    return maximum.run(x, 0.0) + activations.elu.run(minimum.run(x, 0.0) / alpha) * alpha


def selu(x: Any) -> Any:
    """``elu`` scaled so that mean 0 and variance 1 are kept through layers.

    >>> import tapeviz as tf
    >>> tf.keras.activations.selu([-1.0, 2.0]).numpy().round(3)
    array([-1.111,  2.101], dtype=float32)
    """
    return activations.selu.run(x)


def gelu(x: Any, approximate: bool = False) -> Any:
    """The input times the probability that a standard normal number is below it.

    >>> import tapeviz as tf
    >>> tf.keras.activations.gelu([-1.0, 2.0]).numpy().round(3)
    array([-0.159,  1.954], dtype=float32)
    """
    return activations.gelu(x, approximate)


def silu(x: Any) -> Any:
    """The input times its sigmoid; also called swish.

    >>> import tapeviz as tf
    >>> tf.keras.activations.silu([-1.0, 2.0]).numpy().round(3)
    array([-0.269,  1.762], dtype=float32)
    """
    return activations.silu(x)


def mish(x: Any) -> Any:
    """The input times the hyperbolic tangent of its softplus.

    >>> import tapeviz as tf
    >>> tf.keras.activations.mish([-1.0, 2.0]).numpy().round(3)
    array([-0.303,  1.944], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x * trigonometry.tanh.run(exponentials.softplus.run(x))


def exponential(x: Any) -> Any:
    """E to the power of x.

    >>> import tapeviz as tf
    >>> tf.keras.activations.exponential([0.0, 1.0]).numpy().round(3)
    array([1.   , 2.718], dtype=float32)
    """
    return exp.run(x)


def hard_sigmoid(x: Any) -> Any:
    """``x / 6 + 0.5``, no smaller than 0 and no larger than 1.

    >>> import tapeviz as tf
    >>> tf.keras.activations.hard_sigmoid([-4.0, 0.0, 1.5]).numpy()
    array([0.  , 0.5 , 0.75], dtype=float32)
    """
    return activations.relu6.run(add.run(x, 3.0)) / 6.0


def hard_silu(x: Any) -> Any:
    """The input times its ``hard_sigmoid``; also called hard swish.

    >>> import tapeviz as tf
    >>> tf.keras.activations.hard_silu([-4.0, 1.5]).numpy()
    array([-0.   ,  1.125], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x * hard_sigmoid(x)


def hard_tanh(x: Any) -> Any:
    """The input, no smaller than -1 and no larger than 1.

    >>> import tapeviz as tf
    >>> tf.keras.activations.hard_tanh([-4.0, 0.5]).numpy()
    array([-1. ,  0.5], dtype=float32)
    """
    return clip_by_value(x, -1.0, 1.0)


def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """The input where it is farther from 0 than ``threshold``, else 0.

    >>> import tapeviz as tf
    >>> tf.keras.activations.hard_shrink([-0.4, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """
    x = convert_to_tensor(x)
    return where(absolute.run(x) > threshold, x, zeros_like(x))


def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """The input moved towards 0 by ``threshold``, but not past it.

    >>> import tapeviz as tf
    >>> tf.keras.activations.soft_shrink([-0.4, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """
    x = convert_to_tensor(x)
    return activations.relu.run(x - threshold) - activations.relu.run(-x - threshold)


def squareplus(x: Any, b: float = 4) -> Any:
    """Half of x plus the root of its square plus ``b``: a smooth ReLU.

    >>> import tapeviz as tf
    >>> tf.keras.activations.squareplus([0.0, 1.5]).numpy()
    array([1., 2.], dtype=float32)
    """
    x = convert_to_tensor(x)
    return (x + sqrt.run(square.run(x) + float(b))) / 2.0


def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """The input above ``threshold``, else ``default_value``.

    >>> import tapeviz as tf
    >>> tf.keras.activations.threshold([0.0, 1.5], 1.0, -1.0).numpy()
    array([-1. ,  1.5], dtype=float32)
    """
    x = convert_to_tensor(x)
    return where(x > threshold, x, ones_like(x) * default_value)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)).

    >>> import tapeviz as tf
    >>> tf.keras.activations.sigmoid([0.0, 2.0]).numpy().round(3)
    array([0.5  , 0.881], dtype=float32)
    """
    x = convert_to_tensor(x)
    return remember(exponentials.sigmoid.run(x), x, "sigmoid")


def log_sigmoid(x: Any) -> Any:
    """The logarithm of the sigmoid.

    >>> import tapeviz as tf
    >>> tf.keras.activations.log_sigmoid([0.0, 2.0]).numpy().round(3)
    array([-0.693, -0.127], dtype=float32)
    """
    return exponentials.log_sigmoid.run(x)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent.

    >>> import tapeviz as tf
    >>> tf.keras.activations.tanh([0.0, 2.0]).numpy().round(3)
    array([0.   , 0.964], dtype=float32)
    """
    return trigonometry.tanh.run(x)


def tanh_shrink(x: Any) -> Any:
    """The input minus its hyperbolic tangent.

    >>> import tapeviz as tf
    >>> tf.keras.activations.tanh_shrink([0.0, 2.0]).numpy().round(3)
    array([0.   , 1.036], dtype=float32)
    """
    x = convert_to_tensor(x)
    return x - trigonometry.tanh.run(x)


def softplus(x: Any) -> Any:
    """log(exp(x) + 1).

    >>> import tapeviz as tf
    >>> tf.keras.activations.softplus([0.0, 2.0]).numpy().round(3)
    array([0.693, 2.127], dtype=float32)
    """
    return exponentials.softplus.run(x)


def softsign(x: Any) -> Any:
    """The input divided by one more than its absolute value.

    >>> import tapeviz as tf
    >>> tf.keras.activations.softsign([0.0, 3.0]).numpy()
    array([0.  , 0.75], dtype=float32)
    """
    return activations.softsign.run(x)


def softmax(x: Any, axis: int = -1) -> Any:
    """Shares along an axis: positive numbers of sum 1, as the exponentials are to one another.

    >>> import tapeviz as tf
    >>> tf.keras.activations.softmax(tf.constant([[0.0, 0.0]])).numpy()
    array([[0.5, 0.5]], dtype=float32)
    """
    x = convert_to_tensor(x)
    shares = activations.softmax(x, axis)
    return remember(shares, x, "softmax") if axis == -1 else shares


def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithms of the shares along an axis.

    >>> import tapeviz as tf
    >>> tf.keras.activations.log_softmax([[0.0, 1.0]]).numpy().round(3)
    array([[-1.313, -0.313]], dtype=float32)
    """
    return activations.log_softmax(x, axis)


def glu(x: Any, axis: int = -1) -> Any:
    """The first half along an axis times the sigmoid of the second.

    >>> import tapeviz as tf
    >>> tf.keras.activations.glu([3.0, 0.0]).numpy()
    array([1.5], dtype=float32)
    """
    first, second = split(convert_to_tensor(x), 2, axis)
    return first * exponentials.sigmoid.run(second)
