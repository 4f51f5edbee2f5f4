"""The recurrent layers with cells of their own."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar, Final

from tapeviz.keras import regularizers
from tapeviz.keras.layers.recurrent import RNN
from tapeviz.keras.layers.recurrent_cells import GRUCell, LSTMCell, SimpleRNNCell

__all__ = ["GRU", "LSTM", "SimpleRNN"]

# Arguments that are the layer's; all others are its cell's.
_OF_LAYER: Final = frozenset({
    "return_sequences", "return_state", "go_backwards", "stateful", "unroll", "zero_output_for_mask", "name",
    "trainable", "autocast", "activity_regularizer", "input_shape", "batch_input_shape", "batch_shape", "batch_size",
    "input_dim", "weights",
})  # fmt: skip
_OF_CELL: Final = (
    "units", "activation", "recurrent_activation", "use_bias", "unit_forget_bias", "reset_after", "dropout",
    "recurrent_dropout", "seed", "kernel", "recurrent_kernel", "bias", "kernel_initializer", "recurrent_initializer",
    "bias_initializer", "kernel_regularizer", "recurrent_regularizer", "bias_regularizer", "kernel_constraint",
    "recurrent_constraint", "bias_constraint",
)  # fmt: skip


class _OfCell(RNN):
    """A recurrent layer that makes its cell of its arguments."""

    cell_class: ClassVar[Any]

    def __init__(self, units: int, activation: Any, kwargs: dict[str, Any]) -> None:
        for ignored in ("use_cudnn", "implementation", "time_major"):
            kwargs.pop(ignored, None)
        own = {name: kwargs.pop(name) for name in list(kwargs) if name in _OF_LAYER}
        dtype = kwargs.pop("dtype", None)
        cell = self.cell_class(units, activation, dtype=dtype, trainable=own.get("trainable", True), **kwargs)
        super().__init__(cell, dtype=dtype, **own)

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        config = {**self.cell.get_config(), **super().get_config()}
        del config["cell"]
        return {**config, "activity_regularizer": regularizers.serialize(self.activity_regularizer)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer with these arguments."""
        return cls(**config)


for _name in _OF_CELL:
    setattr(_OfCell, _name, property(attrgetter(f"cell.{_name}"), doc=f"``{_name}`` of the cell."))


class SimpleRNN(_OfCell):
    """A recurrent layer whose output at each step is a bend of what comes in and of the output before.

    Args:
        units: how many numbers come out.
        activation: the bend.
        use_bias: whether numbers are added.
        kwargs: ``kernel_``, ``recurrent_`` and ``bias_`` with ``initializer``, ``regularizer`` and ``constraint``: what
            the weights are made with; ``dropout`` and ``recurrent_dropout``: the share of inputs and of outputs before
            that is dropped in training, with ``seed``; what ``RNN`` and every layer take.

    Raises:
        ValueError: an argument does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.SimpleRNN(4)(tf.ones([2, 5, 3])).shape
    TensorShape([2, 4])
    """

    cell_class = SimpleRNNCell

    def __init__(self, units: int, activation: Any = "tanh", use_bias: bool = True, **kwargs: Any) -> None:
        super().__init__(units, activation, {**kwargs, "use_bias": use_bias})


class LSTM(_OfCell):
    """A recurrent layer that carries numbers along, with gates for what enters, stays and comes out.

    Args:
        units: how many numbers come out.
        activation: what the candidate and the carry go through.
        recurrent_activation: what the gates go through.
        use_bias: whether numbers are added.
        kwargs: what ``SimpleRNN`` takes; ``unit_forget_bias``: whether the gate for staying begins with ones.

    Raises:
        ValueError: an argument does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.LSTM(4, return_sequences=True, return_state=True)
    >>> output, hidden, carry = layer(tf.ones([2, 5, 3]))
    >>> output.shape, carry.shape
    (TensorShape([2, 5, 4]), TensorShape([2, 4]))
    """

    cell_class = LSTMCell

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: bool = True,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        own = {"recurrent_activation": recurrent_activation, "use_bias": use_bias}
        super().__init__(units, activation, {**kwargs, **own})


class GRU(_OfCell):
    """A recurrent layer whose gates say how much of the output before stays and how much of it is seen.

    Args:
        units: how many numbers come out.
        activation: what the candidate goes through.
        recurrent_activation: what the gates go through.
        use_bias: whether numbers are added.
        kwargs: what ``SimpleRNN`` takes; ``reset_after``: whether the gate for what is seen comes after the product.

    Raises:
        ValueError: an argument does not fit, or the input has another rank.

    >>> import tapeviz as tf
    >>> tf.keras.layers.GRU(4)(tf.ones([2, 5, 3])).shape
    TensorShape([2, 4])
    """

    cell_class = GRUCell

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: bool = True,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        own = {"recurrent_activation": recurrent_activation, "use_bias": use_bias}
        super().__init__(units, activation, {**kwargs, **own})
