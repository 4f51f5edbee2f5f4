"""Whole numbers that are only known when a graph runs: sizes of axes, values of tensors, seeds of draws.

Ops take such numbers as attributes, and everything that public functions do with attributes (``-1`` becomes what is
left, axes are counted from the front) is arithmetic. A :class:`Deferred` goes through that arithmetic as an ``int`` of
some unlikely value, remembers where it comes from, and is replaced by the true number when the graph runs.

Shape rules are run with it twice, the second time with another unlikely value (:meth:`Deferred.exchanged`): what comes
out the same does not depend on it, and what does not is not known while tracing.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any, Final, Self

__all__ = ["Deferred", "computed", "deferred_in", "has_deferred", "leaf_key", "replaced"]

_Slice: Final = slice

# Odd multiples of two primes: no program has axes of these sizes, and four of them multiplied still fit 63 bits.
_FIRST, _SECOND = 9973, 9967
_RANGE: Final = 3000
_count: Final = itertools.count()


class Deferred(int):
    """A whole number that is not known yet.

    ``source`` says where it will come from: ``("axis", tensor, k)`` is the size of an axis, ``("value", tensor)`` the
    value of a tensor without axes, ``("call", function)`` what a function gives at each run, and
    ``("expression", function, *numbers)`` what a function makes of others.
    """

    source: tuple[Any, ...]
    first: int
    second: int

    def __new__(cls, source: tuple[Any, ...], first: int | None = None, second: int | None = None) -> Self:
        """A number from this source, with its two stand-in values."""
        if first is None or second is None:
            step = next(_count) % _RANGE
            first, second = _FIRST + 6 * step, _SECOND + 10 * step
        made = super().__new__(cls, first)
        made.source = source
        made.first = first
        made.second = second
        return made

    def leaves(self) -> Iterator[Deferred]:
        """The numbers that this one is made of, itself when it is no expression."""
        if self.source[0] != "expression":
            yield self
            return
        for part in self.source[2:]:
            if isinstance(part, Deferred):
                yield from part.leaves()

    def evaluated(self, lookup: Callable[[Deferred], int]) -> int:
        """The number, with ``lookup`` giving that of each leaf."""
        if self.source[0] != "expression":
            return lookup(self)
        function, *parts = self.source[1:]
        return int(function(*[p.evaluated(lookup) if isinstance(p, Deferred) else p for p in parts]))

    def exchanged(self) -> Deferred:
        """The same number with its stand-ins the other way round."""
        return Deferred(self.source, self.second, self.first)

    def __bool__(self) -> bool:
        return True

    def __int__(self, *_others: Any) -> int:
        raise TypeError(f"the number {self.text} is only known when the graph runs")

    __float__ = __complex__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __int__  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.text}>"

    __str__ = __repr__

    @property
    def text(self) -> str:
        """Where it comes from, for people."""
        sort = self.source[0]
        if sort == "axis":
            return f"{self.source[1].name}.shape[{self.source[2]}]"
        if sort == "value":
            return str(self.source[1].name)
        return sort if sort == "call" else "computed size"

    def __hash__(self) -> int:
        return int.__hash__(self)

    def __reduce__(self) -> Any:
        raise TypeError("a size that is only known when a graph runs cannot be stored")


def _expression(function: Callable[..., int], *parts: Any) -> Any:
    firsts = [part.first if isinstance(part, Deferred) else part for part in parts]
    seconds = [part.second if isinstance(part, Deferred) else part for part in parts]
    try:
        return Deferred(("expression", function, *parts), function(*firsts), function(*seconds))
    except Exception:  # noqa: BLE001 - whatever a function says to unlikely numbers, it is asked again with true ones
        return Deferred(("expression", function, *parts))


def _binary(function: Callable[..., int], *, reflected: bool) -> Callable[..., Any]:
    def method(self: Deferred, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        return _expression(function, other, self) if reflected else _expression(function, self, other)

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _function = getattr(operator, _name)
    setattr(Deferred, f"__{_name}__", _binary(_function, reflected=False))
    setattr(Deferred, f"__r{_name}__", _binary(_function, reflected=True))
Deferred.__neg__ = lambda self: _expression(operator.neg, self)  # type: ignore[method-assign]


def leaf_key(leaf: Deferred) -> tuple[Any, ...]:
    """What a number that is no expression is known by: two that come from one place are one number.

    Their stand-ins are not enough: there are only so many of these.
    """
    sort, *rest = leaf.source
    return (sort, id(rest[0]), *rest[1:]) if sort in ("axis", "value") else (sort, id(leaf.source))


def computed(function: Callable[..., int], *numbers: Any) -> Any:
    """What a function makes of whole numbers, some of which are not known yet."""
    if any(isinstance(number, Deferred) for number in numbers):
        return _expression(function, *numbers)
    return function(*numbers)


def replaced(value: Any, replace: Callable[[Deferred], Any]) -> Any:
    """An attribute with each deferred number in it, however deep, replaced."""
    if isinstance(value, Deferred):
        return replace(value)
    if value.__class__ is tuple or value.__class__ is list:
        return value.__class__([replaced(part, replace) for part in value])
    if value.__class__ is _Slice:
        return _Slice(*[replaced(part, replace) for part in (value.start, value.stop, value.step)])
    if value.__class__ is dict:
        return {key: replaced(part, replace) for key, part in value.items()}
    return value


def deferred_in(value: Any) -> Iterator[Deferred]:
    """The deferred numbers in an attribute."""
    if isinstance(value, Deferred):
        yield value
    elif value.__class__ is tuple or value.__class__ is list:
        for part in value:
            if part.__class__ is not int:  # as most are
                yield from deferred_in(part)
    elif value.__class__ is _Slice:
        yield from deferred_in((value.start, value.stop, value.step))
    elif value.__class__ is dict:
        yield from deferred_in(list(value.values()))


def has_deferred(value: Any) -> bool:
    """Whether there is a deferred number in an attribute."""
    return next(deferred_in(value), None) is not None
