"""Which line of one recording is which of another: the same text, though cells are numbered and lines shifted."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.recording import Recording

__all__ = ["shared_lines"]

# How alike two texts are that stand for the same line, changed.
_ALIKE: Final = 0.5
_LONGEST: Final = 4_000  # lines of a file or cell; beyond, numbers are taken for what they are

Lines = dict[int, str]


def shared_lines(a: Recording, b: Recording) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A number for each row of ``sites`` of both: equal where the line is the same."""
    files_a, files_b = _files(a), _files(b)
    same = {other: one for one, other in _pairs(files_a, files_b)}
    numbers: dict[tuple[int, str, int], int] = {}
    found = []
    for recording, side in ((a, 0), (b, 1)):
        places = []
        for file, line in zip(recording.sites.file, recording.sites.line.tolist(), strict=True):
            key = (side, file, line)
            if side and file in same:
                one = same[file]
                mapped = _mapped(files_a[one], files_b[file], known=one == file).get(line)
                key = (1, file, line) if mapped is None else (0, one, mapped)
            places.append(numbers.setdefault(key, len(numbers)))
        found.append(np.array(places, np.int64))
    return found[0], found[1]


class _File:
    """A file or cell: its lines, as far as they are known, and whether that is all of them."""

    def __init__(self, lines: Lines, *, cell: bool, whole: bool) -> None:
        self.lines = lines
        self.cell = cell
        self.whole = whole
        self.maps: dict[int, dict[int, int]] = {}  # by the other file


def _files(recording: Recording) -> dict[str, _File]:
    sites, cells = recording.sites, recording.cells
    files: dict[str, _File] = {}
    for file, line, text, cell in zip(sites.file, sites.line.tolist(), sites.text, sites.cell.tolist(), strict=True):
        if file not in files:
            in_cell = 0 <= cell < len(cells)
            lines = _cell_lines(cells.text[cell], int(cells.first[cell])) if in_cell else {}
            files[file] = _File(lines, cell=in_cell, whole=bool(lines))
        if not files[file].whole:
            files[file].lines[line] = text.strip() or f"line {line}"
    return files


def _cell_lines(text: str, first: int) -> Lines:
    lines = text.split("\n")[first - 1 :]
    return {number: line.strip() for number, line in enumerate(lines, 1)} if text and len(lines) < _LONGEST else {}


def _pairs(a: dict[str, _File], b: dict[str, _File]) -> Iterator[tuple[str, str]]:
    """Files of the same name, then those that share most lines, then cells in the order in which they came."""
    yield from ((file, file) for file in a if file in b)
    left, right = [file for file in a if file not in b], [file for file in b if file not in a]
    alike = sorted(
        (-_shared(a[one], b[other]), left.index(one), right.index(other))
        for one in left for other in right if a[one].cell == b[other].cell
    )  # fmt: skip
    taken: tuple[set[int], set[int]] = (set(), set())
    for share, one, other in alike:
        if one not in taken[0] and other not in taken[1] and (share < 0 or a[left[one]].cell):
            taken[0].add(one)
            taken[1].add(other)
            yield left[one], right[other]


def _shared(a: _File, b: _File) -> float:
    texts_a, texts_b = ({text for text in file.lines.values() if text} for file in (a, b))
    return len(texts_a & texts_b) / max(len(texts_a), len(texts_b), 1)


def _mapped(a: _File, b: _File, *, known: bool) -> dict[int, int]:
    """For the lines of ``b`` those of ``a``."""
    if id(a) not in b.maps:
        b.maps[id(a)] = _same_numbers(a, b) if _is_same(a, b, known=known) else _by_text(a.lines, b.lines)
    return b.maps[id(a)]


def _same_numbers(a: _File, b: _File) -> dict[int, int]:
    return {line: line for line in {*a.lines, *b.lines}}


def _is_same(a: _File, b: _File, *, known: bool) -> bool:
    """Whether the text is the same, as far as it is known; of a part without its file's name nothing is known."""
    both = a.lines.keys() & b.lines.keys()
    agree = all(a.lines[line] == b.lines[line] for line in both)
    return a.lines == b.lines or (known and agree and bool(both) and not (a.whole and b.whole))


def _by_text(a: Lines, b: Lines) -> dict[int, int]:
    lines_a, lines_b = sorted(a), sorted(b)
    texts_a, texts_b = [a[line] for line in lines_a], [b[line] for line in lines_b]
    found: dict[int, int] = {}
    for what, a0, a1, b0, b1 in SequenceMatcher(None, texts_a, texts_b, autojunk=False).get_opcodes():
        if what == "equal":
            found.update(zip(lines_b[b0:b1], lines_a[a0:a1], strict=True))
        elif what == "replace":
            pairs = _changed(texts_a[a0:a1], texts_b[b0:b1])
            found.update({lines_b[b0 + other]: lines_a[a0 + one] for one, other in pairs})
    return found


def _changed(a: list[str], b: list[str]) -> Iterator[tuple[int, int]]:
    """Lines that were changed a little, in order: each with the first that it resembles."""
    begin = 0
    for one, text in enumerate(a):
        alike = (at for at in range(begin, len(b)) if SequenceMatcher(None, text, b[at]).ratio() >= _ALIKE)
        if text and (other := next(alike, None)) is not None:
            yield one, other
            begin = other + 1
