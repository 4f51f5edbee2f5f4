"""The recorder's callbacks for variables, tapes and backward passes, of eager, traced and replayed steps alike.

What runs a few times a training step. Closures, as those for ops (:mod:`tapeviz.recorder.op_hooks`): a step of a small
network has as many of these as it has ops.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Protocol
from weakref import ref

from tapeviz.engine.state import next_id
from tapeviz.engine.tensor import EagerTensor
from tapeviz.recorder.op_hooks import UserFrames
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.backward_rows import MARK, Pass
from tapeviz.recording.rows.packer import Packer

__all__ = ["backward_hooks", "tape_hooks", "variable_hook"]


OnVariable = Callable[[Any, str], None]


class Recording(Protocol):
    """What these ask of their recorder."""

    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor, which may be from before it."""

    def pack_if_late(self) -> None:
        """Pack when somebody reads along and rows have waited long."""


def variable_hook(recorder: Recording, packer: Packer, users: UserFrames) -> OnVariable:
    """The observer's ``on_variable``."""
    values: set[int] = set()  # the numbers of tensors that are known to be values
    later, variable_fact, base = packer.facts.kept.append, packer.facts.variable, packer.base

    def on_variable(variable: Any, change: str) -> None:
        value = variable._value
        try:
            number = value._i
        except AttributeError:  # it has none yet
            number = value._id
        if number not in values:
            values.add(number)
            if number < base:
                number = recorder.number_of(value)
            site, stored = (None, 0), True
            if change == "made":
                frame = users.nearest(sys._getframe(2))
                site, inside = (frame.f_code, frame.f_lasti), packer.spans.innermost
                # What the user's call stores is what a layer gives, not the weights that it makes for itself.
                stored = inside is None or inside.kind != "build" or inside.site != site
            fact = (variable._number, variable._label, variable.trainable, number, site, stored)
            later((variable_fact, perf_counter(), fact))

    return on_variable


def tape_hooks(recorder: Recording, packer: Packer, on_variable: OnVariable, users: UserFrames) -> Any:
    """The observer's ``on_tape`` and ``on_watch``; ``on_variable`` is the callback of that name."""
    later, tape_fact, watch_fact = packer.facts.kept.append, packer.facts.tape, packer.facts.watch
    base, old, number_of = packer.base, packer.old.get, recorder.number_of
    nearest, getframe = users.nearest, sys._getframe

    def on_tape(number: int, change: str, persistent: bool, accessed: int, site: Any = None) -> None:
        if site is None:
            frame = nearest(getframe(2))
            site = frame.f_code, frame.f_lasti
        later((tape_fact, perf_counter(), (number, change, persistent, accessed, site)))

    def on_watch(tape: int, tensor: Any, variable: Any, automatic: bool) -> None:
        if variable is not None and not automatic:  # else it has just been read
            on_variable(variable, "read")
        number = tensor._id
        if number < base:
            number = old(number) or number_of(tensor)
        later((watch_fact, perf_counter(), (tape, number, automatic)))

    return on_tape, on_watch


def backward_hooks(
    recorder: Recording, packer: Packer, store: ValueStore | None, on_variable: OnVariable, users: UserFrames
) -> Any:
    """The observer's ``on_backward_begin``, ``on_seed`` and ``on_backward_end``."""
    spans, log, seeds = packer.spans, packer.backward.log.extend, packer.backward.seeds.append
    nearest, getframe, late = users.nearest, sys._getframe, recorder.pack_if_late
    passes: list[Pass] = []

    def on_backward_begin(request: Any, site: Any = None) -> Pass:
        if site is None:
            frame = nearest(getframe(2))
            site = frame.f_code, frame.f_lasti
        begun = spans.enter(Pass(request.tape, site, spans.innermost))
        passes.append(begun)
        log((begun, MARK, None, None))
        return begun

    def on_seed(number: int, gradient: Any) -> None:
        begun = passes[-1]
        known = begun.adjoint.get(number)
        made = begun.adjoint[number] = gradient._id if isinstance(gradient, EagerTensor) else next_id()
        if known is None:
            seeds((begun, number, made))
        if store is not None:
            store.keep_seed(made, getattr(gradient, "_a", gradient))

    add_gradients = _gradient_rows(recorder, packer, store, on_variable)

    def on_backward_end(begun: Pass, request: Any, gradients: Sequence[Any], error: BaseException | None) -> None:
        passes.pop()
        begun.fills_zeros = request.fills_zeros
        add_gradients(begun, request, gradients)
        spans.end(begun, error)
        log((begun, MARK, None if store is None else store.count(), None))
        late()

    return on_backward_begin, on_seed, on_backward_end


def _gradient_rows(
    recorder: Recording, packer: Packer, store: ValueStore | None, on_variable: OnVariable
) -> Callable[..., None]:
    """Keeps the gradient of each source of a pass."""
    base, old, number_of = packer.base, packer.old.get, recorder.number_of
    add, bury, meet = packer.source_gradients.append, packer.lifetimes.died.append, packer.met

    def add_gradients(begun: Pass, request: Any, gradients: Sequence[Any]) -> None:
        target = number_of(request.targets[0]) if request.targets else -1
        for source, numbers, gradient in zip(request.sources, request.numbers, gradients, strict=False):
            variable, value = -1, source
            if hasattr(source, "_read"):
                variable, value = source._number, source._value
                on_variable(source, "read")
            number = value._i
            if number < base:
                number = old(number) or number_of(value)
            if gradient is None:
                add((begun, target, number, variable, -1, None, numbers))
            elif hasattr(gradient, "_i"):  # it is the result of a recorded op
                add((begun, target, number, variable, gradient._i, None, numbers))
            else:
                gradient._i = made = next_id()
                add((begun, target, number, variable, made, ref(gradient, bury), numbers))
                if len(numbers) > 1:  # the sum over the values that the variable had: no step made that tensor
                    meet(made, gradient._a.shape, gradient._a.dtype, "gradient")
                    if store is not None:
                        store.keep(made, gradient._a)

    return add_gradients
