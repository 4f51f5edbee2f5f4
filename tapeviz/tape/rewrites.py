"""Formulas that lose digits, and the functions that compute the same without losing them.

A rule looks at the op that lost the digits, backwards through what it was computed from, and gives the tensor that the
better function takes. Whether it is better for the values at hand is found out by computing it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final

import numpy as np

import tapeviz
from tapeviz.analysis.graph import Graph
from tapeviz.engine.declaration import Op, registry
from tapeviz.ops import declarations as ops

__all__ = ["Formula", "Rewrite", "rewrites"]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Another way to compute a tensor: as Python with ``{}`` for its input, that input's row, and what computes it."""

    text: str
    source: int
    compute: Callable[[Any], Any]


class Formula:
    """A recording read backwards, as what each tensor was computed from.

    Args:
        graph: of the recording.
        elements: the elements of a tensor by its row, None where they are not known.
    """

    def __init__(self, graph: Graph, elements: Callable[[int], Any]) -> None:
        self._graph = graph
        self._elements = elements

    def made_by(self, tensor: int, *declared: Op) -> list[int] | None:
        """The inputs of the op that made a tensor, by their rows, if it is one of these."""
        event = int(self._graph.links.producer[tensor])
        if event < 0 or registry.get(self._graph.op(event)) not in declared:
            return None
        return self._graph.inputs[event]

    def made_from(self, tensor: int, steps: int) -> list[int]:
        """A tensor, and those that are computed from it in so many ops."""
        found = latest = [tensor]
        for _ in range(steps):
            latest = [row for one in latest for event in self._graph.readers[one] for row in self._graph.outputs[event]]
            found = [*found, *latest]
        return list(dict.fromkeys(found))

    def is_number(self, tensor: int, number: float) -> bool:
        """Whether all elements of a tensor are this number."""
        elements = self._elements(tensor)
        return elements is not None and elements.size > 0 and bool(np.all(elements == number))

    def square_of(self, tensor: int) -> int | None:
        """What a tensor is the square of."""
        if (found := self.made_by(tensor, ops.square)) is not None:
            return found[0]
        if (found := self.made_by(tensor, ops.pow)) is not None and self.is_number(found[1], 2):
            return found[0]
        found = self.made_by(tensor, ops.multiply)
        return found[0] if found is not None and found[0] == found[1] else None

    def reduction(self, tensor: int) -> dict[str, Any]:
        """Along which axes the op that made a tensor reduces, and whether it keeps them, as users say it."""
        given = self._graph.attributes(int(self._graph.links.producer[tensor]))
        axes = given.get("axis")
        axis = axes[0] if isinstance(axes, list) and len(axes) == 1 else axes
        keeps = {"keepdims": True} if given.get("keepdims") else {}
        return keeps if axis is None else {"axis": axis, **keeps}

    def one_less(self, tensor: int) -> int | None:
        """What a tensor is one less."""
        parts = self.made_by(tensor, ops.subtract)
        return parts[1] if parts is not None and self.is_number(parts[0], 1) else None

    def one_and(self, tensor: int) -> int | None:
        """What a tensor is one more than."""
        for first, second in _orders(self.made_by(tensor, ops.add)):
            if self.is_number(first, 1):
                return second
        return None


def rewrites(formula: Formula, tensor: int) -> Iterator[Rewrite]:
    """The ways to compute a tensor better that may be."""
    for rule in _RULES:
        found = rule(formula, tensor)
        if found is not None:
            yield found


def _orders(pair: list[int] | None) -> list[tuple[int, int]]:
    return [] if pair is None or len(pair) != 2 else [(pair[0], pair[1]), (pair[1], pair[0])]  # noqa: PLR2004


def _call(name: str, source: int, options: Mapping[str, Any] = MappingProxyType({})) -> Rewrite:
    """The function of tapeviz's of that name, called with a tensor."""
    given = "".join(f", {option}={value!r}" for option, value in options.items())
    return Rewrite(f"tf.{name}({{}}{given})", source, partial(attrgetter(name)(tapeviz), **options))


