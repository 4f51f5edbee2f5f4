"""Ops whose time is their arithmetic: convolution, pooling, adding rows at positions; forward, and with gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks.harness import Race, Row, Sample, call
from benchmarks.peers import load

__all__ = ["races", "run"]

SUBJECT: Final = "large"
_IMAGES: Final = (32, 28, 28, 16)
_FILTERS: Final = (3, 3, 16, 32)
_ROWS: Final = 20_000
_WIDTH: Final = 32
_PLACES: Final = 1000

Work = dict[str, Callable[[], Any]]


def _drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype("f4")


def _positions() -> np.ndarray:
    return np.random.default_rng(1).integers(0, _PLACES, _ROWS, dtype=np.int32)


def _with_tape(library: Any, function: Callable[..., Any], *values: Any) -> Callable[[], Any]:
    """Return the function's value and gradients: the same code for tapeviz and TensorFlow."""

    def work() -> Any:
        with library.GradientTape() as tape:
            tape.watch(values)
            y = function(*values)
        return tape.gradient(y, values)

    return work


def _tape_work(library: Any) -> Work:
    x, w = library.constant(_drawn(*_IMAGES)), library.constant(_drawn(*_FILTERS))
    rows, places = library.constant(_drawn(_ROWS, _WIDTH)), library.constant(_positions())
    table, indices = library.zeros([_PLACES, _WIDTH]), library.reshape(places, [_ROWS, 1])

    def convolve(x: Any, w: Any) -> Any:
        return library.nn.conv2d(x, w, 1, "SAME")

    def pool(x: Any) -> Any:
        return library.nn.max_pool2d(x, 2, 2, "VALID")

    return {
        "conv2d": lambda: convolve(x, w),
        "conv2d and gradients": _with_tape(library, convolve, x, w),
        "max_pool2d": lambda: pool(x),
        "max_pool2d and gradient": _with_tape(library, pool, x),
        "unsorted_segment_sum": lambda: library.math.unsorted_segment_sum(rows, places, _PLACES),
        "tensor_scatter_nd_add": lambda: library.tensor_scatter_nd_add(table, indices, rows),
    }


def _torch_work(torch: Any) -> Work:
    # Channels come first there.
    x = torch.from_numpy(np.ascontiguousarray(np.moveaxis(_drawn(*_IMAGES), -1, 1)))
    w = torch.from_numpy(np.ascontiguousarray(np.transpose(_drawn(*_FILTERS), (3, 2, 0, 1))))
    rows, places = torch.from_numpy(_drawn(_ROWS, _WIDTH)), torch.from_numpy(_positions().astype(np.int64))
    table = torch.zeros(_PLACES, _WIDTH)
    functional = torch.nn.functional

    def convolve(x: Any, w: Any) -> Any:
        return functional.conv2d(x, w, padding=1)

    def pool(x: Any) -> Any:
        return functional.max_pool2d(x, 2)

    def with_gradients(function: Callable[..., Any], *values: Any) -> Callable[[], Any]:
        sources = [value.clone().requires_grad_() for value in values]
        ones = torch.ones_like(function(*values))
        return lambda: torch.autograd.grad(function(*sources), sources, ones)

    return {
        "conv2d": lambda: convolve(x, w),
        "conv2d and gradients": with_gradients(convolve, x, w),
        "max_pool2d": lambda: pool(x),
        "max_pool2d and gradient": with_gradients(pool, x),
        "unsorted_segment_sum": lambda: torch.zeros(_PLACES, _WIDTH).index_add_(0, places, rows),
        "tensor_scatter_nd_add": lambda: table.index_add(0, places, rows),
    }


def races() -> list[Race]:
    """Return a race for each op."""
    others: dict[str, Work] = {}
    if (torch := load("torch")) is not None:
        others["torch"] = _torch_work(torch)
    if (tensorflow := load("tensorflow")) is not None:
        others["tensorflow"] = _tape_work(tensorflow)
    made = []
    for title, work in _tape_work(tf).items():
        samples: dict[str, Sample] = {library: call(works[title]) for library, works in others.items()}
        made.append(Race(SUBJECT, {title: call(work)}, samples))
    return made


def run() -> list[Row]:
    """Run all races."""
    return [row for race in races() for row in race.run()]
