"""The gradients of one call of ``gradient`` beside each other, on one fixed scale so that pictures compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from matplotlib import colormaps
from matplotlib.colors import to_hex

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.health.judgement import Source, sources
from tapeviz.exports import numbers
from tapeviz.exports.figures.board import Board, Picture, fit, width_of
from tapeviz.exports.figures.palette import BACKGROUND, EDGE, FAULT, LINE, MUTED, SURFACE, TEXT, family_of, mix
from tapeviz.recording import Recording

__all__ = ["gradients"]

# Powers of ten. From where on a gradient is called vanishing or exploding is another for each source.
_DECADES: Final = (-8, 4)
_TROUBLED: Final = frozenset({"vanishing", "exploding", "nonfinite"})

_WIDTH: Final = 7.6
_ROW: Final = 0.24
_TOP: Final = 0.42
_SIDE: Final = 0.1
_VALUE: Final = 0.85
_MOST: Final = 24


class _Frame(NamedTuple):
    """Where the columns are, in inches: names end and the scale begins at ``left``."""

    names: float
    left: float
    right: float

    def x(self, decade: float) -> float:
        low, high = _DECADES
        return self.left + (min(max(decade, low), high) - low) / (high - low) * (self.right - self.left)


def gradients(recording: Recording, *, width: float = _WIDTH, most: int = _MOST, header: bool = True) -> Picture:
    """The norm of each source's gradient in the latest call of ``gradient``, on a scale of powers of ten.

    None, exactly 0, NaN and "not measured" are words with a sign each, never a short bar.

    Args:
        recording: what to draw.
        width: in inches.
        most: how many sources to draw; the others are counted.
        header: whether what was differentiated stands above.

    Example::

        gradients(tape.recording).savefig("gradients.png")
    """
    graph = graph_of(recording)
    requests = recording.requests
    found = sources(graph, int(requests.event[-1])) if len(requests) else []
    shown, rest = found[:most], found[most:]
    top = (0.34 if header else 0.04) + _TOP
    rows = len(shown) + bool(rest)
    board = Board(width, top + rows * _ROW + (0.3 if found else 0.0), _alt(graph, found))
    if header:
        board.text(_SIDE, 0.17, fit(_title(graph), width - 2 * _SIDE, size=10, weight="bold"), size=10, weight="bold")
    if not found:
        board.text(_SIDE, top - 0.2, "gradient() was not called", color=MUTED)
        return board.picture
    frame = _frame(graph, shown, width)
    _scale(board, frame, top, rows)
    for row, source in enumerate(shown):
        _rung(board, graph, frame, source, top + (row + 0.5) * _ROW)
    if rest:
        board.text(_SIDE, top + (rows - 0.5) * _ROW, _summed(rest), color=MUTED)
    _key(board, frame, top + rows * _ROW + 0.14)
    return board.picture


def _frame(graph: Graph, shown: Sequence[Source], width: float) -> _Frame:
    shapes = max([width_of(_shape(graph, source), size=7.5) for source in shown], default=0.0)
    names = max([width_of(graph.name(source.tensor)) for source in shown], default=0.8)
    names = min(names, 1.9)
    left = _SIDE + names + 0.12 + min(shapes, 1.2) + 0.16
    return _Frame(_SIDE + names, max(left, 1.4), width - _VALUE - _SIDE)


def _scale(board: Board, frame: _Frame, top: float, rows: int) -> None:
    """The powers of ten, and which of its ends means which trouble."""
    bottom = top + rows * _ROW
    low, high = _DECADES
    board.boxes([(frame.left, top, frame.right - frame.left, bottom - top)], [SURFACE])
    board.text(frame.left, top - 0.29, "vanishing", size=7, color=FAULT)
    board.text(frame.right, top - 0.29, "exploding", size=7, color=FAULT, align="right")
    for decade in range(low, high + 1):
        board.lines([[(frame.x(decade), top), (frame.x(decade), bottom)]], LINE, 0.9 if decade == 0 else 0.6)
        if decade % 2 == 0:
            label = "1" if decade == 0 else f"10{numbers.raised(decade)}"
            board.text(frame.x(decade), top - 0.1, label, size=7.5, color=MUTED, align="center")


def _limits(board: Board, frame: _Frame, source: Source, y: float) -> None:
    """The parts of a source's scale that mean trouble."""
    tint = mix(FAULT, BACKGROUND, 0.12)
    low = frame.x(math.log10(source.low)) if source.low > 0 else frame.left
    high = frame.x(math.log10(source.high)) if source.high > 0 else frame.right
    for left, right in ((frame.left, low), (high, frame.right)):
        if right > left:
            board.boxes([(left, y - 0.5 * _ROW, right - left, _ROW)], [tint])


