"""Cells: one step of a recurrent layer, from an input and the states before to an output and the states after.

A cell computes what its input gives to the gates first (``projected``), which a layer does for all steps at once, and
then what the states do with it (``advanced``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.variable import Variable
from tapeviz.keras import activations
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of, make, remember
from tapeviz.keras.layers.recurrent_steps import size_list
from tapeviz.keras.serialization import deserialize_keras_object, serialize_keras_object
from tapeviz.ops.array.concat import concat, split
from tapeviz.ops.array.creation import ones, zeros
from tapeviz.ops.linalg.matmul import matmul, tensordot
from tapeviz.ops.nn.dropout import dropout as dropped

__all__ = ["GRUCell", "LSTMCell", "SimpleRNNCell", "StackedRNNCells"]


def _times(x: Any, kernel: Any) -> Any:
    """The product of a tensor's last axis with a matrix."""
    return matmul(x, kernel) if x.ndim == 2 else tensordot(x, kernel, 1)  # noqa: PLR2004 - a matrix


class Cell(Layer):
    """What the cells have in common; see ``LSTMCell``."""

    gates: ClassVar[int] = 1

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        if units <= 0:
            raise ValueError(
                f"Received an invalid value for argument `units`, expected a positive integer, got {units}."
            )
        super().__init__(**kwargs)
        self.units: int
        self.use_bias: bool
        self.seed: int | None
        self.units, self.use_bias, self.seed = units, use_bias, seed
        self.activation: Any = activations.get(activation)
        remember(self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint)
        remember(self, "recurrent", recurrent_initializer, recurrent_regularizer, recurrent_constraint)
        remember(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.dropout: float = min(1.0, max(0.0, dropout))
        self.recurrent_dropout: float = min(1.0, max(0.0, recurrent_dropout))
        self.state_size: Any = units
        self.output_size = units

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, ``recurrent_kernel`` and ``bias``, with as many columns a unit as there are gates."""
        wide = self.gates * self.units
        self.kernel: Variable = make(self, "kernel", (input_shape[-1], wide))
        self.recurrent_kernel: Variable = make(self, "recurrent", (self.units, wide), "recurrent_kernel")
        self.bias: Any | None = self._make_bias(wide) if self.use_bias else None
        super().build(input_shape)

    def _make_bias(self, wide: int) -> Any:
        return make(self, "bias", (wide,))

    def call(self, inputs: Any, states: Any, training: Any = False) -> tuple[Any, Any]:
        """One step: the output and the states after it, in the form of those before."""
        nested = isinstance(states, (list, tuple))
        kept = self.noises(inputs, training)
        output, after = self.advanced(self.projected(inputs, kept[0]), list(states) if nested else [states], kept[1])
        return output, after if nested else after[0]

    def noises(self, inputs: Any, training: Any) -> tuple[Any, Any]:
        """What inputs and states are multiplied with in training, the same for all steps; None for nothing."""
        if not training:
            return None, None
        inputs = convert_to_tensor(inputs)
        shapes = ((self.dropout, inputs._a.shape[-1]), (self.recurrent_dropout, self.units))
        first, second = (
            dropped(ones([inputs._a.shape[0], width], self.compute_dtype), rate, seed=self.seed) if rate > 0 else None
            for rate, width in shapes
        )
        return first, second

    def projected(self, inputs: Any, kept: Any = None) -> Any:
        """What the inputs, of one step or of all, give to the gates."""
        inputs = convert_to_tensor(inputs)
        if kept is not None:
            inputs = inputs * (kept if inputs.ndim == kept.ndim else registry["expand_dims"].run(kept, 1))
        gates = _times(inputs, self.kernel)
        return gates if self.bias is None else gates + self._input_bias()

    def _input_bias(self) -> Any:
        return self.bias

    def advanced(self, gates: Any, states: list[Any], kept: Any = None) -> tuple[Any, list[Any]]:
        """The output and the states after a step, from what its input gives to the gates."""
        raise NotImplementedError(
            f"Cell {type(self).__name__} must implement `advanced(self, gates, states, kept)`, which returns "
            "the output and the new states of a step."
        )

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Zeros for all states."""
        return [zeros([batch_size, size], self.compute_dtype) for size in nest.flatten(self.state_size)]

    def get_config(self) -> dict[str, Any]:
        """What the cell was made with."""
        plain = "units use_bias dropout recurrent_dropout seed"
        return {**super().get_config(), **config_of(self, plain, "kernel recurrent bias", "activation")}


class SimpleRNNCell(Cell):
    """The step of ``SimpleRNN``: the output is the state after it.

    The arguments are those of ``SimpleRNN`` that say what the weights are.

    >>> import tapeviz as tf
    >>> cell = tf.keras.layers.SimpleRNNCell(4)
    >>> output, states = cell(tf.ones([2, 3]), cell.get_initial_state(batch_size=2))
    >>> output.shape
    TensorShape([2, 4])
    """

    def advanced(self, gates: Any, states: list[Any], kept: Any = None) -> tuple[Any, list[Any]]:
        """The output and the state after a step."""
        before = states[0] if kept is None else states[0] * kept
        output = self.activation(gates + matmul(before, self.recurrent_kernel))
        return output, [output]


class _Gated(Cell):
    """A cell with gates, whose activation is another."""

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: bool = True,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        kwargs.pop("implementation", None)
        super().__init__(units, activation, use_bias, **kwargs)
        self.recurrent_activation: Any = activations.get(recurrent_activation)

    def get_config(self) -> dict[str, Any]:
        """What the cell was made with."""
        return {**super().get_config(), **config_of(self, "", functions="recurrent_activation")}


class LSTMCell(_Gated):
    """The step of ``LSTM``: gates for input, forgetting, the candidate and output; the states are output and carry.

    The arguments are those of ``LSTM`` that say what the weights are.

    >>> import tapeviz as tf
    >>> cell = tf.keras.layers.LSTMCell(4)
    >>> output, (hidden, carry) = cell(tf.ones([2, 3]), cell.get_initial_state(batch_size=2))
    >>> output.shape, carry.shape
    (TensorShape([2, 4]), TensorShape([2, 4]))
    """

    gates = 4

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: bool = True,
        *, unit_forget_bias: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation, recurrent_activation, use_bias, **kwargs)
        self.unit_forget_bias = unit_forget_bias
        self.state_size: Any = [units, units]

    def _make_bias(self, wide: int) -> Any:
        if not self.unit_forget_bias:
            return super()._make_bias(wide)
        plain: Any = self.__dict__["bias_initializer"]

        def remembering(shape: Any, dtype: Any = None) -> Any:
            one, rest = ones((self.units,), dtype), (self.units * 2,)
            return concat([plain((self.units,), dtype=dtype), one, plain(rest, dtype=dtype)], 0)

        more = {kind: self.__dict__[f"bias_{kind}"] for kind in ("regularizer", "constraint")}
        return self.add_weight(name="bias", shape=(wide,), initializer=remembering, **more)

    def advanced(self, gates: Any, states: list[Any], kept: Any = None) -> tuple[Any, list[Any]]:
        """The output, and output and carry after a step."""
        hidden, carry = states
        before = hidden if kept is None else hidden * kept
        given = split(gates + matmul(before, self.recurrent_kernel), 4, -1)
        enter, keep, leave = (self.recurrent_activation(given[place]) for place in (0, 1, 3))
        carry = keep * carry + enter * self.activation(given[2])
        output = leave * self.activation(carry)
        return output, [output, carry]

    def get_config(self) -> dict[str, Any]:
        """What the cell was made with."""
        return {**super().get_config(), **config_of(self, "unit_forget_bias")}


