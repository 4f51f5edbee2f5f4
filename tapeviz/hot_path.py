"""The recorder's hot path: what runs once an op.

Functions made for one recording, that find everything they need in their closures: each attribute looked up and each
call more would cost as much as a tape.
"""

from __future__ import annotations

import sys
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final, Protocol

from tapeviz.engine.userline import outside
from tapeviz.recording.packing import Packer

__all__ = ["Retained", "looking", "nothing", "user_frame", "watch_any", "watch_ops", "watch_steps"]

PACK_EVERY: Final = 4_095  # whether to pack is asked when a tensor's number has these bits clear


class Recording(Protocol):
    """What the hot path asks of its recorder."""

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor, which may be from before it."""

    def pack_if_long(self, *_kept: Any) -> None:
        """Pack when enough rows have gathered."""

    def ran_many(self, op: Any, ids: Any, outputs: Any, attrs: Any, t0: float, t1: float, frame: Any) -> None:
        """Keep a row for an op with several outputs."""


@dataclass(slots=True)
class Retained:
    """Arrays kept until statistics are taken: tensors never change, so keeping a reference is enough."""

    budget: int
    on_many: Callable[[], None]
    arrays: deque[tuple[int, Any]] = field(default_factory=deque)
    nbytes: int = 0
    evicted: int = 0
    evicted_bytes: int = 0

    def keep(self, number: int, array: Any) -> None:
        """Keep this array; when the budget is used up the oldest ones go."""
        if not number & PACK_EVERY:
            self.on_many()
        self.arrays.append((number, array))
        self.nbytes += array.nbytes
        while self.nbytes > self.budget:
            _, old = self.arrays.popleft()
            self.nbytes -= old.nbytes
            self.evicted += 1
            self.evicted_bytes += old.nbytes


def watch_ops(recorder: Recording, packer: Packer, retained: Retained | None) -> Any:  # noqa: C901 - two functions
    """The observer's ``ran_one`` and ``ran_two``, as functions that find everything they need in closures.

    They repeat each other: another call an op would cost more than what it would share.
    """
    append, base, old, meet = packer.log.append, packer.base, packer.old.get, recorder.number_of
    getframe, ref = sys._getframe, weakref.ref
    keep = recorder.pack_if_long if retained is None else retained.keep
    user: Any = None  # the globals of the user's code that ran last

    def ran_one(op: Any, x: Any, output: Any, attrs: Any, t0: float, t1: float) -> None:
        nonlocal user
        frame: Any = getframe(2)
        if frame.f_globals is not user:
            if frame.f_code is getframe(1).f_code:  # the op's function called itself, having read a variable
                frame = frame.f_back
            if frame.f_globals is not user:
                frame, user = user_frame(frame)
        i, number, array = x._id, output._id, output._a
        if i < base:
            i = old(i) or meet(x)
        append((t0, t1, op, frame.f_code, frame.f_lasti, (i,), number, array.shape, array.dtype, attrs,
                ref(output, append)))  # fmt: skip
        if retained is not None or not number & PACK_EVERY:
            keep(number, array)

    def ran_two(op: Any, x: Any, y: Any, output: Any, attrs: Any, t0: float, t1: float) -> None:
        nonlocal user
        frame: Any = getframe(2)
        if frame.f_globals is not user:
            if frame.f_code is getframe(1).f_code:  # the op's function called itself, having read a variable
                frame = frame.f_back
            if frame.f_globals is not user:
                frame, user = user_frame(frame)
        i, j, number, array = x._id, y._id, output._id, output._a
        if i < base:
            i = old(i) or meet(x)
        if j < base:
            j = old(j) or meet(y)
        append((t0, t1, op, frame.f_code, frame.f_lasti, (i, j), number, array.shape, array.dtype, attrs,
                ref(output, append)))  # fmt: skip
        if retained is not None or not number & PACK_EVERY:
            keep(number, array)

    return ran_one, ran_two


def watch_any(recorder: Recording, packer: Packer, retained: Retained | None) -> Any:
    """The observer's ``ran``, for ops with any number of inputs and outputs."""
    append, meet = packer.log.append, recorder.number_of
    keep = recorder.pack_if_long if retained is None else retained.keep

    def ran(op: Any, inputs: Any, output: Any, attrs: Any, t0: float, t1: float) -> None:
        frame = user_frame(sys._getframe(2))[0]
        ids = tuple(meet(tensor) for tensor in inputs)
        if output.__class__ is tuple:
            recorder.ran_many(op, ids, output, attrs, t0, t1, frame)
            return
        array = output._a
        append((t0, t1, op, frame.f_code, frame.f_lasti, ids, output._id, array.shape, array.dtype, attrs,
                weakref.ref(output, append)))  # fmt: skip
        keep(output._id, array)

    return ran


def watch_steps(packer: Packer, retained: Retained | None) -> Any:
    """The observer's ``contributed``, ``keep`` and ``stepped``, likewise."""
    contributions = packer.backward.contributions
    step = packer.backward.steps.append
    kept = 0

    def keep(addend: Any, total: Any) -> None:
        nonlocal kept
        retained.keep(-2 * kept - 1, addend)  # type: ignore[union-attr]
        if total is not addend:
            retained.keep(-2 * kept - 2, total)  # type: ignore[union-attr]
        kept += 1

    def stepped(outs: Any, t0: float, t1: float) -> None:
        step((t0, t1, outs, len(contributions)))

    return contributions.append, None if retained is None else keep, stepped


def user_frame(frame: FrameType | None) -> tuple[Any, Any]:
    """The nearest frame of the user's, and its globals."""
    found = outside(frame) or Nowhere
    return found, found.f_globals


def nothing(*_details: Any) -> None:
    """Takes the hot path's place when no more ops are wanted."""


class Nowhere:
    """Stands for the user's frame when there is none, as in a thread of ours."""

    f_code = None
    f_lasti = 0
    f_globals: Final[dict[str, Any]] = {}


_DISPLAYS: Final = frozenset({"IPython", "ipykernel", "pprint", "reprlib"})
_DEBUGGERS: Final = frozenset({"pdb", "bdb", "debugpy", "pydevd", "_pydevd_bundle"})


def looking() -> bool:
    """Whether a debugger or a display asks, which is no part of the user's program."""
    frame = user_frame(sys._getframe(2))[0]
    asking = _package(frame), _package(getattr(frame, "f_back", None))
    return asking[0] in _DISPLAYS or not _DEBUGGERS.isdisjoint(asking)


def _package(frame: FrameType | None) -> str:
    return "" if frame is None else str(frame.f_globals.get("__name__", "")).partition(".")[0]
