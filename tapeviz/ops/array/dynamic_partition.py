"""Taking rows apart by number and putting them together again, and masks of lengths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, has_deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.state import local
from tapeviz.engine.static_shapes import merged, prefixed
from tapeviz.ops import static_shape_rules
from tapeviz.ops.arguments import axis_number
from tapeviz.ops.array.concat import stack
from tapeviz.ops.array.gather import refuse_outside
from tapeviz.ops.runtime_calls import by_rank, by_values, open_sizes, waits

__all__ = ["dynamic_partition", "dynamic_stitch", "parallel_stack", "sequence_mask", "unravel_index"]

_INT32 = np.dtype(np.int32)
_NUMBERS = frozenset([_INT32])


def _partition(xp: Any, data: Any, partitions: Any, *, num_partitions: int) -> list[Any]:
    refuse_outside(xp, partitions, num_partitions, "partitions")
    if data.shape[: partitions.ndim] != partitions.shape:
        raise ValueError("shapes do not fit")
    rows = xp.reshape(data, (partitions.size, *data.shape[partitions.ndim :]))
    flat = xp.reshape(partitions, (-1,))
    return [rows[xp.flatnonzero(xp.equal(flat, number))] for number in range(num_partitions)]


def _partition_rule(data: Spec, partitions: Spec, *, num_partitions: int) -> tuple[Spec, ...]:
    rank = len(partitions.shape)
    if data.shape[:rank] != partitions.shape:
        raise InvalidArgumentError(
            "data.shape must start with partitions.shape, got data.shape = "
            f"{rules.shape_text(data.shape)}, partitions.shape = {rules.shape_text(partitions.shape)}"
        )
    return (Spec((rules.UNKNOWN, *data.shape[rank:]), data.dtype),) * num_partitions


def _partition_gradient(F: Any, g: Any, data_spec: Any, partitions: Any, num_partitions: int) -> Any:
    """Put each row's gradient back: the numbers of the rows, taken apart alike, say where it came from."""
    shape, rank = data_spec.shape, len(partitions.shape)
    count = math.prod(shape[:rank])
    numbers = F.reshape(F.range(start=0, limit=count, delta=1, dtype=_INT32), shape=shape[:rank])
    origins = F.dynamic_partition(numbers, partitions, num_partitions=num_partitions)
    rows = F.concat(*g, axis=0)
    places = F.expand_dims(F.concat(*origins, axis=0), axis=-1)
    return F.reshape(F.scatter_nd(places, rows, shape=(count, *shape[rank:])), shape=shape)


_PARTS = np.array([0, 2, 0], np.int32)
_taken_apart = op(
    "dynamic_partition",
    doc="The rows of a tensor, partitioned by number.",
    family="indexing",
    forward=_partition,
    infer=_partition_rule,
    static=static_shape_rules.partition,
    types={"data": None, "partitions": _NUMBERS},
    vjp={"data": _partition_gradient},
    formula=r"y^{(k)} = \{x_i : p_i = k\}",
    vjp_formula=(r"\bar x_i = \bar y^{(p_i)}_i",),
    samples=cases(
        ([(3, 2), _PARTS], {"num_partitions": 3}), ([(3,), _PARTS], {"num_partitions": 4}),
        ([(2, 2), np.array([[1, 0], [0, 1]], np.int32)], {"num_partitions": 2}),
    ),
    many=True,
    silent=True,
    traits="moves",
)  # fmt: skip


@by_rank(lambda data, partitions, num_partitions, name=None: [(None, convert_to_tensor(data).dtype)] * num_partitions)
def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Any]:
    """The rows of ``data`` in ``num_partitions`` tensors: row i goes to the one with the number ``partitions[i]``.

    Args:
        data: what to take apart.
        partitions: int32 numbers below ``num_partitions``, of the shape of the leading axes of ``data``.
        num_partitions: how many tensors to make.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a number is not below ``num_partitions``, or shapes do not fit.

    >>> import tapeviz as tf
    >>> [part.numpy().tolist() for part in tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)]
    [[10, 30], [20]]
    """
    if num_partitions < 1:
        raise InvalidArgumentError(
            f"Value for attr 'num_partitions' of {num_partitions} must be at least minimum 1", "dynamic_partition"
        )
    return list(_taken_apart.run(data, partitions, int(num_partitions)))


def _stitch(xp: Any, indices: Any, data: Any) -> Any:
    if indices.size and indices.min() < 0:
        raise InvalidArgumentError("indices[0] is out of range")
    whole = xp.zeros((int(indices.max()) + 1 if indices.size else 0, *data.shape[1:]), data.dtype)
    whole[indices] = data
    return whole


