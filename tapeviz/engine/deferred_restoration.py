"""Objects for whose parts somebody waits: a checkpoint that was read before a layer had made its variables."""

from __future__ import annotations

from typing import Any, Final, Protocol

__all__ = ["AWAITED", "Awaited", "Waiting", "arrived"]

AWAITED: Final = "_awaited"
"""The attribute that holds who waits."""


class Waiting(Protocol):
    """Who waits for the parts of an object."""

    def look(self, owner: Any) -> None:
        """Parts may have been added to the object."""


class Awaited:
    """An object that tells who waits when an attribute of it is set."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if (waiting := self.__dict__.get(AWAITED)) is not None:
            waiting.look(self)


def arrived(owner: Any) -> None:
    """Tell who waits that parts of the object are there now: for parts that no attribute was set for."""
    if (waiting := owner.__dict__.get(AWAITED)) is not None:
        waiting.look(owner)
