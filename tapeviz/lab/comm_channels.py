"""Comm channels to the pages that have a notebook of this kernel open: one for their questions, one for news.

A page opens both. Where the front end delivers messages on a subshell they are answered while a cell runs; but the
kernel hands what arrives on a channel to whichever thread sent on it last. So the thread that runs cells sends on
channels of news alone, on which pages say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import comm
from IPython.core.getipython import get_ipython

__all__ = ["PROTOCOL", "TARGET", "Bridge", "CommChannels"]

TARGET: Final = "tapeviz"
PROTOCOL: Final = 1
"""Counts up when a page that knows only the one before could not go on."""

_PAGES: Final = 16  # pages that are gone never say so


class Bridge(Protocol):
    """What answers the pages. May be called from any thread."""

    def state(self) -> dict[str, Any]:
        """What is chosen, what can be chosen, and which tape is the latest."""

    def choose(self, what: str, word: str) -> None:
        """Choose a ``"mode"`` or a ``"device"``. ValueError: it is not there."""

    def answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        """Answer any other question: fields and buffers."""


class CommChannels:
    """The channels of one kernel, from :meth:`open` to :meth:`close`."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._news: list[Any] = []
        self._all: list[Any] = []
        self._target: Callable[[Any, Mapping[str, Any]], None] = self._on_open

    def open(self) -> None:
        """Let pages come, and tell those that are here.

        What a page asks by itself waits for all cells that are queued. No output has this display id: front ends that
        do not know it pass the message over.
        """
        comm.get_comm_manager().register_target(TARGET, self._target)
        shell: Any = get_ipython()
        if shell is not None:
            shell.display_pub.publish({}, transient={"display_id": TARGET}, update=True)

    def close(self) -> None:
        """Let no more pages come, and close the channels of those that are here."""
        manager: Any = comm.get_comm_manager()
        if manager.targets.get(TARGET) is self._target:
            manager.unregister_target(TARGET, self._target)
        for channel in [*self._all]:
            self._close(channel)

    def broadcast(self) -> None:
        """Send each page the state as it is now."""
        if self._news:
            state = self._state()
            for channel in [*self._news]:
                channel.send(state)

    def _state(self) -> dict[str, Any]:
        return {**self._bridge.state(), "kind": "state", "protocol": PROTOCOL}

    def _on_open(self, channel: Any, message: Mapping[str, Any]) -> None:
        self._all.append(channel)
        channel.on_close(lambda _message: self._forget(channel))
        if message["content"]["data"].get("role") == "news":
            self._news.append(channel)
        else:
            # In the place of on_msg, around which IPython triggers post_execute, on whatever thread: a page that asks
            # while a cell runs would then make matplotlib show, and forget, the figures that the cell has begun.
            channel.handle_msg = partial(self._on_message, channel)
        for old in self._all[: -2 * _PAGES]:
            self._close(old)

    def _close(self, channel: Any) -> None:
        self._forget(channel)
        channel.close()

    def _forget(self, channel: Any) -> None:
        for channels in (self._all, self._news):
            if channel in channels:
                channels.remove(channel)

    def _on_message(self, channel: Any, message: Mapping[str, Any]) -> None:
        asked = message["content"]["data"]
        try:
            fields, buffers = self._answer(asked)
        except Exception as error:  # noqa: BLE001 - a page must get its answer, whatever went wrong here
            text = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            fields, buffers = {"error": text}, ()
        channel.send({"kind": asked.get("kind"), **fields, "request": asked.get("request")}, buffers=list(buffers))

    def _answer(self, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        kind = asked.get("kind")
        if kind == "state":
            return self._state(), ()
        if kind == "choose":
            self._bridge.choose(str(asked.get("what")), str(asked.get("word")))
            self.broadcast()
            return {}, ()
        return self._bridge.answer(asked)
