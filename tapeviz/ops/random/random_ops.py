"""The draws, as ops: each is a function of its seed, so that a recorded one can be had again on any device."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.ops.random.seeds import generator_of
from tapeviz.ops.static_shape_rules import drawn

__all__ = ["full_integers", "integers", "normal", "permutation", "truncated_normal", "uniform"]


def _shape_rule(*, shape: tuple[int, ...], dtype: Any, **_attrs: Any) -> Spec:
    for size in shape:
        if size < 0:
            raise InvalidArgumentError(f"Dimension {size} must be >= 0")
    return Spec(tuple(shape), np.dtype(dtype))


def _drawn_as(dtype: Any) -> Any:
    """The dtype that the generator draws in: it has no type of 16 bits."""
    return np.dtype(np.float32) if np.dtype(dtype).itemsize == 2 else dtype  # noqa: PLR2004 - bytes


_SAMPLES = cases(
    ([], {"shape": (2, 3), "dtype": np.dtype(np.float32), "seed": 7}),
    ([], {"shape": (), "dtype": np.dtype(np.float64), "seed": 8}),
    ([], {"shape": (0, 2), "dtype": np.dtype(np.float16), "seed": 9}),
)
_draw = partial(op, family="random", infer=_shape_rule, static=drawn, samples=_SAMPLES, effects="random")
_STEPS: Final = {"float16": 2**10, "bfloat16": 2**7}


def _evenly(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    """In short types on a grid whose numbers they have: rounding would give the limit, 1."""
    steps = _STEPS.get(np.dtype(dtype).name)
    if steps is None:
        return np.asarray(generator_of(seed).random(shape, dtype))
    return np.asarray(generator_of(seed).integers(0, steps, shape) / steps)


uniform: Op = _draw(
    "random_uniform",
    doc="Samples of the uniform distribution over 0 up to, not including, 1.",
    forward=lambda xp, *, shape, dtype, seed: xp.asarray(_evenly(shape, dtype, seed), dtype=dtype),
    formula=r"y_i \sim U(0, 1)",
)

normal: Op = _draw(
    "random_normal",
    doc="Samples of the standard normal distribution.",
    tf_name="RandomStandardNormal",
    forward=lambda xp, *, shape, dtype, seed: xp.asarray(
        np.asarray(generator_of(seed).standard_normal(shape, _drawn_as(dtype))), dtype=dtype
    ),
    formula=r"y_i \sim N(0, 1)",
)

_FARTHEST: Final = 2.0


def _truncated(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    generator = generator_of(seed)
    numbers = np.asarray(generator.standard_normal(shape, dtype))
    while (far := np.abs(numbers) > _FARTHEST).any():
        numbers[far] = generator.standard_normal(int(far.sum()), dtype)
    return numbers


truncated_normal: Op = _draw(
    "truncated_normal",
    doc="Samples of the standard normal distribution truncated at 2 standard deviations.",
    forward=lambda xp, *, shape, dtype, seed: xp.asarray(_truncated(shape, _drawn_as(dtype), seed), dtype=dtype),
    formula=r"y_i \sim N(0, 1),\; |y_i| \le 2",
)


def _integer_rule(*, shape: tuple[int, ...], low: int, high: int, dtype: Any, seed: int) -> Spec:
    if low >= high:
        raise InvalidArgumentError(f"Need minval < maxval, got {low} >= {high}")
    return _shape_rule(shape=shape, dtype=dtype)


integers = op(
    "random_uniform_int",
    doc="Integers drawn uniformly from a lower limit up to, not including, an upper one.",
    family="random",
    forward=lambda xp, *, shape, low, high, dtype, seed: xp.asarray(
        np.asarray(generator_of(seed).integers(low, high, shape, dtype)), dtype=dtype
    ),
    infer=_integer_rule,
    static=drawn,
    formula=r"y_i \sim U\{l, \dots, h - 1\}",
    samples=cases(([], {"shape": (2, 3), "low": -2, "high": 5, "dtype": np.dtype(np.int32), "seed": 7})),
    effects="random",
)


def _any_integers(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.asarray(generator_of(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True))


full_integers = op(
    "random_uniform_full_int",
    doc="Integers drawn uniformly from the whole range of the dtype.",
    family="random",
    forward=lambda xp, *, shape, dtype, seed: xp.asarray(_any_integers(shape, dtype, seed), dtype=dtype),
    infer=_shape_rule,
    static=drawn,
    formula=r"y_i \sim U\{y_{\min}, \dots, y_{\max}\}",
    samples=cases(
        ([], {"shape": (2, 3), "dtype": np.dtype(np.int32), "seed": 7}),
        ([], {"shape": (2,), "dtype": np.dtype(np.uint64), "seed": 7}),
    ),
    effects="random",
)

permutation = op(
    "random_permutation",
    doc="A random permutation of the integers from 0 to n - 1.",
    family="random",
    forward=lambda xp, *, n, seed: xp.asarray(generator_of(seed).permutation(n)),
    infer=lambda *, n, seed: Spec((n,), np.dtype(np.int64)),
    formula=r"y = \pi(0, \dots, n - 1)",
    samples=cases(([], {"n": 5, "seed": 7})),
    effects="random",
)
