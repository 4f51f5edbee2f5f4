"""``tapeviz.retraces``: why a function was traced, each time."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tapeviz.engine.userline import cell_number
from tapeviz.functions.function import Function
from tapeviz.functions.traces import Change

__all__ = ["Retrace", "Retraces", "retraces"]

_MILLI = 1000.0


@dataclass(frozen=True, slots=True)
class Site:
    """A line of the user's code. ``cell`` is the number of the notebook cell, None outside one."""

    file: str
    line: int
    cell: int | None

    def __str__(self) -> str:
        return f"cell [{self.cell}], line {self.line}" if self.cell is not None else f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Retrace:
    """One trace of a function.

    ``reason`` is a sentence. ``changes`` are the parts of the arguments that were others than in the nearest earlier
    trace; ``argument`` is the first of them, ``before`` and ``after`` what it was; empty for a first trace. ``seconds``
    is what the trace cost, AutoGraph included, ``calls`` how often it has been used, ``fix`` what to do, empty where
    nothing needs doing.
    """

    number: int
    reason: str
    argument: str
    before: str
    after: str
    site: Site | None
    seconds: float
    calls: int
    fix: str
    changes: tuple[Change, ...] = ()


class Retraces(Sequence[Retrace]):
    """The traces of a function, the first one first. Prints as a table."""

    def __init__(self, name: str, rows: list[Retrace], made: int = 1) -> None:
        self.name = name
        self._rows = rows
        self._made = made

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: Any) -> Any:
        return self._rows[position]

    def __iter__(self) -> Iterator[Retrace]:
        return iter(self._rows)

    @property
    def sentence(self) -> str:
        """How often it was traced and called, and what that cost, in one sentence."""
        calls = sum(row.calls for row in self._rows)
        if not self._rows:
            return f"{self.name} has not been traced yet: call it first."
        cost = sum(row.seconds for row in self._rows) * _MILLI
        times = f"{len(self._rows)} time{'s' if len(self._rows) > 1 else ''}"
        told = f"{self.name} was traced {times} in {calls} call{'s' if calls != 1 else ''}, which took {cost:.1f} ms."
        if self._made > 1:
            told += (
                f" It is one of {self._made} functions made by the same lines, each of which is traced by itself: "
                "make it once, outside of the loop."
            )
        return told

    def __repr__(self) -> str:
        lines = [self.sentence]
        for row in self._rows:
            place = f"  {row.site}" if row.site is not None else ""
            calls = f"{row.calls} call{'s' if row.calls != 1 else ''}"
            lines.append(f"  {row.number}. {row.reason}{place}  ({row.seconds * _MILLI:.1f} ms, {calls})")
            if row.fix:
                lines.append(f"     to avoid it: {row.fix}")
        return "\n".join(lines)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        heads = ("trace", "why", "before", "now", "line", "cost", "calls", "what to do")
        rows = [
            (row.number, row.reason, "; ".join(change.before or "—" for change in row.changes),
             "; ".join(change.after or "—" for change in row.changes), row.site or "", f"{row.seconds * _MILLI:.1f} ms",
             row.calls, row.fix)
            for row in self._rows
        ]  # fmt: skip
        style = "text-align:left;vertical-align:top;white-space:normal;overflow-wrap:anywhere;padding:2px 8px"
        head = "".join(f'<th scope="col" style="{style}">{text}</th>' for text in heads)
        body = "".join(
            "<tr>" + "".join(f'<td style="{style}">{html.escape(str(cell))}</td>' for cell in cells) + "</tr>"
            for cells in rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
        return f"<p>{html.escape(self.sentence)}</p>{table}"


def retraces(function: Any) -> Retraces:
    """Why a function was traced, each time: what changed, where it was called, what it cost, what to do.

    Args:
        function: what ``tapeviz.function`` gave.

    Raises:
        TypeError: it is something else.

    >>> import tapeviz as tf
    >>> @tf.function
    ... def f(x, n):
    ...     return x * n
    >>> _ = f(tf.constant(1.0), 2), f(tf.constant(1.0), 3)
    >>> tf.retraces(f)[1].reason
    'n is a Python value that changed: 3 instead of 2'
    """
    if not isinstance(function, Function):
        raise TypeError(f"{function!r} is not a tapeviz.function, so it is never traced")
    rows = [
        Retrace(
            trace.number, trace.reason, trace.argument, trace.before, trace.after, _site(trace),
            trace.seconds + trace.converting, trace.calls, trace.fix, trace.changes,
        )
        for trace in function.traces
    ]  # fmt: skip
    return Retraces(function.name, rows, function.made_alike)


def _site(trace: Any) -> Site | None:
    code = trace.code
    if code is None:
        return None
    positions = list(code.co_positions())
    place = trace.instruction // 2
    line = (positions[place][0] if 0 <= place < len(positions) else None) or code.co_firstlineno
    return Site(code.co_filename, line, cell_number(code.co_filename))
