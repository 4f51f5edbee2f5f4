"""A recorded program, run again: with other values, in another precision, or up to a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.dispatch import execute
from tapeviz.engine.dtypes import DType
from tapeviz.engine.state import ThreadState, local
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensor import wrap
from tapeviz.engine.userline import is_ours
from tapeviz.engine.variable import Variable
from tapeviz.engine.watch_all_tape import EVERYTHING, WatchAllTape
from tapeviz.ops.random.seeds import seeds
from tapeviz.recorder.program import (
    Assignment,
    Backward,
    Call,
    FunctionCall,
    HostRead,
    HostWrite,
    OpCall,
    Program,
    Reference,
    ScopeBegin,
    ScopeEnd,
    TapeChange,
    VariableRead,
    Watch,
)

__all__ = ["Change", "RecordedFrames", "Rerun"]


class RecordedFrames:
    """Gives the recorder the lines on which the calls were made first, in the place of those that make them again.

    A function of the user's that is called again has its own lines.
    """

    code: Final = None

    def __init__(self) -> None:
        self._frame = SimpleNamespace(f_code=None, f_lasti=0, f_globals={}, f_back=None)

    def go_to(self, site: tuple[Any, int]) -> None:
        """What happens next happens on this line."""
        self._frame.f_code, self._frame.f_lasti = site

    def nearest(self, frame: Any) -> Any:
        """The nearest frame of the user's; that of the call that is made again, where there is none inside it."""
        while frame is not None and frame.f_code is not _MAKES_CALLS:
            if not is_ours(frame):
                return frame
            frame = frame.f_back
        return self._frame


@dataclass(slots=True)
class Change:
    """What is to be other than it was.

    ``values`` are other contents, by the numbers of tensors, and ``variables`` by those of variables, for what they are
    at the beginning. ``dtype`` is what floating-point numbers are computed in. The run ends when tensor ``until`` has
    been computed.
    """

    values: dict[int, Any] = field(default_factory=dict)
    variables: dict[int, Any] = field(default_factory=dict)
    dtype: DType | None = None
    until: int | None = None


