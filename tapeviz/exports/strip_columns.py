"""Layers x steps in so many columns, however many steps there are: the numbers behind a strip."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

__all__ = ["QUANTITIES", "StripColumns"]

QUANTITIES: Final[dict[str, dict[str, Any]]] = {
    "gradient": {"title": "gradient norm", "low": 1e-6, "high": 1e2, "log": True},
    "zeros": {"title": "zeros in the gradient", "low": 0.0, "high": 1.0, "log": False},
    "update": {"title": "update / weight", "low": 1e-6, "high": 1.0, "log": True},
    "nan": {"title": "layers with NaN", "low": 0.0, "high": 1.0, "log": False},
    "spread": {"title": "activation spread", "low": 1e-4, "high": 1e2, "log": True},
}
"""What is measured of a layer, and the fixed range that its colours are for, so that pictures compare."""

UNKNOWN, ZERO, FIRST, LAST, INFINITE, NOT_A_NUMBER = 0, 1, 2, 253, 254, 255
"""What a byte of a strip says: not measured, exactly 0, a place in the range from 2 to 253, infinite, NaN."""

_UNMEASURED: Final = -1.0  # below all that is measured, so that a maximum takes what there is, and NaN over all


class StripColumns:
    """What was measured of each layer at each step, in a fixed number of columns.

    A column stands for one step at first. When all columns are taken, neighbours are merged: each then stands for twice
    as many. A column has the largest value of its steps, NaN where one was NaN, and the mean of their losses.

    Args:
        rows: the names of the layers.
        columns: how many columns there are, an even number.

    >>> strip = StripColumns(["dense"], columns=4)
    >>> for step in range(6):
    ...     strip.add({"gradient": [float(step)]}, loss=1.0)
    >>> strip.stride, strip.values("gradient").tolist()
    (2, [[1.0, 3.0, 5.0]])
    """

    def __init__(self, rows: Sequence[str], columns: int = 480) -> None:
        self.rows: list[str] = list(rows)
        self.stride: int = 1
        self._steps = 0
        self._waiting: list[float] = []
        self.add_loss: Any = self._waiting.append
        """``add_loss(loss)``: the same as ``add`` for a step of which only the loss is known; nothing else is done."""
        self._columns = columns
        self._all = np.full((len(QUANTITIES), len(self.rows), columns), _UNMEASURED, np.float32)
        self._values = dict(zip(QUANTITIES, self._all, strict=True))
        self._loss = np.zeros(columns)
        self._losses = np.zeros(columns, np.int64)
        self._metrics: dict[str, np.ndarray] = {}

    @property
    def steps(self) -> int:
        """How many steps have been taken in."""
        return self._steps + len(self._waiting)

    @property
    def used(self) -> int:
        """How many columns have been begun."""
        self._settle()
        return -(-self.steps // self.stride)

    def add(self, measured: Mapping[str, Any], loss: float | None = None, figures: np.ndarray | None = None) -> None:
        """Take a step in.

        Args:
            measured: by quantity, a number for each row; what was not measured is left out.
            loss: the loss of the step.
            figures: the first two quantities at once, as two rows: gradients' norms and shares of zeros.
        """
        if self._waiting:
            self._settle()
        column = self._next()
        self._steps += 1
        if figures is not None:
            both = self._all[:2, :, column]
            np.maximum(both, figures, out=both)
        for name, numbers in measured.items():
            column_of = self._values[name][:, column]
            np.maximum(column_of, numbers, out=column_of)
        if loss is not None:
            self._loss[column] += loss
            self._losses[column] += 1

    def add_rows(self, names: Sequence[str]) -> None:
        """Further layers have been seen, of which nothing was measured before."""
        new = [name for name in names if name not in self.rows]
        if new:
            self.rows += new
            rows = np.full((len(QUANTITIES), len(new), self._columns), _UNMEASURED, np.float32)
            self._all = np.concatenate([self._all, rows], axis=1)
            self._values = dict(zip(QUANTITIES, self._all, strict=True))

    def add_metrics(self, metrics: Mapping[str, float]) -> None:
        """What is known of the last step besides its loss; a column has the latest."""
        self._settle()
        column = max(self._steps - 1, 0) // self.stride
        for name, value in metrics.items():
            known = self._metrics.get(name)
            if known is None:
                known = self._metrics[name] = np.full(self._columns, np.nan, np.float32)
            known[column] = value

    def latest(self) -> dict[str, float]:
        """The loss and the other numbers as they were last."""
        found = {"loss": self.losses, **{name: of[: self.used] for name, of in self._metrics.items()}}
        known = {name: of[~np.isnan(of)] for name, of in found.items()}
        return {name: float(of[-1]) for name, of in known.items() if of.size}

    def _next(self) -> int:
        """The column of the next step."""
        column = self._steps // self.stride
        if column == self._columns:
            self._merge()
            column = self._steps // self.stride
        return column

    def _settle(self) -> None:
        """Take in the losses that wait, a column's at a time."""
        waiting, at = self._waiting[:], 0
        self._waiting.clear()  # the same list stays
        while at < len(waiting):
            column = self._next()
            count = min(self.stride - self._steps % self.stride, len(waiting) - at)
            self._loss[column] += math.fsum(waiting[at : at + count])
            self._losses[column] += count
            self._steps += count
            at += count

    @property
    def is_new_column(self) -> bool:
        """Whether the next step is the first one of a column."""
        self._settle()
        return self.steps % self.stride == 0

    def _merge(self) -> None:
        half = self._columns // 2
        self.stride *= 2
        self._all[..., :half] = np.maximum(self._all[..., 0::2], self._all[..., 1::2])
        self._all[..., half:] = _UNMEASURED
        for sums in (self._loss, self._losses):
            sums[:half] = sums[0::2] + sums[1::2]
            sums[half:] = 0
        for latest in self._metrics.values():
            latest[:half] = np.where(np.isnan(latest[1::2]), latest[0::2], latest[1::2])
            latest[half:] = np.nan

    def values(self, quantity: str) -> np.ndarray:
        """What was measured: a row for each layer, -1 where it was not."""
        return self._values[quantity][:, : self.used]

    @property
    def losses(self) -> np.ndarray:
        """The mean loss of each column; NaN where there was none, or one was NaN."""
        used = slice(0, self.used)
        with np.errstate(invalid="ignore", divide="ignore"):
            means: np.ndarray = (self._loss[used] / self._losses[used]).astype(np.float32)
        return means

    def words(self) -> dict[str, str]:
        """What shouts, by layer: of the last gradient measured that it is NaN, all zeros, too small or too large."""
        found = {}
        for name, of in zip(self.rows, self.values("gradient"), strict=True):
            measured = of[of != _UNMEASURED]
            if measured.size and (word := _word(float(measured[-1]))):
                found[name] = word
        return found

    def payload(self) -> dict[str, Any]:
        """All of it as what a page draws from: JSON, with arrays as base64."""
        codes = {name: coded(self.values(name), scale) for name, scale in QUANTITIES.items()}
        return {
            "rows": self.rows,
            "stride": self.stride,
            "steps": self.steps,
            "scales": {name: QUANTITIES[name] for name, found in codes.items() if found.any()},
            "quantities": {name: _text(found) for name, found in codes.items() if found.any()},
            "words": self.words(),
            "loss": _text(_held(self.losses, self._losses[: self.used] > 0)),
            "metrics": {
                name: _text(_held(of[: self.used], ~np.isnan(of[: self.used]))) for name, of in self._metrics.items()
            },
        }


