"""Rows of numbers turned into columns, a square of as many numbers as a vector has at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tapeviz.native.functions import Function
from tapeviz.native.machine import vectors
from tapeviz.native.product_tiles import KINDS, Call, called

__all__ = ["turning"]

_PARAMETERS: Final = "ptr %x, ptr %y, i64 %x_step, i64 %y_step, i64 %rows, i64 %length"


@lru_cache(maxsize=4)
def turning(itemsize: int) -> tuple[Call, int]:
    """``y[i * y_step + row] = x[row * x_step + i]``, and the number of which rows and their lengths are multiples.

    It takes both addresses, the steps, how many rows there are, and how many numbers a row has.
    """
    lanes = vectors()[0] // itemsize
    kind = f"<{lanes} x {KINDS[itemsize]}>"
    f = Function("void", "run", _PARAMETERS)

    def at(pointer: str, index: str) -> str:
        return f.at(pointer, KINDS[itemsize], index)

    def some_rows(first_row: str) -> Sequence[str]:
        source, target = at("%x", f.value(f"mul i64 {first_row}, %x_step")), at("%y", first_row)

        def square(first: str) -> Sequence[str]:
            x, y = at(source, first), at(target, f.value(f"mul i64 {first}, %y_step"))
            rows = [f.load(kind, at(x, f.value(f"mul i64 %x_step, {row}")), itemsize) for row in range(lanes)]
            for row, value in enumerate(_turned(f, kind, rows)):
                f.store(kind, value, at(y, f.value(f"mul i64 %y_step, {row}")), itemsize)
            return ()

        f.loop("0", "%length", lanes, [], square)
        return ()

    f.loop("0", "%rows", lanes, [], some_rows)
    f.ret()
    return called(str(f), 6), lanes


def _turned(f: Function, kind: str, rows: list[str]) -> list[str]:
    """Columns of a square of vectors: squares of half the size change places, and so on in each quarter."""
    lanes, distance = len(rows), 1
    while distance < lanes:
        kept = [lane if not lane & distance else lanes + lane - distance for lane in range(lanes)]
        moved = [lane + distance if not lane & distance else lanes + lane for lane in range(lanes)]
        for row in range(lanes):
            if not row & distance:
                pair = f"{kind} {rows[row]}, {kind} {rows[row + distance]}"
                rows[row], rows[row + distance] = (_shuffled(f, pair, chosen) for chosen in (kept, moved))
        distance *= 2
    return rows


def _shuffled(f: Function, pair: str, chosen: list[int]) -> str:
    listed = ", ".join(f"i32 {lane}" for lane in chosen)
    return f.value(f"shufflevector {pair}, <{len(chosen)} x i32> <{listed}>")
