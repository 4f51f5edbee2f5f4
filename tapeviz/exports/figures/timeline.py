"""The timeline as a figure: forward above, backward mirrored below, memory under both, all on one x-axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.exports import headline, numbers
from tapeviz.exports.breaks import Break, times_of
from tapeviz.exports.figures import opblocks
from tapeviz.exports.figures.band import draw_memory
from tapeviz.exports.figures.board import Board, Picture, fit, width_of
from tapeviz.exports.figures.lanes import Block, Lane, idle_words, lines_of, ops_of, spans_of
from tapeviz.exports.figures.legend import draw_legend, legend_rows
from tapeviz.exports.figures.palette import BACKGROUND, BAND, EDGE, LINE, MUTED, SURFACE, TEXT
from tapeviz.exports.schedule import BACKWARD, OP, Scale, Schedule, by_order, by_time, without_idle
from tapeviz.recording import Recording

__all__ = ["timeline"]

_MOST_IN_ORDER: Final = 30
_WIDTH: Final = 7.6
_GUTTER: Final = 0.92
_RIGHT: Final = 0.08
_QUIET: Final = 0.2  # height of spans and lines
_GAP: Final = 0.035
_MIDDLE: Final = 0.1
_MEMORY: Final = 0.46
_RULER: Final = 0.22
_UNITS: Final = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_LEAST: Final = 0.14  # the least span
_LEAST_LINE: Final = 0.36


@dataclass(frozen=True, slots=True)
class _Strip:
    """A band of the figure with what stands on it, from y downwards."""

    y: float
    height: float
    title: str
    lane: Lane | None = None
    blocks: Sequence[Block] = ()
    mono: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where everything goes, worked out before anything is drawn."""

    schedule: Schedule
    left: float
    width: float
    strips: Sequence[_Strip]
    middle: float
    memory: float
    legend: float
    height: float

    def x(self, at: float) -> float:
        """Where a place of the schedule is, in inches."""
        low, high = self.schedule.domain
        return self.left + (at - low) / (high - low) * self.width


def timeline(
    recording: Recording, *, scale: Scale | None = None, width: float = _WIDTH, header: bool = True
) -> Picture:
    """The ops of a recording, forward above and backward below, and the memory that its tensors hold.

    Args:
        recording: what to draw.
        scale: ``"time"``, or ``"order"`` (equal columns, each backward op under its forward op); by default order for
            up to 30 ops.
        width: in inches.
        header: whether title and facts stand above.

    Example::

        timeline(tape.recording).savefig("timeline.png")
    """
    graph = graph_of(recording)
    ops = int((recording.events.kind == OP).sum())
    chosen = scale or ("order" if ops <= _MOST_IN_ORDER else "time")
    schedule = by_order(graph) if chosen == "order" else without_idle(graph, by_time(graph))
    used = opblocks.families_used(graph)
    plan = _plan(graph, schedule, width, header=header, legend=legend_rows(used, width))
    board = Board(width, plan.height, _alt(recording, ops))
    if header:
        _head(board, recording)
    if chosen == "time":
        _ruler(board, plan)
    for strip in plan.strips:
        _strip(board, graph, plan, strip)
    board.lines([[(plan.left, plan.middle), (plan.left + plan.width, plan.middle)]], EDGE, 0.9)
    if not any(strip.lane is not None and strip.lane.phase == BACKWARD for strip in plan.strips):
        board.text(0.1, plan.middle + 0.2, "backward", weight="bold")
        said = "no backward pass was recorded" if ops else "no op was recorded"
        board.text(plan.left, plan.middle + 0.2, said, color=MUTED)
    draw_memory(board, graph, schedule, (plan.left, plan.memory, plan.width, _MEMORY))
    for gap in schedule.breaks:
        _break(board, graph, plan, gap)
    draw_legend(board, used, plan.legend)
    return board.picture


def _plan(graph: Graph, schedule: Schedule, width: float, *, header: bool, legend: int) -> _Plan:
    plot = width - _GUTTER - _RIGHT
    y = (0.34 if header else 0.06) + (_RULER if schedule.scale == "time" else 0.0)
    low, high = schedule.domain
    unit = plot / (high - low)
    arrows = ("→", "←") if schedule.scale == "order" else ("", "")
    strips: list[_Strip] = []
    middle = y
    for phase, name in enumerate(("forward", "backward")):
        lane = ops_of(graph, schedule, phase)
        if phase == BACKWARD:
            middle = y + _MIDDLE / 2 - _GAP
            y += _MIDDLE
        side = _side(graph, schedule, lane, unit, f"{name} {arrows[phase]}".strip())
        for strip in side if phase != BACKWARD else side[::-1]:
            strips.append(_Strip(y, strip.height, strip.title, strip.lane, strip.blocks, strip.mono))
            y += strip.height + _GAP
    if not strips or all(strip.lane is None or strip.lane.phase != BACKWARD for strip in strips):
        y += 0.3
    memory = y + 0.06
    bottom = memory + _MEMORY + 0.12
    return _Plan(schedule, _GUTTER, plot, strips, middle, memory, bottom, bottom + 0.2 * legend + 0.04)


