"""What ran, call by call, so that it can run again: kept where a recording is asked for its inputs.

The calls that an observer gets are noted with what they need to be made again: declarations, attributes, the numbers of
tensors, lines. Contents are kept of inputs alone, which is what no noted call has made. What Python did between the
calls is not known.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FunctionType
from typing import Any, Final, NamedTuple

from tapeviz.engine import nest
from tapeviz.engine.state import local
from tapeviz.engine.tensor import EagerTensor
from tapeviz.engine.variable import Variable
from tapeviz.ops.random.seeds import seeds
from tapeviz.recorder.op_hooks import UserFrames, is_inspection

__all__ = [
    "Assignment", "Backward", "FunctionCall", "HostRead", "HostWrite", "OpCall", "Program", "Reference", "ScopeBegin",
    "ScopeEnd", "TapeChange", "VariableRead", "Watch",
]  # fmt: skip

Site = tuple[Any, int]
"""A code object of the user's, and an instruction of it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Stands for a tensor, by its number, or for a variable, by its own."""

    number: int
    is_variable: bool = False


@dataclass(slots=True)
class Call:
    """Something that happened on a line of the user's."""

    site: Site


class OpCall(NamedTuple):
    """An op ran, on a device; or it failed. A tuple: there are as many of these as ops."""

    site: Site
    op: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attrs: Mapping[str, Any] | None
    backend: Any
    placed: bool
    has_failed: bool = False


@dataclass(slots=True)
class FunctionCall(Call):
    """A function was called that runs again as a whole: a traced graph, or one with a gradient of the user's own.

    ``captured`` are the tensors, and ``variables`` the variables, that it reaches without being given them.
    """

    function: Callable[..., Any]
    arguments: Any
    captured: tuple[Any, ...]
    variables: tuple[int, ...]
    random: Any
    outputs: tuple[int | None, ...] = ()


@dataclass(slots=True)
class VariableRead(Call):
    """A variable was read; it had this value."""

    variable: int
    value: int


@dataclass(slots=True)
class Assignment(Call):
    """A variable was "made" with this value, or "assigned" it."""

    variable: int
    value: int
    change: str


@dataclass(slots=True)
class TapeChange(Call):
    """A gradient tape changed, as the observer's ``on_tape`` says it."""

    tape: int
    change: str
    persistent: bool
    accessed: int


@dataclass(slots=True)
class Watch(Call):
    """A tape was told to watch a tensor or a variable."""

    tape: int
    source: Reference


@dataclass(slots=True)
class Backward(Call):
    """A backward pass: targets, sources and what it began with, and the gradients by the sources (0 for None)."""

    tape: int
    targets: tuple[int, ...]
    sources: tuple[Reference, ...]
    upstream: Any
    gradients: tuple[int, ...] = ()


@dataclass(slots=True)
class ScopeBegin(Call):
    """A span began."""

    kind: str
    name: str
    facts: Mapping[str, Any]


@dataclass(slots=True)
class ScopeEnd(Call):
    """The innermost span ended."""


@dataclass(slots=True)
class HostRead(Call):
    """Python read a tensor's value, by ``.numpy()``, ``int()``, ...; ``truth`` is what ``bool()`` gave."""

    tensor: int
    kind: str
    truth: bool | None = None


@dataclass(slots=True)
class _KnownVariable:
    """A variable that took part; it may be gone by now."""

    reference: weakref.ref[Any]
    label: str
    trainable: bool
    first: int | None
    """The number of the value that it had at the beginning; None where a call has made that."""


@dataclass(slots=True)
class HostWrite(Call):
    """A tensor was made from host data."""

    tensor: int


# What these spans hold happens once, not each time that the program runs.
_ONCE: Final = frozenset(("plan", "trace"))


