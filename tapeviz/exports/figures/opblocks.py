"""The ops of a lane: forward solid, backward hatched, with as many words as there is room for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph
from tapeviz.exports.figures.board import Board, Box, fit, width_of
from tapeviz.exports.figures.lanes import Block, Lane, block, families
from tapeviz.exports.figures.palette import BACKGROUND, ERROR, OTHER, TEXT, Family, ink, mix
from tapeviz.exports.schedule import BACKWARD, OP
from tapeviz.recording.schema import STATUSES

__all__ = ["draw", "families_used", "height_of"]

_MOST_BLOCKS: Final = 500
_COLUMN: Final = 0.012  # inches: with more ops than can be told apart, each such column stands for those in it
_ROOMY: Final = 0.54
_LOW: Final = 0.44
_TALL: Final = 1.16
_SIGN: Final = 0.22  # what the glyph takes of a block
_WIDE: Final = 0.62  # the least block with its words across
_NARROW: Final = 0.16  # the least block with a turned name
_TWO: Final = 0.37  # and with a second turned text
_SIZE: Final = 7.5


def families_used(graph: Graph) -> list[Family]:
    """The families of the ops that ran, those used most first; failed ops are one of their own."""
    events = graph.recording.events
    ops = events.kind == OP
    known = families(graph)
    counts = np.bincount(events.op[ops & (events.op >= 0)], minlength=len(known))
    totals: dict[str, tuple[int, Family]] = {}
    for family, count in zip(known, counts.tolist(), strict=False):
        totals[family.name] = (totals.get(family.name, (0, family))[0] + count, family)
    used = [family for count, family in sorted(totals.values(), key=lambda entry: -entry[0]) if count]
    return [*used, ERROR] if (events.status[ops] == STATUSES.index("failed")).any() else used


def height_of(graph: Graph, lane: Lane, unit: float) -> float:
    """How high a lane has to be for the words on it; ``unit`` is how many inches a step of the schedule takes."""
    if len(lane.rows) > _MOST_BLOCKS:
        return _LOW
    places = np.flatnonzero((lane.end - lane.start) * unit >= _NARROW)
    ops = [block(graph, lane, int(place)) for place in places]
    if not ops:
        return _LOW
    if min((op.end - op.start) * unit for op in ops) >= _WIDE:
        return _ROOMY
    longest = max(width_of(op.label, size=_SIZE) for op in ops)
    # Higher than where all words stand across, for that is how `draw` knows.
    return float(np.clip(_SIGN + 0.1 + longest, _ROOMY + 0.02, _TALL))


def draw(board: Board, graph: Graph, lane: Lane, x: Callable[[float], float], strip: tuple[float, float]) -> None:
    """Draw a lane into a strip (y, height)."""
    if len(lane.rows) > _MOST_BLOCKS:
        _draw_bars(board, graph, lane, x, strip)
        return
    for place in range(len(lane.rows)):
        op = block(graph, lane, place)
        left, right = x(op.start), x(op.end)
        gap = 0.015 if right - left > 0.08 else 0.0
        box = (left + gap / 2, strip[0], max(right - left - gap, 0.012), strip[1])
        _draw_block(board, op, box, hatched=lane.phase == BACKWARD)


def _draw_block(board: Board, op: Block, box: Box, *, hatched: bool) -> None:
    color = op.family.color
    plate = hatched or op.failed
    edge = mix(color, TEXT, 0.7)
    x, y, w, h = box
    if w < 0.04:
        board.boxes([box], [mix(color, BACKGROUND, 0.6) if hatched else color])
        return
    board.rounded(box, mix(color, BACKGROUND, 0.16) if plate else color, edge)
    if plate:
        inside = (x + 0.01, y + 0.01, w - 0.02, h - 0.02)
        board.hatch(inside, mix(color, BACKGROUND, 0.55), "\\" if op.failed else "/")
    tone = TEXT if plate else ink(color)
    sign = mix(color, TEXT, 0.8) if plate else tone
    ground = BACKGROUND if plate else None
    if h <= _ROOMY and w >= _WIDE - 0.03:
        _across(board, op, box, (tone, sign, ground))
    elif w >= _NARROW:
        _upwards(board, op, box, (tone, sign, ground))
    elif w >= 0.1:
        _plate(board, (x + w / 2 - 0.05, y + h / 2 - 0.06, 0.1, 0.12), ground)
        board.glyph(op.family, x + w / 2, y + h / 2, 0.085, sign)


def _across(board: Board, op: Block, box: Box, look: tuple[str, str, str | None]) -> None:
    """Three rows: the glyph and the time, the name, what it made."""
    tone, sign, ground = look
    x, y, w, h = box
    middle, left = y + h / 2, x + 0.07
    name, made = fit(op.label, w - 0.12, size=_SIZE), fit(op.made, w - 0.12, size=7)
    took = op.took if 0.2 + width_of(op.took, size=7) <= w - 0.08 else ""
    words = max(width_of(name, size=_SIZE), width_of(made, size=7), 0.16 + width_of(took, size=7))
    _plate(board, (left - 0.03, middle - 0.235, min(words + 0.06, w - 0.06), 0.47), ground)
    board.glyph(op.family, left + 0.05, middle - 0.15, 0.1, sign)
    board.text(left + 0.16, middle - 0.15, took, size=7, color=tone)
    board.text(left, middle, name, size=_SIZE, color=tone)
    board.text(left, middle + 0.15, made, size=7, color=tone)


def _upwards(board: Board, op: Block, box: Box, look: tuple[str, str, str | None]) -> None:
    """The glyph, and below it the name (and the time) turned upwards."""
    tone, sign, ground = look
    x, y, w, h = box
    middle, bottom = x + w / 2, y + h - 0.06
    room = h - _SIGN - 0.06
    name = fit(op.label, room, size=_SIZE)
    two = w >= _TWO and width_of(op.took, size=7) <= room
    wide = 0.29 if two else 0.15
    length = max(width_of(name, size=_SIZE), width_of(op.took, size=7) if two else 0)
    _plate(board, (middle - wide / 2, bottom - length - 0.02, wide, length + 0.04), ground if length > 0.05 else None)
    _plate(board, (middle - 0.065, y + 0.05, 0.13, 0.13), ground)
    board.glyph(op.family, middle, y + 0.115, 0.095, sign)
    board.text(middle - (0.07 if two else 0), bottom, name, size=_SIZE, color=tone, turned=True)
    if two:
        board.text(middle + 0.075, bottom, op.took, size=7, color=tone, turned=True)


def _plate(board: Board, box: Box, ground: str | None) -> None:
    """A plain ground on hatching, so that what stands on it can be read."""
    if ground is not None:
        board.rounded(box, ground, ground, 0.02)


def _draw_bars(board: Board, graph: Graph, lane: Lane, x: Callable[[float], float], strip: tuple[float, float]) -> None:
    """Columns as high as they are busy, growing from the middle line, in the colour of the family that is most so."""
    low, high = float(lane.start.min()), float(lane.end.max())
    count = max(1, round((x(high) - x(low)) / _COLUMN))
    edges = np.linspace(low, high, count + 1)
    known = [*families(graph), OTHER]
    of = graph.recording.events.op[lane.rows]
    names = sorted({known[number].name for number in set(of.tolist())})
    groups = [np.flatnonzero([known[number].name == name for number in of.tolist()]) for name in names]
    colors = [next(family.color for family in known if family.name == name) for name in names]
    busy = np.array([_busy(lane, rows, edges) for rows in groups])
    share = np.clip(busy.sum(axis=0) / np.diff(edges), 0, 1)
    begun = np.histogram(lane.start, edges)[0] > 0  # an op without a length is one all the same
    most = busy.argmax(axis=0)
    y, height = strip
    boxes, fills = [], []
    for column in np.flatnonzero((share > 0) | begun).tolist():
        tall = height * max(0.25, float(share[column]))
        top = y if lane.phase == BACKWARD else y + height - tall
        boxes.append((x(edges[column]), top, x(edges[column + 1]) - x(edges[column]), tall))
        color = colors[most[column]]
        fills.append(mix(color, BACKGROUND, 0.6) if lane.phase == BACKWARD else color)
    board.boxes(boxes, fills)
    if lane.phase == BACKWARD:
        board.hatch((x(low), y, x(high) - x(low), height), BACKGROUND, pitch=0.048)
    _draw_failures(board, graph, lane, x, strip)


def _draw_failures(
    board: Board, graph: Graph, lane: Lane, x: Callable[[float], float], strip: tuple[float, float]
) -> None:
    """What failed stays to be seen among many: as high as the lane, and with its sign."""
    y, height = strip
    signs = -np.inf
    for place in np.flatnonzero(graph.recording.events.status[lane.rows] == STATUSES.index("failed")).tolist():
        left, right = x(float(lane.start[place])), x(float(lane.end[place]))
        wide = max(right - left, 0.025)
        middle = (left + right) / 2
        if middle - signs < _SIGN:
            continue
        signs = middle
        board.boxes([(middle - wide / 2, y, wide, height)], [ERROR.color])
        board.glyph(ERROR, middle, y + 0.06, 0.1, ERROR.color, BACKGROUND)


def _busy(lane: Lane, rows: NDArray[Any], edges: NDArray[Any]) -> NDArray[Any]:
    """How much of each column these ops took; they do not overlap."""
    start, end = lane.start[rows], lane.end[rows]
    before = np.concatenate([[0.0], np.cumsum(end - start)])
    at = np.searchsorted(start, edges, side="right") - 1
    within = np.where(at >= 0, np.minimum(edges - start[at], (end - start)[at]), 0.0)
    return np.diff(np.where(at >= 0, before[np.maximum(at, 0)], 0.0) + within)
