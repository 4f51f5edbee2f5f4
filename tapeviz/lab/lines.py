"""Lines to the pages that have a notebook of this kernel open: they ask on one, and are told news on another.

A page opens both. Where the front end delivers messages on a subshell they are answered while a cell runs; but the
kernel hands what arrives on a line to whichever thread sent on it last. So the thread that runs cells sends on lines of
news alone, on which pages say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import comm

__all__ = ["PROTOCOL", "TARGET", "Desk", "Lines"]

TARGET: Final = "tapeviz"
PROTOCOL: Final = 1
"""Counts up when a page that knows only the one before could not go on."""

_PAGES: Final = 16  # pages that are gone never say so


class Desk(Protocol):
    """Who answers the pages. May be asked from any thread."""

    def state(self) -> dict[str, Any]:
        """What is chosen, what can be chosen, and which tape is the latest."""

    def choose(self, what: str, word: str) -> None:
        """Choose a ``"mode"`` or a ``"device"``. ValueError: it is not there."""

    def answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """Answer any other question: fields and buffers."""


class Lines:
    """The lines of one kernel, from :meth:`open` to :meth:`close`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._news: list[Any] = []
        self._all: list[Any] = []
        self._target: Callable[[Any, Mapping[str, Any]], None] = self._opened

    def open(self) -> None:
        """Let pages come."""
        comm.get_comm_manager().register_target(TARGET, self._target)

    def close(self) -> None:
        """Let no more pages come, and hang up on those that are here."""
        manager: Any = comm.get_comm_manager()
        if manager.targets.get(TARGET) is self._target:
            manager.unregister_target(TARGET, self._target)
        for line in [*self._all]:
            self._hang_up(line)

    def tell(self) -> None:
        """Tell each page how things are now."""
        if self._news:
            state = self._state()
            for line in [*self._news]:
                line.send(state)

    def _state(self) -> dict[str, Any]:
        return {**self._desk.state(), "kind": "state", "protocol": PROTOCOL}

    def _opened(self, line: Any, message: Mapping[str, Any]) -> None:
        self._all.append(line)
        line.on_close(lambda _message: self._forget(line))
        if message["content"]["data"].get("role") == "news":
            self._news.append(line)
        else:
            # In the place of on_msg, around which IPython triggers post_execute, on whatever thread: a page that asks
            # while a cell runs would then make matplotlib show, and forget, the figures that the cell has begun.
            line.handle_msg = partial(self._asked, line)
        for old in self._all[: -2 * _PAGES]:
            self._hang_up(old)

    def _hang_up(self, line: Any) -> None:
        self._forget(line)
        line.close()

    def _forget(self, line: Any) -> None:
        for lines in (self._all, self._news):
            if line in lines:
                lines.remove(line)

    def _asked(self, line: Any, message: Mapping[str, Any]) -> None:
        asked = message["content"]["data"]
        try:
            fields, buffers = self._answer(asked)
        except Exception as error:  # noqa: BLE001 - a page must get its answer, whatever went wrong here
            text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            fields, buffers = {"error": text}, ()
        line.send({"kind": asked.get("kind"), **fields, "request": asked.get("request")}, buffers=list(buffers))

    def _answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        kind = asked.get("kind")
        if kind == "state":
            return self._state(), ()
        if kind == "choose":
            self._desk.choose(str(asked.get("what")), str(asked.get("word")))
            self.tell()
            return {}, ()
        return self._desk.answer(asked)
