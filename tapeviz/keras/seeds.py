"""``set_random_seed``: every source of random numbers that a program with layers draws from."""

from __future__ import annotations

import random
from typing import Final

import numpy as np

from tapeviz.ops.random.seeds import set_seed

__all__ = ["set_random_seed"]

_LARGEST: Final = 2**32 - 1


def set_random_seed(seed: int) -> None:
    """Set the seeds of Python's ``random``, of ``numpy.random`` and of this package, all three to one number.

    Args:
        seed: An integer from 0 to 2**32 - 1, NumPy's range.

    Raises:
        ValueError: ``seed`` is not an integer, or NumPy does not take it.

    >>> import tapeviz as tf
    >>> tf.keras.utils.set_random_seed(1)
    >>> first = tf.keras.layers.Dense(2)(tf.ones([1, 3]))
    >>> tf.keras.utils.set_random_seed(1)
    >>> bool(tf.reduce_all(tf.keras.layers.Dense(2)(tf.ones([1, 3])) == first))
    True
    """
    if not isinstance(seed, int) or not 0 <= seed <= _LARGEST:
        raise ValueError(f"set_random_seed: `seed` must be an integer from 0 to {_LARGEST}. Received: {seed!r}")
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the generator that programs share
    set_seed(seed)
