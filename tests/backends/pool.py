"""A pool that counts the strict device's memory, as CuPy's pool counts the GPU's."""

from __future__ import annotations

import weakref
from contextlib import contextmanager

import numpy as np

from tapeviz.backends.strict import StrictArray

BLOCK = 512


class CountingPool:
    """Memory of the strict arrays made, in whole blocks; what is no longer used stays the pool's."""

    def __init__(self):
        self.used = self.total = 0
        self._alive = {}

    def add(self, array):
        """Count an array's memory, once for all arrays that look at it, until the last of them is gone."""
        while isinstance(array.base, np.ndarray):
            array = array.base
        if id(array) not in self._alive:
            key, size = id(array), -(-array.nbytes // BLOCK) * BLOCK
            self._alive[key] = weakref.ref(array, lambda _: self._free(key, size))
            self.used += size
            self.total = max(self.total, self.used)

    def _free(self, key, size):
        del self._alive[key]
        self.used -= size

    def used_bytes(self):
        """Return what arrays use."""
        return self.used

    def total_bytes(self):
        """Return what was used at most."""
        return self.total


@contextmanager
def counting():
    """Count the strict arrays made inside the block."""
    pool, make = CountingPool(), StrictArray.__init__

    def counted(self, host):
        make(self, host)
        pool.add(host)

    StrictArray.__init__ = counted
    try:
        yield pool
    finally:
        StrictArray.__init__ = make
