"""A layer for each step of sequences."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.keras.layers.call import signature_of
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapeviz.ops.array.concat import stack, unstack

__all__ = ["TimeDistributed"]


class TimeDistributed(Layer):
    """Another layer for each step of sequences, with the same weights.

    All steps go through it at once, as further examples; one after the other where steps are masked, or where the layer
    has numbers that a call changes (the averages of a batch normalization).

    Args:
        layer: the layer.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``layer`` is not a layer, or the input has fewer than three axes.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.TimeDistributed(tf.keras.layers.Conv2D(4, 3))
    >>> layer(tf.ones([2, 10, 8, 8, 3])).shape
    TensorShape([2, 10, 6, 6, 4])
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(  # noqa: TRY004 - Keras' error
                f"Please initialize `TimeDistributed` layer with a `Layer` instance. Received: {layer}"
            )
        super().__init__(**kwargs)
        self.layer = layer
        self.supports_masking = True

    def _step_shape(self, input_shape: Any) -> tuple[Any, ...]:
        if len(input_shape) < 3:  # noqa: PLR2004 - examples, steps, and something in them
            raise ValueError(
                f'`TimeDistributed` layer "{self.name}" should be passed an input of at least 3 axes, found '
                f"{len(input_shape)}. Received: input_shape={tuple(input_shape)}"
            )
        return (input_shape[0], *input_shape[2:])

    def build(self, input_shape: Any) -> None:
        """Build the layer for one step."""
        shape = self._step_shape(input_shape)
        if not self.layer.built:
            self.layer.build(shape)
            self.layer.built = True
        super().build(input_shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """What the layer gives for each step."""
        inputs = convert_to_tensor(inputs)
        form = signature_of(type(self.layer).call)
        known = {"training": training} if form.training else {}
        masked = mask is not None and "mask" in form.masks
        examples, steps = inputs._a.shape[:2]
        changing = training and self.layer.trainable and self.layer.non_trainable_variables
        if (masked or changing) and not isinstance(steps, Deferred):
            masks = unstack(mask, axis=1) if masked else [None] * steps
            return stack([
                self.layer(x, **known, **({"mask": one} if masked else {}))
                for x, one in zip(unstack(inputs, axis=1), masks, strict=True)
            ], axis=1)  # fmt: skip
        reshape = registry["reshape"].run
        y = self.layer(reshape(inputs, (examples * steps, *inputs._a.shape[2:])), **known)
        return reshape(y, (examples, steps, *y._a.shape[1:]))

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        examples, *rest = self.layer.compute_output_shape(self._step_shape(input_shape))
        return (examples, input_shape[1], *rest)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), "layer": serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TimeDistributed:
        """A layer with these arguments."""
        return cls(**{**config, "layer": deserialize_keras_object(config["layer"])})
