"""The tape: a recording, and everything that can be asked of it."""

from __future__ import annotations

from typing import Any

from tapeviz.recording import Builder, Recording, TableView
from tapeviz.recording.schema import SCHEMA

__all__ = ["Tape"]


class Tape:
    """What was recorded.

    The tables of the recording are attributes (``tape.events``, ``tape.tensors``, ...). ``wrt`` holds the gradients that
    ``%%tape --wrt`` asked for, by name; None where there is no path.
    """

    def __init__(self, source: Builder | Recording) -> None:
        self._source = source
        self.wrt: dict[str, Any] = {}

    @property
    def recording(self) -> Recording:
        """The recording as it is now."""
        return self._source if isinstance(self._source, Recording) else self._source.recording()

    def __getattr__(self, name: str) -> TableView:
        if name in SCHEMA:
            return self.recording.table(name)
        raise AttributeError(f"a tape has no attribute {name!r}")

    def __dir__(self) -> list[Any]:
        return [*super().__dir__(), *SCHEMA]
