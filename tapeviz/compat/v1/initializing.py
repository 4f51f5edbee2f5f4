"""What new variables begin with: callables that take a shape and a dtype."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tapeviz.compat.v1.calling import in_graph
from tapeviz.engine.convert import constant
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import as_dimensions
from tapeviz.ops import creation, random_numbers

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "Identity", "Initializer", "Ones", "RandomNormal", "RandomUniform",
    "TruncatedNormal", "VarianceScaling", "Zeros",
]  # fmt: skip

_normal: Final = in_graph(random_numbers.normal, "random_normal")
_uniform: Final = in_graph(random_numbers.uniform, "random_uniform")
_truncated: Final = in_graph(random_numbers.truncated_normal)
_constant: Final = in_graph(constant)
_eye: Final = in_graph(creation.eye)
# The standard deviation of a normal distribution cut off at two of its own.
_CUT: Final = 0.87962566103423978


class Initializer:
    """Called with a shape (and a dtype, that of its own by default) it gives the tensor to begin with."""

    def __init__(self, dtype: Any = "float32") -> None:
        self.dtype = as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """The tensor."""
        return self.made(as_dimensions(shape), self.dtype if dtype is None else as_dtype(dtype))

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        raise NotImplementedError


class Constant(Initializer):
    """One number everywhere, or the numbers of a list."""

    def __init__(self, value: Any = 0, dtype: Any = "float32", verify_shape: bool = False) -> None:
        super().__init__(dtype)
        self.value = value

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        return _constant(self.value, dtype=dtype, shape=shape)


class Zeros(Constant):
    """Zeros."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__(0, dtype)

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        zero = b"" if dtype.name == "string" else False if dtype.name == "bool" else 0
        return _constant(zero, dtype=dtype, shape=shape)


class Ones(Constant):
    """Ones."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__(1, dtype)


class Identity(Initializer):
    """The identity matrix, times ``gain``."""

    def __init__(self, gain: float = 1.0, dtype: Any = "float32") -> None:
        super().__init__(dtype)
        self.gain = gain

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        if len(shape) != 2:  # noqa: PLR2004 - a matrix
            raise ValueError("Identity matrix initializer can only be used for 2D matrices.")
        return _constant(np.eye(*shape) * self.gain, dtype=dtype)


class RandomNormal(Initializer):
    """Numbers of a normal distribution."""

    draw: Callable[..., Any] = staticmethod(_normal)

    def __init__(self, mean: float = 0.0, stddev: float = 1.0, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(dtype)
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        return self.draw(shape, self.mean, self.stddev, dtype, seed=self.seed)


class TruncatedNormal(RandomNormal):
    """Numbers of a normal distribution, none further than two standard deviations from the mean."""

    draw = staticmethod(_truncated)


class RandomUniform(Initializer):
    """Numbers between two bounds, all alike in probability."""

    def __init__(
        self, minval: float = 0.0, maxval: float | None = None, seed: Any = None, dtype: Any = "float32"
    ) -> None:
        super().__init__(dtype)
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        most = 1 if self.maxval is None and not dtype.is_integer else self.maxval
        return _uniform(shape, self.minval, most, dtype, seed=self.seed)


class VarianceScaling(Initializer):
    """Random numbers whose variance is ``scale`` by the number of a layer's inputs, outputs or their mean.

    Args:
        scale: the factor.
        mode: ``fan_in``, ``fan_out`` or ``fan_avg``: what to divide by.
        distribution: ``truncated_normal`` (or ``normal``), ``untruncated_normal`` or ``uniform``.
        seed: for numbers that can be had again.
        dtype: the dtype unless one is given.

    Raises:
        ValueError: an argument is none of these.
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal", seed: Any = None,
        dtype: Any = "float32",
    ) -> None:  # fmt: skip
        super().__init__(dtype)
        if scale <= 0.0:
            raise ValueError("Argument `scale` must be a positive float.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError("Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg')")
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"Argument `distribution` is unknown: {distribution!r}")
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    def made(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """The tensor of that shape and dtype."""
        inputs, outputs = _fans(shape)
        by = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        variance = self.scale / max(1.0, by)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return _uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return _normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        return _truncated(shape, 0.0, math.sqrt(variance) / _CUT, dtype, seed=self.seed)


class GlorotUniform(VarianceScaling):
    """Uniform numbers of a variance that keeps signals of one size through layers."""

    def __init__(self, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Normal numbers of a variance that keeps signals of one size through layers."""

    def __init__(self, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def _fans(shape: tuple[int, ...]) -> tuple[float, float]:
    """How many inputs and outputs a layer with weights of this shape has."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field
