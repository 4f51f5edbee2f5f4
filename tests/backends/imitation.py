"""CuPy's manners without CuPy: the strict device's functions, with what CuPy's lack taken away."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from tapeviz.backends.strict import StrictArray, StrictBackend

_STRICT = StrictBackend.xp
_REDUCTIONS = ("sum", "prod", "max", "min", "all", "any")
MISSING = ("logaddexp", "argwhere", "copysign", "bincount", "lexsort", "searchsorted", "spacing")


class Cupy:
    """The module: no methods on ufuncs, no ``initial``, positions that wrap around, some functions missing."""

    ndarray = StrictArray

    def __init__(self, pool=None):
        self._pool = pool or SimpleNamespace(used_bytes=lambda: 512, total_bytes=lambda: 1024)
        self.linalg = SimpleNamespace(solve=_STRICT.linalg.solve, inv=_STRICT.linalg.inv, LinAlgError=ValueError)

    def __getattr__(self, name):
        if name in MISSING:
            raise AttributeError(name)
        value = getattr(_STRICT, name)
        if isinstance(getattr(np, name), np.ufunc):
            return value.__call__
        if name in _REDUCTIONS:
            return lambda a, axis=None, dtype=None, out=None, keepdims=False: value(
                a, axis=axis, keepdims=keepdims, **({"dtype": dtype} if dtype is not None else {})
            )
        return value

    @staticmethod
    def asnumpy(array):
        """Return a copy on the host."""
        return array.host.copy()

    @staticmethod
    def array(value, **options):
        """Return a copy on the device."""
        return _STRICT.asarray(value, **options)

    @staticmethod
    def take(a, indices, axis=None):
        """Pick without looking whether the positions are inside."""
        return StrictArray(np.asarray(np.take(a.host, indices.host, axis=axis, mode="wrap")))

    def get_default_memory_pool(self):
        """Return a pool, unless told otherwise one with something in it."""
        return self._pool

    @property
    def cuda(self):
        """Return devices and events that know the time."""
        return SimpleNamespace(
            Device=lambda _index: SimpleNamespace(use=lambda: None),
            Event=_Event,
            get_elapsed_time=lambda first, second: second.at - first.at,
            runtime=SimpleNamespace(getDeviceProperties=lambda _index: {"name": b"imitation", "major": 9, "minor": 0}),
        )


class _Event:
    """A CUDA event: each is a millisecond after the one before, and done once somebody has waited for it or for one
    after it.
    """

    clock = 0
    passed = 0

    def record(self):
        """Take the time."""
        _Event.clock += 1
        self.at = _Event.clock

    def synchronize(self):
        """Wait."""
        _Event.passed = max(_Event.passed, self.at)

    @property
    def done(self):
        """Return whether the GPU has got there."""
        return self.at <= _Event.passed


class Cupyx:
    """The companion: scatter, and what to do when a decomposition fails."""

    asked: str = ""

    @contextmanager
    def errstate(self, linalg):
        """Remember what was asked for."""
        self.asked = linalg
        yield

    @staticmethod
    def scatter_add(array, indices, values):
        """Add in place, twice where a position is twice. TypeError: there is no atomic addition for this dtype."""
        if array.dtype.itemsize < 4:
            raise TypeError("cupyx.scatter_add only supports int32, float32, float64, ...")
        np.add.at(array.host, indices.host, values.host)

    @staticmethod
    def scatter_max(array, indices, values):
        """Keep the larger, in place."""
        np.maximum.at(array.host, indices.host, values.host)
