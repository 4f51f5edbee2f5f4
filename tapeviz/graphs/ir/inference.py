"""Shapes and dtypes of what a node will make, also where sizes are not known while tracing.

The shape rules of ops work on numbers. Where a size is not known the rule is run twice, with two unlikely numbers in
its place: sizes that come out the same do not depend on it, those that come out as one of the numbers are it, and the
rest are not known. A rule that refuses such numbers (a matrix must be square) is asked with small ones, and what is
found is held against small ones: :mod:`guesses`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.deferred_numbers import Deferred, deferred_in, replaced
from tapeviz.engine.dispatch import check_types
from tapeviz.engine.rules import UNKNOWN, broadcast, comparison, elementwise
from tapeviz.engine.static_shapes import StaticShape
from tapeviz.engine.static_shapes import broadcast as broadcast_static
from tapeviz.graphs.ir.shape_probing import REFUSALS, ShapeDtype, guessed, unrefuted

__all__ = ["ShapeDtype", "inferred"]

_RANKS: Final = (0, 1, 2, 3, 4)
_CERTAIN: Final = (elementwise, broadcast, comparison)  # rules that know sizes which are not known


def inferred(op: Op, tensors: Sequence[Any], attrs: dict[str, Any]) -> list[ShapeDtype]:
    """The form of each output.

    Raises:
        InvalidArgumentError: the inputs do not fit, whatever the unknown sizes are.
        ValueError: how many outputs there are depends on a size that is not known.
    """
    check_types(op, tuple(tensors))
    shapes = [tensor._a._shape for tensor in tensors]
    dtypes = [tensor._a.dtype for tensor in tensors]
    numbers = list(deferred_in([shape for shape in (*shapes, attrs) if shape is not None]))
    if not numbers and None not in shapes:
        return [_plain(spec) for spec in _run(op, shapes, dtypes, attrs)]
    said = _static(op, shapes, attrs)
    found = _of_unknown_rank(op, shapes, dtypes, attrs) if None in shapes else _of_unknown_sizes(
        op, shapes, dtypes, attrs, numbers
    )  # fmt: skip
    return found if said is None else [_with(form, shape) for form, shape in zip(found, said, strict=True)]


def _static(op: Op, shapes: Sequence[Any], attrs: dict[str, Any]) -> Sequence[StaticShape] | None:
    """What the op's rule for static shapes says of the outputs; None for an op without one."""
    rule = op.static or (broadcast_static if op.broadcasts or op.infer is comparison else None)
    if rule is None:
        return None
    open_shapes = [None if shape is None else tuple(map(_known_size, shape)) for shape in shapes]
    said: Any = rule(*open_shapes, **replaced(attrs, lambda _number: None))
    return list(said) if op.many else [said]


def _known_size(size: Any) -> int | None:
    return None if isinstance(size, Deferred) else int(size)


def _with(form: ShapeDtype, said: StaticShape) -> ShapeDtype:
    """What is known of an output, with what the rule for static shapes says of it."""
    shape, dtype = form
    if said is None or (shape is not None and len(shape) != len(said)):
        return form
    if shape is None:
        return said, dtype
    return tuple(size if told is None else told for size, told in zip(shape, said, strict=True)), dtype


def _of_unknown_sizes(
    op: Op, shapes: Sequence[Any], dtypes: Sequence[np.dtype], attrs: dict[str, Any], numbers: list[Deferred]
) -> list[ShapeDtype]:
    try:
        return _compared(op, shapes, dtypes, attrs, numbers, _exchanged)
    except _NumberError:
        raise
    except REFUSALS as error:
        refused = error
    given = shapes, dtypes, attrs
    found = guessed(partial(_run, op), given, numbers)
    if found is not None:
        return unrefuted(op, partial(_run, op), given, numbers, found)
    if op.many:
        raise refused
    return [_unknown(dtypes, attrs)]


class _NumberError(ValueError):
    """How many outputs there are is not known."""


def _run(op: Op, shapes: Sequence[Any], dtypes: Sequence[np.dtype], attrs: dict[str, Any]) -> list[Spec]:
    found = op.infer(*map(Spec, shapes, dtypes), **attrs)
    return list(found) if op.many else [found]


