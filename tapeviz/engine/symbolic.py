"""Tensors of a graph: a shape and a dtype, and the node that will make the value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.engine import nest
from tapeviz.engine.declaration import registry
from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.dtypes import DType, as_dtype
from tapeviz.engine.errors import OperatorNotAllowedInGraphError, ShapeError
from tapeviz.engine.operators import public
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import PartAssignment, Tensor
from tapeviz.engine.userline import user_line

if TYPE_CHECKING:
    from tapeviz.backends import Backend

__all__ = ["SymbolicSpec", "SymbolicTensor", "UnknownNumbersError", "at_line", "open_graph"]


def at_line() -> str:
    """Where the user's code is, as the end of an error message."""
    place = user_line()
    return f"\n  at {place}" if place else ""


class SymbolicSpec:
    """What a symbolic tensor has in an array's place: shape and dtype alone. A size that is not known is Deferred."""

    __slots__ = ("_shape", "dtype")

    def __init__(self, shape: tuple[int, ...] | None, dtype: np.dtype) -> None:
        self._shape = shape
        self.dtype: np.dtype = dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes.

        Raises:
            ValueError: not even their number is known.
        """
        if self._shape is None:
            raise ValueError(f"this needs a tensor whose number of axes is known while tracing{at_line()}")
        return self._shape

    @property
    def ndim(self) -> int:
        """The rank: the number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How much memory they will take."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """How much memory one element will take."""
        return self.dtype.itemsize


def open_graph(values: Any) -> Any:
    """The graph of sessions that one of these tensors, or lists of such, or variables, is of; None where none is."""
    for leaf in nest.flatten(values):
        graph = leaf.graph if isinstance(leaf, SymbolicTensor) else getattr(leaf, "_built_in", None)
        if hasattr(graph, "entered"):
            return graph
    return None


class UnknownNumbersError(ValueError):
    """How many whole numbers there are in a tensor of a graph is not known while tracing."""


class SymbolicTensor(Tensor):
    """A tensor that a graph will compute. It has a name, a shape and a dtype, and no value yet.

    >>> import tapeviz as tf
    >>> @tf.function
    ... def double(x):
    ...     print(x + x)
    ...     return x + x
    >>> double(tf.constant([1.0, 2.0])).numpy()
    Tensor("add:0", shape=(2,), dtype=float32)
    array([2., 4.], dtype=float32)
    """

    __slots__ = ("__weakref__", "_a", "_i", "_node", "_part", "_slot", "_stored_value")
    _a: Any
    _i: int
    _stored_value: Any

    _backend: Backend = NUMPY

    assign: PartAssignment = PartAssignment()

    def __init__(self, node: Any, slot: int, shape: tuple[int, ...] | None, dtype: np.dtype) -> None:
        self._node = node
        self._slot = slot
        self._a = SymbolicSpec(shape, dtype)
        self._stored_value = None

    @property
    def _static_value(self) -> Any:
        """The values as far as they are known while tracing, an array of whole numbers and Deferreds; or None."""
        told = self._stored_value
        if told is None or told.__class__ is not tuple:
            return told
        shape, numbers = told
        array = np.empty(len(numbers), object)
        array[:] = numbers
        return array.reshape(shape)

    @_static_value.setter
    def _static_value(self, values: Any) -> None:
        # Deferreds refer to tensors, and the collector of garbage does not look into arrays: kept in one they would
        # keep the graph for ever.
        apart = values is not None and values.dtype == object
        self._stored_value = (values.shape, values.ravel().tolist()) if apart else values

    @property
    def _id(self) -> int:
        try:
            return self._i
        except AttributeError:
            self._i = next_id()
            return self._i

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._node.graph

    @property
    def op(self) -> Any:
        """The node that makes it."""
        return self._node

    @property
    def name(self) -> str:
        """The name of its node, and which of the node's outputs it is."""
        return f"{self._node.name}:{self._slot}"

    @property
    def value_index(self) -> int:
        """Which of its node's outputs it is."""
        return self._slot

    @property
    def shape(self) -> TensorShape:
        """The sizes of the axes; None where one is not known."""
        shape = self._a._shape
        return TensorShape(
            None if shape is None else tuple(None if isinstance(size, Deferred) else size for size in shape)
        )

    def get_shape(self) -> TensorShape:
        """The sizes of the axes; None where one is not known."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Say what is known of the shape beyond what the graph knows.

        Raises:
            ValueError: it is known to be another.
        """
        told = TensorShape(shape)
        if not self.shape.is_compatible_with(told):
            raise ValueError(f"Dimensions {self.shape} and {told} are not compatible")
        if told.dims is None:
            return
        before = self._a._shape or [Deferred(("axis", self, axis)) for axis in range(len(told.dims))]
        merged = tuple(old if new is None else new for old, new in zip(before, told.dims, strict=True))
        self._a = SymbolicSpec(merged, self._a.dtype)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return as_dtype(self._a.dtype)

    @property
    def ndim(self) -> int:
        """The rank: the number of axes."""
        return self._a.ndim  # type: ignore[no-any-return]

    @property
    def device(self) -> str:
        """The device asked for; empty for any."""
        return str(self._node.device)

    def consumers(self) -> list[Any]:
        """The nodes that take it."""
        return [node for node in self.graph.nodes if any(taken is self for taken in node.inputs)]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, computed by ``session`` or the default session."""
        return public["evaluate"](self, feed_dict, session)

    def _host(self) -> np.ndarray:
        """The value where it is known while tracing."""
        known = self._static_value
        if known is not None and (known.dtype == self._a.dtype or not any(isinstance(n, Deferred) for n in known.flat)):
            return known.astype(self._a.dtype, copy=False)  # type: ignore[no-any-return]
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported: use the function of the same name from "
            f"tf or tf.math, or tf.numpy_function{at_line()}"
        )

    def _as_one(self) -> Any:
        """It as a tensor without axes."""
        return registry["reshape"].run(self, ())

    def _numbers(self) -> tuple[int, ...]:
        """Its elements as whole numbers, where it has one axis or none: those not known yet are Deferred."""
        if self._static_value is not None:
            return tuple(number if isinstance(number, Deferred) else int(number) for number in self._static_value.flat)
        if self._a.dtype.kind not in "iu":
            raise TypeError(f"{self!r} is used as a whole number{at_line()}")
        shape = self._a._shape
        if shape == ():
            return (Deferred(("value", self)),)
        if shape is not None and len(shape) > 1:
            raise ShapeError(
                f"Shape must be rank 1 but is rank {len(shape)}: {self.name} with shape {self.shape} is used as a list "
                f"of whole numbers{at_line()}"
            )
        if shape is None or isinstance(shape[0], Deferred):
            raise UnknownNumbersError(
                f"{self.name} with shape {self.shape} is used as a list of whole numbers, whose length must be known "
                f"while tracing{at_line()}"
            )
        return tuple(Deferred(("value", self[axis])) for axis in range(shape[0]))

    @property
    def numpy(self) -> Any:
        """Only eager tensors have values."""
        what = "'SymbolicTensor' object has no attribute 'numpy'"
        raise AttributeError(f"{what}: numpy() is only available when eager execution is enabled{at_line()}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self._host()

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` "
            f"for shape information.{at_line()}"
        )

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            "Iterating over a symbolic `tf.Tensor` is not allowed. You can attempt the following resolutions to the "
            "problem: If you are running in Graph mode, use Eager execution mode or decorate this function with "
            f"@tf.function; tf.unstack gives the slices.{at_line()}"
        )

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. You can attempt the following "
            "resolutions to the problem: If you are running in Graph mode, use Eager execution mode or decorate this "
            "function with @tf.function. If you are using AutoGraph, the line may be where it does not see it: use "
            f"tf.cond, tf.while_loop, tf.logical_and.{at_line()}"
        )

    def __int__(self) -> int:
        return self._as_python("int")  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._as_python("float")  # type: ignore[no-any-return]

    def __index__(self) -> int:
        return self._as_python("int")  # type: ignore[no-any-return]

    def _as_python(self, kind: str) -> Any:
        raise TypeError(
            f"{kind}() argument must be a string, a bytes-like object or a real number, not 'SymbolicTensor': "
            f"{self.name} has no value while tracing; tf.cast changes its type{at_line()}"
        )

    def __eq__(self, other: object) -> Any:
        if self.graph.hashes_tensors:
            return self is other
        return super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        if self.graph.hashes_tensors:
            return self is not other
        return super().__ne__(other)

    def __hash__(self) -> int:
        if self.graph.hashes_tensors:
            return id(self)
        return super().__hash__()

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, _memo: Any) -> SymbolicTensor:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(f"{self.name} is a tensor of a graph and cannot be stored")

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape = self.shape
        known = f", shape={shape}" if shape.rank is not None else ""
        return f'Tensor("{self.name}"{known}, dtype={self.dtype.name})'

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)
