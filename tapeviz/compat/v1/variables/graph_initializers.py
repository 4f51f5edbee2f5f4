"""What new variables begin with: Keras' initializers with a dtype of their own, whose draws are nodes of the graph."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.compat.v1.graph.graph_functions import in_graph
from tapeviz.engine.conversion import constant
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.shapes import as_dimensions
from tapeviz.keras.initializers import constants, random_initializers
from tapeviz.keras.initializers import initializer as common
from tapeviz.ops.random import random_numbers

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "Identity", "Initializer", "Ones", "RandomNormal", "RandomUniform",
    "TruncatedNormal", "VarianceScaling", "Zeros",
]  # fmt: skip

_normal: Final = in_graph(random_numbers.normal, "random_normal")
_uniform: Final = in_graph(random_numbers.uniform, "random_uniform")
_truncated: Final = in_graph(random_numbers.truncated_normal)
_constant: Final = in_graph(constant)


class Initializer(common.Initializer):
    """Called with a shape (and a dtype, that of its own by default) it gives the tensor to begin with."""

    dtype: Any = as_dtype("float32")

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """The tensor."""
        return self.made(as_dimensions(shape), self.dtype if dtype is None else as_dtype(dtype))

    def get_config(self) -> dict[str, Any]:
        """The arguments with which it was made."""
        return {**super().get_config(), "dtype": self.dtype.name}

    def _constant(self, value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        return _constant(value, dtype=dtype, shape=shape)


class _Random(Initializer, common.RandomInitializer):
    """One that draws: each call other numbers, which with a seed come again when the program runs again."""

    def _given(self, seed: Any, dtype: Any) -> None:
        self.seed: Any
        self.dtype: Any
        self.seed, self.dtype = seed, as_dtype(dtype)

    def _normal(self, shape: tuple[int, ...], mean: float, stddev: float, dtype: Any) -> Any:
        return _normal(shape, mean, stddev, dtype, seed=self.seed)

    def _truncated(self, shape: tuple[int, ...], mean: float, stddev: float, dtype: Any) -> Any:
        return _truncated(shape, mean, stddev, dtype, seed=self.seed)

    def _uniform(self, shape: tuple[int, ...], minval: Any, maxval: Any, dtype: Any) -> Any:
        return _uniform(shape, minval, maxval, dtype, seed=self.seed)


class Constant(Initializer, constants.Constant):
    """One number everywhere, or the numbers of a list."""

    def __init__(self, value: Any = 0, dtype: Any = "float32", verify_shape: bool = False) -> None:
        super().__init__(value)
        self.dtype: Any = as_dtype(dtype)


class Zeros(Initializer, constants.Zeros):
    """Zeros."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self.dtype: Any = as_dtype(dtype)


class Ones(Initializer, constants.Ones):
    """Ones."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self.dtype: Any = as_dtype(dtype)


class Identity(Initializer, constants.Identity):
    """The identity matrix, times ``gain``."""

    def __init__(self, gain: float = 1.0, dtype: Any = "float32") -> None:
        super().__init__(gain)
        self.dtype: Any = as_dtype(dtype)


class RandomNormal(_Random, random_initializers.RandomNormal):
    """Numbers of a normal distribution."""

    def __init__(self, mean: float = 0.0, stddev: float = 1.0, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(mean, stddev)
        self._given(seed, dtype)


class TruncatedNormal(_Random, random_initializers.TruncatedNormal):
    """Numbers of a normal distribution, none further than two standard deviations from the mean."""

    def __init__(self, mean: float = 0.0, stddev: float = 1.0, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(mean, stddev)
        self._given(seed, dtype)


class RandomUniform(_Random, random_initializers.RandomUniform):
    """Numbers between two bounds, all alike in probability."""

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(minval, 1 if maxval is None and not as_dtype(dtype).is_integer else maxval)
        self._given(seed, dtype)


class VarianceScaling(_Random, random_initializers.VarianceScaling):
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
        super().__init__(scale, mode, distribution)
        self._given(seed, dtype)


class GlorotUniform(VarianceScaling):
    """Uniform numbers of a variance that keeps signals of one size through layers."""

    def __init__(self, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """Normal numbers of a variance that keeps signals of one size through layers."""

    def __init__(self, seed: Any = None, dtype: Any = "float32") -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)
