"""What the colours and signs mean, in rows at the foot of a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tapeviz.exports.figures.board import Board, width_of
from tapeviz.exports.figures.palette import BACKGROUND, MUTED, TEXT, Family, mix

__all__ = ["draw_legend", "legend_rows"]

_SIZE: Final = 7.5
_ROW: Final = 0.2
_SIGN: Final = 0.16
_GAP: Final = 0.18
_PHASES: Final = ("forward", "backward")


def legend_rows(families: Sequence[Family], width: float) -> int:
    """How many rows the legend takes."""
    return 1 + max((row for row, _ in _places(families, width)), default=0)


def draw_legend(board: Board, families: Sequence[Family], y: float) -> None:
    """Draw the families that are used, and how forward and backward differ."""
    places = _places(families, board.width)
    for family, (row, x) in zip(families, places, strict=False):
        middle = y + _ROW * row + 0.08
        board.glyph(family, x + 0.05, middle, 0.1, family.color, mix(family.color, TEXT, 0.6))
        board.text(x + _SIGN, middle, family.title, size=_SIZE, color=MUTED)
    for phase, (row, x) in zip(_PHASES, places[len(families) :], strict=True):
        box = (x, y + _ROW * row + 0.03, 0.16, 0.1)
        board.rounded(box, mix(MUTED, BACKGROUND, 0.12 if phase == "backward" else 0.75), MUTED, 0.02)
        if phase == "backward":
            board.hatch(box, MUTED, pitch=0.048)
        board.text(x + _SIGN + 0.07, y + _ROW * row + 0.08, phase, size=_SIZE, color=MUTED)


def _places(families: Sequence[Family], width: float) -> list[tuple[int, float]]:
    """Row and x of each entry, a new row where one is full."""
    places = []
    row, x = 0, 0.1
    for text, sign in [*((family.title, _SIGN) for family in families), *((name, _SIGN + 0.07) for name in _PHASES)]:
        wide = sign + width_of(text, size=_SIZE)
        if x + wide > width - 0.05 and x > 0.1:
            row, x = row + 1, 0.1
        places.append((row, x))
        x += wide + _GAP
    return places
