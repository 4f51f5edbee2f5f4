"""The client's end of the links to the replicas: it measures their clocks, and adds their arrays where MPI does not."""

from __future__ import annotations

import secrets
import threading
import time
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, Pipe, wait
from typing import Any, Final, NamedTuple

import numpy as np

__all__ = ["Clock", "Hub", "answered"]

_PINGS: Final = 50
_GONE: Final = (EOFError, OSError)


class Clock(NamedTuple):
    """By how many seconds a process' wall clock is ahead of this one's, and by how many that may be wrong."""

    ahead: float
    residual: float


def answered(link: Connection) -> None:
    """Answer the pings that a new link begins with: the time here."""
    for _ in range(_PINGS):
        link.recv()
        link.send(time.time_ns())


def _measured(link: Connection) -> Clock:
    """A clock by the ping with the smallest round trip: its answer was given somewhere within that."""
    best: tuple[float, float] = (float("inf"), 0.0)
    for _ in range(_PINGS):
        before = time.time_ns()
        link.send(None)
        there = link.recv()
        after = time.time_ns()
        best = min(best, (after - before, (2 * there - before - after) / 2))
    return Clock(best[1] / 1e9, best[0] / 2e9)


class Hub:
    """Waits for the replicas' links, and then serves them in a thread, program after program.

    In a program each replica sends arrays to be added, and None when it has left. A replica whose link ends has died:
    the others' arrays are added without it.

    Args:
        count: how many replicas there will be.
    """

    def __init__(self, count: int) -> None:
        self.key: bytes = secrets.token_bytes(32)
        self._listener = Listener(("127.0.0.1", 0), backlog=count, authkey=self.key)
        self.address: Any = self._listener.address
        self.clocks: dict[int, Clock] = {}
        self.lost: list[int] = []
        """The ranks of replicas that have died, in that order."""
        self._links: dict[int, Connection] = {}
        self._closed, self._closing = Pipe(duplex=False)
        self._serving: threading.Thread | None = None
        self._accepting = threading.Thread(target=self._accept, args=(count,), daemon=True)
        self._accepting.start()

    def _accept(self, count: int) -> None:
        while len(self._links) < count:
            try:
                link = self._listener.accept()
                rank = link.recv()
                self.clocks[rank], self._links[rank] = _measured(link), link
            except (AuthenticationError, EOFError, ConnectionError):  # none of ours
                continue
            except OSError:  # closed before all were there
                return
        self._listener.close()

    def start(self) -> None:
        """Serve, now that all replicas have their links."""
        self._accepting.join()
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()

    @property
    def ranks(self) -> list[int]:
        """The replicas that are alive."""
        return sorted(self._links)

    def close(self) -> None:
        """End the links."""
        self._listener.close()
        self._closing.close()
        if self._serving is not None:
            self._serving.join()

    def _serve(self) -> None:
        while self._links and self._serve_program():
            pass
        for link in self._links.values():
            link.close()
        self._links.clear()

    def _serve_program(self) -> bool:
        """Add arrays until all have left; False where the hub was closed before."""
        inside, left = set(self._links), list[int]()
        sent: dict[int, tuple[np.ndarray, str]] = {}
        while inside:
            awaited: dict[Any, int] = {self._links[rank]: rank for rank in inside - sent.keys()}
            ready: list[Any] = wait([*awaited, self._closed])
            if self._closed in ready:
                return False
            for rank in [awaited[link] for link in ready]:
                try:
                    said = self._links[rank].recv()
                except _GONE:
                    inside.discard(rank)
                    self._bury(rank)
                    continue
                if said is None:
                    inside.discard(rank)
                    left.append(rank)
                else:
                    sent[rank] = said
            if sent and sent.keys() == inside:
                self._answer(sent, left)
                inside &= self._links.keys()
                sent = {}
        return True

    def _answer(self, sent: dict[int, tuple[np.ndarray, str]], left: list[int]) -> None:
        """Send the sum or the mean of arrays, each replica's place among those that are left, and how many they are."""
        ranks = sorted(sent)
        forms = {
            rank: f"{array.dtype.name} {list(array.shape)}"
            for rank, (array, _) in sorted(sent.items(), key=lambda one: one[0])
        }
        refused = ""
        if left:
            refused = f"rank {left[0]} has left the program while rank {ranks[0]} waits for it in an all_reduce"
        elif len(set(forms.values())) > 1:
            refused = f"the ranks' arrays are not alike: {forms}"
        total = sent[ranks[0]][0]
        if not refused:
            for rank in ranks[1:]:
                total = total + sent[rank][0]
            if sent[ranks[0]][1] == "mean":
                total = (total / len(ranks)).astype(total.dtype)
        for place, rank in enumerate(ranks):
            try:
                self._links[rank].send(refused or (total, place, len(ranks)))
            except _GONE:
                self._bury(rank)

    def _bury(self, rank: int) -> None:
        self.lost.append(rank)
        self._links.pop(rank).close()
