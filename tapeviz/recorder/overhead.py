"""What recording costs on this machine, so that a recording can tell its own price.

The hot path cannot time itself: two clock readings would cost as much as what they measure. So its prices are found by
running the same programs with and without a recorder, once a process for each policy; how much there was of what has a
price is known.

Three programs, since one price would not do: in a chain of small ops the recorder's code stays in the processor's
caches; beside ops that take longer it does not, and takes up to twice as long; and what is no op (a variable that
changes, a value that leaves) has a price of its own.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import RLock
from time import perf_counter
from types import FunctionType
from typing import Any, Final, Protocol

import numpy as np

from tapeviz.engine.declaration import registry
from tapeviz.engine.state import local
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import wrap
from tapeviz.engine.variable import Variable
from tapeviz.process.garbage_collector import RELAXED
from tapeviz.recording.rows.workload import Work

__all__ = ["Block", "Price", "collecting", "price_of"]

_OPS: Final = 200
_UPDATES: Final = 60
_ROUNDS: Final = {True: (3, 3), False: (9, 31)}  # of the chains and of the network; few for a price of few ops
_ARRAYS: Final = 400
_KEPT: Final = 2048  # numbers in an array of these
_AN_OP: Final = 2  # objects that the recorder keeps of an op: a row and a weak reference
_A_RARE: Final = 4  # and of what happens a few times a pass
_prices: dict[tuple[str, bool], Price] = {}
_measuring: Final = RLock()


@dataclass(frozen=True, slots=True)
class Price:
    """What recording adds, in seconds.

    Args:
        op: to a short op.
        step: to a short op's part of a backward pass.
        colder: how many times that to long ones.
        byte: to each byte that is kept: the next array has memory that is not in the processor's caches.
        rare: to what happens a few times a pass: a variable that changes, a scope, a value that leaves.
    """

    op: float
    step: float
    colder: float
    byte: float
    rare: float

    def of(self, work: Work) -> float:
        """Seconds added to this work."""
        short = (work.ops - work.long_ops) * self.op + (work.steps - work.long_steps) * self.step
        long = work.long_ops * self.op + work.long_steps * self.step + work.rare * self.rare
        return short + self.colder * long + self.byte * work.nbytes


def collecting(work: Work, runs: int, seconds: float) -> float:
    """What recording added to the time of Python's collector, which ran so often and so long in the block.

    The collector runs each time that so many objects more have come than gone, half as often while something is
    recorded. What remains without the recording's objects are fewer runs, with fewer objects to look through.
    """
    objects = runs * RELAXED * gc.get_threshold()[0]
    own = min((_AN_OP * work.ops + _A_RARE * work.rare) / objects, 1.0) if objects else 0.0
    return seconds * max(1.0 - RELAXED * (1.0 - own) ** 2, 0.0)


class Block(Protocol):
    """Runs programs in recorded blocks."""

    def __call__(self, program: Callable[[], Any], *, packs: bool = True) -> tuple[Any, Work]:
        """What the program returns, and how much was recorded.

        Args:
            program: takes no arguments.
            packs: whether what was kept becomes columns, as at the end of every recording; that takes longer than the
                program. Without, it is not known how much was recorded.
        """


def price_of(policy: str, block: Block, work: Work) -> Price:
    """The price under a policy, of which ``block`` records; of little ``work`` a rough one, which is found at once."""
    is_rough = work.ops + work.steps < _OPS and (policy, False) not in _prices
    with _measuring:  # one at a time: two threads that measure at once would measure each other
        if (policy, is_rough) not in _prices:
            _prices[policy, is_rough] = _measured(block, *_ROUNDS[is_rough])
    return _prices[policy, is_rough]


def _measured(block: Block, chains: int, steps: int) -> Price:
    """The median difference of several rounds, with and without by turns.

    The median, not the best: what the recorder keeps makes Python's collector and the processor's caches work more, and
    that is part of the price.
    """
    state = local.state
    tapes, state.tapes = state.tapes, ()
    observer, state.observer = state.observer, None
    chain, step = partial(_as_the_users(_chain), *_numbers()), partial(_as_the_users(_step), *_network())
    update = partial(_as_the_users(_update), *_numbers())
    try:
        forward, backward = (max(found, 0.0) / _OPS for found in _added(block, chains, chain, step))
        (updated,) = _added(block, chains, update)
        updates = block(update)[1]
        rare = max(updated - updates.ops * forward, 0.0) / updates.rare
        (together,) = _added(block, steps, step, step)
        work = block(step)[1]
    finally:
        state.tapes, state.observer = tapes, observer
    byte = _byte(chains)
    hot = Price(forward, backward, 1.0, 0.0, rare).of(work)
    colder = (together - byte * work.nbytes) / hot if hot else 1.0
    return Price(forward, backward, max(colder, 1.0), byte, rare)


def _added(
    block: Block, rounds: int, program: Callable[[], tuple[float, ...]], before: Callable[[], object] | None = None
) -> list[float]:
    """What recording added to each time that the program tells.

    Where there is a ``before``, both times are taken right after the end of a recording of it, which has filled the
    processor's caches otherwise.
    """
    added = []
    for _ in range(rounds):
        if before is not None:
            block(before)
        seen, _ = block(program, packs=False)
        if before is not None:
            block(before)
        added.append([with_it - without for with_it, without in zip(seen, program(), strict=True)])
    return [_median(found) for found in zip(*added, strict=True)]


def _median(times: Sequence[float]) -> float:
    """The middle of an odd number of times; NumPy's own function would import masked arrays."""
    return sorted(times)[len(times) // 2]


def _byte(rounds: int) -> float:
    """What it costs to have each of some arrays in memory of its own rather than in that of the one before."""
    array = np.ones(_KEPT, np.float32)
    extra = []
    for _ in range(rounds):
        t0 = perf_counter()
        held = [array + array for _ in range(_ARRAYS)]
        t1 = perf_counter()
        for _ in range(_ARRAYS):
            array + array
        extra.append(t1 - t0 - (perf_counter() - t1))
        del held
    return max(_median(extra), 0.0) / (_ARRAYS * array.nbytes)


def _numbers() -> tuple[Any, ...]:
    return registry["multiply"].run, wrap(np.ones(4, np.float32)), Variable(np.ones(4, np.float32))


def _chain(multiply: Any, x: Any, factor: Any) -> tuple[float, float]:
    """Seconds of a chain of small ops, forward and backward."""
    with GradientTape() as tape:
        t0 = perf_counter()
        y = x
        for _ in range(_OPS):
            y = multiply(y, factor)
        t1 = perf_counter()
    t2 = perf_counter()
    tape.gradient(y, factor)
    return t1 - t0, perf_counter() - t2


def _update(multiply: Any, x: Any, variable: Any) -> tuple[float]:
    """Seconds of updates of a variable, each of which is looked at."""
    t0 = perf_counter()
    for _ in range(_UPDATES):
        variable.assign(multiply(variable, x))
        variable.numpy()
    return (perf_counter() - t0,)


def _network() -> tuple[Any, ...]:
    ops = [registry[name].run for name in ("matmul", "add", "relu", "sparse_softmax_cross_entropy_with_logits")]
    arrays = [np.ones(shape, np.float32) for shape in ((64, 32), (32,), (32, 10), (10,))]
    x, labels = wrap(np.ones((64, 64), np.float32)), wrap(np.ones(64, np.int32))
    return ops, registry["reduce_mean"].run, x, labels, [Variable(array) for array in arrays]


def _step(ops: Any, mean: Any, x: Any, labels: Any, parameters: list[Any]) -> tuple[float]:
    """Seconds of a small network's training step."""
    matmul, add, relu, losses = ops
    w1, b1, w2, b2 = parameters
    t0 = perf_counter()
    with GradientTape() as tape:
        hidden = relu(add(matmul(x, w1), b1))
        loss = mean(losses(labels, add(matmul(hidden, w2), b2)), axis=None, keepdims=False)
    tape.gradient(loss, parameters)
    return (perf_counter() - t0,)


def _as_the_users(function: Any) -> Callable[..., Any]:
    """The function as code of nobody's, so that the recorder need not look past it for the user's line."""
    return FunctionType(function.__code__, {**globals(), "__name__": "a program"})
