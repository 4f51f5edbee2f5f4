"""Shape and layout: putting tensors together and taking them apart."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, has_deferred
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.errors import InvalidArgumentError, ShapeError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.symbolic import at_line
from tapeviz.engine.tensor import Tensor
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import axis_number
from tapeviz.ops.runtime_calls import later, open_sizes, waits

__all__ = ["concat", "split", "stack", "unstack"]


def _concat(xp: Any, *values: Any, axis: int) -> Any:
    if any(value.ndim == 0 for value in values):
        raise ValueError("scalars cannot be joined")
    return xp.concatenate(values, axis=axis)


def _concat_rule(*values: Spec, axis: int) -> Spec:
    values = _of_one_shape(values, axis)
    first = values[0].shape
    if not first:
        raise InvalidArgumentError("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    position = rules.axis_of(axis, len(first), "ConcatOp : Expected concatenating dimensions")
    for number, spec in enumerate(values[1:], start=1):
        if len(spec.shape) != len(first):
            raise InvalidArgumentError(
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = {rules.shape_text(first)} vs. "
                f"shape[{number}] = {rules.shape_text(spec.shape)}"
            )
        for dimension, sizes in enumerate(zip(first, spec.shape, strict=True)):
            if dimension != position and sizes[0] != sizes[1]:
                raise InvalidArgumentError(
                    f"ConcatOp : Dimension {dimension} in both shapes must be equal: shape[0] = "
                    f"{rules.shape_text(first)} vs. shape[{number}] = {rules.shape_text(spec.shape)}"
                )
    total = sum(spec.shape[position] for spec in values)
    return Spec((*first[:position], total, *first[position + 1 :]), values[0].dtype)


def _of_one_shape(values: tuple[Spec, ...], besides: int | None = None) -> tuple[Spec, ...]:
    """The inputs with sizes that are not known yet taken to be those of the others, but along the axis ``besides``."""
    rank = len(values[0].shape)
    if not has_deferred([spec.shape for spec in values]) or any(len(spec.shape) != rank for spec in values):
        return values
    columns = [list(column) for column in zip(*[spec.shape for spec in values], strict=True)]
    for position, column in enumerate(columns):
        if besides is None or position != besides % rank:
            known = next((size for size in column if not isinstance(size, Deferred)), column[0])
            column[:] = [known if isinstance(size, Deferred) else size for size in column]
    shapes = zip(*columns, strict=True)
    return tuple(Spec(shape, spec.dtype) for shape, spec in zip(shapes, values, strict=True))


def _concat_gradient(F: Any, g: Any, values_spec: Any, axis: int) -> Any:
    return F.split(g, sizes=tuple(spec.shape[axis] for spec in values_spec), axis=axis)


_joined = op(
    "concat",
    doc="Tensors concatenated along an axis.",
    family="shape",
    tf_name="ConcatV2",
    forward=_concat,
    infer=_concat_rule,
    static=static_shape_rules.concat,
    vjp={"values": _concat_gradient},
    formula=r"z = [x, y]",
    vjp_formula=(r"\bar x, \bar y = \mathrm{split}(\bar z)",),
    samples=cases(([(2, 3), (1, 3)], {"axis": 0}), ([(2, 3), (2, 1), (2, 2)], {"axis": -1}), ([(3,)], {"axis": 0})),
    silent=True,
    traits="moves objects",
    hints="fresh",
)


def concat(values: Any, axis: int, name: str = "concat") -> Any:
    """The tensors in the list ``values``, concatenated along ``axis``.

    Raises:
        InvalidArgumentError: the list is empty, or shapes differ in another axis than ``axis``.

    >>> import tapeviz as tf
    >>> tf.concat([[1, 2], [3]], 0).numpy()
    array([1, 2, 3], dtype=int32)
    """
    if isinstance(values, (Tensor, np.ndarray)) or hasattr(values, "_read"):
        return registry["identity"].run(values)
    values = list(values)
    if len(values) == 1:
        return registry["identity"].run(values[0])
    if not values:
        raise InvalidArgumentError("there is nothing to join: the list of values is empty", "concat")
    return _joined.run(*values, axis=axis_number(axis))


def _stack_rule(*values: Spec, axis: int) -> Spec:
    values = _of_one_shape(values)
    first = values[0].shape
    for number, spec in enumerate(values):
        if spec.shape != first:
            raise InvalidArgumentError(
                f"Shapes of all inputs must match: values[0].shape = {rules.shape_text(first)} != "
                f"values[{number}].shape = {rules.shape_text(spec.shape)}"
            )
    position = rules.axis_of(axis, len(first) + 1)
    return Spec((*first[:position], len(values), *first[position:]), values[0].dtype)


_stacked = op(
    "stack",
    doc="Tensors of one shape stacked along a new axis.",
    family="shape",
    tf_name="Pack",
    forward=lambda xp, *values, axis: xp.stack(values, axis=axis),
    infer=_stack_rule,
    static=static_shape_rules.stack,
    vjp={"values": lambda F, g, axis: F.unstack(g, axis=axis)},
    formula=r"y_{ki} = x^{(k)}_i",
    vjp_formula=(r"\bar x^{(k)}_i = \bar y_{ki}",),
    samples=cases(([(2, 3)] * 3, {"axis": 0}), ([(2, 3)] * 2, {"axis": -1}), ([()] * 3, {"axis": 0})),
    silent=True,
    traits="moves objects",
    hints="fresh",
)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """The tensors in the list ``values``, all of one shape, stacked along a new axis at ``axis``.

    Raises:
        InvalidArgumentError: their shapes or dtypes differ.
        ValueError: there is no such axis.

    >>> import tapeviz as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    if not isinstance(values, (list, tuple)):
        values = convert_to_tensor(values)
        if not axis or not values.ndim:
            return values  # it is stacked already
    values = public["unstack"](values) if hasattr(values, "_numbers") else list(values)
    if not values:
        return convert_to_tensor(values)
    if not _holds_tensors(values):
        values = [*public["unstack"](convert_to_tensor(values))]  # plain numbers find their common dtype together
    values = convert_inputs(_stacked, tuple(values))
    if getattr(values[0]._a, "_shape", ()) is not None:
        _checked_axis(axis, values[0].ndim + 1)
    return _stacked.run(*values, axis=int(axis))


