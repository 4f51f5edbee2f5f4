"""Addresses in the text of code, which are others in each process: a table that is filled in when code is loaded.

What writes code names an address where it needs one (:func:`pointer`). Before LLVM sees the text each is replaced by
what stands in the table ``@addresses`` at its place, so that the code itself has none and can be kept on disk.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["TABLE", "pointer", "without_addresses"]

TABLE: Final = "addresses"
"""The name of the table."""
_ADDRESS: Final = re.compile(r"inttoptr \(i64 (\d+) to ptr\)")
_INVARIANT: Final = "!9999"  # metadata that nothing else has


def pointer(address: int) -> str:
    """An address as an expression."""
    return f"inttoptr (i64 {address} to ptr)"


def without_addresses(text: str) -> tuple[str, list[int]]:
    """A text whose functions take addresses from the table, and what is to be put there."""
    found: dict[str, int] = {}
    lines: list[str] = []
    begin = 0  # where the function's loads are put: behind the label of its first block
    mine: dict[int, None] = {}

    def place(match: re.Match[str]) -> str:
        number = found.setdefault(match[1], len(found))
        mine[number] = None
        return f"%{TABLE}.{number}"

    for line in text.splitlines():
        lines.append(_ADDRESS.sub(place, line) if "inttoptr (" in line else line)
        if line.startswith("define "):
            begin = len(lines) + 1
        elif line == "}":
            lines[begin:begin] = map(_load, mine)
            mine = {}
    if not found:
        return text, []
    table = f"@{TABLE} = global [{len(found)} x ptr] zeroinitializer"
    return "\n".join([table, *lines, f"{_INVARIANT} = !{{}}"]), list(map(int, found))


def _load(number: int) -> str:
    where = f"getelementptr (ptr, ptr @{TABLE}, i64 {number})"
    return f"  %{TABLE}.{number} = load ptr, ptr {where}, !invariant.load {_INVARIANT}"
