"""Numbers of another range: pixels from 0 to 255, as they are stored, to pixels from 0 to 1."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of

__all__ = ["Rescaling"]


class Rescaling(Layer):
    """Multiplies with a number, then adds another.

    Args:
        scale: what is multiplied with.
        offset: what is added.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Rescaling(1 / 255)(tf.constant([0, 255], "uint8")).numpy()
    array([0., 1.], dtype=float32)
    """

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale: Any
        self.offset: Any
        self.scale, self.offset = scale, offset
        self.supports_masking = True

    def call(self, inputs: Any) -> Tensor:
        """The inputs scaled and moved, in the layer's dtype."""
        result: Tensor = public["cast"](convert_to_tensor(inputs), self.compute_dtype) * self.scale + self.offset
        return result

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "scale offset")}
