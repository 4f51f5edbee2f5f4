"""``Sequential``: layers one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.keras.layers.base import Layer
from tapeviz.keras.models.model import Model

__all__ = ["Sequential"]


class Sequential(Model):
    """Layers one after the other.

    >>> import tapeviz as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    >>> model(tf.ones([2, 3])).shape
    TensorShape([2, 1])
    """

    _scoped = False

    def __init__(self, layers: Sequence[Any] | None = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(trainable=trainable, name=name)
        self._chain: list[Layer] = []
        for layer in layers or ():
            self.add(layer)

    def add(self, layer: Any) -> None:
        """Put a layer at the end."""
        self._chain.append(layer)

    @property
    def layers(self) -> list[Layer]:
        """The layers."""
        return list(self._chain)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """What the last layer gives."""
        for layer in self._chain:
            inputs = layer(inputs)
        return inputs
