"""Padding counted in a mean: the elements that a mask sets to 0 are still divided by."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tapeviz.analysis.expressions import operand_name
from tapeviz.analysis.graph import NOT_REACHED, Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["PADDING"]

_MASK_LIKE: Final = re.compile(r"mask|pad|valid", re.IGNORECASE)
_PASSING: Final = frozenset(("moves", "reshapes", "cast", "identity", "sum"))
"""Traits of what may stand between a mask and its use, and between the masked elements and their mean."""
_MOST_STEPS: Final = 6
_LEAST: Final = 8
_BATCH_AND_TIME: Final = 2
_FEW: Final = 2
_PAIR: Final = 2


def _padding(graph: Graph, thresholds: Thresholds) -> Iterator[Verdict]:
    """Means that count padding, one a line."""
    said: set[int] = set()
    padded = _padded(graph, thresholds["padding_share"])
    for row in graph.runs_of(ops_with(graph.recording, "mean")):
        if graph.site(row) in said or not graph.operands[row]:
            continue
        found = _masked(graph, row) or _unmasked(graph, row, padded)
        if found is not None:
            said.add(graph.site(row))
            yield found


def _masked(graph: Graph, row: int) -> Verdict | None:
    """A mean of elements times a mask, not divided by that mask's mean."""
    axes = _axes(graph, row)
    for event in _steps_back(graph, graph.operands[row][0]):
        if not {"product", "exact"} <= graph.traits(event):
            continue
        for slot, mask in enumerate(graph.operands[event]):
            share = _share_of_zeros(graph, mask)
            if share is None or not _goes_along(graph, mask, event, axes) or not _is_mask(graph, event, slot):
                continue
            if _divided_by(graph, row, mask):
                return None
            name, what = operand_name(graph, event, slot), operand_name(graph, row, 0)
            axis = "" if axes is None else f", axis={axes[0] if len(axes) == 1 else list(axes)}"
            return verdict_at(
                graph, row, "padding_in_mean", LIKELY,
                f"the mean of {what} counts the padding: {name} sets {share:.0%} of its elements to 0, and the mean "
                "divides by their number too",
                f"tf.reduce_sum({what}{axis}) / tf.reduce_sum({name}{axis}) is the mean of the rest", tensor=mask,
                evidence={"mask": graph.tensor_id(mask), "share": share},
            )  # fmt: skip
    return None


def _axes(graph: Graph, row: int) -> tuple[int, ...] | None:
    """The axes that a reduction goes over, None for all."""
    said = graph.attributes(row).get("axis")
    if said is None:
        return None
    rank = len(graph.shape(graph.operands[row][0]))
    return tuple(axis % max(rank, 1) for axis in ([said] if isinstance(said, int) else said))


def _steps_back(graph: Graph, tensor: int) -> Iterator[int]:
    """The events that made a tensor, back through those that pass elements on or add some of them up."""
    for _ in range(_MOST_STEPS):
        event = int(graph.links.producer[tensor])
        if event < 0 or graph.is_span(event) or not graph.operands[event]:
            return
        yield event
        if _PASSING.isdisjoint(graph.traits(event)) or len(graph.operands[event]) > 1:
            return
        tensor = graph.operands[event][0]


def _share_of_zeros(graph: Graph, tensor: int) -> float | None:
    """Which part of a tensor of zeros and ones is 0; None where it is no such tensor, or has only one of them."""
    row, stats, size = int(graph.links.stats[tensor]), graph.recording.stats, graph.size(tensor)
    if row < 0 or size <= 1 or stats.min[row] != 0 or stats.max[row] != 1:
        return None
    zeros = int(stats.zero[row])
    return zeros / size if math.isclose(stats.mean[row], 1 - zeros / size, abs_tol=1e-6) else None


def _goes_along(graph: Graph, mask: int, event: int, axes: tuple[int, ...] | None) -> bool:
    """Whether a mask differs along an axis that the mean is over."""
    if axes is None:
        return True
    made = graph.shape(graph.outputs[event][0])
    shape = graph.shape(mask)
    shape = (1,) * (len(made) - len(shape)) + shape
    return any(axis < len(shape) and shape[axis] > 1 for axis in axes)