def _holds_tensors(values: Any) -> bool:
    return any(
        isinstance(value, Tensor)
        or hasattr(value, "_read")
        or (isinstance(value, (list, tuple)) and _holds_tensors(value))
        for value in values
    )


def _checked_axis(axis: int, rank: int) -> None:
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")


def _unstack(xp: Any, x: Any, *, axis: int) -> list[Any]:
    front = xp.moveaxis(x, axis, 0)
    return [front[position, ...] for position in range(x.shape[axis])]


def _unstack_rule(x: Spec, *, axis: int) -> tuple[Spec, ...]:
    position = rules.axis_of(axis, len(x.shape))
    return (Spec(x.shape[:position] + x.shape[position + 1 :], x.dtype),) * x.shape[position]


_unstacked = op(
    "unstack",
    doc="The slices of a tensor along an axis, which is removed.",
    family="shape",
    tf_name="Unpack",
    forward=_unstack,
    infer=_unstack_rule,
    vjp={"x": lambda F, g, axis: F.stack(*g, axis=axis)},
    formula=r"y^{(k)}_i = x_{ki}",
    vjp_formula=(r"\bar x_{ki} = \bar y^{(k)}_i",),
    samples=cases(([(2, 3)], {"axis": 0}), ([(2, 3)], {"axis": -1})),
    many=True,
    silent=True,
    aliases="x",
    traits="moves objects",
)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Any]:
    """The slices of ``value`` along ``axis``, as a list of tensors without that axis.

    Raises:
        ValueError: there is no such axis.
        InvalidArgumentError: ``num`` is given and is not the size of the axis.

    >>> import tapeviz as tf
    >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    tensor = convert_to_tensor(value)
    if open_sizes(tensor) is None and num is not None:
        return list(later(unstack, (tensor, num, axis), {}, [(None, tensor.dtype)] * num))
    _checked_axis(axis, tensor.ndim)
    size = tensor._a.shape[axis]
    if num is not None and isinstance(size, Deferred):
        known = [num if place == axis % tensor.ndim else None for place in range(tensor.ndim)]
        tensor = public["ensure_shape"](tensor, known)
        size = num
    if num is not None and num != size:
        text = rules.shape_text(tensor._a.shape)
        raise _misfit(tensor, f"Input shape axis {axis} must equal {num}, got shape {text}", "Unpack")
    return list(_unstacked.run(tensor, axis)) if size else []


public["stack"] = stack
public["unstack"] = unstack


_SPLIT = (
    "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the "
    "size of the input along split_dim if not fully specified."
)


def _split(_xp: Any, x: Any, *, sizes: tuple[int, ...], axis: int) -> list[Any]:
    before = (slice(None),) * (axis % x.ndim)
    starts = [0, *np.cumsum(sizes).tolist()]
    if starts[-1] != x.shape[axis]:
        raise ValueError("the sizes do not add up")
    return [x[(*before, slice(start, stop))] for start, stop in pairwise(starts)]


def _split_rule(x: Spec, *, sizes: tuple[int, ...], axis: int) -> tuple[Spec, ...]:
    rank = len(x.shape)
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {axis}")
    position = axis % rank
    if sum(sizes) != x.shape[position]:
        raise InvalidArgumentError(f"{_SPLIT}  Got: {sum(sizes)}")
    return tuple(Spec((*x.shape[:position], size, *x.shape[position + 1 :]), x.dtype) for size in sizes)


_parts = op(
    "split",
    doc="Consecutive parts of a tensor along an axis.",
    family="shape",
    tf_name="SplitV",
    forward=_split,
    infer=_split_rule,
    static=static_shape_rules.split,
    vjp={"x": lambda F, g, axis: F.concat(*g, axis=axis)},
    formula=r"x = [y, z]",
    vjp_formula=(r"\bar x = [\bar y, \bar z]",),
    samples=cases(([(4, 3)], {"sizes": (1, 3), "axis": 0}), ([(2, 4)], {"sizes": (2, 2), "axis": -1})),
    many=True,
    silent=True,
    aliases="x",
    traits="moves",
)


def _given_sizes(splits: Any, num: int | None, size: int) -> tuple[int, ...]:
    """The sizes of the parts, what is left for -1."""
    if num is not None and waits(splits) and (splits.shape.rank is None or splits.shape.as_list() == [None]):
        splits = public["ensure_shape"](splits, [num])
    if getattr(splits, "ndim", 1) == 0:
        raise ValueError(
            f"Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: {splits}"
        )
    sizes = as_dimensions(splits)
    if not sizes:
        raise InvalidArgumentError("Value for attr 'num_split' of 0 must be at least minimum 1", "split")
    if num is not None and num != len(sizes):
        raise InvalidArgumentError(
            "size of the split_tensor must be 1-D and have the same elements as outputs got 1 -D and "
            f"{len(sizes)} elements",
            "split",
        )
    if sizes.count(-1) > 1:
        raise InvalidArgumentError("There can only be one -1 in the input.", "split")
    known = sum(one for one in sizes if one != -1)
    if -1 in sizes and not has_deferred((known, size)) and known > size:
        raise InvalidArgumentError(f"{_SPLIT}  Got: {known}", "split")
    return tuple(size - known if one == -1 else one for one in sizes)


def split(value: Any, num_or_size_splits: Any, axis: int = 0, num: int | None = None, name: str = "split") -> list[Any]:
    """``value`` split along ``axis`` into equal parts (a number) or parts of given sizes (a list; -1 for what is left).

    Raises:
        InvalidArgumentError: it cannot be cut so.

    >>> import tapeviz as tf
    >>> [part.numpy().tolist() for part in tf.split([1, 2, 3], [1, 2])]
    [[1], [2, 3]]
    """
    tensor, position = convert_to_tensor(value), axis_number(axis)
    if isinstance(position, Deferred) or open_sizes(tensor) is None:
        return _split_later(tensor, num_or_size_splits, axis, num)
    rank = tensor.ndim
    size = tensor._a.shape[position] if -rank <= position < rank else 0
    if isinstance(num_or_size_splits, (int, np.integer)):
        count = _count_of_parts(num_or_size_splits)
        if -rank <= position < rank and not isinstance(size, Deferred) and size % count:
            raise _misfit(
                tensor,
                "Number of ways to split should evenly divide the split dimension, but got split_dim "
                f"{position % rank} (size = {size}) and num_split {count}",
                "Split",
            )
        sizes: tuple[int, ...] = (size // count,) * count
    else:
        sizes = _given_sizes(num_or_size_splits, num, size)
    return list(_parts.run(tensor, sizes, position))


def _count_of_parts(count: Any) -> int:
    if count < 1:
        raise InvalidArgumentError(f"Value for attr 'num_split' of {count} must be at least minimum 1", "split")
    return int(count)


def _misfit(tensor: Any, message: str, kernel: str) -> Exception:
    """The error for a tensor that cannot be cut so: with its shape and the user's line while a graph is built."""
    if not hasattr(tensor, "_numbers"):
        return InvalidArgumentError(message, kernel)
    return ShapeError(f"{message} [Op:{kernel}]\n  value: {tensor.dtype.name} {tensor.shape}{at_line()}", kernel)


def _split_later(tensor: Any, splits: Any, axis: Any, num: int | None) -> list[Any]:
    """The parts along an axis that is not known while tracing, or of a tensor of unknown rank."""
    if isinstance(splits, (int, np.integer)):
        count = _count_of_parts(splits)
    else:
        count = len(_given_sizes(splits, num, Deferred(("unknown",))))
    shape = open_sizes(tensor)
    form = None if shape is None else (None,) * len(shape)
    return list(later(split, (tensor, splits, axis, num), {}, [(form, tensor.dtype)] * count))
