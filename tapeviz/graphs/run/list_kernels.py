"""What is done with lists when a graph runs, on arrays and :class:`~tapeviz.graphs.run.list_values.Items`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.backends import backend_of
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.graphs.run.list_values import Items, arrays_in

__all__ = [
    "Blank", "concat", "concat_like", "filled", "gather", "gather_like", "item", "item_or_zeros", "joined", "placed",
    "put", "scatter", "split", "split_like", "stack", "stack_like", "summed", "without", "zeros_like",
]  # fmt: skip


def _xp(array: Any) -> Any:
    """The functions of the device where the array is."""
    return backend_of(array).xp


def _host(array: Any) -> np.ndarray:
    return backend_of(array).to_host(array)


def _places(indices: Any) -> list[int]:
    """Positions as numbers."""
    return _host(indices).reshape(-1).tolist()


class Blank:
    """What stands where nothing has been written: zeros, of a shape that is known or that of what has been written."""

    def __init__(self, shape: Any, dtype: np.dtype) -> None:
        self._shape = shape
        self.dtype = dtype

    def array(self, items: Items) -> Any:
        """The zeros for a list.

        Raises:
            InvalidArgumentError: their shape is not known.
        """
        shape = self._shape
        other = next(iter(items.arrays().values()), None)
        if not self.is_known:
            if other is None:
                raise InvalidArgumentError(
                    "Trying to read an uninitialized tensor but element_shape is not fully defined: "
                    f"{self.text} and no list element is set."
                )
            shape = other.shape
        return backend_of(other).xp.zeros(shape, self.dtype)

    @property
    def is_known(self) -> bool:
        """Whether the shape is known by itself."""
        return self._shape is not None and None not in self._shape

    @property
    def text(self) -> str:
        """The shape, for people."""
        return "<unknown>" if self._shape is None else str(self._shape)

    def none_joined(self) -> Any:
        """No elements, one after the other."""
        return np.zeros((0, *[size or 0 for size in (self._shape or (0,))[1:]]), self.dtype)

    def none(self) -> Any:
        """No elements, on a first axis.

        Raises:
            InvalidArgumentError: the shape of one is not known.
        """
        if not self.is_known:
            raise InvalidArgumentError(
                f"Tried to stack elements of an empty list with non-fully-defined element_shape: {self.text}"
            )
        return np.zeros((0, *self._shape), self.dtype)


def _checked(position: int, items: Items, what: str = "access") -> int:
    if not 0 <= position < items.length:
        raise InvalidArgumentError(f"Trying to {what} element {position} in a list with {items.length} elements.")
    return position


def item(items: Items, index: Any, blank: Blank) -> Any:
    """The array at a position; zeros where nothing has been written."""
    found = items.get(_checked(int(index), items))
    return blank.array(items) if found is None else found


def zeros_like(array: Any) -> Any:
    """Zeros of the form of an array; of a list, one in which nothing has been written."""
    return Items({}, array.length) if array.__class__ is Items else _xp(array).zeros_like(array)


def item_or_zeros(items: Items, index: Any, like: Any) -> Any:
    """The array at a position; zeros like another one where there is none."""
    found = items.get(int(index))
    return zeros_like(like) if found is None else found


def put(items: Items, index: Any, array: Any, *, grows: bool) -> Items:
    """The list with another array at a position."""
    position = int(index)
    if not grows or position < 0:
        _checked(position, items, "modify")
    return items.put(position, array)


def placed(items: Items, indices: Sequence[Any], arrays: Any) -> Items:
    """The list with these arrays at these positions."""
    for index, array in zip(indices, arrays_in(arrays), strict=True):
        items = items.put(int(index), array)
    return items


def without(items: Items, indices: Any) -> Items:
    """The list with nothing at some positions."""
    for index in _places(indices):
        if items.get(index) is not None:
            items = items.put(index, None)
    return items


def _filled(items: Items, blank: Blank) -> list[Any]:
    column = items.column()
    if column and not items.arrays() and not blank.is_known:
        raise InvalidArgumentError(
            "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: "
            f"{blank.text}"
        )
    if any(array is None for array in column):
        zeros = blank.array(items)
        column = [zeros if array is None else array for array in column]
    return column


def _stack(arrays: list[Any]) -> Any:
    first = arrays[0].shape
    other = next((array.shape for array in arrays if array.shape != first), first)
    if other != first:
        raise InvalidArgumentError(
            f"Tried to stack elements of a list with incompatible shapes. First element had shape {list(first)}, "
            f"another one has {list(other)}"
        )
    return _xp(arrays[0]).stack(arrays)


def stack(items: Items, blank: Blank, count: int | None) -> Any:
    """All arrays on a new first axis; ``count`` is how many there must be."""
    if count is not None and items.length != count:
        raise InvalidArgumentError(
            f"Operation expected a list with {count} elements but got a list with {items.length} elements."
        )
    column = _filled(items, blank)
    return _stack(column) if column else blank.none()


def stack_like(items: Items, like: Any) -> Any:
    """An array of the form of ``like``; what is there of its slices."""
    made = _xp(like).zeros_like(like)
    for position, array in items.arrays().items():
        made[position] = array
    return made


def gather(items: Items, indices: Any, blank: Blank) -> Any:
    """The arrays at some positions, on a new first axis."""
    places = _places(indices)
    beyond = next((place for place in places if not 0 <= place < items.length), None)
    if beyond is not None:
        raise InvalidArgumentError(f"Index {beyond} out of range; list only has {items.length} elements.")
    arrays = [items.get(place) for place in places]
    if not arrays:
        return blank.none()
    if any(array is None for array in arrays):
        zeros = blank.array(items)
        arrays = [zeros if array is None else array for array in arrays]
    return _stack(arrays)


def gather_like(items: Items, indices: Any, like: Any) -> Any:
    """An array of the form of ``like``; its slices are what is there at some positions."""
    made = _xp(like).zeros_like(like)
    for row, place in enumerate(_places(indices)):
        if (array := items.get(place)) is not None:
            made[row] = array
    return made


def summed(array: Any, indices: Any) -> Items:
    """The slices of an array by position, added where one is named twice."""
    total: dict[int, Any] = {}
    for place, part in zip(_places(indices), array, strict=True):
        total[place] = part if place not in total else total[place] + part
    return Items(total, max(total, default=-1) + 1)


def scatter(items: Items, indices: Any, array: Any) -> Items:
    """The list with the slices of an array at some positions; it becomes longer where it has to."""
    places = _places(indices)
    if len(places) != len(array):
        raise InvalidArgumentError(
            f"Specified a list with shape {list(array.shape)} from which to take {len(places)} elements"
        )
    for place, part in zip(places, array, strict=True):
        items = put(items, place, part, grows=True)
    return items


def concat(items: Items, blank: Blank) -> Any:
    """All arrays one after the other."""
    column = _filled(items, blank)
    for position, array in enumerate(column):
        if not array.ndim:
            raise InvalidArgumentError(f"Concat saw a scalar shape at index {position} but requires at least vectors.")
    return _xp(column[0]).concatenate(column) if column else blank.none_joined()


def concat_like(items: Items, like: Items) -> Any:
    """Gradients one after the other, zeros where there is none."""
    column = filled(items, like).column()
    return _xp(column[0]).concatenate(column)


def split_like(array: Any, like: Items) -> Items:
    """Pieces of an array, as long as the arrays of a list."""
    return Items.of(_cut(array, [len(part) for part in like.column()]))


def _cut(array: Any, lengths: Sequence[int]) -> list[Any]:
    """Pieces of an array, of these lengths."""
    ends = list(itertools.accumulate(lengths))
    return [array[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def split(array: Any, lengths: Any) -> Items:
    """Pieces of an array, of these lengths."""
    sizes = _host(lengths)
    if sizes.ndim != 1:
        raise InvalidArgumentError(f"Expected lengths to be a vector, received shape: {list(sizes.shape)}")
    if sizes.sum() > len(array):
        raise InvalidArgumentError(f"Requested {sizes.sum()} values of a tensor of length {len(array)}")
    if sizes.sum() < len(array):
        raise InvalidArgumentError(
            f"Unused values in tensor. Length of tensor: {len(array)} Values used: {sizes.sum()}"
        )
    return Items.of(_cut(array, sizes.tolist()))


def joined(items: Items, lengths: Any, like: Any) -> Any:
    """An array of the form of ``like``; what is there of its pieces."""
    made = _xp(like).zeros_like(like)
    starts = [0, *itertools.accumulate(_places(lengths))]
    for position, array in items.arrays().items():
        made[starts[position] : starts[position + 1]] = array
    return made


def filled(items: Items, like: Items) -> Items:
    """The list with zeros where there is nothing, of the forms of another one's arrays."""
    arrays = items.arrays()
    return Items(
        {place: arrays[place] if place in arrays else zeros_like(other) for place, other in like.arrays().items()},
        like.length,
    )
