"""Large arrays, whose time is memory and cores: elementwise ops, sums, rows, segments and optimizers.

`--threads 2` gives each library two; the time is then the wall's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks.harness import Goal, Race, Row, call
from benchmarks.peers import load

__all__ = ["races", "run"]

SUBJECT: Final = "large_arrays"
_COUNTS: Final = (100_000, 1_000_000)
_SQUARE: Final = (1000, 1000)
_TALL: Final = (20_000, 32)
_SEGMENTS: Final = 1000
_PARAMETERS: Final = 10_000_000
_AS_FAST: Final = Goal(at_most=1.0, against="torch")
_INDEXED: Final = Goal(at_most=1.2, against="torch")

Work = Callable[[], Any]
Function = Callable[..., Any]


def _drawn(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("f4")


_LABELS: Final = np.random.default_rng(1).integers(0, _SQUARE[1], _SQUARE[0])
_PLACES: Final = np.random.default_rng(2).integers(0, _SEGMENTS, _TALL[0])


class _Tapes:
    """The works in tapeviz and in TensorFlow: the same code."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.array: Function = library.constant
        self.relu: Function = library.nn.relu
        self.softmax: Function = library.nn.softmax
        self.log_softmax: Function = library.nn.log_softmax
        self.cross_entropy: Function = library.nn.sparse_softmax_cross_entropy_with_logits
        self.reductions: dict[str, Function] = {
            "sum": library.reduce_sum, "mean": library.reduce_mean, "max": library.reduce_max,
        }  # fmt: skip

    def half(self, x: Any) -> Any:
        return self.library.cast(x, "float16")

    def segments(self, rows: Any, places: Any) -> Any:
        return self.library.math.unsorted_segment_sum(rows, places, _SEGMENTS)

    def dot(self, x: Any, y: Any) -> Any:
        return self.library.tensordot(x, y, 1)

    def gradient(self, function: Function, *values: Any) -> Work:
        ones = self.library.ones_like(function(*values))

        def work() -> Any:
            with self.library.GradientTape() as tape:
                tape.watch(values)
                y = function(*values)
            return tape.gradient(y, values, ones)

        return work

    def step(self, name: str, options: dict[str, Any]) -> Work:
        w = self.library.Variable(_drawn(_PARAMETERS))
        pairs = [(self.array(_drawn(_PARAMETERS, seed=1)), w)]
        optimizer = getattr(self.library.keras.optimizers, name)(**options)
        return lambda: optimizer.apply_gradients(pairs)


class _Torch:
    """The works in PyTorch."""

    def __init__(self, torch: Any) -> None:
        self.library = torch
        functional = torch.nn.functional
        self.array: Function = torch.from_numpy
        self.relu: Function = torch.relu
        self.softmax: Function = partial(torch.softmax, dim=-1)
        self.log_softmax: Function = partial(torch.log_softmax, dim=-1)
        self.reductions: dict[str, Function] = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax}
        self.dot: Function = torch.dot
        self._cross_entropy: Function = partial(functional.cross_entropy, reduction="none")

    def cross_entropy(self, labels: Any, logits: Any) -> Any:
        return self._cross_entropy(logits, labels)

    def half(self, x: Any) -> Any:
        return x.to(self.library.float16)

    def segments(self, rows: Any, places: Any) -> Any:
        return self.library.zeros(_SEGMENTS, _TALL[1]).index_add(0, places, rows)

    def gradient(self, function: Function, *values: Any) -> Work:
        sources = [value.clone().requires_grad_() for value in values]
        ones = self.library.ones_like(function(*sources))
        return lambda: self.library.autograd.grad(function(*sources), sources, ones)

    def step(self, name: str, options: dict[str, Any]) -> Work:
        w = self.array(_drawn(_PARAMETERS)).requires_grad_()
        w.grad = self.array(_drawn(_PARAMETERS, seed=1))
        given = {{"learning_rate": "lr", "rho": "alpha"}.get(key, key): value for key, value in options.items()}
        optimizer = getattr(self.library.optim, name)([w], **given)
        return optimizer.step


def _works(of: Any) -> dict[str, Work]:
    """The works of a library by title."""
    works: dict[str, Work] = {}

    def add(title: str, function: Function, *values: Any) -> None:
        works[title] = partial(function, *values)
        works[f"{title}, with gradient"] = of.gradient(function, *values)

    for count in _COUNTS:
        _add_elementwise(of, count, add)
    square = of.array(_drawn(*_SQUARE))
    for name, reduce in of.reductions.items():
        add(f"{name} of all", partial(reduce, **_axis(of, None)), square)
        add(f"{name} of rows", partial(reduce, **_axis(of, 1)), square)
        add(f"{name} of columns", partial(reduce, **_axis(of, 0)), square)
    add("softmax", of.softmax, square)
    add("log_softmax", of.log_softmax, square)
    add("cross-entropy", partial(of.cross_entropy, of.array(_LABELS)), square)
    rows, places = of.array(_drawn(*_TALL)), of.array(_PLACES)
    add("segment sum", lambda rows: of.segments(rows, places), rows)
    works["gather"] = of.gradient(lambda rows: of.segments(rows, places), rows)
    works["Adam"] = of.step("Adam", {"learning_rate": 1e-3})
    works["SGD"] = of.step("SGD", {"learning_rate": 1e-3})
    works["SGD, momentum"] = of.step("SGD", {"learning_rate": 1e-3, "momentum": 0.9})
    works["RMSprop"] = of.step("RMSprop", {"learning_rate": 1e-3, "rho": 0.9})
    return works


def _axis(of: Any, axis: int | None) -> dict[str, Any]:
    name = "dim" if isinstance(of, _Torch) else "axis"
    return {name: () if axis is None and name == "dim" else axis}


def _add_elementwise(of: Any, count: int, add: Callable[..., None]) -> None:
    x, y = of.array(_drawn(count)), of.array(_drawn(count, seed=1))
    library, condition = of.library, of.array(_drawn(count) > 0)
    size = f"{count:,}"
    add(f"add, {size}", lambda x, y: x + y, x, y)
    add(f"multiply, {size}", lambda x, y: x * y, x, y)
    add(f"axpy, {size}", lambda x, y: 0.5 * x + y, x, y)
    add(f"exp, {size}", library.exp, x)
    add(f"tanh, {size}", library.tanh, x)
    add(f"relu, {size}", of.relu, x)
    add(f"maximum, {size}", library.maximum, x, y)
    add(f"where, {size}", lambda x, y: library.where(condition, x, y), x, y)
    add(f"cast, {size}", of.half, x)
    add(f"dot, {size}", of.dot, x, y)


def races() -> list[Race]:
    """Return a race for each work."""
    ours = _works(_Tapes(tf))
    others: dict[str, dict[str, Work]] = {}
    if (torch := load("torch")) is not None:
        others["torch"] = _works(_Torch(torch))
    if (tensorflow := load("tensorflow")) is not None:
        others["tensorflow"] = _works(_Tapes(tensorflow))
    return [
        Race(SUBJECT, {title: call(work)}, {name: call(works[title]) for name, works in others.items()}, _goals(title))
        for title, work in ours.items()
    ]


def _goals(title: str) -> dict[str, Goal]:
    return {title: _INDEXED if title.startswith(("segment", "gather")) else _AS_FAST} if load("torch") else {}


def run() -> list[Row]:
    """Run all races."""
    return [row for race in races() for row in race.run()]
