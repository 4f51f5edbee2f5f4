"""The well-known ways to a NaN or an infinity, by op: what is at fault, in words, and what to do.

A way is only named where what is known of the op's inputs bears it out; else nothing is said of the cause.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

__all__ = ["Facts", "Pattern", "pattern_of"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an op whose result is the first that is not finite.

    Attributes:
        op: its name.
        traits: what its declaration says of it, words of :mod:`tapeviz.engine.traits`.
        domain: the ends of the interval in which its last input has to be; None where there is no such limit.
        backward: whether it is the op's backward step.
        values: its forward inputs at the element in question; None where not known.
        zero, negative: for each forward input whether it has such elements.
        lowest, highest, peaks: for each forward input its smallest and largest element and the largest size of one;
            nan where not known.
        upstream: the largest size of an element of the gradient that a backward step was given; nan where not known.
        nan, infinite: what its result has.
        masked: whether a ``where`` leaves the element out.
        empty: whether its first input has no elements.
        elements: how many elements its first input has.
        dtype: that of its result.
        largest: the largest number of that dtype.
        made_by: for each forward input the op that made it, and its traits.
        activation: where the last input comes from an op whose undoing has a better form, that op's name and its trait:
            ``distribution``, ``logistic``, ``exponential`` or ``shifted``; ``sum`` where it is a sum over exponentials.
        infinite_inputs: whether an input holds an infinity that the program put in.
        is_sum: whether it is the sum of several gradients.
        updated: whether variables were assigned before.
    """

    op: str
    backward: bool
    traits: frozenset[str] = frozenset()
    domain: tuple[float, float] | None = None
    values: tuple[float | None, ...] = ()
    zero: tuple[bool, ...] = ()
    negative: tuple[bool, ...] = ()
    lowest: tuple[float, ...] = ()
    highest: tuple[float, ...] = ()
    peaks: tuple[float, ...] = ()
    upstream: float = math.nan
    nan: bool = False
    infinite: bool = False
    masked: bool = False
    empty: bool = False
    elements: int = 1
    dtype: str = "float32"
    largest: float = 3.4028235e38
    made_by: tuple[tuple[str, frozenset[str]], ...] = ()
    activation: tuple[str, str] = ("", "")
    infinite_inputs: bool = False
    is_sum: bool = False
    updated: bool = False

    def is_zero(self, slot: int) -> bool:
        """Whether the input is 0 at the element, as far as can be told."""
        return self._is(slot, self.zero, lambda value: value == 0)

    def is_negative(self, slot: int) -> bool:
        """Whether the input is below 0 at the element, as far as can be told."""
        return self._is(slot, self.negative, lambda value: value < 0)

    def is_above(self, limit: float, *, at: bool = False) -> bool:
        """Whether the last input is above a number (or at it) at the element, as far as can be told."""
        return self._reaches(self.highest, lambda value: value > limit or (at and value == limit))

    def is_below(self, limit: float, *, at: bool = False) -> bool:
        """Whether the last input is below a number (or at it) at the element, as far as can be told."""
        return self._reaches(self.lowest, lambda value: value < limit or (at and value == limit))

    @property
    def last(self) -> int:
        """Which input is the last."""
        return max(len(self.values) - 1, 0)

    @property
    def blamed(self) -> int:
        """Which input is at fault where one is."""
        return self.last if self.traits & {"quotient", "logarithm"} else 0

    @property
    def half(self) -> bool:
        """Whether it is a dtype of few digits or small range."""
        return self.dtype in ("float16", "bfloat16")

    @property
    def little(self) -> str:
        """A number that is small and still counts in the dtype."""
        return "1e-4" if self.half else "1e-7"

    @property
    def step(self) -> str:
        """A number to add to one near 1 that still counts in the dtype."""
        return "1e-3" if self.half else "1e-6"

    @property
    def tiny(self) -> str:
        """A number to add below a root."""
        return "1e-4" if self.half else "1e-12"

    def _is(self, slot: int, some: tuple[bool, ...], holds: Callable[[float], bool]) -> bool:
        if slot >= len(some):
            return False
        value = self.values[slot]
        return some[slot] if value is None else holds(value)

    def _reaches(self, extreme: tuple[float, ...], holds: Callable[[float], bool]) -> bool:
        value = self.values[-1] if self.values else None
        if value is None and extreme:
            value = extreme[-1]
        return value is not None and not math.isnan(value) and holds(value)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A known way: its name, what is at fault as a clause, and what to do as a clause."""

    name: str
    says: str
    fix: str


_LOGITS: Final = {
    "distribution": "tf.nn.softmax_cross_entropy_with_logits, or tf.nn.log_softmax",
    "logistic": "tf.nn.sigmoid_cross_entropy_with_logits, or tf.math.log_sigmoid",
}

_OF_ONE: Final = "take it over more than one element, or with correction=0 (unbiased=False)"
_MASKED: Final = (
    "masked_where",
    "tf.where leaves that element out, but its gradient is still computed, and 0 times infinity is NaN",
    "put a harmless value in first: x_safe = tf.where(ok, x, 1.0), then tf.where(ok, f(x_safe), 0.0)",
)


def pattern_of(facts: Facts) -> Pattern | None:
    """The known way that fits, None where none does."""
    rules = (_masked, _summed, _without_any, _log, _root, _quotient, _power, _outside, _overflow)
    return next((found for rule in rules if (found := rule(facts))), None)


def _masked(facts: Facts) -> Pattern | None:
    return Pattern(*_MASKED) if facts.masked else None


def _summed(facts: Facts) -> Pattern | None:
    if not facts.is_sum:
        return None
    fix = "make the gradients smaller: scale the loss down, or clip what is large before it is used several times"
    says = f"the gradients that come back from several uses sum to more than {facts.dtype} can hold"
    return Pattern("overflow", says, fix)


def _without_any(facts: Facts) -> Pattern | None:
    if facts.empty:
        return Pattern("empty", "there are no elements to take the mean of", "look at the shape: an axis has length 0")
    if facts.infinite_inputs and "softmax" in facts.traits:
        fix = "mask with a large negative number (-1e9) in place of -inf, or leave out rows that are masked altogether"
        return Pattern("all_masked", "every element that it is taken over is -inf, so there is nothing left", fix)
    if facts.infinite_inputs and facts.nan:
        fix = "use a large number in place of the infinity that the program puts in"
        return Pattern("infinity", "an infinity among the inputs times 0, or minus itself, is NaN", fix)
    return None


def _log(facts: Facts) -> Pattern | None:
    if "logarithm" not in facts.traits or facts.domain is None:
        return None
    pole = facts.domain[0]
    if facts.is_below(pole):
        says = f"{facts.op} of a number below {pole:g} is NaN"
        return Pattern("log_negative", says, _above(facts, pole))
    at_pole = facts.is_zero(facts.last) if pole == 0 else facts.is_below(pole, at=True)
    if at_pole:
        says = f"the derivative of {facts.op} is infinite at {pole:g}" if facts.backward else (
            f"{facts.op} of {pole:g} is -infinity"
        )  # fmt: skip
        return Pattern("log_zero", says, _above(facts, pole))
    return None


def _above(facts: Facts, pole: float) -> str:
    name, kind = facts.activation
    if kind in _LOGITS and pole == 0:
        return f"compute it from what goes into the {name}: {_LOGITS[kind]}"
    # A limit would give back a number, and no gradient: what is below it is flat.
    if kind == "sum" and pole == 0:
        return "compute it from what goes into the exp: tf.reduce_logsumexp(x) is the log of the sum of exp(x)"
    if kind == ("shifted" if pole else "exponential") and not facts.last:
        return f"leave out both: the {facts.op} of {name}(x) is x"
    limit = facts.little if pole == 0 else f"{pole:g} + {facts.step}"
    before, x = ("x, ", "y") if facts.last else ("", "x")
    return f"keep it above {pole:g}: tf.math.{facts.op}({before}tf.maximum({x}, {limit}))"


def _root(facts: Facts) -> Pattern | None:
    if "root" not in facts.traits:
        return None
    if "spread" in facts.traits:
        fix = f"take the root yourself: tf.sqrt(tf.math.reduce_variance(x) + {facts.tiny})"
        says = "a standard deviation has no derivative where all elements are equal"
        return Pattern("sqrt_zero", says, fix) if facts.backward else _lone(facts)
    inverse = "quotient" in facts.traits
    name = f"tf.{'math.' if inverse else ''}{facts.op}"
    if facts.domain is not None and facts.is_negative(0):
        # At 0 itself the derivative is infinite: a limit of 0 would only put the fault off to the backward pass.
        fix = f"keep it above 0: {name}(tf.maximum(x, {facts.tiny}))"
        return Pattern("sqrt_negative", "the root of a negative number is NaN", fix)
    if not facts.is_zero(0):
        return None
    if facts.domain is None:
        fix = f"compute it with a little below the root: tf.sqrt(tf.reduce_sum(x * x) + {facts.tiny})"
        return Pattern("sqrt_zero", "the derivative of a norm is not there where all elements are 0", fix)
    fix = f"add a little before the root: {name}(x + {facts.tiny})"
    says = "1 / sqrt(0) is infinite" if inverse else "the derivative of a root is infinite at 0"
    return Pattern("sqrt_zero", says, fix)


def _lone(facts: Facts) -> Pattern | None:
    """The unbiased deviation of one element: it divides by one less than their number."""
    if not facts.nan or not all(map(math.isfinite, facts.peaks)):
        return None
    return Pattern("lone_element", "one element alone has no deviation: 0 / (1 - 1) is NaN", _OF_ONE)


def _quotient(facts: Facts) -> Pattern | None:
    if "quotient" not in facts.traits or not facts.is_zero(facts.last):
        return None
    by, traits = facts.made_by[facts.last] if facts.last < len(facts.made_by) else ("", frozenset())
    if {"root", "spread"} <= traits:
        says = f"it divides by 0, which {by} gave: all elements that it is taken over are equal"
        fix = f"add a little below the root: tf.sqrt(tf.math.reduce_variance(x) + {facts.tiny})"
        return Pattern("divide_zero", says, fix)
    if "root" in traits:
        # divide_no_nan would put it off: the derivative of the root is not finite there either.
        fix = f"add a little below the root: x / tf.sqrt(tf.reduce_sum(x * x) + {facts.tiny}), or tf.math.l2_normalize"
        return Pattern("divide_zero", f"it divides by 0, which {by} gave", fix)
    fix = "use tf.math.divide_no_nan, or add a little to what is divided by"
    return Pattern("divide_zero", "it divides by 0", fix)


def _power(facts: Facts) -> Pattern | None:
    if "power" not in facts.traits:
        return None
    if facts.is_negative(0) and facts.nan:
        fix = f"keep the base above 0 (tf.maximum(x, {facts.little})), or use a whole exponent"
        return Pattern("pow_negative", "a negative number has no such power", fix)
    if facts.is_zero(0):
        says = "the derivative of this power is infinite at 0" if facts.backward else "this power of 0 is infinite"
        return Pattern("pow_zero", says, f"keep the base above 0: tf.maximum(x, {facts.little})")
    return None


def _outside(facts: Facts) -> Pattern | None:
    """Functions that are defined between two numbers only, and have no slope at them."""
    if facts.domain is None or facts.traits & {"root", "logarithm"}:
        return None
    (low, high), little = facts.domain, facts.step
    limits = f"x, {low:g} + {little}, {high:g} - {little}"
    fix = f"keep it inside: tf.clip_by_value({limits})" if math.isfinite(high) else (
        f"keep it above: tf.maximum(x, {low:g} + {little})"
    )  # fmt: skip
    if facts.nan and (facts.is_above(high) or facts.is_below(low)):
        where = f"outside {low:g} to {high:g}" if math.isfinite(high) else f"below {low:g}"
        return Pattern("domain", f"{facts.op} is NaN {where}", fix)
    if facts.is_above(high, at=True) or facts.is_below(low, at=True):
        what = "its derivative" if facts.backward else facts.op
        return Pattern("domain_edge", f"{what} is infinite at the ends of {low:g} to {high:g}", fix)
    return None


def _overflow(facts: Facts) -> Pattern | None:
    """Numbers too large for the dtype, where what went in says that they can have been."""
    if facts.nan or not facts.infinite or not _can_overflow(facts):
        return None
    says = f"{facts.op} gave a number too large for {facts.dtype}, which ends at {facts.largest:.3g}"
    return Pattern("overflow", says, _smaller(facts))


def _can_overflow(facts: Facts) -> bool:
    """Whether the largest numbers that went in can have given one too large for the dtype."""
    peaks = [peak for peak in facts.peaks if not math.isnan(peak)]
    most, elements, limit = max(peaks, default=math.nan), max(facts.elements, 1), facts.largest / 2
    if facts.backward:
        return facts.upstream * max(most, 1.0) * elements > limit
    for traits, can in (
        ({"grows_exponentially"}, most > math.log(facts.largest) - 1),
        ({"product"}, len(peaks) < len(facts.peaks) or math.prod(peaks) * elements > limit),
        ({"factors"}, most > 1),
        ({"sum", "mean", "cast"}, most * (elements + 1) > limit),
        ({"squares"}, most * most > limit),
        ({"quotient"}, most > 1),
    ):
        if facts.traits & traits:
            return can
    return False


def _smaller(facts: Facts) -> str:
    if facts.half:
        where = "scale the loss less" if facts.backward else "scale its inputs down"
        return f"compute it in float32 (tf.cast(x, tf.float32)), or {where}"
    if "exponential" in facts.traits and not facts.backward:
        return (
            "use tf.nn.softmax, tf.reduce_logsumexp or tf.nn.softplus where it is a part of one of these; limit what "
            "goes in where it is a scale or a log-variance: tf.clip_by_value(x, -10.0, 10.0)"
        )
    if facts.updated:
        return "if the numbers grow from step to step: a smaller learning rate, or tf.clip_by_global_norm"
    return f"make what goes into {facts.op} smaller, by normalised inputs or smaller weights"
