"""What can be chosen today, and what is not there yet: modes, devices, views, files to save to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from tapeviz.engine.device_blocks import device as tf_device
from tapeviz.engine.devices import devices
from tapeviz.exports.view_names import VIEWS
from tapeviz.exports.writers import WRITERS, suffixes

__all__ = [
    "LEAST_HEIGHT", "MODES", "Choice", "chosen", "chosen_device",
    "compare", "device", "devices_to_choose", "mode", "modes_to_choose", "placed", "save_path", "view",
]  # fmt: skip

LEAST_HEIGHT: Final = 240
MODES: Final = ("eager", "graph")


@dataclass(frozen=True, slots=True)
class Choice:
    """A word that can be chosen, what it means here and now, and whether it can be chosen at all."""

    word: str
    meaning: str
    there: bool = True


def chosen(text: str, words: Sequence[str]) -> str:
    """``text`` if it is one of ``words``. ValueError: it is not; the nearest one is named."""
    if text not in words:
        near = get_close_matches(text, words, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose {', '.join(words[:-1])} or {words[-1]}"
        raise ValueError(f"no such choice; {hint}")
    return text


def mode(text: str) -> str:
    """The mode asked for. ValueError: there is none such."""
    return chosen(text, MODES)


def device(text: str) -> str:
    """The device asked for. ``auto`` takes what there is. ValueError: it is not there; says what is missing."""
    if chosen(text, ("cpu", "gpu", "auto")) == "gpu" and devices.gpu is None:
        raise ValueError(f"{devices.obstacle}; choose cpu, or auto to fall back by itself")
    return text


def view(text: str) -> str:
    """The view asked for. ValueError: it is not there."""
    if text == "live":
        raise ValueError("that is no view of a tape; --live shows the cell while it runs")
    return chosen(text, VIEWS)


def compare(text: str) -> str:
    """What to compare with: a tape, as written, ``graph`` or ``gpu``. ValueError: the GPU, which is not there."""
    if text == "gpu" and devices.gpu is None:
        raise ValueError(f"{devices.obstacle}; name a tape, as in --compare first")
    return text


def save_path(text: str) -> str:
    """A path that can be written to. ValueError: its folder or its suffix cannot be."""
    path = Path(text).expanduser()
    if path.suffix not in WRITERS:
        raise ValueError(f"a tape is saved as {suffixes()}, by the suffix of the path")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"the folder {path.parent} does not exist")
    return str(path)


def modes_to_choose() -> list[Choice]:
    """The modes, each with what it means."""
    return [
        Choice("eager", "each op runs as soon as it is called"),
        Choice("graph", "a cell is traced into one graph, which then runs"),
    ]


def devices_to_choose() -> list[Choice]:
    """The devices, each with what it means on this machine."""
    gpu = devices.gpu
    there = devices.obstacle if gpu is None else " ".join(["CuPy,", str(gpu.details().get("device_name", gpu.name))])
    found = "cpu" if gpu is None else "gpu"
    return [
        Choice("cpu", "NumPy, in this process"),
        Choice("gpu", there, there=gpu is not None),
        Choice("auto", f"the GPU where one can be used; here and now: {found}"),
    ]


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
