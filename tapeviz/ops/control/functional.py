"""Python functions applied along the first axis at once.

:mod:`tapeviz.graphs.control.functional` has the public functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError, OutOfRangeError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.scopes import TensorSpec
from tapeviz.ops.control.nest import assert_same_structure
from tapeviz.ops.control.tensor_array import TensorArray

__all__ = ["foldl", "foldr", "map_fn", "scan", "vectorized_map"]


def _tensors(elems: Any) -> list[Any]:
    return [convert_to_tensor(leaf) for leaf in nest.flatten(elems)]


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


def _callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"fn must be callable, got: {fn!r}")


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """``fn`` of each slice, one after the other."""
    _callable(fn)
    tensors = _tensors(elems)
    if not tensors:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
            f"{elems}, which does not contain any Tensors."
        )
    if any(not tensor.ndim for tensor in tensors):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    count = tensors[0]._a.shape[0]
    for tensor in tensors[1:]:
        if len(tensor) != count:
            raise ValueError(f"Dimensions {count} and {len(tensor)} are not compatible")
    form = dtype if fn_output_signature is None else fn_output_signature
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


def _fold(fn: Any, elems: Any, initializer: Any, order: Callable[[int], Iterable[int]]) -> Any:
    _callable(fn)
    tensors = _tensors(elems)
    positions = iter(order(tensors[0]._a.shape[0]))
    first = _first(positions) if initializer is None else None
    slices = _slices(tensors, first)
    form = initializer if first is None else nest.pack(elems, slices(first))
    accumulated = form
    for position in positions:
        accumulated = fn(accumulated, nest.pack(elems, slices(position)))
        assert_same_structure(form, accumulated)
    return nest.map_structure(convert_to_tensor, accumulated)


def _first(positions: Any) -> int:
    for position in positions:
        return int(position)
    raise OutOfRangeError("Tried to read from index 0 but array size is: 0 ")


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """What ``fn`` accumulates from the first slice to the last."""
    return _fold(fn, elems, initializer, range)


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """What ``fn`` accumulates from the last slice to the first."""
    return _fold(fn, elems, initializer, lambda count: range(count - 1, -1, -1))


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All that ``fn`` accumulates on its way."""
    _callable(fn)
    tensors = _tensors(elems)
    count = tensors[0]._a.shape[0]
    positions = iter(range(count - 1, -1, -1) if reverse else range(count))
    form = elems if initializer is None else initializer
    first = _first(positions) if initializer is None else None
    slices = _slices(tensors, first)
    leaves = _tensors(initializer) if first is None else slices(first)
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


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """``fn`` of each slice, one after the other; a single slice goes with all others."""
    _callable(fn)
    tensors = _tensors(elems)
    if any(not tensor.ndim for tensor in tensors):
        raise IndexError("list index out of range")
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
