"""Layers at the beginning of models for sequences: a vector for each number, and masks for what is only filled in."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import Tensor
from tapeviz.engine.variable import Variable
from tapeviz.keras import regularizers
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.ops.array.gather import gather
from tapeviz.ops.math.reductions import reduce_any

__all__ = ["Embedding", "Masking"]


class Embedding(Layer):
    """A learned vector for each of the integers from 0 to ``input_dim`` (for each word of a vocabulary).

    Args:
        input_dim: how many numbers there are.
        output_dim: how long the vectors are.
        embeddings_initializer: how they begin.
        embeddings_regularizer: what they cost.
        embeddings_constraint: what they are put through after each step.
        mask_zero: whether 0 only fills sequences up, so that its steps are masked.
        weights: a table to begin with.
        kwargs: what every layer takes.

    Raises:
        InvalidArgumentError: there is no vector for a number.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.Embedding(3, 2, embeddings_initializer="ones", mask_zero=True)
    >>> numbers = tf.constant([[1, 2, 0]])
    >>> layer(numbers).shape, layer.compute_mask(numbers).numpy()
    (TensorShape([1, 3, 2]), array([[ True,  True, False]]))
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        weights: Any = None,
        input_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**(kwargs if input_length is None else {"input_shape": (input_length,), **kwargs}))
        self.input_dim: int
        self.output_dim: int
        self.mask_zero: bool
        self.input_dim, self.output_dim, self.mask_zero = input_dim, output_dim, mask_zero
        self.supports_masking = mask_zero
        self.autocast = False  # the numbers of words have no fractions to lose
        remember(self, "embeddings", embeddings_initializer, embeddings_regularizer, embeddings_constraint)
        if weights is not None:
            self.build(None)
            self.set_weights(weights if isinstance(weights, list) else [weights])

    def build(self, input_shape: Any = None) -> None:
        """Make ``embeddings``, ``[input_dim, output_dim]``."""
        self.embeddings: Variable = make(self, "embeddings", (self.input_dim, self.output_dim))
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """The vectors of the numbers."""
        numbers = convert_to_tensor(inputs)
        whole = numbers if numbers.dtype.is_integer else public["cast"](numbers, "int32")
        result: Tensor = gather(self.embeddings, whole)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where numbers are not 0, with ``mask_zero``."""
        return registry["not_equal"].run(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return (*input_shape, self.output_dim)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        config = {**super().get_config(), **config_of(self, "input_dim output_dim mask_zero", "embeddings")}
        return {**config, "activity_regularizer": regularizers.serialize(self.activity_regularizer)}


class Masking(Layer):
    """Masks the steps of sequences whose elements all have one value, which only fills sequences up.

    Args:
        mask_value: the value.
        kwargs: what every layer takes.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Masking().compute_mask(tf.constant([[[1.0, 0.0], [0.0, 0.0]]])).numpy()
    array([[ True, False]])
    """

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value
        self.supports_masking = True

    def call(self, inputs: Any) -> Tensor:
        """The inputs with zeros where they are masked."""
        inputs = convert_to_tensor(inputs)
        kept = reduce_any(registry["not_equal"].run(inputs, self.mask_value), -1, keepdims=True)
        result: Tensor = registry["where"].run(kept, inputs, 0.0)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Where some element has another value."""
        return reduce_any(registry["not_equal"].run(inputs, self.mask_value), -1)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out: that of what goes in."""
        return tuple(input_shape)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "mask_value")}
