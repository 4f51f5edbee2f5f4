"""What can be chosen today, and what is not there yet: modes, devices, views, files to save to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from tapeviz.engine.devices import device as tf_device
from tapeviz.engine.devices import devices
from tapeviz.engine.state import default

__all__ = [
    "LATER_VIEWS", "LEAST_HEIGHT", "SUFFIXES", "VIEWS", "chosen", "chosen_device", "compare", "device", "live", "mode",
    "placed", "save_path", "state_of_devices", "state_of_modes", "view",
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
    if chosen(text, ("cpu", "gpu", "auto")) == "gpu" and devices.gpu is None:
        raise ValueError(f"{devices.obstacle}; choose cpu, or auto to fall back by itself")
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


def state_of_modes() -> str:
    """The mode that is on and the choices, as text."""
    return "mode: eager\n  eager  each op runs as soon as it is called\n  graph  not there yet"


def state_of_devices() -> str:
    """The device that is on and the choices, as text."""
    now, gpu = default[0], devices.gpu
    there = devices.obstacle if gpu is None else " ".join(["CuPy,", str(gpu.details().get("device_name", gpu.name))])
    return (
        f"device: {now.kind.lower()}\n  cpu    NumPy, in this process\n"
        f"  gpu    {there}\n  auto   the GPU where one can be used; here and now: {'cpu' if gpu is None else 'gpu'}"
    )


def chosen_device(word: str) -> str:
    """What was chosen by ``auto``, and why, as text; the word itself for the others."""
    if word != "auto":
        return word
    return f"cpu ({devices.obstacle})" if devices.gpu is None else "gpu"


def placed(word: str) -> AbstractContextManager[None]:
    """The block in which ops run on the device of that word; "" for the one that is on."""
    if not word:
        return nullcontext()
    return tf_device("/cpu:0" if word == "cpu" or devices.gpu is None else "/gpu:0")
