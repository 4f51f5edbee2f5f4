"""TensorArray: a list of tensors of one dtype, written and read by position."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import InvalidArgumentError, OutOfRangeError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.shapes import TensorShape

__all__ = ["TensorArray"]


class TensorArray:
    """A list of tensors, eagerly; :mod:`tapeviz.graphs.control.tensor_array` has the public class."""

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._clears = clear_after_read is None or clear_after_read
        self._dynamic = bool(dynamic_size)
        self._infer = infer_shape
        self._begin(as_dtype(dtype), size, flow, TensorShape(element_shape))

    def _begin(self, dtype: DType, size: Any, flow: Any, shape: TensorShape) -> None:
        """An array with nothing written."""
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self._dtype, self._shape = dtype, shape
        self._items: list[Any] = [None] * int(size)
        self._read: set[int] = set()

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing beyond the end makes it longer."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return self._shape

    @property
    def flow(self) -> Any:
        """A number that stands for the order of writing in a graph; 0 here."""
        return convert_to_tensor(0)

    @property
    def handle(self) -> None:
        """None: there is no graph."""

    def identity(self) -> Self:
        """This array."""
        return self

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not for eager execution, whose gradients need no such thing."""
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient implementation does not "
            "use/need this function to compute gradients of operations that use TensorArrays."
        )

    def write(self, index: Any, value: Any, name: str | None = None) -> Self:
        """Put ``value`` at ``index``.

        Raises:
            InvalidArgumentError: it has another dtype.
            OutOfRangeError: there is no such position.
            ValueError: it has another shape than the elements so far.
        """
        position = int(index)
        if position < 0:
            raise OutOfRangeError(f"Writing to negative indices (index {position}) is not allowed.")
        if position >= len(self._items):
            if not self._dynamic:
                raise OutOfRangeError(
                    f"Tried to write to index {position} but array is not resizeable and size is: {len(self._items)} "
                )
            self._items += [None] * (position + 1 - len(self._items))
        self._items[position] = self._element(value)
        self._read.discard(position)
        return self

    def _element(self, value: Any) -> Any:
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise InvalidArgumentError(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {tensor.dtype.name} "
            )
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(f"Incompatible shape for value ({tensor.shape}), expected ({self._shape})")
        if self._infer:
            self._shape = tensor.shape
        return tensor

    def read(self, index: Any, name: str | None = None) -> Any:
        """The element at ``index``; zeros where nothing was written.

        Raises:
            InvalidArgumentError: it was read before.
            OutOfRangeError: there is no such position.
        """
        position = int(index)
        if position < 0:
            raise OutOfRangeError(f"Reading from negative indices (index {position}) is not allowed.")
        if position >= len(self._items):
            raise OutOfRangeError(f"Tried to read from index {position} but array size is: {len(self._items)} ")
        if position in self._read:
            raise InvalidArgumentError(
                f"Could not read index {position} twice because it was cleared after a previous read (perhaps try "
                "setting clear_after_read = false?)"
            )
        found = self._filled(position)
        if self._clears:
            self._items[position] = None
            self._read.add(position)
        return found

    def _filled(self, position: int) -> Any:
        found = self._items[position]
        if found is None:
            found = self._items[position] = self._zeros(())
        return found

    def _zeros(self, before: tuple[int, ...]) -> Any:
        if not self._shape.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {self._shape} to a Tensor.")
        return ops.zeros((*before, *self._shape), self._dtype.numpy)

    def stack(self, name: str | None = None) -> Any:
        """All elements as one tensor, on a new first axis.

        Raises:
            InvalidArgumentError: their shapes differ.
            ValueError: nothing was written and no shape is known.
        """
        filled = [self._filled(position) for position in range(len(self._items))]
        return ops.stack(*filled, axis=0) if filled else self._nothing()

    def _nothing(self) -> Any:
        """No elements, of the shape that is known."""
        shape = tuple(size or 0 for size in self._shape) if self._shape.rank is not None else ()
        return ops.zeros((0, *shape), self._dtype.numpy)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The elements at ``indices`` as one tensor, on a new first axis.

        Raises:
            IndexError: there is no such position.
        """
        wanted = np.asarray(indices, np.int64).reshape(-1).tolist()
        if any(position >= len(self._items) for position in wanted):
            raise IndexError("list index out of range")
        if not wanted:
            return self._nothing()
        return ops.stack(*[self._filled(position) for position in wanted], axis=0)

    def concat(self, name: str | None = None) -> Any:
        """All elements one after the other along their first axis.

        Raises:
            InvalidArgumentError: an element has no axes.
        """
        filled = [self._filled(position) for position in range(len(self._items))]
        for position, item in enumerate(filled):
            if not item.ndim:
                raise InvalidArgumentError(
                    f"Concat saw a scalar shape at index {position} but requires at least vectors."
                )
        return ops.concat(*filled, axis=0)

    def unstack(self, value: Any, name: str | None = None) -> Self:
        """Write the slices of ``value`` along its first axis.

        Raises:
            ValueError: there are more of them than positions.
        """
        parts = ops.unstack(convert_to_tensor(value, dtype_hint=self._dtype), axis=0)
        if len(parts) > len(self._items) and not self._dynamic:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size {len(self._items)} "
            )
        self._items = [self._element(part) for part in parts]
        self._read = set()
        return self

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> Self:
        """Write the slices of ``value`` along its first axis to ``indices``."""
        parts = ops.unstack(convert_to_tensor(value, dtype_hint=self._dtype), axis=0)
        for index, part in zip(np.asarray(indices).reshape(-1).tolist(), parts, strict=False):
            self.write(index, part)
        return self

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Self:
        """Write pieces of ``value``, so long along its first axis.

        Raises:
            InvalidArgumentError: the lengths do not add up, or are not as many as there are positions.
        """
        tensor, sizes = convert_to_tensor(value, dtype_hint=self._dtype), np.asarray(lengths)
        if sizes.ndim != 1:
            raise InvalidArgumentError(f"Expected lengths to be a vector, received shape: {list(sizes.shape)} ")
        if sizes.sum() != len(tensor):
            raise InvalidArgumentError(
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sizes.sum()} and "
                f"value's shape is: {tensor.shape.as_list()} "
            )
        if len(sizes) != len(self._items) and not self._dynamic:
            raise InvalidArgumentError(
                f"TensorArray's size is not equal to the size of lengths ({len(self._items)} vs. {len(sizes)}), and "
                "the TensorArray is not marked as dynamically resizeable."
            )
        ends = np.cumsum(sizes).tolist()
        starts = [0, *ends[:-1]]
        self._infer, self._shape = False, TensorShape([None, *tensor.shape[1:]])
        self._items = [self._element(tensor[start:end]) for start, end in zip(starts, ends, strict=True)]
        self._read = set()
        return self

    def size(self, name: str | None = None) -> Any:
        """The number of elements."""
        return convert_to_tensor(len(self._items))

    def close(self, name: str | None = None) -> None:
        """Let the elements go."""
        self._items = []
