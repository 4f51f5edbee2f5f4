"""``tf.config``: which devices there are, and which of them are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.engine.device_lists": (
            "LogicalDevice PhysicalDevice get_soft_device_placement get_visible_devices list_logical_devices "
            "list_physical_devices set_soft_device_placement set_visible_devices"
        ),
        "tapeviz.functions.function": "functions_run_eagerly run_functions_eagerly",
    },
)
_offered = [*_names.listed, "experimental", "optimizer"]
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    if name in ("experimental", "optimizer"):
        return import_module(f"tapeviz.config.{name}")
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
