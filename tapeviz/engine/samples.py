"""Inputs for the registry's tests: each op's declaration says which of these suit it.

A sample is ``(inputs, attrs)``; inputs are NumPy arrays. A generator of samples takes a NumPy random generator, so that
every test sees the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = ["Sample", "Samples", "and_complex", "booleans", "cases", "floats", "integers", "pairs"]

Sample = tuple[tuple[np.ndarray, ...], dict[str, Any]]
Samples = Callable[["np.random.Generator"], list[Sample]]  # in quotes: NumPy loads numpy.random when it is named


def floats(low: float = -2.0, high: float = 2.0, **attrs: Any) -> Samples:
    """One float64 input, of ranks 0 to 3, uniform between ``low`` and ``high``."""
    return lambda rng: [((rng.uniform(low, high, shape),), dict(attrs)) for shape in ((), (3,), (2, 3), (2, 1, 3))]


def integers(low: int = -5, high: int = 6, **attrs: Any) -> Samples:
    """One int32 input, of ranks 0 to 2, from ``low`` up to but not including ``high``."""
    return lambda rng: [((rng.integers(low, high, s, dtype=np.int32),), dict(attrs)) for s in ((), (3,), (2, 3))]


def booleans() -> Samples:
    """One or two boolean inputs are built by :func:`cases`; this is one."""
    return lambda rng: [((rng.uniform(size=shape) < 0.5,), {}) for shape in ((), (3,), (2, 3))]  # noqa: PLR2004


_PAIRS = (((), ()), ((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 3), ()), ((1,), (2, 2)))


def pairs(low: float = -2.0, high: float = 2.0, *, dtype: Any = np.float64, apart: float = 0.0) -> Samples:
    """Two inputs, alike and broadcasting; ``apart`` keeps them that far from each other (for ops with a kink)."""

    def make(rng: np.random.Generator) -> list[Sample]:
        made: list[Sample] = []
        for first, second in _PAIRS:
            x = rng.uniform(low, high, first)
            y = rng.uniform(low, high, second)
            if apart:
                y = np.where(np.abs(x - y).min(initial=apart) < apart, y + 2.0 * apart + (high - low), y)
            made.append(((np.asarray(x, dtype), np.asarray(y, dtype)), {}))
        return made

    return make


def cases(*specs: tuple[Any, dict[str, Any]], low: float = -2.0, high: float = 2.0) -> Samples:
    """Given shapes and attributes: ``cases((((2, 3), (3,)), {"axis": 0}))``; a ready array stands for itself."""

    def make(rng: np.random.Generator) -> list[Sample]:
        return [
            (tuple(_array(item, rng, low, high) for item in _inputs(inputs)), dict(attrs)) for inputs, attrs in specs
        ]

    return make


def _inputs(inputs: Any) -> Iterable[Any]:
    return inputs if isinstance(inputs, list) or not _is_shape(inputs) else [inputs]


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(size, int) for size in value)


def _array(item: Any, rng: np.random.Generator, low: float, high: float) -> np.ndarray:
    return rng.uniform(low, high, item) if _is_shape(item) else np.asarray(item)


def and_complex(samples: Samples, first: int = 3) -> Samples:
    """These samples, then the first few of them again with an imaginary part."""

    def make(rng: np.random.Generator) -> list[Sample]:
        made = samples(rng)
        return [*made, *((tuple(_with_imaginary(x, rng) for x in inputs), attrs) for inputs, attrs in made[:first])]

    return make


def _with_imaginary(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x + 1j * rng.uniform(-1.0, 1.0, x.shape) if x.dtype.kind == "f" else x
