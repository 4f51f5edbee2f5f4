"""``tf.contrib.cudnn_rnn``: recurrent layers on top of each other, along the first axis. Here they run anywhere."""

from __future__ import annotations

from typing import Any

from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.recurrent import GRU, LSTM
from tapeviz.ops.array.concat import stack, unstack
from tapeviz.ops.array.reshape import transpose
from tapeviz.ops.nn.dropout import dropout as dropped

__all__ = ["CudnnGRU", "CudnnLSTM"]


class _Stacked(Layer, spans=False):
    """Layers of one kind, each on the outputs of the one before."""

    kind: Any = None

    def __init__(
        self, num_layers: int, num_units: int, input_mode: str = "linear_input", direction: str = "unidirectional",
        dropout: float = 0.0, seed: int | None = None, dtype: Any = "float32", kernel_initializer: Any = None,
        bias_initializer: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        if direction != "unidirectional":
            raise NotImplementedError("In both directions: tf.keras.layers.Bidirectional")
        super().__init__(name=name, dtype=dtype)
        self.num_layers, self.num_units = num_layers, num_units
        self._dropout = dropout
        self.layers = [
            self.kind(
                num_units, return_sequences=True, return_state=True,
                kernel_initializer=kernel_initializer or "glorot_uniform", bias_initializer=bias_initializer or "zeros",
            )
            for _ in range(num_layers)
        ]  # fmt: skip

    def call(self, inputs: Any, initial_state: Any = None, training: bool = True) -> Any:
        """The outputs ``(time, batch, units)``, and the last states ``(layers, batch, units)``."""
        given = (
            [None] * self.num_layers if initial_state is None else list(zip(*map(unstack, initial_state), strict=True))
        )
        inputs, states = transpose(inputs, [1, 0, 2]), []
        for place, (layer, state) in enumerate(zip(self.layers, given, strict=True)):
            if place and training and self._dropout:
                inputs = dropped(inputs, self._dropout)
            inputs, *after = layer(inputs, initial_state=None if state is None else list(state))
            states.append(after)
        return transpose(inputs, [1, 0, 2]), tuple(stack(list(parts)) for parts in zip(*states, strict=True))


class CudnnLSTM(_Stacked, spans=False):
    """LSTMs: states are the outputs and what is remembered.

    >>> import tapeviz as tf
    >>> outputs, (h, c) = tf.contrib.cudnn_rnn.CudnnLSTM(2, 4)(tf.ones([5, 3, 2]))
    >>> outputs.shape, c.shape
    (TensorShape([5, 3, 4]), TensorShape([2, 3, 4]))
    """

    kind = LSTM


class CudnnGRU(_Stacked, spans=False):
    """Gated recurrent units.

    >>> import tapeviz as tf
    >>> tf.contrib.cudnn_rnn.CudnnGRU(1, 4)(tf.ones([5, 3, 2]))[0].shape
    TensorShape([5, 3, 4])
    """

    kind = GRU
