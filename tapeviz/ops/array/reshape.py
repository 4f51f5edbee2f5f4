"""Shape and layout: the same elements, arranged otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine import rules, static_shapes
from tapeviz.engine.broadcasting import unbroadcast
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, computed, has_deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.symbolic import UnknownNumbersError
from tapeviz.engine.types import COMPLEXES, NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import as_sizes, axis_number
from tapeviz.ops.runtime_calls import by_rank, later

__all__ = ["broadcast_to", "expand_dims", "matrix_transpose", "reshape", "squeeze", "transpose"]

_reshape = op(
    "reshape",
    doc="The same elements in another shape.",
    family="shape",
    forward=lambda xp, x, *, shape: xp.reshape(x, shape),
    infer=rules.reshaped,
    static=static_shapes.reshape,
    vjp={"x": lambda F, g, x_spec: F.reshape(g, shape=x_spec.shape)},
    formula=r"y = \mathrm{reshape}(x)",
    vjp_formula=(r"\bar x = \mathrm{reshape}(\bar y)",),
    samples=cases(([(2, 3)], {"shape": (3, 2)}), ([(2, 3)], {"shape": (-1,)}), ([(1,)], {"shape": ()})),
    silent=True,
    aliases="x",
    traits="moves objects reshapes",
    hints="view",
)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Any:
    """The elements of ``tensor`` in ``shape``; one size may be -1, "what is left".

    Raises:
        InvalidArgumentError: the number of elements does not fit.

    >>> import tapeviz as tf
    >>> tf.reshape([[1, 2], [3, 4]], [-1]).numpy()
    array([1, 2, 3, 4], dtype=int32)
    """
    try:
        sizes = as_sizes(shape, "Reshape", number=True)
    except UnknownNumbersError:
        return later(reshape, (tensor, shape), {})
    return _reshape.run(tensor, sizes)


def _new_axis_rule(x: Spec, *, axis: int) -> Spec:
    rank = len(x.shape)
    if not -rank - 1 <= axis <= rank:
        raise InvalidArgumentError(f"Tried to expand dim index {axis} for tensor with {rank} dimensions.")
    position = axis % (rank + 1)
    return Spec((*x.shape[:position], 1, *x.shape[position:]), x.dtype)


_expand_dims = op(
    "expand_dims",
    doc="The same elements with a new axis of size 1.",
    family="shape",
    forward=lambda xp, x, *, axis: xp.expand_dims(x, axis),
    infer=_new_axis_rule,
    vjp={"x": lambda F, g, x_spec: F.reshape(g, shape=x_spec.shape)},
    formula=r"y_{i1} = x_i",
    vjp_formula=(r"\bar x_i = \bar y_{i1}",),
    samples=cases(([(2, 3)], {"axis": 0}), ([(2, 3)], {"axis": -1}), ([()], {"axis": 0})),
    silent=True,
    aliases="x",
    traits="moves objects reshapes",
    hints="view",
)


def expand_dims(input: Any, axis: int, name: str | None = None) -> Any:
    """``input`` with a new axis of size 1 at position ``axis``; negative positions count from the end.

    Raises:
        InvalidArgumentError: there is no such position.

    >>> import tapeviz as tf
    >>> tf.expand_dims([1, 2], 1).shape
    TensorShape([2, 1])
    """
    if axis.__class__ is not int:
        axis = _single(axis)
    return _expand_dims.run(input, axis)


def _single(axis: Any) -> int:
    if hasattr(axis, "_numbers"):
        return axis_number(axis)
    host = np.asarray(axis._host() if hasattr(axis, "_host") else axis)
    if host.size != 1:
        raise InvalidArgumentError("'dim' must be a tensor with a single value", "expand_dims")
    return int(host.reshape(()))


public["expand_dims"] = expand_dims


def _squeeze_rule(x: Spec, *, axis: tuple[int, ...] | None) -> Spec:
    rank = len(x.shape)
    if axis is None and has_deferred(x.shape):
        return Spec(None, x.dtype)  # type: ignore[arg-type]  # even the rank is not known
    if axis is None:
        return Spec(tuple(size for size in x.shape if size != 1), x.dtype)
    for one in axis:
        if not -rank <= one < rank:
            raise InvalidArgumentError(f"Tried to squeeze dim index {one} for tensor with {rank} dimensions.")
    gone = {one % rank for one in axis}
    for position in sorted(gone):
        if x.shape[position] != 1:
            raise InvalidArgumentError(
                f"Can not squeeze dim[{position}], expected a dimension of 1, got {x.shape[position]}"
            )
    return Spec(tuple(size for position, size in enumerate(x.shape) if position not in gone), x.dtype)


_squeeze = op(
    "squeeze",
    doc="The same elements without axes of size 1.",
    family="shape",
    forward=lambda xp, x, *, axis: xp.squeeze(x, axis),
    infer=_squeeze_rule,
    static=static_shape_rules.squeeze,
    vjp={"x": lambda F, g, x_spec: F.reshape(g, shape=x_spec.shape)},
    formula=r"y_i = x_{i1}",
    vjp_formula=(r"\bar x_{i1} = \bar y_i",),
    samples=cases(([(1, 3, 1)], {"axis": None}), ([(1, 3, 1)], {"axis": (0,)}), ([(2, 1)], {"axis": (-1,)})),
    silent=True,
    aliases="x",
    traits="moves objects reshapes",
    hints="view",
)


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """``input`` without its axes of size 1, or without those of them that ``axis`` names.

    Raises:
        InvalidArgumentError: an axis named is not of size 1.

    >>> import tapeviz as tf
    >>> tf.squeeze([[1, 2]]).shape
    TensorShape([2])
    """
    axes = None if axis is None else as_dimensions(axis)
    return _squeeze.run(input, axes or None)


def _broadcast_rule(x: Spec, *, shape: tuple[int, ...]) -> Spec:
    if any(size < 0 for size in shape):
        raise InvalidArgumentError(f"Dimension {min(shape)} must be >= 0")
    if len(x.shape) > len(shape):
        raise InvalidArgumentError(
            f"Rank of input ({len(x.shape)}) must be no greater than rank of output shape ({len(shape)})."
        )
    if not rules.broadcastable(x.shape, shape) or rules.broadcast_shapes(x.shape, shape) != tuple(shape):
        raise InvalidArgumentError(
            f"Incompatible shapes: {rules.shape_text(x.shape)} vs. {rules.shape_text(shape)}: "
            "only axes of size 1 can be stretched"
        )
    return Spec(tuple(shape), x.dtype)


_broadcast_to = op(
    "broadcast_to",
    doc="A tensor broadcast to a shape: axes of size 1 are repeated, and axes are added in front.",
    family="shape",
    # An array of our own: a view with strides of 0 would be written to by nobody but is slow to read. Row by row, as
    # graphs make it: sums depend on the layout in their last bit.
    forward=lambda xp, x, *, shape: xp.array(xp.broadcast_to(x, shape), order="C"),
    infer=_broadcast_rule,
    static=static_shape_rules.broadcast_to,
    vjp={"x": lambda F, g, x_spec: unbroadcast(F, g, x_spec.shape)},
    formula=r"y_{ij} = x_j",
    vjp_formula=(r"\bar x_j = \sum_i \bar y_{ij}",),
    samples=cases(([(3,)], {"shape": (2, 3)}), ([(2, 1)], {"shape": (2, 3)}), ([()], {"shape": (2,)})),
    silent=True,
    traits="contiguous moves",
    hints="fresh",
)


def _sum_to(xp: Any, x: Any, *, shape: tuple[int, ...]) -> Any:
    extra = x.ndim - len(shape)
    axes = tuple(range(extra))
    axes += tuple(axis + extra for axis, size in enumerate(shape) if size == 1 and x.shape[axis + extra] != 1)
    return xp.reshape(xp.sum(x, axis=axes) if axes else x, shape)


def _sum_to_rule(x: Spec, *, shape: tuple[int, ...]) -> Spec:
    if len(shape) > len(x.shape) or rules.broadcast_shapes(x.shape, shape) != x.shape:
        raise InvalidArgumentError(f"Cannot sum {rules.shape_text(x.shape)} to {rules.shape_text(shape)}")
    return Spec(tuple(shape), x.dtype)


op(
    "sum_to_shape",
    doc="The sum over the axes along which broadcasting repeated a tensor: the gradient of broadcast_to.",
    family="reduction",
    forward=_sum_to,
    infer=_sum_to_rule,
    vjp={"x": lambda F, g, x_spec: F.broadcast_to(g, shape=x_spec.shape)},
    formula=r"y_j = \sum_i x_{ij}",
    vjp_formula=(r"\bar x_{ij} = \bar y_j",),
    types=NUMBERS | COMPLEXES,
    samples=cases(([(2, 3)], {"shape": (3,)}), ([(2, 3)], {"shape": (2, 1)}), ([(2,)], {"shape": ()})),
    traits="sum",
)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Any:
    """``input`` repeated along axes of size 1, and along new axes in front, to ``shape``.

    Raises:
        InvalidArgumentError: an axis of another size than 1 would have to change.

    >>> import tapeviz as tf
    >>> tf.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)
    """
    try:
        sizes = as_sizes(shape, "BroadcastTo")
    except UnknownNumbersError:
        return later(broadcast_to, (input, shape), {})
    return _broadcast_to.run(input, sizes)


def _transpose_rule(x: Spec, *, perm: tuple[int, ...] | None) -> Spec:
    rank = len(x.shape)
    if perm is None:
        return Spec(x.shape[::-1], x.dtype)
    if len(perm) != rank:
        raise InvalidArgumentError(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(perm)}"
        )
    if has_deferred(perm):
        return Spec(_in_some_order(x.shape, perm), x.dtype)
    for axis in perm:
        if not -rank <= axis < rank:
            raise InvalidArgumentError(f"{axis if axis >= 0 else axis + rank} is out of range [0 .. {rank})")
    counted = [axis % rank for axis in perm]
    if sorted(counted) != list(range(rank)):
        missing = next(axis for axis in range(rank) if axis not in counted)
        raise InvalidArgumentError(f"{missing} is missing from {{{','.join(map(str, perm))}}}.")
    return Spec(tuple(x.shape[axis] for axis in perm), x.dtype)


def _in_some_order(shape: tuple[int, ...], perm: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes where some of the order is not known yet: those of axes that it names, and what all others have."""
    named = [axis for axis in perm if not isinstance(axis, Deferred)]
    if any(not -len(shape) <= axis < len(shape) for axis in named):
        return (rules.UNKNOWN,) * len(shape)  # refused when the graph runs
    others = [size for axis, size in enumerate(shape) if axis not in named and axis - len(shape) not in named]
    alike = len(others) == 1 or (len(set(others)) == 1 and not has_deferred(tuple(others)))
    left = others[0] if alike else rules.UNKNOWN
    return tuple(left if isinstance(axis, Deferred) else shape[axis] for axis in perm)


