"""Python functions applied along the first axis: ``map_fn``, ``foldl``, ``foldr``, ``scan``, ``vectorized_map``.

Eagerly they are loops of Python's. While a graph is built the function is traced once, as the body of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dtypes import as_dtype, kernel_name
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.graphs.control.axis_loops import Scan
from tapeviz.graphs.control.tensor_lists import element, from_tensor, length_of
from tapeviz.ops.array import creation
from tapeviz.ops.control import functional
from tapeviz.ops.control.nest import assert_same_structure

__all__ = ["foldl", "foldr", "map_fn", "scan", "vectorized_map"]


def _checked(fn: Any, elems: Any) -> list[Any]:
    """The tensors in ``elems``, those of the graph while one is built. Raises where ``fn`` cannot be called."""
    if not callable(fn):
        raise TypeError(f"fn must be callable, got: {fn!r}")
    graph: Any = local.state.graph
    tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(elems)]
    return tensors if graph is None else [graph.own(tensor) for tensor in tensors]


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
    """``fn`` of each slice along the first axis, the results stacked.

    Args:
        fn: takes one slice (or a structure of slices) and gives a tensor or a structure of them.
        elems: a tensor, or a structure of tensors of one length.
        dtype: the old name of ``fn_output_signature``.
        parallel_iterations: accepted as TensorFlow does.
        back_prop: whether, in a graph, gradients go through. Eagerly they do in any case, as TensorFlow's.
        swap_memory: accepted.
        infer_shape: whether all results must have one shape.
        name: accepted.
        fn_output_signature: dtypes or TensorSpecs in the structure that ``fn`` gives, where that is not of the
            structure and dtypes of ``elems``.

    Raises:
        InvalidArgumentError: a result has another dtype.
        TypeError: the structures' types differ.
        ValueError: the structures differ, there is nothing to go along, or lengths or shapes differ.

    >>> import tapeviz as tf
    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[1, 2], [3, 4]])).numpy()
    array([3, 7], dtype=int32)
    """
    __tracebackhide__ = True
    tensors = _checked(fn, elems)
    if not tensors:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
            f"{elems}, which does not contain any Tensors."
        )
    _check_lengths(tensors)
    form = dtype if fn_output_signature is None else fn_output_signature
    if local.state.graph is None:
        return functional.map_fn(fn, elems, tensors, form, infer_shape=infer_shape)
    own = nest.pack(elems, tensors)
    wanted = own if form is None else form
    specs = nest.flatten(nest.map_structure(lambda t: t.dtype, own) if form is None else form)

    def checked(*items: Any) -> tuple[list[Any], list[Any]]:
        result = fn(nest.pack(elems, list(items)))
        assert_same_structure(wanted, result)
        return [], [_fitting(leaf, spec) for leaf, spec in zip(nest.flatten(result), specs, strict=True)]

    _, made = Scan(checked, (), tensors, name or "map").run(followed=back_prop)
    return nest.pack(wanted, made)


def _check_lengths(tensors: Sequence[Any]) -> None:
    if any(tensor.shape.rank == 0 for tensor in tensors):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    lengths = [tensor.shape[0] if tensor.shape.rank else None for tensor in tensors]
    known = [length for length in lengths if length is not None]
    for length in known:
        if length != known[0]:
            raise ValueError(f"Dimensions {known[0]} and {length} are not compatible")


def _fitting(leaf: Any, spec: Any) -> Any:
    """A result as a tensor, of the dtype and shape that were promised."""
    dtype, shape = (spec.dtype, spec.shape) if hasattr(spec, "shape") else (as_dtype(spec), TensorShape(None))
    tensor = convert_to_tensor(leaf, dtype_hint=dtype)
    if tensor.dtype is not dtype:
        raise InvalidArgumentError(
            f"Invalid data types; op elements {kernel_name(tensor._a.dtype)} but list elements "
            f"{kernel_name(dtype.numpy)}{at_line()}"
        )
    if not shape.is_compatible_with(tensor.shape):
        raise ValueError(f"Inconsistent shapes: saw {tensor.shape} but expected {shape}{at_line()}")
    return tensor


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """``fn`` of what has been accumulated and the next slice, from the first to the last.

    Args:
        fn: takes what has been accumulated and a slice, and gives what is accumulated then.
        elems: a tensor, or a structure of tensors of one length, taken along the first axis.
        initializer: what to begin with; by default the first slice.
        parallel_iterations: accepted as TensorFlow does.
        back_prop: whether, in a graph, gradients go through. Eagerly they do in any case, as TensorFlow's.
        swap_memory: accepted.
        name: accepted.

    Raises:
        OutOfRangeError: there is no slice to begin with.
        TypeError: ``fn`` cannot be called.

    >>> import tapeviz as tf
    >>> tf.foldl(lambda a, x: 10 * a + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """
    __tracebackhide__ = True
    tensors = _checked(fn, elems)
    if local.state.graph is None:
        return functional.fold(fn, elems, tensors, initializer, backward=False)
    return _folded(fn, elems, tensors, initializer, name or "foldl", backward=False, followed=back_prop)[0]


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """``fn`` of what has been accumulated and the next slice, from the last to the first. Arguments as for ``foldl``.

    >>> import tapeviz as tf
    >>> tf.foldr(lambda a, x: 10 * a + x, tf.constant([1, 2, 3])).numpy()
    np.int32(321)
    """
    __tracebackhide__ = True
    tensors = _checked(fn, elems)
    if local.state.graph is None:
        return functional.fold(fn, elems, tensors, initializer, backward=True)
    return _folded(fn, elems, tensors, initializer, name or "foldr", backward=True, followed=back_prop)[0]


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
    """All that ``fn`` accumulates on its way along the first axis, stacked. Arguments as for ``foldl``.

    Args:
        fn: takes what has been accumulated and a slice, and gives what is accumulated then, in the same structure.
        elems: a tensor, or a structure of tensors of one length.
        initializer: what to begin with; by default the first slice, which then is the first result.
        parallel_iterations: accepted as TensorFlow does.
        back_prop: whether, in a graph, gradients go through. Eagerly they do in any case, as TensorFlow's.
        swap_memory: accepted.
        infer_shape: whether all results must have one shape.
        reverse: go from the last to the first; results stay in the order of ``elems``.
        name: accepted.

    Raises:
        InvalidArgumentError: a result has another dtype.
        OutOfRangeError: there is no slice to begin with.
        TypeError: structures have other types, or ``fn`` cannot be called.
        ValueError: structures or shapes differ.

    >>> import tapeviz as tf
    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    __tracebackhide__ = True
    tensors = _checked(fn, elems)
    if local.state.graph is None:
        return functional.scan(fn, elems, tensors, initializer, backward=reverse, infer_shape=infer_shape)
    _, made, first, form = _folded(
        fn, elems, tensors, initializer, name or "scan", backward=reverse, keeps=True, followed=back_prop
    )
    if first is not None:
        rows = [ops.expand_dims(leaf, axis=0) for leaf in first]
        rows = rows if back_prop else [registry["stop_gradient"].run(row) for row in rows]
        pairs = [(rest, row) if reverse else (row, rest) for row, rest in zip(rows, made, strict=True)]
        made = [ops.concat(*pair, axis=0) for pair in pairs]
    return nest.pack(form, made)


def _folded(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    tensors: list[Any],
    initializer: Any,
    name: str,
    *,
    backward: bool,
    followed: bool,
    keeps: bool = False,
) -> tuple[Any, list[Any], list[Any] | None, Any]:
    """What is accumulated at the end, all of it, what it began with where that is a slice, and its structure."""
    __tracebackhide__ = True
    _check_lengths(tensors)
    form, first = initializer, None
    if initializer is None:
        form = elems
        first = [_end(tensor, backward=backward) for tensor in tensors]
        tensors = [tensor[:-1] if backward else tensor[1:] for tensor in tensors]
    begin = nest.flatten(initializer) if first is None else first

    def accumulated(*values: Any) -> tuple[list[Any], list[Any]]:
        before, items = list(values[: len(begin)]), list(values[len(begin) :])
        result = fn(nest.pack(form, before), nest.pack(elems, items))
        assert_same_structure(form, result)
        leaves = [convert_to_tensor(leaf) for leaf in nest.flatten(result)]
        return leaves, leaves if keeps else []

    ends, made = Scan(accumulated, begin, tensors, name, backward=backward).run(followed=followed)
    return nest.pack(form, ends), made, first, form


def _end(tensor: Any, *, backward: bool) -> Any:
    """The first slice, or the last."""
    items = from_tensor(tensor)
    shape = tensor.shape
    place = length_of(items, less=1) if backward else convert_to_tensor(0)
    return element(items, place, TensorShape(None) if shape.rank is None else shape[1:])


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """``fn`` of each slice along the first axis, the results stacked. A tensor of length 1 serves every slice.

    TensorFlow rewrites ``fn`` to work on all slices at once; here it runs once a slice, with the same results.

    Args:
        fn: takes one slice (or a structure of slices) and gives a tensor or a structure of them.
        elems: a tensor, or a structure of tensors.
        fallback_to_while_loop: accepted as TensorFlow does.
        warn: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: lengths differ, and the shorter is not 1.
        IndexError: there is nothing to go along.
        TypeError: ``fn`` cannot be called.

    >>> import tapeviz as tf
    >>> tf.vectorized_map(lambda x: x * x, tf.constant([1, 2, 3])).numpy()
    array([1, 4, 9], dtype=int32)
    """
    __tracebackhide__ = True
    tensors = _checked(fn, elems)
    if any(tensor.shape.rank == 0 for tensor in tensors):
        raise IndexError("list index out of range")
    if local.state.graph is None:
        return functional.vectorized_map(fn, elems, tensors)
    forms: list[Any] = []
    along, slices_of = _in_step(tensors)

    def applied(*items: Any) -> tuple[list[Any], list[Any]]:
        forms.append(fn(nest.pack(elems, slices_of(items))))
        return [], [leaf for leaf in nest.flatten(forms[-1]) if leaf is not None]

    _, made = Scan(applied, (), along, "pfor").run()
    found = iter(made)
    return nest.map_structure(lambda leaf: None if leaf is None else next(found), forms[-1])


def _in_step(tensors: list[Any]) -> tuple[list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """What a loop goes along for slices of tensors of one length, or of length 1; and what gives them in the loop."""
    lengths = [tensor.shape[0] if tensor.shape.rank else None for tensor in tensors]
    if None in lengths and len(tensors) > 1:
        return _in_step_with_open_lengths(tensors)
    # One slice goes with all slices of the others.
    alone = [length == 1 and set(lengths) != {1} for length in lengths]
    fixed = [tensor[0] if single else None for tensor, single in zip(tensors, alone, strict=True)]

    def slices_of(items: Sequence[Any]) -> list[Any]:
        given = iter(items)
        return [next(given) if slice_ is None else slice_ for slice_ in fixed]

    return [tensor for tensor, single in zip(tensors, alone, strict=True) if not single], slices_of


def _in_step_with_open_lengths(tensors: list[Any]) -> tuple[list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """The same where only a run knows which tensors have one slice: along the positions."""
    lists = [from_tensor(tensor) for tensor in tensors]
    lengths = [length_of(items) for items in lists]
    forms = [TensorShape(None) if tensor.shape.rank is None else tensor.shape[1:] for tensor in tensors]

    def slices_of(items: Sequence[Any]) -> list[Any]:
        (position,) = items
        return [
            element(items, position * ops.cast(length > 1, dtype=position._a.dtype), form)
            for items, length, form in zip(lists, lengths, forms, strict=True)
        ]

    longest = ops.reduce_max(ops.stack(*lengths, axis=0), axis=None, keepdims=False)
    return [creation.range(longest)], slices_of
