"""``tf.random.Generator``: a source of numbers with a state that can be seen, kept and put back."""

from __future__ import annotations

import math
import secrets
from typing import Any, Final, Self

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.deferred_numbers import computed
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.shapes import as_dimensions
from tapeviz.engine.state import local
from tapeviz.engine.variable import Variable
from tapeviz.ops.random import random_ops
from tapeviz.ops.random.random_numbers import scaled, spread_evenly
from tapeviz.ops.random.seeds import mixed
from tapeviz.ops.random.stateless import algorithm_number, counts_of
from tapeviz.ops.runtime_calls import waits

__all__ = ["Generator", "create_rng_state", "get_global_generator", "set_global_generator"]

_SIZES: Final = {1: 3, 2: 2, 3: 3}
_A_NUMBER: Final = 256  # how far the counter goes on for each number drawn
_BITS: Final = 64
_WHOLE: Final = ("int32", "int64", "uint32", "uint64")


def create_rng_state(seed: Any, alg: Any) -> Any:
    """The state of a generator for a seed: a counter, then a key.

    Args:
        seed: an integer, or several.
        alg: ``"philox"`` or ``"threefry"``, or the number of one.

    Raises:
        ValueError: there is no such algorithm.

    >>> import tapeviz as tf
    >>> tf.random.create_rng_state(1, "philox").numpy()
    array([1, 0, 0])
    """
    size = _SIZES[algorithm_number(alg)]
    if isinstance(seed, int):
        parts = [(seed >> (_BITS * position)) & (2**_BITS - 1) for position in range(size)]
        return convert_to_tensor(np.array(parts, np.uint64).view(np.int64))
    given = np.asarray(seed).astype(np.int64).reshape(-1)[:size]
    return convert_to_tensor(np.concatenate([np.zeros(size - len(given), np.int64), given]))


