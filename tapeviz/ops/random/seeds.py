"""Seeds: what is random is only which seed the next draw gets."""

from __future__ import annotations

import hashlib
import random
import threading
from typing import Any, Final

import numpy as np

from tapeviz.engine.deferred_numbers import Deferred
from tapeviz.engine.state import local

__all__ = ["Seeds", "generator_of", "mixed", "seeds", "set_seed"]

_DEFAULT_SEED: Final = 87654321
_BYTES: Final = 8


def mixed(*numbers: int) -> int:
    """One seed of 63 bits out of several numbers: always the same, and another for any other numbers."""
    digest = hashlib.blake2b("/".join(map(str, numbers)).encode(), digest_size=_BYTES).digest()
    return int.from_bytes(digest, "little") >> 1


def generator_of(seed: int) -> np.random.Generator:
    """NumPy's source of numbers for one draw."""
    return np.random.Generator(np.random.Philox(key=seed))


class Seeds:
    """Where seeds come from: one stream for draws without a seed, and one for each seed and sort of draw."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.set(None)

    def set(self, seed: Any) -> None:
        """Begin again from ``seed``; from nowhere in particular if it is None."""
        with self._lock:
            self._global = seed
            # Not for secrets: the point is that numbers can be had again.
            self._unnamed = random.Random() if seed is None else random.Random(f"{seed}")  # noqa: S311
            self._named: dict[tuple[str, int], random.Random] = {}

    def state(self) -> Any:
        """Where all streams are, for :meth:`restore`."""
        with self._lock:
            return self._global, self._unnamed.getstate(), {key: s.getstate() for key, s in self._named.items()}

    def restore(self, state: Any) -> None:
        """Go on from where the streams were."""
        with self._lock:
            self._global, unnamed, named = state
            self._unnamed.setstate(unnamed)
            self._named = {key: random.Random() for key in named}  # noqa: S311
            for key, stream in self._named.items():
                stream.setstate(named[key])

    def draw(self, sort: str, seed: Any) -> int:
        """The seed of the next draw of this sort; ``seed`` is the user's own for it, or None. In a graph, one a run."""
        if local.state.graph is not None:
            return Deferred(("call", lambda: self._drawn(sort, seed)))
        return self._drawn(sort, seed)

    def _drawn(self, sort: str, seed: Any) -> int:
        with self._lock:
            if seed is None:
                return self._unnamed.getrandbits(63)
            seed = int(seed)
            stream = self._named.get((sort, seed))
            if stream is None:
                base = _DEFAULT_SEED if self._global is None else self._global
                stream = self._named[sort, seed] = random.Random(f"{base}/{seed}/{sort}")  # noqa: S311
            return stream.getrandbits(63)


seeds: Final = Seeds()
"""Those of this process."""


def set_seed(seed: Any) -> None:
    """Make the random numbers from here on repeatable.

    The same program then draws the same numbers each time. A draw with a ``seed`` of its own depends on both. The
    numbers are not TensorFlow's. None makes them come from nowhere in particular again.

    >>> import tapeviz as tf
    >>> tf.random.set_seed(1)
    >>> first = tf.random.normal([2])
    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(tf.random.normal([2]) == first))
    True
    """
    seeds.set(seed)
