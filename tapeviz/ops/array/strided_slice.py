"""Square brackets: ``x[0]``, ``x[1:, tf.newaxis]``, ``x[..., ::-1]``, ``x[mask]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.deferred_numbers import Deferred, computed, has_deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import Operators, public
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions, one_number
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import UnknownNumbersError
from tapeviz.engine.tensor import Tensor
from tapeviz.ops.array.select import boolean_mask
from tapeviz.ops.runtime_calls import by_rank, later

__all__ = ["slice", "strided_slice"]

_Slice = type(np.s_[:])


def _slice_rule(x: Spec, *, key: tuple[Any, ...]) -> Spec:
    if sum(item is Ellipsis for item in key) > 1:
        raise InvalidArgumentError("Multiple ellipses in slice spec not allowed")
    rank = len(x.shape)
    used = sum(item is not None and item is not Ellipsis for item in key)
    if used and not rank:
        raise InvalidArgumentError("Attempting to slice scalar input.")
    if used > rank:
        raise InvalidArgumentError(f"Index out of range using input dim {rank}; input has only {rank} dims")
    axis = 0
    for item in key:
        if item is None:
            continue
        if item is Ellipsis:
            axis += rank - used
            continue
        _check_item(item, axis, x.shape[axis])
        axis += 1
    return Spec(np.broadcast_to(np.empty(()), x.shape)[key].shape, x.dtype)


def _check_item(item: Any, axis: int, size: int) -> None:
    if isinstance(item, _Slice):
        if item.step == 0:
            raise InvalidArgumentError(f"strides[{axis}] must be non-zero")
    elif not -size <= item < size:
        counted = item if item >= 0 else item + size
        raise InvalidArgumentError(f"slice index {counted} of dimension {axis} out of bounds.")


def _slice(_xp: Any, x: Any, *, key: tuple[Any, ...]) -> Any:
    part = x[key]
    if part.__class__ is bytes:  # an array of a single string must stay one
        return x[(*key, ...)]
    return part


_KEYS = cases(
    ([(4, 3)], {"key": (1,)}),
    ([(4, 3)], {"key": (-1, 2)}),
    ([(4, 3)], {"key": np.s_[1:3, ::-1]}),
    ([(4, 3)], {"key": np.s_[..., None, 0]}),
    ([(2, 3, 4)], {"key": np.s_[::-2, ..., 1:1]}),
    ([()], {"key": (None, Ellipsis)}),
)

_part = op(
    "strided_slice",
    doc="The part of a tensor that indices and slices name, such as ``x[1:, 0]``.",
    family="indexing",
    forward=_slice,
    infer=_slice_rule,
    vjp={"x": lambda F, g, x_spec, key: F.strided_slice_grad(g, key=key, shape=x_spec.shape)},
    formula=r"y_i = x_{b + i s}",
    vjp_formula=(r"\bar x_{b + i s} = \bar y_i",),
    samples=_KEYS,
    silent=True,
    aliases="x",
    traits="moves objects",
)


def _put_back(xp: Any, upstream: Any, *, key: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    whole = xp.zeros(shape, upstream.dtype)
    whole[key] = upstream
    return whole


def _put_back_samples(rng: np.random.Generator) -> list[Any]:
    return [((inputs[0][attrs["key"]],), {**attrs, "shape": inputs[0].shape}) for inputs, attrs in _KEYS(rng)]


op(
    "strided_slice_grad",
    doc="The gradient of strided_slice: zeros, with the upstream gradient where the slice was.",
    family="indexing",
    forward=_put_back,
    infer=lambda upstream, *, key, shape: Spec(tuple(shape), upstream.dtype),
    vjp={"upstream": lambda F, g, key: F.strided_slice(g, key=key)},
    formula=r"y_{b + i s} = x_i",
    vjp_formula=(r"\bar x_i = \bar y_{b + i s}",),
    samples=_put_back_samples,
    silent=True,
)

_POSITIONS = (bool, int, np.integer)
_ALLOWED = frozenset(map(np.dtype, ("int16", "int32", "int64")))


def _item(item: Any) -> Any:
    """One entry of a key as arrays take it: tensors of one integer become that integer."""
    if isinstance(item, Deferred) or item.__class__ is int or item is None or item is Ellipsis:
        return item
    if item.__class__ is _Slice:
        return np.s_[_bound(item.start) : _bound(item.stop) : _bound(item.step)]
    return _whole(item)


def _bound(bound: Any) -> Any:
    plain = bound is None or bound.__class__ is int or isinstance(bound, Deferred)
    return bound if plain else _whole(bound)


def _whole(item: Any) -> int:
    if hasattr(item, "_read"):
        item = convert_to_tensor(item)
    if hasattr(item, "_numbers") and item._a._shape is None and item._a.dtype in _ALLOWED:
        return one_number(item)
    if hasattr(item, "_numbers") and item._a.shape == () and item._a.dtype in _ALLOWED:
        return item._numbers()[0]  # type: ignore[no-any-return]
    host = item._host() if hasattr(item, "_host") and not hasattr(item, "_numbers") else item
    if isinstance(host, np.ndarray) and host.ndim == 0 and (host is item or host.dtype in _ALLOWED):
        host = host[()]
    if isinstance(host, _POSITIONS) and not isinstance(host, bool):
        return int(host)
    if isinstance(host, bool):
        raise InvalidArgumentError(
            "Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, int64", "strided_slice"
        )
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        f"valid indices, got {item!r}"
    )


def _is_mask(key: Any) -> bool:
    if key.__class__ is bool:
        return True
    return (isinstance(key, (Tensor, np.ndarray)) or hasattr(key, "_read")) and key.dtype in (bool, "bool")


def _getitem(x: Any, key: Any) -> Any:  # noqa: C901 - a helper would cost each x[a, b] a call
    """``x[key]``. What is met most comes first and is looked at least: integers, and slices between integers."""
    if key.__class__ is int:
        return _part.run(x, (key,))
    if key.__class__ is _Slice:
        bounds: Any = key
        if bounds.start.__class__ in _PLAIN and bounds.stop.__class__ in _PLAIN and bounds.step.__class__ in _PLAIN:
            return _part.run(x, (key,))
    elif key.__class__ is tuple:
        for item in key:
            if item.__class__ is _Slice:
                if not (
                    item.start.__class__ in _PLAIN and item.stop.__class__ in _PLAIN and item.step.__class__ in _PLAIN
                ):
                    break
            elif item.__class__ not in _PLAIN_ITEMS:
                break
        else:
            return _part.run(x, key)
    elif key.__class__ is not list:
        if _is_mask(key):
            return boolean_mask(x, key)
        key = (key,)
    items = key if key.__class__ in (tuple, list) else (key,)
    return _part.run(x, tuple([_item(item) for item in items]))


_PLAIN = frozenset([int, type(None)])
_PLAIN_ITEMS = _PLAIN | {type(Ellipsis)}
public["getitem"] = _getitem
Operators.__getitem__ = _getitem  # type: ignore[method-assign]  # the method itself, without a call in between


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """``input_[begin[0]:end[0]:strides[0], begin[1]:end[1]:strides[1], ...]``; square brackets say the same.

    Args:
        input_: a tensor.
        begin: where to begin along each axis.
        end: where to end, the end left out.
        strides: the steps; 1 when it is None.
        begin_mask: bit k says that ``begin[k]`` means "from the first".
        end_mask: bit k says that ``end[k]`` means "to the last".
        ellipsis_mask: bit k says that entry k stands for ``...``.
        new_axis_mask: bit k says that entry k stands for ``tf.newaxis``.
        shrink_axis_mask: bit k says that entry k stands for the single position ``begin[k]``.
        var: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: there are more bounds than axes, a stride is 0, or a position does not exist.

    >>> import tapeviz as tf
    >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy()
    array([1, 3], dtype=int32)
    """
    try:
        starts, stops = as_dimensions(begin), as_dimensions(end)
        steps = (1,) * len(starts) if strides is None else as_dimensions(strides)
    except UnknownNumbersError:
        masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
        return later(strided_slice, (convert_to_tensor(input_), begin, end, strides, *masks), {})
    if not len(starts) == len(stops) == len(steps):
        raise InvalidArgumentError(
            f"Expected begin, end, and strides to be 1D equal size tensors, but got shapes [{len(starts)}], "
            f"[{len(stops)}], and [{len(steps)}] instead.",
            "strided_slice",
        )
    key: list[Any] = []
    for position, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << position
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            if step != 1:
                raise InvalidArgumentError("only stride 1 allowed on non-range indexing.", "strided_slice")
            key.append(start)
        else:
            key.append(np.s_[None if begin_mask & bit else start : None if end_mask & bit else stop : step])
    return _part.run(input_, tuple(key))


def _stop(start: int, count: int, whole: int) -> int:
    """Where a slice ends; -1 stands for all that are left."""
    stop = whole if count == -1 else start + count
    if not 0 <= start <= stop <= whole:
        raise InvalidArgumentError(f"Expected size in [0, {whole - start}], but got {count}", "slice")
    return stop


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """The part of ``input_`` from ``begin`` on with ``size`` elements along each axis; -1 for all that are left.

    Raises:
        InvalidArgumentError: the part reaches beyond the tensor.

    >>> import tapeviz as tf
    >>> tf.slice([1, 2, 3, 4], [1], [2]).numpy()
    array([2, 3], dtype=int32)
    """
    return _sliced(*_with_ranks(convert_to_tensor(input_), begin, size))


def _length(value: Any) -> int | None:
    """How many elements a vector has; None where it is not known."""
    if not isinstance(value, Tensor):
        return len(value)
    return value.shape[0] if value.shape.rank == 1 else None


def _with_ranks(tensor: Any, begin: Any, size: Any) -> tuple[Any, Any, Any]:
    """The three, as many axes as one of them says."""
    if local.state.graph is None:
        return tensor, begin, size
    bounds = [one if isinstance(one, (list, tuple)) else convert_to_tensor(one) for one in (begin, size)]
    counts = (tensor.shape.rank, *(_length(one) for one in bounds))
    count = next((length for length in counts if length is not None), None)
    if count is None:
        return tensor, begin, size
    fitted = public["ensure_shape"]
    if tensor.shape.rank is None:
        tensor = fitted(tensor, [None] * count)
    begin, size = (
        fitted(one, [count]) if isinstance(one, Tensor) and one.shape.rank is None else one for one in bounds
    )
    return tensor, begin, size


@by_rank()
def _sliced(tensor: Any, begin: Any, size: Any) -> Any:
    shape = tensor._a.shape
    try:
        starts, sizes = as_dimensions(begin), as_dimensions(size)
    except UnknownNumbersError:
        starts, sizes = (as_dimensions(public["ensure_shape"](one, [len(shape)])) for one in (begin, size))
    if len(starts) != len(shape) or len(sizes) != len(shape):
        raise InvalidArgumentError(
            f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, but got shapes [{len(starts)}] "
            f"and [{len(sizes)}] instead.",
            "slice",
        )
    key = []
    for axis, (start, count, whole) in enumerate(zip(starts, sizes, shape, strict=True)):
        if has_deferred((start, count, whole)):
            key.append(np.s_[start : whole if count == -1 else computed(_stop, start, count, whole)])
            continue
        if not 0 <= start <= whole:
            raise InvalidArgumentError(f"Expected begin[{axis}] in [0, {whole}], but got {start}", "slice")
        stop = whole if count == -1 else start + count
        if not start <= stop <= whole:
            raise InvalidArgumentError(f"Expected size[{axis}] in [0, {whole - start}], but got {count}", "slice")
        key.append(np.s_[start:stop])
    return _part.run(tensor, tuple(key))
