"""Elements put together by what they are: windows by a key, batches of sequences of about one length."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeviz.data.batch import BatchNode, PaddedBatchNode
from tapeviz.data.nodes import Element, Node, Run
from tapeviz.data.sources import ListNode
from tapeviz.data.structures import DatasetSpec
from tapeviz.data.user_functions import UserFunction, as_arguments, is_dataset
from tapeviz.engine import nest
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.shapes import TensorShape

__all__ = ["BucketNode", "GroupNode"]

_KEY = TensorSpec((), "int64")


class _Grouped(Node):
    """Elements held by key until there are enough of one; what is left at the end comes by key."""

    _key: UserFunction

    def open(self, run: Run) -> Iterator[Element]:
        """Give what is made of the groups."""
        held: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        for element in self.inputs[0].open(run.input()):
            key = self._key_of(int(self._key(element, run)[0]))
            group = held.setdefault(key, [])
            group.append(element)
            if key not in sizes:
                sizes[key] = self._size(key, run)
            if len(group) == sizes[key]:
                yield from self._made(key, held.pop(key), run)
                del sizes[key]
        for key in sorted(held):
            yield from self._made(key, held[key], run)

    def _key_of(self, found: int) -> int:
        return found

    def _size(self, key: int, run: Run) -> int:
        """How many elements of a key make a group."""
        raise NotImplementedError(f"{type(self).__name__} must implement `_size(self, key, run)`, the size of a group.")

    def _made(self, key: int, group: Sequence[Element], run: Run) -> Iterator[Element]:
        """What becomes of a group."""
        raise NotImplementedError(
            f"{type(self).__name__} must implement `_made(self, key, group, run)`, the elements that a group becomes."
        )


class GroupNode(_Grouped):
    """The elements of the datasets that a function makes of so many elements of one key.

    Raises:
        ValueError: the key or the size is not one number, or the size is said twice or not at all.
        TypeError: the key or the size is not a whole number, or the function gives no dataset.
    """

    name = "GroupByWindow"

    def __init__(
        self, source: Node, key: Any, reduce: Any, size: int | None, size_by_key: Any, dataset: Callable[[Node], Any]
    ) -> None:
        __tracebackhide__ = True
        if (size is None) == (size_by_key is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be specified, and not both."
            )
        self.inputs: tuple[Node] = (source,)
        self._dataset, self._fixed = dataset, size
        self._key = UserFunction(key, as_arguments(source.spec), "group_by_window", dataset)
        self._of_key = None
        if size_by_key is not None:
            self._of_key = UserFunction(size_by_key, (_KEY,), "group_by_window", dataset)
        self._reduce = UserFunction(reduce, (_KEY, DatasetSpec(source.spec)), "group_by_window", dataset)
        _check_whole("key_func", self._key)
        if self._of_key is not None:
            _check_whole("window_size_func", self._of_key)
        if not is_dataset(self._reduce.spec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return "
                f"type is {self._reduce.spec}."
            )
        self.spec: Any = self._reduce.spec.element_spec
        self.symbols: tuple[Any, ...] = (
            *self._key.symbols,
            *self._reduce.symbols,
            *(self._of_key.symbols if self._of_key else ()),
        )

    def _size(self, key: int, run: Run) -> int:
        size = self._fixed
        if size is None and self._of_key is not None:
            size = int(self._of_key((np.array(key, np.int64),), run)[0])
        if size is None or size < 1:
            raise InvalidArgumentError(f"Window size must be greater than zero, but got {size}.", "IteratorGetNext")
        return size

    def _made(self, key: int, group: Sequence[Element], run: Run) -> Iterator[Element]:
        window = self._dataset(ListNode(group, self.inputs[0].spec))
        (found,) = self._reduce((np.array(key, np.int64), window), run)
        return found._step.open(run.input(1))  # type: ignore[no-any-return]


def _check_whole(what: str, function: UserFunction) -> None:
    spec = function.spec
    if isinstance(spec, TensorSpec) and spec.dtype.is_integer and spec.shape.rank in (0, None):
        return
    kind = TypeError if isinstance(spec, TensorSpec) and not spec.dtype.is_integer else ValueError
    raise kind(
        f"Invalid `{what}`. `{what}` must return a single `tf.int64` scalar tensor but its return type is {spec}."
    )


class BucketNode(_Grouped):
    """Batches of elements whose lengths lie between the same boundaries.

    Raises:
        ValueError: there are not as many batch sizes as there are buckets.
    """

    name = "GroupByWindow"

    def __init__(
        self, source: Node, length: Any, boundaries: Sequence[int], sizes: Sequence[int], batch: dict[str, Any],
        dataset: Callable[[Node], Any],
    ) -> None:  # fmt: skip
        __tracebackhide__ = True
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)="
                f"{len(sizes)}` and `len(bucket_boundaries)={len(boundaries)}`."
            )
        self.inputs: tuple[Node] = (source,)
        self._boundaries, self._sizes, self._batch = list(boundaries), list(sizes), batch
        self._key = UserFunction(length, as_arguments(source.spec), "bucket_by_sequence_length", dataset)
        self.symbols: tuple[Any, ...] = self._key.symbols
        spec = self._batched(source, max(sizes), None).spec
        self.spec: Any = nest.pack(spec, [_open(leaf) for leaf in nest.flatten(spec)])

    def _batched(self, source: Node, size: int, filler: int | None) -> Node:
        how = self._batch
        if how["no_padding"]:
            return BatchNode(source, size, drop=how["drop"])
        leaves = nest.flatten(source.spec)
        given = how["shapes"]
        shapes = [leaf.shape for leaf in leaves] if given is None else list(_shapes(source.spec, given))
        filled = [[filler if axis is None else axis for axis in shape.dims or ()] for shape in map(TensorShape, shapes)]
        return PaddedBatchNode(source, size, _as(source.spec, filled), how["values"], drop=how["drop"])

    def _key_of(self, found: int) -> int:
        return bisect_right(self._boundaries, found)

    def _size(self, key: int, run: Run) -> int:
        return self._sizes[key]

    def _made(self, key: int, group: Sequence[Element], run: Run) -> Iterator[Element]:
        filler = None
        if self._batch["to_boundary"]:
            if key >= len(self._boundaries):
                raise InvalidArgumentError(
                    "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).",
                    "IteratorGetNext",
                )
            filler = self._boundaries[key] - 1
        return self._batched(ListNode(group, self.inputs[0].spec), self._sizes[key], filler).open(run.input(1))


def _shapes(spec: Any, given: Any) -> Iterator[Any]:
    """The shape at the place of each leaf."""
    if isinstance(spec, TensorSpec):
        yield given
    elif isinstance(spec, dict):
        for key in sorted(spec):
            yield from _shapes(spec[key], given[key])
    else:
        for one, other in zip(nest.parts(spec) or (), given, strict=True):
            yield from _shapes(one, other)


def _as(spec: Any, shapes: list[Any]) -> Any:
    """Shapes in the structure of the elements."""
    return nest.pack(spec, [TensorShape(shape) for shape in shapes])


def _open(leaf: TensorSpec) -> TensorSpec:
    dims = leaf.shape.dims
    return leaf if dims is None else TensorSpec((None, *dims[1:]), leaf.dtype)
