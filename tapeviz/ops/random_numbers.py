"""Random numbers that can be had again: every draw is an op with a seed of its own.

What is random is only which seed the next draw gets. The op itself is a function of its seed, so that a recorded draw
can be repeated, and every device gives the same numbers.
"""

from __future__ import annotations

import random
import threading
from functools import partial
from typing import Any, Final

import numpy as np

from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.define import op
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.samples import cases
from tapeviz.engine.shapes import as_dimensions

__all__ = ["normal", "set_seed", "shuffle", "truncated_normal", "uniform"]

_DEFAULT_SEED: Final = 87654321


class _Seeds:
    """Where seeds come from: one stream for draws without a seed, and one for each seed and sort of draw."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.set(None)

    def set(self, seed: int | None) -> None:
        """Begin again from ``seed``; from nowhere in particular if it is None."""
        with self._lock:
            self._global = seed
            # Not for secrets: the point is that numbers can be had again.
            self._unnamed = random.Random() if seed is None else random.Random(f"{seed}")  # noqa: S311
            self._named: dict[tuple[str, int], random.Random] = {}

    def draw(self, sort: str, seed: int | None) -> int:
        """The seed of the next draw of this sort."""
        with self._lock:
            if seed is None:
                return self._unnamed.getrandbits(63)
            stream = self._named.get((sort, seed))
            if stream is None:
                base = _DEFAULT_SEED if self._global is None else self._global
                stream = self._named[sort, seed] = random.Random(f"{base}/{seed}/{sort}")  # noqa: S311
            return stream.getrandbits(63)


_seeds: Final = _Seeds()


def set_seed(seed: int) -> None:
    """Make the random numbers from here on repeatable.

    The same program then draws the same numbers each time. A draw with a ``seed`` of its own depends on both. The
    numbers are not TensorFlow's.

    >>> import tapeviz as tf
    >>> tf.random.set_seed(1)
    >>> first = tf.random.normal([2])
    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(tf.random.normal([2]) == first))
    True
    """
    _seeds.set(int(seed))


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=seed))


def _shape_rule(*, shape: tuple[int, ...], dtype: Any, **_attrs: Any) -> Spec:
    for size in shape:
        if size < 0:
            raise InvalidArgumentError(f"Dimension {size} must be >= 0")
    return Spec(tuple(shape), np.dtype(dtype))


def _drawn_as(dtype: Any) -> Any:
    """The dtype that the generator draws in: it has no float16."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


_SAMPLES = cases(
    ([], {"shape": (2, 3), "dtype": np.dtype(np.float32), "seed": 7}),
    ([], {"shape": (), "dtype": np.dtype(np.float64), "seed": 8}),
)
_draw = partial(op, family="random", infer=_shape_rule, samples=_SAMPLES, effects="random")

_uniform = _draw(
    "random_uniform",
    doc="Numbers spread evenly from 0 up to, not including, 1.",
    forward=lambda xp, *, shape, dtype, seed: xp.asarray(
        np.asarray(_generator(seed).random(shape, _drawn_as(dtype))), dtype=dtype
    ),
    formula=r"y_i \sim U(0, 1)",
)

_normal = _draw(
    "random_normal",
    doc="Numbers of a bell curve with mean 0 and standard deviation 1.",
    tf_name="RandomStandardNormal",
    forward=lambda xp, *, shape, dtype, seed: xp.asarray(
        np.asarray(_generator(seed).standard_normal(shape, _drawn_as(dtype))), dtype=dtype
    ),
    formula=r"y_i \sim N(0, 1)",
)

_FARTHEST: Final = 2.0


def _truncated(shape: tuple[int, ...], dtype: Any, seed: int) -> np.ndarray:
    generator = _generator(seed)
    numbers = np.asarray(generator.standard_normal(shape, dtype))
    while (far := np.abs(numbers) > _FARTHEST).any():
        numbers[far] = generator.standard_normal(int(far.sum()), dtype)
    return numbers


_truncated_normal = _draw(
    "truncated_normal",
    doc="Numbers of a bell curve with mean 0 and standard deviation 1, drawn again while farther than 2 from 0.",
    forward=lambda xp, *, shape, dtype, seed: xp.asarray(_truncated(shape, _drawn_as(dtype), seed), dtype=dtype),
    formula=r"y_i \sim N(0, 1),\; |y_i| \le 2",
)