class Generator:
    """A source of random numbers whose state is a variable.

    Make one with :meth:`from_seed`, :meth:`from_state`, :meth:`from_key_counter` or
    :meth:`from_non_deterministic_state`. Which numbers come from a state is not as in TensorFlow; how the state goes on
    is.

    Args:
        copy_from: another generator.
        state: a counter and a key.
        alg: ``"philox"`` or ``"threefry"``, or the number of one.

    >>> import tapeviz as tf
    >>> g = tf.random.Generator.from_seed(1)
    >>> g.normal([2, 3]).shape, g.state.numpy()
    (TensorShape([2, 3]), array([1537,    0,    0]))
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            state, alg = copy_from.state, copy_from.algorithm
        if state is None or alg is None:
            raise AssertionError("give copy_from, or state and alg")
        self._alg = algorithm_number(alg)
        self._state = Variable(self._checked(state), trainable=False, name="StateVar")

    def _checkpoint_children(self) -> list[tuple[str, Any]]:
        return [("_state_var", self._state)]

    def _checked(self, state: Any) -> Any:
        """The state as int64, of the size that the algorithm wants."""
        wanted = _SIZES[self._alg]
        given = convert_to_tensor(state)
        if waits(given):
            found = ops.cast(given, np.dtype(np.int64))
        else:
            found = convert_to_tensor(given._host().astype(np.int64))
        if tuple(found.shape) != (wanted,):
            raise ValueError(f"Shapes {found.shape} and [{wanted}] are incompatible")
        return found

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Self:
        """A generator that begins with ``seed``, an integer or several."""
        number = 1 if alg is None else algorithm_number(alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Self:
        """A generator with this state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Self:
        """A generator with the state of this key and counter."""
        return cls(state=[*np.asarray(counter).reshape(-1).tolist(), int(key)], alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Self:
        """A generator that begins somewhere, another time somewhere else."""
        number = 1 if alg is None else algorithm_number(alg)
        state = [secrets.randbits(_BITS) - 2 ** (_BITS - 1) for _ in range(_SIZES[number])]
        return cls(state=np.array(state, np.int64), alg=number)

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def state(self) -> Variable:
        """The counter and the key, as a variable of int64."""
        return self._state

    @property
    def key(self) -> Any:
        """The key, the last number of the state."""
        return self._state[-1]

    def reset(self, state: Any) -> None:
        """Go on from this state."""
        self._state.assign(self._checked(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Go on as a new generator with this seed would."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Go on from this key and counter."""
        self.reset([*np.asarray(counter).reshape(-1).tolist(), int(key)])

    def skip(self, delta: Any) -> Any:
        """Leave out ``delta`` numbers; gives the state from before."""
        if (graph := local.state.graph) is None:
            return self._skipped(delta)
        form = ((_SIZES[self._alg],), np.dtype(np.int64))
        number = convert_to_tensor(delta, dtype="int64")
        return graph.python(lambda count: self._skipped(int(count)), [number], [form], "RngReadAndSkip")[0]

    def _skipped(self, delta: Any) -> Any:
        before = self._state.value()
        parts = [int(part) for part in before.numpy()]
        counter = sum((part & (2**_BITS - 1)) << (_BITS * i) for i, part in enumerate(parts[:-1]))
        counter += _A_NUMBER * int(delta)
        words = [(counter >> (_BITS * position)) & (2**_BITS - 1) for position in range(len(parts) - 1)]
        self._state.assign(np.array([*words, parts[-1] & (2**_BITS - 1)], np.uint64).view(np.int64))
        return before

    def _next(self, shape: Any) -> int:
        """The seed of a draw of this shape, after which the state has gone on."""
        before = self.skip(math.prod(as_dimensions(shape)))
        if hasattr(before, "_numbers"):
            return computed(mixed, self._alg, *before._numbers())  # type: ignore[no-any-return]
        return mixed(self._alg, *before.numpy().tolist())

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Numbers of a bell curve."""
        return scaled(random_ops.normal, shape, mean, stddev, dtype, lambda: self._next(shape))

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Samples of the normal distribution, none farther from ``mean`` than two ``stddev``."""
        return scaled(random_ops.truncated_normal, shape, mean, stddev, dtype, lambda: self._next(shape))

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Samples of the uniform distribution from ``minval`` up to, not including, ``maxval``; any integer if None."""
        wanted = as_dtype(dtype)
        if wanted.is_integer and minval is None and maxval is None:
            return self.uniform_full_int(shape, wanted)
        if wanted.is_integer and (minval is None or maxval is None):
            raise ValueError(
                f"For integer dtype {wanted}, minval and maxval must be both `None` or both non-`None`; got "
                f"minval={minval} and maxval={maxval}"
            )
        return spread_evenly(shape, minval, maxval, wanted, lambda: self._next(shape))

    def uniform_full_int(self, shape: Any, dtype: Any = "uint64", name: str | None = None) -> Any:
        """Integers spread evenly over all that the dtype has."""
        wanted = as_dtype(dtype)
        if wanted.name not in _WHOLE:
            raise InvalidArgumentError(
                f"Value for attr 'dtype' of {wanted.name} is not in the list of allowed values: {', '.join(_WHOLE)}",
                "random_uniform_full_int",
            )
        return random_ops.full_integers.run(as_dimensions(shape), wanted.numpy, self._next(shape))

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = "int32", name: str | None = None) -> Any:
        """How many of ``counts`` trials succeed, each with the chance ``probs``."""
        return counts_of(shape, counts, probs, as_dtype(dtype), self._next(shape))

    def make_seeds(self, count: int = 1) -> Any:
        """Seeds for stateless draws: a matrix of two rows, a column each."""
        drawn = self.uniform_full_int([int(count)], "int64")
        return ops.stack(drawn, ops.zeros_like(drawn), axis=0)

    def split(self, count: int = 1) -> list[Generator]:
        """So many new generators, independent of each other and of this one."""
        keys = self.make_seeds(count).numpy()[0].tolist()
        zeros = [0] * (_SIZES[self._alg] - 1)
        return [type(self)(state=np.array([*zeros, key], np.int64), alg=self._alg) for key in keys]


_everyones: list[Generator] = []


def get_global_generator() -> Generator:
    """The generator that belongs to the whole program; made on first use.

    >>> import tapeviz as tf
    >>> tf.random.get_global_generator().uniform([3]).shape
    TensorShape([3])
    """
    if not _everyones:
        _everyones.append(Generator.from_non_deterministic_state())
    return _everyones[0]


def set_global_generator(generator: Generator) -> None:
    """Make ``generator`` the one of the whole program.

    >>> import tapeviz as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    """
    _everyones[:] = [generator]
