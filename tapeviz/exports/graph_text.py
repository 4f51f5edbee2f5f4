"""Traced functions in words, for the summary of a recording."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from tapeviz.exports import numbers
from tapeviz.exports.graph_facts import Trace, Traced, heading, traced
from tapeviz.recording import Recording

__all__ = ["effect_text", "facts", "section", "size"]

_WIDTH: Final = 80
_FUNCTIONS, _TRACES = 4, 4


def section(recording: Recording) -> Iterator[str]:
    """The functions that were traced with their traces, each with its reason, what changed and what to do."""
    found = traced(recording)
    if not found:
        return
    yield heading(found)
    for function in found[:_FUNCTIONS]:
        yield from wrap(f"{function.name}: {facts(function)}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
        for trace in function.traces[:_TRACES]:
            yield from _lines(trace)
        if len(function.traces) > _TRACES:
            yield f"    … and {numbers.plural(len(function.traces) - _TRACES, 'more trace')}"
    if len(found) > _FUNCTIONS:
        yield f"  … and {numbers.plural(len(found) - _FUNCTIONS, 'other')}"


def facts(function: Traced) -> str:
    """How many traces and runs, and what tracing took: the same words as in the views."""
    parts = [numbers.plural(len(function.traces), "trace"), numbers.plural(function.runs, "run")]
    return ", ".join([*parts, f"{numbers.duration(function.took)} of tracing"])


def size(trace: Trace) -> str:
    """How many nodes a trace has, and how many the passes left of them."""
    left = f", {numbers.count(trace.left)} after the passes" if 0 <= trace.left != trace.nodes else ""
    return f"{numbers.plural(trace.nodes, 'node')}{left}" if trace.nodes else ""


def effect_text(effect: str) -> str:
    """Something that Python did once, in words that say so."""
    return effect if "while tracing" in effect else f"Ran once, while tracing: {effect}"


def _lines(trace: Trace) -> Iterator[str]:
    where = f" ({trace.place})" if trace.place else ""
    told = [f"{trace.number}. {trace.reason or 'traced'}{where}", *map(str, trace.changes)]
    told += [f"Fix: {trace.fix}."] if trace.fix else []
    told += [size(trace)] if trace.nodes else []
    told += map(effect_text, trace.effects)
    for at, text in enumerate(told):
        yield from wrap(text, _WIDTH, initial_indent="    " if at == 0 else "       ", subsequent_indent="       ")
