"""Steps that put elements together and take them apart: ``batch``, ``padded_batch``, ``unbatch``, ``window``."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.data import rows
from tapeviz.data.nodes import INFINITE, UNKNOWN, Element, Node, Run
from tapeviz.data.sources import ListNode
from tapeviz.data.structures import DatasetSpec, labels, mapped, named
from tapeviz.engine import nest
from tapeviz.engine.errors import DataLossError, InvalidArgumentError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.shapes import TensorShape

__all__ = ["BatchNode", "PaddedBatchNode", "UnbatchNode", "WindowNode"]


_QUICK: Final = 1 << 17  # numbers in a batch, which are gathered in some tens of microseconds


class _Grouping(Node):
    """A step that makes one element of several."""

    def __init__(self, source: Node, size: int, *, drop: bool) -> None:
        if size < 1:
            raise InvalidArgumentError("Batch size must be greater than zero.", "BatchDatasetV2")
        self.inputs: tuple[Node] = (source,)
        self._size, self._drop = size, drop
        self._names = labels(source.spec)
        for leaf in nest.flatten(source.spec):
            if isinstance(leaf, DatasetSpec):
                raise TypeError(f"Batching of datasets is not supported: the elements are {source.spec}")

    def cardinality(self) -> int:
        """Whole groups, and one for the rest."""
        size = self.inputs[0].cardinality()
        return size if size < 0 else size // self._size if self._drop else -(-size // self._size)

    def _groups(self, run: Run) -> Iterator[list[Element]]:
        elements = self.inputs[0].open(run.input())
        while group := list(itertools.islice(elements, self._size)):
            if len(group) == self._size or not self._drop:
                yield group


class BatchNode(_Grouping):
    """So many elements stacked. Rows are gathered at once."""

    name = "Batch"

    def __init__(self, source: Node, size: int, *, drop: bool) -> None:
        super().__init__(source, size, drop=drop)
        length = size if drop else None
        self.spec: Any = mapped(source.spec, lambda leaf: _longer(leaf, length))
        sizes = [leaf.shape.num_elements() for leaf in nest.flatten(source.spec) if leaf.shape.is_fully_defined()]
        self.quick: bool = source.by_rows and len(sizes) == len(self._names) and size * sum(sizes) <= _QUICK

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        source = self.inputs[0]
        if source.by_rows:
            picker, blocks = source.open_rows(run.input())
            for block in rows.chunks(blocks, self._size):
                if len(block) == self._size or not self._drop:
                    yield picker.many(block)
            return
        for group in self._groups(run):
            yield tuple([self._stacked(place, parts) for place, parts in enumerate(zip(*group, strict=True))])

    def _stacked(self, place: int, parts: Sequence[np.ndarray]) -> np.ndarray:
        first = parts[0]
        made = np.empty((len(parts), *first.shape), first.dtype)
        for number, part in enumerate(parts):
            if part.shape != first.shape:
                raise InvalidArgumentError(
                    f"Cannot batch tensors with different shapes in {named(place, self._names)}. First element had "
                    f"shape {list(first.shape)} and element {number} had shape {list(part.shape)}.", "IteratorGetNext",
                )  # fmt: skip
            made[number, ...] = part
        return made


def _longer(leaf: TensorSpec, length: int | None) -> TensorSpec:
    dims = leaf.shape.dims
    return TensorSpec(None if dims is None else (length, *dims), leaf.dtype)


class PaddedBatchNode(_Grouping):
    """So many elements stacked, the shorter ones made as long as the longest, or as long as is said.

    Raises:
        ValueError: there is no saying how long, or another number of shapes or values than of components.
        TypeError: a value has another dtype.
    """

    name = "PaddedBatch"

    def __init__(self, source: Node, size: int, shapes: Any, values: Any, *, drop: bool) -> None:
        super().__init__(source, size, drop=drop)
        leaves = nest.flatten(source.spec)
        self._shapes = self._sizes(leaves, shapes)
        self._values = [_padding(leaf, value) for leaf, value in zip(leaves, self._flat(values, None), strict=True)]
        length = size if drop else None
        made = [TensorSpec((length, *dims), leaf.dtype) for leaf, dims in zip(leaves, self._shapes, strict=True)]
        self.spec: Any = nest.pack(source.spec, made)

    def _sizes(self, leaves: Sequence[TensorSpec], shapes: Any) -> list[tuple[int | None, ...]]:
        if shapes is None:
            for place, leaf in enumerate(leaves):
                if leaf.shape.rank is None:
                    raise ValueError(
                        f"You must provide `padded_shapes` argument because {named(place, self._names)} has unknown "
                        "rank."
                    )
            return [tuple(leaf.shape.dims or ()) for leaf in leaves]
        found = []
        for place, (leaf, wanted) in enumerate(zip(leaves, self._flat(shapes, leaves), strict=True)):
            dims = tuple(None if size in (None, -1) else int(size) for size in TensorShape(wanted).dims or ())
            if leaf.shape.rank is not None and len(dims) != leaf.shape.rank:
                raise ValueError(
                    f"The padded shape {dims} is not compatible with the shape {leaf.shape} of "
                    f"{named(place, self._names)}."
                )
            found.append(dims)
        return found

    def _flat(self, given: Any, leaves: Any) -> list[Any]:
        """One thing for each component."""
        spec = self.inputs[0].spec
        count = len(self._names)
        if nest.flatten(spec) == [spec] or (leaves is None and not isinstance(given, (tuple, dict))):
            return [given] * count
        inside = _along(spec, given)
        if len(inside) != count:
            raise ValueError(f"{given!r} does not have the structure of the elements, {spec}")
        return inside

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        for group in self._groups(run):
            yield tuple([self._padded(place, parts) for place, parts in enumerate(zip(*group, strict=True))])

    def _padded(self, place: int, parts: Sequence[np.ndarray]) -> np.ndarray:
        wanted = self._shapes[place]
        for part in parts:
            if part.ndim != len(wanted):
                raise InvalidArgumentError(
                    f"All elements in a batch must have the same rank as the padded shape for "
                    f"{named(place, self._names)}: expected rank {len(wanted)} but got element with rank {part.ndim}",
                    "IteratorGetNext",
                )  # fmt: skip
        longest = [max(sizes) for sizes in zip(*[part.shape for part in parts], strict=True)]
        sizes = [most if size is None else size for size, most in zip(wanted, longest, strict=True)]
        if any(most > size for size, most in zip(sizes, longest, strict=True)):
            raise DataLossError(
                f"Attempted to pad to a smaller size than the input element: {named(place, self._names)} has an "
                f"element of sizes up to {longest}, and is padded to {sizes}.", "IteratorGetNext",
            )  # fmt: skip
        made = np.full((len(parts), *sizes), self._values[place], parts[0].dtype)
        for number, part in enumerate(parts):
            made[number, ...][tuple([slice(size) for size in part.shape])] = part
        return made


def _along(spec: Any, given: Any) -> list[Any]:
    """What is in ``given`` at the places of the leaves of ``spec``."""
    if isinstance(spec, TensorSpec):
        return [given]
    if isinstance(spec, dict) and isinstance(given, dict):
        return [leaf for key in sorted(spec) if key in given for leaf in _along(spec[key], given[key])]
    inside, theirs = nest.parts(spec), nest.parts(given) or ()
    return [leaf for one, other in zip(inside or (), theirs, strict=False) for leaf in _along(one, other)]


def _padding(leaf: TensorSpec, value: Any) -> Any:
    dtype = leaf.dtype.numpy
    if value is None:
        return b"" if dtype.kind == "O" else np.zeros((), dtype)
    array = value._host() if hasattr(value, "_host") else value
    if isinstance(array, str):
        array = array.encode()
    if hasattr(array, "dtype") and array.dtype != dtype and dtype.kind != "O":
        raise TypeError(f"Padding value {value!r} has dtype {array.dtype}, the component has {leaf.dtype.name}")
    return array


class UnbatchNode(Node):
    """The slices of each element's components.

    Raises:
        ValueError: a component has no axis.
    """

    name = "Unbatch"

    def __init__(self, source: Node) -> None:
        self.inputs: tuple[Node] = (source,)
        self._names = labels(source.spec)
        for place, leaf in enumerate(nest.flatten(source.spec)):
            if not isinstance(leaf, TensorSpec) or leaf.shape.rank == 0:
                raise ValueError(f"Cannot unbatch an input with scalar components: {named(place, self._names)}.")
        self.spec: Any = mapped(source.spec, _shorter)

    def cardinality(self) -> int:
        """Not known, unless the length of each element is."""
        size = self.inputs[0].cardinality()
        lengths = {leaf.shape.dims[0] for leaf in nest.flatten(self.inputs[0].spec) if leaf.shape.dims is not None}
        length = next((length for length in lengths if length is not None), None)
        return UNKNOWN if length is None and size not in (0, INFINITE) else size if size < 1 else size * (length or 0)

    def open(self, run: Run) -> Iterator[Element]:
        """Give them.

        Raises:
            InvalidArgumentError: components have other lengths.
        """
        for element in self.inputs[0].open(run.input()):
            lengths = [len(part) for part in element]
            if len(set(lengths)) > 1:
                place = next(place for place, length in enumerate(lengths) if length != lengths[0])
                raise InvalidArgumentError(
                    f"Input element must have the same batch size in each component. {named(0, self._names)} had "
                    f"size {lengths[0]} but {named(place, self._names)} had size {lengths[place]}.", "IteratorGetNext",
                )  # fmt: skip
            for index in range(lengths[0]):
                yield tuple([part[index, ...] for part in element])


def _shorter(leaf: TensorSpec) -> TensorSpec:
    dims = leaf.shape.dims
    return TensorSpec(None if dims is None else dims[1:], leaf.dtype)


class WindowNode(Node):
    """Datasets of so many elements: one for each component.

    Raises:
        InvalidArgumentError: a number is not positive.
    """

    name = "Window"

    def __init__(
        self, source: Node, size: int, shift: int, stride: int, dataset: Callable[[Node], Any], *, drop: bool
    ) -> None:
        for what, number in (("size", size), ("shift", shift), ("stride", stride)):
            if number < 1:
                raise InvalidArgumentError(f"Window {what} must be greater than zero.", "WindowDataset")
        self.inputs: tuple[Node] = (source,)
        self._size, self._shift, self._stride, self._drop = size, shift, stride, drop
        self._dataset = dataset
        self._leaves = nest.flatten(source.spec)
        self.spec: Any = mapped(source.spec, DatasetSpec)

    @property
    def _reach(self) -> int:
        """From the first element of a window to behind its last."""
        return (self._size - 1) * self._stride + 1

    def cardinality(self) -> int:
        """How many begin, and are whole where they have to be."""
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        if self._drop:
            return max((size - self._reach) // self._shift + 1, 0) if size >= self._reach else 0
        return -(-size // self._shift)

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        elements = self.inputs[0].open(run.input())
        held: deque[Element] = deque()
        ended = False
        while True:
            while not ended and len(held) < self._reach:
                element = next(elements, None)
                ended = element is None
                if element is not None:
                    held.append(element)
            if not held or (self._drop and len(held) < self._reach):
                return
            window = list(itertools.islice(held, 0, self._reach, self._stride))
            yield self._made(window)
            ended = self._moved(held, elements, ended=ended)

    def _moved(self, held: deque[Element], elements: Iterator[Element], *, ended: bool) -> bool:
        """Go on to the next window."""
        for _ in range(self._shift):
            if held:
                held.popleft()
            elif not ended:
                ended = next(elements, None) is None
        return ended

    def _made(self, window: Sequence[Element]) -> Element:
        return tuple([
            self._dataset(ListNode([(part,) for part in parts], spec))
            for parts, spec in zip(zip(*window, strict=True), self._leaves, strict=True)
        ])  # fmt: skip
