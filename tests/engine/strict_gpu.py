"""A GPU for machines without one: the strict device under the GPU's name, so that what would mix memories, breaks."""

from __future__ import annotations

from contextlib import contextmanager

from tapeviz import backends
from tapeviz.backends.strict import StrictArray, StrictBackend
from tapeviz.engine.devices import devices
from tapeviz.engine.state import default, local


class StandIn(StrictBackend):
    """The strict device as ``GPU:0``, which takes copies of what is elsewhere, and whose work has times."""

    kind = "GPU"
    mixes = True

    def __init__(self, counted=None):
        super().__init__()
        self.clock = 0
        self.counted = counted

    def mark(self):
        """Return a point in time: each is a microsecond after the one before."""
        self.clock += 1
        return self.clock

    def seconds_between(self, first, second):
        """Return the time between two marks."""
        return (second - first) * 1e-6

    def pool(self):
        """Return what the pool says, if there is one."""
        return self.counted and (self.counted.used, self.counted.total)

    def details(self):
        """Return what a GPU says of itself."""
        return {"device_name": "stand-in", "compute_capability": (0, 0)}


@contextmanager
def standing_in(gpu=None):
    """Make a stand-in the GPU inside the block; tensors are still made on the host unless it is chosen."""
    gpu = gpu or StandIn()
    before = devices.known, devices.visible, backends._by_array_type.get(StrictArray), default[0], local.state.backend
    devices.known, devices.visible = [backends.NUMPY], [backends.NUMPY]
    devices.add(gpu)
    try:
        yield gpu
    finally:
        devices.known, devices.visible, strict, default[0], local.state.backend = before
        if strict is not None:
            backends.register(strict)
