"""Lists of arrays as values of a graph, and what can be done with them, with gradients of any order.

A list is a tensor of the graph like any other; its dtype says that it stands for
:class:`~tapeviz.graphs.run.list_values.Items`.
The gradient by a list is a list: where nothing arrived there is nothing in it, which stands for zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.backends import Backend, moved
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.operators import public
from tapeviz.engine.state import local
from tapeviz.engine.tensor import wrap
from tapeviz.engine.types import LISTS
from tapeviz.graphs.ir.special_nodes import GET_ITEM, Special
from tapeviz.graphs.ir.tape_entries import follow
from tapeviz.graphs.run import list_kernels as kernels
from tapeviz.graphs.run.list_values import Items

__all__ = [
    "add_lists", "concatenated", "dense", "element", "empty", "from_pieces", "from_tensor", "gathered", "is_list",
    "length_of", "nothing", "reserved", "scattered", "stacked", "written", "zeros_of",
]  # fmt: skip

_Form = Callable[..., Any]
_ELEMENTS: Final = {of_list: dtype for dtype, of_list in LISTS.items()}


def _special(name: str, doc: str) -> Special:
    return Special(f"list_{name}", f"TensorList{name.title().replace('_', '')}", doc, "lists")


_RESERVE: Final = _special("reserve", "A list of so many tensors, none of which has been written.")
_SET: Final = _special("set_item", "A list with another tensor at one position.")
_LENGTH: Final = _special("length", "How many positions a list has.")
_STACK: Final = _special("stack", "The tensors of a list as one, on a new first axis.")
_FROM_TENSOR: Final = _special("from_tensor", "The slices of a tensor along its first axis, as a list.")
_GATHER: Final = _special("gather", "Some of the tensors of a list as one, on a new first axis.")
_SCATTER: Final = _special("scatter", "A list with the slices of a tensor at some positions.")
_CONCAT: Final = _special("concat", "The tensors of a list one after the other, along their first axis.")
_SPLIT: Final = _special("split", "Pieces of a tensor along its first axis, as a list.")
_ADD: Final = _special("add", "The sum of two lists, position by position.")
_DENSE: Final = _special("fill", "A list with zeros where nothing has been written.")
_WITHOUT: Final = _special("without", "A list with nothing at some positions.")

_INT32: Final = np.dtype(np.int32)


class _Step:
    """Stands where an op does in a tape's entry: ``vjp`` makes gradients of the inputs from that of the output."""

    contributes_to_all = False

    def __init__(self, name: str, vjp: Callable[[Any], list[Any]]) -> None:
        self.name = name
        self._vjp = vjp

    def step_tensors(self, _ops: Any, upstream: Any, _ins: Any, _saved: Any) -> list[Any]:
        """On tensors of the graph that is being built."""
        return self._vjp(upstream[0])


class _Run:
    """A kernel as the run of a node with one output.

    ``form`` says what the shape of the output is for those of the inputs, or of a list's elements; None for not known.
    """

    def __init__(self, kernel: Callable[..., Any], form: _Form = lambda *_: None) -> None:
        self.kernel = kernel
        self._form = form

    def forms(self, inputs: Sequence[Any]) -> list[Any]:
        """The shape of the output, or of the elements of one that is a list."""
        return [self._form(*inputs)]

    def on(self, backend: Backend) -> _Run:
        """The same for a program that runs on a device: also what is made of nothing is there, and lengths are."""

        def kernel(*arrays: Any) -> Any:
            found = self.kernel(*arrays)
            stays = found.__class__ is Items or not backend.takes(found.dtype)
            return found if stays else moved(found, backend)

        return _Run(kernel, self._form)

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        return (self.kernel(*arrays),)


def _node(
    op: Special, inputs: Sequence[Any], form: Any, kernel: Callable[..., Any], vjp: Callable[..., Any] | None = None,
    runtime: _Form = lambda *_: None,
) -> Any:  # fmt: skip
    """A node; ``vjp`` takes the gradient by its output, and the inputs, and gives those by the inputs.

    ``runtime`` is the shape of what it gives by those of the inputs; of lists the shapes of their elements are meant.
    """
    graph: Any = local.state.graph
    own = [graph.own(convert_to_tensor(tensor)) for tensor in inputs]
    node = graph.node(op, own, {"run": _Run(kernel, runtime)}, [form])
    if vjp is not None:
        follow(_Step(node.name, lambda upstream: vjp(upstream, *own)), own, node.outputs)
    return node.outputs[0]


