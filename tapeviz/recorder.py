"""The recorder: watches the engine and keeps what it sees. The one place that knows both engine and recording.

While user code runs nothing is computed and nothing is packed: each op appends one tuple to a list, with two clock
readings, the place in the code, the numbers of the tensors, shape and dtype. What those mean is found out when the
list is packed into columns (:mod:`tapeviz.recording.packing`), every 65,536 rows and at the end.
"""

from __future__ import annotations

import functools
import gc
import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from types import CodeType
from typing import Any, Final

from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import EagerTensor
from tapeviz.hot_path import Retained, looking, nothing, user_frame, watch_any, watch_ops, watch_steps
from tapeviz.recording.backward_rows import Pass
from tapeviz.recording.memory import Memory
from tapeviz.recording.packing import Packer
from tapeviz.recording.spans import Span
from tapeviz.recording.tensor_rows import Met

__all__ = ["Policy", "Recorder"]

_PACK_ROWS: Final = 65_536
_OBJECTS: Final = 6  # for each object of the program's, with those of the recorder
_STREAM_SECONDS: Final = 0.25  # with somebody reading along, rows are packed at least this often
_number_of: Any = EagerTensor._id.__get__


@dataclass(frozen=True, slots=True)
class Policy:
    """What to keep of the tensors' contents, within how many bytes: ``none``, ``stats`` or ``all``."""

    values: str = "stats"
    budget: int = 64 * 2**20


def _timed(method: Callable[..., Any]) -> Callable[..., Any]:
    """Add the time a rare method takes to the recorder's account, once when one calls another."""

    @functools.wraps(method)
    def timed(self: Recorder, *args: Any) -> Any:
        if self._timing:
            return method(self, *args)
        t0 = perf_counter()
        self._timing = True
        try:
            return method(self, *args)
        finally:
            self._timing = False
            self.cold += perf_counter() - t0

    return timed


