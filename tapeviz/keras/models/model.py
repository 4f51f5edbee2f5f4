"""Models: layers that are trained, saved and asked together."""

from __future__ import annotations

from tapeviz.keras.layers.base import Layer
from tapeviz.keras.saving.model_saving import Saved
from tapeviz.keras.training.trainer import Trainer

__all__ = ["Model"]


class Model(Trainer, Saved, Layer):
    """A model, written as a class with layers in attributes and ``call``; or made of inputs and outputs.

    Args:
        inputs: tensors made by :func:`Input`: one, or a list or dict of them.
        outputs: what layers made of them.
        name: its name.

    >>> import tapeviz as tf
    >>> class Net(tf.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = tf.keras.layers.Dense(4, activation="relu")
    ...         self.last = tf.keras.layers.Dense(1)
    ...     def call(self, x):
    ...         return self.last(self.hidden(x))
    >>> net = Net()
    >>> net(tf.ones([2, 3])).shape, net.count_params()
    (TensorShape([2, 1]), 21)
    """

    @property
    def layers(self) -> list[Layer]:
        """The layers directly in the model."""
        return self._flatten_layers(recursive=False, include_self=False)

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """The layer of that name, or at that place.

        Raises:
            ValueError: there is none.
        """
        layers = self.layers
        if index is not None:
            if index >= len(layers):
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(layers)} layers."
                )
            return layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(f"No such layer: {name}. Existing layers are: {[layer.name for layer in layers]}.")
