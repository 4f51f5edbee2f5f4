"""Shapes and dtypes of what a node will make, also where sizes are not known while tracing.

The shape rules of ops work on numbers. Where a size is not known the rule is run twice, with two unlikely numbers in
its place: sizes that come out the same do not depend on it, those that come out as one of the numbers are it, and the
rest are not known. A rule that refuses (an index beyond the end) is asked again with small numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.deferred import Deferred, deferred_in, replaced
from tapeviz.engine.dispatch import check_types
from tapeviz.engine.errors import OpError
from tapeviz.engine.rules import UNKNOWN

__all__ = ["Form", "inferred"]

Form = tuple[tuple[Any, ...] | None, np.dtype]
"""What is known of an output: its sizes, None for one that is not known, and its dtype. None for unknown rank."""

_RANKS: Final = (0, 1, 2, 3, 4)


def inferred(op: Op, tensors: Sequence[Any], attrs: dict[str, Any]) -> list[Form]:
    """The form of each output.

    Raises:
        InvalidArgumentError: the inputs do not fit, whatever the unknown sizes are.
    """
    check_types(op, tuple(tensors))
    shapes = [tensor._a._shape for tensor in tensors]
    dtypes = [tensor._a.dtype for tensor in tensors]
    if None in shapes:
        return _of_unknown_rank(op, shapes, dtypes, attrs)
    numbers = {number.first: number for number in deferred_in([*shapes, attrs])}
    if not numbers:
        return [_plain(spec) for spec in _run(op, shapes, dtypes, attrs)]
    try:
        return _compared(op, shapes, dtypes, attrs, list(numbers.values()), _exchanged)
    except (OpError, ValueError, IndexError, OverflowError):
        return _with_small(op, shapes, dtypes, attrs, list(numbers.values()))


def _run(op: Op, shapes: Sequence[Any], dtypes: Sequence[np.dtype], attrs: dict[str, Any]) -> list[Spec]:
    found = op.infer(*map(Spec, shapes, dtypes), **attrs)
    return list(found) if op.many else [found]


def _plain(spec: Spec) -> Form:
    return tuple(None if size == UNKNOWN else size for size in spec.shape), spec.dtype


def _exchanged(number: Deferred) -> Any:
    return number.exchanged()


def _compared(
    op: Op,
    shapes: Sequence[Any],
    dtypes: Sequence[np.dtype],
    attrs: dict[str, Any],
    numbers: list[Deferred],
    other: Callable[[Deferred], Any],
) -> list[Form]:
    """What two runs of the rule agree on."""
    first = _run(op, shapes, dtypes, attrs)
    second = _run(op, replaced(list(shapes), other), dtypes, replaced(attrs, other))
    if len(first) != len(second):
        raise ValueError(f"Cannot infer argument `num` from shape {tuple(shapes[0])}: it must be known while tracing")
    known = {(number.first, number.second): number for number in numbers}
    return [_merged(one, two, known) for one, two in zip(first, second, strict=True)]


def _merged(one: Spec, two: Spec, known: dict[tuple[int, int], Deferred]) -> Form:
    if len(one.shape) != len(two.shape):
        return None, one.dtype
    sizes: list[Any] = []
    for size, other in zip(one.shape, two.shape, strict=True):
        pair = _value(size, 0), _value(other, 0)
        if pair[0] == pair[1]:
            sizes.append(None if size == UNKNOWN or isinstance(size, Deferred) else size)
        else:
            sizes.append(known.get(pair))
    return tuple(sizes), one.dtype


def _value(size: Any, default: int) -> int:
    return size.first if isinstance(size, Deferred) else default + size


def _with_small(
    op: Op, shapes: Sequence[Any], dtypes: Sequence[np.dtype], attrs: dict[str, Any], numbers: list[Deferred]
) -> list[Form]:
    """The rule with small numbers for those that are not known; the first pair of runs that it does not refuse."""
    leaves = list({id(leaf): leaf for number in numbers for leaf in number.leaves()}.values())
    met = sorted({size for shape in shapes for size in shape if not isinstance(size, Deferred)})
    failure: Exception | None = None
    places = range(len(leaves))
    guesses = [[size] * len(leaves) for size in [*met, 1, 0]]
    for low, high in [(list(places), [2 * place + 1 for place in places]), *((guess, guess) for guess in guesses)]:
        first, second = ({id(leaf): value for leaf, value in zip(leaves, given, strict=True)} for given in (low, high))
        try:
            forms = [_run(op, *_put(shapes, dtypes, attrs, values)) for values in (first, second)]
        except (OpError, ValueError, IndexError, OverflowError) as error:
            failure = error
            continue
        return [_small(one, two, exact=low != high) for one, two in zip(*forms, strict=True)]
    assert failure is not None  # noqa: S101 - the loop has run
    raise failure


def _put(shapes: Any, dtypes: Any, attrs: Any, values: dict[int, int]) -> tuple[Any, Any, Any]:
    def put(number: Deferred) -> int:
        return number.evaluated(lambda leaf: values[id(leaf)])

    return replaced(list(shapes), put), dtypes, replaced(attrs, put)


def _small(one: Spec, two: Spec, *, exact: bool) -> Form:
    """Sizes that two runs agree on. Of runs that had to guess a size, small ones may come from the guess."""
    if len(one.shape) != len(two.shape):
        return None, one.dtype
    return tuple(
        size if size == other and size != UNKNOWN and (exact or size > 1) else None
        for size, other in zip(one.shape, two.shape, strict=True)
    ), one.dtype


def _of_unknown_rank(op: Op, shapes: Sequence[Any], dtypes: Sequence[np.dtype], attrs: dict[str, Any]) -> list[Form]:
    """What the rule says for each of several ranks, as far as it always says the same."""
    lacking = [position for position, shape in enumerate(shapes) if shape is None]
    tried: list[list[Form]] = []
    for ranks in itertools.product(_RANKS, repeat=min(len(lacking), 2)):
        whole = list(shapes)
        for place, position in enumerate(lacking):
            whole[position] = tuple(Deferred(("unknown",)) for _ in range(ranks[place % len(ranks)]))
        numbers = list(deferred_in([*whole, attrs]))
        try:
            tried.append(_compared(op, whole, dtypes, attrs, numbers, _exchanged))
        except (OpError, ValueError, IndexError, OverflowError, TypeError):
            continue
    if not tried:
        raise ValueError(f"{op.tf_name} needs inputs whose number of axes is known while tracing")
    return [_common([forms[place] for forms in tried]) for place in range(len(tried[0]))]


def _common(forms: list[Form]) -> Form:
    shapes = [shape for shape, _ in forms]
    if any(shape is None or len(shape) != len(shapes[0] or ()) for shape in shapes):
        return None, forms[0][1]
    sizes = [set(column) for column in zip(*[shape or () for shape in shapes], strict=True)]
    return tuple(
        next(iter(column)) if len(column) == 1 and not _has_deferred(column) else None for column in sizes
    ), forms[0][1]


def _has_deferred(sizes: set[Any]) -> bool:
    """Whether a size in a set is not known."""
    return any(isinstance(size, Deferred) for size in sizes)
