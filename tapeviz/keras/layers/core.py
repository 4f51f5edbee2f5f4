"""Layers without weights that do one thing: ``Flatten``, ``Activation``, ``Identity`` and ``Lambda``."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from tapeviz.autograph.conversion import converted_callee
from tapeviz.engine import nest
from tapeviz.engine.state import local
from tapeviz.engine.tensor import Tensor
from tapeviz.keras import activations
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapeviz.ops.array.reshape import reshape, transpose

__all__ = ["Activation", "Flatten", "Identity", "Lambda"]

_FORMATS = ("channels_last", "channels_first")


class Flatten(Layer):
    """Flattens all axes but the batch into one.

    Args:
        data_format: ``channels_first`` has the channels, then the last axis, count fastest, as if they had been last.
        kwargs: those of every :class:`Layer`.

    Shapes: from ``(batch, ...)`` to ``(batch, product)``.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Flatten()(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(autocast=False, **kwargs)
        self.data_format: str = "channels_last" if data_format is None else data_format
        if self.data_format not in _FORMATS:
            raise ValueError(f"The `data_format` argument must be one of {_FORMATS}. Received: {data_format}")
        self.input_spec: Any = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Tensor:
        """The formula."""
        shape = inputs._a.shape
        if self.data_format == "channels_first" and len(shape) > 2:  # noqa: PLR2004 - batch and channels
            inputs = transpose(inputs, (0, *range(2, len(shape)), 1))
        result: Tensor = reshape(inputs, (shape[0], math.prod(shape[1:])))
        return result

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape with the product of all sizes but the first in the second place."""
        batch, *sizes = input_shape
        return (batch, None if None in sizes else math.prod(sizes))

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {**super().get_config(), "data_format": self.data_format}


class Activation(Layer):
    """An activation as a layer of its own.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Activation("relu")(tf.constant([-1.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation: Callable[[Any], Tensor] = activations.get(activation)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """The formula."""
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The same shape."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {**super().get_config(), "activation": activations.serialize(self.activation)}


class Identity(Layer):
    """The input, unchanged.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Identity()(tf.constant([1.0, 2.0])).numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The same shape."""
        return input_shape


class Lambda(Layer):
    """A function as a layer. Variables in it are not weights of the model's: a :class:`Layer` with weights is for that.

    Args:
        function: called with the inputs; also with ``mask`` and ``training`` where it takes them.
        output_shape: the shape of what it gives without the batch, or a function that gives it from that of the inputs;
            found by tracing by default.
        mask: the mask of what it gives, or a function that gives it from inputs and mask.
        arguments: further arguments by name.
        kwargs: those of every :class:`Layer`.

    A model with it can be saved where the function has a name and is registered with
    :func:`register_keras_serializable`; a ``lambda`` cannot, since its code would have to be stored.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Lambda(lambda x: x**2)(tf.constant([3.0])).numpy()
    array([9.], dtype=float32)
    """

    def __init__(
        self, function: Callable[..., Any], output_shape: Any = None, mask: Any = None,
        arguments: dict[str, Any] | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.function = function
        self.arguments: dict[str, Any] = dict(arguments or {})
        self.mask = mask
        self.supports_masking: bool = mask is not None
        self._output_shape = output_shape
        try:
            taken = set(inspect.signature(function).parameters)
        except (TypeError, ValueError):  # written in C
            taken = set()
        self._takes_mask, self._takes_training = "mask" in taken, "training" in taken
        self.built = True

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """What the function gives."""
        arguments = dict(self.arguments)
        if self._takes_mask:
            arguments["mask"] = mask
        if self._takes_training:
            arguments["training"] = training
        function = self.function if local.state.graph is None else converted_callee(self.function)
        return function(inputs, **arguments)

    def compute_mask(self, inputs: Any, previous_mask: Any) -> Any:
        """The mask given, or what the function for masks gives."""
        return self.mask(inputs, previous_mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape given, or found by tracing."""
        if self._output_shape is None:
            return super().compute_output_shape(input_shape)
        if callable(self._output_shape):
            return self._output_shape(input_shape)
        batch = nest.flatten(input_shape)[0]
        return (batch, *self._output_shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made.

        Raises:
            ValueError: the function has no name.
        """
        return {**super().get_config(), "function": serialize_keras_object(self.function), "arguments": self.arguments}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Lambda:
        """A layer with these arguments."""
        return cls(**{**config, "function": deserialize_keras_object(config["function"])})

    def _clone(self) -> Lambda:
        """Another one of the same function, which need not have a name for that."""
        return Lambda(self.function, self._output_shape, self.mask, self.arguments, name=self.name, dtype=self.dtype,
                      trainable=self.trainable)  # fmt: skip
