"""Steps that choose which elements come and in which order, and change none."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapeviz.data import rows
from tapeviz.data.nodes import INFINITE, UNKNOWN, Element, Node, Run, all_static
from tapeviz.data.structures import check_same
from tapeviz.data.user_functions import UserFunction, as_arguments, is_scalar_truth
from tapeviz.engine import nest
from tapeviz.engine.errors import FailedPreconditionError, InvalidArgumentError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.symbolic import SymbolicTensor

__all__ = [
    "AssertCardinalityNode", "ConcatenateNode", "EnumerateNode", "FilterNode", "RepeatNode", "ShardNode", "SkipNode",
    "TakeNode", "TakeWhileNode", "UniqueNode", "ZipNode", "broader_spec",
]  # fmt: skip


class _One(Node):
    """A step with one input, and a count."""

    def __init__(self, source: Node, count: Any = None) -> None:
        self.inputs: tuple[Node] = (source,)
        self.spec: Any = source.spec
        self.by_rows: bool = source.by_rows
        self.plain = False
        self._count = count
        self.symbols: tuple[Any, ...] = (count,) if isinstance(count, SymbolicTensor) else ()

    def _known(self) -> tuple[int, int]:
        """How many elements come in, and the count; UNKNOWN and 0 where the count is not known."""
        if not all_static([self._count]):
            return UNKNOWN, 0
        return self.inputs[0].cardinality(), self._count


class TakeNode(_One):
    """The first so many elements; all of them where the count is negative."""

    name = "Take"

    def cardinality(self) -> int:
        """The count, or fewer."""
        size, count = self._known()
        if size == UNKNOWN or count < 0:
            return 0 if size != UNKNOWN and count == 0 else size
        return count if size == INFINITE else min(size, count)

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        count = run.number(self._count)
        return self._taken(run, count) if count >= 0 else self.inputs[0].open(run.input())

    def _taken(self, run: Run, count: int) -> Iterator[Element]:
        """They, one by one; the input is not asked for one more."""
        if count:
            yield from itertools.islice(self.inputs[0].open(run.input()), count)

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """The same as rows."""
        picker, blocks = self.inputs[0].open_rows(run.input())
        return picker, rows.cut(blocks, run.number(self._count))


class SkipNode(_One):
    """All but the first so many elements; none where the count is negative."""

    name = "Skip"

    def cardinality(self) -> int:
        """What is left."""
        size, count = self._known()
        if size in (UNKNOWN, INFINITE):
            return 0 if count < 0 and size == INFINITE else size
        return 0 if count < 0 else max(size - count, 0)

    def open(self, run: Run) -> Iterator[Element]:
        """Give what is left."""
        count = run.number(self._count)
        if self.by_rows:
            return super().open(run)
        return itertools.islice(self.inputs[0].open(run.input()), count, None) if count >= 0 else iter(())

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """The same as rows."""
        count = run.number(self._count)
        picker, blocks = self.inputs[0].open_rows(run.input())
        return picker, rows.after(blocks, count) if count >= 0 else iter(())


class ShardNode(_One):
    """Each ``count``-th element, from the one at ``index`` on."""

    name = "Shard"

    def __init__(self, source: Node, count: int, index: int) -> None:
        super().__init__(source, count)
        self._index = index
        if count < 1:
            raise InvalidArgumentError(
                f"Number of shards must be greater than zero (currently num_shards = {count}).", "ShardDataset"
            )
        if not 0 <= index < count:
            raise InvalidArgumentError(
                f"Index must be between 0 and {count - 1} (currently index = {index}).", "ShardDataset"
            )

    def cardinality(self) -> int:
        """Its part."""
        size, count = self._known()
        return size if size < 0 else len(range(self._index, size, count))

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        return itertools.islice(self.inputs[0].open(run.input()), self._index, None, self._count)

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """The same as rows."""
        picker, blocks = self.inputs[0].open_rows(run.input())
        return picker, self._shares(blocks)

    def _shares(self, blocks: Iterator[Any]) -> Iterator[Any]:
        begin = self._index
        for block in blocks:
            share = block[begin :: self._count] if begin < len(block) else ()
            begin = (begin - len(block)) % self._count if begin < len(block) else begin - len(block)
            if len(share):
                yield share


class RepeatNode(_One):
    """The elements so many times; without end where the count is negative."""

    name = "Repeat"

    def cardinality(self) -> int:
        """So many times as many."""
        size, count = self._known()
        if not all_static([self._count]):
            return UNKNOWN
        if count == 0 or size == 0:
            return 0
        if count < 0:
            return INFINITE
        return size if size < 0 else size * count

    def open(self, run: Run) -> Iterator[Element]:
        """Give them again and again; an input that has none ends it."""
        for _ in self._times(run):
            empty = True
            for element in self.inputs[0].open(run.input()):
                empty = False
                yield element
            if empty:
                return

    def _times(self, run: Run) -> Any:
        count = run.number(self._count)
        return itertools.count() if count < 0 else range(count)

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """The same as rows."""
        picker, first = self.inputs[0].open_rows(run.input())
        return picker, self._blocks(run, first)

    def _blocks(self, run: Run, first: Iterator[Any]) -> Iterator[Any]:
        for time in self._times(run):
            blocks = self.inputs[0].open_rows(run.input())[1] if time else first
            empty = True
            for block in blocks:
                if len(block):
                    empty = False
                    yield block
            if empty:
                return


def broader_spec(one: Any, other: Any) -> Any:
    """A spec that both fit."""
    if not isinstance(one, TensorSpec):
        return one
    a, b = one.shape.dims, other.shape.dims
    if a is None or b is None or len(a) != len(b):
        return TensorSpec(TensorShape(None), one.dtype)
    return TensorSpec([x if x == y else None for x, y in zip(a, b, strict=True)], one.dtype)


class ConcatenateNode(Node):
    """The elements of several datasets, one after the other.

    Raises:
        TypeError: their elements have other structures or dtypes.
    """

    name = "Concatenate"

    def __init__(self, *sources: Node) -> None:
        self.inputs = sources
        spec = sources[0].spec
        for other in sources[1:]:
            check_same(spec, other.spec, "Incompatible dataset elements")
            leaves = zip(nest.flatten(spec), nest.flatten(other.spec), strict=True)
            spec = nest.pack(spec, [broader_spec(a, b) for a, b in leaves])
        self.spec = spec

    def cardinality(self) -> int:
        """The sum."""
        sizes = [source.cardinality() for source in self.inputs]
        return INFINITE if INFINITE in sizes else UNKNOWN if UNKNOWN in sizes else sum(sizes)

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        for place, source in enumerate(self.inputs):
            yield from source.open(run.input(place))


class ZipNode(Node):
    """Elements of several datasets side by side, as long as each has one. ``structure`` has steps as its leaves."""

    name = "Zip"

    def __init__(self, structure: Any) -> None:
        self.inputs: tuple[Node, ...] = tuple(nest.flatten(structure))
        self.spec: Any = nest.pack(structure, [source.spec for source in self.inputs])
        self.by_rows: bool
        self.plain: bool
        self.by_rows = self.plain = all(source.plain for source in self.inputs)

    def cardinality(self) -> int:
        """That of the shortest."""
        sizes = [source.cardinality() for source in self.inputs]
        if UNKNOWN in sizes:
            return UNKNOWN
        return min((size for size in sizes if size != INFINITE), default=INFINITE)

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        if self.by_rows:
            yield from super().open(run)
            return
        sources = [source.open(run.input(place)) for place, source in enumerate(self.inputs)]
        for parts in zip(*sources, strict=False):
            yield tuple(itertools.chain.from_iterable(parts))

    def open_rows(self, run: Run) -> tuple[Any, Iterator[Any]]:
        """The same as rows."""
        opened = [source.open_rows(run.input(place)) for place, source in enumerate(self.inputs)]
        count = min(sum(map(len, blocks)) for _, blocks in opened)
        return rows.Together([picker for picker, _ in opened]), iter([range(count)])


class EnumerateNode(Node):
    """Elements with their numbers before them."""

    name = "Enumerate"

    def __init__(self, source: Node, start: Any) -> None:
        self.inputs: tuple[Node] = (source,)
        self._start = start
        self.symbols: tuple[Any, ...] = (start,) if isinstance(start, SymbolicTensor) else ()
        self.spec: Any = (TensorSpec((), "int64"), source.spec)

    def cardinality(self) -> int:
        """As many as come in."""
        return self.inputs[0].cardinality()

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        for number, element in enumerate(self.inputs[0].open(run.input()), run.number(self._start)):
            yield (np.array(number, np.int64), *element)


class _Judging(Node):
    """A step that asks a user's function of each element whether it is so.

    Raises:
        ValueError: the function does not give one truth value.
    """

    def __init__(self, source: Node, predicate: Any, dataset: Any) -> None:
        self.inputs: tuple[Node] = (source,)
        self.spec: Any = source.spec
        self._predicate = UserFunction(predicate, as_arguments(source.spec), self.name.lower(), dataset)
        self.symbols: tuple[Any, ...] = self._predicate.symbols
        if not is_scalar_truth(self._predicate.spec):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                f"{self._predicate.spec}."
            )

    def _is_so(self, element: Element, run: Run) -> bool:
        return bool(self._predicate(element, run)[0])


class FilterNode(_Judging):
    """The elements of which it is so."""

    name = "Filter"

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        for element in self.inputs[0].open(run.input()):
            if self._is_so(element, run):
                yield element


class TakeWhileNode(_Judging):
    """The elements before the first of which it is not so."""

    name = "Take_while"

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        for element in self.inputs[0].open(run.input()):
            if not self._is_so(element, run):
                return
            yield element


class UniqueNode(_One):
    """Each element once."""

    name = "Unique"
    by_rows = False

    def __init__(self, source: Node) -> None:
        super().__init__(source)
        self.by_rows = False
        leaves: Sequence[Any] = nest.flatten(source.spec)
        if len(leaves) != 1 or not isinstance(leaves[0], TensorSpec):
            raise TypeError(f"unique takes elements of one component, not {source.spec}")

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        seen: set[Any] = set()
        for element in self.inputs[0].open(run.input()):
            array = element[0]
            key = (array.shape, tuple(array.ravel()) if array.dtype == object else array.tobytes())
            if key not in seen:
                seen.add(key)
                yield element

    def cardinality(self) -> int:
        """Not known."""
        return UNKNOWN


class AssertCardinalityNode(_One):
    """The elements, of which there must be so many."""

    name = "AssertCardinality"

    def __init__(self, source: Node, count: int) -> None:
        super().__init__(source, count)
        self.by_rows = False

    def cardinality(self) -> int:
        """What was said."""
        return int(self._count)

    def open(self, run: Run) -> Iterator[Element]:
        """Give them.

        Raises:
            FailedPreconditionError: there are more or fewer.
        """
        seen = 0
        for element in self.inputs[0].open(run.input()):
            if 0 <= self._count <= seen:
                raise FailedPreconditionError(
                    f"Input dataset was expected to contain {self._count} elements but contained at least {seen + 1} "
                    "elements."
                )
            seen += 1
            yield element
        if self._count == INFINITE or 0 <= self._count != seen:
            expected = "an infinite number of" if self._count < 0 else self._count
            raise FailedPreconditionError(
                f"Input dataset was expected to contain {expected} elements but contained only {seen} elements."
            )