def _word(norm: float) -> str:
    scale = QUANTITIES["gradient"]
    if np.isnan(norm):
        return "NaN"
    if norm == 0:
        return "all zero"
    return "vanishing" if norm <= scale["low"] else "exploding" if norm >= scale["high"] else ""


def coded(values: np.ndarray, scale: Mapping[str, Any]) -> np.ndarray:
    """Each value as a byte: its place in the range of its colours, or what it is instead of a number in it.

    >>> coded(np.array([-1.0, 0.0, 1e-6, 1e2, np.inf, np.nan]), QUANTITIES["gradient"])
    array([  0,   1,   2, 253, 254, 255], dtype=uint8)
    """
    low, high = scale["low"], scale["high"]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if scale["log"]:
            places = (np.log10(values) - np.log10(low)) / (np.log10(high) - np.log10(low))
        else:
            places = (values - low) / (high - low)
        found = FIRST + np.clip(np.nan_to_num(places), 0.0, 1.0) * (LAST - FIRST)
    codes: np.ndarray = np.round(found).astype(np.uint8)
    codes[values == 0] = ZERO
    codes[values < 0] = UNKNOWN
    codes[np.isposinf(values)] = INFINITE
    codes[np.isnan(values)] = NOT_A_NUMBER
    return codes


def _held(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The values, each held until the next that is known; -inf before the first."""
    last = np.maximum.accumulate(np.where(known, np.arange(len(values)), -1))
    return np.where(last >= 0, values[last], -np.inf).astype("<f4") if len(values) else values.astype("<f4")


def _text(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
