"""Large arrays a piece at a time: what one loop has written, the next one finds in the processor's cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tapeviz.graphs.native.code import Code
from tapeviz.graphs.native.library_calls import Mapped
from tapeviz.graphs.native.loops import Group, Piece, Reach, write_group

__all__ = ["write_all"]

_MUCH: Final = 131_072  # elements: fewer are in the second-level cache anyway
_PIECE: Final = 16_384


def write_all(code: Code, parts: Sequence[Any], stored: set[int]) -> None:
    """Write loops and calls in their order, those that can go along with one another in pieces."""
    along: list[Any] = []
    reach = Reach()
    for part in parts:
        if along and not _joins(part, reach):
            _write(code, along, reach, stored)
            along, reach = [], Reach()
        along.append(part)
        _note(part, reach)
    if along:
        _write(code, along, reach, stored)


def _joins(part: Any, reach: Reach) -> bool:
    """Whether a part goes through the same elements as those before, and disturbs none of them."""
    if isinstance(part, Group):
        return reach.size > 0 and all(reach.takes(each.meetings(), each.place, each.row) for each in part.members)
    return isinstance(part, Mapped) and reach.size > 0 and reach.takes(part.operands, part.place, 0)


def _note(part: Any, reach: Reach) -> None:
    if isinstance(part, Group):
        for each in part.members:
            reach.add(each.meetings(), each.place, each.row)
    elif isinstance(part, Mapped):
        reach.add(part.operands, part.place, 0)


def _write(code: Code, along: Sequence[Any], reach: Reach, stored: set[int]) -> None:
    row = reach.row or 1
    count = max(1, _PIECE // row) * row
    if len(along) == 1 or reach.size < max(_MUCH, 2 * count):
        for part in along:
            _one(code, part, stored, None)
        return
    whole = reach.size // count * count
    with code.loop(0, whole, count) as first:
        _pieces(code, along, stored, first, row, count)
    if whole < reach.size:
        _pieces(code, along, stored, str(whole), row, reach.size - whole)


def _pieces(code: Code, along: Sequence[Any], stored: set[int], first: str, row: int, count: int) -> None:
    piece = Piece(first, code.value(f"udiv i64 {first}, {row}"), count)
    for part in along:
        _one(code, part, stored, piece)


def _one(code: Code, part: Any, stored: set[int], piece: Piece | None) -> None:
    if isinstance(part, Group):
        write_group(code, part, stored, piece)
    elif isinstance(part, Mapped):
        part(code, piece)
    else:
        part(code)