def _is_mask(graph: Graph, event: int, slot: int) -> bool:
    """Whether zeros mean "not there": by a comparison of whole numbers, or by what the user calls it.

    A mask that the program's own results decide (a hinge, the choice of an action) says something else with its zeros,
    and so does one of random numbers.
    """
    tensor = graph.operands[event][slot]
    maker = int(graph.links.producer[tensor])
    while maker >= 0 and _PASSING & graph.traits(maker) and len(graph.operands[maker]) == 1:
        tensor = graph.operands[maker][0]
        maker = int(graph.links.producer[tensor])
    negated = False
    if maker >= 0 and len(graph.operands[maker]) == 1 and graph.dtype(graph.operands[maker][0]) == "bool":
        negated, tensor = True, graph.operands[maker][0]
        maker = int(graph.links.producer[tensor])
    if maker < 0:
        return bool(_MASK_LIKE.search(operand_name(graph, event, slot)))
    if graph.dtype(tensor) != "bool" or len(graph.operands[maker]) == 1:
        return False
    whole = all(graph.dtype(side).startswith(("int", "uint")) for side in graph.operands[maker])
    return whole and (negated or not _is_equal(graph, maker))


def _is_equal(graph: Graph, event: int) -> bool:
    """Whether a comparison holds for equal numbers alone: what it chooses is a class more often than what is there."""
    return "=" in graph.said(event, "formula") and not any(sign in graph.said(event, "formula") for sign in _SIGNS)


_SIGNS: Final = ("\\ne", "<", ">", "\\le", "\\ge", "\\lt", "\\gt", "\\neq")


def _divided_by(graph: Graph, row: int, mask: int) -> bool:
    """Whether a mean is divided by something computed from the mask."""
    for reader in graph.readers[graph.outputs[row][0]]:
        if graph.has(reader, "quotient") and not graph.is_backward(reader):
            divisor = graph.operands[reader][-1]
            if graph.ancestors(divisor, assigned=False)[mask] != NOT_REACHED:
                return True
    return False


def _unmasked(graph: Graph, row: int, padded: Sequence[tuple[int, int]]) -> Verdict | None:
    """A mean of a loss by position where words and labels are 0 at equally many of them, and nothing masks those."""
    operand = graph.operands[row][0]
    if len(padded) < _PAIR or len(graph.shape(operand)) < _BATCH_AND_TIME or graph.size(operand) < _LEAST:
        return None
    before = graph.ancestors(operand, assigned=False)
    ids = [(t, zeros) for t, zeros in padded if before[t] != NOT_REACHED]
    for at, (words, zeros) in enumerate(ids):
        for labels, others in ids[at + 1 :]:
            if zeros != others or graph.shape(words) != graph.shape(labels):
                continue
            if graph.shape(operand)[: len(graph.shape(words))] != graph.shape(words):
                continue
            if any(_compared(graph, tensor) for tensor in (words, labels)):
                return None
            size, what = graph.size(words), operand_name(graph, row, 0)
            return verdict_at(
                graph, row, "padding_in_mean", LIKELY,
                f"the mean of {what} is over all {size:,} positions, {zeros:,} of which look like padding: words and "
                "labels are 0 there",
                f"tf.reduce_sum({what} * mask) / tf.reduce_sum(mask), with mask = tf.cast(words > 0, tf.float32)",
                tensor=operand,
                evidence={"words": graph.tensor_id(words), "labels": graph.tensor_id(labels), "zeros": zeros},
            )  # fmt: skip
    return None


def _padded(graph: Graph, least: float) -> list[tuple[int, int]]:
    """Tensors of whole numbers from outside that are 0 in many places and several other numbers elsewhere."""
    stats, links = graph.recording.stats, graph.links
    found = []
    for tensor in np.flatnonzero((links.producer < 0) & (links.stats >= 0) & ~graph.is_floating).tolist():
        row, size = int(links.stats[tensor]), graph.size(tensor)
        several = stats.min[row] == 0 and stats.max[row] > _FEW
        if several and len(graph.shape(tensor)) == _BATCH_AND_TIME and stats.zero[row] >= least * size:
            found.append((tensor, int(stats.zero[row])))
    return found


def _compared(graph: Graph, tensor: int) -> bool:
    """Whether anything asks which elements of a tensor are 0."""
    return any(graph.dtype(made) == "bool" for reader in graph.readers[tensor] for made in graph.outputs[reader])


PADDING: Final = Rule(
    _padding,
    {"padding_in_mean": "padding that is counted in a mean"},
    "losses",
    (
        Threshold(
            "padding_share", 0.5, "Words and labels that are 0 in at least this part of their positions are padded."
        ),
    ),
    by_statistics=True,
)