class Rerun:
    """One run of a program that was recorded.

    Variables have their values of then while it runs, and those of now again afterwards.

    Args:
        program: the calls.
        change: what is to be other.

    ``numbers`` are the new tensors' numbers by the old ones', and ``stale`` the sites where Python read something that
    is other now: what it computed from that is as it was. ``branches`` are the sites where Python asked whether
    something holds (``if``, ``while``), and the answer is the opposite now.
    """

    def __init__(self, program: Program, change: Change) -> None:
        self.numbers: dict[int, int] = {}
        self.stale: list[tuple[Any, int]] = []
        self.branches: list[tuple[Any, int]] = []
        self.frames = RecordedFrames()
        self._program = program
        self._change = change
        self._values: dict[int, Any] = {}
        self._changed: set[int] = set()
        self._variables: dict[int, Any] = {}
        self._changed_variables: set[int] = set()
        self._begun: set[int] = set()  # variables that have a value of this run
        self._tapes: dict[int, GradientTape] = {}
        self._scopes: list[Any] = []
        self._last_uses = _last_uses(program.calls)

    def run(self, block: AbstractContextManager[Any]) -> None:
        """Make the calls inside ``block``.

        Raises:
            Exception: a call failed that had not failed before.
        """
        before, random = local.state, seeds.state()
        local.state = ThreadState()
        try:
            with self._variables_of_then(), block:
                self._make_calls()
        finally:
            local.state = before
            seeds.restore(random)

    def _make_calls(self) -> None:
        try:
            for position, call in enumerate(self._program.calls):
                self.frames.go_to(call.site)
                _MAKE[call.__class__](self, call)
                if self._change.until in self._values:
                    break
                for number in self._last_uses.get(position, ()):
                    self._values.pop(number, None)
        finally:
            for tape in self._tapes.values():
                if tape._recording:
                    tape._stop("exit")
            while self._scopes:
                self._end_scope(None)

    # Tensors.

    def _tensor(self, number: int) -> Any:
        """The tensor that stands for the one of that number."""
        known = self._values.get(number)
        if known is None:
            known = self._values[number] = self._given(number)
            self.numbers[number] = known._id
        return known

    def _given(self, number: int) -> Any:
        if number in self._change.values:
            self._changed.add(number)
            return self._replacement(self._change.values[number])
        return wrap(self._in_precision(self._program.inputs[number]))

    def _replacement(self, array: Any) -> Any:
        tensor = wrap(self._in_precision(array))
        if (observer := local.state.observer) is not None:
            observer.on_host_in(tensor, array)
        return tensor

    def _in_precision(self, array: Any) -> Any:
        dtype = self._change.dtype
        if dtype is None or getattr(array.dtype, "kind", "") != "f" or array.dtype == dtype.as_numpy_dtype:
            return array
        return array.astype(dtype.as_numpy_dtype)

    def _keep(self, numbers: Sequence[int | None], tensors: Sequence[Any], *, is_changed: bool) -> None:
        """These tensors stand for those; where another value was asked for, that does."""
        for number, tensor in zip(numbers, tensors, strict=True):
            if number is None or tensor is None:
                continue
            stands = tensor
            if number in self._change.values:
                stands = self._replacement(self._change.values[number])
            self._values[number] = stands
            self.numbers[number] = stands._id
            if is_changed or stands is not tensor:
                self._changed.add(number)

    def _is_changed(self, items: Sequence[Any]) -> bool:
        return any(
            item.number in (self._changed_variables if item.is_variable else self._changed)
            if isinstance(item, Reference) else item in self._changed
            for item in items
            if isinstance(item, (int, Reference))
        )  # fmt: skip

    def _actual(self, item: Any) -> Any:
        """The tensor or the variable that a reference stands for; anything else as it is."""
        if not isinstance(item, Reference):
            return item
        return self._variables[item.number] if item.is_variable else self._tensor(item.number)

    # Variables.

    @contextmanager
    def _variables_of_then(self) -> Iterator[None]:
        alive = [(known, known.reference()) for known in self._program.variables.values()]
        now = [(variable, variable._value) for _, variable in alive if variable is not None]
        sessions = [(session, session.variable_values) for session, _ in self._program.sessions.values()]
        try:
            for session, values in self._program.sessions.values():
                session.variable_values = values
            for number in self._program.inputs:
                if number < self._program.base:
                    self._tensor(number)
            for number, known in self._program.variables.items():
                self._begin_with(number, known)
            yield
        finally:
            for variable, value in now:
                variable._value = value
            for session, values in sessions:
                session.variable_values = values

    def _begin_with(self, number: int, known: Any) -> None:
        """Give a variable its first value; one that is gone has another in its place."""
        variable = known.reference()
        first = None if known.first is None else self._tensor(known.first)
        if known.first in self._changed:
            self._changed_variables.add(number)
        if number in self._change.variables and first is not None:
            first = self._replacement(self._change.variables[number])
            self._values[known.first] = first
            self._changed.add(known.first)
            self._changed_variables.add(number)
        if variable is None:
            variable = Variable(0.0 if first is None else first, trainable=known.trainable)
            variable._label = known.label
        if first is not None:
            variable._value = first
            self._begun.add(number)
        self._variables[number] = variable

    # The calls.

    def _op(self, call: OpCall) -> None:
        taken = [self._tensor(number) for number in call.inputs]
        if call.outputs and all(number in self._change.values for number in call.outputs):
            for number in call.outputs:
                self._values[number] = made = self._replacement(self._change.values[number])
                self.numbers[number] = made._id
                self._changed.add(number)
            return
        state = local.state
        state.backend, state.placed = call.backend, call.placed
        draws = self._change.dtype is not None and _only_draws(call, taken)
        attrs = {name: value if draws else self._attr(value) for name, value in (call.attrs or {}).items()}
        try:
            output = call.op.run(*taken, **attrs) if call.op.fast else execute(call.op, tuple(taken), attrs)
        except Exception:
            if not call.has_failed:
                raise
            return  # as it did before, and the program went on
        outputs = output if output.__class__ is tuple else (output,)
        if draws:
            outputs = tuple([self._replacement(tensor._a) for tensor in outputs])
        if call.outputs:
            self._keep(call.outputs, outputs, is_changed=self._is_changed(call.inputs))

    def _attr(self, value: Any) -> Any:
        """An attribute, which may be the dtype of what an op makes."""
        dtype = self._change.dtype
        if dtype is None:
            return value
        if isinstance(value, DType):
            return dtype if value.is_floating else value
        if isinstance(value, np.dtype):
            return dtype.as_numpy_dtype if value.kind == "f" else value
        return value

    def _function(self, call: FunctionCall) -> None:
        seeds.restore(call.random)
        captured = [tensor._id for tensor in call.captured]
        is_changed = self._is_changed([*nest.flatten(call.arguments), *captured])
        is_changed = is_changed or not self._changed_variables.isdisjoint(call.variables)
        if is_changed:
            self._changed_variables.update(call.variables)
        arguments = nest.map_structure(self._actual, call.arguments)
        with _lent(zip(call.captured, map(self._tensor, captured), strict=True)):
            result = call.function(*arguments)
        self._keep(call.outputs, nest.flatten(result), is_changed=is_changed)

    def _read(self, call: VariableRead) -> None:
        variable = self._variables[call.variable]
        if call.value in self._values and call.variable not in self._begun:
            variable._value = self._values[call.value]
        self._begun.add(call.variable)
        self._follow_value(call.value, variable._read(), call.variable)

    def _assign(self, call: Assignment) -> None:
        variable = self._variables[call.variable]
        if call.change == "made" and call.variable in self._change.variables:
            value = self._replacement(self._change.variables[call.variable])
            self._changed_variables.add(call.variable)
        else:
            value = self._tensor(call.value)
            known = self._changed_variables
            known.add(call.variable) if call.value in self._changed else known.discard(call.variable)
        variable._bind(value, call.change)
        self._begun.add(call.variable)
        self._follow_value(call.value, value, call.variable)

    def _follow_value(self, number: int, value: Any, variable: int) -> None:
        self._values[number] = value
        self.numbers[number] = value._id
        if variable in self._changed_variables:
            self._changed.add(number)

    def _change_tape(self, call: TapeChange) -> None:
        tape = self._tape(call.tape)
        if call.change in ("enter", "resume"):
            tape._start(call.change)
        elif call.change in ("exit", "stop") and tape._recording:
            tape._stop(call.change)
        elif call.change == "reset":
            tape.reset()
        elif call.change == "used":
            tape._spend()

    def _tape(self, number: int) -> GradientTape:
        if number not in self._tapes:
            known = self._program.tapes.get(number)
            if known is None:
                made = GradientTape(persistent=True)
            elif known.accessed == EVERYTHING:
                made = WatchAllTape(known.persistent)
            else:
                made = GradientTape(known.persistent, bool(known.accessed))
            self._tapes[number] = made
        return self._tapes[number]

    def _watch(self, call: Watch) -> None:
        self._tape(call.tape).watch(self._actual(call.source))

    def _backward(self, call: Backward) -> None:
        targets = [self._tensor(number) for number in call.targets]
        upstream = None if call.upstream is None else [self._actual(seed) for seed in call.upstream]
        found = self._tape(call.tape)._backward(targets, [self._actual(source) for source in call.sources], upstream)
        numbers = [number or None for number in call.gradients]
        self._keep(numbers, found, is_changed=bool(self._changed))

    def _begin_scope(self, call: ScopeBegin) -> None:
        self._scopes.append(local.state.observer.on_span_begin(call.kind, call.name, call.facts))  # type: ignore[union-attr]

    def _end_scope(self, _call: Any) -> None:
        local.state.observer.on_span_end(self._scopes.pop(), None)  # type: ignore[union-attr]

    def _write_from_host(self, call: HostWrite) -> None:
        tensor = self._tensor(call.tensor)
        local.state.observer.on_host_in(tensor, tensor._host())  # type: ignore[union-attr]

    def _read_on_host(self, call: HostRead) -> None:
        if call.tensor not in self._values and call.tensor not in self._program.inputs:
            return  # the value of a variable that a graph assigned to: no call of ours gave it
        tensor = self._tensor(call.tensor)
        array = tensor._host()
        local.state.observer.on_host_out(tensor, call.kind, array)  # type: ignore[union-attr]
        is_other = call.tensor in self._changed if call.truth is None else call.truth != bool(array)
        sites = self.stale if call.truth is None else self.branches
        if is_other and call.site not in sites:
            sites.append(call.site)


