"""Shape and layout: the same elements in the opposite order, or moved round."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.static_shapes import of_any_rank
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import as_vector
from tapeviz.ops.runtime_calls import as_given, by_length

__all__ = ["reverse", "reverse_sequence", "roll"]


def _reverse_rule(x: Spec, *, axis: tuple[int, ...]) -> Spec:
    rank = len(x.shape)
    for position, one in enumerate(axis):
        if not -rank <= one < rank:
            raise InvalidArgumentError(f"'axis'[{position}] = {one} is out of valid range [0, {rank - 1}")
    counted = [one % rank for one in axis]
    for one in counted:
        if counted.count(one) > 1:
            raise InvalidArgumentError(f"axis {one} specified more than once.")
    return x


_reverse = op(
    "reverse",
    doc="A tensor with its elements along axes reversed.",
    family="shape",
    tf_name="ReverseV2",
    forward=lambda xp, x, *, axis: xp.flip(x, axis),
    infer=_reverse_rule,
    static=of_any_rank(0),
    vjp={"x": lambda F, g, axis: F.reverse(g, axis=axis)},
    formula=r"y_i = x_{n-1-i}",
    vjp_formula=(r"\bar x_i = \bar y_{n-1-i}",),
    samples=cases(([(3,)], {"axis": (0,)}), ([(2, 3)], {"axis": (-1,)}), ([(2, 3)], {"axis": (0, 1)})),
    silent=True,
    aliases="x",
    traits="moves",
)


@by_length(as_given)
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """``tensor`` with its elements reversed along each axis in the list ``axis``.

    Raises:
        InvalidArgumentError: there is no such axis, or it is named twice.

    >>> import tapeviz as tf
    >>> tf.reverse([1, 2, 3], [0]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    return _reverse.run(tensor, as_vector(axis, "'dims' must be 1-dimension, not"))


def _roll_rule(x: Spec, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Spec:
    rank = len(x.shape)
    if not rank:
        raise InvalidArgumentError("input must be 1-D or higher")
    if len(shift) != len(axis):
        raise InvalidArgumentError("shift and axis must have the same size")
    for one in axis:
        if not -rank <= one < rank:
            raise InvalidArgumentError(f"axis {one} is out of range")
    return x


def _roll(xp: Any, x: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    if not x.ndim or len(shift) != len(axis):
        raise ValueError("a shift an axis is needed")
    return xp.roll(x, shift, axis)


_rolled = op(
    "roll",
    doc="A tensor rolled along axes: elements shifted past one end come in at the other.",
    family="shape",
    forward=_roll,
    infer=_roll_rule,
    static=of_any_rank(1),
    vjp={"x": lambda F, g, shift, axis: F.roll(g, shift=tuple(-by for by in shift), axis=axis)},
    formula=r"y_{(i+s) \bmod n} = x_i",
    vjp_formula=(r"\bar x_i = \bar y_{(i+s) \bmod n}",),
    samples=cases(
        ([(5,)], {"shift": (2,), "axis": (0,)}), ([(2, 3)], {"shift": (1, -2), "axis": (0, -1)}),
        ([(2, 3)], {"shift": (4, 1), "axis": (1, 1)}), ([(0, 2)], {"shift": (1,), "axis": (0,)}),
    ),
    silent=True,
    traits="moves",
    hints="lies_like_input",
)  # fmt: skip


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    """``input`` rolled by ``shift`` along ``axis``: elements shifted past one end come in at the other.

    Args:
        input: a tensor.
        shift: by how many positions; a list where ``axis`` is one.
        axis: the axis, or several.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such axis, or the shifts are not as many as the axes.

    >>> import tapeviz as tf
    >>> tf.roll([1, 2, 3, 4], 1, 0).numpy()
    array([4, 1, 2, 3], dtype=int32)
    """
    return _rolled.run(input, as_dimensions(shift), as_dimensions(axis))


def _reverse_beginnings(xp: Any, x: Any, seq_lengths: Any, *, seq_axis: int, batch_axis: int) -> Any:
    seq, batch = seq_axis % x.ndim, batch_axis % x.ndim
    if seq == batch or seq_lengths.shape != (x.shape[batch],) or seq_axis >= x.ndim or batch_axis >= x.ndim:
        raise ValueError("the lengths do not go with the axes")
    _refuse_lengths(seq_lengths, x.shape[seq], seq)
    lengths, places = xp.expand_dims(seq_lengths, 1), xp.expand_dims(xp.arange(x.shape[seq]), 0)
    positions = xp.where(xp.less(places, lengths), xp.subtract(xp.subtract(lengths, 1), places), places)
    shape = tuple(size if axis in (seq, batch) else 1 for axis, size in enumerate(x.shape))
    positions = xp.reshape(positions if batch < seq else positions.T, shape)
    return xp.take_along_axis(x, positions, axis=seq)


def _refuse_lengths(seq_lengths: Any, size: int, axis: int) -> None:
    if not seq_lengths.size:
        return
    if seq_lengths.min() < 0:
        raise InvalidArgumentError(f"seq_lens({int(seq_lengths.argmin())}) < 0")
    if seq_lengths.max() > size:
        raise InvalidArgumentError(f"seq_lens({int(seq_lengths.argmax())}) > input.dims({axis})")


def _beginnings_rule(x: Spec, seq_lengths: Spec, *, seq_axis: int, batch_axis: int) -> Spec:
    rank = len(x.shape)
    for what, axis in (("batch_dim", batch_axis), ("seq_dim", seq_axis)):
        if axis >= rank:
            raise InvalidArgumentError(f"{what} must be < input rank ( {axis} vs. {rank})")
    if len(seq_lengths.shape) != 1:
        raise InvalidArgumentError(f"seq_lens input must be 1-dim, not {len(seq_lengths.shape)}")
    if seq_axis == batch_axis:
        raise InvalidArgumentError(f"batch_dim == seq_dim == {seq_axis}")
    if seq_lengths.shape[0] != x.shape[batch_axis]:
        raise InvalidArgumentError(
            f"Length of seq_lengths != input.dims({batch_axis}), ({seq_lengths.shape[0]} vs. {x.shape[batch_axis]})"
        )
    return x


_LENGTHS = np.array([2, 3], np.int32)
_turned = op(
    "reverse_sequence",
    doc="Sequences, each reversed over its own length.",
    family="shape",
    forward=_reverse_beginnings,
    infer=_beginnings_rule,
    static=static_shape_rules.reverse_sequence,
    types={"x": None, "seq_lengths": frozenset(map(np.dtype, ("int32", "int64")))},
    vjp={
        "x": lambda F, g, seq_lengths, seq_axis, batch_axis: F.reverse_sequence(
            g, seq_lengths, seq_axis=seq_axis, batch_axis=batch_axis
        )
    },
    formula=r"y_{bi} = x_{b, l_b-1-i} \text{ for } i < l_b",
    vjp_formula=(r"\bar x_{bi} = \bar y_{b, l_b-1-i} \text{ for } i < l_b",),
    samples=cases(
        ([(2, 4), _LENGTHS], {"seq_axis": 1, "batch_axis": 0}), ([(3, 2), _LENGTHS], {"seq_axis": 0, "batch_axis": 1}),
        ([(2, 3, 4), _LENGTHS], {"seq_axis": 2, "batch_axis": 0}),
    ),
    silent=True,
    traits="moves",
)  # fmt: skip


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int | None = None, batch_axis: int | None = None, name: str | None = None
) -> Any:
    """``input`` with the first ``seq_lengths[b]`` elements of sequence b in the opposite order, the rest as it is.

    Args:
        input: the sequences.
        seq_lengths: how long each is.
        seq_axis: the axis along which a sequence runs.
        batch_axis: the axis along which one sequence follows the other; the first when it is None.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a length is negative or too large, or the axes do not fit.
        TypeError: ``seq_axis`` is not given.

    >>> import tapeviz as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)
    """
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    return _turned.run(input, seq_lengths, int(seq_axis), int(batch_axis or 0))
