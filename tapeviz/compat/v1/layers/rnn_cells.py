"""``tf.nn.rnn_cell``: one step of a recurrent network, with TensorFlow 1's order of gates and names of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.compat.v1.layers.layer_scopes import Layer
from tapeviz.compat.v1.v1_functions import old_dropout
from tapeviz.engine import nest
from tapeviz.keras import activations
from tapeviz.keras.initializers.constants import Constant
from tapeviz.ops.array.concat import concat, split
from tapeviz.ops.array.creation import zeros
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.math.exponentials import sigmoid

__all__ = [
    "BasicLSTMCell", "BasicRNNCell", "DropoutWrapper", "GRUCell", "LSTMCell", "LSTMStateTuple", "MultiRNNCell",
    "RNNCell", "ResidualWrapper",
]  # fmt: skip


class LSTMStateTuple(NamedTuple):
    """The states of an LSTM: what it remembers, and its last output."""

    c: Any
    h: Any


class RNNCell(Layer, spans=False):
    """One step: from an input and the states before to an output and the states after. See :class:`BasicLSTMCell`."""

    @property
    def state_size(self) -> Any:
        """How many numbers each state has."""
        raise NotImplementedError("A cell must say its state_size")

    @property
    def output_size(self) -> Any:
        """How many numbers the output has."""
        raise NotImplementedError("A cell must say its output_size")

    @in_graph
    def zero_state(self, batch_size: Any, dtype: Any = "float32") -> Any:
        """States of zeros."""
        return nest.map_structure(lambda size: zeros([batch_size, size], dtype), self.state_size)


class _Recurrent(RNNCell, spans=False):
    """A cell of a number of units."""

    def __init__(
        self, num_units: int, activation: Any = "tanh", reuse: Any = None, name: str | None = None, dtype: Any = None,
        **_options: Any,
    ) -> None:  # fmt: skip
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = int(num_units)
        self._activation = activations.get(activation or "tanh")

    @property
    def state_size(self) -> Any:
        """How many numbers each state has."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """How many numbers the output has."""
        return self._num_units

    def _affine(self, values: Sequence[Any], name: str, width: int, bias: float) -> Any:
        """The product of the values side by side with a matrix, and a bias that begins with one number."""
        prefix = f"{name}/" if name else ""
        made = self.__dict__.setdefault("_matrices", {})
        if name not in made:
            rows = sum(int(value.shape[-1]) for value in values)
            kernel = self.add_weight(f"{prefix}kernel", [rows, width])
            made[name] = kernel, self.add_weight(f"{prefix}bias", [width], initializer=Constant(bias))
        kernel, offsets = made[name]
        return matmul(concat(list(values), 1), kernel) + offsets


class BasicRNNCell(_Recurrent, spans=False):
    """``output = activation(W [input, state] + b)``, which is the next state as well.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.BasicRNNCell(4)
    ...     output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [variable.name for variable in cell.variables])
    (2, 4) ['basic_rnn_cell/kernel:0', 'basic_rnn_cell/bias:0']
    """

    def call(self, inputs: Any, state: Any) -> Any:
        """The output, and the state after."""
        output = self._activation(self._affine([inputs, state], "", self._num_units, 0.0))
        return output, output


class GRUCell(_Recurrent, spans=False):
    """A gated recurrent unit: ``h' = u h + (1 - u) activation(W [x, r h] + b)``.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(4)
    ...     _ = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    ...     print([variable.name for variable in cell.variables][:2])
    ['gru_cell/gates/kernel:0', 'gru_cell/gates/bias:0']
    """

    def call(self, inputs: Any, state: Any) -> Any:
        """The output, and the state after."""
        gates = sigmoid(self._affine([inputs, state], "gates", 2 * self._num_units, 1.0))
        reset, update = split(gates, 2, 1)
        candidate = self._activation(self._affine([inputs, reset * state], "candidate", self._num_units, 0.0))
        output = update * state + (1 - update) * candidate
        return output, output


class BasicLSTMCell(_Recurrent, spans=False):
    """An LSTM whose states are an :class:`LSTMStateTuple`.

    Args:
        num_units: how many units.
        forget_bias: what is added to the forget gates, so that it remembers to begin with.
        state_is_tuple: must be True.
        activation: of what is remembered and put out.
        reuse: whether its variables are found in the scope.
        name: its name.
        dtype: of its variables.

    Raises:
        NotImplementedError: ``state_is_tuple`` is False.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    ...     output, (c, h) = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(c.shape, [variable.shape for variable in cell.variables])
    (2, 4) [TensorShape([7, 16]), TensorShape([16])]
    """

    def __init__(
        self, num_units: int, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None,
        reuse: Any = None, name: str | None = None, dtype: Any = None, **_options: Any,
    ) -> None:  # fmt: skip
        if not state_is_tuple:
            raise NotImplementedError("The states of an LSTM are a tuple here: state_is_tuple=True")
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias

    @property
    def state_size(self) -> LSTMStateTuple:
        """How many numbers each state has."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def call(self, inputs: Any, state: Any) -> Any:
        """The output, and the states after."""
        c, h = state
        enter, new, forget, leave = split(self._affine([inputs, h], "", 4 * self._num_units, 0.0), 4, 1)
        after = c * sigmoid(forget + self._forget_bias) + sigmoid(enter) * self._activation(new)
        output = self._activation(after) * sigmoid(leave)
        return output, LSTMStateTuple(after, output)