_MAKE: Final[dict[type[Call | OpCall], Callable[[Rerun, Any], None]]] = {
    OpCall: Rerun._op,
    FunctionCall: Rerun._function,
    VariableRead: Rerun._read,
    Assignment: Rerun._assign,
    TapeChange: Rerun._change_tape,
    Watch: Rerun._watch,
    Backward: Rerun._backward,
    ScopeBegin: Rerun._begin_scope,
    ScopeEnd: Rerun._end_scope,
    HostRead: Rerun._read_on_host,
    HostWrite: Rerun._write_from_host,
}


@contextmanager
def _lent(pairs: Iterable[tuple[Any, Any]]) -> Iterator[None]:
    """A block in which tensors that a function reaches by itself have the contents, and the numbers, of others."""
    own = []
    try:
        for tensor, other in pairs:
            own.append((tensor, tensor._a, tensor._i))
            tensor._a, tensor._i = other._a, other._id
        yield
    finally:
        for tensor, array, number in own:
            tensor._a, tensor._i = array, number


def _only_draws(call: OpCall, taken: Sequence[Any]) -> bool:
    """Whether an op draws random numbers from no others: in another precision it would draw other ones."""
    return call.op.family == "random" and not any(tensor.dtype.is_floating for tensor in taken)


_MAKES_CALLS: Final = Rerun._make_calls.__code__


def _last_uses(calls: Sequence[Call | OpCall]) -> dict[int, list[int]]:
    """For each call, by its position, the tensors that no later one needs."""
    last: dict[int, int] = {}
    for position, call in enumerate(calls):
        for number in _tensors_of(call):
            last[number] = position
    found: dict[int, list[int]] = {}
    for number, position in last.items():
        found.setdefault(position, []).append(number)
    return found


def _tensors_of(call: Any) -> Iterator[int]:
    """The numbers of the tensors that a call takes or gives."""
    if call.__class__ is OpCall:
        yield from (*call.inputs, *call.outputs)
        return
    for name in call.__dataclass_fields__:
        value = getattr(call, name)
        if name in ("inputs", "outputs", "targets", "gradients"):
            yield from (number for number in value if number)
        elif name in ("sources", "arguments", "upstream", "source"):
            leaves = nest.flatten(value)
            yield from (leaf.number for leaf in leaves if isinstance(leaf, Reference) and not leaf.is_variable)
        elif name in ("value", "tensor"):
            yield value
        elif name == "captured":
            yield from (tensor._id for tensor in value)
