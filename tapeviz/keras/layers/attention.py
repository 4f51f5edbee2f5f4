"""Attention: means of values, weighted by how well their keys go with each query."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.masks import all_of, causal_mask
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.math.trigonometry import tanh
from tapeviz.ops.nn.activations import softmax
from tapeviz.ops.nn.dropout import dropout as dropped

__all__ = ["AdditiveAttention", "Attention"]


class Attention(Layer):
    """Dot-product attention: means of values, weighted by the product of their keys with each query.

    It is called on ``[query, value]`` or ``[query, value, key]``, each ``[examples, places, size]``.

    Args:
        use_scale: whether scores are multiplied with a number that is learned.
        score_mode: ``"dot"`` for products of queries and keys, ``"concat"`` for the sum of ``tanh`` of their sums.
        dropout: the share of weights that is dropped in training.
        seed: makes dropout repeatable.
        kwargs: what every layer takes.

    Raises:
        ValueError: an argument does not fit, or it is not called on two or three tensors.

    >>> import tapeviz as tf
    >>> tf.keras.layers.Attention()([tf.ones([1, 4, 8]), tf.ones([1, 5, 8])]).shape
    TensorShape([1, 4, 8])
    """

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if score_mode not in {"dot", "concat"}:
            raise ValueError(f"Invalid value for argument score_mode. Expected one of {{'dot', 'concat'}}. Received: "
                             f"score_mode={score_mode}")  # fmt: skip
        self.use_scale: bool
        self.score_mode: str
        self.dropout: float
        self.seed: int | None
        self.use_scale, self.score_mode, self.dropout, self.seed = use_scale, score_mode, dropout, seed
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        """Make ``scale`` and ``concat_score_weight``, numbers, where they are wanted."""
        several = isinstance(input_shape, (list, tuple)) and all(isinstance(s, (list, tuple)) for s in input_shape)
        if not several or len(input_shape) not in {2, 3}:
            raise ValueError(
                f'{type(self).__name__} layer "{self.name}" must be called on a list of inputs, namely [query, value] '
                f"or [query, value, key]. Received: input_shape={input_shape}."
            )
        self.scale: Any | None = self._make_scale(input_shape) if self.use_scale else None
        concat = self.score_mode == "concat"
        self.concat_score_weight: Any | None = (
            self.add_weight(name="concat_score_weight", shape=(), initializer="ones") if concat else None
        )
        super().build(input_shape)

    def _make_scale(self, input_shape: Any) -> Any:
        return self.add_weight(name="scale", shape=(), initializer="ones")

    def _scores(self, query: Any, key: Any) -> Any:
        """How well each query goes with each key."""
        if self.score_mode == "dot":
            scores = matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        sums = _each_with_each(query, key)
        return self.concat_score_weight * reduce_sum(tanh(sums if self.scale is None else self.scale * sums), -1)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """The weighted means, and the weights if asked for.

        Args:
            inputs: queries, values and, where they are others than the values, keys.
            mask: a list of which queries and which values count; either may be None.
            training: whether weights are dropped.
            return_attention_scores: give the weights besides.
            use_causal_mask: no query looks at later places.
        """
        query, value, *more = (convert_to_tensor(x) for x in inputs)
        query_mask, value_mask = (mask[0], mask[1]) if mask else (None, None)
        scores = self._scores(query, more[0] if more else value)
        insert, where = registry["expand_dims"].run, registry["where"].run
        causal = causal_mask(*scores._a.shape[-2:]) if use_causal_mask else None
        if (seen := all_of(None if value_mask is None else insert(value_mask, -2), causal)) is not None:
            scores = where(seen, scores, scores - (65504.0 if scores.dtype.name == "float16" else 1e9))
        weights = softmax(scores)
        kept = dropped(weights, self.dropout, seed=self.seed) if training and self.dropout > 0 else weights
        means = matmul(kept, value)
        if query_mask is not None:
            means = where(insert(public["cast"](query_mask, "bool"), -1), means, 0.0)
        return (means, weights) if return_attention_scores else means

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the queries."""
        return convert_to_tensor(mask[0]) if mask and mask[0] is not None else None

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """The shape of what comes out."""
        return (*input_shape[0][:-1], input_shape[1][-1])

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**super().get_config(), **config_of(self, "use_scale score_mode dropout seed")}


class AdditiveAttention(Attention):
    """Additive (Bahdanau) attention: means of values, weighted by the sum of ``tanh`` of each query plus each key.

    It is called on ``[query, value]`` or ``[query, value, key]``, each ``[examples, places, size]``.

    Args:
        use_scale: whether the terms of the sum are multiplied with numbers that are learned.
        dropout: the share of weights that is dropped in training.
        kwargs: what every layer takes, and ``seed``.

    Raises:
        ValueError: it is not called on two or three tensors.

    >>> import tapeviz as tf
    >>> tf.keras.layers.AdditiveAttention()([tf.ones([1, 4, 8]), tf.ones([1, 5, 8])]).shape
    TensorShape([1, 4, 8])
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def _make_scale(self, input_shape: Any) -> Any:
        return self.add_weight(name="scale", shape=(input_shape[0][-1],), initializer="glorot_uniform")

    def _scores(self, query: Any, key: Any) -> Any:
        bent = tanh(_each_with_each(query, key))
        return reduce_sum(bent if self.scale is None else self.scale * bent, -1)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        config = super().get_config()
        del config["score_mode"]
        return config


def _each_with_each(query: Any, key: Any) -> Any:
    """The sum of each query and each key."""
    insert = registry["expand_dims"].run
    return insert(query, -2) + insert(key, -3)
