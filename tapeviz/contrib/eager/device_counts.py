"""Which devices there are."""

from __future__ import annotations

from tapeviz.engine.devices import devices

__all__ = ["list_devices", "num_gpus"]


def list_devices() -> list[str]:
    """The full names of the devices that ops can run on, the host first.

    >>> import tapeviz.contrib.eager as tfe
    >>> tfe.list_devices()[0]
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    return [backend.device for backend in devices.visible]


def num_gpus() -> int:
    """How many GPUs ops can run on.

    >>> import tapeviz.contrib.eager as tfe
    >>> tfe.num_gpus() == sum("GPU" in name for name in tfe.list_devices())
    True
    """
    return sum(backend.kind == "GPU" for backend in devices.visible)
