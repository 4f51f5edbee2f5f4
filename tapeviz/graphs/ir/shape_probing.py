"""Shape rules asked with small numbers for sizes that are not known while tracing.

A rule may refuse the unlikely numbers that stand for sizes: a matrix must be square, a filter no larger than the image.
It is then asked with many choices of small numbers, and what is the same for all choices that it takes is so.

And a rule may say of the unlikely numbers what it does not say of others: ``x[:n]`` has all elements where n is far
beyond the end. So whatever is said to be known is held against a few small numbers, and kept where none speaks against
it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from types import BuiltinFunctionType
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Op, Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, has_deferred, leaf_key, replaced
from tapeviz.engine.dtypes import DType
from tapeviz.engine.errors import OpError

__all__ = ["REFUSALS", "ShapeDtype", "guessed", "unrefuted"]

ShapeDtype = tuple[tuple[Any, ...] | None, np.dtype]
"""What is known of an output: its sizes, None for one that is not known, and its dtype. None for unknown rank."""

REFUSALS: Final = (OpError, ValueError, IndexError, OverflowError, TypeError, ZeroDivisionError, MemoryError)
"""What a rule raises that does not take what it was given."""

_SMALL: Final = (2, 3, 4, 1, 5, 6, 8, 0, 7, 9, 12, 16)
_BOUNDS: Final = (0, 1, 2, 3, 4, 5, 7, 12, 30, -1, -2, -3, -5, -20)  # values of a tensor, which may be negative
_MIXTURES: Final = 12
_ALONE: Final = 6  # so many numbers are also tried as the only small one
_TRIES: Final = 150
_ENOUGH: Final = 16
_LARGEST: Final = 2**16  # a rule may make as many outputs
_MOST_KEPT: Final = 4096
_FAR: Final = 2**20  # numbers beyond it are no bounds that a size is held against


def guessed(
    rule: Callable[..., list[Spec]], given: tuple[Any, Any, dict[str, Any]], numbers: Sequence[Deferred]
) -> list[ShapeDtype] | None:
    """What the rule says for all choices that it takes; None when it takes none, and says why not in different words.

    Args:
        rule: gives the outputs' specs for shapes, dtypes and attributes.
        given: shapes, dtypes and attributes, with the numbers that are not known in them.
        numbers: these.

    Raises:
        InvalidArgumentError: it refuses all choices for one reason, which therefore is none of sizes.
    """
    question = _Question(given, numbers)
    leaves = question.leaves
    taken: list[Sequence[int]] = []
    forms: list[list[Spec]] = []
    refusals: dict[str, Exception] = {}
    for choice in chain(_choices(len(leaves), _sizes_met(given)), _mixtures(leaves, _TRIES)):
        try:
            found = rule(*question.with_numbers(choice))
        except REFUSALS as error:
            refusals[str(error)] = error
            continue
        if forms and len(found) != len(forms[0]):
            raise ValueError("Cannot infer argument `num`: how many outputs there are must be known while tracing")
        taken.append(choice)
        forms.append(found)
        if len(forms) == _ENOUGH:
            break
    if not forms:
        if len(refusals) == 1:
            raise next(iter(refusals.values()))
        return None
    known = _distinct(question, numbers, taken)
    possible = _possible(given) - _unvaried(taken)
    return [_agreed(column, known, possible) for column in zip(*forms, strict=True)]


class _Question:
    """What a rule is asked, ready for many choices of numbers for those that are not known."""

    def __init__(self, given: tuple[Any, Any, dict[str, Any]], numbers: Sequence[Deferred]) -> None:
        self.shapes, self.dtypes, self.attrs = list(given[0]), given[1], given[2]
        self.numbers = numbers
        self._open = [place for place, shape in enumerate(self.shapes) if has_deferred(shape)]
        self.leaves: list[Deferred] = []
        self.bounded = has_deferred(self.attrs)
        """Whether an attribute is not known."""
        self._places: dict[int, int] = {}  # in a choice, by the identity of a leaf: its key takes long to make
        by_key: dict[tuple[Any, ...], int] = {}
        for number in numbers:
            for leaf in number.leaves():
                place = self._places[id(leaf)] = by_key.setdefault(leaf_key(leaf), len(by_key))
                if place == len(self.leaves):
                    self.leaves.append(leaf)

    def with_numbers(self, choice: Sequence[int]) -> tuple[Any, Any, Any]:
        """The shapes, dtypes and attributes for a choice."""

        def put(number: Deferred) -> int:
            return self.number(number, choice)

        shapes = [*self.shapes]
        for place in self._open:
            shapes[place] = tuple([put(size) if size.__class__ is Deferred else size for size in shapes[place]])
        return shapes, self.dtypes, replaced(self.attrs, put) if self.bounded else self.attrs

    def number(self, number: Deferred, choice: Sequence[int]) -> int:
        """What a number is for a choice. Raises KeyError for one that was not given."""
        place = self._places.get(id(number))
        return number.evaluated(lambda leaf: choice[self._places[id(leaf)]]) if place is None else choice[place]

    def beyond(self) -> int:
        """A size that is larger than all that is cut from it: ``x[a + 5:-9]`` has elements from 15 on."""
        known = (number for part in (self.shapes, self.attrs, self.numbers) for number in _known_in(part))
        return 1 + sum(number for number in known if number <= _FAR)

    def key(self, value: Any) -> Any:
        """What a value is known by among those asked before: equal where a rule is asked the same.

        Raises:
            _NotKeptError: there may be more to it, or it would hold on to what belongs to a graph.
        """
        kind = value.__class__
        if kind is int or kind is str or value is None:
            return value
        if kind is tuple or kind is list:
            return (kind, *map(self.key, value))
        if kind is Deferred:
            return self._key_of_number(value)
        if kind is dict:
            return tuple([(name, self.key(part)) for name, part in value.items()])
        if kind is slice:
            return slice, self.key(value.start), self.key(value.stop), self.key(value.step)
        if kind in (bool, float, DType) or isinstance(value, np.dtype):
            return kind, value
        raise _NotKeptError

    def _key_of_number(self, number: Deferred) -> Any:
        place = self._places.get(id(number))
        if place is not None:
            return Deferred, place, number.source[0] == "value"
        if number.source[0] == "expression" and number.source[1].__class__ is BuiltinFunctionType:
            return (Deferred, *number.source[1:2], *map(self.key, number.source[2:]))
        raise _NotKeptError


class _NotKeptError(Exception):
    """What a rule said to this is not kept."""


def _sizes_met(given: Any) -> list[int]:
    """Numbers that a size may have to equal: those in the other shapes and in the attributes, and the sum of these.

    Then sizes that hold all that the attributes speak of: ``x[50000]`` needs 50001, ``split([50000, 50000])`` 100000.
    """
    met = {size for size in (*_integers(given), sum(_integers(given[2]))) if 0 <= size <= _LARGEST}
    spoken = max(_known_in(given[2]), default=0)
    whole = max((sum(_known_in(value)) for value in given[2].values()), default=0)
    far = [spoken + 1, spoken + 2, whole, whole + 3] if spoken > max(_SMALL) else []
    return sorted(met - set(_SMALL)) + list(_SMALL) + far


def _integers(value: Any) -> Iterator[int]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _integers(part)
    elif isinstance(value, dict):
        yield from _integers(list(value.values()))
    elif isinstance(value, (int, np.integer)) and not isinstance(value, Deferred):
        yield abs(int(value))


def _choices(count: int, sizes: list[int]) -> Iterator[Sequence[int]]:
    """Values for so many numbers: some that all differ, then one and the same for all, then any mixture."""
    for start in range(3):
        yield [start + 2 * place + 1 for place in range(count)]
        yield [start + 2 * (count - place) for place in range(count)]
    drawn = random.Random(0)  # noqa: S311 - the same choices each time
    for _ in range(_TRIES // 3):
        yield [drawn.choice(sizes[:6]) for _ in range(count)]
    for size in sizes:
        yield [size] * count
    for _ in range(_TRIES):
        yield [drawn.choice(sizes) for _ in range(count)]


def _distinct(
    question: _Question, numbers: Sequence[Deferred], taken: list[Sequence[int]]
) -> dict[tuple[int, ...], Any]:
    """What each number was in all choices taken; those that cannot be told apart are left out."""
    found: dict[tuple[int, ...], Any] = {}
    for number in numbers:
        try:
            column = tuple(question.number(number, choice) for choice in taken)
        except (ZeroDivisionError, ValueError):
            continue
        found[column] = number if found.get(column, number) is number else None
    return found


def _possible(given: Any) -> set[int]:
    """The sizes that an output may have for certain: those in the inputs' shapes, and numbers in the attributes.

    Another one, and 1 among the attributes, would be an accident of the choices.
    """
    shapes, _, attrs = given
    return set(_integers(list(shapes))) | (set(_integers(attrs)) - {0, 1})


def _unvaried(taken: list[Sequence[int]]) -> set[int]:
    """The values that numbers had in all choices taken: a size that is one of them may come from there."""
    return {column[0] for column in zip(*taken, strict=True) if len(set(column)) == 1}


def _agreed(specs: Sequence[Spec], known: dict[tuple[int, ...], Any], possible: set[int]) -> ShapeDtype:
    first = specs[0]
    if any(spec.shape is None for spec in specs) or any(len(spec.shape) != len(first.shape) for spec in specs):
        return None, first.dtype
    sizes: list[Any] = []
    for column in zip(*[spec.shape for spec in specs], strict=True):
        if len(set(column)) > 1:
            sizes.append(known.get(tuple(map(int, column))))
        else:
            size = int(column[0])
            sizes.append(size if size in possible and len(specs) > 1 else None)
    return tuple(sizes), first.dtype


# Whether what is said to be known is so for small numbers too.


def unrefuted(
    op: Op,
    rule: Callable[..., list[Spec]],
    given: tuple[Any, Any, dict[str, Any]],
    numbers: Sequence[Deferred],
    forms: Sequence[ShapeDtype],
) -> list[ShapeDtype]:
    """The forms, without what the rule does not say of small numbers.

    A model asks the same many times over, so what became of the forms is kept.

    Args:
        op: whose rule it is.
        rule: gives the outputs' specs for shapes, dtypes and attributes.
        given: shapes, dtypes and attributes, with the numbers that are not known in them.
        numbers: these.
        forms: what has been found of the outputs.
    """
    question = _Question(given, numbers)
    try:
        key = (op.name, *map(question.key, (*given, [shape for shape, _ in forms])))
    except _NotKeptError:
        return _tried(rule, question, forms)
    asked, kept = _kept.get(key, (None, []))
    if asked is op:
        return [_as_kept(form, stays) for form, stays in zip(forms, kept, strict=False)]
    found = _tried(rule, question, forms)
    if registry.get(op.name) is op:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[key] = op, [None if shape is None else [size is not None for size in shape] for shape, _ in found]
    return found


_kept: dict[Any, tuple[Op, list[list[bool] | None]]] = {}
"""Which sizes of each output stayed, None for one whose rank did not, by what was asked."""


def _as_kept(form: ShapeDtype, stays: list[bool] | None) -> ShapeDtype:
    shape, dtype = form
    if shape is None or stays is None:
        return None, dtype
    return tuple([size if stay else None for size, stay in zip(shape, stays, strict=True)]), dtype


def _tried(rule: Callable[..., list[Spec]], question: _Question, forms: Sequence[ShapeDtype]) -> list[ShapeDtype]:
    found = [_not_empty(form) for form in forms] if question.bounded else list(forms)
    leaves = question.leaves
    usual = _trials(leaves, question.beyond() if question.bounded else 0, bounded=question.bounded)
    taken = False
    for choices in (usual, _more_mixtures(leaves)):
        for choice in choices:
            try:
                specs = rule(*question.with_numbers(choice))
            except REFUSALS:
                continue
            found = [_held(form, spec, question, choice) for form, spec in zip(found, specs, strict=False)]
            taken = taken or any(choice)
            if taken and choices is not usual:
                break
        if taken:
            return found
    return [_of_no_size(form) for form in found]


def _not_empty(form: ShapeDtype) -> ShapeDtype:
    """The form without sizes of 0: for bounds that are not known, unlikely ones are often beyond each other."""
    shape, dtype = form
    return None if shape is None else tuple(None if size == 0 else size for size in shape), dtype


def _more_mixtures(leaves: Sequence[Deferred]) -> Iterator[Sequence[int]]:
    """For rules that take none of the usual choices, or nothing alone: many mixtures of a few small numbers."""
    drawn = random.Random(2)  # noqa: S311 - the same choices each time
    for _ in range(_TRIES):
        yield [drawn.choice(_SMALL) for _ in leaves]


def _of_no_size(form: ShapeDtype) -> ShapeDtype:
    """The form with its rank alone, where no numbers were taken that could speak against its sizes."""
    shape, dtype = form
    return None if shape is None else (None,) * len(shape), dtype


def _known_in(value: Any) -> Iterator[int]:
    """The numbers that are known in shapes and attributes, also those in slices and in expressions."""
    if isinstance(value, Deferred):
        yield from _known_in(value.source[2:] if value.source[0] == "expression" else ())
    elif isinstance(value, slice):
        yield from _known_in((value.start, value.stop, value.step))
    elif isinstance(value, dict):
        yield from _known_in(list(value.values()))
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _known_in(part)
    elif isinstance(value, (int, np.integer)):
        yield abs(int(value))


def _trials(leaves: Sequence[Deferred], beyond: int, *, bounded: bool) -> Iterator[Sequence[int]]:
    """A few choices: no elements, one, two, other numbers each, one that is small among others that are not.

    Any mixture where attributes are not known.
    """
    count = len(leaves)
    yield from ([size] * count for size in (1, 2, 0))
    yield [3 + 2 * place for place in range(count)]
    yield [4 + 2 * (count - place) for place in range(count)]
    if 1 < count <= _ALONE:
        for size in (0, 1):
            yield from ([size if other == place else 4 + other for other in range(count)] for place in range(count))
    if bounded:
        yield from _mixtures(leaves, _MIXTURES)
        yield from _mixtures(leaves, _MIXTURES, (beyond, beyond + 1, beyond + 5))


def _mixtures(leaves: Sequence[Deferred], count: int, sizes: Sequence[int] = _SMALL) -> Iterator[Sequence[int]]:
    """Any numbers, negative ones for values."""
    drawn = random.Random(1)  # noqa: S311 - the same choices each time
    for _ in range(count if any(leaf.source[0] == "value" for leaf in leaves) else 0):
        yield [drawn.choice(_BOUNDS if leaf.source[0] == "value" else sizes) for leaf in leaves]


def _held(form: ShapeDtype, spec: Spec, question: _Question, choice: Sequence[int]) -> ShapeDtype:
    shape, dtype = form
    if shape is None:
        return form
    if spec.shape is None or len(spec.shape) != len(shape):
        return None, dtype
    if shape.count(None) == len(shape):
        return form
    held = [_held_size(size, found, question, choice) for size, found in zip(shape, spec.shape, strict=True)]
    return tuple(held), dtype


def _held_size(size: Any, found: Any, question: _Question, choice: Sequence[int]) -> Any:
    """The size where it is the one found; what is negative is no size, and says nothing."""
    if size is None or int(found) < 0:
        return size
    try:
        said = question.number(size, choice) if isinstance(size, Deferred) else size
    except (KeyError, ZeroDivisionError, ValueError):
        return size
    return size if said == int(found) else None
