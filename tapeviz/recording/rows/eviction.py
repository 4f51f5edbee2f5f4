"""Forgetting the oldest of what a recorder has kept and nobody has packed: it is dropped from the lists as it is.

Packing takes several times as long as keeping, so a recording of the newest ops does not pack the others. Only what is
left and speaks of something older has to be looked at: the shapes of those tensors are found before they go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from tapeviz.recording.rows.packer import Packer
from tapeviz.recording.rows.tensor_numbers import carry_on

__all__ = ["Dropped", "forget"]

_PART: Final = 4  # a part of the ops may go beyond what has to, so that what is left begins with a whole step


class Dropped(NamedTuple):
    """What was forgotten."""

    ops: int
    failures: Counter[str]
    again: dict[int, int]
    """Numbers of tensors from before, and those that they have from now on."""


def forget(packer: Packer, most: int) -> Dropped | None:
    """Forget what is older than so many ops, where none was packed; None where there is no place for a cut.

    A cut is where a tape begins to record or a span begins, in as few other spans as possible, and in no backward pass.
    """
    time = _cut_time(packer, most)
    return None if time is None else _Cut(packer, time).made()


def _cut_time(packer: Packer, most: int) -> float | None:
    others = [row[0] for rows in (packer.many, packer.failures) for row in rows]
    ops = np.sort(np.concatenate([packer.log.starts(), packer.backward.starts(), np.array(others, "f8")]))
    now = np.array([np.inf])
    if len(ops) <= most or packer.spans.depths(now)[0] < 0:  # a pass under way knows tensors by their numbers
        return None
    facts = packer.facts
    entered = [t for fact, t, details in facts.kept if fact == facts.tape and details[1] == "enter"]
    begun = [span.t0 for span in packer.spans.begun if not span.backward]
    times = np.concatenate([entered, begun, ops])
    ranks = np.repeat([0, 1, 2], [len(entered), len(begun), len(ops)])
    near = (times >= ops[-most]) & (times <= ops[most // _PART - most])
    times, ranks = times[near], ranks[near]
    depths = packer.spans.depths(times)
    score = np.where(depths >= 0, 3.0 * depths + ranks, np.inf)
    return float(times[score == score.min()].min()) if np.isfinite(score).any() else None


class _Cut:
    """A cut at a time, outside of backward passes."""

    def __init__(self, packer: Packer, time: float) -> None:
        self._packer = packer
        self._time = time
        self._shapes: dict[int, tuple[Any, Any, str]] = {row[0]: (row[1], row[2], row[3]) for row in packer.unmade}
        self._same: dict[int, int] = {}  # by gradient: a tensor of its shape
        self._tapes: set[int] = set()

    def made(self) -> Dropped:
        packer = self._packer
        numbers, shapes, dtypes = packer.log.cut(self._time, packer.lifetimes)
        self._shapes |= {n: (shape, dtype, "earlier") for n, shape, dtype in zip(numbers, shapes, dtypes, strict=True)}
        ops = len(numbers) + packer.backward.cut(self._time)
        gone = [row for row in packer.many if row[0] < self._time]
        met = [tensor for row in gone for tensor in row[6]]
        self._shapes |= {tensor.number: (tensor.shape, tensor.dtype, "earlier") for tensor in met}
        failed = Counter(row[2].name for row in packer.failures if row[0] < self._time)
        self._same = {
            row[4]: row[6][0] for row in packer.source_gradients if row[0].t0 < self._time and row[5] is not None
        }
        self._cut_rows()
        base = max([packer.base - 1, *numbers, *self._same, *(tensor.number for tensor in met)]) + 1
        again = self._renumber(base)
        packer.skipped = max(0.0, round((self._time - packer.started) * 1e9))
        ops += len(gone) + failed.total()
        packer.ops += ops
        return Dropped(ops, failed, again)

    def _cut_rows(self) -> None:
        """Drop rows that say when they were."""
        packer, time = self._packer, self._time
        for rows in (packer.many, packer.failures, packer.exits, packer.setups):
            rows[:] = [row for row in rows if row[0] >= time]
        for rows in (packer.source_gradients, packer.backward.seeds):
            rows[:] = [row for row in rows if row[0].t0 >= time]
        kept = packer.spans.cut(time)
        packer.graphs.runs = [row for row in packer.graphs.runs if row[0].t0 >= time or id(row[0]) in kept]
        packer.pauses.cut(time)
        packer.pools.cut(time)

    def _renumber(self, base: int) -> dict[int, int]:
        """Give numbers from ``base`` on to what is read and was made before."""
        packer = self._packer
        # The ``base`` so far: what is read goes by numbers from before it, too.
        resolved = packer.numbers.resolved
        read = {number: resolved(number) for number in set(self._read()) if 0 < number < base}
        again = {}
        unmade = []
        for number in sorted(set(read.values())):
            found = self._shapes.get(number) or self._shapes.get(self._resolved(number))
            if number < base and found is not None:
                again[number] = packer.fresh()
                unmade.append((again[number], *found))
        self._cut_facts(base, again)
        packer.elsewhere.update({again[n]: name for n, name in packer.elsewhere.items() if n in again})
        for number in [number for number in packer.elsewhere if number < base]:
            del packer.elsewhere[number]
        packer.unmade[:] = unmade + [row for row in packer.unmade if row[0] >= base]
        packer.graphs.node_runs[:] = [row for row in packer.graphs.node_runs if row[0] >= base]
        packer.device_times.cut(base)
        carry_on(packer.old, again, base)
        now = {number: again.get(known, known) for number, known in read.items()}
        packer.numbers.former = {number: known for number, known in now.items() if known >= base}
        packer.rebase(base)
        return again

    def _resolved(self, number: int) -> int:
        """A tensor of the same shape as a gradient that a pass gave."""
        return self._packer.numbers.resolved(self._same.get(number, 0))

    def _read(self) -> Iterator[int]:
        """The numbers of tensors that what is left speaks of."""
        packer, facts = self._packer, self._packer.facts
        yield from packer.log.read()
        yield from packer.backward.read()
        for row in (*packer.many, *packer.failures):
            yield from row[5]
        for row in packer.exits:
            yield row[1]
        for begun, *numbers, _variable, gradient, _reference, _ in packer.source_gradients:
            self._tapes.add(begun.tape)
            yield from (*numbers, gradient)
        for fact, t, details in facts.kept:
            if t >= self._time and fact == facts.watch:
                yield details[1]
            if t >= self._time and fact in (facts.watch, facts.tape):
                self._tapes.add(details[0])

    def _cut_facts(self, base: int, again: dict[int, int]) -> None:
        """Drop facts, but for those about tensors that are still spoken of and about how tapes stood."""
        facts, resolved = self._packer.facts, self._packer.numbers.resolved
        kept, stood = [], {}
        for row in facts.kept:
            fact, t, details = row
            about = details[3] if fact == facts.variable else details[1] if fact == facts.watch else -1
            known = about >= base or (about > 0 and resolved(about) in again)
            if fact == facts.tape and t < self._time and details[0] in self._tapes:
                stood[details[0], details[1]] = row
            elif t >= self._time or (known and (fact == facts.variable or details[0] in self._tapes)):
                kept.append(row)
        facts.kept[:] = sorted([*stood.values(), *kept], key=lambda row: row[1])
