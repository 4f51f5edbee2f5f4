"""One tensor as a figure: what its elements are, how they are spread, and where they are; the same of its gradient."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from matplotlib.colors import Normalize
from numpy.typing import NDArray

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.exports import numbers
from tapeviz.exports.contents import elements
from tapeviz.exports.figures.board import Board, Box, Picture, fit, width_of
from tapeviz.exports.figures.palette import BACKGROUND, EDGE, FAULT, LINE, MUTED, SIGNED, TEXT, mix
from tapeviz.recording import Recording

__all__ = ["tensor"]

_WIDTH: Final = 7.6
_SIDE: Final = 0.12
_BETWEEN: Final = 0.4
_HEAD: Final = 0.56
_HEALTH: Final = 0.52
_HISTOGRAM: Final = 1.15
_MAP: Final = 1.55  # the most that a map is high
_KEY: Final = 0.42

_NEGATIVE: Final = "#7a65a8"
_POSITIVE: Final = "#dc7a1c"
_ZERO: Final = "#d9dde1"
_VALUE: Final = "#56B4E9"


def tensor(recording: Recording, tensor: int, *, width: float = _WIDTH) -> Picture:
    """A tensor and, beside it, its gradient: kinds of elements, a histogram, and a map where elements were kept.

    Args:
        recording: what to look in.
        tensor: the id of the tensor.
        width: in inches.

    Raises:
        LookupError: the recording has no such tensor.

    Example::

        tensor(tape.recording, tape.tensors.id[0])
    """
    graph = graph_of(recording)
    row = int(graph.links.tensor_rows(np.array([tensor]))[0])
    if row < 0:
        raise LookupError(f"the recording has no tensor {tensor}")
    gradient = int(graph.links.gradient[row])
    maps = [elements(graph, number) if number >= 0 else None for number in (row, gradient)]
    panel = (width - 2 * _SIDE - _BETWEEN) / 2
    foot = max(0.3 if values is None else _map_height(values, panel) + _KEY for values in maps)
    board = Board(width, _HEAD + _HEALTH + _HISTOGRAM + foot, _alt(graph, row, gradient))
    for place, (number, values) in enumerate(zip((row, gradient), maps, strict=True)):
        left = _SIDE + place * (panel + _BETWEEN)
        _panel(board, graph, (left, panel), (row, number), values)
    return board.picture


def _panel(board: Board, graph: Graph, across: tuple[float, float], of: tuple[int, int], values: Any) -> None:
    """The tensor or its gradient, in a column of the figure (x, width)."""
    left, width = across
    row, number = of
    name = graph.name(row) if number == row else f"∇{graph.name(row)}"
    name = fit(name, width * 0.7, size=10, weight="bold")
    board.text(left, 0.18, name, size=10, weight="bold")
    if number < 0:
        board.text(left, 0.4, "∅ no gradient was computed", color=MUTED)
        return
    after = left + width_of(name, size=10, weight="bold") + 0.1
    spec = numbers.spec(graph.shape(number), graph.dtype(number))
    board.text(after, 0.185, fit(spec, left + width - after), color=MUTED)
    stat = int(graph.links.stats[number])
    if stat < 0:
        evicted = "evicted" in graph.recording.meta_dict()
        board.text(left, 0.4, "⌫ evicted: the budget was used up" if evicted else "⋯ not measured", color=MUTED)
        return
    figures = graph.recording.stats[stat]
    spread = f"{numbers.number(figures.mean)} ± {numbers.number(figures.std)}, norm {numbers.number(figures.norm)}"
    board.text(left, 0.4, fit(spread, width, size=7.5), size=7.5, color=MUTED)
    _health(board, figures, graph.size(number), (left, _HEAD, width, 0.13))
    hatched = number != row
    _histogram(board, figures, (left, _HEAD + _HEALTH, width, _HISTOGRAM - 0.35), hatched=hatched)
    top = _HEAD + _HEALTH + _HISTOGRAM
    if values is None:
        board.text(left, top + 0.08, '⋯ elements were not kept: record with values="all"', size=7.5, color=MUTED)
    else:
        _map(board, values, (left, top, width, _map_height(values, width)))


def _map_height(values: NDArray[Any], width: float) -> float:
    """How high the map of these elements is: square cells where there is room for them."""
    rows, columns = ((1, 1), *values.shape)[-2:] if values.ndim > 1 else (1, max(values.size, 1))
    return float(np.clip(width * rows / max(columns, 1), 0.22, _MAP)) if values.ndim else 0.22


def _health(board: Board, figures: Any, size: int, box: Box) -> None:
    """A strip that says of which sort the elements are, and in words below."""
    x, y, width, height = box
    bad = figures.nan + figures.posinf + figures.neginf
    counts = {
        "−inf": (figures.neginf, FAULT), "negative": (figures.negative, _NEGATIVE), "0": (figures.zero, _ZERO),
        "positive": (size - bad - figures.negative - figures.zero, _POSITIVE), "+inf": (figures.posinf, FAULT),
        "NaN": (figures.nan, FAULT),
    }  # fmt: skip
    at = x
    for count, color in counts.values():
        if count <= 0:
            continue
        wide = max(width * count / max(size, 1), 0.03)
        board.boxes([(at, y, min(wide, x + width - at), height)], [color])
        if color == FAULT:
            board.hatch((at, y, min(wide, x + width - at), height), BACKGROUND, "\\", 0.048)
        at += wide
    board.lines([[(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]], EDGE, 0.6)
    told = [f"{name} {numbers.percent(count / max(size, 1))}" for name, (count, _) in counts.items() if count > 0]
    board.text(x, y + height + 0.11, fit("   ".join(told), width, size=7.5), size=7.5, color=FAULT if bad else TEXT)


def _histogram(board: Board, figures: Any, box: Box, *, hatched: bool) -> None:
    x, y, width, height = box
    board.lines([[(x, y + height), (x + width, y + height)]], LINE)
    counts = np.frombuffer(figures.histogram, "<u4")
    if not counts.any():
        board.text(x, y + height / 2, "no finite element", size=7.5, color=MUTED)
        return
    step = width / len(counts)
    tall = counts / counts.max() * height
    bars = [(x + at * step, y + height - high, step * 0.94, high) for at, high in enumerate(tall.tolist()) if high]
    if figures.min == figures.max:  # one value: its only bar stands in the middle
        bars = [(x + width / 2 - step / 2, y, step, height)]
        board.text(x + width / 2, y + height + 0.12, numbers.number(figures.min), size=7.5, color=MUTED, align="center")
    board.boxes(bars, [mix(_VALUE, BACKGROUND, 0.25) if hatched else _VALUE] * len(bars))
    for bar in bars if hatched else ():
        board.hatch(bar, mix(_VALUE, TEXT, 0.75), pitch=0.048)
    if figures.min < figures.max:
        _axis(board, figures, box)


def _axis(board: Board, figures: Any, box: Box) -> None:
    x, y, width, height = box
    if figures.min < 0 < figures.max:
        zero = x + width * (0 - figures.min) / (figures.max - figures.min)
        board.lines([[(zero, y), (zero, y + height + 0.04)]], EDGE, 0.8, (0, (3, 2)))
        board.text(zero, y + height + 0.12, "0", size=7.5, color=MUTED, align="center")
        _ends(board, box, figures, (zero - 0.1, zero + 0.1))
    else:
        _ends(board, box, figures, (x + width / 2, x + width / 2))


def _ends(board: Board, box: Box, figures: Any, free: tuple[float, float]) -> None:
    """The smallest and the largest element at the ends of the axis, unless what stands between is in the way."""
    x, y, width, height = box
    low, high = numbers.number(figures.min), numbers.number(figures.max)
    if x + width_of(low, size=7.5) <= free[0]:
        board.text(x, y + height + 0.12, low, size=7.5, color=MUTED)
    if x + width - width_of(high, size=7.5) >= free[1]:
        board.text(x + width, y + height + 0.12, high, size=7.5, color=MUTED, align="right")


def _map(board: Board, values: NDArray[Any], box: Box) -> None:
    """The elements as coloured cells; of more than two axes the first plane, and a scalar as its number."""
    x, y, width, height = box
    if values.ndim == 0:
        scalar = np.abs(values) if np.iscomplexobj(values) else values
        board.text(x, y + 0.15, numbers.number(float(scalar), 6), size=14)
        return
    plane = values.reshape(1, -1) if values.ndim == 1 else values[(0,) * (values.ndim - 2)]
    plane = np.abs(plane) if np.iscomplexobj(plane) else plane.astype("f8")
    if not plane.size:
        board.text(x, y + 0.1, "no elements", size=7.5, color=MUTED)
        return
    largest = float(np.max(np.abs(plane[np.isfinite(plane)]), initial=0.0)) or 1.0
    # Seen where an element is not finite.
    board.boxes([box], [mix(FAULT, BACKGROUND, 0.2)])
    board.hatch(box, FAULT, "\\")
    place = (x / board.width, 1 - (y + height) / board.height, width / board.width, height / board.height)
    axes: Any = board.picture.add_axes(place, facecolor="none")
    colors = SIGNED.with_extremes(bad=(0.0, 0.0, 0.0, 0.0))
    norm = Normalize(-largest, largest)
    axes.imshow(np.ma.masked_invalid(plane), cmap=colors, norm=norm, aspect="auto", interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(color=EDGE, linewidth=0.6)
    _map_key(board, values, largest, (x, y + height + 0.1, 1.6, 0.09))


def _map_key(board: Board, values: NDArray[Any], largest: float, box: Box) -> None:
    x, y, width, height = box
    steps = 40
    cells = [(x + width * step / steps, y, width / steps * 1.02, height) for step in range(steps)]
    board.boxes(cells, [_hex(SIGNED((step + 0.5) / steps)) for step in range(steps)])
    low, high = numbers.number(-largest), numbers.number(largest)
    board.text(x, y + height + 0.1, low, size=7.5, color=MUTED)
    board.text(x + width, y + height + 0.1, high, size=7.5, color=MUTED, align="right")
    shown = numbers.shape(values.shape[-2:])
    if values.ndim > 2:
        shown = f"plane [{', '.join('0' * (values.ndim - 2))}] of {numbers.shape(values.shape)}"
    board.text(x + width + 0.15, y + height / 2, shown, size=7.5, color=MUTED)


def _hex(color: Any) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in color[:3])


def _alt(graph: Graph, row: int, gradient: int) -> str:
    parts = []
    for name, number in (("values", row), ("gradient", gradient)):
        stat = int(graph.links.stats[number]) if number >= 0 else -1
        if stat < 0:
            parts.append(f"{name} not known")
            continue
        figures = graph.recording.stats[stat]
        bad = int(figures.nan + figures.posinf + figures.neginf)
        low, high = numbers.number(figures.min), numbers.number(figures.max)
        ends = "" if math.isnan(figures.min) else f" from {low} to {high}"
        parts.append(f"{name}{ends}{f', {bad} not finite' if bad else ''}")
    return f"{graph.name(row)}, {numbers.spec(graph.shape(row), graph.dtype(row))}: {'; '.join(parts)}."
