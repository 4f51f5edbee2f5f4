"""The recorder's callbacks for ops: what runs once an op.

Functions made for one recording, that find everything they need in their closures: each attribute looked up and each
call more would cost as much as a tape.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final, Protocol
from weakref import ref

from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.userline import ours, outside
from tapeviz.recorder.value_store import MANY, ValueStore
from tapeviz.recording.rows.packer import Packer

__all__ = [
    "UserFrames", "binary_op_hook", "ignore", "is_inspection", "op_hook", "shares_memory", "unary_op_hook", "vjp_hooks",
]  # fmt: skip

PACK_EVERY: Final = 4_096  # whether to pack is asked when tensors' numbers have grown by as much


class Recording(Protocol):
    """What these ask of their recorder."""

    next_pack: list[int]
    """The tensor number from which on it wants to be asked whether to pack."""

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor, which may be from before it."""

    def pack_if_long(self) -> None:
        """Pack when enough rows have gathered."""

    def add_many(
        self, op: Any, inputs: Any, ids: Any, outputs: Any, attrs: Any, t0: float, t1: float, site: Any
    ) -> None:
        """Keep a row for an op with several outputs."""

    def add_node(self, node: Any, output: Any) -> tuple[tuple[Any, int], dict[str, Any]]:
        """Keep that a node of a graph ran; its site and its attributes."""


class NoFrame:
    """Stands for the user's frame when there is none, as in a thread of ours."""

    f_code = None
    f_lasti = 0
    f_globals: Final[dict[str, Any]] = {}


class UserFrames:
    """Finds the frames of the user's code. :attr:`code` is what ran last, by which most are known at once."""

    __slots__ = ("code",)

    def __init__(self) -> None:
        self.code: Any = None

    def nearest(self, frame: Any) -> Any:
        """The nearest frame of the user's, from this one up."""
        while frame is not None and id(frame.f_globals) in ours:
            frame = frame.f_back
        if frame is None or frame.f_code is not self.code:
            frame = outside(frame) or NoFrame
            self.code = frame.f_code
        return frame


def shares_memory(array: Any, other: Any) -> bool:
    """Tell whether an op's output is a view of an input's memory, or that array itself, and no copy."""
    base = getattr(array, "base", None)  # lists have none
    return array is other or base is other or (base is not None and base is getattr(other, "base", None))


# The next two repeat each other: another call an op would cost more than what it would share.


def unary_op_hook(recorder: Recording, packer: Packer, store: ValueStore | None, users: UserFrames, depth: int) -> Any:
    """The observer's ``on_unary_op``, called ``depth`` frames below the user's in most cases."""
    add, died, base, old, meet = packer.log.add, packer.lifetimes.died, packer.base, packer.old.get, recorder.number_of
    own = packer.own_memory.append
    getframe, bury, nearest, pack = sys._getframe, died.append, users.nearest, recorder.pack_if_long
    limit = recorder.next_pack
    new: list[Any] = [] if store is None else store.new
    large, keep = 0 if store is None else store.large, new.extend

    def on_unary_op(
        op: Any, x: Any, i: int, number: int, array: Any, output: Any, attrs: Any, t0: float, t1: float
    ) -> None:
        frame: Any = getframe(depth)
        code = frame.f_code
        if code is not users.code:
            frame = nearest(frame)
            code = frame.f_code
        if i < base:
            i = old(i) or meet(x)
        add((t0, t1, op, code, frame.f_lasti, i, 0, number, array.shape, array.dtype, attrs, ref(output, bury),
             len(died)))  # fmt: skip
        if op.aliases and not shares_memory(array, x._a):
            own(number)
        if store is not None:
            keep((number, array))
            if array.nbytes > large or len(new) > MANY:
                store.settle()
        if number > limit[0]:
            limit[0] = number + PACK_EVERY
            pack()

    return on_unary_op


