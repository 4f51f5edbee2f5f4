"""``tf.config.experimental``: the same under older names, and what devices say of themselves."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.engine.device_lists": (
            "free_unused_memory get_device_details get_device_policy get_memory_growth get_memory_info "
            "get_visible_devices list_logical_devices list_physical_devices set_device_policy set_memory_growth "
            "set_visible_devices"
        ),
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
