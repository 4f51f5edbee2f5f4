"""Convolutions and pooling by shape, forward and with gradients; and training steps that live on them or on attention.

`--threads 2` gives each library two; the time is then the wall's. PyTorch gets its arrays as its users have them
(channels first) and, in a row of its own, in its memory format with channels last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

import tapeviz as tf
from benchmarks import training_steps, transformer_steps
from benchmarks.harness import Goal, Race, Row, call
from benchmarks.peers import load

__all__ = ["races", "run"]

SUBJECT: Final = "convolutions"
_AS_FAST: Final = Goal(at_most=1.0, against="torch")

Work = Callable[[], Any]
Function = Callable[..., Any]


@dataclass(frozen=True)
class _Convolution:
    """Sizes of a convolution of square images with a square filter."""

    batch: int
    size: int
    channels: int
    outputs: int
    kernel: int = 3
    stride: int = 1
    padding: str = "SAME"
    groups: int = 1

    def __str__(self) -> str:
        filters = f"{self.kernel}x{self.kernel}x{self.channels // self.groups}x{self.outputs}"
        grouped = f", {self.groups} groups" if self.groups > 1 else ""
        images = f"{self.batch}x{self.size}x{self.size}x{self.channels}"
        return f"conv2d {images} with {filters}, {self.padding} / {self.stride}{grouped}"

    def images(self) -> np.ndarray:
        return _drawn(self.batch, self.size, self.size, self.channels)

    def filters(self) -> np.ndarray:
        return _drawn(self.kernel, self.kernel, self.channels // self.groups, self.outputs, seed=1)


_CONVOLUTIONS: Final = (
    _Convolution(32, 28, 1, 16, padding="VALID"),
    _Convolution(32, 28, 1, 32),
    _Convolution(32, 26, 16, 16, padding="VALID"),
    _Convolution(32, 28, 16, 32),
    _Convolution(32, 28, 16, 32, stride=2),
    _Convolution(8, 32, 64, 64),
    _Convolution(8, 32, 64, 128, stride=2),
    _Convolution(8, 16, 128, 128),
    _Convolution(8, 4, 512, 512),
    _Convolution(8, 32, 64, 64, kernel=1),
    _Convolution(8, 32, 64, 64, groups=4),
)
_IMAGES: Final = (32, 28, 28, 16)
_POOLINGS: Final = ((2, 2), (3, 2), (3, 1))  # size and stride


def _drawn(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype("f4")


class _Tapes:
    """The works in tapeviz and in TensorFlow: the same code."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def convolution(self, sizes: _Convolution) -> tuple[Function, list[Any]]:
        convolve, array = self.library.nn.conv2d, self.library.constant
        values = [array(sizes.images()), array(sizes.filters())]
        return lambda x, w: convolve(x, w, sizes.stride, sizes.padding), values

    def depthwise(self) -> tuple[Function, list[Any]]:
        convolve, array = self.library.nn.depthwise_conv2d, self.library.constant
        values = [array(_drawn(8, 32, 32, 64)), array(_drawn(3, 3, 64, 1, seed=1))]
        return lambda x, w: convolve(x, w, (1, 1, 1, 1), "SAME"), values

    def pooling(self, kind: str, size: int, stride: int) -> tuple[Function, list[Any]]:
        function = getattr(self.library.nn, f"{kind}_pool2d")
        return lambda x: function(x, size, stride, "VALID"), [self.library.constant(_drawn(*_IMAGES))]

    def gradient(self, function: Function, *values: Any) -> Work:
        ones = self.library.ones_like(function(*values))

        def work() -> Any:
            with self.library.GradientTape() as tape:
                tape.watch(values)
                y = function(*values)
            return tape.gradient(y, values, ones)

        return work


class _Torch:
    """The works in PyTorch, in its default memory format or with channels last."""

    def __init__(self, torch: Any, layout: str) -> None:
        self.library = torch
        self.layout = getattr(torch, layout)

    def _images(self, values: np.ndarray) -> Any:
        first = self.library.from_numpy(np.ascontiguousarray(np.moveaxis(values, -1, 1)))
        return first.to(memory_format=self.layout)

    def _filters(self, values: np.ndarray) -> Any:
        first = self.library.from_numpy(np.ascontiguousarray(np.transpose(values, (3, 2, 0, 1))))
        return first.to(memory_format=self.layout)

    def convolution(self, sizes: _Convolution) -> tuple[Function, list[Any]]:
        padding = sizes.kernel // 2 if sizes.padding == "SAME" else 0
        convolve = partial(self.library.nn.functional.conv2d, stride=sizes.stride, padding=padding, groups=sizes.groups)
        return convolve, [self._images(sizes.images()), self._filters(sizes.filters())]

    def depthwise(self) -> tuple[Function, list[Any]]:
        convolve = partial(self.library.nn.functional.conv2d, padding=1, groups=64)
        return convolve, [self._images(_drawn(8, 32, 32, 64)), self._filters(_drawn(3, 3, 1, 64, seed=1))]

    def pooling(self, kind: str, size: int, stride: int) -> tuple[Function, list[Any]]:
        function = getattr(self.library.nn.functional, f"{kind}_pool2d")
        return lambda x: function(x, size, stride), [self._images(_drawn(*_IMAGES))]

    def gradient(self, function: Function, *values: Any) -> Work:
        sources = [value.detach().clone().requires_grad_() for value in values]
        ones = self.library.ones_like(function(*sources))
        return lambda: self.library.autograd.grad(function(*sources), sources, ones)


def _works(of: Any) -> dict[str, Work]:
    """The works of a library by title."""
    works: dict[str, Work] = {}

    def add(title: str, made: tuple[Function, list[Any]]) -> None:
        function, values = made
        works[title] = partial(function, *values)
        works[f"{title}, with gradients"] = of.gradient(function, *values)

    for sizes in _CONVOLUTIONS:
        add(str(sizes), of.convolution(sizes))
    add("depthwise_conv2d 8x32x32x64 with 3x3", of.depthwise())
    for kind in ("max", "avg"):
        for size, stride in _POOLINGS:
            add(f"{kind}_pool2d of {size} / {stride}", of.pooling(kind, size, stride))
    return works


def races() -> list[Race]:
    """Return a race for each work."""
    ours = _works(_Tapes(tf))
    others: dict[str, dict[str, Work]] = {}
    if (torch := load("torch")) is not None:
        others["torch"] = _works(_Torch(torch, "contiguous_format"))
        others["torch, channels last"] = _works(_Torch(torch, "channels_last"))
    if (tensorflow := load("tensorflow")) is not None:
        others["tensorflow"] = _works(_Tapes(tensorflow))
    made = [
        _race(title, {title: work}, {name: of[title] for name, of in others.items()}) for title, work in ours.items()
    ]
    return [*made, *_steps()]


def _steps() -> list[Race]:
    """Training steps of models, eagerly."""
    made = []
    for make in (training_steps.convolutional, training_steps.flattened):
        title = f"{make.__name__} model, a step"
        made.append(_race(title, {title: make(tf)}, training_steps.eager_peers(make)))
    title = "transformer of 5 million parameters, a step of 8 x 64"
    return [*made, _race(title, {title: transformer_steps.ours()}, transformer_steps.peers())]


def _race(title: str, ours: dict[str, Work], peers: dict[str, Work]) -> Race:
    goals = {title: _AS_FAST} if "torch" in peers else {}
    samples = {name: call(work) for name, work in ours.items()}
    return Race(SUBJECT, samples, {name: call(work) for name, work in peers.items()}, goals)


def run() -> list[Row]:
    """Run all races."""
    return [row for race in races() for row in race.run()]
