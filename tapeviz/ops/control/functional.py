"""Python functions applied along the first axis, eagerly: loops of Python's.

:mod:`tapeviz.graphs.control.functional` has the public functions, which check their arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError, OutOfRangeError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.scopes import TensorSpec
from tapeviz.ops.control.nest import assert_same_structure
from tapeviz.ops.control.tensor_array import TensorArray

__all__ = ["fold", "map_fn", "scan", "vectorized_map"]


def _slices(tensors: list[Any], apart: int | None = None) -> Callable[[int], list[Any]]:
    """What gives the slices at a position.

    They are taken all at once, as in a graph: so their gradients are put side by side, and not added to zeros.

    Args:
        tensors: sliced along their first axes.
        apart: the first position or the last, if what is there is what a fold begins with: a graph takes that by
            itself, and the slices on the other side of it together.
    """
    begin = 1 if apart == 0 else 0
    end = None if apart == 0 else apart
    rows = [_rows(tensor, begin, end) for tensor in tensors]

    def at(position: int) -> list[Any]:
        return [
            row[position - begin] if 0 <= position - begin < len(row) else tensor[position]  # says what is wrong
            for row, tensor in zip(rows, tensors, strict=True)
        ]

    return at


def _rows(tensor: Any, begin: int, end: int | None) -> Any:
    if not tensor.ndim or not range(len(tensor))[begin:end]:
        return ()
    return ops.unstack(tensor if begin == 0 and end is None else tensor[begin:end], axis=0)


def map_fn(fn: Any, elems: Any, tensors: list[Any], form: Any, *, infer_shape: bool) -> Any:
    """``fn`` of each slice, one after the other; ``form`` has the dtypes or specs of the results, None for the same."""
    count = tensors[0]._a.shape[0]
    own = nest.pack(elems, tensors)
    wanted = own if form is None else form
    specs = [_spec(leaf) for leaf in nest.flatten(nest.map_structure(lambda t: t.dtype, own) if form is None else form)]
    arrays = [_array(spec, count, infer_shape=infer_shape) for spec in specs]
    slices = _slices(tensors)
    for position in range(count):
        result = fn(nest.pack(elems, slices(position)))
        assert_same_structure(wanted, result)
        for array, leaf in zip(arrays, nest.flatten(result), strict=True):
            array.write(position, leaf)
    return nest.pack(wanted, [array.stack() for array in arrays])


def _spec(leaf: Any) -> TensorSpec:
    return leaf if isinstance(leaf, TensorSpec) else TensorSpec(None, as_dtype(leaf))


def _array(spec: TensorSpec, count: int, *, infer_shape: bool) -> TensorArray:
    return TensorArray(spec.dtype, size=count, infer_shape=infer_shape, element_shape=spec.shape)


def fold(fn: Any, elems: Any, tensors: list[Any], initializer: Any, *, backward: bool) -> Any:
    """What ``fn`` accumulates on its way."""
    positions = _order(tensors[0]._a.shape[0], backward=backward)
    first = _first(positions) if initializer is None else None
    slices = _slices(tensors, first)
    form = initializer if first is None else nest.pack(elems, slices(first))
    accumulated = form
    for position in positions:
        accumulated = fn(accumulated, nest.pack(elems, slices(position)))
        assert_same_structure(form, accumulated)
    return nest.map_structure(convert_to_tensor, accumulated)


def _order(count: int, *, backward: bool) -> Iterator[int]:
    return iter(range(count - 1, -1, -1) if backward else range(count))


def _first(positions: Any) -> int:
    for position in positions:
        return int(position)
    raise OutOfRangeError("Tried to read from index 0 but array size is: 0 ")


def scan(fn: Any, elems: Any, tensors: list[Any], initializer: Any, *, backward: bool, infer_shape: bool) -> Any:
    """All that ``fn`` accumulates on its way."""
    count = tensors[0]._a.shape[0]
    positions = _order(count, backward=backward)
    form = elems if initializer is None else initializer
    first = _first(positions) if initializer is None else None
    slices = _slices(tensors, first)
    leaves = [convert_to_tensor(leaf) for leaf in nest.flatten(initializer)] if first is None else slices(first)
    arrays = [TensorArray(leaf.dtype, size=count, infer_shape=infer_shape, element_shape=leaf.shape) for leaf in leaves]
    if first is not None:
        _write(arrays, first, leaves)
    accumulated = nest.pack(form, leaves)
    for position in positions:
        accumulated = fn(accumulated, nest.pack(elems, slices(position)))
        assert_same_structure(form, accumulated)
        _write(arrays, position, nest.flatten(accumulated))
    return nest.pack(form, [array.stack() for array in arrays])


def _write(arrays: list[TensorArray], position: int, leaves: list[Any]) -> None:
    for array, leaf in zip(arrays, leaves, strict=True):
        array.write(position, leaf)


def vectorized_map(fn: Any, elems: Any, tensors: list[Any]) -> Any:
    """``fn`` of each slice, one after the other; a single slice goes with all others."""
    count = max(map(len, tensors))
    for tensor in tensors:
        if len(tensor) not in {1, count}:
            raise InvalidArgumentError(f"indices[{len(tensor)}] = {len(tensor)} is not in [0, {len(tensor)})")
    if not count:
        return _of_nothing(fn, elems, tensors)
    several = _slices([tensor for tensor in tensors if len(tensor) > 1 or count == 1])
    results = []
    for position in range(count):
        rows = iter(several(position))
        slices = [next(rows) if len(tensor) > 1 or count == 1 else tensor[0] for tensor in tensors]
        results.append(fn(nest.pack(elems, slices)))
    leaves = zip(*map(nest.flatten, results), strict=True)
    return nest.pack(results[0], [_stacked(several) for several in leaves])


def _of_nothing(fn: Any, elems: Any, tensors: list[Any]) -> Any:
    """The results for no slices: of the shapes that one of zeros gives."""
    result = fn(nest.pack(elems, [ops.zeros(tuple(tensor.shape[1:]), tensor.dtype.numpy) for tensor in tensors]))
    return nest.map_structure(lambda leaf: None if leaf is None else _stacked([leaf])[:0], result)


def _stacked(several: Any) -> Any:
    if several[0] is None:
        return None
    return ops.stack(*[convert_to_tensor(item) for item in several], axis=0)
