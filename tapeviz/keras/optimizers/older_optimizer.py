"""Optimizers of ``tf.compat.v1.train`` in models of Keras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.variable import Variable
from tapeviz.keras.optimizers.optimizer import Optimizer

__all__ = ["OlderOptimizer"]


class OlderOptimizer(Optimizer):
    """An optimizer of TensorFlow 1's, for ``compile``: its own steps, counted.

    Args:
        inner: the optimizer.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(tf.compat.v1.train.GradientDescentOptimizer(0.5), "mse")
    >>> model.fit([[0.0], [1.0]], [[0.0], [2.0]], verbose=0).epoch
    [0]
    """

    def __init__(self, inner: Any) -> None:
        rates = (getattr(inner, name, None) for name in ("_learning_rate", "_lr"))
        rate = next((rate for rate in rates if isinstance(rate, (int, float))), 0.0)
        super().__init__(learning_rate=rate, name=inner.get_name())
        self.inner = inner

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Variable] | None = None) -> None:
        """Do one step of the optimizer's own."""
        variables = list(trainable_variables or ())
        self.inner.apply_gradients(list(zip(grads, variables, strict=True)))
        self.iterations.assign_add(1)
