"""A recording that keeps its newest ops: older rows are dropped now and then, and what is left is numbered anew.

What is left looks like a recording that began later, so that whoever reads it need not know. Rows are chosen by their
events: :mod:`tapeviz.recording.row_selection` says which, this module moves the numbers that are remembered between
packs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeviz.recording.reader import Recording
from tapeviz.recording.row_selection import Choice
from tapeviz.recording.rows.eviction import forget
from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.spans import Span
from tapeviz.recording.rows.tensor_numbers import carry_on
from tapeviz.recording.schema import KINDS, STATUSES

__all__ = ["Ring"]

_OP = KINDS.index("op")
_FAILED = STATUSES.index("failed")


class Ring:
    """Has a packer forget all but the newest ops.

    Args:
        packer: the packer.
        most: how many ops to keep. Up to twice as many are held, so that each op is looked at about once.
    """

    def __init__(self, packer: Packer, most: int) -> None:
        self.most = most
        self._packer = packer
        self._first = packer.base
        self._dropped = 0
        self._failures: Counter[str] = Counter()
        self._again: dict[int, int] = {}

    @property
    def held(self) -> int:
        """How many ops there are rows of."""
        return self._packer.ops - self._dropped

    def was_here(self, number: int) -> bool:
        """Whether the engine's number is of a tensor that came to life while recording."""
        return number >= self._first

    def moved(self, number: int) -> int:
        """The number that stands for one from before :meth:`trim` now, 0 for what is not kept."""
        return number if number >= self._packer.base else self._again.get(number, 0)

    @property
    def is_packed(self) -> bool:
        """Whether there are rows of events, so that what comes has to be packed, too."""
        return self._packer.rows.count > 0

    @property
    def gathered(self) -> int:
        """How many ops wait to be packed."""
        packer = self._packer
        return len(packer.log) + len(packer.backward.log) // 4 + len(packer.many)

    def drop(self) -> bool:
        """Forget what is older than so many ops, where nothing has been packed."""
        dropped = None if self.is_packed else forget(self._packer, self.most)
        if dropped is None:
            return False
        self._dropped += dropped.ops
        self._failures.update(dropped.failures)
        self._again = dropped.again
        return True

    def note_dropped(self) -> None:
        """Say what is not there, where nothing has been packed."""
        if self._dropped and not self.is_packed:
            self._packer.builder.meta("dropped", self._dropped_rows())

    def _dropped_rows(self) -> dict[str, Any]:
        return {"ops": self._dropped, "failures": dict(self._failures), "seconds": self._packer.skipped * 1e-9}

    def trim(self) -> bool:
        """Forget what is older than so many ops, where that can be done now and all is packed."""
        packer = self._packer
        if self.held <= self.most or not packer.backward.is_idle:  # a pass under way knows tensors by their numbers
            return False
        recording = packer.builder.recording()
        spans = [span.event for span in _open_spans(packer)]
        choice = Choice(recording, self.most, spans, packer.base, packer.fresh)
        self._count(recording, choice)
        packer.builder.replace({**choice.tables(), "meta": self._facts(recording, choice)})
        self._renumber(choice)
        return True

    def _count(self, recording: Recording, choice: Choice) -> None:
        events, names = recording.events, recording.ops.name
        gone = (events.kind == _OP) & ~choice.kept
        self._dropped += int(np.count_nonzero(gone))
        self._failures.update(names[row] for row in events.op[gone & (events.status == _FAILED)].tolist())

    def _facts(self, recording: Recording, choice: Choice) -> dict[str, Any]:
        """Facts about the recording: each once, and what is not there."""
        self._packer.skipped += choice.skipped
        facts = dict(zip(recording.meta.key, recording.meta.value, strict=True))
        facts["dropped"] = json.dumps(self._dropped_rows())
        return {"key": list(facts), "value": list(facts.values())}

    def _renumber(self, choice: Choice) -> None:
        packer, before, base = self._packer, self._packer.base, choice.base
        for span in _open_spans(packer):
            span.event = int(choice.events[span.event])
        packer.rebase(base)
        packer.rows.renumber(choice.event_rows)
        packer.tensors.renumber(choice.old_tensors, choice.new_tensors, choice.producers, choice.texts)
        packer.facts.renumber(choice.old_tensors, choice.new_tensors, choice.variables)
        self._again = _again(choice.old_tensors + before, choice.new_tensors + base, base)
        packer.lifetimes.renumber(self.moved)
        carry_on(packer.old, self._again, base)
        carry_on(packer.facts.tape_numbers, _again(choice.old_tapes + before, choice.new_tapes + base, base), base)


def _open_spans(packer: Packer) -> Iterator[Span]:
    """The spans that are not over, innermost first."""
    span = packer.spans.innermost
    while span is not None:
        yield span
        span = span.outer


def _again(old: np.ndarray, new: np.ndarray, base: int) -> dict[int, int]:
    """The new numbers of what was from before ``base``."""
    early = old < base
    return dict(zip(old[early].tolist(), new[early].tolist(), strict=True))