def binary_op_hook(recorder: Recording, packer: Packer, store: ValueStore | None, users: UserFrames, depth: int) -> Any:
    """The observer's ``on_binary_op``, called ``depth`` frames below the user's in most cases."""
    add, died, base, old, meet = packer.log.add, packer.lifetimes.died, packer.base, packer.old.get, recorder.number_of
    getframe, bury, nearest, pack = sys._getframe, died.append, users.nearest, recorder.pack_if_long
    limit = recorder.next_pack
    new: list[Any] = [] if store is None else store.new
    large, keep = 0 if store is None else store.large, new.extend

    def on_binary_op(
        op: Any, x: Any, y: Any, i: int, j: int, number: int, array: Any, output: Any, attrs: Any, t0: float, t1: float
    ) -> None:
        frame: Any = getframe(depth)
        code = frame.f_code
        if code is not users.code:
            frame = nearest(frame)
            code = frame.f_code
        if i < base:
            i = old(i) or meet(x)
        if j < base:
            j = old(j) or meet(y)
        add((t0, t1, op, code, frame.f_lasti, i, j, number, array.shape, array.dtype, attrs, ref(output, bury),
             len(died)))  # fmt: skip
        if store is not None:
            keep((number, array))
            if array.nbytes > large or len(new) > MANY:
                store.settle()
        if number > limit[0]:
            limit[0] = number + PACK_EVERY
            pack()

    return on_binary_op


def op_hook(recorder: Recording, packer: Packer, store: ValueStore | None, users: UserFrames) -> Any:
    """The observer's ``on_op``, for ops with any number of inputs and outputs."""
    add, died, base, meet = packer.log.add, packer.lifetimes.died, packer.base, recorder.number_of
    own, bury, elsewhere, limit = packer.own_memory.append, died.append, packer.elsewhere, recorder.next_pack

    def on_op(op: Any, inputs: Any, output: Any, attrs: Any, t0: float, t1: float, node: Any = None) -> None:
        if node is None:
            frame = users.nearest(sys._getframe(2))
            site = frame.f_code, frame.f_lasti
        else:
            site, attrs = recorder.add_node(node, output)
        ids = tuple([i if (i := tensor._id) >= base else meet(tensor) for tensor in inputs])
        if output.__class__ is tuple:
            recorder.add_many(op, inputs, ids, output, attrs, t0, t1, site)
            return
        array = output._a
        if output.__class__ is not EagerTensor:
            elsewhere[output._i] = output._backend.name
        add((t0, t1, op, *site, ids, -1, output._i, array.shape, array.dtype, attrs, ref(output, bury), len(died)))
        if op.aliases and not any(shares_memory(array, tensor._a) for tensor in inputs):
            own(output._i)
        if store is not None:
            store.keep(output._i, array)
        if output._i > limit[0] and node is None:  # the span around nodes asks for it when it ends
            limit[0] = output._i + PACK_EVERY
            recorder.pack_if_long()

    return on_op


def vjp_hooks(packer: Packer, store: ValueStore | None) -> tuple[Any, Any]:
    """The observer's ``on_vjp`` and ``on_addend``."""
    log = packer.backward.log.extend
    if store is None:
        return log, None
    contributed, large, settle = store.contributed, store.large, store.settle

    def on_vjp(step: Any) -> None:
        log(step)
        if contributed and (contributed[-1].nbytes > large or len(contributed) > MANY):
            settle()

    return on_vjp, contributed.extend


def ignore(*_details: Any, **_more: Any) -> None:
    """Takes a callback's place when no more calls are wanted."""


_DISPLAYS: Final = frozenset({"IPython", "ipykernel", "pprint", "reprlib"})
_DEBUGGERS: Final = frozenset({"pdb", "bdb", "debugpy", "pydevd", "_pydevd_bundle"})


def is_inspection() -> bool:
    """Whether a debugger or a display asks, which is no part of the user's program."""
    frame = outside(sys._getframe(2))
    asking = _package(frame), _package(getattr(frame, "f_back", None))
    return asking[0] in _DISPLAYS or not _DEBUGGERS.isdisjoint(asking)


def _package(frame: FrameType | None) -> str:
    return "" if frame is None else str(frame.f_globals.get("__name__", "")).partition(".")[0]
