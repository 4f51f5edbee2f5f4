"""The static shape of a tensor, as TensorFlow writes it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from operator import index
from typing import Any

from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.errors import ShapeError

__all__ = ["Dimension", "TensorShape", "as_dimensions", "give_dimensions", "gives_dimensions", "one_number"]


class Dimension(int):
    """A size, as TensorFlow 1 had it: a number with a ``value``.

    >>> import tapeviz.compat.v1 as tf
    >>> tf.Dimension(3).value
    3
    """

    @property
    def value(self) -> int:
        """The number."""
        return int(self)


_given = [False]


def give_dimensions(given: bool) -> None:
    """Have the sizes of a shape be a :class:`Dimension` each, where they are known, or plain numbers again."""
    _given[0] = given


def gives_dimensions() -> bool:
    """Whether the sizes of a shape are a :class:`Dimension` each."""
    return _given[0]


class TensorShape:
    """Sizes of a tensor's axes; ``None`` for an axis (or for all of them) means not known.

    Compares equal to tuples and lists.

    >>> import tapeviz as tf
    >>> shape = tf.zeros([2, 3]).shape
    >>> shape, shape == (2, 3), shape[0], shape.num_elements()
    (TensorShape([2, 3]), True, 2, 6)
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: Any) -> None:
        self._dims: tuple[int | None, ...] | None
        if dims.__class__ is tuple:
            self._dims = dims
        elif dims is None or isinstance(dims, TensorShape):
            self._dims = dims if dims is None else dims._dims
        elif isinstance(dims, int):
            self._dims = (dims,)
        else:
            self._dims = tuple(None if size is None else int(size) for size in dims)

    @property
    def rank(self) -> int | None:
        """How many axes there are; ``None`` when not known."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> tuple[int | None, ...] | None:
        """The sizes as a tuple; ``None`` when not even the rank is known."""
        return self._dims

    def as_list(self) -> list[int | None]:
        """The sizes as a list.

        Raises:
            ValueError: the rank is not known.
        """
        return list(self._known())

    def num_elements(self) -> int | None:
        """The product of the sizes; ``None`` when one is not known."""
        return math.prod(self._known()) if self.is_fully_defined() else None  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one tensor could have both shapes."""
        theirs = TensorShape(other)._dims
        if self._dims is None or theirs is None:
            return True
        return len(self._dims) == len(theirs) and all(
            a == b or a is None or b is None for a, b in zip(self._dims, theirs, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless one tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """What both shapes have in common: None for a size in which they differ, unknown where their ranks do.

        >>> import tapeviz as tf
        >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 5])
        TensorShape([2, None])
        """
        theirs = TensorShape(other)._dims
        if self._dims is None or theirs is None or len(self._dims) != len(theirs):
            return TensorShape(None)
        return TensorShape([a if a == b else None for a, b in zip(self._dims, theirs, strict=True)])

    def concatenate(self, other: Any) -> TensorShape:
        """This shape's axes followed by those of ``other``."""
        return TensorShape(self._known() + TensorShape(other)._known())

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, which must have ``rank`` axes.

        Raises:
            ValueError: it has another number of axes.
        """
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return TensorShape([None] * rank) if self._dims is None else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape, which must have ``rank`` axes or more.

        Raises:
            ValueError: it has fewer.
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape, which must have ``rank`` axes or fewer.

        Raises:
            ValueError: it has more.
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def merge_with(self, other: Any) -> TensorShape:
        """What is known of a shape that is this one and ``other``.

        Raises:
            ValueError: no tensor could have both.

        >>> import tapeviz as tf
        >>> tf.TensorShape([None, 2]).merge_with([3, None])
        TensorShape([3, 2])
        """
        theirs = TensorShape(other)
        self.assert_is_compatible_with(theirs)
        if self._dims is None or theirs._dims is None:
            return theirs if self._dims is None else self
        return TensorShape(tuple(b if a is None else a for a, b in zip(self._dims, theirs._dims, strict=True)))

    def _known(self) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return self._dims

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[int | None]:
        return iter(self._known())

    def __getitem__(self, key: Any) -> Any:
        picked = self._known()[key]
        if isinstance(key, slice):
            return TensorShape(picked)
        return Dimension(picked) if _given[0] and isinstance(picked, int) else picked

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        if other is None:
            return self._dims is None
        if isinstance(other, Iterable):
            return self._dims == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        return TensorShape, (self._dims,)

    def __repr__(self) -> str:
        return "TensorShape(None)" if self._dims is None else f"TensorShape({list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        return "(" + ", ".join(map(str, self._dims)) + (",)" if len(self._dims) == 1 else ")")


def as_dimensions(shape: Any) -> tuple[int, ...]:
    """``shape`` as a plain tuple: from a number, a list, a TensorShape, or an integer tensor or array of rank 0 or 1.

    Raises:
        TypeError: a size is not a whole number.
    """
    if shape.__class__ is tuple or shape.__class__ is list:
        return tuple([size if size.__class__ is int else _size(size) for size in shape])
    if hasattr(shape, "_numbers"):
        return shape._numbers()  # type: ignore[no-any-return]
    if hasattr(shape, "_host"):
        shape = shape._host()
    if isinstance(shape, int) or not getattr(shape, "ndim", 1):
        return (_size(shape),)
    return tuple(map(_size, shape))


def one_number(tensor: Any) -> int:
    """The one whole number that a tensor of a graph is, Deferred where it is not known yet.

    Raises:
        ShapeError: it has axes.
    """
    if tensor._a._shape:
        raise ShapeError(
            f"Shape must be rank 0 but is rank {tensor.ndim}: {tensor.name} with shape {tensor.shape} is used as a "
            "whole number"
        )
    if tensor._a._shape is None:  # what it is not shows when the graph runs
        tensor = tensor._as_one()
    return tensor._numbers()[0]  # type: ignore[no-any-return]


def _size(size: Any) -> int:
    if isinstance(size, Deferred):
        return size
    if hasattr(size, "_numbers"):
        return one_number(size)
    # A tensor's value is looked at, which is no exit from the engine: a size carries no gradient.
    return index(size._host() if hasattr(size, "_host") else size)
