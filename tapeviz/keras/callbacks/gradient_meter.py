"""Measuring the gradients of each layer, at a price that is watched."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from tapeviz.keras.callbacks.gradient_watch import StepStopped
from tapeviz.ops.math.gradient_figures import figures

__all__ = ["GradientMeter", "rows_of"]

_CALL_SECONDS: Final = 4e-6  # what it takes for a graph to call us, which we cannot see from here
_DEAR: Final = 0.01  # of a step: from here on measuring is made rarer; the rest of 5 % is for guarding and showing
_REMEMBERED: Final = 64  # steps by which prices are judged; medians, since other programs may come in between
_FEWEST: Final = 16
_FEW: Final = 4
_AT_FIRST: Final = 256  # of a short run there should be something to see, too
_RARELY: Final = 4096
_SLOW_SHARE: Final = 0.003  # of the time, for what takes a pass over all weights

_known_prices: Final[WeakKeyDictionary[Any, int]] = WeakKeyDictionary()
"""How rarely the steps of a model were measured when it was trained last."""


def rows_of(model: Any, variables: Sequence[Any], most: int = 48) -> tuple[list[str], list[int]]:
    """A row for each layer that has some of the variables: their names, and the row of each variable.

    Layers beyond ``most`` share rows with their neighbours.
    """
    owners: dict[int, str] = {}
    for layer in model._flatten_layers():
        for variable in layer._own_variables():
            owners.setdefault(id(variable), layer.name)
    names = [owners.get(id(variable)) or variable.name.partition(":")[0] for variable in variables]
    rows = list(dict.fromkeys(names))
    each = -(-len(rows) // most)
    labels = [_shared(rows[first : first + each]) for first in range(0, len(rows), each)]
    places = [rows.index(name) // each for name in names]
    return labels, places


def _shared(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"


class GradientMeter:
    """A watch of a model's training steps (see :mod:`tapeviz.keras.callbacks.gradient_watch`).

    Args:
        model: the model.
        begin: called with the names of the rows when the first gradients are seen.
        aside: runs the step on a batch in a way of its own, or gives None to have it run as usual.
        asks_aside: whether it ever does.

    ``figures`` has the norm of each layer's gradient in the last step and its share of zeros, ``measured`` what was
    found besides by quantity, ``loss`` the loss. ``every`` says how rarely gradients are measured by now: 1 is each
    step.
    """

    def __init__(
        self, model: Any, begin: Callable[[list[str]], Any], aside: Callable[[Any], Any], asks_aside: bool = True
    ) -> None:
        self._model = model
        self._asks_aside = asks_aside
        self._next = 0  # the first step that is looked at again; those before are only guarded
        self._begin = begin
        self._aside = aside
        self._rows: np.ndarray = np.empty(0, np.intp)
        self._names: list[str] = []
        self._known: Any = None
        self._shares: np.ndarray = np.ones(1)
        self._starts: np.ndarray | None = None
        self.figures: np.ndarray | None = None
        self.measured: dict[str, Any] = {}
        self.loss: float | None = None
        self.every: int = min(_known_prices.get(model, 1), _AT_FIRST)
        self.wants_slow: Callable[[], bool] = lambda: True
        self.lean: bool = False
        """Whether nothing was wanted of the last step but its loss, and that is finite."""
        self._tick = 0
        self._looked = 0  # the last step that was timed
        self.guarding: float = _CALL_SECONDS
        """What a step takes that is only guarded, in seconds; it is not timed, so somebody has to say it."""
        self._slow = 0.0
        self.spent: float = 0.0
        self._since = self._stepped = perf_counter()
        self._inside = 0.0  # what measuring takes in the graph
        self._prices: deque[float] = deque(maxlen=_REMEMBERED)
        self._steps: deque[float] = deque(maxlen=_REMEMBERED)
        self._measuring = False
        self._counted = 0.0  # what was spent when the last step began that was timed
        self._turns: tuple[deque[float], deque[float]] = (deque(maxlen=_REMEMBERED), deque(maxlen=_REMEMBERED))

    # In the step.

    def saw(self, variables: Sequence[Any], found: np.ndarray | None, loss: float | None) -> None:
        """Keep what was found, before anything is changed. StepStopped: the loss or a gradient is NaN."""
        self.loss = loss
        if self.lean and loss is not None and -math.inf < loss < math.inf:
            return
        self.lean = False
        began = perf_counter()
        if found is not None:
            if self._known is not variables:
                self._meet(variables)
                self.spent += perf_counter() - began
                began = perf_counter()  # once, and not in each step
            self.figures = self._of_rows(found)
            np.sqrt(self.figures[0], out=self.figures[0])
            self._prices.append(perf_counter() - began + self._inside)
            self.spent += self._inside
        self.spent += perf_counter() - began + _CALL_SECONDS
        if loss is not None and not math.isfinite(loss):
            raise StepStopped(f"the loss is {'NaN' if math.isnan(loss) else 'infinite'}")
        if self.figures is not None and math.isnan(self.figures[0].sum()):
            self.measured["nan"] = np.isnan(self.figures[0])
            raise StepStopped("the loss is a number, but gradients are NaN")

    def _of_rows(self, found: np.ndarray) -> np.ndarray:
        """The sums of squares and the shares of zeros of the layers, out of those of their variables."""
        sums: np.ndarray
        if self._starts is None:
            sums = np.array([np.bincount(self._rows, of, len(self._names)) for of in found])
        else:
            sums = np.add.reduceat(found, self._starts, axis=1)
        sums[1] *= self._shares
        return sums

    def _meet(self, variables: Sequence[Any]) -> None:
        """Other variables than in the step before: the first step, or one of another trace."""
        names, rows = rows_of(self._model, variables)
        self._rows, self._known = np.array(rows, np.intp), variables
        self._shares = 1 / np.maximum(np.bincount(self._rows, [math.prod(v.shape) for v in variables], len(names)), 1)
        # Variables of a layer stand together as a rule: then they are added up at once.
        in_order = bool((np.diff(self._rows) >= 0).all())
        self._starts = np.unique(self._rows, return_index=True)[1] if in_order else None
        self._inside = self._price_inside(variables)
        if names != self._names:
            self._names = names
            self._begin(names)

    @staticmethod
    def _price_inside(variables: Sequence[Any]) -> float:
        """What the op in the graph takes: tried on the weights, which are as large as their gradients."""
        arrays = [variable.numpy() for variable in variables]
        began = perf_counter()
        figures(np, *arrays)
        between = perf_counter()
        figures(np, *arrays)
        return min(between - began, perf_counter() - between)

    # Around the step.

    def step(self, run: Callable[[Any, bool], Any], data: Any) -> Any:
        """Run a step, and measure how far it has changed the weights, where there is time for that."""
        tick = self._tick = self._tick + 1
        if tick < self._next:
            if not self.lean:
                self.figures, self.measured, self.lean = None, {}, True
            self.loss = None
            return run(data, False)
        self.lean = False
        began = perf_counter()
        took = (began - self._stepped) / (tick - self._looked)
        self._steps.append(took)
        self._turns[self._measuring].append(took)
        others, _ = self._turns
        if self._measuring and others:
            # What measuring takes beyond what is seen from inside: caches in which the next step finds nothing.
            usual = statistics.median(others)
            self.spent = max(self.spent, self._counted + min(took, 8 * usual) - usual)
        self.spent += (tick - self._looked - 1) * self.guarding
        self._stepped, self._looked, self._counted = began, tick, self.spent
        self.figures, self.measured, self.loss = None, {}, None
        variables = self._known
        before = None
        if variables is not None and self.wants_slow() and self._slow <= _SLOW_SHARE * (began - self._since):
            before = [variable.numpy().copy() for variable in variables]
            self._pay_slow(began)
        logs = self._aside(data)
        self._measuring = tick % self.every == 0 or self._known is None
        if logs is None:
            logs = run(data, self._measuring)
        if before is not None:
            began = perf_counter()
            self.measured.setdefault("nan", np.zeros(len(self._names)))  # none so far, which can be chosen too
            self.measured["update"] = self._updates(before)
            self._pay_slow(began)
        self._look_again()
        return logs

    def _look_again(self) -> None:
        """Say which steps are only guarded.

        Between a step that is measured and the next one there is one to compare it with.
        """
        since = self._tick % self.every
        guarded = since > 0 and self._known is not None and not self._asks_aside
        self._next = self._tick - since + self.every if guarded else 0

    @property
    def asks_aside(self) -> bool:
        """Whether steps are offered to ``aside``."""
        return self._asks_aside

    @asks_aside.setter
    def asks_aside(self, asks: bool) -> None:
        self._asks_aside = asks
        self._next = 0

    def exclude(self, seconds: float) -> None:
        """So much time has passed that was no part of training."""
        self._stepped += seconds
        self._since += seconds

    def _pay_slow(self, began: float) -> None:
        seconds = perf_counter() - began
        self._slow += seconds
        self.spent += seconds

    def _updates(self, before: Sequence[np.ndarray]) -> np.ndarray:
        changes = [variable.numpy() - old for variable, old in zip(self._known, before, strict=True)]
        count = len(self._names)
        changed, lengths = (np.bincount(self._rows, figures(np, *of)[0], count) for of in (changes, before))
        ratios: np.ndarray = np.sqrt(changed / np.where(lengths > 0, lengths, 1.0))
        return ratios

    # The price.

    def thin(self) -> None:
        """Say how rarely to measure, so that it takes no more of the time than it may."""
        if len(self._steps) < _FEWEST or not self._prices:
            return
        price = statistics.median(self._prices)
        usual = statistics.median(self._steps)
        others, measured = self._turns
        if len(others) >= _FEW <= len(measured):
            # Then it is known from outside, with all that comes with it: a graph that runs rarely finds nothing of its
            # own in the processor's caches, which takes several times as long as measuring.
            usual = statistics.median(others)
            price = statistics.median(measured) - usual
        share = price / max(usual, 1e-9)
        wanted = 1
        while share > _DEAR * wanted and wanted < _RARELY:
            wanted *= 2
        # Not back at once where it is close: that would change the picture all the time.
        if wanted > self.every or 4 * wanted <= self.every:
            self.every = _known_prices[self._model] = wanted
            self._next = 0
