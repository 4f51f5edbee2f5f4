"""Attention of several heads: each looks at other sequences, or at other places of its own, in its own way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.keras import initializers, regularizers
from tapeviz.keras.layers.activation_layers import Softmax
from tapeviz.keras.layers.dropout import Dropout
from tapeviz.keras.layers.einsum_dense import EinsumDense
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of, remember
from tapeviz.keras.masks import all_of, causal_mask
from tapeviz.ops.linalg.einsum import einsum

__all__ = ["MultiHeadAttention"]


class MultiHeadAttention(Layer):
    """Multi-head attention: means of values, weighted by the product of their keys with each query, for several heads.

    Args:
        num_heads: how many heads.
        key_dim: how long queries and keys are for each head.
        value_dim: how long values are for each head; as long as keys when it is None.
        dropout: the share of weights that is dropped in training.
        use_bias: whether numbers are added to queries, keys, values and the output.
        output_shape: the sizes of what comes out for each query; that of the query when it is None.
        attention_axes: the axes along which attention goes; all but the first and the last when it is None.
        kernel_initializer: how the weights begin.
        bias_initializer: how the numbers added begin.
        kernel_regularizer: what the weights cost.
        bias_regularizer: what the numbers added cost.
        activity_regularizer: what the outputs cost.
        kernel_constraint: what the weights are put through after each step.
        bias_constraint: what the numbers added are put through after each step.
        seed: makes dropout repeatable.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``num_heads`` or ``key_dim`` is not positive, or keys and values have different sizes.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
    >>> output, weights = layer(tf.ones([1, 4, 8]), tf.ones([1, 5, 8]), return_attention_scores=True)
    >>> output.shape, weights.shape
    (TensorShape([1, 4, 8]), TensorShape([1, 2, 4, 5]))
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        sliding_window: None = None,
        flash_attention: None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if num_heads < 1 or key_dim < 1:
            raise ValueError(
                f"num_heads and key_dim must be strictly positive. Received: num_heads={num_heads}, key_dim={key_dim}"
            )
        if sliding_window is not None or flash_attention or use_gate:
            raise ValueError("MultiHeadAttention has no `sliding_window`, `flash_attention` and `use_gate` here")
        self.num_heads: int
        self.key_dim: int
        self.value_dim: int
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim or key_dim
        self.dropout: float
        self.use_bias: bool
        self.seed: int | None
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self.sliding_window: None
        self.use_gate: bool
        self.sliding_window, self.use_gate = sliding_window, use_gate
        self.output_sizes: tuple[int, ...] | None = _as_tuple(output_shape)
        self.attention_axes: Any = _as_tuple(attention_axes)
        remember(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        remember(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self._activity = regularizers.get(activity_regularizer)
        self.supports_masking = True

    def build(  # type: ignore[override]  # by the arguments of a call, as Keras does
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Make the layers for queries, keys, values and the output."""
        key_shape = value_shape if key_shape is None else key_shape
        if tuple(key_shape[1:-1]) != tuple(value_shape[1:-1]):
            raise ValueError(
                f'All dimensions of `value` and `key`, except the last one, must be equal. Layer "{self.name}" '
                f"received: value_shape={value_shape} and key_shape={key_shape}"
            )
        rank = len(query_shape)
        self.attention_axes = tuple(axis % rank for axis in self.attention_axes or range(1, rank - 1))
        head = (self.num_heads, self.key_dim)
        self._query_dense = self._dense("query", query_shape, 1, head)
        self._key_dense = self._dense("key", key_shape, 1, head)
        self._value_dense = self._dense("value", value_shape, 1, (self.num_heads, self.value_dim))
        width = len(self.attention_axes)
        self._softmax = Softmax(axis=tuple(range(-width, 0)), dtype=self.dtype)
        self._dropout_layer = Dropout(self.dropout, seed=self.seed, dtype=self.dtype)
        self.__dict__["_shapes"] = {"query_shape": query_shape, "value_shape": value_shape, "key_shape": key_shape}
        heads = (*query_shape[:-1], self.num_heads, self.value_dim)
        self._output_dense = self._dense("attention_output", heads, 2, self.output_sizes or (query_shape[-1],))
        super().build(query_shape)

    def get_build_config(self) -> dict[str, Any] | None:
        """What is needed to build the layer again: the shapes for which it was built."""
        return self.__dict__.get("_shapes")

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Build the layer as one was that gave this."""
        self.build(**{name: tuple(shape) for name, shape in config.items()})

    def _dense(self, name: str, shape: Any, bound: int, sizes: tuple[int, ...]) -> EinsumDense:
        """A dense layer from the last ``bound`` axes of a shape to axes of these sizes."""
        letters = iter(ascii_lowercase)
        free = "".join(next(letters) for _ in range(len(shape) - bound))
        summed = "".join(next(letters) for _ in range(bound))
        given = "".join(next(letters) for _ in sizes)
        made = EinsumDense(
            f"{free}{summed},{summed}{given}->{free}{given}",
            output_shape=(*(None,) * (len(free) - 1), *sizes),
            bias_axes=given if self.use_bias else None,
            name=name,
            dtype=self.dtype,
            activity_regularizer=self._activity,
            **self._weights_made_with(),
        )
        made.supports_masking = True  # what the masks say is in the weights
        made.build(tuple(shape))
        return made

    def _weights_made_with(self) -> dict[str, Any]:
        fields = {f"{name}_{kind}": getattr(self, f"{name}_{kind}") for name in ("kernel", "bias")
                  for kind in ("regularizer", "constraint")}  # fmt: skip
        for name in ("kernel_initializer", "bias_initializer"):  # each layer draws its own numbers
            fields[name] = initializers.deserialize(initializers.serialize(getattr(self, name)))
        return fields

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """The weighted means, and the weights of each head if asked for.

        Args:
            query: ``[examples, places, size]``.
            value: ``[examples, other places, size]``.
            key: what queries are compared with; the values when it is None.
            query_mask: which queries count.
            value_mask: which values count.
            key_mask: which keys count.
            attention_mask: which values each query may look at, ``[examples, places, other places]``.
            return_attention_scores: give the weights besides.
            training: whether weights are dropped.
            use_causal_mask: no query looks at later places.
        """
        query, value = convert_to_tensor(query), convert_to_tensor(value)
        causal = causal_mask(query._a.shape[1], value._a.shape[1]) if use_causal_mask else None
        mask = all_of(_wide(query_mask, -1), _wide(value_mask, -2), _wide(key_mask, -2), causal, attention_mask)
        queries = self._query_dense(query) * (1.0 / math.sqrt(self.key_dim))
        keys = self._key_dense(value if key is None else key)
        to_weights, to_means = self._equations(queries.ndim)
        scores = einsum(to_weights, keys, queries)
        if mask is not None:
            for _ in range(scores.ndim - mask.ndim):
                mask = registry["expand_dims"].run(mask, -len(self.attention_axes) * 2 - 1)
        weights = self._softmax(scores, mask=mask)
        means = einsum(to_means, self._dropout_layer(weights, training=training), self._value_dense(value))
        output = self._output_dense(means)
        return (output, weights) if return_attention_scores else output

    def _equations(self, rank: int) -> tuple[str, str]:
        """From keys and queries to weights, and from weights and values to means."""
        letters = iter(ascii_lowercase)
        places = range(rank - 2)
        query = [next(letters) for _ in places]
        key = [next(letters) if axis in self.attention_axes else query[axis] for axis in places]
        head, size = next(letters), next(letters)
        apart = "".join(query[axis] for axis in places if axis not in self.attention_axes)
        targets, sources = ("".join(row[axis] for axis in self.attention_axes) for row in (query, key))
        weights = f"{apart}{head}{targets}{sources}"
        keys, queries = "".join(key) + head + size, "".join(query) + head + size
        return f"{keys},{queries}->{weights}", f"{weights},{keys}->{queries}"

    def compute_mask(self, query: Any, mask: Any = None) -> Any:
        """The mask of the queries."""
        return mask

    def compute_output_shape(self, query_shape: Any, value_shape: Any = None, key_shape: Any = None) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return (*query_shape[:-1], *(self.output_sizes or query_shape[-1:]))

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        plain = "num_heads key_dim value_dim dropout use_bias use_gate attention_axes sliding_window seed"
        config = {**super().get_config(), **config_of(self, plain, "kernel bias"), "output_shape": self.output_sizes}
        return {**config, "activity_regularizer": regularizers.serialize(self._activity)}


def _as_tuple(value: Any) -> tuple[int, ...] | None:
    return None if value is None else tuple(value) if isinstance(value, Sequence) else (value,)


def _wide(mask: Any, axis: int) -> Any:
    return None if mask is None else registry["expand_dims"].run(public["cast"](mask, "bool"), axis)
