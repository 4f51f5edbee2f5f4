"""Tensors from nothing but a shape, and tensors that say what shape another has."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor, is_tensor
from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, computed
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.rules import broadcast_shapes, shape_text
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions, one_number
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import UnknownNumbersError
from tapeviz.engine.types import BOOL, COMPLEXES, NUMBERS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import as_sizes, axis_number
from tapeviz.ops.runtime_calls import by_rank, later, waits

__all__ = ["eye", "fill", "linspace", "ones", "ones_like", "range", "rank", "shape", "size", "zeros", "zeros_like"]

_F64 = np.dtype(np.float64)
_INT32 = np.dtype(np.int32)


def _filled_rule(*, shape: tuple[int, ...], dtype: Any) -> Spec:
    return Spec(_sizes(shape), np.dtype(dtype))


def _sizes(shape: tuple[int, ...]) -> tuple[int, ...]:
    for size in shape:
        if size < 0:
            raise InvalidArgumentError(f"Dimension {size} must be >= 0")
    return tuple(shape)


_constant = partial(
    op,
    family="shape",
    silent=True,
    infer=_filled_rule,
    samples=cases(([], {"shape": (2, 3), "dtype": _F64}), ([], {"shape": (), "dtype": _INT32})),
)
_like = partial(
    op,
    family="shape",
    infer=lambda x, *, dtype=None: Spec(x.shape, np.dtype(dtype or x.dtype)),
    samples=cases(([(2, 3)], {"dtype": None}), ([()], {"dtype": _INT32})),
    silent=True,
)


def _blank(xp: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros; empty strings where elements are strings."""
    return xp.full(shape, b"", dtype) if np.dtype(dtype).kind == "O" else xp.zeros(shape, dtype)


_zeros: Op = _constant(
    "zeros",
    doc="Zeros.",
    tf_name="Fill",
    formula=r"y_i = 0",
    forward=lambda xp, *, shape, dtype: _blank(xp, shape, dtype),
)
_ones: Op = _constant(
    "ones", doc="Ones.", tf_name="Fill", formula=r"y_i = 1", forward=lambda xp, *, shape, dtype: xp.ones(shape, dtype)
)
_zeros_like: Op = _like(
    "zeros_like",
    doc="Zeros of the shape of another tensor.",
    formula=r"y_i = 0",
    forward=lambda xp, x, *, dtype=None: _blank(xp, x.shape, dtype or x.dtype),
    traits="shape_only",
    hints="fresh",
)
_ones_like: Op = _like(
    "ones_like",
    doc="Ones of the shape of another tensor.",
    formula=r"y_i = 1",
    types=NUMBERS | COMPLEXES | BOOL,
    forward=lambda xp, x, *, dtype=None: xp.ones(x.shape, dtype or x.dtype),
    traits="shape_only",
    hints="fresh",
)


def zeros(shape: Any, dtype: Any = "float32", name: str | None = None, layout: Any = None) -> Any:
    """Zeros of this shape.

    Raises:
        InvalidArgumentError: a size is negative.

    >>> import tapeviz as tf
    >>> tf.zeros([2]).numpy()
    array([0., 0.], dtype=float32)
    """
    try:
        sizes = as_dimensions(shape)
    except UnknownNumbersError:
        return later(zeros, (shape, dtype), {}, (None, dtype))
    return _zeros.run(sizes, as_dtype(dtype).numpy)


def ones(shape: Any, dtype: Any = "float32", name: str | None = None, layout: Any = None) -> Any:
    """Ones of this shape.

    Raises:
        InvalidArgumentError: a size is negative.
        TypeError: the dtype is that of strings.

    >>> import tapeviz as tf
    >>> tf.ones([2]).numpy()
    array([1., 1.], dtype=float32)
    """
    wanted = as_dtype(dtype).numpy
    if wanted.kind == "O":
        raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
    try:
        sizes = as_dimensions(shape)
    except UnknownNumbersError:
        return later(ones, (shape, dtype), {}, (None, dtype))
    return _ones.run(sizes, wanted)


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Zeros of the shape (and dtype, unless given) of ``input``.

    >>> import tapeviz as tf
    >>> tf.zeros_like([1, 2]).numpy()
    array([0, 0], dtype=int32)
    """
    return _zeros_like.run(input, None if dtype is None else as_dtype(dtype).numpy)


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Ones of the shape (and dtype, unless given) of ``input``.

    >>> import tapeviz as tf
    >>> tf.ones_like([1, 2]).numpy()
    array([1, 1], dtype=int32)
    """
    return _ones_like.run(input, None if dtype is None else as_dtype(dtype).numpy)


public["ones_like"] = ones_like
public["zeros_like"] = zeros_like
public["convert_to_tensor"] = convert_to_tensor


def _fill_rule(value: Spec, *, shape: tuple[int, ...]) -> Spec:
    if value.shape != ():
        raise InvalidArgumentError(f"value must represent a scalar, got shape {shape_text(value.shape)}")
    return Spec(_sizes(shape), value.dtype)


