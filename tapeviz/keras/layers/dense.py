"""``Dense``: every output is a sum of all inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import registry
from tapeviz.engine.tensor import Tensor
from tapeviz.keras import activations, constraints, initializers, regularizers
from tapeviz.keras.activations.activations import linear
from tapeviz.keras.layers.input_spec import InputSpec
from tapeviz.keras.layers.layer import Layer
from tapeviz.ops.linalg.matmul import tensordot

__all__ = ["Dense"]

_matmul: Final = registry["matmul"]


class Dense(Layer):
    """``activation(x @ kernel + bias)``, along the last axis.

    Args:
        units: how many outputs.
        activation: applied to them; nothing by default.
        use_bias: whether there is a bias.
        kernel_initializer: what the kernel, of shape (inputs, units), begins with.
        bias_initializer: what the bias, of shape (units,), begins with.
        kernel_regularizer: a penalty on the kernel.
        bias_regularizer: one on the bias.
        activity_regularizer: one on what the layer gives.
        kernel_constraint: what holds for the kernel after each update.
        bias_constraint: what holds for the bias.
        kwargs: those of every :class:`Layer`.

    Shapes: from ``(batch, ..., inputs)`` to ``(batch, ..., units)``.

    Raises:
        ValueError: ``units`` is not a positive integer; the last axis of the inputs is not known, or another than that
            for which the layer was built.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Dense(2, activation="relu", kernel_initializer="ones")
    >>> layer(tf.constant([[1.0, 2.0, 3.0]])).numpy()
    array([[6., 6.]], dtype=float32)
    """

    _wants_floats = True

    def __init__(
        self, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        if not isinstance(units, (int, np.integer)) or units <= 0:
            raise ValueError(f"Received an invalid value for argument `units`, expected a positive integer. Received: "
                             f"units={units}")  # fmt: skip
        self.units = int(units)
        self.activation: Callable[[Any], Tensor] = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer: Any = initializers.get(kernel_initializer)
        self.bias_initializer: Any = initializers.get(bias_initializer)
        self.kernel_regularizer: Any = regularizers.get(kernel_regularizer)
        self.bias_regularizer: Any = regularizers.get(bias_regularizer)
        self.kernel_constraint: Any = constraints.get(kernel_constraint)
        self.bias_constraint: Any = constraints.get(bias_constraint)
        self.kernel: Any = None
        self.bias: Any = None
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias."""
        inputs = input_shape[-1]
        if inputs is None:
            raise ValueError(
                f"The last dimension of the inputs to layer '{self.name}' (Dense) should be defined. Found None. Full "
                f"input shape received: {tuple(input_shape)}"
            )
        self.kernel = self.add_weight(
            name="kernel", shape=(inputs, self.units), initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=(self.units,), initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
            )  # fmt: skip
        self.input_spec: Any = InputSpec(min_ndim=2, axes={-1: inputs})

    def call(self, inputs: Any) -> Tensor:
        """The formula."""
        plain = inputs._a.ndim == 2  # noqa: PLR2004 - a matrix
        y = _matmul.run(inputs, self.kernel) if plain else tensordot(inputs, self.kernel, 1)
        if self.bias is not None:
            y = y + self.bias
        return y if self.activation is linear else self.activation(y)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape with ``units`` in the last place."""
        return (*input_shape[:-1], self.units)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {
            **super().get_config(),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
        }
