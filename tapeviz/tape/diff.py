"""Comparing two tapes: ``tapeviz.diff``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import tapeviz
from tapeviz.analysis.differences import Differences, differences
from tapeviz.analysis.verdicts import with_verdicts
from tapeviz.exports import diff_html, diff_rows, diff_text, headline
from tapeviz.recording import Recording
from tapeviz.tape.display import notebook, publish
from tapeviz.tape.tape import Tape

__all__ = ["Diff", "diff"]


class Diff(Differences):
    """Two tapes beside each other: a sequence of rows, one for each op; prints as where they first differ.

    ``first`` is the first row that differs by more than rounding explains, ``material`` are all of those, ``rows`` all
    there are, and ``summary`` says it in a sentence. In a notebook it shows both tapes beside each other, opened at the
    first difference; where there is none it says so in a line.
    """

    _tapes: tuple[Tape, Tape]
    _widget: Any = None

    @property
    def tapes(self) -> tuple[Tape, Tape]:
        """The two tapes."""
        return self._tapes

    @property
    def view(self) -> Any:
        """Both tapes beside each other, as a widget that composes with others; the same one until it is closed."""
        if self._widget is None or self._widget.comm is None:
            one, other = self._tapes
            self._widget = tapeviz.widgets.DiffWidget(
                self._for_page, partial(diff_rows.details, self), (one.answer, other.answer),
                summary=str(self), row=-1 if self.first is None else self.first.index,
            )  # fmt: skip
        return self._widget

    def _for_page(self) -> tuple[Mapping[str, Any], list[bytes]]:
        """What a page begins with."""
        asked = {"kind": "ready"}
        return diff_rows.fields(self), [bytes_ for tape in self._tapes for bytes_ in tape.answer(asked)[1]]

    def save(self, path: str | Path, view: str = "flow") -> Path:
        """Write the difference to a self-contained page, which shows both tapes without a kernel.

        Args:
            path: an ``.html`` file.
            view: the view that both are shown in: ``"flow"``, ``"timeline"`` or ``"code"``.

        Returns:
            The path written to.

        Raises:
            ValueError: another suffix, or another view.

        Example::

            tapeviz.diff(before, after).save("change.html")
        """
        target = Path(path)
        if target.suffix.lower() != ".html":
            raise ValueError(f"cannot save to {str(path)!r}: a difference is saved as .html, a page")
        known = tapeviz.widgets.diff_widget.DIFF_VIEWS
        if view not in known:
            raise ValueError(f"view={view!r}: a difference is shown as {', '.join(known)}")
        one, other = (with_verdicts(tape.recording) for tape in self._tapes)
        tapeviz.exports.diff_page.write(self, (one, other), target, view)
        return target

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

    def _ipython_display_(self) -> None:
        """Show the views, and the table that stands in for them where no kernel answers."""
        shell = notebook()
        if shell is None or self.first is None or self.unlike:
            raise NotImplementedError  # IPython then takes what there is to say
        page = diff_html.summary(self, self.view.stand_in)
        publish(shell, self.view, self.summary, page, repr(self))


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
    recordings = one.recording, other.recording
    arrays = one.in_memory, other.in_memory
    names = _name(recordings[0]), _name(recordings[1])
    found = differences(*recordings, arrays=arrays, names=names, tolerances=tolerances, kind=Diff)
    found._tapes = one, other
    return found


def _taken(tape: Any, which: str) -> Tape:
    if isinstance(tape, Tape):
        return tape
    if isinstance(tape, Recording):
        return Tape(tape)
    hint = "; open it with tapeviz.load(path) first" if isinstance(tape, str) or hasattr(tape, "__fspath__") else ""
    raise TypeError(f"diff: the {which} is not a tape but {type(tape).__name__}{hint}")


def _name(recording: Recording) -> str:
    stopped = headline.stopped(recording)
    return " · ".join([headline.title(recording), *headline.facts(recording), *([stopped] if stopped else [])])
