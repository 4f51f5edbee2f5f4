"""What an einsum equation asks of inputs of given shapes, worked out once for each."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tapeviz.engine.deferred import Deferred
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.rules import shape_text

__all__ = ["Plan", "plan", "plan_of"]

_FIRST = 0x4E00
_SPARE = [chr(_FIRST + axis) for axis in range(32)]
"""Labels that no equation uses, for the axes under an ellipsis; the first stands for the last axis."""

Shape = tuple[int, ...]


class Plan(NamedTuple):
    """The axes by name. An axis of size 1 that broadcasting stretches has none: it is left out of ``shapes``."""

    labels: tuple[str, ...]
    """One letter an axis, for each input."""
    shapes: tuple[Shape, ...]
    """The shape each input is given to have just these axes."""
    output: str
    sizes: dict[str, int]
    path: tuple[tuple[int, ...], ...]
    """Which inputs go together, step by step."""


@lru_cache(maxsize=512)
def plan(equation: str, shapes: tuple[Shape, ...]) -> Plan:
    """The plan for an equation with an arrow and inputs of these shapes.

    Raises:
        InvalidArgumentError: ranks or sizes do not fit.
    """
    left, _, output = equation.partition("->")
    written = left.split(",")
    named = [_named(term, shape, n) for n, (term, shape) in enumerate(zip(written, shapes, strict=True))]
    sizes: dict[str, int] = {}
    for labels, shape in zip(named, shapes, strict=True):
        _note_sizes(sizes, labels, shape)
    depth = max(
        len(labels) - len(term.replace("...", "")) for labels, term in zip(named, written, strict=True)
    )  # the axes under the ellipsis
    if depth and "..." not in output:
        raise InvalidArgumentError(
            f"Output contains {depth} broadcasting dimension(s) but no ellipsis (...) was found in the output "
            "subscripts."
        )
    kept = [
        [(label, size) for label, size in zip(labels, shape, strict=True) if size != 1 or sizes[label] == 1]
        for labels, shape in zip(named, shapes, strict=True)
    ]
    terms = tuple("".join(label for label, _ in axes) for axes in kept)
    given = tuple(tuple(sizes[label] for label, _ in axes) for axes in kept)
    output = output.replace("...", "".join(reversed(_SPARE[:depth])))
    return Plan(terms, given, output, sizes, _path(terms, given, output))


def plan_of(equation: str, shapes: tuple[Shape, ...]) -> Plan:
    """The same for shapes with sizes that are not known yet, whose plans are not kept."""
    for shape in shapes:
        for size in shape:
            if size.__class__ is Deferred:
                return plan.__wrapped__(equation, shapes)
    return plan(equation, shapes)


def _named(term: str, shape: Shape, number: int) -> list[str]:
    """A label an axis of one input."""
    if "..." not in term:
        if len(term) != len(shape):
            raise InvalidArgumentError(f"Expected input {number} to have rank {len(term)} but got: {len(shape)}")
        return list(term)
    before, _, after = term.partition("...")
    depth = len(shape) - len(before) - len(after)
    if depth < 0:
        raise InvalidArgumentError(
            f"Expected input {number} to have rank at least {len(before) + len(after)} but got: {len(shape)}"
        )
    return [*before, *reversed(_SPARE[:depth]), *after]


def _note_sizes(sizes: dict[str, int], labels: list[str], shape: Shape) -> None:
    for axis, (label, size) in enumerate(zip(labels, shape, strict=True)):
        known = sizes.setdefault(label, size)
        if known == size or (label in _SPARE and size == 1):
            continue
        if isinstance(known, Deferred) or isinstance(size, Deferred):
            # Of two sizes one of which is not known, they are the same: the one that is.
            sizes[label] = known if isinstance(size, Deferred) else size
            continue
        if label in _SPARE and known == 1:
            sizes[label] = size
            continue
        where = f"at axis {axis} of the input shaped {shape_text(shape)}"
        raise InvalidArgumentError(f"Expected dimension {known} {where} but got dimension {size}")


def _path(terms: tuple[str, ...], shapes: tuple[Shape, ...], output: str) -> tuple[tuple[int, ...], ...]:
    """NumPy's greedy order for three inputs or more: it looks at sizes alone."""
    if len(terms) < 3:  # noqa: PLR2004 - two go together, one is by itself
        return (tuple(range(len(terms))),)
    operands: list[object] = []
    codes = {label: code for code, label in enumerate(sorted(set("".join(terms))))}
    for term, shape in zip(terms, shapes, strict=True):
        operands += [np.broadcast_to(np.empty(()), shape), [codes[label] for label in term]]
    wanted = [codes[label] for label in dict.fromkeys(output)]
    found = np.einsum_path(*operands, wanted, optimize="greedy")[0]  # type: ignore[arg-type]
    return tuple(tuple(step) for step in found[1:])