_integers = op(
    "random_uniform_int",
    doc="Whole numbers spread evenly from a lowest up to, not including, a limit.",
    family="random",
    forward=lambda xp, *, shape, low, high, dtype, seed: xp.asarray(
        np.asarray(_generator(seed).integers(low, high, shape, dtype)), dtype=dtype
    ),
    infer=_shape_rule,
    formula=r"y_i \sim U\{l, \dots, h - 1\}",
    samples=cases(([], {"shape": (2, 3), "low": -2, "high": 5, "dtype": np.dtype(np.int32), "seed": 7})),
    effects="random",
)

_permutation = op(
    "random_permutation",
    doc="The numbers from 0 to n - 1 in random order.",
    family="random",
    forward=lambda xp, *, n, seed: xp.asarray(_generator(seed).permutation(n)),
    infer=lambda *, n, seed: Spec((n,), np.dtype(np.int64)),
    formula=r"y = \pi(0, \dots, n - 1)",
    samples=cases(([], {"n": 5, "seed": 7})),
    effects="random",
)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Random numbers of a bell curve.

    Args:
        shape: the shape of the result.
        mean: of the curve; a number, or a tensor that broadcasts with ``shape``.
        stddev: the standard deviation of the curve, likewise.
        dtype: float16, float32 or float64.
        seed: with ``set_seed`` decides which numbers come.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a size is negative.
        TypeError: ``dtype`` is not floating-point.

    >>> import tapeviz as tf
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    return _scaled(_normal, shape, mean, stddev, dtype, seed)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Random numbers of a bell curve, none farther from ``mean`` than two ``stddev``. Arguments as for ``normal``.

    >>> import tapeviz as tf
    >>> bool(tf.reduce_max(tf.abs(tf.random.truncated_normal([1000]))) <= 2)
    True
    """
    return _scaled(_truncated_normal, shape, mean, stddev, dtype, seed)


def _scaled(draw: Any, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: int | None) -> Any:
    wanted = as_dtype(dtype)
    if not wanted.is_floating:
        raise TypeError(
            f"Cannot convert {mean!r} to EagerTensor of dtype {wanted.name}: random normal needs a float dtype"
        )
    numbers = draw.run(as_dimensions(shape), wanted.numpy, _seeds.draw(draw.name, seed))
    if not (stddev.__class__ is float and stddev == 1.0):
        numbers = numbers * stddev
    return numbers if mean.__class__ is float and mean == 0.0 else numbers + mean


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Random numbers spread evenly from ``minval`` up to, not including, ``maxval``.

    Args:
        shape: the shape of the result.
        minval: 0 when not given.
        maxval: 1 when not given; integers need one.
        dtype: a floating-point dtype, int32 or int64.
        seed: with ``set_seed`` decides which numbers come.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a size is negative, or ``minval`` is not below ``maxval``.
        ValueError: integers without a ``maxval``.

    >>> import tapeviz as tf
    >>> tf.random.uniform([2], maxval=10, dtype=tf.int32).dtype
    tf.int32
    """
    wanted, sizes = as_dtype(dtype), as_dimensions(shape)
    if wanted.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {wanted!r}")
        low, high = int(minval), int(maxval)
        if low >= high:
            raise InvalidArgumentError(f"Need minval < maxval, got {low} >= {high}", "random_uniform_int")
        return _integers.run(sizes, low, high, wanted.numpy, _seeds.draw("random_uniform_int", seed))
    numbers = _uniform.run(sizes, wanted.numpy, _seeds.draw("random_uniform", seed))
    low, high = minval, 1 if maxval is None else maxval
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low == 0 and high == 1:
        return numbers
    return numbers * (high - low) + low


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The slices of ``value`` along its first axis in random order.

    >>> import tapeviz as tf
    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    tensor = convert_to_tensor(value)
    order = _permutation.run(len(tensor), _seeds.draw("random_permutation", seed))
    return registry["gather"].run(tensor, order, 0, 0)