def _fill(xp: Any, value: Any, *, shape: tuple[int, ...]) -> Any:
    if value.ndim:
        raise ValueError("one value fills a tensor")
    return xp.full(shape, value, value.dtype)


_fill_op = op(
    "fill",
    doc="A tensor of a given shape, filled with one value.",
    family="shape",
    forward=_fill,
    infer=_fill_rule,
    static=static_shape_rules.fill,
    vjp={"value": lambda F, g: F.reduce_sum(g, axis=None, keepdims=False)},
    formula=r"y_i = x",
    vjp_formula=(r"\bar x = \sum_i \bar y_i",),
    samples=cases(([()], {"shape": (2, 3)}), ([()], {"shape": ()})),
    silent=True,
    traits="moves",
)


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """A tensor of the shape ``dims`` filled with ``value``, a single number.

    Raises:
        InvalidArgumentError: ``value`` is more than one number, or a size is negative.

    >>> import tapeviz as tf
    >>> tf.fill([2], 7).numpy()
    array([7, 7], dtype=int32)
    """
    try:
        sizes = as_sizes(dims, "Fill", number=True)
    except UnknownNumbersError:
        value = convert_to_tensor(value)
        return later(fill, (dims, value), {}, (None, value.dtype))
    return _fill_op.run(value, sizes)


_eye = op(
    "eye",
    doc="The identity matrix: ones on the diagonal, zeros elsewhere.",
    family="shape",
    forward=lambda xp, *, rows, columns, dtype: xp.eye(rows, columns, dtype=dtype),
    infer=lambda *, rows, columns, dtype: Spec(_sizes((rows, columns)), np.dtype(dtype)),
    formula=r"y_{ij} = [i = j]",
    samples=cases(([], {"rows": 2, "columns": 3, "dtype": _F64}), ([], {"rows": 2, "columns": 2, "dtype": _INT32})),
    silent=True,
)


