"""The well-known ways to a NaN or an infinity, by op: what is at fault, in words, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph

__all__ = ["Facts", "Pattern", "is_masked", "pattern_of"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an op whose result is the first that is not finite.

    Attributes:
        op: its name.
        backward: whether it is the op's backward step.
        values: its forward inputs at the element in question; None where not known.
        zero, negative: for each forward input whether it has such elements.
        nan, infinite: what its result has.
        masked: whether a ``where`` leaves the element out.
        empty: whether its first input has no elements.
    """

    op: str
    backward: bool
    values: tuple[float | None, ...]
    zero: tuple[bool, ...]
    negative: tuple[bool, ...]
    nan: bool
    infinite: bool
    masked: bool
    empty: bool

    def is_zero(self, slot: int) -> bool:
        """Whether the input is 0 at the element, as far as can be told."""
        return self._is(slot, self.zero, lambda value: value == 0)

    def is_negative(self, slot: int) -> bool:
        """Whether the input is below 0 at the element, as far as can be told."""
        return self._is(slot, self.negative, lambda value: value < 0)

    def _is(self, slot: int, some: tuple[bool, ...], holds: Callable[[float], bool]) -> bool:
        if slot >= len(some):
            return False
        value = self.values[slot]
        return some[slot] if value is None else holds(value)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A known way: its name, what is at fault as a clause, and what to do as a clause."""

    name: str
    says: str
    fix: str


_LOGS: Final = frozenset({"log", "log1p"})
_ROOTS: Final = frozenset({"sqrt", "rsqrt", "norm"})
_QUOTIENTS: Final = frozenset({"divide", "floordiv", "floormod"})

_MASKED: Final = (
    "masked_where",
    "tf.where leaves that element out, but its gradient is still computed, and 0 times infinity is NaN",
    "put a harmless value in first: x_safe = tf.where(ok, x, 1.0), then tf.where(ok, f(x_safe), 0.0)",
)


def pattern_of(facts: Facts) -> Pattern | None:
    """The known way that fits, None where none does."""
    return next((found for rule in (_masked, _at_zero, _at_negative, _too_large) if (found := rule(facts))), None)


def _masked(facts: Facts) -> Pattern | None:
    return Pattern(*_MASKED) if facts.masked else None


def _at_zero(facts: Facts) -> Pattern | None:
    op = facts.op
    if op in _LOGS and facts.is_zero(0):
        says = "the derivative of log is infinite at 0" if facts.backward else "log of 0 is -infinity"
        return Pattern("log_zero", says, "keep it away from 0: tf.math.log(tf.maximum(x, 1e-7))")
    if op in _ROOTS and facts.is_zero(0):
        says = "the derivative of a root is infinite at 0" if op != "rsqrt" else "1 / sqrt(0) is infinite"
        return Pattern("sqrt_zero", says, "add a little before the root: tf.sqrt(x + 1e-12)")
    slot = 0 if op == "reciprocal" else 1
    if (op in _QUOTIENTS or op == "reciprocal") and facts.is_zero(slot):
        fix = "use tf.math.divide_no_nan, or add a little to what is divided by"
        return Pattern("divide_zero", "it divides by 0", fix)
    if op == "pow" and facts.is_zero(0):
        return Pattern("pow_zero", "a power of 0 is infinite here", "keep the base away from 0: tf.maximum(x, 1e-7)")
    if facts.empty:
        return Pattern("empty", "there are no elements to take the mean of", "look at the shape: an axis has length 0")
    return None


def _at_negative(facts: Facts) -> Pattern | None:
    op = facts.op
    if op in _LOGS and facts.is_negative(0):
        return Pattern("log_negative", "log of a negative number is NaN", "keep it above 0: tf.maximum(x, 1e-7)")
    if op in _ROOTS and facts.is_negative(0):
        fix = "keep it at 0 or above: tf.maximum(x, 0.0)"
        return Pattern("sqrt_negative", "the root of a negative number is NaN", fix)
    if op == "pow" and facts.is_negative(0):
        return Pattern("pow_negative", "a negative number has no such power", "take the power of tf.abs(x)")
    return None


def _too_large(facts: Facts) -> Pattern | None:
    if facts.nan or not facts.infinite:
        return None
    fixes = {
        "exp": "use a stable form (tf.nn.softmax, tf.reduce_logsumexp, tf.nn.softplus), or subtract the maximum first",
    }
    fix = fixes.get(facts.op, "make the numbers smaller: a smaller learning rate, or normalised inputs")
    return Pattern("overflow", f"{facts.op} gave a number too large for its dtype", fix)


def is_masked(graph: Graph, event: int, *, hops: int = 4) -> bool:
    """Whether what a forward op made goes into a ``where`` within a few ops."""
    reached = np.array([event])
    for _ in range(hops):
        tensors = [tensor for row in reached.tolist() for tensor in graph.outputs[row]]
        readers = [row for tensor in tensors for row in graph.readers[tensor] if graph.ran[row]]
        if any(graph.op(row) == "where" for row in readers):
            return True
        reached = np.unique(readers)
        if not len(reached):
            return False
    return False
