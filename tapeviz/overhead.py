"""What recording costs on this machine, so that a recording can tell its own price.

The hot path cannot time itself: two clock readings would cost as much as what they measure. So its price an op is found
by running the same ops with and without a recorder, once a process for each policy; how many ops there were is known.
What else the recorder does is rare and timed where it happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from types import FunctionType
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import registry
from tapeviz.engine.state import local, observing
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import wrap

__all__ = ["Price", "price_of"]

_OPS: Final = 500
_ROUNDS: Final = 9
_prices: dict[str, Price] = {}


@dataclass(frozen=True, slots=True)
class Price:
    """Seconds that recording adds to an op, and to one op's part of a backward pass."""

    op: float
    step: float


def price_of(policy: str, recorder: Callable[[], Any]) -> Price:
    """The price under a policy; ``recorder()`` makes one of that policy whose recording nobody keeps."""
    if policy not in _prices:
        _prices[policy] = _measured(recorder)
    return _prices[policy]


def _measured(recorder: Callable[[], Any]) -> Price:
    """The median difference of several rounds, with and without by turns.

    The median, not the best: what the recorder keeps makes Python's collector and the processor's caches work more, and
    that is part of the price.
    """
    state = local.state
    tapes, state.tapes = state.tapes, ()
    observer, state.observer = state.observer, None
    forward, backward = [], []
    try:
        for _ in range(_ROUNDS):
            plain = _timed()
            with observing(recorder()):
                seen = _timed()
            forward.append(seen[0] - plain[0])
            backward.append(seen[1] - plain[1])
    finally:
        state.tapes, state.observer = tapes, observer
    return Price(max(median(forward), 0.0) / _OPS, max(median(backward), 0.0) / _OPS)


def _chain(multiply: Callable[..., Any], y: Any, factor: Any, count: range) -> Any:
    for _ in count:
        y = multiply(y, factor)
    return y


# With globals of its own it is no code of ours, so that the recorder need not look past it for the user's line.
_as_the_users: Final = FunctionType(_chain.__code__, {"__name__": "a program"})


def _timed() -> tuple[float, float]:
    """Seconds of a chain of small ops, forward and backward."""
    multiply = registry["multiply"].run
    x = y = wrap(np.ones((4, 4), np.float32))
    factor = wrap(np.ones((4, 4), np.float32))
    with GradientTape() as tape:
        tape.watch(x)
        t0 = perf_counter()
        y = _as_the_users(multiply, y, factor, range(_OPS))
        t1 = perf_counter()
    t2 = perf_counter()
    tape.gradient(y, x)
    return t1 - t0, perf_counter() - t2