class GRUCell(_Gated):
    """The step of ``GRU``: gates for update and reset, and a candidate; the output is the state after it.

    The arguments are those of ``GRU`` that say what the weights are.

    >>> import tapeviz as tf
    >>> cell = tf.keras.layers.GRUCell(4)
    >>> output, states = cell(tf.ones([2, 3]), cell.get_initial_state(batch_size=2))
    >>> output.shape, cell.bias.shape
    (TensorShape([2, 4]), TensorShape([2, 12]))
    """

    gates = 3

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: bool = True,
        *, reset_after: bool = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(units, activation, recurrent_activation, use_bias, **kwargs)
        self.reset_after = reset_after

    def _make_bias(self, wide: int) -> Any:
        return make(self, "bias", (2, wide) if self.reset_after else (wide,))

    def _input_bias(self) -> Any:
        return self.bias[0] if self.reset_after and self.bias is not None else self.bias

    def _recurrent_bias(self) -> Any:
        return None if self.bias is None else self.bias[1]

    def advanced(self, gates: Any, states: list[Any], kept: Any = None) -> tuple[Any, list[Any]]:
        """The output and the state after a step."""
        hidden = states[0]
        before = hidden if kept is None else hidden * kept
        update, reset, given = split(gates, 3, -1)
        if self.reset_after:
            inner = matmul(before, self.recurrent_kernel)
            inner = inner if (bias := self._recurrent_bias()) is None else inner + bias
            to_update, to_reset, to_candidate = split(inner, 3, -1)
            update, reset = self.recurrent_activation(update + to_update), self.recurrent_activation(reset + to_reset)
            candidate = self.activation(given + reset * to_candidate)
        else:
            kernel, wide = self.recurrent_kernel, 2 * self.units
            to_update, to_reset = split(matmul(before, kernel[:, :wide]), 2, -1)
            update, reset = self.recurrent_activation(update + to_update), self.recurrent_activation(reset + to_reset)
            candidate = self.activation(given + matmul(reset * before, kernel[:, wide:]))
        output = update * hidden + (1 - update) * candidate
        return output, [output]

    def get_config(self) -> dict[str, Any]:
        """What the cell was made with."""
        return {**super().get_config(), **config_of(self, "reset_after")}


