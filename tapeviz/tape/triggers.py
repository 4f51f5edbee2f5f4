"""What makes a loop keep the tape of a step: a filter that selects an op of it, or a function traced once more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tapeviz.analysis.query.grammar import FilterError, parse
from tapeviz.tape.tape import Tape

__all__ = ["Triggers"]

_RETRACE: Final = "retrace"


class Triggers:
    """The conditions of one loop; false where there is none.

    >>> triggers = Triggers()
    >>> triggers.add(["nan", "retrace"], keep=3)
    >>> str(triggers)
    'nan, retrace'
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.keep: int = 3

    def add(self, conditions: Sequence[str], keep: int) -> None:
        """Watch for these as well, and keep so many tapes.

        Raises:
            FilterError: one that cannot be read.
            ValueError: there is none, or none is to be kept.
        """
        if not conditions:
            raise ValueError('on() takes conditions, such as on("nan", "|g|>100", "retrace")')
        if not isinstance(keep, int) or keep < 1:
            raise ValueError(f"`keep` must be a positive integer. Received: keep={keep!r}")
        for text in conditions:
            if not parse(text):
                raise FilterError('a condition says what to look for, as in "nan", "|g|>100" or "retrace"')
        self._texts += [text for text in conditions if text not in self._texts]
        self.keep = keep

    def __bool__(self) -> bool:
        return bool(self._texts)

    @property
    def of_ops(self) -> list[str]:
        """The conditions that are asked of ops, for which a step has to be recorded as it runs."""
        return [text for text in self._texts if text != _RETRACE]

    @property
    def of_traces(self) -> bool:
        """Whether functions that are traced again are watched for."""
        return _RETRACE in self._texts

    def __str__(self) -> str:
        return ", ".join(self._texts)

    def fired(self, tape: Tape, since: int = 0) -> list[str]:
        """Those that hold for the step that a tape, or its events from one on, are of."""
        return [text for text in self._texts if (_retraced if text == _RETRACE else _selects)(tape, text, since)]


def _selects(tape: Tape, text: str, since: int) -> bool:
    return bool((np.asarray(tape.query(text).events) >= since).any())


def _retraced(tape: Tape, _text: str, since: int) -> bool:
    """Whether a function that had a trace already was traced again in the step."""
    began = float(tape.events.t0[since]) if since else 0.0
    graphs = tape.recording.graphs
    rows = zip(graphs.sort, graphs.trace.tolist(), graphs.t.tolist(), strict=True)
    return any(sort == "function" and trace > 1 and t > began for sort, trace, t in rows)