def _rung(board: Board, graph: Graph, frame: _Frame, source: Source, y: float) -> None:
    _limits(board, frame, source, y)
    name = fit(graph.name(source.tensor), frame.names - _SIDE)
    board.text(_SIDE, y, name)
    board.text(frame.left - 0.12, y, _shape(graph, source), size=7.5, color=MUTED, align="right")
    word, fault = _word(graph, source)
    if word:
        board.text(frame.left + 0.07, y, word, color=FAULT if fault else MUTED, weight="bold" if fault else "normal")
    else:
        _bar(board, frame, source, y)
    if source.own_norm > 0 and math.isfinite(source.own_norm):
        board.glyph(family_of("variable"), frame.x(math.log10(source.own_norm)), y, 0.11, BACKGROUND, TEXT)


def _bar(board: Board, frame: _Frame, source: Source, y: float) -> None:
    decade = math.log10(source.norm) if math.isfinite(source.norm) else _DECADES[1]
    color = _tone(decade)
    long = max(frame.x(decade) - frame.left, 0.02)
    box = (frame.left, y - 0.07, long, 0.14)
    board.boxes([box], [mix(color, BACKGROUND, 0.35)])
    board.hatch(box, color, pitch=0.048)
    board.lines([[(frame.left + long, y - 0.085), (frame.left + long, y + 0.085)]], color, 2.2)
    color = FAULT if source.health in _TROUBLED else TEXT
    board.text(frame.right + 0.12, y, numbers.number(source.norm), color=color)


def _word(graph: Graph, source: Source) -> tuple[str, bool]:
    """What is said in place of a bar, and whether it is a fault; empty for a norm that can be drawn."""
    if source.gradient < 0:
        return "∅ None", True
    row = int(graph.links.stats[source.gradient])
    if row < 0:
        evicted = "evicted" in graph.recording.meta_dict()
        return ("⌫ evicted" if evicted else "⋯ not measured"), False
    if source.norm == 0:
        return "0  exactly zero", True
    return ("✕ NaN", True) if math.isnan(source.norm) else ("", False)


def _tone(decade: float) -> str:
    low, high = _DECADES
    part = min(max((decade - low) / (high - low), 0), 1)
    return to_hex(colormaps["cividis"](0.05 + 0.8 * part))


def _key(board: Board, frame: _Frame, y: float) -> None:
    x = frame.left
    box = (x, y - 0.05, 0.2, 0.1)
    board.boxes([box], [mix(_tone(-2), BACKGROUND, 0.35)])
    board.hatch(box, _tone(-2), pitch=0.048)
    board.text(x + 0.27, y, "norm of the gradient", size=7.5, color=MUTED)
    x += 0.27 + width_of("norm of the gradient", size=7.5) + 0.22
    board.glyph(family_of("variable"), x, y, 0.11, BACKGROUND, EDGE)
    board.text(x + 0.12, y, "norm of the source itself", size=7.5, color=MUTED)


def _shape(graph: Graph, source: Source) -> str:
    return numbers.shape(graph.shape(source.tensor))


def _title(graph: Graph) -> str:
    requests = graph.recording.requests
    target = int(graph.links.tensor_rows(requests.target[-1:])[0]) if len(requests) else -1
    of = f" of {graph.name(target)}" if target >= 0 else "s"
    calls = len(set(requests.event.tolist()))
    return f"Gradient{of}{f', the last of {calls} calls' if calls > 1 else ''}"


def _summed(rest: Sequence[Source]) -> str:
    norms = sorted(source.norm for source in rest if source.gradient >= 0 and math.isfinite(source.norm))
    none = sum(source.gradient < 0 for source in rest)
    parts = [f"from {numbers.number(norms[0])} to {numbers.number(norms[-1])}"] if norms else []
    parts += [f"{none} None"] if none else []
    return f"… and {numbers.plural(len(rest), 'other')}{': ' if parts else ''}{', '.join(parts)}"


def _alt(graph: Graph, found: Sequence[Source]) -> str:
    said = [f"{graph.name(source.tensor)} {_said(source)}" for source in found[:_MOST]]
    return f"{_title(graph)}: {', '.join(said) or 'gradient() was not called'}."


def _said(source: Source) -> str:
    return "None" if source.gradient < 0 else "not measured" if math.isnan(source.norm) else numbers.number(source.norm)
