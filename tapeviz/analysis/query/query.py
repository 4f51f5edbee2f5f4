"""Finding events and tensors: the filter of the views, in Python.

The grammar is in ``docs/filter.md``; the views read it the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.links import Links
from tapeviz.analysis.query.grammar import FilterError, parse
from tapeviz.analysis.query.hints import hint_of
from tapeviz.analysis.query.masks import masks_of
from tapeviz.recording import Recording
from tapeviz.recording.schema import PHASES
from tapeviz.recording.terminal_text import visible

__all__ = ["FilterError", "Selection", "select"]

_SHOWN: Final = 10


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """The events and tensors that a filter holds for; prints as a list of the first ones.

    Attributes:
        text: the filter.
        events: ids of the events, in the order of the recording.
        tensors: ids of the tensors.
        hint: what to write instead, where a term holds for nothing; else empty.
    """

    text: str
    events: NDArray[np.int32]
    tensors: NDArray[np.int32]
    hint: str
    _links: Links = field(compare=False)

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[int]:
        return iter(self.events.tolist())

    def __bool__(self) -> bool:
        return bool(len(self.events) or len(self.tensors))

    def __repr__(self) -> str:
        head = f"{self.text or 'everything'}: {_count(self.events, 'event')}, {_count(self.tensors, 'tensor')}"
        rows = np.flatnonzero(np.isin(self._links.recording.events.id, self.events[:_SHOWN]))
        lines = [self._line(int(row)) for row in rows]
        rest = len(self.events) - len(lines)
        last = [f"  … and {rest:,} more"] if rest else [f"  {self.hint}"] if self.hint else []
        return visible("\n".join([head, *lines, *last]))

    def _line(self, row: int) -> str:
        recording = self._links.recording
        event = recording.events[row]
        sign = "∇ " if event.phase == PHASES.index("backward") else ""
        title = self._links.spans[row][1] if row in self._links.spans else _at(recording.ops.name, event.op)
        site = f"line {recording.sites.line[event.site]}" if 0 <= event.site < len(recording.sites) else ""
        return f"  #{event.id:<6} {sign + title:<20} {site:<9} {event.dur / 1e3:>10,.1f} us".rstrip()


def select(recording: Recording, text: str) -> Selection:
    """The events and tensors for which every term of a filter holds.

    Args:
        recording: what to look in.
        text: such as ``op:matmul |g|<1e-6 line:9``; an empty one selects everything. Keys are op, name, line, shape,
            dtype, device, module, phase, wrt (with a colon), ``|g|`` and dur (compared) and nan; other words are looked
            for in names. See ``docs/filter.md``.

    Raises:
        FilterError: a filter that cannot be read, in one line with a hint.

    Example::

        select(recording, "op:matmul dur>1ms").events
    """
    links = Links(recording)
    events, tensors = np.ones(links.events, np.bool_), np.ones(links.tensors, np.bool_)
    hints = []
    for term in parse(text):
        of_events, of_tensors = masks_of(links, term)
        if not (term.negated or of_events.any() or of_tensors.any()):
            hints.append(hint_of(links, term))
        events &= of_events
        tensors &= of_tensors
    hint = "; ".join(filter(None, hints))
    return Selection(text, recording.events.id[events], recording.tensors.id[tensors], hint, links)


def _count(ids: NDArray[Any], noun: str) -> str:
    return f"{len(ids):,} {noun}{'' if len(ids) == 1 else 's'}"


def _at(texts: list[str], row: int) -> str:
    return texts[row] if 0 <= row < len(texts) else "?"
