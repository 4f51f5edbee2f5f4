"""What the recorders of other frameworks have in common: spans, places, stops, names and the end."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Mapping
from itertools import count
from time import perf_counter
from typing import Any, ClassVar, Final

from tapeviz.recorder.ledger import Ledger, Policy
from tapeviz.recorder.statistics_kernel import summary_kernel
from tapeviz.recorder.stops import Moment, Stopped
from tapeviz.recorder.value_store import ValueStore
from tapeviz.recording.rows.host_addresses import Memory
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.spans import Span

__all__ = ["ForeignRecorder", "fresh"]

fresh: Final[Callable[[], int]] = count(1).__next__
"""Gives a number that no tensor has had."""


class ForeignRecorder(Ledger):
    """Fills a recording with what one thread does with another framework.

    Args:
        packer: turns what was seen into rows.
        policy: what to keep of the tensors' contents.
        options: those of :class:`Ledger`.
    """

    OF_OPS: ClassVar[tuple[str, ...]] = ("on_span_begin", "on_host_in", "note")

    def __init__(self, packer: Packer, policy: Policy, **options: Any) -> None:
        store = None if policy.values == "none" else ValueStore(policy.budget, lambda array: array, summary_kernel)
        super().__init__(packer, store, **options)
        self.memory: Memory = Memory()
        self.quiet: int = 0  # depth of calls that are noted as a whole
        self.is_full: bool = False
        """Whether there are as many ops as were asked for: nothing is kept any more but failures."""
        self._ask: Callable[[Moment], None] | None = None

    # What a framework says.

    @abstractmethod
    def number_of(self, tensor: Any) -> int:
        """The recording's number of a tensor as it is now."""

    @abstractmethod
    def look_up(self, item: Any) -> int | None:
        """The number of a tensor that the recording knows; None for anything else."""

    @abstractmethod
    def variable_of(self, item: Any) -> int | None:
        """The number of the variable that a tensor or variable is, -1 for another tensor; None for anything else."""

    @abstractmethod
    def elements_of(self, tensor: Any) -> Any:
        """The elements of a tensor as an array of their own; None where it has none to give."""

    @abstractmethod
    def device_of(self, tensor: Any) -> str:
        """The device of a tensor, as a recording calls it."""

    def note(self, *details: Any, **more: Any) -> Any:
        """Note an op that was not seen as one, where a framework has such."""

    # What runs when something happens.

    def on_span_begin(self, kind: str, name: str, facts: Mapping[str, Any]) -> Span:
        """A span begins."""
        return self.packer.spans.begin(kind, name, self.site_above(), facts)

    def on_span_end(self, token: Span | None, error: BaseException | None) -> None:
        """A span ended."""
        if token is not None:
            self.packer.spans.end(token, error)

    def on_host_in(self, tensor: Any, array: Any) -> None:
        """A tensor was made from an array or a number."""
        self.quiet += 1
        number = self.number_of(tensor)
        self.quiet -= 1
        self.packer.exits.append((perf_counter(), number, "enter", *self.site_above(), self.memory.entered(array)))

    def failed(self, op: Any, ids: list[int], attrs: Any, t0: float, error: Exception) -> None:
        """A call raised."""
        self.packer.failures.append((t0, perf_counter(), op, *self.site_above(), ids, attrs, error))

    def site_above(self) -> tuple[Any, int]:
        """The user's line that runs."""
        frame = self._users.nearest(sys._getframe(1))
        return frame.f_code, frame.f_lasti

    # Stopping.

    def stop_where(self, text: str, holds: Callable[[Moment], bool]) -> None:
        """Raise `Stopped` at the first op for which a condition holds."""

        def ask(moment: Moment) -> None:
            if holds(moment):
                self._ask = None
                raise Stopped(text, moment)

        self._ask = ask

    @property
    def is_asked(self) -> bool:
        """Whether somebody wants to be asked after each op."""
        return self._ask is not None

    def ask(self, name: str, phase: str, tensors: Any, arrays: Any, seconds: float, line: int) -> None:
        """Ask whether the program is to stop here."""
        if self._ask is None:
            return
        known = tuple(self.elements_of(t) if a is None else a for t, a in zip(tensors, arrays, strict=True))
        around, span = [], self.packer.spans.innermost
        while span is not None:
            around.append(span.name)
            span = span.outer
        devices = tuple(map(self.device_of, tensors))
        self._ask(Moment(name, phase, line, seconds, known, devices, tuple(around)))

    # Names and the end.

    def name_if_unnamed(self, name: str, value: Any) -> None:
        """A name under which the user holds a tensor, for those that no store has named."""
        if (number := self.look_up(value)) is not None:
            known = self.packer.old.get(number, number)
            if self.packer.facts.unnamed(known):
                self.packer.facts.name(perf_counter(), known, name)

    def numbers_of(self, item: Any) -> tuple[int, int] | None:
        """The numbers, counted from the recording's beginning, of a tensor and of the variable that it is."""
        variable = self.variable_of(item)
        if variable is None:
            return None
        number = self.look_up(item)
        found = -1 if number is None else self.packer.old.get(number, number) - self.packer.base
        return found if found >= 0 and self.packer.tensors.known(found) else -1, variable

    def _quieten(self) -> None:
        super()._quieten()
        self.is_full = True

    def stop(self) -> None:
        """End: what still runs until the block has ended is ours, not the user's."""
        self.quiet += 1
        super().stop()
