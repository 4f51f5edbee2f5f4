"""Lists that become longer in a loop of the graph: one tensor, the elements stacked, whose length the graph knows."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.ops.array.concat import concat, unstack
from tapeviz.ops.array.creation import shape

__all__ = ["GraphList", "begun"]


class GraphList:
    """A list of tensors of one shape and dtype in a graph. It has what code in a loop does with a list.

    It can be given to whatever takes a tensor, which sees the elements stacked; ``tf.stack`` of it is that tensor. A
    function that returns one gives its caller a list.

    Args:
        stacked: the elements along the first axis; None while nothing is known of them.
    """

    def __init__(self, stacked: Any = None) -> None:
        self.stacked: Any = stacked

    @property
    def is_open(self) -> bool:
        """Whether nothing is known of its elements."""
        return self.stacked is None

    def _read(self) -> Any:
        """The elements stacked: so tensors are made of things that are not tensors themselves."""
        if self.stacked is None:
            return convert_to_tensor([])
        return self.stacked

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._read().dtype

    @property
    def length(self) -> Any:
        """How many elements there are, as a tensor where the graph will know."""
        if self.stacked is None:
            return 0
        first = self.stacked.shape.dims[0]
        return first if first is not None else shape(self.stacked)[0]

    def append(self, value: Any) -> None:
        """Put a value behind the others.

        Raises:
            TypeError: its dtype is not that of the others.
            ValueError: its shape is not that of the others.
        """
        __tracebackhide__ = True
        element = convert_to_tensor(value, dtype_hint=None if self.stacked is None else self.dtype)
        row = ops.expand_dims(element, axis=0)
        if self.stacked is None:
            self.stacked = row
            return
        if element.dtype != self.dtype:
            raise TypeError(
                f"a list in a loop of the graph has elements of dtype {self.dtype.name}, but {element.dtype.name} is "
                f"appended{at_line()}"
            )
        if not element.shape.is_compatible_with(self.stacked.shape[1:]):
            raise ValueError(
                f"a list in a loop of the graph has elements of shape {self.stacked.shape[1:]}, but one of shape "
                f"{element.shape} is appended{at_line()}"
            )
        self.stacked = concat([self.stacked, row], 0)

    def pop(self) -> Any:
        """Take the last element away, and give it."""
        last = self.stacked[-1]
        self.stacked = self.stacked[:-1]
        return last

    def emptied(self) -> GraphList:
        """A list without elements that can take such as this one has."""
        dims = self.stacked.shape.dims[1:]
        return GraphList(ops.zeros(shape=(0, *(size or 0 for size in dims)), dtype=self.dtype.numpy))

    def __getitem__(self, key: Any) -> Any:
        return self.stacked[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        place: Any = convert_to_tensor(key)
        element = ops.expand_dims(convert_to_tensor(value, dtype_hint=self.dtype), axis=0)
        self.stacked = concat([self.stacked[:place], element, self.stacked[place + 1 :]], 0)

    def __len__(self) -> int:
        length = self.length
        if isinstance(length, int):
            return length
        raise TypeError(f"the length of a list from a loop of the graph is only known when the graph runs{at_line()}")

    def __tf_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        return (), () if self.stacked is None else (self.stacked,)

    @classmethod
    def __tf_unflatten__(cls, _metadata: Any, components: tuple[Any, ...]) -> Any:
        if components and not isinstance(components[0], SymbolicTensor):
            return unstack(components[0]) if components[0].shape[0] else []
        return cls(*components)


def begun(values: list[Any]) -> GraphList:
    """The list that a loop of the graph begins with."""
    from_values = [convert_to_tensor(value) for value in values]
    return GraphList(ops.stack(*from_values, axis=0)) if from_values else GraphList()
