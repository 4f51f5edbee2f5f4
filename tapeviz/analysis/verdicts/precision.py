"""Digits and values that a dtype cannot hold: what wraps, what is cut, what becomes 0 or infinite, what cancels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from tapeviz.analysis.expressions import operand_name
from tapeviz.analysis.graph import NOT_REACHED, Graph
from tapeviz.analysis.links import ops_with, rows_of
from tapeviz.analysis.nonfinite.origins import nonfinite
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["PRECISION"]

_SMALL_INTEGERS: Final = {"uint8", "int8", "uint16", "int16"}
_INTEGERS: Final = _SMALL_INTEGERS | {"int32", "int64", "uint32", "uint64"}
_HALVES: Final = {"float16", "bfloat16"}
_DIGITS: Final = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_PAIR: Final = 2
_NEAR: Final = 1e-4  # by which the mean of whole numbers may be off, of its own size
_LEAST_CUT: Final = 16  # elements from which on it is no chance that all are cut to 0


class _Figures(NamedTuple):
    """The statistics of a tensor that the rule goes by."""

    low: float
    high: float
    mean: float
    zeros: int
    size: int

    @property
    def total(self) -> float:
        return self.mean * self.size


def _precision(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """One finding a line."""
    said: set[int] = set()
    rows = graph.runs_of(ops_with(graph.recording, "sum", "mean", "cast", "product", "squares"))
    for found in [*(_of(graph, row, limits) for row in rows), *_infinite(graph)]:
        if found is not None and found.site_row not in said:
            said.add(found.site_row)
            yield found


def _of(graph: Graph, row: int, limits: Thresholds) -> Verdict | None:
    outputs = graph.outputs[row]
    inputs = [one for tensor in graph.operands[row] if (one := _figures(graph, tensor)) is not None]
    made = _figures(graph, outputs[0]) if len(outputs) == 1 else None
    if made is None or not inputs or len(inputs) < len(graph.operands[row]):
        return None
    dtype, found = graph.dtype(outputs[0]), None
    wanted = "squares" if len(inputs) == 1 else "product"
    if graph.said(row, "family") == "elementwise" and graph.has(row, wanted):
        found = _underflow(graph, row, inputs, made)
    elif graph.has(row, "cast"):
        found = _cut(graph, row, inputs[0], made)
    elif dtype in _SMALL_INTEGERS and graph.has(row, "sum"):
        found = _wrapped(graph, row, inputs, made)
    elif dtype in _INTEGERS and graph.has(row, "mean"):
        found = _whole(graph, row, inputs[0], made)
    elif dtype in _DIGITS and graph.has(row, "sum") and len(inputs) == _PAIR:
        found = _absorbed(graph, row, inputs, made) or _cancelled(graph, row, inputs, made, limits)
    return found


def _cut(graph: Graph, row: int, before: _Figures, made: _Figures) -> Verdict | None:
    """A cast after which nothing but 0 is left of numbers that were not."""
    tensor, result = graph.operands[row][0], graph.outputs[row][0]
    dtype = graph.dtype(result)
    if made.zeros < made.size or before.zeros > before.size // 2 or not graph.is_floating[tensor]:
        return None
    if dtype not in _HALVES and (dtype not in _INTEGERS or before.size < _LEAST_CUT or before.low < 0):
        return None
    name = operand_name(graph, row, 0)
    fix = (
        f"scale {name} up before the cast, or keep it in {graph.dtype(tensor)}"
        if dtype in _HALVES
        else f"keep {name} in {graph.dtype(tensor)}, or multiply by 255 first if it is an image from 0 to 1"
    )
    return verdict_at(
        graph, row, "precision", LIKELY,
        f"{name} is from {before.low:.3g} to {before.high:.3g}, and all of it is 0 as {dtype}", fix,
        tensor=result, evidence=_evidence(graph, row),
    )  # fmt: skip


def _underflow(graph: Graph, row: int, inputs: list[_Figures], made: _Figures) -> Verdict | None:
    """A product of which nothing but 0 is left, though somewhere none of its factors is 0.

    Squares of gradients are often that small, and optimizers are made for it.
    """
    zeros = sum(one.zeros for one in inputs)
    whole = all(one.size == made.size or one.zeros == 0 for one in inputs)
    result = graph.outputs[row][0]
    if made.zeros < made.size or made.size == 0 or not whole or zeros >= made.size or not graph.is_floating[result]:
        return None
    reached = np.flatnonzero(np.array(graph.ancestors(result, assigned=False)) != NOT_REACHED)
    if any(maker >= 0 and graph.is_backward(int(maker)) for maker in graph.links.producer[reached]):
        return None
    names = " and ".join(dict.fromkeys(operand_name(graph, row, slot) for slot in range(len(inputs))))
    high = max(max(abs(one.low), abs(one.high)) for one in inputs)
    dtype = graph.dtype(result)
    return verdict_at(
        graph, row, "precision", LIKELY,
        f"all that {graph.op(row)} makes of {names} is 0 as {dtype}: numbers up to {high:.3g} give products too small"
        " for it",
        f"scale {names} up, or multiply as {'float32' if dtype in _HALVES else 'float64'}", tensor=result,
        evidence=_evidence(graph, row),
    )  # fmt: skip


def _wrapped(graph: Graph, row: int, inputs: list[_Figures], made: _Figures) -> Verdict | None:
    """A sum or difference that left the range of its dtype and came in again at the other end.

    Without that the mean of what comes out is the sum or the difference of the means.
    """
    if len(inputs) == _PAIR:
        one, other = inputs
        exact = [one.mean + other.mean, one.mean - other.mean]
        got, scale = made.mean, abs(one.mean) + abs(other.mean) + 1
    elif len(inputs) == 1 and graph.said(row, "family") == "reduction" and made.size < inputs[0].size:
        exact, got, scale = [inputs[0].total], made.total, abs(inputs[0].total) + 1
    else:
        return None
    if any(abs(got - value) <= _NEAR * scale for value in exact):
        return None
    dtype, names = graph.dtype(graph.outputs[row][0]), [operand_name(graph, row, slot) for slot in range(len(inputs))]
    limits = np.iinfo(dtype)
    return verdict_at(
        graph, row, "precision", LIKELY,
        f"{graph.op(row)} of {' and '.join(names)} leaves the range of {dtype}, {limits.min} to {limits.max}, and "
        "wraps around",
        f"cast first: tf.cast({names[0]}, tf.int32), or tf.float32", tensor=graph.outputs[row][0],
        evidence=_evidence(graph, row),
    )  # fmt: skip


def _whole(graph: Graph, row: int, before: _Figures, made: _Figures) -> Verdict | None:
    """The mean of zeros and ones that is a whole number too."""
    if before.low < 0 or before.high > 1 or before.size == 1 or abs(before.total / before.size - made.mean) < _NEAR:
        return None
    name, dtype = operand_name(graph, row, 0), graph.dtype(graph.outputs[row][0])
    return verdict_at(
        graph, row, "precision", LIKELY,
        f"the mean of {name} is {before.mean:.3g}, but {made.mean:.3g} as {dtype}: {name} holds whole numbers, and so "
        "does its mean",
        f"tf.reduce_mean(tf.cast({name}, tf.float32))", tensor=graph.outputs[row][0], evidence=_evidence(graph, row),
    )  # fmt: skip


def _absorbed(graph: Graph, row: int, inputs: list[_Figures], made: _Figures) -> Verdict | None:
    """A count that stands still: the dtype has no number between it and the next but one."""
    for slot, (one, other) in enumerate(((inputs[0], inputs[1]), (inputs[1], inputs[0]))):
        dtype = graph.dtype(graph.outputs[row][0])
        counts = other.low == other.high >= 1 and float(other.high).is_integer()
        # What counts stops at the first number that it cannot pass; a loss that runs away is far above.
        stands = 1 <= one.mean / 2.0 ** _DIGITS[dtype] <= _PAIR * other.mean and made.mean == one.mean
        if not (one.size == made.size == 1 and counts and stands and other.mean <= 2.0 ** _DIGITS[dtype]):
            continue
        name = operand_name(graph, row, slot)
        return verdict_at(
            graph, row, "precision", LIKELY,
            f"{name} stays at {one.mean:.0f} though {other.mean:g} is added: above {2 ** _DIGITS[dtype]:,} {dtype} "
            "does not hold each whole number",
            f"keep {name} as tf.int64", tensor=graph.outputs[row][0], evidence=_evidence(graph, row),
        )  # fmt: skip
    return None


def _cancelled(graph: Graph, row: int, inputs: list[_Figures], made: _Figures, limits: Thresholds) -> Verdict | None:
    """A variance as the mean of squares minus the square of the mean, of which next to no digit is left."""
    large = max(abs(inputs[0].low), abs(inputs[0].high))
    dtype = graph.dtype(graph.outputs[row][0])
    left = max(abs(made.low), abs(made.high)) / large * 2.0 ** _DIGITS[dtype] if large else np.inf
    if left > limits["units_left"] or made.zeros == made.size:
        return None
    first, second = graph.operands[row]
    of = _squared(graph, _before(graph, first, "mean"))
    if of < 0 or _before(graph, _squared(graph, second), "mean") != of:
        return None
    names = [operand_name(graph, row, slot) for slot in range(_PAIR)]
    return verdict_at(
        graph, row, "precision", LIKELY,
        f"{names[0]} and {names[1]} are both near {large:.3g}, and their difference of {made.low:.3g} to "
        f"{made.high:.3g} is no more than their rounding",
        f"take the mean away before squaring, as tf.math.reduce_variance({graph.name(of)}) does",
        tensor=graph.outputs[row][0], evidence={**_evidence(graph, row), "units_left": left},
    )  # fmt: skip


def _squared(graph: Graph, tensor: int) -> int:
    """The tensor of which one is the square; -1 for none."""
    event = int(graph.links.producer[tensor]) if tensor >= 0 else -1
    operands = graph.operands[event] if event >= 0 else []
    if operands and (graph.has(event, "squares") or graph.has(event, "power")):
        return operands[0]
    same = len(operands) == _PAIR and operands[0] == operands[1] and graph.has(event, "product")
    return operands[0] if same else -1


def _before(graph: Graph, tensor: int, trait: str) -> int:
    """The first input of what made a tensor, where that has a trait; -1 otherwise."""
    event = int(graph.links.producer[tensor]) if tensor >= 0 else -1
    return graph.operands[event][0] if event >= 0 and graph.has(event, trait) and graph.operands[event] else -1


def _infinite(graph: Graph) -> Iterator[Verdict | None]:
    """Numbers too large for a half, where what comes of the infinity is finite again and looks like a result."""
    for found in nonfinite(graph.recording):
        row = int(rows_of(graph.recording.events.id, np.array([found.event]))[0])
        made = graph.outputs[row][:1] if row >= 0 else []
        if not found.harmless or not made or graph.dtype(made[0]) != "float16" or graph.has(row, "cast"):
            continue
        inputs = [_figures(graph, tensor) for tensor in graph.operands[row]]
        if any(one is None for one in inputs) or graph.has(row, "quotient") or graph.has(row, "logarithm"):
            continue
        name = operand_name(graph, row, 0)
        high = max(max(abs(one.low), abs(one.high)) for one in inputs if one is not None)
        yield verdict_at(
            graph, row, "precision", LIKELY,
            f"{graph.op(row)} of {name}, with numbers up to {high:.3g}, is infinite as float16, whose largest is 65504",
            f"tf.cast({name}, tf.float32) before it", tensor=made[0], evidence=_evidence(graph, row),
        )  # fmt: skip


def _figures(graph: Graph, tensor: int) -> _Figures | None:
    """The statistics of a tensor; None where it has none, or has elements that are not finite."""
    stats, row = graph.recording.stats, int(graph.links.stats[tensor])
    size = graph.size(tensor)
    if row < 0 or not size or stats.nan[row] or stats.posinf[row] or stats.neginf[row]:
        return None
    return _Figures(float(stats.min[row]), float(stats.max[row]), float(stats.mean[row]), int(stats.zero[row]), size)


def _evidence(graph: Graph, row: int) -> dict[str, list[int]]:
    return {"tensors": list(graph.tensor_ids([*graph.outputs[row], *graph.operands[row]]))}


PRECISION: Final = Rule(
    _precision,
    {"precision": "numbers that their dtype cannot hold"},
    "values",
    (
        Threshold(
            "units_left",
            64.0,
            "a difference of squares is called lost when it is no more than so many units in the last place",
        ),
    ),
    by_statistics=True,
)
