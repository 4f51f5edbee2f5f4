"""How TensorFlow writes devices: ``/gpu:0``, ``CPU:0``, ``/job:localhost/replica:0/task:0/device:GPU:0``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

__all__ = ["DeviceName", "parsed"]

_KINDS: Final = ("CPU", "GPU", "TPU")
_USUAL: Final = ("/cpu:0", "/gpu:0", "cpu:0", "gpu:0", "/device:cpu:0", "/device:gpu:0")


@dataclass(frozen=True, slots=True)
class DeviceName:
    """What a name says; None where it leaves something open."""

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str | None = None
    index: int | None = None

    def __str__(self) -> str:
        job, replica, task = self.job or "localhost", self.replica or 0, self.task or 0
        return f"/job:{job}/replica:{replica}/task:{task}/device:{self.kind or 'CPU'}:{self.index or 0}"

    @property
    def is_local(self) -> bool:
        """Whether it can be a device of this process."""
        return self.job in (None, "localhost") and not self.replica and not self.task


def parsed(name: Any) -> DeviceName:
    """What a name says.

    Raises:
        ValueError: it is no device name; the message says which part is wrong, and what may have been meant.
    """
    if not isinstance(name, str):
        raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")  # noqa: TRY004 - TensorFlow's
    try:
        return _read(name)
    except ValueError as error:
        raise ValueError(f"{error}{_hint(name)}") from None


def _read(name: str) -> DeviceName:
    found = DeviceName()
    for part in filter(None, name.split("/")):
        found = _with_part(found, part.split(":"), name)
    return found


def _with_part(found: DeviceName, words: list[str], name: str) -> DeviceName:
    match words:
        case ["job", job]:
            return replace(found, job=job)
        case ["replica", number]:
            return replace(found, replica=int(number))
        case ["task", number]:
            return replace(found, task=int(number))
        case ["device", kind, index]:
            pass
        case [kind] if kind.upper() in _KINDS:
            index = "*"
        case [kind, index] if kind.upper() in _KINDS:
            pass
        case _:
            raise ValueError(f"Unknown attribute '{words[0]}' is encountered while parsing the device spec: '{name}'.")
    if found.kind is not None:
        raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {name}.")
    return replace(found, kind=kind.upper(), index=None if index == "*" else int(index))


def _hint(name: str) -> str:
    """The name that was meant, as far as one can tell."""
    for near in (re.sub(r"\s+", "", name), re.sub(r"[\s_-]+", ":", name.strip())):
        try:
            if near != name and _read(near).kind is not None:
                return f" Did you mean '{near}'?"
        except ValueError:
            continue
    close = get_close_matches(name.lower(), _USUAL, 1)
    return f" Did you mean '{close[0]}'?" if close else " A device is written as '/cpu:0' or '/gpu:0'."