_stitched = op(
    "dynamic_stitch",
    doc="Rows interleaved: each at the index that is given for it.",
    family="indexing",
    forward=_stitch,
    infer=lambda indices, data: Spec((rules.UNKNOWN, *data.shape[1:]), data.dtype),
    static=lambda _indices, data: None if data is None else (None, *data[1:]),
    types={"indices": _NUMBERS, "data": None},
    vjp={"data": lambda F, g, indices: F.gather(g, indices, axis=0, batch_dims=0)},
    formula=r"y_{k_i} = x_i",
    vjp_formula=(r"\bar x_i = \bar y_{k_i}",),
    samples=cases(([np.array([2, 0, 1], np.int32), (3, 2)], {}), ([np.array([3, 1], np.int32), (2,)], {})),
    silent=True,
)


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Any:
    """One tensor of rows: row j of ``data[i]`` becomes row ``indices[i][j]``. It undoes ``dynamic_partition``.

    Args:
        indices: a list of int32 tensors; of rows put at the same place the last stays.
        data: a list of tensors; the shape of each begins with that of its indices.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a place is negative, or shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)
    """
    places = [convert_to_tensor(one, dtype="int32") for one in indices]
    tensors = [convert_to_tensor(one) for one in data]
    if not places:
        raise InvalidArgumentError("there is nothing to put together: the lists are empty", "dynamic_stitch")
    opened = has_deferred([one._a.shape for one in (*tensors, *places)])
    inner = _inner_sizes(places, tensors) if opened else tensors[0]._a.shape[places[0].ndim :]
    reshape, join = registry["reshape"].run, registry["concat"].run
    for number, (rows, at) in enumerate(zip(tensors, places, strict=True)):
        shape, texts = rows._a.shape, [rules.shape_text(one._a.shape) for one in (rows, at)]
        if has_deferred((shape, at._a.shape, inner)):
            continue
        if shape[: at.ndim] != at._a.shape:
            raise InvalidArgumentError(
                f"data[{number}].shape = {texts[0]} does not start with indices[{number}].shape = {texts[1]}",
                "dynamic_stitch",
            )
        if shape[at.ndim :] != inner:
            raise InvalidArgumentError(
                f"Need data[0].shape[{places[0].ndim}:] = data[{number}].shape[{at.ndim}:], got data[0].shape = "
                f"{rules.shape_text(tensors[0]._a.shape)}, data[{number}].shape = {texts[0]}, "
                f"indices[0].shape = {rules.shape_text(places[0]._a.shape)}, indices[{number}].shape = {texts[1]}",
                "dynamic_stitch",
            )
    flat = join(*[reshape(at, (-1,)) for at in places], axis=0)
    rows = join(*[reshape(one, (at._a.size, *inner)) for one, at in zip(tensors, places, strict=True)], axis=0)
    return _stitched.run(flat, rows)


def _inner_sizes(places: list[Any], tensors: list[Any]) -> tuple[int, ...]:
    """The sizes of one row, which is known where that of any row is."""
    for at, data in zip(places, tensors, strict=True):
        prefixed(open_sizes(data), open_sizes(at), "data.shape")
    rows: list[tuple[int, ...]] = [rows._a.shape[at.ndim :] for at, rows in zip(places, tensors, strict=True)]
    found = rows[0]
    for other in rows[1:]:
        merged(tuple(map(_open, found)), tuple(map(_open, other)), "Rows must be of one shape")
        found = tuple(b if isinstance(a, Deferred) else a for a, b in zip(found, other, strict=True))
    return found


def _open(size: int) -> int | None:
    return None if isinstance(size, Deferred) else size


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = "bool", name: str | None = None) -> Any:
    """For each length a row that is true for as many elements, then false.

    Args:
        lengths: how many elements are true.
        maxlen: how long the rows are; the largest length when it is None.
        dtype: of the result.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``maxlen`` is more than one number.

    >>> import tapeviz as tf
    >>> tf.sequence_mask([1, 3], 4).numpy()
    array([[ True, False, False, False],
           [ True,  True,  True, False]])
    """
    lengths = convert_to_tensor(lengths)
    if maxlen is None and waits(lengths):
        everywhere = registry["reduce_max"].run(lengths, axis=None, keepdims=False)
        maxlen = registry["maximum"].run(everywhere, 0)
    most = convert_to_tensor(lengths._host().max(initial=0) if maxlen is None else maxlen)
    if most.ndim:
        raise ValueError(
            "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
            f"{maxlen} with shape '{most.shape}' instead"
        )
    size = axis_number(most) if waits(most) else max(0, int(most._host()))
    places = registry["range"].run(0, size, 1, _INT32)
    mask = registry["less"].run(places, registry["expand_dims"].run(public["cast"](lengths, "int32"), -1))
    return public["cast"](mask, dtype)


@by_values(lambda indices, dims, name=None: ((len(dims), *open_sizes(indices)), indices.dtype))
def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Any:
    """The indices along each axis of the elements with these numbers, were the array laid out row by row.

    Args:
        indices: numbers of elements; one, or a vector.
        dims: the shape of the array.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there is no such element.

    >>> import tapeviz as tf
    >>> tf.unravel_index([2, 5], [2, 3]).numpy()
    array([[0, 1],
           [2, 2]], dtype=int32)
    """
    numbers, shape = convert_to_tensor(indices), as_dimensions(dims)
    host = numbers._host()
    if host.size and host.max() >= np.prod(shape, dtype=np.int64):
        raise InvalidArgumentError("index is out of bound as with dims", "unravel_index")
    if host.size and host.min() < 0:
        raise InvalidArgumentError("index is negative", "unravel_index")
    return convert_to_tensor(np.stack(np.unravel_index(host, shape)), dtype=numbers.dtype)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """``stack`` along a new first axis, in a graph; the parts need not all be there before the first is copied.

    Args:
        values: tensors of one shape, which is known while the graph is built.
        name: accepted as TensorFlow does.

    Raises:
        RuntimeError: eager execution is on: use ``stack``.

    >>> import tapeviz as tf
    >>> tf.function(lambda: tf.parallel_stack([1, 2]))().numpy()
    array([1, 2], dtype=int32)
    >>> tf.parallel_stack([1, 2])
    Traceback (most recent call last):
    RuntimeError: tf.parallel_stack() is not compatible with eager execution.
    """
    if local.state.graph is None:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    return stack(values, name=name)
