"""Measuring the gradients of each layer, at a price that is watched."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from tapeviz.keras.training.gradient_watch import StepStopped
from tapeviz.ops.gradient_figures import figures

__all__ = ["GradientMeter", "rows_of"]

_CALL_SECONDS: Final = 4e-6  # what it takes for a graph to call us, which we cannot see from here
_DEAR: Final = 0.04  # of a step: from here on measuring is made rarer; the rest of 5 % is for what is shown
_REMEMBERED: Final = 64  # steps by which prices are judged; medians, since other programs may come in between
_FEWEST: Final = 16
_RARELY: Final = 4096
_SLOW_SHARE: Final = 0.01  # of the time, for what takes a pass over all weights


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
    """A watch of a model's training steps (see :mod:`tapeviz.keras.training.gradient_watch`).

    Args:
        model: the model.
        begin: called with the names of the rows when the first gradients are seen.
        aside: runs the step on a batch in a way of its own, or gives None to have it run as usual.

    ``measured`` has the numbers of the last step by quantity, ``loss`` its loss. ``every`` says how rarely gradients
    are measured by now: 1 is each step.
    """

    def __init__(self, model: Any, begin: Callable[[list[str]], Any], aside: Callable[[Any], Any]) -> None:
        self._model = model
        self._begin = begin
        self._aside = aside
        self._rows: np.ndarray = np.empty(0, np.intp)
        self._names: list[str] = []
        self._known: Any = None
        self._sizes: np.ndarray = np.ones(1)
        self.measured: dict[str, Any] = {}
        self.loss: float | None = None
        self.every = 1
        self.wants_slow: Callable[[], bool] = lambda: True
        self._tick = 0
        self._slow = 0.0
        self.spent = 0.0
        self._since = self._stepped = perf_counter()
        self._inside = 0.0  # what measuring takes in the graph
        self._prices: deque[float] = deque(maxlen=_REMEMBERED)
        self._steps: deque[float] = deque(maxlen=_REMEMBERED)

    # In the step.

    def saw(self, variables: Sequence[Any], found: np.ndarray | None, loss: float | None) -> None:
        """Keep what was found, before anything is changed. StepStopped: the loss or a gradient is NaN."""
        began = perf_counter()
        self.loss = loss
        if found is not None:
            if self._known is not variables:
                self._meet(variables)
                began = perf_counter()  # once, and not in each step
            squares, zeros = found
            squares = np.bincount(self._rows, squares, len(self._names))
            self.measured = {
                "gradient": np.sqrt(squares),
                "zeros": np.bincount(self._rows, zeros, len(self._names)) / self._sizes,
                "nan": np.isnan(squares),
            }
            self._prices.append(perf_counter() - began + self._inside)
            self.spent += self._inside
        self.spent += perf_counter() - began + _CALL_SECONDS
        if loss is not None and not math.isfinite(loss):
            raise StepStopped(f"the loss is {'NaN' if math.isnan(loss) else 'infinite'}")
        if found is not None and math.isnan(found[0].sum()):
            raise StepStopped("the loss is a number, but gradients are NaN")

    def _meet(self, variables: Sequence[Any]) -> None:
        """Other variables than in the step before: the first step, or one of another trace."""
        names, rows = rows_of(self._model, variables)
        self._rows, self._known = np.array(rows, np.intp), variables
        self._sizes = np.maximum(np.bincount(self._rows, [math.prod(v.shape) for v in variables], len(names)), 1)
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
        began = perf_counter()
        self._steps.append(began - self._stepped)
        self._stepped = began
        self.measured, self.loss = {}, None
        self._tick += 1
        variables = self._known
        before = None
        if variables is not None and self.wants_slow() and self._slow <= _SLOW_SHARE * (began - self._since):
            before = [variable.numpy().copy() for variable in variables]
            self._pay_slow(began)
        logs = self._aside(data)
        if logs is None:
            logs = run(data, self.every == 1 or self._tick % self.every == 0)
        if before is not None:
            began = perf_counter()
            self.measured["update"] = self._updates(before)
            self._pay_slow(began)
        return logs

    def _pay_slow(self, began: float) -> None:
        seconds = perf_counter() - began
        self._slow += seconds
        self.spent += seconds

    def _updates(self, before: Sequence[np.ndarray]) -> np.ndarray:
        changes = [variable.numpy() - old for variable, old in zip(self._known, before, strict=True)]
        count = len(self._names)
        changed = np.bincount(self._rows, figures(np, *changes)[0], count)
        lengths = np.bincount(self._rows, figures(np, *before)[0], count)
        ratios: np.ndarray = np.sqrt(changed / np.where(lengths > 0, lengths, 1.0))
        return ratios

    # The price.

    def thin(self) -> None:
        """Say how rarely to measure, so that it takes no more of the time than it may."""
        if len(self._steps) < _FEWEST or len(self._prices) < _FEWEST:
            return
        share = statistics.median(self._prices) / max(statistics.median(self._steps), 1e-9)
        wanted = 1
        while share > _DEAR * wanted and wanted < _RARELY:
            wanted *= 2
        # Not back at once where it is close: that would change the picture all the time.
        if wanted > self.every or 4 * wanted <= self.every:
            self.every = wanted
