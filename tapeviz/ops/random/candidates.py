"""Candidate sampling: some of many classes drawn at random, with how often each was to be expected.

Losses over a large vocabulary compare each true class with a few sampled ones (Jean et al. 2015, "On Using Very Large
Target Vocabulary for Neural Machine Translation", section 3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.ops.random.seeds import generator_of, seeds
from tapeviz.ops.runtime_calls import open_sizes

__all__ = ["SampledCandidates", "all_candidate_sampler", "log_uniform_candidate_sampler", "uniform_candidate_sampler"]

_INT64: Final = np.dtype(np.int64)


def _log_uniform(numbers: np.ndarray, range_max: int) -> np.ndarray:
    """The inverse of the distribution whose density at class k is as log((k + 2) / (k + 1))."""
    drawn = np.exp(numbers * np.log1p(range_max)).astype(np.int64) - 1
    return np.asarray(np.clip(drawn, 0, range_max - 1))


def _uniform(numbers: np.ndarray, range_max: int) -> np.ndarray:
    return (numbers * range_max).astype(np.int64)


_DISTRIBUTIONS: Final[dict[str, Callable[[np.ndarray, int], np.ndarray]]] = {
    "log_uniform": _log_uniform, "uniform": _uniform,
}  # fmt: skip


def _check_room(count: int, range_max: int, unique: bool) -> None:
    if unique and count > range_max:
        raise InvalidArgumentError(f"Sampler's range is too small: {count} unique classes of {range_max}")


def _draw(count: int, range_max: int, distribution: str, unique: bool, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and how many draws it took: with ``unique`` a class that was drawn before is drawn anew."""
    _check_room(count, range_max, unique)
    generator, draw = generator_of(seed), _DISTRIBUTIONS[distribution]
    if not unique:
        return draw(generator.random(count), range_max), np.asarray(count, np.int64)
    kept: dict[int, None] = {}
    tries = 0
    while len(kept) < count:
        for drawn in draw(generator.random(count), range_max).tolist():
            tries += 1
            kept[drawn] = None
            if len(kept) == count:
                break
    return np.array(list(kept), np.int64).reshape(count), np.asarray(tries, np.int64)


def _rule(*, count: int, range_max: int, distribution: str, unique: bool, seed: int) -> tuple[Spec, Spec]:
    _check_room(count, range_max, unique)
    return Spec((count,), _INT64), Spec((), _INT64)


_candidates = op(
    "sample_candidates",
    doc="Classes drawn at random, and the number of draws.",
    family="random",
    forward=lambda xp, *, count, range_max, distribution, unique, seed: tuple(
        xp.asarray(part) for part in _draw(count, range_max, distribution, unique, seed)
    ),
    infer=_rule,
    formula=r"y_i \sim P(k),\; 0 \le k < n",
    samples=cases(
        ([], {"count": 4, "range_max": 9, "distribution": "log_uniform", "unique": True, "seed": 7}),
        ([], {"count": 5, "range_max": 3, "distribution": "uniform", "unique": False, "seed": 8}),
        ([], {"count": 0, "range_max": 3, "distribution": "uniform", "unique": True, "seed": 9}),
    ),
    effects="random",
    many=True,
)  # fmt: skip


class SampledCandidates(NamedTuple):
    """Sampled classes, and how often each true and each sampled class was to be expected among them."""

    sampled_candidates: Any
    true_expected_count: Any
    sampled_expected_count: Any


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> SampledCandidates:  # fmt: skip
    """Classes drawn by Zipf's law: class k with a probability as ``log((k + 2) / (k + 1))``.

    For classes that are sorted by how frequent they are, the most frequent one first.

    Args:
        true_classes: whole numbers of shape (batch, num_true).
        num_true: how many true classes an example has.
        num_sampled: how many to draw.
        unique: whether no class comes twice.
        range_max: the number of classes.
        seed: with ``set_seed`` decides which classes come.
        name: accepted as TensorFlow does.

    Returns:
        The sampled classes, int64, then how often each true and each sampled class was to be expected among them.

    Raises:
        InvalidArgumentError: more unique classes than there are, or ``true_classes`` has another shape.

    >>> import tapeviz as tf
    >>> sampled, true_count, _ = tf.random.log_uniform_candidate_sampler([[0], [5]], 1, 4, True, 100, seed=1)
    >>> sampled.shape, true_count.shape
    (TensorShape([4]), TensorShape([2, 1]))
    """
    return _sampled("log_uniform", true_classes, num_true, num_sampled, unique, range_max, seed)


def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> SampledCandidates:  # fmt: skip
    """Classes drawn with equal probabilities.

    Args:
        true_classes: whole numbers of shape (batch, num_true).
        num_true: how many true classes an example has.
        num_sampled: how many to draw.
        unique: whether no class comes twice.
        range_max: the number of classes.
        seed: with ``set_seed`` decides which classes come.
        name: accepted as TensorFlow does.

    Returns:
        The sampled classes, int64, then how often each true and each sampled class was to be expected among them.

    Raises:
        InvalidArgumentError: more unique classes than there are, or ``true_classes`` has another shape.

    >>> import tapeviz as tf
    >>> sampled, true_count, _ = tf.random.uniform_candidate_sampler([[0]], 1, 5, False, 10)
    >>> sampled.shape, true_count.numpy().tolist()
    (TensorShape([5]), [[0.5]])
    """
    return _sampled("uniform", true_classes, num_true, num_sampled, unique, range_max, seed)


def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: int | None = None, name: str | None = None
) -> SampledCandidates:
    """All classes from 0 up to, not including, ``num_sampled``, each to be expected once: for tests of a loss.

    >>> import tapeviz as tf
    >>> tf.random.all_candidate_sampler([[2]], 1, 4, True).sampled_candidates.numpy()
    array([0, 1, 2, 3])
    """
    ones = ops.ones_like(ops.cast(_classes(true_classes, num_true), np.dtype(np.float32)))
    count = convert_to_tensor(np.ones(num_sampled, np.float32))
    return SampledCandidates(convert_to_tensor(np.arange(num_sampled, dtype=np.int64)), ones, count)


def _classes(true_classes: Any, num_true: int) -> Any:
    classes = ops.cast(convert_to_tensor(true_classes), _INT64)
    if classes.ndim != 2 or open_sizes(classes)[1] not in (num_true, None):  # noqa: PLR2004 - examples and their classes
        raise InvalidArgumentError(f"true_classes must have {num_true} columns, got shape {classes.shape}")
    return classes


def _sampled(
    distribution: str, true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any
) -> SampledCandidates:
    true = _classes(true_classes, num_true)
    drawn = seeds.draw(f"{distribution}_candidate_sampler", seed)
    sampled, tries = _candidates.run(num_sampled, range_max, distribution, unique, drawn)
    tries = ops.cast(tries, np.dtype(np.float32))
    counts = (_expected(classes, distribution, range_max, tries, unique) for classes in (true, sampled))
    return SampledCandidates(sampled, *counts)


def _expected(classes: Any, distribution: str, range_max: int, tries: Any, unique: bool) -> Any:
    """How often each class was to be expected in so many draws, or with ``unique`` how likely it was to come."""
    number = ops.cast(classes, np.dtype(np.float32))
    if distribution == "uniform":
        probability = number * 0.0 + 1.0 / range_max
    else:
        probability = ops.log((number + 2.0) / (number + 1.0)) / float(np.log1p(range_max))
    return -ops.expm1(tries * ops.log1p(-probability)) if unique else probability * tries