def _side(graph: Graph, schedule: Schedule, lane: Lane, unit: float, name: str) -> list[_Strip]:
    """The strips of one phase from outside to the middle; where they stand is not yet known."""
    if not len(lane.rows):
        return []
    spans = [found for level in spans_of(graph, schedule, lane.phase) if (found := _wide(level, unit))]
    titles = ["" if depth or lane.phase else "scope" for depth in range(len(spans))]
    strips = [_Strip(0, _QUIET, title, None, level) for title, level in zip(titles, spans, strict=True)]
    if lane.phase != BACKWARD:
        lines = _wide(lines_of(graph, lane, timed=schedule.scale == "time"), unit, _LEAST_LINE)
        strips += [_Strip(0, _QUIET, "line", None, lines, mono=True)] if lines else []
    return [*strips, _Strip(0, opblocks.height_of(graph, lane, unit), name, lane)]


def _wide(blocks: Sequence[Block], unit: float, least: float = _LEAST) -> list[Block]:
    """The blocks that are wide enough to be told apart, or to say something."""
    return [block for block in blocks if (block.end - block.start) * unit >= least]


def _head(board: Board, recording: Recording) -> None:
    told = " · ".join(headline.facts(recording))
    room = board.width - 0.2 - width_of(told) - 0.15
    name = fit(headline.title(recording), max(room, 1.5), size=10, weight="bold")
    board.text(0.1, 0.17, name, size=10, weight="bold")
    beside = 0.25 + width_of(name, size=10, weight="bold")
    board.text(beside, 0.175, fit(told, board.width - beside - 0.1), color=MUTED)


def _ruler(board: Board, plan: _Plan) -> None:
    """Ticks at round times, each with a hair line down to the memory."""
    schedule = plan.schedule
    low, end = schedule.domain
    last = float(times_of(schedule.breaks, np.array([end]))[0]) - low
    step = _round_step((end - low) / max(2, plan.width / 1.1))
    top = _top(plan)
    edges = [low, *(edge for gap in schedule.breaks for edge in (gap.at, gap.at + gap.size)), end]
    free = 0.0
    for begin, stop in zip(edges[::2], edges[1::2], strict=True):
        since, until = (times_of(schedule.breaks, np.array([begin, stop])) - low).tolist()
        for tick in (np.arange(np.ceil(since / step - 1e-9), until / step + 1e-9) * step + 0.0).tolist():
            x = plan.x(begin + tick - since)
            text = _moment(tick, step, last)
            left, right = x - width_of(text, size=7.5) / 2, x + width_of(text, size=7.5) / 2
            if left < free:
                continue
            board.lines([[(x, top + 0.06), (x, plan.memory + _MEMORY)]], LINE, 0.6)
            if right <= board.width:
                board.text(x, top - 0.03, text, size=7.5, color=MUTED, align="center")
            free = right + 0.1


def _moment(tick: float, step: float, last: float) -> str:
    """A time on the ruler: all alike in unit, with as many decimals as tell them apart."""
    unit, name = next((unit, name) for unit, name in _UNITS if last >= unit or unit == 1)
    decimals = max(0, int(np.ceil(-np.log10(step / unit) - 1e-9)))
    return f"{tick / unit:.{decimals if tick else 0}f} {name}"


def _top(plan: _Plan) -> float:
    """Where the ruler ends."""
    return min([strip.y for strip in plan.strips], default=plan.memory) - 0.1


def _break(board: Board, graph: Graph, plan: _Plan, gap: Break) -> None:
    """What is left out of the axis: two cuts across all lanes, and between them how long it was."""
    top, bottom = _top(plan) + 0.06, plan.memory + _MEMORY
    left, right = plan.x(gap.at), plan.x(gap.at + gap.size)
    wave = min(0.03, (right - left) / 4)
    ys = np.append(np.arange(top, bottom, 0.06), bottom)
    sides = [
        [(x + (wave if number % 2 else -wave), y) for number, y in enumerate(ys.tolist())]
        for x in (left + wave, right - wave)
    ]
    board.polygon([*sides[0], *reversed(sides[1])], BACKGROUND)
    board.lines(sides, EDGE, 0.8)
    said = idle_words(graph, gap)
    long = width_of(said, size=7.5)
    if right - left >= 0.16:
        board.text((left + right) / 2, (top + bottom + long) / 2, said, size=7.5, turned=True)


def _round_step(least: float) -> float:
    """The smallest 1, 2 or 5 times a power of ten that is not below."""
    power = 10.0 ** np.floor(np.log10(max(least, 1e-9)))
    return float(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * 0.999))


def _strip(board: Board, graph: Graph, plan: _Plan, strip: _Strip) -> None:
    y = strip.y + strip.height / 2
    if strip.lane is not None:
        board.boxes([(plan.left, strip.y, plan.width, strip.height)], [SURFACE])
        board.text(0.1, y, strip.title, weight="bold")
        opblocks.draw(board, graph, strip.lane, plan.x, (strip.y, strip.height))
        return
    board.text(0.1, y, strip.title, size=7.5, color=MUTED)
    for block in strip.blocks:
        left, right = plan.x(block.start), plan.x(block.end)
        box = (left + 0.01, strip.y, right - left - 0.02, strip.height)
        board.rounded(box, BACKGROUND if strip.mono else BAND, LINE)
        style = {"size": 6.8, "mono": True} if strip.mono else {"size": 7.5}
        label = fit(block.label, right - left - 0.12, **style)
        board.text(left + 0.06, y, label, color=MUTED if strip.mono else TEXT, **style)


def _alt(recording: Recording, ops: int) -> str:
    backward = int(((recording.events.kind == OP) & (recording.events.phase == BACKWARD)).sum())
    parts = f"{numbers.plural(ops - backward, 'op')} forward, {backward} backward" if backward else f"{ops} ops forward"
    return f"Timeline of {headline.title(recording)}: {parts}; the table and the text below say the same."