def _softplus(formula: Formula, tensor: int) -> Rewrite | None:
    inside = formula.made_by(tensor, ops.log)
    more = None if inside is None else formula.one_and(inside[0])
    power = None if more is None else formula.made_by(more, ops.exp)
    return None if power is None else _call("math.softplus", power[0])


def _log1p(formula: Formula, tensor: int) -> Rewrite | None:
    inside = formula.made_by(tensor, ops.log)
    more = None if inside is None else formula.one_and(inside[0])
    return None if more is None else _call("math.log1p", more)


def _log1p_of_negative(formula: Formula, tensor: int) -> Rewrite | None:
    inside = formula.made_by(tensor, ops.log)
    less = None if inside is None else formula.one_less(inside[0])
    return None if less is None else Rewrite("tf.math.log1p(-{})", less, lambda x: tapeviz.math.log1p(-x))


def _expm1(formula: Formula, tensor: int) -> Rewrite | None:
    parts = formula.made_by(tensor, ops.subtract)
    power = formula.made_by(parts[0], ops.exp) if parts is not None and formula.is_number(parts[1], 1) else None
    return None if power is None else _call("math.expm1", power[0])


def _log_of(inner: str, better: str) -> Callable[[Formula, int], Rewrite | None]:
    def rule(formula: Formula, tensor: int) -> Rewrite | None:
        inside = formula.made_by(tensor, ops.log)
        source = None if inside is None else formula.made_by(inside[0], registry[inner])
        return None if source is None else _call(better, source[0])

    return rule


def _logsumexp(formula: Formula, tensor: int) -> Rewrite | None:
    inside = formula.made_by(tensor, ops.log)
    total = None if inside is None else formula.made_by(inside[0], ops.reduce_sum)
    power = None if total is None else formula.made_by(total[0], ops.exp)
    if inside is None or power is None:
        return None
    return _call("reduce_logsumexp", power[0], formula.reduction(inside[0]))


def _softmax(formula: Formula, tensor: int) -> Rewrite | None:
    parts = formula.made_by(tensor, ops.divide)
    power = None if parts is None else formula.made_by(parts[0], ops.exp)
    total = None if parts is None else formula.made_by(parts[1], ops.reduce_sum)
    other = None if total is None else formula.made_by(total[0], ops.exp)
    return _call("nn.softmax", power[0]) if power is not None and power == other else None


def _variance(formula: Formula, tensor: int) -> Rewrite | None:
    parts = formula.made_by(tensor, ops.subtract)
    if parts is None:
        return None
    mean = formula.made_by(parts[0], ops.reduce_mean)
    square = None if mean is None else formula.square_of(mean[0])
    squared = formula.square_of(parts[1])
    other = None if squared is None else formula.made_by(squared, ops.reduce_mean)
    if square is None or other is None or square != other[0]:
        return None
    return _call("math.reduce_variance", square, formula.reduction(parts[0]))


def _versed_sine(formula: Formula, tensor: int) -> Rewrite | None:
    parts = formula.made_by(tensor, ops.subtract)
    angle = formula.made_by(parts[1], ops.cos) if parts is not None and formula.is_number(parts[0], 1) else None
    if angle is None:
        return None

    def compute(x: Any) -> Any:
        half = tapeviz.sin(x / 2)
        return 2 * half * half

    return Rewrite("2 * tf.sin({} / 2) ** 2", angle[0], compute)


def _complement(formula: Formula, tensor: int) -> Rewrite | None:
    parts = formula.made_by(tensor, ops.subtract)
    inside = formula.made_by(parts[1], ops.sigmoid) if parts is not None and formula.is_number(parts[0], 1) else None
    return None if inside is None else Rewrite("tf.sigmoid(-{})", inside[0], lambda x: tapeviz.sigmoid(-x))


_RULES: Final[tuple[Callable[[Formula, int], Rewrite | None], ...]] = (
    _softplus, _log1p, _log1p_of_negative, _expm1, _log_of("softmax", "nn.log_softmax"),
    _log_of("sigmoid", "math.log_sigmoid"), _logsumexp, _softmax, _variance, _versed_sine, _complement,
)  # fmt: skip