def is_list(tensor: Any) -> bool:
    """Whether the tensor stands for a list."""
    return tensor._a.dtype.names is not None


def _list_spec(dtype: np.dtype) -> Any:
    return (), LISTS[dtype]


def _same_spec(items: Any) -> Any:
    return (), items._a.dtype


def _of(items: Any) -> np.dtype:
    """The dtype of a list's elements."""
    return _ELEMENTS[items._a.dtype]


def _sizes(shape: Any) -> Any:
    """The sizes of the axes as far as they are known."""
    return None if shape.rank is None else tuple(shape.dims or ())


def _with_first(first: Any, shape: Any) -> Any:
    sizes = _sizes(shape)
    return None if sizes is None else (first, *sizes)


def _open(tensor: Any) -> Any:
    return _sizes(tensor.shape), tensor._a.dtype


# Making lists, and reading them.


def empty() -> Items:
    """The value of a list without positions."""
    return Items({}, 0)


def reserved(length: Any, dtype: np.dtype) -> Any:
    """A list of so many positions in which nothing has been written."""
    return _node(_RESERVE, [length], _list_spec(dtype), lambda size: Items({}, int(size)))


def nothing(like: Any) -> Any:
    """A list with as many positions as another one, in which nothing has been written."""
    if local.state.graph is None:
        return wrap(Items({}, like._a.length))
    return _node(_RESERVE, [like], _same_spec(like), lambda items: Items({}, items.length))


def length_of(items: Any, less: int = 0) -> Any:
    """How many positions there are, ``less`` some."""
    return _node(_LENGTH, [items], ((), _INT32), lambda found: np.array(found.length - less, _INT32))


def element(items: Any, index: Any, shape: Any) -> Any:
    """The tensor at a position; ``shape`` is what is known of its shape, for where nothing has been written."""
    dtype = _of(items)
    blank = kernels.Blank(_sizes(shape), dtype)
    return _node(
        GET_ITEM, [items, index], (_sizes(shape), dtype), lambda found, at: kernels.item(found, at, blank),
        lambda g, _items, at: [_single(g, at), None], lambda elements, _at: elements,
    )  # fmt: skip


def _single(value: Any, index: Any) -> Any:
    """A list with one tensor in it."""
    return _node(
        _SET, [value, index], _list_spec(value._a.dtype), lambda array, at: kernels.placed(empty(), [at], [array]),
        lambda g, like, at: [_picked(g, at, like), None], lambda value, _at: value,
    )  # fmt: skip


def _picked(items: Any, index: Any, like: Any) -> Any:
    """The tensor at a position of a list of gradients; zeros like another tensor where there is none."""
    return _node(
        GET_ITEM, [items, index, like], _open(like), kernels.item_or_zeros,
        lambda g, _items, at, _like: [_single(g, at), None, None], lambda _items, _at, like: like,
    )  # fmt: skip


def written(items: Any, index: Any, value: Any, *, grows: bool) -> Any:
    """The list with another tensor at one position; ``grows`` says that it may be beyond the end."""
    return _node(
        _SET, [items, index, value], _same_spec(items),
        lambda found, at, array: kernels.put(found, at, array, grows=grows),
        lambda g, _items, at, like: [_without(g, at), None, _picked(g, at, like)],
    )  # fmt: skip


def _without(items: Any, indices: Any) -> Any:
    return _node(
        _WITHOUT, [items, indices], _same_spec(items), kernels.without, lambda g, _items, at: [_without(g, at), None]
    )


# Lists and tensors.


def stacked(items: Any, shape: Any, count: int | None) -> Any:
    """All tensors on a new first axis; ``shape`` is what is known of the shape of each."""
    dtype = _of(items)
    blank = kernels.Blank(_sizes(shape), dtype)
    return _node(
        _STACK, [items], (_with_first(count, shape), dtype), lambda found: kernels.stack(found, blank, count),
        lambda g, _items: [from_tensor(g)],
    )  # fmt: skip


def from_tensor(value: Any) -> Any:
    """The slices along the first axis."""
    return _node(
        _FROM_TENSOR, [value], _list_spec(value._a.dtype), Items.of, lambda g, like: [_stacked_like(g, like)],
        lambda value: None if value is None else value[1:],
    )  # fmt: skip


