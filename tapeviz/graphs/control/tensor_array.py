"""TensorArray while a graph is built: a list as a value of the graph, so that it can go through branches and loops."""

from __future__ import annotations

import inspect
from typing import Any, Self

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.dtypes import DType, kernel_name
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.graphs.control import tensor_lists
from tapeviz.ops.control import tensor_array

__all__ = ["TensorArray"]


class TensorArray(tensor_array.TensorArray):
    """A list of tensors of one dtype. Gradients go through it to what was written.

    Each method that writes gives the array to go on with, as TensorFlow's do: ``array = array.write(0, x)``.

    Args:
        dtype: of the elements.
        size: how many there are.
        dynamic_size: whether writing beyond the end makes it longer.
        clear_after_read: whether an element can be read only once; so by default.
        tensor_array_name: accepted as TensorFlow does.
        handle: accepted as TensorFlow does.
        flow: accepted as TensorFlow does.
        infer_shape: whether all elements must have one shape.
        element_shape: that shape; axes may be None.
        colocate_with_first_write_call: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: there is no ``size``.

    >>> import tapeviz as tf
    >>> array = tf.TensorArray(tf.float32, size=2)
    >>> array = array.write(0, 1.0).write(1, 2.0)
    >>> array.stack().numpy()
    array([1., 2.], dtype=float32)
    """

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        """A list of tensors; while a graph is built one of the graph."""
        graphs = cls is TensorArray and local.state.graph is not None
        return object.__new__(_GraphTensorArray if graphs else cls)  # type: ignore[return-value]


TensorArray.__signature__ = inspect.signature(tensor_array.TensorArray)  # type: ignore[attr-defined]


class _GraphTensorArray(TensorArray):
    """A TensorArray of a graph. Writing gives another one; what is known of the elements' shape, they share."""

    def _begin(self, dtype: DType, size: Any, flow: Any, shape: TensorShape) -> None:
        if size is None and flow is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        self._dtype = dtype
        self._known = [shape]
        # Nobody else has written to it as long as its size is known.
        self._count: Any = size
        self._flow = tensor_lists.reserved(size, self._dtype.numpy) if flow is None else flow

    def _with(self, flow: Any) -> Self:
        """An array with this list."""
        made: Any = object.__new__(_GraphTensorArray)
        made._dtype, made._dynamic, made._infer = self._dtype, self._dynamic, self._infer
        made._known, made._count, made._flow = self._known, self._count, flow
        return made  # type: ignore[no-any-return]

    def __tf_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        return self, (self._flow,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: tuple[Any, ...]) -> Any:
        return metadata._with(components[0])

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return self._known[0]

    @property
    def flow(self) -> Any:
        """The list, as a tensor of the graph."""
        return self._flow

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not there: tapes and ``tf.gradients`` give the gradients of what is read."""
        raise NotImplementedError("TensorArray.grad is not supported; gradients of what is read from it go through it.")

    def identity(self) -> Self:
        """An array with the same elements."""
        return self._with(self._flow)

    # Writing.

    def write(self, index: Any, value: Any, name: str | None = None) -> Self:
        """An array with ``value`` at ``index``.

        Raises:
            InvalidArgumentError: it has another dtype; when the graph runs: there is no such position.
            ValueError: it has another shape than the elements so far.
        """
        tensor = self._element(value)
        self._meet(tensor.shape)
        return self._with(tensor_lists.written(self._flow, convert_to_tensor(index), tensor, grows=self._dynamic))

    def _element(self, value: Any) -> Any:
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise InvalidArgumentError(
                f"Invalid data types; op elements {kernel_name(tensor._a.dtype)} but list elements "
                f"{kernel_name(self._dtype.numpy)}{at_line()}"
            )
        return tensor

    def _meet(self, shape: TensorShape) -> None:
        """An element of this shape is written."""
        if not self._known[0].is_compatible_with(shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self._known[0]}{at_line()}")
        if self._infer:
            self._known[0] = _both(self._known[0], shape)

    def unstack(self, value: Any, name: str | None = None) -> Self:
        """An array of the slices of ``value`` along its first axis."""
        tensor = self._element(value)
        self._meet(_rest(tensor.shape))
        return self._with(tensor_lists.from_tensor(tensor))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> Self:
        """An array with the slices of ``value`` along its first axis at ``indices``."""
        tensor = self._element(value)
        self._meet(_rest(tensor.shape))
        return self._with(tensor_lists.scattered(self._flow, convert_to_tensor(indices), tensor))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> Self:
        """An array of pieces of ``value``, so long along its first axis.

        Raises:
            InvalidArgumentError: when the graph runs: the lengths do not add up.
        """
        tensor = self._element(value)
        shape = tensor.shape
        self._meet(TensorShape(None) if shape.rank is None else TensorShape([None, *shape[1:]]))
        return self._with(tensor_lists.from_pieces(tensor, convert_to_tensor(lengths)))

    # Reading.

    def read(self, index: Any, name: str | None = None) -> Any:
        """The element at ``index``; zeros where nothing was written.

        Raises:
            InvalidArgumentError: when the graph runs: there is no such position.
        """
        return tensor_lists.element(self._flow, convert_to_tensor(index), self._known[0])

    def stack(self, name: str | None = None) -> Any:
        """All elements as one tensor, on a new first axis.

        Raises:
            InvalidArgumentError: when the graph runs: their shapes differ, or nothing is there and no shape is known.
        """
        count = self._count if isinstance(self._count, int) and not self._dynamic else None
        return tensor_lists.stacked(self._flow, self._known[0], count)

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The elements at ``indices`` as one tensor, on a new first axis.

        Raises:
            InvalidArgumentError: when the graph runs: there is no such position.
        """
        return tensor_lists.gathered(self._flow, convert_to_tensor(indices), self._known[0])

    def concat(self, name: str | None = None) -> Any:
        """All elements one after the other along their first axis.

        Raises:
            InvalidArgumentError: when the graph runs: an element has no axes.
        """
        return tensor_lists.concatenated(self._flow, self._known[0])

    def size(self, name: str | None = None) -> Any:
        """The number of elements."""
        if self._dynamic or self._count is None:
            return tensor_lists.length_of(self._flow)
        return convert_to_tensor(self._count)

    def close(self, name: str | None = None) -> None:
        """Nothing: what nobody needs is let go."""


def _both(first: TensorShape, second: TensorShape) -> TensorShape:
    """All that is known of a shape."""
    if first.dims is None or second.dims is None:
        return second if first.dims is None else first
    return TensorShape([b if a is None else a for a, b in zip(first.dims, second.dims, strict=True)])


def _rest(shape: TensorShape) -> TensorShape:
    """The shape of the slices along the first axis."""
    return TensorShape(None) if shape.rank is None else shape[1:]
