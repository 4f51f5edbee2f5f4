"""Shapes that stretch each other where elements were meant to meet in pairs: (n, 1) with (n,), (n, n) with (n,)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.expressions import operand_name
from tapeviz.analysis.graph import NOT_REACHED, Graph
from tapeviz.analysis.links import Mask, ops_with
from tapeviz.analysis.verdicts.verdict import LIKELY, WORTH_KNOWING, Rule, Thresholds, Verdict, verdict_at

__all__ = ["BROADCASTS"]

_MOST_STEPS: Final = 12
_PAIR: Final = 2
_MEETS_A_MATRIX: Final = -2

Shape = tuple[int, ...]


def _broadcasts(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """One finding a line, the first of those in which one leads to another."""
    said: set[int] = set()
    fine: set[tuple[int, ...]] = set()  # a line in a loop, with these shapes
    stretched: set[int] = set()
    uneven, shapes = _uneven(graph), graph.recording.tensors.shape.tolist()
    for row in graph.runs_of(_elementwise_ops(graph)):
        if not uneven[row]:
            continue
        if stretched.intersection(graph.operands[row]):
            stretched.update(graph.outputs[row])
            continue
        key = (graph.site(row), *(shapes[tensor] for tensor in graph.operands[row]))
        if key in fine:
            continue
        for one, other in itertools.combinations(range(len(graph.operands[row])), 2):
            found = (
                _crossed(graph, row, one, other) or _spread(graph, row, one, other)
                or _turned(graph, row, one, other)
            )  # fmt: skip
            if found is None:
                continue
            stretched.update(graph.outputs[row])
            if graph.site(row) not in said:
                said.add(graph.site(row))
                yield found
            break
        else:
            fine.add(key)


def _elementwise_ops(graph: Graph) -> Mask:
    ops = graph.recording.ops
    return np.array([family == "elementwise" for family in ops.family], np.bool_) | ops_with(graph.recording, "selects")


def _uneven(graph: Graph) -> Mask:
    """The events whose inputs have different shapes."""
    event, tensor, _ = graph.reads
    shape = graph.recording.tensors.shape[tensor]
    low, high = np.full(graph.events, np.iinfo(np.int64).max), np.full(graph.events, -1)
    np.minimum.at(low, event, shape)
    np.maximum.at(high, event, shape)
    return low < high


def _is_elementwise(graph: Graph, row: int) -> bool:
    return graph.said(row, "family") == "elementwise" or graph.has(row, "selects")


def _crossed(graph: Graph, row: int, one: int, other: int) -> Verdict | None:
    """A column and a vector with as many elements, of different origin, which make a matrix."""
    operands = graph.operands[row]
    if len(graph.shape(operands[one])) < len(graph.shape(operands[other])):
        one, other = other, one
    column, vector = graph.shape(operands[one]), graph.shape(operands[other])
    if not vector or column != (*vector, 1) or vector[-1] < _PAIR or (len(vector) > 1 and len(set(vector)) > 1):
        return None
    roots = {_root(graph, operands[one]), _root(graph, operands[other])}
    if _is_meant(graph, row, operands[one]) or len(roots) == 1 or graph.is_variable[list(roots)].any():
        return None
    made = graph.shape(graph.outputs[row][0])
    reduced = _reduction(graph, graph.outputs[row][0])
    if reduced == _MEETS_A_MATRIX:
        return None
    a, b = operand_name(graph, row, one), operand_name(graph, row, other)
    text = f"{a} of shape {column} and {b} of shape {vector} make {made}: each element of one meets all of the other's"
    text += f", and the {graph.op(reduced)} is over all of these" if reduced >= 0 else ""
    return verdict_at(
        graph, row, "broadcast", LIKELY if reduced >= 0 else WORTH_KNOWING, text,
        f"give both one shape: tf.squeeze({a}, -1), or {b}[..., tf.newaxis]", tensor=graph.outputs[row][0],
        evidence={"shapes": [list(column), list(vector)], "made": list(made), "reduction": graph.event_id(reduced)},
    )  # fmt: skip


def _spread(graph: Graph, row: int, one: int, other: int) -> Verdict | None:
    """A difference, squared or without its sign and then reduced, of one number a row and several a row.

    A mean is taken off its own row, so what one side is computed from the other is as it should be.
    """
    operands = graph.operands[row]
    if graph.shape(operands[one])[-1:] != (1,):
        one, other = other, one
    narrow, wide = graph.shape(operands[one]), graph.shape(operands[other])
    if len(narrow) != len(wide) or len(wide) < _PAIR or narrow[:-1] != wide[:-1] or narrow[-1] != 1 or wide[-1] < _PAIR:
        return None
    if narrow[0] < _PAIR or not _is_error(graph, row):
        return None
    a, b = operands[one], operands[other]
    if not (_is_learnt(graph, a) or _is_learnt(graph, b)) or _related(graph, a, b):
        return None
    reduced = _reduction(graph, graph.outputs[row][0])
    if reduced < 0:
        return None
    first, second = operand_name(graph, row, one), operand_name(graph, row, other)
    return verdict_at(
        graph, row, "broadcast", LIKELY,
        f"{first} of shape {narrow} is compared with {second} of shape {wide}: one number of a row meets all "
        f"{wide[-1]} of the other's",
        f"give both one shape: look at where {second} gets its {wide[-1]} columns; one number a row is "
        f"tf.reduce_sum({second}, -1, keepdims=True) or a mean", tensor=graph.outputs[row][0],
        evidence={"shapes": [list(narrow), list(wide)], "reduction": graph.event_id(reduced)},
    )  # fmt: skip


def _turned(graph: Graph, row: int, one: int, other: int) -> Verdict | None:
    """Rows that meet what was reduced of them without ``keepdims``, laid along the columns: both are as many."""
    operands = graph.operands[row]
    if len(graph.shape(operands[one])) < len(graph.shape(operands[other])):
        one, other = other, one
    whole, reduced = graph.shape(operands[one]), graph.shape(operands[other])
    event = _reduced_by(graph, operands[other])
    if event < 0 or not reduced or whole[1:] != reduced or reduced[-1] < _PAIR:
        return None
    axis = graph.attributes(event).get("axis")
    axes = [axis] if isinstance(axis, int) else axis
    if not isinstance(axes, list) or len(axes) != 1 or axes[0] % len(whole) == 0:
        return None
    before = _elementwise_sources(graph, graph.operands[event][0], whole)
    if before.isdisjoint(_elementwise_sources(graph, operands[one], whole)):
        return None
    if graph.ancestors(operands[one], assigned=False)[operands[other]] != NOT_REACHED:
        return None  # rows met it as they should before: now it is the turn of the columns, as for a graph's edges
    a, b = operand_name(graph, row, one), operand_name(graph, row, other)
    return verdict_at(
        graph, row, "broadcast", LIKELY,
        f"{b} of shape {reduced} holds the {graph.op(event)} of {a} along axis {axes[0]}, and meets {a} of shape"
        f" {whole} along its last axis: each element meets that of another row",
        f"keep the axis: {graph.op(event)}(..., axis={axes[0]}, keepdims=True)", tensor=graph.outputs[row][0],
        evidence={"shapes": [list(whole), list(reduced)], "axis": axes[0], "reduction": graph.event_id(event)},
    )  # fmt: skip


def _reduced_by(graph: Graph, tensor: int) -> int:
    """The reduction that gave a tensor its shape, element by element changed since at most; -1 for none."""
    shape = graph.shape(tensor)
    for _ in range(_MOST_STEPS):
        maker = int(graph.links.producer[tensor])
        if maker < 0 or graph.is_variable[tensor]:
            return -1
        if graph.said(maker, "family") == "reduction":
            return maker
        same = [read for read in graph.operands[maker] if graph.shape(read) == shape]
        if not same or not _is_elementwise(graph, maker):
            return -1
        tensor = same[0]
    return -1


def _elementwise_sources(graph: Graph, tensor: int, shape: Shape) -> set[int]:
    """What a tensor was computed from element by element, in the same shape, itself included."""
    queue, seen = [tensor], {tensor}
    for at in queue:
        maker = int(graph.links.producer[at])
        if maker < 0 or graph.is_variable[at] or not _is_elementwise(graph, maker):
            continue
        for read in graph.operands[maker]:
            if read not in seen and graph.shape(read) == shape and len(seen) < _MOST_STEPS:
                seen.add(read)
                queue.append(read)
    return seen


def _is_meant(graph: Graph, row: int, tensor: int) -> bool:
    """Whether the axis of size 1 was put there on this very line, as in ``x[:, None] - y``."""
    maker, place = int(graph.links.producer[tensor]), graph.place(graph.site(row))
    while maker >= 0 and graph.place(graph.site(maker)) == place:
        inner = graph.operands[maker]
        if len(inner) == 1 and len(graph.shape(inner[0])) < len(graph.shape(graph.outputs[maker][0])):
            return True
        if len(inner) != 1 or not _is_elementwise(graph, maker):
            return False
        maker = int(graph.links.producer[inner[0]])
    return False


def _root(graph: Graph, tensor: int) -> int:
    """The tensor whose elements these are, in whatever shape."""
    while not graph.is_variable[tensor]:
        maker = int(graph.links.producer[tensor])
        passing = maker >= 0 and graph.traits(maker) & {"reshapes", "cast", "identity", "reads_variable"}
        if not passing or len(graph.operands[maker]) != 1:
            break
        tensor = graph.operands[maker][0]
    return tensor


def _reduction(graph: Graph, tensor: int) -> int:
    """The reduction that elements go into, each by itself until then; -1 where they go elsewhere.

    Where they meet a matrix of their shape on the way, they were meant to be one too: then it is `_MEETS_A_MATRIX`.
    """
    queue, seen = [tensor], {tensor}
    for at in queue:
        for event in graph.readers[at]:
            if graph.is_backward(event):
                continue
            if any(_is_matrix(graph, other, graph.shape(at)) for other in graph.operands[event] if other not in seen):
                return _MEETS_A_MATRIX
            if graph.said(event, "family") == "reduction":
                return event
            passes = _is_elementwise(graph, event) or graph.has(event, "cast") or graph.has(event, "identity")
            for made in graph.outputs[event] if passes else ():
                if made not in seen and len(seen) < _MOST_STEPS:
                    seen.add(made)
                    queue.append(made)
    return -1


def _is_matrix(graph: Graph, tensor: int, shape: Shape) -> bool:
    """Whether a tensor has a shape by itself: not by broadcasting, nor computed by elements from one that does."""
    for _ in range(_MOST_STEPS):
        maker = int(graph.links.producer[tensor])
        if graph.shape(tensor) != shape or maker < 0 or not _is_elementwise(graph, maker):
            return graph.shape(tensor) == shape
        whole = [other for other in graph.operands[maker] if graph.shape(other) == shape]
        if not whole:
            return False
        tensor = whole[0]
    return False


def _is_error(graph: Graph, row: int) -> bool:
    """Whether an op takes a difference of which only the size counts: squared, or without its sign."""
    if graph.has(row, "squares"):
        return True
    if not {"sum", "exact"} <= graph.traits(row) or "-" not in graph.said(row, "formula"):
        return False
    readers = [event for event in graph.readers[graph.outputs[row][0]] if not graph.is_backward(event)]
    return any(graph.traits(event) & {"squares", "power"} or "|" in graph.said(event, "formula") for event in readers)


def _is_learnt(graph: Graph, tensor: int) -> bool:
    """Whether a tensor was computed from a variable."""
    before = graph.ancestors(tensor, assigned=False)
    return any(before[row] != NOT_REACHED for row in np.flatnonzero(graph.is_variable).tolist())


def _related(graph: Graph, one: int, other: int) -> bool:
    before, after = graph.ancestors(one, assigned=False), graph.ancestors(other, assigned=False)
    return before[other] != NOT_REACHED or after[one] != NOT_REACHED


BROADCASTS: Final = Rule(_broadcasts, {"broadcast": "columns that are broadcast over vectors"}, "shapes")