def _stacked_like(items: Any, like: Any) -> Any:
    """A tensor of the form of ``like`` from a list of gradients of its slices."""
    return _node(
        _STACK, [items, like], _open(like), kernels.stack_like, lambda g, *_: [from_tensor(g), None],
        lambda _items, like: like,
    )  # fmt: skip


def gathered(items: Any, indices: Any, shape: Any) -> Any:
    """The tensors at some positions, on a new first axis."""
    dtype = _of(items)
    blank = kernels.Blank(_sizes(shape), dtype)
    count = indices.shape[0] if indices.shape.rank else None
    return _node(
        _GATHER, [items, indices], (_with_first(count, shape), dtype),
        lambda found, places: kernels.gather(found, places, blank),
        lambda g, _items, places: [_summed(g, places), None],
    )  # fmt: skip


def _summed(value: Any, indices: Any) -> Any:
    """A list with the slices of a tensor at some positions; those for the same position are added."""
    return _node(
        _SCATTER, [value, indices], _list_spec(value._a.dtype), kernels.summed,
        lambda g, like, places: [_picked_like(g, places, like), None],
    )  # fmt: skip


def _picked_like(items: Any, indices: Any, like: Any) -> Any:
    """A tensor of the form of ``like`` from what a list of gradients has at some positions."""
    return _node(
        _GATHER, [items, indices, like], _open(like), kernels.gather_like,
        lambda g, _items, places, _like: [_summed(g, places), None, None],
    )  # fmt: skip


def scattered(items: Any, indices: Any, value: Any) -> Any:
    """The list with the slices of a tensor at some positions; it becomes longer where it has to."""
    return _node(
        _SCATTER, [items, indices, value], _same_spec(items), kernels.scatter,
        lambda g, _items, places, like: [_without(g, places), None, _picked_like(g, places, like)],
    )  # fmt: skip


def concatenated(items: Any, shape: Any) -> Any:
    """All tensors one after the other along their first axis."""
    dtype = _of(items)
    sizes = _sizes(shape)
    rest = sizes if sizes is None else (None, *sizes[1:])
    blank = kernels.Blank(sizes, dtype)
    return _node(
        _CONCAT, [items], (rest, dtype), lambda found: kernels.concat(found, blank),
        lambda g, like: [_split_like(g, like)],
    )  # fmt: skip


def _split_like(value: Any, like: Any) -> Any:
    """Pieces of a tensor, of the lengths of the tensors in another list."""
    return _node(
        _SPLIT, [value, like], _same_spec(like), kernels.split_like,
        lambda g, _value, sizes: [_concatenated_like(g, sizes), None],
    )  # fmt: skip


def _concatenated_like(items: Any, like: Any) -> Any:
    """The tensors of a list of gradients one after the other, with zeros of the form of those in another list."""
    return _node(
        _CONCAT, [items, like], (None, _of(items)), kernels.concat_like,
        lambda g, _items, sizes: [_split_like(g, sizes), None],
    )  # fmt: skip


def from_pieces(value: Any, lengths: Any) -> Any:
    """Pieces of a tensor along its first axis, of these lengths."""
    return _node(
        _SPLIT, [value, lengths], _list_spec(value._a.dtype), kernels.split,
        lambda g, like, sizes: [_joined(g, sizes, like), None],
    )  # fmt: skip


def _joined(items: Any, lengths: Any, like: Any) -> Any:
    """A tensor of the form of ``like`` from a list of gradients of its pieces."""
    return _node(
        _CONCAT, [items, lengths, like], _open(like), kernels.joined,
        lambda g, _items, sizes, _like: [from_pieces(g, sizes), None, None],
    )  # fmt: skip


# Gradients that are lists.


def dense(items: Any, like: Any) -> Any:
    """A list of gradients with zeros where there is nothing, of the forms of what is in another list."""
    return _node(_DENSE, [items, like], _same_spec(items), kernels.filled, lambda g, *_: [g, None])


def add_lists(first: Any, second: Any) -> Any:
    """The sum of two lists of gradients."""
    if local.state.graph is not None:
        return _node(_ADD, [first, second], _same_spec(first), lambda a, b: a + b, lambda g, *_: [g, g])
    total = wrap(first._a + second._a)
    follow(_Step("list_add", lambda g: [g, g]), [first, second], [total])
    return total


def zeros_of(tensor: Any) -> Any:
    """Zeros of the tensor's form; for a list, one in which nothing has been written."""
    return nothing(tensor) if is_list(tensor) else ops.zeros_like(tensor)


public["add_lists"] = add_lists