class StackedRNNCells(Layer):
    """Several cells as one: the output of each is the input of the next.

    Args:
        cells: the cells.
        kwargs: what every layer takes.

    Raises:
        ValueError: one of them is not a cell.

    >>> import tapeviz as tf
    >>> cells = [tf.keras.layers.LSTMCell(4), tf.keras.layers.GRUCell(3)]
    >>> tf.keras.layers.RNN(tf.keras.layers.StackedRNNCells(cells))(tf.ones([2, 5, 1])).shape
    TensorShape([2, 3])
    """

    def __init__(self, cells: Sequence[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            if not (hasattr(cell, "call") and hasattr(cell, "state_size")):
                raise ValueError(
                    f"All cells must have a `call` method and a `state_size` attribute. Received: cell={cell}"
                )
        self.cells: list[Any] = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """The sizes of the states of each cell."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> int:
        """How many numbers come out."""
        last = self.cells[-1]
        return int(getattr(last, "output_size", nest.flatten(last.state_size)[0]))

    def build(self, input_shape: Any) -> None:
        """Build the cells."""
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
                cell.built = True
            size = getattr(cell, "output_size", None) or nest.flatten(cell.state_size)[0]
            input_shape = (input_shape[0], size)
        super().build(input_shape)

    def call(self, inputs: Any, states: Any, training: Any = False) -> tuple[Any, list[Any]]:
        """One step of each cell, one after the other."""
        after = []
        for cell, before in zip(self.cells, states, strict=True):
            one = before if isinstance(before, (list, tuple)) else [before]
            known = {"training": training} if isinstance(cell, (Cell, StackedRNNCells)) else {}
            inputs, new = cell(inputs, list(one), **known)
            after.append(list(new) if isinstance(before, (list, tuple)) else nest.flatten(new)[0])
        return inputs, after

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The states of each cell to begin with."""
        return [initial_state(cell, batch_size) for cell in self.cells]

    def get_config(self) -> dict[str, Any]:
        """What the cells were made with."""
        return {**super().get_config(), "cells": [serialize_keras_object(cell) for cell in self.cells]}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> StackedRNNCells:
        """Cells with these arguments."""
        return cls(**{**config, "cells": [deserialize_keras_object(cell) for cell in config["cells"]]})


def initial_state(cell: Any, batch_size: Any) -> Any:
    """The states that a cell begins with, in the form of its ``state_size``."""
    if hasattr(cell, "get_initial_state"):
        found = cell.get_initial_state(batch_size=batch_size)
    else:
        dtype = getattr(cell, "compute_dtype", "float32")
        found = [zeros([batch_size, *size_list(size)], dtype) for size in nest.flatten(cell.state_size)]
    if isinstance(cell.state_size, (list, tuple)):
        return list(found)
    return nest.flatten(found)[0]
