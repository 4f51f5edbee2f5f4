"""Traced functions as a piece of HTML without scripts, for the summary of a recording."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from tapeviz.exports import graph_text, numbers
from tapeviz.exports.graph_facts import Change, Trace, heading, traced
from tapeviz.recording import Recording

__all__ = ["section"]

_FUNCTIONS, _TRACES = 4, 6
_LIST: Final = "list-style: none; margin: 2px 0 6px; padding: 0 0 0 14px"


def section(recording: Recording) -> Iterator[str]:
    """The functions that were traced with their traces: the reason for each, what changed, what it cost."""
    found = traced(recording)
    if not found:
        return
    yield f'<p style="margin: 6px 0 2px"><strong>{heading(found)}</strong></p>'
    for function in found[:_FUNCTIONS]:
        told = escape(graph_text.facts(function))
        yield f'<p style="margin: 2px 0"><code>{escape(function.name)}</code> &nbsp; {told}</p>'
        yield f'<ul style="{_LIST}">'
        yield from (f'<li style="margin: 2px 0">{_trace(trace)}</li>' for trace in function.traces[:_TRACES])
        if len(function.traces) > _TRACES:
            yield f"<li>… and {numbers.plural(len(function.traces) - _TRACES, 'more trace')}</li>"
        yield "</ul>"
    if len(found) > _FUNCTIONS:
        yield f'<p style="margin: 2px 0">… and {numbers.plural(len(found) - _FUNCTIONS, "other")}</p>'


def _trace(trace: Trace) -> str:
    where = f" ({escape(str(trace.place))})" if trace.place else ""
    figures = [f"{numbers.duration(trace.took)}", numbers.plural(trace.runs, "run"), graph_text.size(trace)]
    parts = [
        f"{trace.number}. {escape(trace.reason.rstrip('.'))}{where}: {escape(', '.join(filter(None, figures)))}",
        *(f"<br>{_change(change)}" for change in trace.changes),
        f"<br><span>Fix: {escape(trace.fix)}.</span>" if trace.fix else "",
        *(f"<br><span>{escape(graph_text.effect_text(effect))}</span>" for effect in trace.effects),
    ]
    return "".join(parts)


def _change(change: Change) -> str:
    before = f"<del>{escape(change.before)}</del>" if change.before else "new"
    after = f"<strong>{escape(change.after)}</strong>" if change.after else "gone"
    return f"<code>{escape(change.argument)}</code>: {before} → {after}"
