"""What can be chosen today, and what is not there yet: modes, devices, views, files to save to."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Final

__all__ = [
    "LATER_VIEWS", "LEAST_HEIGHT", "SUFFIXES", "VIEWS", "chosen", "compare", "device", "gpu_obstacle", "live", "mode",
    "save_path", "state_of_devices", "state_of_modes", "view",
]  # fmt: skip

VIEWS: Final = ("timeline", "flow", "tensor", "code")
LATER_VIEWS: Final = ("step", "live", "graph")
LEAST_HEIGHT: Final = 240
SUFFIXES: Final = (".tape", ".html", ".json")

_NO_GRAPH: Final = "graph mode is not there yet; ops run eagerly, which is --mode eager"


def chosen(text: str, words: Sequence[str]) -> str:
    """``text`` if it is one of ``words``. ValueError: it is not; the nearest one is named."""
    if text not in words:
        near = get_close_matches(text, words, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose {', '.join(words[:-1])} or {words[-1]}"
        raise ValueError(f"no such choice; {hint}")
    return text


def mode(text: str) -> str:
    """The mode asked for. ValueError: it is not there."""
    if chosen(text, ("eager", "graph")) == "graph":
        raise ValueError(_NO_GRAPH)
    return text


def device(text: str) -> str:
    """The device asked for. ``auto`` takes what there is. ValueError: it is not there; says what is missing."""
    if chosen(text, ("cpu", "gpu", "auto")) == "gpu":
        raise ValueError(f"{gpu_obstacle()}; choose cpu, or auto to fall back by itself")
    return text


def view(text: str) -> str:
    """The view asked for. ValueError: it is not there."""
    if text in LATER_VIEWS:
        raise ValueError(f"the {text} view is not there yet; there are {', '.join(VIEWS)}")
    return chosen(text, VIEWS)


def live(_flag: str) -> bool:
    """Always raises ValueError: following a cell while it runs is not there yet."""
    raise ValueError("following a cell while it runs is not there yet; the tape is shown when the cell is done")


def compare(_text: str) -> str:
    """Always raises ValueError: comparing two runs is not there yet."""
    raise ValueError("comparing two runs is not there yet; record each with -o NAME and look at both")


def save_path(text: str) -> str:
    """A path that can be written to. ValueError: its folder or its suffix cannot be."""
    path = Path(text).expanduser()
    if path.suffix not in SUFFIXES:
        raise ValueError(f"a tape is saved as {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, told by the path's end")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {path.parent}")
    return str(path)


def gpu_obstacle() -> str:
    """Why no GPU can be used: CuPy, the driver or the device is missing, or tapeviz has nothing to run there yet."""
    driver, devices = _cuda()
    cupy = find_spec("cupy") is not None
    missing = [
        text
        for there, text in (
            (driver, "NVIDIA's driver (no CUDA library could be loaded)"),
            (devices > 0 or not driver, "a device (the driver sees none)"),
            (cupy, "CuPy (pip install cupy-cuda12x or cupy-cuda13x)"),
        )
        if not there
    ]
    if missing:
        return f"no usable GPU here: missing {' and '.join(missing)}"
    return f"CuPy and {devices} CUDA device(s) are here, but tapeviz cannot compute on them yet"


def _cuda() -> tuple[bool, int]:
    """Whether NVIDIA's driver can be loaded, and how many devices it sees."""
    try:
        library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        count = ctypes.c_int(0)
        started = library.cuInit(0) == 0 and library.cuDeviceGetCount(ctypes.byref(count)) == 0
    except (OSError, AttributeError):
        return False, 0
    return True, count.value if started else 0


def state_of_modes() -> str:
    """The mode that is on and the choices, as text."""
    return "mode: eager\n  eager  each op runs as soon as it is called\n  graph  not there yet"


def state_of_devices() -> str:
    """The device that is on and the choices, as text."""
    return (
        "device: cpu\n  cpu    NumPy, in this process\n"
        f"  gpu    {gpu_obstacle()}\n  auto   the GPU where one can be used; here and now: cpu"
    )