@dataclass(slots=True)
class Program:
    """The calls of a recording in their order, and the contents of its inputs by the numbers of the tensors.

    ``base`` is the number from which on tensors were made while it was recorded.
    """

    base: int = 0
    calls: list[Call | OpCall] = field(default_factory=list)
    inputs: dict[int, Any] = field(default_factory=dict)
    variables: dict[int, _KnownVariable] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    tapes: dict[int, TapeChange] = field(default_factory=dict)
    """How each tape was first entered; gradients of one from before the recording are inputs."""
    sessions: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Sessions by their identity, and the values that their variables had at the beginning."""
    inside: int = 0  # calls that are noted as a whole, and hold the one that runs
    _open: list[tuple[Any, Any]] = field(default_factory=list)
    users: UserFrames = field(default_factory=UserFrames)

    def follow(self, observer: Any) -> None:
        """Note the calls that this observer gets from now on, behind its own callbacks."""
        self.base = observer.packer.base
        for name in _NOTED:
            if name in _BY_NAME:
                setattr(observer, name, _BY_NAME[name](self, getattr(observer, name)))
            elif name in _AROUND:
                setattr(observer, name, partial(getattr(self, f"_{name}"), getattr(observer, name)))
            else:
                setattr(observer, name, _behind(getattr(observer, name), getattr(self, f"_{name}"), self))
        observer.on_call_begin, observer.on_call_end = self._on_call_begin, self._on_call_end

    # Tensors and variables.

    def number(self, tensor: Any) -> int:
        """The number of a tensor; its contents are kept where no call has made it."""
        number: int = tensor._id
        if number not in self.known:
            self.known.add(number)
            self.inputs[number] = tensor._a
        return number

    def _variable(self, variable: Any) -> int:
        """The number of a variable. When it is met first, its value of now is an input, unless a call has made that."""
        number: int = variable._number
        if number not in self.variables:
            value = variable._value
            first = None if value._id in self.known else self.number(value)
            self.variables[number] = _KnownVariable(
                variable._ref_weakly(), variable._label, variable.trainable, first
            )  # fmt: skip
        return number

    def _reference(self, item: Any) -> Any:
        if isinstance(item, Variable):
            return Reference(self._variable(item), is_variable=True)
        return Reference(self.number(item)) if isinstance(item, EagerTensor) else item

    def _made(self, tensors: Sequence[Any]) -> tuple[int, ...]:
        numbers = tuple([tensor._id for tensor in tensors])
        self.known.update(numbers)
        return numbers

    def _site(self) -> Site:
        frame = self.users.nearest(sys._getframe(2))
        return frame.f_code, frame.f_lasti

    # The callbacks.

    def _on_op(self, op: Any, inputs: Any, output: Any, attrs: Any, *_: Any) -> None:
        self._add_op(op, inputs, output if output.__class__ is tuple else (output,), attrs)

    def _on_op_error(self, op: Any, inputs: Any, attrs: Any, *_: Any) -> None:
        self._add_op(op, inputs, (), attrs, has_failed=True)

    def _add_op(self, op: Any, inputs: Any, outputs: Any, attrs: Any, *, has_failed: bool = False) -> None:
        state = local.state
        taken = tuple([self.number(tensor) for tensor in inputs])
        self.calls.append(
            OpCall(self._site(), op, taken, self._made(outputs), attrs, state.backend, state.placed, has_failed)
        )

    def _on_variable(self, hook: Any, variable: Any, change: str) -> None:
        hook(variable, change)
        if isinstance(type(variable)._value, property):
            return  # whose values sessions keep
        number = self._variable(variable)  # also inside calls, which may give it another value later
        (value,) = self._made([variable._value])
        if self.inside:
            return
        self.calls.append(
            VariableRead(self._site(), number, value) if change == "read"
            else Assignment(self._site(), number, value, change)
        )  # fmt: skip

    def _on_tape(self, number: int, change: str, persistent: bool, accessed: int, *_: Any) -> None:
        call = TapeChange(self._site(), number, change, persistent, accessed)
        self.calls.append(call)
        self.tapes.setdefault(number, call)

    def _on_watch(self, tape: int, tensor: Any, variable: Any, automatic: bool) -> None:
        if not automatic:  # else it follows from the read
            self.calls.append(Watch(self._site(), tape, self._reference(tensor if variable is None else variable)))

    def _on_host_in(self, tensor: Any, _array: Any) -> None:
        self.calls.append(HostWrite(self._site(), self.number(tensor)))

    def _on_host_out(self, tensor: Any, kind: str, array: Any) -> None:
        if not is_inspection():
            truth = array if array.__class__ is bool else None
            self.calls.append(HostRead(self._site(), self.number(tensor), kind, truth))

    def _on_span_begin(self, begin: Any, kind: str, name: str, facts: Mapping[str, Any]) -> Any:
        token = begin(kind, name, facts)
        is_part = self.inside > 0 or kind in _ONCE
        self._open.append((token, None if is_part else self._site()))
        if is_part:
            self.inside += 1
        else:
            self.calls.append(ScopeBegin(self._site(), kind, name, facts))
        return token

    def _on_span_end(self, end: Any, token: Any, error: BaseException | None) -> None:
        end(token, error)
        site = self._closed(token)
        if site is None:
            self.inside -= 1
        else:
            self.calls.append(ScopeEnd(site))

    def _closed(self, token: Any) -> Any:
        """What was noted when what this token is of began."""
        at = next(at for at in range(len(self._open) - 1, -1, -1) if self._open[at][0] is token)
        return self._open.pop(at)[1]

    def _on_backward_begin(self, begin: Any, request: Any, *site: Any) -> Any:
        token = begin(request, *site)
        call = None
        if not self.inside and request.tape in self.tapes:
            upstream = None if request.seeds is None else [self._reference(seed) for seed in request.seeds]
            targets = tuple([self.number(target) for target in request.targets])
            sources = tuple([self._reference(source) for source in request.sources])
            call = Backward(self._site(), request.tape, targets, sources, upstream)
            self.calls.append(call)
        self._open.append((token, call))
        self.inside += 1
        return token

    def _on_backward_end(self, end: Any, token: Any, request: Any, gradients: Sequence[Any], error: Any) -> None:
        end(token, request, gradients, error)
        self.inside -= 1
        if (call := self._closed(token)) is not None:
            call.gradients = tuple([0 if g is None else self._made([g])[0] for g in gradients])

    def _on_call_begin(self, function: Any, arguments: Any) -> Any:
        owner = getattr(function, "__self__", None)
        if owner is not None and hasattr(owner, "variable_values"):
            self.sessions.setdefault(id(owner), (owner, owner.variable_values))
            variables: tuple[int, ...] = ()
        else:
            variables = tuple([self._variable(variable) for variable in getattr(owner, "variables", ())])
        call = None
        if not self.inside:
            captured = tuple(_captured(function) if owner is None else getattr(owner, "captured", ()))
            for tensor in captured:
                self.number(tensor)
            given = nest.map_structure(self._reference, arguments)
            call = FunctionCall(self._site(), function, given, captured, variables, seeds.state())
            self.calls.append(call)
        self.inside += 1
        return call

    def _on_call_end(self, call: Any, result: Any) -> None:
        self.inside -= 1
        if call is not None:
            given = nest.flatten(result)
            call.outputs = tuple([self._made([g])[0] if isinstance(g, EagerTensor) else None for g in given])


def _captured(function: Any) -> list[Any]:
    """The tensors that a Python function, and those it calls by name, find in their closures and among the globals."""
    found: dict[int, Any] = {}
    waiting, known = [function], set()
    while waiting:
        code = getattr(one := waiting.pop(), "__code__", None)
        if code is None or id(one) in known:
            continue
        known.add(id(one))
        cells = [cell.cell_contents for cell in one.__closure__ or () if _has_contents(cell)]
        for item in (*cells, *(one.__globals__.get(name) for name in code.co_names)):
            if isinstance(item, EagerTensor):
                found[id(item)] = item
            elif isinstance(item, FunctionType) and not item.__module__.startswith("tapeviz"):
                waiting.append(item)
    return list(found.values())


def _has_contents(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - it raises where there are none
    except ValueError:
        return False
    return True


_NOTED: Final = (
    "on_backward_begin", "on_backward_end", "on_binary_op", "on_host_in", "on_host_out", "on_op", "on_op_error",
    "on_span_begin", "on_span_end", "on_tape", "on_unary_op", "on_variable", "on_watch",
)  # fmt: skip


_AROUND: Final = frozenset((
    "on_backward_begin", "on_backward_end", "on_span_begin", "on_span_end", "on_variable",
))  # fmt: skip
"""Those whose notes are taken around the callback, or inside calls that are noted as a whole, too."""


# The next two run once an op, and repeat each other like those that they run behind.


def _unary(program: Program, callback: Callable[..., None]) -> Callable[..., None]:
    add, known, learn, users, getframe = (
        program.calls.append, program.known, program.known.add, program.users, sys._getframe
    )  # fmt: skip

    def on_unary_op(
        op: Any, x: Any, i: int, number: int, array: Any, output: Any, attrs: Any, t0: float, t1: float
    ) -> None:
        callback(op, x, i, number, array, output, attrs, t0, t1)
        if program.inside:
            return
        frame: Any = getframe(2)
        if frame.f_code is not users.code:
            frame = users.nearest(frame)
        if i not in known:
            program.number(x)
        learn(number)
        state = local.state
        add(OpCall((frame.f_code, frame.f_lasti), op, (i,), (number,), attrs, state.backend, state.placed))

    return on_unary_op


def _binary(program: Program, callback: Callable[..., None]) -> Callable[..., None]:
    add, known, learn, users, getframe = (
        program.calls.append, program.known, program.known.add, program.users, sys._getframe
    )  # fmt: skip

    def on_binary_op(
        op: Any, x: Any, y: Any, i: int, j: int, number: int, array: Any, output: Any, attrs: Any, t0: float, t1: float
    ) -> None:
        callback(op, x, y, i, j, number, array, output, attrs, t0, t1)
        if program.inside:
            return
        frame: Any = getframe(2)
        if frame.f_code is not users.code:
            frame = users.nearest(frame)
        if i not in known:
            program.number(x)
        if j not in known:
            program.number(y)
        learn(number)
        state = local.state
        add(OpCall((frame.f_code, frame.f_lasti), op, (i, j), (number,), attrs, state.backend, state.placed))

    return on_binary_op


_BY_NAME: Final = {"on_unary_op": _unary, "on_binary_op": _binary}


def _behind(callback: Callable[..., None], note: Callable[..., None], program: Program) -> Callable[..., None]:
    """The callback, and behind it the note, unless what happens is part of a call that is noted as a whole."""

    def both(*details: Any) -> None:
        callback(*details)
        if not program.inside:
            note(*details)

    return both