class LSTMCell(BasicLSTMCell, spans=False):
    """:class:`BasicLSTMCell` by the name of the one with more options, none of which is here.

    Raises:
        NotImplementedError: peepholes, projections or clipping are asked for.
    """

    def __init__(
        self, num_units: int, use_peepholes: bool = False, cell_clip: Any = None, initializer: Any = None,
        num_proj: Any = None, proj_clip: Any = None, num_unit_shards: Any = None, num_proj_shards: Any = None,
        forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None, reuse: Any = None,
        name: str | None = None, dtype: Any = None, **_options: Any,
    ) -> None:  # fmt: skip
        if use_peepholes or cell_clip or num_proj or proj_clip:
            raise NotImplementedError("An LSTM cell has no peepholes, projections or clipping here")
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, name, dtype)


class _Wrapper(RNNCell, spans=False):
    """Cells made into one."""

    _cell: Any

    @property
    def state_size(self) -> Any:
        """How many numbers each state has."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """How many numbers the output has."""
        return self._cell.output_size


class DropoutWrapper(_Wrapper, spans=False):
    """A cell whose inputs, states and outputs lose elements at random.

    >>> import tapeviz.compat.v1 as tf
    >>> tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), output_keep_prob=0.5).output_size
    4
    """

    def __init__(
        self, cell: Any, input_keep_prob: Any = 1.0, output_keep_prob: Any = 1.0, state_keep_prob: Any = 1.0,
        **_options: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self._cell = cell
        self._kept = input_keep_prob, output_keep_prob, state_keep_prob

    def call(self, inputs: Any, state: Any) -> Any:
        """The output, and the states after."""
        entering, leaving, staying = self._kept
        output, after = self._cell(_thinned(inputs, entering), state)
        return _thinned(output, leaving), nest.map_structure(lambda part: _thinned(part, staying), after)


def _thinned(value: Any, keep_prob: Any) -> Any:
    return value if isinstance(keep_prob, int | float) and keep_prob >= 1 else old_dropout(value, keep_prob)


class ResidualWrapper(_Wrapper, spans=False):
    """A cell whose input is added to its output."""

    def __init__(self, cell: Any, **_options: Any) -> None:
        super().__init__()
        self._cell = cell

    def call(self, inputs: Any, state: Any) -> Any:
        """The output, and the states after."""
        output, after = self._cell(inputs, state)
        return output + inputs, after


class MultiRNNCell(RNNCell, spans=False):
    """Cells one after the other in a step.

    >>> import tapeviz.compat.v1 as tf
    >>> cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(2)])
    >>> cells.state_size, cells.output_size
    ((4, 2), 2)
    """

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        self._cells = list(cells)

    @property
    def state_size(self) -> Any:
        """How many numbers each state has."""
        return tuple(cell.state_size for cell in self._cells)

    @property
    def output_size(self) -> Any:
        """How many numbers the output has."""
        return self._cells[-1].output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """The output of the last, and the states of all."""
        after = []
        for cell, before in zip(self._cells, state, strict=True):
            inputs, own = cell(inputs, before)
            after.append(own)
        return inputs, tuple(after)