class Recorder:
    """An observer of one thread's engine that fills a recording.

    Args:
        packer: turns what was seen into rows.
        policy: what to keep of the tensors' contents.
        streaming: whether somebody reads along, so that rows should not wait long.
        max_ops: how many ops to keep, to the nearest 4,096; what comes after is left out, and the recording says so.
    """

    def __init__(self, packer: Packer, policy: Policy, *, streaming: bool = False, max_ops: int | None = None) -> None:
        self.packer = packer
        self._streaming = streaming
        self._most = max_ops
        self.cold = 0.0  # seconds spent on what is not an op
        self._timing = False
        self.packing = 0.0  # seconds spent on packing while the program ran
        self.tape: Any = None
        self._base = packer.base
        self._log: list[Any] = packer.log
        self._append = self._log.append
        self._old = packer.old
        self._values: set[int] = set()
        self._passes: list[Pass] = []
        self._memory = Memory()
        self._packed_at = perf_counter()
        self.retained = None if policy.values == "none" else Retained(policy.budget, self.pack_if_long)
        self.ran = watch_any(self, packer, self.retained)
        self.ran_one, self.ran_two = watch_ops(self, packer, self.retained)
        self.contributed, self.keep, self.stepped = watch_steps(packer, self.retained)

    # The hot path, one call an op, is made of closures (below); this is what it falls back on.

    def ran_many(self, op: Any, ids: Any, outputs: Any, attrs: Any, t0: float, t1: float, frame: Any) -> None:
        """Keep a row for an op with several outputs."""
        met = [Met(t._id, t._a.shape, t._a.dtype) for t in outputs]
        refs = [weakref.ref(t, self._append) for t in outputs]
        self.packer.many.append((t0, t1, op, frame.f_code, frame.f_lasti, ids, met, attrs, refs))
        if self.retained is not None:
            for tensor in outputs:
                self.retained.keep(tensor._id, tensor._a)

    @_timed
    def seeded(self, number: int, gradient: Any) -> None:
        """A backward pass begins at this forward tensor with this gradient."""
        begun = self._passes[-1]
        known = begun.adjoint.get(number)
        made = begun.adjoint[number] = gradient._id if isinstance(gradient, EagerTensor) else next_id()
        if known is None:
            self.packer.backward.seeded.append((begun, number, made))
        if self.retained is not None:
            self.retained.keep(made, getattr(gradient, "_a", gradient))

    # Tensors, variables and where they come from.

    @_timed
    def met(self, tensor: Any) -> None:
        """A tensor that was not made by a watched op got its number."""
        self.packer.met(tensor._id, tensor._a.shape, tensor._a.dtype)
        if self.retained is not None:
            self.retained.keep(tensor._id, tensor._a)

    def _meet(self, tensor: Any) -> int:
        """A tensor from before the recording gets a number of the recording's own."""
        number = self._old[tensor._id] = next_id()
        self.packer.met(number, tensor._a.shape, tensor._a.dtype)
        if self.retained is not None:
            self.retained.keep(number, tensor._a)
        return number

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor."""
        number = tensor._id
        return number if number >= self._base else self._old.get(number) or self._meet(tensor)

    def variable_changed(self, variable: Any, change: str) -> None:
        """A variable was made or assigned, or is read: its value is known as such from here."""
        if variable._value._id not in self._values:
            self._new_value(variable, change)

    @_timed
    def _new_value(self, variable: Any, change: str) -> None:
        self._values.add(variable._value._id)
        value = self.number_of(variable._value)
        place = self._place() if change == "made" else (None, 0)
        facts = self.packer.facts
        facts.later(facts.variable, variable._number, variable.name, variable.trainable, value, place)

    @_timed
    def entered(self, tensor: Any, array: Any) -> None:
        """A tensor was made from host data."""
        address = self._memory.entered(array)
        self.packer.exits.append((perf_counter(), self.number_of(tensor), "enter", *self._place(), address))

    @_timed
    def left(self, tensor: Any, kind: str, array: Any) -> None:
        """A tensor's value left the engine."""
        if not looking():
            address = self._memory.left(array)
            self.packer.exits.append((perf_counter(), self.number_of(tensor), kind, *self._place(), address))

    # Tapes and backward passes.

    @_timed
    def tape_changed(self, tape: Any, change: str) -> None:
        """A tape entered, exited, stopped, resumed, was reset or used up."""
        facts = self.packer.facts
        facts.later(facts.tape, tape._number, change, tape._persistent, tape._accessed, self._place())

    @_timed
    def watched(self, tape: Any, tensor: Any, variable: Any, automatic: bool) -> None:
        """A tape watches a tensor, or a variable by its value."""
        if variable is not None:
            self.variable_changed(variable, "read")
        self.packer.facts.later(self.packer.facts.watch, tape._number, self.number_of(tensor), automatic)

    @_timed
    def asked(self, request: Any) -> Span:
        """A backward pass begins."""
        span = self.packer.spans.begin("backward", "gradient", self._place(), tape=request.tape)
        begun = Pass(span)
        self._passes.append(begun)
        self.packer.backward.steps.append(begun)
        return span

    @_timed
    def answered(self, token: Span, request: Any, gradients: Sequence[Any], error: BaseException | None) -> None:
        """A backward pass ended: the gradients handed out are the adjoints under which they are known here."""
        begun = self._passes.pop()
        handles: list[int] = []
        target = self.number_of(request.targets[0]) if request.targets else -1
        for source, numbers, found in zip(request.sources, request.numbers, gradients, strict=False):
            gradient = -1 if found is None else self._handed_out(found, numbers, begun)
            handles.append(gradient)
            variable = source if hasattr(source, "_read") else None
            if variable is not None:
                self.variable_changed(variable, "read")
            value = self.number_of(variable._value if variable is not None else source)
            number = -1 if variable is None else variable._number
            self.packer.requests.append((token, request.tape, target, value, number, gradient))
        self.packer.spans.end(token, error)
        self.packer.facts.later(self.packer.facts.result, token.place, *handles)
        self.packer.backward.steps.append(begun)
        if self._is_late():
            self.pack()

    def _handed_out(self, gradient: Any, numbers: Sequence[int], begun: Pass) -> int:
        """A gradient that the user gets a handle on goes by the handle's number, and is released with it."""
        try:
            return int(_number_of(gradient))
        except AttributeError:  # no number yet: it is a new handle
            number = gradient._id = next_id()
        self.packer.handed_out.append((number, weakref.ref(gradient, self._append)))
        if len(numbers) == 1:
            begun.handed_out[numbers[0]] = number
        else:
            self.packer.met(number, gradient._a.shape, gradient._a.dtype, "gradient")
        return number

    # Spans, failures, pauses.

    @_timed
    def began(self, sort: str, name: str) -> Span:
        """A span began."""
        return self.packer.spans.begin(sort, name, self._place())

    @_timed
    def ended(self, token: Span, error: BaseException | None) -> None:
        """A span ended. What a module gave is named by the store that follows its call."""
        if token.sort == "module" and error is None:
            self._name_last()
        self.packer.spans.end(token, error)

    @_timed
    def failed(self, op: Any, inputs: Sequence[Any], attrs: Any, t0: float, error: BaseException) -> None:
        """An op raised: an event like any other, with a message."""
        ids = [self.number_of(tensor) for tensor in inputs]
        self.packer.failures.append((t0, perf_counter(), op, *self._place(), ids, attrs, error))

    def _name_last(self) -> None:
        """What was computed last is named by the store that follows the user's call."""
        if self._log and self._log[-1].__class__ is tuple:
            self.packer.facts.later(self.packer.facts.result, self._place(), self._log[-1][6])

    def name_if_unnamed(self, name: str, value: Any) -> None:
        """A name under which the user holds a tensor or a variable, for those that no store has named."""
        tensor = getattr(value, "_value", value) if hasattr(value, "_read") else value
        if not isinstance(tensor, EagerTensor):
            return
        try:
            number = int(_number_of(tensor))
        except AttributeError:  # without a number no op of the recording has seen it
            return
        known = self._old.get(number, number)
        if self.packer.facts.unnamed(known):
            self.packer.facts.name(perf_counter(), known, name)

    # Questions, which the tape above answers.

    def explain(self, question: str, tape: Any, *subjects: Any) -> Any:
        """Have a question about one of the engine's tapes answered from what is recorded so far."""
        return self.tape.explain(question, tape._number - self._base, *subjects)

    # Bookkeeping.

    def start(self) -> None:
        """Begin to watch what is not an op."""
        self.packer.pauses.begin()
        # The rows kept here are five times the objects that the program itself makes, and would have Python's collector
        # run that much more often than it does without a recorder.
        self._threshold = gc.get_threshold()
        gc.set_threshold(_OBJECTS * self._threshold[0], *self._threshold[1:])

    def stop(self) -> None:
        """Stop watching and pack what is left."""
        self.packer.pauses.end()
        if gc.get_threshold()[0] == _OBJECTS * self._threshold[0]:  # unless the program has set its own
            gc.set_threshold(*self._threshold)
        during = self.packing
        self.pack()
        self.packing = during  # the last time is after the program, not in it

    def pack_if_long(self, *_kept: Any) -> None:
        """Pack when enough rows have gathered; stop keeping ops when there are as many as were asked for."""
        if len(self._log) >= _PACK_ROWS or self._most is not None or self._is_late():
            self.pack()
        if self._most is not None and self.packer.ops >= self._most:
            self.packer.builder.meta("truncated", {"ops": self.packer.ops})
            self.ran = self.ran_one = self.ran_two = self.stepped = self.contributed = nothing
            self.keep = self._most = None

    def _is_late(self) -> bool:
        return self._streaming and perf_counter() - self._packed_at > _STREAM_SECONDS

    def pack(self) -> None:
        """Turn what was seen so far into columns."""
        t0 = perf_counter()
        self.packer.pack()
        self._packed_at = perf_counter()
        self.packing += self._packed_at - t0

    def _place(self) -> tuple[CodeType | None, int]:
        frame = user_frame(sys._getframe(2))[0]
        return frame.f_code, frame.f_lasti