def _inverse(perm: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if perm is None:
        return None
    if has_deferred(perm):
        return tuple(computed(_place_of, place, *perm) for place in range(len(perm)))
    return tuple(np.argsort([axis % len(perm) for axis in perm]).tolist())


def _place_of(axis: int, *perm: int) -> int:
    """At which place of the order an axis stands."""
    return [number % len(perm) for number in perm].index(axis)


_transpose = op(
    "transpose",
    doc="A tensor with its axes permuted.",
    family="shape",
    forward=lambda xp, x, *, perm: xp.transpose(x, perm),
    infer=_transpose_rule,
    static=static_shape_rules.transpose,
    vjp={"x": lambda F, g, perm: F.transpose(g, perm=_inverse(perm))},
    formula=r"y_{ji} = x_{ij}",
    vjp_formula=(r"\bar x_{ij} = \bar y_{ji}",),
    samples=cases(
        ([(2, 3)], {"perm": None}), ([(2, 3)], {"perm": (1, 0)}), ([(2, 3, 4)], {"perm": (2, 0, 1)}),
        ([(2, 3, 4)], {"perm": (-1, 0, 1)}),
    ),
    silent=True,
    aliases="x",
    traits="moves",
)  # fmt: skip


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Any:
    """``a`` with its axes permuted to the order ``perm``; reversed when it is None. ``conjugate`` conjugates it, too.

    Raises:
        InvalidArgumentError: ``perm`` is not a permutation of the axes.

    >>> import tapeviz as tf
    >>> tf.transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    try:
        order = None if perm is None else as_dimensions(perm)
    except UnknownNumbersError:
        a = convert_to_tensor(a)
        rank = a.shape.rank
        form = None if rank is None else (None,) * rank
        return later(transpose, (a, perm, conjugate), {}, (form, a.dtype))
    turned = _transpose.run(a, order)
    return registry["conj"].run(turned) if conjugate and turned.dtype.is_complex else turned


@by_rank()
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """``a`` with its last two axes swapped: each matrix of a stack transposed.

    Raises:
        ValueError: ``a`` has fewer than two axes.

    >>> import tapeviz as tf
    >>> tf.linalg.matrix_transpose(tf.zeros([5, 2, 3])).shape
    TensorShape([5, 3, 2])
    """
    tensor = convert_to_tensor(a)
    rank = tensor.ndim
    if rank < 2:  # noqa: PLR2004 - a matrix has two axes
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: {tensor.shape}"
        )
    turned = _transpose.run(tensor, (*range(rank - 2), rank - 1, rank - 2))
    return registry["conj"].run(turned) if conjugate and turned.dtype.is_complex else turned
