"""Comparing two tapes: ``tapeviz.diff``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeviz.analysis.differences import Differences, differences
from tapeviz.exports import diff_html, diff_text, headline
from tapeviz.recording import Recording
from tapeviz.tape.tape import Tape

__all__ = ["Diff", "diff"]


class Diff(Differences):
    """Two tapes beside each other: a sequence of rows, one for each op; prints as where they first differ.

    ``first`` is the first row that differs by more than rounding explains, ``material`` are all of those, ``rows`` all
    there are, and ``summary`` says it in a sentence.
    """

    @property
    def summary(self) -> str:
        """The difference in one sentence."""
        return diff_text.sentence(self)

    def __repr__(self) -> str:
        return diff_text.summary(self)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return diff_html.summary(self)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def diff(a: Any, b: Any, rtol: float | None = None, atol: float | None = None) -> Diff:
    """Where two tapes of a program first differ: every op beside its partner, with its error.

    Ops are partners that are the same op on the same line, in the same run of it; lines are the same whose text is,
    though cells are numbered anew and lines have moved. Values are compared exactly where they were kept
    (``values="all"``, or the tape is of this session), else by their statistics, else shapes and dtypes alone.

    A difference is material when it is more than rounding explains: more than 4 ULP (units in the last place: the gap
    between a number and the next one that its dtype can hold) times the square root of the roundings that lie behind
    it. An elementwise op is one rounding, a sum of n numbers is n, and those of an op's inputs count, too. So what came
    in from outside has to be equal. Another shape, another dtype, NaN where the other has none, and an op that only one
    of the two has are material always; another device is no difference.

    Args:
        a: a tape, or its recording.
        b: what to compare it with.
        rtol: with it (or ``atol``) a difference is material when an element is further apart than
            ``atol + rtol * max(abs(a), abs(b))``; the one of the two that is left out is 0.
        atol: see there.

    Raises:
        TypeError: one of them is no tape.
        ValueError: a tolerance is negative.

    >>> import tapeviz as tf
    >>> def run(c):
    ...     with tf.record() as tape:
    ...         y = tf.exp(tf.constant([1.0, 2.0])) * c
    ...     return tape
    >>> found = tf.diff(run(2.0), run(2.5))
    >>> found.first.op, found.first.relative
    ('constant', 0.2)
    """
    tolerances = None if rtol is None and atol is None else (float(rtol or 0), float(atol or 0))
    if tolerances is not None and not min(tolerances) >= 0:
        raise ValueError(f"diff: rtol={rtol} and atol={atol} must not be negative")
    one, other = _taken(a, "first"), _taken(b, "second")
    arrays = one[1], other[1]
    names = _name(one[0]), _name(other[0])
    return differences(one[0], other[0], arrays=arrays, names=names, tolerances=tolerances, kind=Diff)


def _taken(tape: Any, which: str) -> tuple[Recording, Mapping[int, Any]]:
    """The recording of a tape, and what is in memory of its tensors."""
    if isinstance(tape, Tape):
        return tape.recording, tape.in_memory
    if isinstance(tape, Recording):
        return tape, {}
    hint = "; open it with tapeviz.load(path) first" if isinstance(tape, str) or hasattr(tape, "__fspath__") else ""
    raise TypeError(f"diff: the {which} is not a tape but {type(tape).__name__}{hint}")


def _name(recording: Recording) -> str:
    stopped = headline.stopped(recording)
    return " · ".join([headline.title(recording), *headline.facts(recording), *([stopped] if stopped else [])])
