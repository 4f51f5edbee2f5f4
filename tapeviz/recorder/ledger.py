"""When a recorder packs, what it lets go of, and how it ends: the same whichever framework it watches."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from time import perf_counter
from types import CodeType
from typing import Any, ClassVar, Final

import numpy as np

from tapeviz.process.garbage_collector import relaxed
from tapeviz.recorder.imports import Imports
from tapeviz.recorder.op_hooks import PACK_EVERY, UserFrames, ignore
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.flush_timer import reminding
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.ring import Ring
from tapeviz.recording.rows.statistics import FIGURES

__all__ = ["Ledger", "Policy"]

_PACK_ROWS: Final = 65_536
_STREAM_SECONDS: Final = 0.25  # with somebody reading along, rows are packed at least this often


@dataclass(frozen=True, slots=True)
class Policy:
    """What to keep of the tensors' contents, within how many bytes: ``none``, ``stats`` or ``all``."""

    values: str = "stats"
    budget: int = 64 * 2**20


def _where_begun(end: Callable[..., None]) -> Callable[..., None]:
    """The same callback for spans and passes whose beginning was recorded."""
    return lambda token, *details: None if token is None else end(token, *details)


class Ledger(ABC):
    """What a recorder does beside noting what happens: a recorder is one that also has callbacks.

    Args:
        packer: turns what was seen into rows.
        store: keeps the tensors' contents; None where nothing is kept of them.
        streaming: whether somebody reads along, so that rows should not wait long.
        max_ops: how many ops to keep, to the nearest 4,096; what comes after is left out, and the recording says so.
        newest: whether it is the newest ops that are kept, and older ones are left out.
        users: finds the user's frames.
    """

    OF_OPS: ClassVar[tuple[str, ...]] = ()
    """The callbacks that end with the recording of ops; failures and the ends of what has begun stay."""
    ENDS: ClassVar[tuple[str, ...]] = ("on_span_end",)
    """The callbacks for the ends of what has begun."""

    def __init__(
        self, packer: Packer, store: ValueStore | None, *, streaming: bool = False, max_ops: int | None = None,
        newest: bool = False, users: UserFrames | None = None,
    ) -> None:  # fmt: skip
        self.packer = packer
        self.store: ValueStore | None = store
        self._streaming = streaming
        self.pack_rows: int = _PACK_ROWS
        """How many ops are packed together: more take less time, and hold the program longer."""
        self._ring = Ring(packer, max_ops) if newest and max_ops is not None else None
        self._most = None if newest else max_ops
        self.packing: float = 0.0  # seconds spent on packing while the program ran
        self.summarising: float = 0.0  # the same for statistics
        self.tape: Any = None
        self._packed_at = perf_counter()
        self._exits = ExitStack()
        self.next_pack: list[int] = [packer.base + PACK_EVERY]
        self._users = users or UserFrames()
        self._imports = Imports(packer.setups, self._users)

    @abstractmethod
    def _make_hooks(self) -> None:
        """Make what runs often, which knows the number from which on tensors are the recording's own."""

    @abstractmethod
    def look_around(self, namespace: Mapping[str, Any]) -> None:
        """See what the user's names stand for at the end, for who learns from it what things are called."""

    def start(self) -> None:
        """Begin to watch what is not an op."""
        self.packer.pauses.begin()
        self._imports.begin()
        self._exits.enter_context(relaxed())
        if self._streaming:
            self._exits.enter_context(reminding(self.next_pack, _STREAM_SECONDS))

    def drop(self) -> None:
        """Stop watching and forget what was kept: nobody will look at it."""
        self.packer.pauses.end()
        self._imports.end()
        self._exits.close()

    def stop(self) -> None:
        """Stop watching and pack what is left."""
        self.drop()
        during = self.packing
        self.summarising = 0.0 if self.store is None else self.store.seconds
        self.packer.device_times.finish()
        self.packer.pools.finish()
        if self._ring is not None:
            self._drop(self._ring)
        self.pack(is_over=True)
        if self._ring is not None:
            self._trim(self._ring)
        self.packing = during  # the last time is after the program, not in it

    def pack_if_long(self) -> None:
        """Pack when enough rows have gathered; stop keeping ops when there are as many as were asked for."""
        if self._is_in_pass():
            return
        if self._ring is not None:
            self._pack_into(self._ring)
            return
        if len(self.packer.log) >= self.pack_rows or self._most is not None or (self._streaming and self._is_late()):
            self.pack()
        if self._most is not None and self.packer.ops >= self._most:
            self.packer.builder.meta("truncated", {"ops": self.packer.ops})
            self.packer.builder.flush()  # who reads along is to know it now: nothing else is packed
            self._quieten()

    def _pack_into(self, ring: Ring) -> None:
        """Pack when there is enough of it for the ring, and have that forget the oldest when it is full twice."""
        if ring.most <= _PACK_ROWS // 2 and not ring.is_packed:
            if ring.gathered >= 2 * ring.most:
                self._drop(ring)
        elif ring.gathered >= _PACK_ROWS // 2 or ring.gathered >= ring.most:
            self.pack()
            if ring.held >= 2 * ring.most:
                self._trim(ring)

    def _drop(self, ring: Ring) -> None:
        """Forget all but the newest ops before they are packed."""
        t0 = perf_counter()
        if ring.drop():
            backward = self.packer.backward
            self._renumber(lambda key: ring.moved(key) if key > 0 else key if backward.has_kept(key) else 0)
        self.packing += perf_counter() - t0

    def _trim(self, ring: Ring) -> None:
        """Forget the rows of all but the newest ops."""
        t0 = perf_counter()
        if ring.trim():
            backward = self.packer.backward
            self._renumber(lambda key: ring.moved(backward.number_of(key)))
            backward.forget()
        self.packing += perf_counter() - t0

    def _renumber(self, moved: Callable[[int], int]) -> None:
        """Tensors have other numbers, as have the arrays that are kept."""
        if self.store is not None:
            self.store.renumber(moved)
        self._make_hooks()

    def _pack_if_long_since(self, number: int) -> None:
        """The same, where enough tensors have got their numbers since it was asked for."""
        if number > self.next_pack[0]:
            self.next_pack[0] = number + PACK_EVERY
            self.pack_if_long()

    def _quieten(self) -> None:
        """Keep no more of anything but failures, so that a program may go on for ever; what has begun may end."""
        for name in self.OF_OPS:
            setattr(self, name, ignore)
        for name in self.ENDS:
            setattr(self, name, _where_begun(getattr(self, name)))
        self._most = None
        self.packer.pauses.end()
        self._imports.end()

    def pack_if_late(self) -> None:
        """Pack when somebody reads along and rows have waited long."""
        if self._streaming and self._is_late() and not self._is_in_pass():
            self.pack()

    def _is_in(self, kind: str) -> bool:
        """Whether a span of a kind is open."""
        span = self.packer.spans.innermost
        while span is not None and span.kind != kind:
            span = span.outer
        return span is not None

    def _is_in_pass(self) -> bool:
        """Whether a backward pass is under way: what its gradients are called is known when it ends."""
        span = self.packer.spans.innermost
        return span is not None and span.backward

    def _is_late(self) -> bool:
        return perf_counter() - self._packed_at > _STREAM_SECONDS

    def pack(self, *, is_over: bool = False) -> None:
        """Turn what was seen so far into columns; statistics can wait when the program is over."""
        t0 = perf_counter()
        if self._ring is not None:
            self._ring.note_dropped()
        self.packer.pack()
        t1 = perf_counter()
        if self.store is not None and not is_over:
            self.store.summarise_if_many()
        self._packed_at = perf_counter()
        if self._ring is None:  # whose rows may yet get other numbers
            self.write_summaries()
        self.packing += t1 - t0 + perf_counter() - self._packed_at

    def summarise(self) -> None:
        """Have all that was seen so far in the recording, statistics included; in no backward pass."""
        if self.store is not None:
            self.store.settle()
            while self.store.waiting:
                self.store.summarise_some()
        self.pack()

    def write_summaries(self) -> None:
        """Make rows of the summaries taken so far, if it is known to which tensors they belong."""
        backward = self.packer.backward
        if self.store is None or not backward.is_idle:
            return
        numbers, found = self.store.summaries()
        # Those that have no number are of a step that failed.
        known = backward.numbers_of(np.array(numbers, "i8"))
        _, last = np.unique(known[::-1], return_index=True)  # some are kept under several numbers
        rows = np.sort(len(known) - 1 - last)
        rows = rows[known[rows] > 0]
        if rows.size:
            self.packer.builder.extend("stats", {
                "tensor": (known[rows] - self.packer.base).astype("i4"),
                **dict(zip(FIGURES, found.figures[rows].T, strict=True)),
                "histogram": [counts.tobytes() for counts in found.histograms[rows]],
            })  # fmt: skip
            self.packer.builder.flush()

    def _site(self) -> tuple[CodeType | None, int]:
        frame = self._users.nearest(sys._getframe(2))
        return frame.f_code, frame.f_lasti
