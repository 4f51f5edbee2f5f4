"""Activations with bounds, and those that share something out along an axis."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.keras.logits import remember
from tapeviz.ops.array.concat import split
from tapeviz.ops.math import exponentials, trigonometry
from tapeviz.ops.nn import activations

__all__ = ["glu", "log_sigmoid", "log_softmax", "sigmoid", "softmax", "softplus", "softsign", "tanh", "tanh_shrink"]


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