def _plain(spec: Spec) -> ShapeDtype:
    return tuple(None if size == UNKNOWN else size for size in spec.shape), spec.dtype


def _unknown(dtypes: Sequence[np.dtype], attrs: dict[str, Any]) -> ShapeDtype:
    """The last resort, for a node that still can run: nothing is known of the shape."""
    told = attrs.get("dtype", attrs.get("out_type"))
    return None, np.dtype(told) if told is not None or not dtypes else dtypes[0]


def _exchanged(number: Deferred) -> Any:
    return number.exchanged()


def _compared(
    op: Op,
    shapes: Sequence[Any],
    dtypes: Sequence[np.dtype],
    attrs: dict[str, Any],
    numbers: list[Deferred],
    other: Callable[[Deferred], Any],
) -> list[ShapeDtype]:
    """What two runs of the rule agree on, and none with small numbers speaks against."""
    first = _run(op, shapes, dtypes, attrs)
    second = _run(op, replaced(list(shapes), other), dtypes, replaced(attrs, other))
    if len(first) != len(second):
        raise _NumberError(
            f"Cannot infer argument `num` from shape {_shown(shapes[0])}: it must be known while tracing"
        )
    known: dict[tuple[int, int], Deferred | None] = {}
    for number in numbers:
        pair = number.first, number.second
        known[pair] = number if pair not in known or _is_same(known[pair], number) else None
    found = [_merged(one, two, known) for one, two in zip(first, second, strict=True)]
    return found if op.infer in _CERTAIN else unrefuted(op, partial(_run, op), (shapes, dtypes, attrs), numbers, found)


def _is_same(one: Deferred | None, other: Deferred) -> bool:
    """Whether two numbers come from one place, or only happen to have the same stand-ins."""
    if one is None or one.source[0] != other.source[0] or len(one.source) != len(other.source):
        return one is other
    return all(
        _is_same(a, b) if isinstance(a, Deferred) and isinstance(b, Deferred) else a is b or _equal_numbers(a, b)
        for a, b in zip(one.source[1:], other.source[1:], strict=True)
    )


def _equal_numbers(one: Any, other: Any) -> bool:
    return one.__class__ is int and other.__class__ is int and one == other


def _shown(shape: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(None if isinstance(size, Deferred) else size for size in shape)


def _merged(one: Spec, two: Spec, known: dict[tuple[int, int], Deferred | None]) -> ShapeDtype:
    if one.shape is None or len(one.shape) != len(two.shape):
        return None, one.dtype
    sizes: list[Any] = []
    for size, other in zip(one.shape, two.shape, strict=True):
        pair = _value(size), _value(other)
        if pair[0] == pair[1]:
            sizes.append(None if size == UNKNOWN or isinstance(size, Deferred) else int(size))
        else:
            sizes.append(known.get(pair))
    return tuple(sizes), one.dtype


def _value(size: Any) -> int:
    return size.first if isinstance(size, Deferred) else int(size)


def _of_unknown_rank(
    op: Op, shapes: Sequence[Any], dtypes: Sequence[np.dtype], attrs: dict[str, Any]
) -> list[ShapeDtype]:
    """What the rule says for each of several ranks, as far as it always says the same."""
    lacking = [position for position, shape in enumerate(shapes) if shape is None]
    tried: list[list[ShapeDtype]] = []
    for ranks in itertools.product(_RANKS, repeat=min(len(lacking), 2)):
        whole = list(shapes)
        for place, position in enumerate(lacking):
            whole[position] = tuple(Deferred(("unknown",)) for _ in range(ranks[place % len(ranks)]))
        numbers = list(deferred_in([*whole, attrs]))
        try:
            tried.append(_compared(op, whole, dtypes, attrs, numbers, _exchanged))
        except REFUSALS:
            continue
    if not tried and op.many:
        raise _NumberError(f"{op.tf_name} needs inputs whose number of axes is known while tracing")
    if not tried:
        return [_unknown(dtypes, attrs)]
    if any(len(forms) != len(tried[0]) for forms in tried):
        raise _NumberError("Cannot infer argument `num` from shape <unknown>: it must be known while tracing")
    return [_common([forms[place] for forms in tried]) for place in range(len(tried[0]))]


def _common(forms: list[ShapeDtype]) -> ShapeDtype:
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
