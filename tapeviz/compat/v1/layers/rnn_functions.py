"""``tf.nn.dynamic_rnn`` and its kin: a cell step by step along sequences."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.compat.v1.variables.variable_scope import variable_scope
from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.graphs.control.control_flow import while_loop
from tapeviz.graphs.control.tensor_array import TensorArray
from tapeviz.ops.array.concat import concat, stack, unstack
from tapeviz.ops.array.creation import shape as shape_of
from tapeviz.ops.array.reshape import reshape, transpose
from tapeviz.ops.array.reverse import reverse, reverse_sequence
from tapeviz.ops.array.select import where

__all__ = ["bidirectional_dynamic_rnn", "dynamic_rnn", "static_bidirectional_rnn", "static_rnn"]


def _states(cell: Any, first: Any, initial: Any, dtype: Any) -> Any:
    """The states to begin with."""
    if initial is not None:
        return initial
    size = first.shape[0] if first.shape[0] is not None else shape_of(first)[0]
    if not hasattr(cell, "zero_state"):  # a cell of Keras
        return cell.get_initial_state(batch_size=size)
    return cell.zero_state(size, dtype or first.dtype)


def _held(running: Any, new: Any, old: Any) -> Any:
    """What is new where a sequence goes on, what was there before where it has ended."""
    return nest.map_structure(lambda after, before: where(reshape(running, [-1, 1]), after, before), new, old)


@in_graph
def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None, scope: Any = None
) -> Any:
    """A cell applied to each of a list of inputs.

    Args:
        cell: the cell.
        inputs: a list of tensors ``(batch, features)``, one a step.
        initial_state: the states to begin with; zeros of ``dtype`` unless given.
        dtype: as said.
        sequence_length: after how many steps each example ends: its outputs are 0 then, and its states stay.
        scope: the name of the scope of variables.

    Returns:
        The list of outputs, and the last states.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     outputs, state = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(4), [tf.ones([2, 3])] * 5, dtype=tf.float32)
    ...     print(len(outputs), state.shape)
    5 (2, 4)
    """
    with variable_scope(scope or "rnn"):
        steps = [convert_to_tensor(step) for step in inputs]
        state, outputs = _states(cell, steps[0], initial_state, dtype), []
        lengths = None if sequence_length is None else convert_to_tensor(sequence_length)
        for time, step in enumerate(steps):
            output, after = cell(step, state)
            if lengths is not None:
                running = lengths > time
                output = _held(running, output, output * 0)
                after = _held(running, after, state)
            state = after
            outputs.append(output)
    return outputs, state


@in_graph
def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, dtype: Any = None,
    parallel_iterations: Any = None, swap_memory: bool = False, time_major: bool = False, scope: Any = None,
) -> Any:  # fmt: skip
    """A cell along sequences.

    Args:
        cell: the cell.
        inputs: ``(batch, time, features)``, or ``(time, batch, features)`` where ``time_major``.
        sequence_length: after how many steps each example ends: its outputs are 0 then, and its states stay.
        initial_state: the states to begin with; zeros of ``dtype`` unless given.
        dtype: as said.
        parallel_iterations: accepted as TensorFlow does.
        swap_memory: accepted as TensorFlow does.
        time_major: as said.
        scope: the name of the scope of variables.

    Returns:
        The outputs, in the order of axes of the inputs, and the last states.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), tf.ones([2, 5, 3]), dtype=tf.float32)
    ...     print(outputs.shape, state.shape)
    (2, 5, 4) (2, 4)
    """
    whole = convert_to_tensor(inputs)
    steps = whole if time_major else transpose(whole, [1, 0, 2])
    if steps.shape[0] is not None:
        listed, state = static_rnn(cell, unstack(steps), initial_state, dtype, sequence_length, scope)
        outputs = stack(listed)
    else:
        with variable_scope(scope or "rnn"):
            outputs, state = _looped(cell, steps, initial_state, dtype, sequence_length)
    return outputs if time_major else transpose(outputs, [1, 0, 2]), state


def _looped(cell: Any, steps: Any, initial: Any, dtype: Any, sequence_length: Any) -> Any:
    """The steps of a number that is known when the graph runs."""
    count, first = shape_of(steps)[0], _states(cell, steps[0], initial, dtype)
    cell(steps[0], first)  # makes the variables, which a loop must find
    kind = dtype or steps.dtype
    made = TensorArray(kind, size=count, element_shape=[steps.shape[1], cell.output_size])
    lengths = None if sequence_length is None else convert_to_tensor(sequence_length)

    def step(time: Any, state: Any, outputs: Any) -> Any:
        output, after = cell(steps[time], state)
        if lengths is not None:
            running = lengths > convert_to_tensor(time, dtype=lengths.dtype)
            output, after = _held(running, output, output * 0), _held(running, after, state)
        return time + 1, after, outputs.write(time, output)

    _, state, outputs = while_loop(lambda time, *_rest: time < count, step, (0, first, made))
    return outputs.stack(), state


@in_graph
def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, parallel_iterations: Any = None, swap_memory: bool = False,
    time_major: bool = False, scope: Any = None,
) -> Any:  # fmt: skip
    """Two cells along sequences, one from the end. Arguments as for :func:`dynamic_rnn`.

    Returns:
        The pair of outputs and the pair of states.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     cells = [tf.nn.rnn_cell.GRUCell(4) for _ in range(2)]
    ...     (forward, _), _ = tf.nn.bidirectional_dynamic_rnn(*cells, tf.ones([2, 5, 3]), dtype=tf.float32)
    ...     print(forward.shape)
    (2, 5, 4)
    """
    axis = 0 if time_major else 1

    def turned(value: Any) -> Any:
        if sequence_length is None:
            return reverse(value, [axis])
        return reverse_sequence(value, sequence_length, seq_axis=axis, batch_axis=1 - axis)

    given: Any = {"sequence_length": sequence_length, "dtype": dtype, "time_major": time_major}
    with variable_scope(scope or "bidirectional_rnn"):
        forward, first = dynamic_rnn(cell_fw, inputs, initial_state=initial_state_fw, scope="fw", **given)
        back, last = dynamic_rnn(cell_bw, turned(inputs), initial_state=initial_state_bw, scope="bw", **given)
    return (forward, turned(back)), (first, last)


@in_graph
def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None, initial_state_bw: Any = None,
    dtype: Any = None, sequence_length: Any = None, scope: Any = None,
) -> Any:  # fmt: skip
    """The same for a list of inputs. Returns the outputs side by side, and both last states.

    >>> import tapeviz.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     cells = [tf.nn.rnn_cell.GRUCell(4) for _ in range(2)]
    ...     outputs, _, _ = tf.nn.static_bidirectional_rnn(*cells, [tf.ones([2, 3])] * 5, dtype=tf.float32)
    ...     print(outputs[0].shape)
    (2, 8)
    """
    (forward, back), (first, last) = bidirectional_dynamic_rnn(
        cell_fw, cell_bw, stack(list(inputs)), sequence_length, initial_state_fw, initial_state_bw, dtype,
        time_major=True, scope=scope,
    )  # fmt: skip
    return unstack(concat([forward, back], 2)), first, last
