"""``tensorflow.python.client.device_lib``: the devices of this machine."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.device_lists import list_logical_devices

__all__ = ["list_local_devices"]


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices that there are, each with its ``name`` and ``device_type``."""
    return list_logical_devices()
