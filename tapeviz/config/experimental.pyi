# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.engine.device_lists import (
    free_unused_memory,
    get_device_details,
    get_device_policy,
    get_memory_growth,
    get_memory_info,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_device_policy,
    set_memory_growth,
    set_visible_devices,
)

__all__ = [
    "free_unused_memory",
    "get_device_details",
    "get_device_policy",
    "get_memory_growth",
    "get_memory_info",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_device_policy",
    "set_memory_growth",
    "set_visible_devices",
]