def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: Any = None,
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """The identity matrix of ``num_rows`` rows and as many columns unless said otherwise; a stack if ``batch_shape``.

    >>> import tapeviz as tf
    >>> tf.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    columns = num_rows if num_columns is None else num_columns
    matrix = _eye.run(axis_number(num_rows), axis_number(columns), as_dtype(dtype).numpy)
    return (
        matrix
        if batch_shape is None
        else registry["broadcast_to"].run(matrix, as_dimensions(batch_shape) + matrix._a.shape)
    )


def _count(start: float, limit: float, delta: float) -> int:
    return max(0, math.ceil((limit - start) / delta))


def _range_rule(*, start: float, limit: float, delta: float, dtype: Any) -> Spec:
    if Deferred in (start.__class__, limit.__class__, delta.__class__):
        plain = start == 0 and delta == 1 and not isinstance(start, Deferred) and not isinstance(delta, Deferred)
        return Spec((limit if plain else computed(_count, start, limit, delta),), np.dtype(dtype))  # type: ignore[arg-type]
    if delta == 0:
        raise InvalidArgumentError(f"Requires delta != 0: {delta}")
    if (limit - start) * delta < 0:
        relation, sign = ("<=", ">") if delta > 0 else (">=", "<")
        raise InvalidArgumentError(f"Requires start {relation} limit when delta {sign} 0: {start}/{limit}")
    return Spec((_count(start, limit, delta),), np.dtype(dtype))


def _range(xp: Any, *, start: float, limit: float, delta: float, dtype: Any) -> Any:
    count = _range_rule(start=start, limit=limit, delta=delta, dtype=dtype).shape[0]
    return xp.add(xp.multiply(xp.arange(count, dtype=dtype), delta), start, dtype=dtype)


_range_op = op(
    "range",
    doc="Numbers from a start up to, not including, a limit.",
    family="shape",
    forward=_range,
    infer=_range_rule,
    formula=r"y_i = s + i\,\delta",
    samples=cases(
        ([], {"start": 0, "limit": 5, "delta": 2, "dtype": _INT32}),
        ([], {"start": 1.0, "limit": 0.0, "delta": -0.25, "dtype": _F64}),
    ),
)


_number_op = op(
    "number",
    doc="One integer that the graph knows when it runs, such as the size of an axis.",
    family="shape",
    forward=lambda xp, *, value, dtype: xp.asarray(value, dtype=dtype),
    infer=lambda *, value, dtype: Spec((), np.dtype(dtype)),
    formula=r"y = n",
    samples=cases(([], {"value": 3, "dtype": _INT32})),
)
public["number"] = lambda value, dtype: registry["number"].run(value=value, dtype=dtype)


def _number(tensor: Any) -> Any:
    """The number that a tensor holds, or will hold."""
    if (known := getattr(tensor, "_static_value", None)) is not None:
        return known.item()  # a size that is not known yet, where the tensor is made of such
    return one_number(tensor) if hasattr(tensor, "_numbers") else tensor._host().item()


_WIDER = ("int32", "int64", "float16", "float32", "float64")


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """Numbers from ``start`` (0 when only one number is given) up to, not including, ``limit``, in steps of ``delta``.

    Without ``dtype`` they are int32, or of the widest type among what was given.

    Raises:
        InvalidArgumentError: the step is 0 or leads away from the limit.

    >>> import tapeviz as tf
    >>> tf.range(2, 5).numpy()
    array([2, 3, 4], dtype=int32)
    """
    if limit is None:
        start, limit = 0, start
    own = None if dtype is None else as_dtype(dtype)
    numbers = [
        number if is_tensor(number) else convert_to_tensor(number, dtype=own) for number in (start, limit, delta)
    ]
    if dtype is None:
        dtype = max((number.dtype.name for number in numbers), key=_WIDER.index)
    wanted = as_dtype(dtype)
    if local.state.graph is not None and any(number.dtype.is_floating and waits(number) for number in numbers):
        return later(range, numbers, {"dtype": wanted}, ((None,), wanted), differentiable=False)
    return _range_op.run(*[_number(number) for number in numbers], wanted.numpy)


def _of_any_rank(start: Any, *_options: Any, **_named: Any) -> Any:
    dtype = convert_to_tensor(start).dtype
    return None, as_dtype("float64") if dtype.is_integer else dtype


def _linspace_form(start: Any, stop: Any, axis: int) -> Any:
    first = convert_to_tensor(start)
    last = convert_to_tensor(stop, dtype_hint=first.dtype)
    dtype = as_dtype("float64") if first.dtype.is_integer else first.dtype
    shape = broadcast_shapes(first._a.shape, last._a.shape)
    position = axis % (len(shape) + 1)
    sizes = [None if isinstance(size, Deferred) else size for size in shape]
    return (*sizes[:position], None, *sizes[position:]), dtype


@by_rank(_of_any_rank)
def linspace(start: Any, stop: Any, num: int, name: str | None = None, axis: int = 0) -> Any:
    """``num`` evenly spaced numbers from ``start`` to ``stop``, both included; along a new axis for tensors.

    Raises:
        InvalidArgumentError: ``num`` is negative, or there is no such axis.

    >>> import tapeviz as tf
    >>> tf.linspace(0.0, 1.0, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    if waits(num):
        return later(linspace, (start, stop, num), {"axis": axis}, _linspace_form(start, stop, axis))
    count = axis_number(num)
    if count < 0:
        raise InvalidArgumentError(f"Requires start <= limit when delta > 0: 1/{count}", "linspace")
    first = convert_to_tensor(start)
    last = convert_to_tensor(stop, dtype_hint=first.dtype)
    if first.dtype.is_integer:
        first, last = public["cast"](first, "float64"), public["cast"](last, "float64")
    share = np.linspace(0.0, 1.0, max(count, 2))[:count].astype(first.dtype.numpy)
    rank = max(first.ndim, last.ndim)
    if not -rank - 1 <= axis <= rank:
        raise InvalidArgumentError(f"Tried to expand dim index {axis} for tensor with {rank} dimensions.", "linspace")
    position = axis % (rank + 1)
    along: Any = convert_to_tensor(share.reshape((count,) + (1,) * (rank - position)))
    first, last = public["expand_dims"](first, position), public["expand_dims"](last, position)
    return first * (1.0 - along) + last * along


def _says(what: str, doc: str, formula: str, value: Any, *, vector: bool = False) -> Any:
    """An op whose result says something of its input's shape."""
    return op(
        what,
        doc=doc,
        family="shape",
        forward=lambda xp, x, *, out_type: xp.asarray(value(x.shape), dtype=out_type),
        infer=lambda x, *, out_type: Spec((len(x.shape),) if vector else (), np.dtype(out_type)),
        formula=formula,
        samples=cases(([(2, 3)], {"out_type": _INT32}), ([()], {"out_type": np.dtype(np.int64)})),
        silent=True,
        traits="shape_only",
    )


_shape = _says("shape", "The shape: the sizes of the axes.", r"y_k = n_k", lambda shape: shape, vector=True)
_size = _says("size", "The number of elements.", r"y = \prod_k n_k", math.prod)
_rank = _says("rank", "The rank: the number of axes.", r"y = \mathrm{rank}(x)", len)


def shape(input: Any, out_type: Any = "int32", name: str | None = None) -> Any:
    """The shape of ``input``: the sizes of its axes, as a tensor.

    >>> import tapeviz as tf
    >>> tf.shape([[1, 2, 3]]).numpy()
    array([1, 3], dtype=int32)
    """
    return _shape.run(input, as_dtype(out_type).numpy)


def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """The number of elements of ``input``, as a tensor.

    >>> import tapeviz as tf
    >>> tf.size([[1, 2, 3]]).numpy()
    np.int32(3)
    """
    return _size.run(input, _INT32 if out_type is None else as_dtype(out_type).numpy)


def rank(input: Any, name: str | None = None) -> Any:
    """The rank of ``input``: the number of its axes, as a tensor.

    >>> import tapeviz as tf
    >>> tf.rank([[1, 2, 3]]).numpy()
    np.int32(2)
    """
    return _rank.run(input, np.dtype(np.int32))
