"""Recurrent layers: a cell that goes along sequences, and what comes out at the end or at each step."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, ClassVar, Final, NamedTuple

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.operators import public
from tapeviz.engine.state import local
from tapeviz.engine.variable import Variable
from tapeviz.keras import regularizers
from tapeviz.keras.layers.layer import Layer
from tapeviz.keras.layers.parameters import config_of
from tapeviz.keras.layers.recurrent_cells import Cell, GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells, initial_state
from tapeviz.keras.layers.recurrent_steps import Steps, size_list
from tapeviz.keras.layers.shapes import flat_shapes, map_shapes
from tapeviz.keras.serialization import deserialize_keras_object, serialize_keras_object

__all__ = ["GRU", "LSTM", "RNN", "SimpleRNN"]


class _Start(NamedTuple):
    """What a run along sequences begins with."""

    inputs: Any
    states: list[Any]
    mask: Any


class RNN(Layer):
    """A cell that goes along sequences, ``[examples, steps, features]``.

    A cell with several inputs goes along a structure of sequences that have the same number of steps. Inside a function
    it is traced step by step where the number of steps is known and small, else as a loop.

    Args:
        cell: a layer with ``state_size`` and ``call(inputs, states)``, which gives an output and the states after it; a
            list of cells makes a stack.
        return_sequences: give the outputs of all steps, ``[examples, steps, units]``, not only the last.
        return_state: give the states after the last step besides.
        go_backwards: begin with the last step; outputs are in the order in which they are computed.
        stateful: begin with the states that the last batch ended with, until ``reset_states()``.
        unroll: trace step by step, however many there are.
        zero_output_for_mask: give zeros at masked steps, not the output before.
        kwargs: what every layer takes.

    Raises:
        ValueError: ``cell`` is not a cell, or a stateful layer gets a batch of another size.

    >>> import tapeviz as tf
    >>> layer = tf.keras.layers.RNN(tf.keras.layers.LSTMCell(4), return_sequences=True)
    >>> layer(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 4])
    """

    states: Any

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell, dtype=getattr(cell[0], "dtype", None))
        for needed in ("call", "state_size"):
            if not hasattr(cell, needed):
                raise ValueError(f"Argument `cell` of an RNN should have `{needed}`. Received: cell={cell}")
        self.cell = cell
        self.return_sequences: bool
        self.return_state: bool
        self.go_backwards: bool
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
        self.stateful: bool
        self.unroll: bool
        self.zero_output_for_mask: bool
        self.stateful, self.unroll, self.zero_output_for_mask = stateful, unroll, zero_output_for_mask
        self.supports_masking = True
        self.__dict__["states"] = None  # no weights: neither saved nor counted

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Build the cell, and with ``stateful`` the variables for its states."""
        shapes = flat_shapes(sequences_shape)
        for place, shape in enumerate(shapes):
            if len(shape) < 3:  # noqa: PLR2004 - examples, steps, features
                raise ValueError(
                    f'Input {place} of layer "{self.name}" is incompatible with the layer: expected ndim=3, found '
                    f"ndim={len(shape)}. Full shape received: {tuple(shape)}"
                )
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build(map_shapes(lambda shape: (shape[0], *shape[2:]), sequences_shape))
            self.cell.built = True
        if self.stateful and self.states is None:
            self._make_states(shapes[0])
        super().build(sequences_shape)

    def _make_states(self, shape: Any) -> None:
        if shape[0] is None:
            raise ValueError(
                f'With `stateful=True` layer "{self.name}" needs the number of examples: give `batch_shape`. Received: '
                f"input_shape={tuple(shape)}"
            )
        zeros = initial_state(self.cell, shape[0])
        made = [Variable(zero, trainable=False, name="rnn_state") for zero in nest.flatten(zeros)]
        self.__dict__["states"] = made

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        """The output of the last step, or of all, and the states after it if asked for."""
        sequences = nest.map_structure(convert_to_tensor, sequences)
        states = self._first_states(sequences, initial_state)
        outputs, last, after = self._run(_Start(sequences, states, mask), training)
        if self.stateful:
            for variable, value in zip(self.states, nest.flatten(after), strict=True):
                variable.assign(value)
        output = outputs if self.return_sequences else last
        return (output, *after) if self.return_state else output

    def _first_states(self, sequences: Any, given: Any) -> list[Any]:
        examples = nest.flatten(sequences)[0]._a.shape[0]
        if self.stateful and examples != self.states[0].shape[0]:
            raise ValueError(
                "If an RNN is stateful, the batch size of the input sequences must be the same as the batch size of "
                f'the initial state. Layer "{self.name}" expected {self.states[0].shape[0]}, found {examples}'
            )
        if given is None and not self.stateful:
            given = initial_state(self.cell, examples)
        if given is None:
            sizes = self.cell.state_size
            return _as_list(nest.pack(sizes, [convert_to_tensor(state) for state in self.states]))
        return _as_list(given)

    def _run(self, start: _Start, training: Any) -> tuple[Any, Any, list[Any]]:
        """The outputs of all steps (None where they are not asked for), the last one, and the states after it."""
        cell, inputs, mask = self.cell, start.inputs, start.mask
        kept: Any = (None, None)
        if ready := isinstance(cell, Cell):
            kept = cell.noises(inputs, training)
            inputs = cell.projected(inputs, kept[0])
        if mask is not None:
            mask = public["cast"](mask, "bool")
        if self.go_backwards:
            reverse = registry["reverse"].run
            inputs = nest.map_structure(lambda sequence: reverse(sequence, (1,)), inputs)
            mask = None if mask is None else reverse(mask, (1,))

        def advance(x: Any, states: list[Any]) -> tuple[Any, list[Any]]:
            if ready:
                output, after = cell.advanced(x, states, kept[1])
                return output, after
            single = len(states) == 1 and not isinstance(cell.state_size, (list, tuple))
            known = {"training": training} if isinstance(cell, StackedRNNCells) else {}
            output, after = cell(x, states, **known)
            return output, _as_list(after) if not single else [nest.flatten(after)[0]]

        steps = Steps(advance, self.zero_output_for_mask)
        length = nest.flatten(inputs)[0]._a.shape[1]
        many = local.state.graph is not None and steps.are_many(length) and not self.unroll
        if isinstance(length, Deferred) or many:
            if self.unroll:
                raise ValueError(f'Layer "{self.name}" cannot unroll: the number of steps is not known')
            return steps.looped(inputs, start.states, mask, self._output_size)
        return steps.unrolled(inputs, start.states, mask, every=self.return_sequences)

    @property
    def _output_size(self) -> Any:
        """The size of an output without the examples: a number or shape, or a structure of such."""
        return getattr(self.cell, "output_size", None) or nest.flatten(self.cell.state_size)[0]

    @property
    def state_size(self) -> list[Any]:
        """The sizes of the cell's states."""
        return _as_list(self.cell.state_size)

    def get_initial_state(self, batch_size: Any) -> list[Any]:
        """The states that a run begins with when none are given."""
        return _as_list(initial_state(self.cell, batch_size))

    def reset_states(self) -> None:
        """Set the states of a stateful layer to zeros."""
        for variable in self.states or ():
            variable.assign(registry["zeros_like"].run(variable))

    reset_state = reset_states

    def compute_mask(self, sequences: Any, mask: Any = None) -> Any:
        """The mask of the steps, where all of them come out."""
        first = nest.flatten(mask)[0] if mask is not None else None
        of_output = first if self.return_sequences else None
        return [of_output, *(None for _ in nest.flatten(self.state_size))] if self.return_state else of_output

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        """The shape of what comes out."""
        examples, steps = flat_shapes(sequences_shape)[0][:2]
        first = (examples, steps) if self.return_sequences else (examples,)
        output = nest.map_structure(lambda size: (*first, *size_list(size)), self._output_size)
        if not self.return_state:
            return output
        return (output, *nest.map_structure(lambda size: (examples, *size_list(size)), self.state_size))

    def get_config(self) -> dict[str, Any]:
        """What the layer was made with."""
        plain = "return_sequences return_state go_backwards stateful unroll zero_output_for_mask"
        return {**super().get_config(), **config_of(self, plain), "cell": serialize_keras_object(self.cell)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer with these arguments."""
        return cls(**{**config, "cell": deserialize_keras_object(config["cell"])})


def _as_list(states: Any) -> list[Any]:
    return list(states) if isinstance(states, Sequence) else [states]


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
    """A fully connected recurrent layer: an activation of the input and of the output of the step before.

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
    """A long short-term memory layer: a carried state, with gates for what enters, stays and comes out.

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
    """A gated recurrent unit layer: gates say how much of the output before stays and how much of it is seen.

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
