"""Measuring the gradients of each layer in the step itself, at a price that is watched."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from tapeviz.keras.training.gradient_watch import StepStopped

__all__ = ["GradientMeter", "rows_of"]

_CALL_SECONDS: Final = 6e-6  # what it takes for a graph to call us, which we cannot see from here
_DEAR: Final = 0.025  # of the time: from here on measuring is made rarer; the rest of 5 % is for what is shown
_LOOK_EVERY: Final = 32  # steps between two looks at the price
_RARELY: Final = 4096
_SLOW_SHARE: Final = 0.01  # of the time, for what takes a pass over all weights


def rows_of(model: Any, variables: Sequence[Any], most: int = 48) -> tuple[list[str], np.ndarray]:
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
    places = np.array([rows.index(name) // each for name in names])
    return labels, places


def _shared(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"


class GradientMeter:
    """A watch of a model's training steps (see :mod:`tapeviz.keras.training.gradient_watch`).

    Args:
        model: the model.
        begin: called with the names of the rows when the first gradients are seen.
        aside: runs a step in a way of its own, or gives None to have it run as usual.

    ``measured`` has the numbers of the last step by quantity, ``loss`` its loss. ``every`` says how rarely gradients are
    measured by now: 1 is each step.
    """

    def __init__(
        self, model: Any, begin: Callable[[list[str]], Any], aside: Callable[[Callable[[Any], Any], Any], Any]
    ) -> None:
        self._model = model
        self._begin = begin
        self._aside = aside
        self._rows: np.ndarray | None = None
        self._names: list[str] = []
        self._known: Any = None
        self.measured: dict[str, Any] = {}
        self.loss: float | None = None
        self.every = 1
        self.wants_slow: Callable[[], bool] = lambda: True
        self.is_off = False  # while a step is run again
        self._tick = 0
        self._before: list[np.ndarray] = []
        self._slow = 0.0
        self.spent = 0.0
        self._since = self._looked = perf_counter()
        self._spent_then = 0.0
        self._sizes: np.ndarray = np.ones(1)

    # In the step.

    def gradients(self, variables: Sequence[Any], tensors: Sequence[Any], loss: Any) -> None:
        """Measure, before anything is changed. StepStopped: the loss or a gradient is NaN."""
        if self.is_off:
            return
        began = perf_counter()
        self.loss = None if loss is None else float(loss)
        if self._known is not variables:
            self._meet(variables)
        self._tick += 1
        is_bad = self.loss is not None and not math.isfinite(self.loss)
        if is_bad or self._tick % self.every == 0:
            self._measure(tensors)
        self.spent += perf_counter() - began + _CALL_SECONDS
        if is_bad:
            raise StepStopped(f"the loss is {_named(self.loss)}")
        if np.isnan(self.measured.get("gradient", 0.0)).any():
            raise StepStopped("the loss is a number, but gradients are NaN")

    def _meet(self, variables: Sequence[Any]) -> None:
        """Other variables than in the step before: the first step, or one of another trace."""
        names, self._rows = rows_of(self._model, variables)
        self._known = variables
        self._sizes = np.bincount(self._rows, [math.prod(variable.shape) for variable in variables])
        if names != self._names:
            self._names = names
            self._begin(names)

    def _measure(self, tensors: Sequence[Any]) -> None:
        rows: Any = self._rows
        squares = np.zeros(len(self._names))
        for row, tensor in zip(rows, tensors, strict=True):
            squares[row] += _square(tensor._a)
        self.measured = {"gradient": np.sqrt(squares)}
        if self._before:
            zeros = np.zeros(len(squares))
            for row, tensor in zip(rows, tensors, strict=True):
                zeros[row] += tensor._a.size - int((tensor._a != 0).sum())
            self.measured["zeros"] = zeros / self._sizes
        if np.isnan(squares).any():
            self.measured["nan"] = self._nans(tensors)

    def _nans(self, tensors: Sequence[Any]) -> np.ndarray:
        found = np.zeros(len(self._names))
        for row, tensor in zip(self._rows if self._rows is not None else (), tensors, strict=True):
            found[row] += int((tensor._a != tensor._a).sum())
        shares: np.ndarray = found / self._sizes
        return shares

    # Around the step.

    def step(self, run: Callable[[Any], Any], data: Any) -> Any:
        """Run a step, and measure how far it has changed the weights, where there is time for that."""
        self.measured, self.loss = {}, None
        began = perf_counter()
        variables = self._known
        slow = variables is not None and self.wants_slow() and self._has_time(began)
        self._before = [variable.numpy().copy() for variable in variables] if slow else []
        self._add_slow(began, slow=slow)
        found = self._aside(run)
        logs = run(data) if found is None else found
        if self._before:
            began = perf_counter()
            self.measured["update"] = self._updates()
            self.measured.setdefault("nan", np.zeros(len(self._names)))
            self._add_slow(began, slow=True)
        return logs

    def _add_slow(self, began: float, *, slow: bool) -> None:
        seconds = perf_counter() - began
        self.spent += seconds
        self._slow += seconds if slow else 0.0

    def _has_time(self, now: float) -> bool:
        return self._slow <= _SLOW_SHARE * (now - self._since)

    def _updates(self) -> np.ndarray:
        changes, lengths = np.zeros(len(self._names)), np.zeros(len(self._names))
        for row, variable, before in zip(self._rows if self._rows is not None else (), self._known, self._before,
                                         strict=True):  # fmt: skip
            lengths[row] += _square(before)
            changes[row] += _square(variable.numpy() - before)
        ratios: np.ndarray = np.sqrt(changes / np.where(lengths > 0, lengths, 1.0))
        return ratios

    # The price.

    def thin(self, now: float) -> bool:
        """Make measuring rarer where it takes too much of the time. Whether anything was changed."""
        if self._tick < _LOOK_EVERY or now - self._looked < 0.1:  # noqa: PLR2004 - seconds, for a fair price
            return False
        share = (self.spent - self._spent_then) / (now - self._looked)
        self._looked, self._spent_then = now, self.spent
        if share <= _DEAR or self.every >= _RARELY:
            return False
        self.every *= 2
        return True


def _square(array: Any) -> float:
    """The sum of squares, in the array's own precision unless that is too small for it."""
    if array.dtype.itemsize < 4:  # noqa: PLR2004 - bytes: half precision
        array = array.astype(np.float32)
    flat = array.reshape(-1)
    found = float(flat.dot(flat))
    if found in (0.0, math.inf):
        flat = flat.astype(np.float64)
        found = float(flat.dot(flat))
    return found


def _named(loss: float | None) -> str:
    return "NaN" if loss is None or math.isnan(loss) else "infinite"
