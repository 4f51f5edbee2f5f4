"""A reshape where a transpose was meant: the sizes are those of moved axes, the elements are not."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tapeviz.analysis.expressions import operand_name
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["RESHAPED_AXES", "meant_order"]

_MOST_AXES: Final = 6

Shape = tuple[int, ...]


def meant_order(before: Shape, after: Shape) -> tuple[int, ...] | None:
    """The order of axes that sizes suggest was meant, None where a reshape does what it says.

    A reshape merges neighbouring axes and splits axes into neighbours. Where its result is what merging or splitting
    would give *after* axes had changed places, with one axis at another place in its old size, it tears rows apart.

    Returns:
        Which axis of the longer shape (of the two) goes where, as ``tf.transpose`` takes it.
    """
    if max(len(before), len(after)) > _MOST_AXES or math.prod(before) != math.prod(after) or 0 in before:
        return None
    if len(before) < len(after):
        back = meant_order(after, before)
        return None if back is None else tuple(map(int, np.argsort(back)))
    blocks = list(_blocks(before, after))
    found = [_moved(before[old], after[new]) for old, new in blocks]
    if not any(order is not None for order in found):
        return None
    order = [
        old.start + axis
        for (old, _), moved in zip(blocks, found, strict=True)
        for axis in (range(old.stop - old.start) if moved is None else moved)
    ]
    return tuple(order)


def _blocks(before: Shape, after: Shape) -> Iterator[tuple[slice, slice]]:
    """The smallest runs of axes of both shapes that hold equally many elements."""
    i = j = 0
    while i < len(before) or j < len(after):
        start, other, left, right = i, j, 1, 1
        while True:
            if left <= right and i < len(before):
                left, i = left * before[i], i + 1
            elif j < len(after):
                right, j = right * after[j], j + 1
            else:
                left, i = left * before[i], i + 1
            if left == right and (j > other or j == len(after)):
                break
        yield slice(start, i), slice(other, j)


def _moved(before: Shape, after: Shape) -> tuple[int, ...] | None:
    """Of one block the order of its axes that gives the sizes wanted, None where they need not change places."""
    if any(sum(size > 1 for size in shape) <= 1 for shape in (before, after)):
        return None
    for order in itertools.permutations(range(len(before))):
        groups = _groups([before[axis] for axis in order], after)
        if groups is not None and any(len(group) == 1 and before[order[group[0]]] > 1 for group in groups):
            return order
    return None


def _groups(sizes: Sequence[int], after: Shape) -> list[list[int]] | None:
    """Which neighbouring axes make each size wanted, None where they don't."""
    found: list[list[int]] = []
    at = 0
    for wanted in after:
        group, product = [], 1
        while product < wanted and at < len(sizes):
            product, at = product * sizes[at], at + 1
            group.append(at - 1)
        if product != wanted:
            return None
        found.append([axis for axis in group if sizes[axis] > 1])
    return found if all(size == 1 for size in sizes[at:]) else None


def _reshaped(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """One finding a line."""
    said: set[int] = set()
    for row in graph.runs_of(ops_with(graph.recording, "reshapes")):
        if graph.site(row) in said or not (made := graph.outputs[row]):
            continue
        source = graph.operands[row][0]
        before, after = graph.shape(source), graph.shape(made[0])
        order = meant_order(before, after)
        if order is None or not _is_ordered(graph, source):
            continue
        said.add(graph.site(row))
        name = operand_name(graph, row, 0)
        yield verdict_at(
            graph, row, "reshape_for_transpose", LIKELY,
            f"the reshape of {name} from {before} to {after} leaves the elements in their order: it moves no axis, it "
            "cuts the rows apart and fills them anew", _fix(name, before, after, order), tensor=made[0],
            evidence={"before": list(before), "after": list(after), "perm": list(order)},
        )  # fmt: skip


def _is_ordered(graph: Graph, tensor: int) -> bool:
    """Whether it matters which element is where: not where all are equal, nor where they have just been drawn."""
    row, maker = int(graph.links.stats[tensor]), int(graph.links.producer[tensor])
    stats = graph.recording.stats
    equal = row >= 0 and stats.min[row] == stats.max[row] and not stats.nan[row]
    return not equal and not (maker >= 0 and graph.has(maker, "random"))


def _fix(name: str, before: Shape, after: Shape, order: tuple[int, ...]) -> str:
    if sorted(before) == sorted(after):
        return f"tf.transpose({name}, {list(order)}) moves the axes"
    if len(before) > len(after):
        return f"transpose first: tf.reshape(tf.transpose({name}, {list(order)}), {list(after)})"
    split = [after[axis] for axis in np.argsort(order)]
    return f"split first, then transpose: tf.transpose(tf.reshape({name}, {split}), {list(order)})"


RESHAPED_AXES: Final = Rule(_reshaped, {"reshape_for_transpose": "reshapes where a transpose was meant"}, "shapes")
