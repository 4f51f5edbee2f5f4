"""Two sequences of keys beside each other: which element of one stands for which of the other.

A key says what an element is (a line and an op). What is the same in both comes together; what only one has is left
alone. Loops repeat their keys, so equal keys say little by themselves: keys that both have equally often are paired by
their number and hold the rest in place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pairs", "aligned", "occurrences"]

Keys: TypeAlias = NDArray[np.int64]
Pairs: TypeAlias = tuple[Keys, Keys]

# The largest table of one stretch, and of all together: what is beyond is paired by number, which takes no table.
_CELLS: Final = 4_000_000
_ALL_CELLS: Final = 30_000_000
_EMPTY: Final = np.empty(0, np.int64)


def aligned(a: Keys, b: Keys) -> Pairs:
    """Positions in ``a`` and in ``b`` of what belongs together, in the order of ``a``.

    Paired elements have equal keys, and each is in one pair at most. Pairs that cross others are made only of elements
    that are the same-numbered run of their key: that is the order of a graph, not a change of the program.
    """
    left, right = _in_order(np.asarray(a, np.int64), np.asarray(b, np.int64))
    more_left, more_right = _of_equal_numbers(a, b, left, right)
    left, right = np.concatenate([left, more_left]), np.concatenate([right, more_right])
    order = np.argsort(left, kind="stable")
    return left[order], right[order]


def occurrences(keys: Keys) -> Keys:
    """For each element how many equal ones come before it."""
    order = np.argsort(keys, kind="stable")
    grouped = keys[order]
    starts = np.flatnonzero(np.diff(grouped, prepend=grouped[:1] - 1))
    lengths = np.diff(np.append(starts, len(keys)))
    found = np.empty(len(keys), np.int64)
    found[order] = np.arange(len(keys)) - np.repeat(starts, lengths)
    return found


def _in_order(a: Keys, b: Keys) -> Pairs:
    """Pairs that do not cross."""
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    left, right = _middle(middle_a, middle_b)
    ends = np.arange(tail)
    return (
        np.concatenate([np.arange(head), head + left, len(a) - tail + ends]),
        np.concatenate([np.arange(head), head + right, len(b) - tail + ends]),
    )


def _middle(a: Keys, b: Keys) -> Pairs:
    """As `_in_order`, for sequences that begin and end differently."""
    at_a, at_b = np.flatnonzero(np.isin(a, b)), np.flatnonzero(np.isin(b, a))
    if not len(at_a):
        return _EMPTY, _EMPTY
    if len(at_a) < len(a) or len(at_b) < len(b):  # without what only one has they may well be equal
        left, right = _in_order(a[at_a], b[at_b])
        return at_a[left], at_b[right]
    left, right = _anchors(a, b)
    budget = _ALL_CELLS
    parts = [(left, right)]
    for begin_a, end_a, begin_b, end_b in _gaps(left, right, len(a), len(b)):
        stretch_a, stretch_b = a[begin_a:end_a], b[begin_b:end_b]
        budget -= len(stretch_a) * len(stretch_b)
        found = _stretch(stretch_a, stretch_b, by_table=budget >= 0)
        parts.append((begin_a + found[0], begin_b + found[1]))
    left, right = (np.concatenate(side) for side in zip(*parts, strict=True))
    order = np.argsort(left, kind="stable")
    return left[order], right[order]


def _anchors(a: Keys, b: Keys) -> Pairs:
    """Pairs of same-numbered runs of keys that both have equally often, as many as do not cross."""
    keys, of_a, counts_a = np.unique(a, return_inverse=True, return_counts=True)
    _, of_b, counts_b = np.unique(b, return_inverse=True, return_counts=True)
    same = counts_a == counts_b
    if not same.any() or not len(keys):
        return _EMPTY, _EMPTY
    at_a, at_b = np.flatnonzero(same[of_a]), np.flatnonzero(same[of_b])
    by_key_a, by_key_b = at_a[np.argsort(a[at_a], kind="stable")], at_b[np.argsort(b[at_b], kind="stable")]
    order = np.argsort(by_key_a)
    return _rising(by_key_a[order], by_key_b[order])


def _rising(left: Keys, right: Keys) -> Pairs:
    """The longest run of pairs in which both numbers rise; ``left`` rises already."""
    if (np.diff(right) > 0).all():
        return left, right
    ends: list[int] = []  # the smallest number that a run of each length ends in
    rows: list[int] = []
    before = np.full(len(right), -1)
    for row, number in enumerate(right.tolist()):
        length = bisect_left(ends, number)
        before[row] = rows[length - 1] if length else -1
        ends[length : length + 1] = [number]
        rows[length : length + 1] = [row]
    chosen = [rows[-1]]
    while before[chosen[-1]] >= 0:
        chosen.append(int(before[chosen[-1]]))
    kept = np.array(chosen[::-1])
    return left[kept], right[kept]


def _gaps(left: Keys, right: Keys, length_a: int, length_b: int) -> Iterator[tuple[int, int, int, int]]:
    """Where both have something between one pair and the next."""
    begin_a, begin_b = np.append(-1, left) + 1, np.append(-1, right) + 1
    end_a, end_b = np.append(left, length_a), np.append(right, length_b)
    for gap in np.flatnonzero((end_a > begin_a) & (end_b > begin_b)).tolist():
        yield int(begin_a[gap]), int(end_a[gap]), int(begin_b[gap]), int(end_b[gap])


def _stretch(a: Keys, b: Keys, *, by_table: bool) -> Pairs:
    """Pairs in a stretch without anchors: as many as can be had where that fits in a table, first come first served."""
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    a, b = a[head : len(a) - tail], b[head : len(b) - tail]
    found = _by_table(a, b) if by_table and len(a) * len(b) <= _CELLS else _by_number(a, b)
    ends = np.arange(tail)
    return (
        np.concatenate([np.arange(head), head + found[0], head + len(a) + ends]),
        np.concatenate([np.arange(head), head + found[1], head + len(b) + ends]),
    )


def _by_table(a: Keys, b: Keys) -> Pairs:
    """The longest common subsequence, the first where there are several."""
    table = np.zeros((len(a) + 1, len(b) + 1), np.int32)  # how many pairs there are from here on
    for row in range(len(a) - 1, -1, -1):
        below = table[row + 1]
        best = np.maximum(below[:-1], np.where(b == a[row], below[1:] + 1, 0))
        table[row, :-1] = np.maximum.accumulate(best[::-1])[::-1]
    pairs, row, column = [], 0, 0
    keys_a, keys_b = a.tolist(), b.tolist()
    while row < len(keys_a) and column < len(keys_b):
        if keys_a[row] == keys_b[column]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif table[row + 1, column] >= table[row, column + 1]:
            row += 1
        else:
            column += 1
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _by_number(a: Keys, b: Keys) -> Pairs:
    """Same-numbered runs of each key, as many as do not cross."""
    left, right = _same_numbers(a, b, np.arange(len(a)), np.arange(len(b)))
    return _rising(left, right) if len(left) else (left, right)


def _of_equal_numbers(a: Keys, b: Keys, left: Keys, right: Keys) -> Pairs:
    """Pairs of same-numbered runs among what has no partner yet."""
    free_a, free_b = np.ones(len(a), np.bool_), np.ones(len(b), np.bool_)
    free_a[left] = free_b[right] = False
    if not free_a.any() or not free_b.any():
        return _EMPTY, _EMPTY
    return _same_numbers(a, b, np.flatnonzero(free_a), np.flatnonzero(free_b))


def _same_numbers(a: Keys, b: Keys, at_a: Keys, at_b: Keys) -> Pairs:
    """Of these positions those with the same key and the same number among all runs of that key."""
    number_a, number_b = occurrences(a)[at_a], occurrences(b)[at_b]
    span = 1 + max(int(number_a.max(initial=0)), int(number_b.max(initial=0)))
    _, left, right = np.intersect1d(
        a[at_a] * span + number_a, b[at_b] * span + number_b, assume_unique=True, return_indices=True
    )
    order = np.argsort(at_a[left])
    return at_a[left][order], at_b[right][order]


def _common(a: Keys, b: Keys) -> int:
    """How many elements at the beginning are the same."""
    length = min(len(a), len(b))
    different: Any = np.flatnonzero(a[:length] != b[:length])
    return int(different[0]) if len(different) else length
