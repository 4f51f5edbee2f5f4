"""Whether a GPU can be used, found out without importing CuPy: by the driver's own library."""

from __future__ import annotations

import ctypes
import sys
from importlib import import_module
from typing import Any

__all__ = ["cuda", "find_spec", "missing", "usable"]


def cuda() -> tuple[bool, int]:
    """Whether NVIDIA's driver can be loaded, and how many devices it shows this process."""
    try:
        library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        count = ctypes.c_int(0)
        started = library.cuInit(0) == 0 and library.cuDeviceGetCount(ctypes.byref(count)) == 0
    except (OSError, AttributeError):
        return False, 0
    return True, count.value if started else 0


def find_spec(name: str) -> Any:
    """Python's own; the module that it is in is imported only where there is a GPU to be used."""
    return import_module("importlib.util").find_spec(name)


def usable() -> bool:
    """Whether driver, device and CuPy are here."""
    return all(cuda()) and not missing()


def missing() -> str:
    """What a GPU would need and is not here, of driver, device and CuPy; empty when all are."""
    driver, devices = cuda()
    parts = (
        (driver, "NVIDIA's driver (no CUDA library could be loaded)"),
        (devices > 0 or not driver, "a device (the driver sees none)"),
        (find_spec("cupy") is not None, "CuPy (pip install tapeviz[cuda12] or tapeviz[cuda13])"),
    )
    return " and ".join(text for there, text in parts if not there)
