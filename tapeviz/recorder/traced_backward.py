"""What the recorder keeps of tapes and backward passes inside traced graphs, when these run node by node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.backward_rows import MARK, Pass
from tapeviz.recording.packer import Packer

__all__ = ["TracedBackward"]


class TracedBackward:
    """Keeps them as those of an eager program are kept. Tensors are eager ones, tapes go by fresh numbers."""

    def __init__(self, packer: Packer, store: ValueStore | None, number_of: Callable[[Any], int]) -> None:
        self._packer = packer
        self._store = store
        self._number_of = number_of
        self._passes: list[Pass] = []

    def tape(self, number: int, change: str, persistent: bool, accessed: int, place: Any) -> None:
        """Something changed about a tape."""
        facts = self._packer.facts
        facts.kept.append((facts.tape, perf_counter(), (number, change, persistent, accessed, place)))

    def watched(self, tape: int, tensor: Any, automatic: bool) -> None:
        """A tape was told to watch a tensor."""
        facts = self._packer.facts
        facts.kept.append((facts.watch, perf_counter(), (tape, self._number_of(tensor), automatic)))

    def asked(self, tape: int, place: Any) -> None:
        """A backward pass begins."""
        spans = self._packer.spans
        begun = spans.enter(Pass(tape, place, spans.innermost))
        self._passes.append(begun)
        self._packer.backward.log.extend((begun, MARK, None, None))

    def seeded(self, tensor: Any, gradient: Any) -> None:
        """The pass begins at ``tensor``, with this gradient."""
        begun, number, made = self._passes[-1], self._number_of(tensor), self._number_of(gradient)
        if begun.adjoint.get(number) is None:
            self._packer.backward.seeded.append((begun, number, made))
        begun.adjoint[number] = made
        if self._store is not None:
            self._store.keep(made, gradient._a)

    def contributed(self, tensor: Any, position: int, addend: Any, whole: Any) -> None:
        """A step added to the gradient of ``tensor``; ``whole`` is the sum, None where the addend is all there is."""
        total = 0 if whole is None else self._number_of(whole)
        self._packer.backward.log.extend((self._number_of(tensor), position, self._number_of(addend), total))
        if self._store is not None:
            self._store.contributed.extend((addend._a, (addend if whole is None else whole)._a))

    def stepped(self, tensors: Sequence[Any], t0: float, t1: float) -> None:
        """One op's part of a pass is done: of that which made these tensors."""
        numbers = tuple(map(self._number_of, tensors))
        self._packer.backward.log.extend((numbers[0] if len(numbers) == 1 else numbers, -1, t0, t1))

    def answered(self, target: Any, answers: Sequence[tuple[Any, Sequence[Any], Any]]) -> None:
        """The pass ended; ``answers`` are variable (or None), the tensors whose gradients were added up, gradient."""
        begun = self._passes.pop()
        packer, of = self._packer, self._number_of
        for variable, sources, gradient in answers:
            packer.answers.append((
                begun, -1 if target is None else of(target), of(sources[-1]),
                -1 if variable is None else variable._number, -1 if gradient is None else of(gradient), None,
                [of(source) for source in sources],
            ))  # fmt: skip
        packer.spans.end(begun, None)
        packer.backward.log.extend((begun, MARK, None if self._store is None else self._store.count(), None))
