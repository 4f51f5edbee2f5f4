# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor
from tapeviz.ops.random.candidates import SampledCandidates as _SampledCandidates
from tapeviz.ops.random.generators import Generator
from tapeviz.ops.random.stateless import Algorithm

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "fold_in",
    "gamma",
    "get_global_generator",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]

def all_candidate_sampler(
    true_classes: _TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> _SampledCandidates:
    """All classes from 0 up to, not including, ``num_sampled``, each to be expected once: for tests of a loss."""

def categorical(
    logits: _TensorLike,
    num_samples: _TensorLike,
    dtype: _DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Samples of the categorical distribution of each row of logits."""

def create_rng_state(seed: _Any, alg: _TensorLike) -> _Tensor:
    """The state of a generator for a seed: a counter, then a key."""

def fold_in(seed: _Any, data: _Any, alg: _TensorLike = "auto_select") -> _Tensor:
    """A new seed out of one and a number, such as that of a step."""

def gamma(
    shape: _ShapeLike,
    alpha: _TensorLike,
    beta: _TensorLike | None = None,
    dtype: _DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Samples of the gamma distribution, with gradients for its parameters."""

def get_global_generator() -> Generator:
    """The generator that belongs to the whole program; made on first use."""

def log_uniform_candidate_sampler(
    true_classes: _TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> _SampledCandidates:
    """Classes drawn by Zipf's law: class k with a probability as ``log((k + 2) / (k + 1))``."""

def normal(
    shape: _ShapeLike,
    mean: _TensorLike = 0.0,
    stddev: _TensorLike = 1.0,
    dtype: _DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Samples of the normal distribution."""

def poisson(
    shape: _ShapeLike, lam: _TensorLike, dtype: _DTypeLike = "float32", seed: int | None = None, name: str | None = None
) -> _Tensor:
    """Samples of the Poisson distribution."""

def set_global_generator(generator: Generator) -> None:
    """Make ``generator`` the one of the whole program."""

def set_seed(seed: _Any) -> None:
    """Make the random numbers from here on repeatable."""

def shuffle(value: _TensorLike, seed: int | None = None, name: str | None = None) -> _Tensor:
    """The slices of ``value`` along its first axis in random order."""

def split(seed: _Any, num: int = 2, alg: _TensorLike = "auto_select") -> _Tensor:
    """So many new seeds out of one: a row each."""

def stateless_binomial(
    shape: _ShapeLike,
    seed: _Any,
    counts: _TensorLike,
    probs: _TensorLike,
    output_dtype: _DTypeLike = "int32",
    name: str | None = None,
) -> _Tensor:
    """Samples of the binomial distribution: always the same for the same seed."""

def stateless_categorical(
    logits: _TensorLike, num_samples: _TensorLike, seed: _Any, dtype: _DTypeLike = "int64", name: str | None = None
) -> _Tensor:
    """Samples of the categorical distribution of each row of logits: always the same for the same seed."""

def stateless_gamma(
    shape: _ShapeLike,
    seed: _Any,
    alpha: _TensorLike,
    beta: _TensorLike | None = None,
    dtype: _DTypeLike = "float32",
    name: str | None = None,
) -> _Tensor:
    """Samples of the gamma distribution, with gradients for its parameters: always the same for the same seed."""

def stateless_normal(
    shape: _ShapeLike,
    seed: _Any,
    mean: _TensorLike = 0.0,
    stddev: _TensorLike = 1.0,
    dtype: _DTypeLike = "float32",
    name: str | None = None,
    alg: _TensorLike = "auto_select",
) -> _Tensor:
    """Samples of the normal distribution: always the same for the same seed."""

def stateless_parameterized_truncated_normal(
    shape: _ShapeLike,
    seed: _Any,
    means: _TensorLike = 0.0,
    stddevs: _TensorLike = 1.0,
    minvals: _TensorLike = -2.0,
    maxvals: _TensorLike = 2.0,
    name: str | None = None,
) -> _Tensor:
    """Samples of a normal distribution truncated to an interval: the same for the same seed."""

def stateless_poisson(
    shape: _ShapeLike, seed: _Any, lam: _TensorLike, dtype: _DTypeLike = "int32", name: str | None = None
) -> _Tensor:
    """Samples of the Poisson distribution: always the same for the same seed."""

def stateless_truncated_normal(
    shape: _ShapeLike,
    seed: _Any,
    mean: _TensorLike = 0.0,
    stddev: _TensorLike = 1.0,
    dtype: _DTypeLike = "float32",
    name: str | None = None,
    alg: _TensorLike = "auto_select",
) -> _Tensor:
    """Samples of the normal distribution, truncated at two ``stddev``. Arguments as for ``stateless_normal``."""

def stateless_uniform(
    shape: _ShapeLike,
    seed: _Any,
    minval: _TensorLike = 0,
    maxval: _TensorLike | None = None,
    dtype: _DTypeLike = "float32",
    name: str | None = None,
    alg: _TensorLike = "auto_select",
) -> _Tensor:
    """Samples of the uniform distribution from ``minval`` up to, not including, ``maxval``: the same for the same seed."""

def truncated_normal(
    shape: _ShapeLike,
    mean: _TensorLike = 0.0,
    stddev: _TensorLike = 1.0,
    dtype: _DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Samples of the normal distribution, none farther from ``mean`` than two ``stddev``. Arguments as for ``normal``."""

def uniform(
    shape: _ShapeLike,
    minval: _TensorLike = 0,
    maxval: _TensorLike | None = None,
    dtype: _DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> _Tensor:
    """Samples of the uniform distribution from ``minval`` up to, not including, ``maxval``."""

def uniform_candidate_sampler(
    true_classes: _TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> _SampledCandidates:
    """Classes drawn with equal probabilities."""
