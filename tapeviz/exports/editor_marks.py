"""What the editor of a notebook cell shows of a recording: marks beside its lines, and what its names stood for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.line_figures import LineFigures, line_figures
from tapeviz.analysis.verdicts import with_verdicts
from tapeviz.exports import numbers
from tapeviz.recording import Recording

__all__ = ["editor_marks"]

_EVENTS: Final = 200  # of a line, to step through with clicks
_GRADIENTS: Final = {"gradient_none": "none", "vanishing": "vanishing", "exploding": "exploding", "nonfinite": "nan"}


def editor_marks(recording: Recording) -> dict[str, Any]:
    """Marks of a recording as JSON holds them: how many findings there are of each grade, its cells and its names.

    ``cells`` has each cell that ran while recording with its ``number``, its ``text`` and its marked ``lines``. A line
    counts from 1 in the text, a magic included. It has the findings about it, gravest first, its ``figures`` in words,
    the ids of its first ``events``, its ``part`` of the time of the cell's slowest line, and whether it is that
    (``slowest``: where there are others). ``names`` has what each name of the user's stood for last.
    """
    judged = with_verdicts(recording)
    lines = [(place, figures) for place, figures in line_figures(judged).items() if place[0] >= 0]
    found = list(_findings(judged))
    cells = [
        {
            "number": int(judged.cells.number[cell]),
            "text": judged.cells.text[cell],
            "lines": _lines(
                int(judged.cells.first[cell]) - 1,
                {line: figures for (of, _, line), figures in lines if of == cell},
                [(line, finding) for of, line, finding in found if of == cell],
            ),
        }
        for cell in range(len(judged.cells))
    ]
    severity = judged.verdicts.severity
    grades = [int((severity == grade).sum()) for grade in (1, 2, 3)]
    return {"findings": grades, "cells": cells, "names": _names(judged)}


def _lines(
    above: int, figures: dict[int, LineFigures], found: list[tuple[int, dict[str, Any]]]
) -> list[dict[str, Any]]:
    slowest = max(figures, key=lambda line: figures[line].ns, default=-1)
    most = figures[slowest].ns if figures else 0.0
    rows = []
    for line in sorted({*figures, *(at for at, _ in found)}):
        of = figures.get(line)
        about = [finding for at, finding in found if at == line]
        rows.append(
            {
                "line": line + above,
                "findings": sorted(about, key=lambda finding: -finding["severity"]),
                "figures": [] if of is None else _figures(of),
                "events": [] if of is None else of.events[:_EVENTS],
                "part": of.ns / most if of is not None and most > 0 else 0.0,
                "slowest": line == slowest and len(figures) > 1,
            }
        )
    return rows


def _figures(of: LineFigures) -> list[str]:
    """Ops, time and bytes of a line, in words."""
    said = [f"{numbers.plural(of.forward, 'op')} forward in {numbers.duration(of.forward_ns)}"] if of.forward else []
    if of.backward:
        said.append(f"{numbers.count(of.backward)} backward in {numbers.duration(of.backward_ns)}")
    return [*said, f"{numbers.bytes_(of.nbytes)} made"] if of.nbytes else said


def _findings(recording: Recording) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The cell, the line and the words of each finding that is about a line of a cell."""
    verdicts, sites = recording.verdicts, recording.sites
    for row in range(len(verdicts)):
        site = int(verdicts.site[row])
        if not 0 <= site < len(sites) or sites.cell[site] < 0:
            continue
        finding = {
            "kind": verdicts.kind[row], "health": _GRADIENTS.get(verdicts.kind[row], ""),
            "severity": int(verdicts.severity[row]), "text": verdicts.text[row], "fix": verdicts.fix[row],
            "event": int(verdicts.event[row]), "tensor": int(verdicts.tensor[row]),
        }  # fmt: skip
        yield int(sites.cell[site]), int(sites.line[site]), finding


def _names(recording: Recording) -> dict[str, dict[str, Any]]:
    """For each name of the user's what the tensor was that had it last."""
    graph = graph_of(recording)
    variables = recording.tensors.variable
    latest: dict[str, int] = {}
    for tensor, name in graph.names.items():
        if tensor >= 0:
            latest[name] = max(tensor, latest.get(name, -1))
    return {name: _named(graph, tensor, int(variables[tensor])) for name, tensor in latest.items()}


def _named(graph: Graph, tensor: int, variable: int) -> dict[str, Any]:
    """Shape, dtype, range and gradient of a tensor, in words, and the event to look at."""
    said = [numbers.spec(graph.shape(tensor), graph.dtype(tensor))]
    if variable >= 0:
        said[0] = f"variable, {said[0]}"
    facts = [said[0], *_range(graph, int(graph.links.stats[tensor])), _gradient(graph, tensor, variable)]
    maker = int(graph.links.producer[tensor])
    made = "" if maker < 0 or variable >= 0 else f"made by {graph.op(maker)}"
    place = graph.place(graph.site(maker)) if made else None
    return {
        "facts": [fact for fact in facts if fact],
        "made": f"{made} in {place}" if place is not None else made,
        "event": int(graph.recording.events.id[maker]) if maker >= 0 else -1,
        "tensor": int(graph.recording.tensors.id[tensor]),
    }


def _range(graph: Graph, row: int) -> list[str]:
    """From where to where its elements go, and how many are no numbers."""
    stats = graph.recording.stats
    if row < 0:
        return ["its elements were not looked at"]
    low, high, mean = (float(column[row]) for column in (stats.min, stats.max, stats.mean))
    said = []
    if low == high:
        said.append(numbers.number(low))
    elif not math.isnan(low):
        said.append(f"{numbers.number(low)} … {numbers.number(high)}, mean {numbers.number(mean)}")
    for word, column in (("NaN", stats.nan), ("+inf", stats.posinf), ("−inf", stats.neginf)):
        if column[row]:
            said.append(f"{numbers.count(column[row])} {word}")
    return [", ".join(said)] if said else []


def _gradient(graph: Graph, tensor: int, variable: int) -> str:
    """Its gradient in the last backward pass that came to it, or why there is none."""
    tables = graph.recording
    requests = tables.requests
    number = int(tables.tensors.id[tensor])
    asked = np.flatnonzero(requests.variable == variable if variable >= 0 else requests.source == number)
    gradient = int(graph.links.gradient[tensor])
    if len(asked):
        answer = int(requests.gradient[asked[-1]])
        if answer < 0:
            return "gradient: None"
        gradient = int(graph.links.tensor_rows(np.array([answer]))[0])
    if gradient < 0:
        return "gradient: none was taken"
    row = int(graph.links.stats[gradient])
    if row < 0:
        return "gradient: its elements were not looked at"
    return ", ".join(["gradient: |g| " + numbers.number(float(tables.stats.norm[row])), *_range(graph, row)])
