"""What the recorder keeps of variables, tapes and backward passes: what runs a few times a training step.

Closures, as those of ops (:mod:`tapeviz.recorder.op_hooks`): a step of a small network has as many of these as it has
ops.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Protocol
from weakref import ref

from tapeviz.engine.state import local, next_id
from tapeviz.engine.tensor import EagerTensor
from tapeviz.recorder.op_hooks import Users
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.backward_rows import MARK, Pass
from tapeviz.recording.packer import Packer

__all__ = ["watch_passes", "watch_tapes", "watch_variables"]


Changed = Callable[[Any, str], None]


class Recording(Protocol):
    """What these ask of their recorder."""

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor, which may be from before it."""

    def pack_if_late(self) -> None:
        """Pack when somebody reads along and rows have waited long."""


def watch_variables(recorder: Recording, packer: Packer, users: Users) -> Changed:
    """The observer's ``variable_changed``."""
    values: set[int] = set()  # the numbers of tensors that are known to be values
    later, variable_fact, base = packer.facts.kept.append, packer.facts.variable, packer.base

    def variable_changed(variable: Any, change: str) -> None:
        value = variable._value
        try:
            number = value._i
        except AttributeError:  # it has none yet
            number = value._id
        if number not in values:
            values.add(number)
            if number < base:
                number = recorder.number_of(value)
            place, stored = (None, 0), True
            if change == "made":
                frame = users.nearest(sys._getframe(2))
                place, inside = (frame.f_code, frame.f_lasti), packer.spans.innermost
                # What the user's call stores is what a layer gives, not the weights that it makes for itself.
                stored = inside is None or inside.sort != "build" or inside.place != place
            fact = (variable._number, variable._label, variable.trainable, number, place, stored)
            later((variable_fact, perf_counter(), fact))

    return variable_changed


def watch_tapes(recorder: Recording, packer: Packer, changed: Changed, users: Users) -> Any:
    """The observer's ``tape_changed`` and ``watched``; ``changed`` is its ``variable_changed``."""
    later, tape_fact, watch_fact = packer.facts.kept.append, packer.facts.tape, packer.facts.watch
    base, old, number_of = packer.base, packer.old.get, recorder.number_of
    nearest, getframe = users.nearest, sys._getframe

    def tape_changed(tape: Any, change: str) -> None:
        frame = nearest(getframe(2))
        place = frame.f_code, frame.f_lasti
        later((tape_fact, perf_counter(), (tape._number, change, tape._persistent, tape._accessed, place)))

    def watched(tape: Any, tensor: Any, variable: Any, automatic: bool) -> None:
        if variable is not None and not automatic:  # else it has just been read, and that was told
            changed(variable, "read")
        number = tensor._i
        if number < base:
            number = old(number) or number_of(tensor)
        later((watch_fact, perf_counter(), (tape._number, number, automatic)))

    return tape_changed, watched


def watch_passes(recorder: Recording, packer: Packer, store: ValueStore | None, changed: Changed, users: Users) -> Any:
    """The observer's ``asked``, ``seeded`` and ``answered``; ``changed`` is its ``variable_changed``."""
    spans, log, seeds = packer.spans, packer.backward.log.extend, packer.backward.seeded.append
    nearest, getframe, late = users.nearest, sys._getframe, recorder.pack_if_late
    passes: list[Pass] = []

    def asked(request: Any) -> Pass:
        frame = nearest(getframe(2))
        begun = spans.enter(Pass(request.tape, (frame.f_code, frame.f_lasti), spans.innermost))
        passes.append(begun)
        log((begun, MARK, None, None))
        return begun

    def seeded(number: int, gradient: Any) -> None:
        begun = passes[-1]
        known = begun.adjoint.get(number)
        made = begun.adjoint[number] = gradient._id if isinstance(gradient, EagerTensor) else next_id()
        if known is None:
            seeds((begun, number, made))
        if store is not None:
            store.keep(made, getattr(gradient, "_a", gradient))

    give = _giving(recorder, packer, store, changed)

    def answered(begun: Pass, request: Any, gradients: Sequence[Any], error: BaseException | None) -> None:
        passes.pop()
        give(begun, request, gradients)
        spans.end(begun, error)
        log((begun, MARK, None if store is None else store.count(), None))
        late()

    return asked, seeded, answered


def _giving(recorder: Recording, packer: Packer, store: ValueStore | None, changed: Changed) -> Callable[..., None]:
    """Keeps what a pass gave for each source."""
    base, old, number_of = packer.base, packer.old.get, recorder.number_of
    answer, bury, met = packer.answers.append, packer.lifetimes.died.append, packer.met

    def give(begun: Pass, request: Any, gradients: Sequence[Any]) -> None:
        fresh = not local.state.tapes  # else they are results of recorded ops
        target = number_of(request.targets[0]) if request.targets else -1
        for source, numbers, found in zip(request.sources, request.numbers, gradients, strict=False):
            variable, value = -1, source
            if hasattr(source, "_read"):
                variable, value = source._number, source._value
                changed(source, "read")
            number = value._i
            if number < base:
                number = old(number) or number_of(value)
            if found is None:
                answer((begun, target, number, variable, -1, None, numbers))
            elif fresh:
                found._i = gradient = next_id()
                answer((begun, target, number, variable, gradient, ref(found, bury), numbers))
                if len(numbers) > 1:  # the sum over the values that the variable had: no step made that tensor
                    met(gradient, found._a.shape, found._a.dtype, "gradient")
                    if store is not None:
                        store.keep(gradient, found._a)
            else:
                answer((begun, target, number, variable, found._id, None, numbers))

    return give
