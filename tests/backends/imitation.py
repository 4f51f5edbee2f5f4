"""CuPy's manners without CuPy: the strict device's functions, with the names and signatures of the real ones."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from tapeviz.backends.strict import StrictArray, StrictBackend
from tests.backends.surface import OLDEST, check_call, names, signature

_STRICT = StrictBackend.xp


class Cupy:
    """The module as the real one is: no name that it lacks, and no call that does not fit its signatures.

    Ufuncs have no methods here: those of CuPy's take fewer options and dtypes than NumPy's. Positions wrap around.
    """

    ndarray = StrictArray

    def __init__(self, pool=None, version=OLDEST):
        self._pool = pool or SimpleNamespace(
            used_bytes=lambda: 512, total_bytes=lambda: 1024, free_all_blocks=lambda: None
        )
        self._names = names(version)
        self.linalg = Part(self._names["cupy.linalg"], "cupy.linalg", _STRICT.linalg)
        self.fft = Part(self._names["cupy.fft"], "cupy.fft", _STRICT.fft)

    def __getattr__(self, name):
        return part(self._names["cupy"], f"cupy.{name}", name, _STRICT)

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


class Part:
    """A module of CuPy's: the names that it has, for the strict device's arrays."""

    def __init__(self, said, where, module):
        self._said, self._where, self._module = said, where, module

    def __getattr__(self, name):
        return part(self._said, f"{self._where}.{name}", name, self._module)


def part(said, what, name, module):
    """Return a name of a module. AttributeError: CuPy has it not."""
    if name.startswith("_") or name not in said:
        raise AttributeError(what)
    value = getattr(module, name)
    if isinstance(value, type) or not callable(value):
        return value

    def call(*args, **kwargs):
        check_call(what, said[name], args, kwargs)
        kwargs = {key: option for key, option in kwargs.items() if option is not None or key == "axis"}
        return value(*args, **kwargs)

    call.__signature__ = signature(said[name])
    return call


def modules(version, pool=None):
    """Return what `sys.modules` has of CuPy in a version."""
    made = {"cupy": Cupy(pool, version), "cupyx": Cupyx()}
    for module in (name for name in names(version) if name.startswith("cupyx.scipy.")):
        made[module] = Part(names(version)[module], module, _STRICT.library(module.removeprefix("cupyx.scipy.")))
    return made


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

    @staticmethod
    def scatter_min(array, indices, values):
        """Keep the smaller, in place."""
        np.minimum.at(array.host, indices.host, values.host)
