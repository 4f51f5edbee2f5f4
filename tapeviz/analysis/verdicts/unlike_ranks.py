"""Parameters that ranks keep alike by exchanging gradients, and that are not alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph, graph_of
from tapeviz.analysis.links import rows_of
from tapeviz.analysis.verdicts.verdict import FAULT, Rule, Threshold, Thresholds, Verdict, verdict_at
from tapeviz.recording.ranks import parts_of

__all__ = ["RANKS_DIFFER"]

_FAR: Final = 64  # tensors between a gradient that was exchanged and the update that it goes into
_TOLERANCE = Threshold(
    "ranks_apart", 1e-4, "a parameter's norm, mean or extremes differ between ranks by this part of its largest element"
)


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of a parameter: rows of the tensor, and of what made it or read it first, -1 for none."""

    tensor: int
    event: int
    figures: tuple[float, ...]
    gradient: tuple[float, ...] = ()
    """The same of what the update was given beside the value before."""
    is_exchanged: bool = False
    """Whether that is the same on every rank, as the call says that gave it."""


def _differing(graph: Graph, thresholds: Thresholds) -> Iterator[Verdict]:
    """Once: the first value that differs of a parameter whose gradients are exchanged."""
    parts = [graph_of(part) for part in parts_of(graph.recording)]
    values = [_values(part) for part in parts]
    common = [name for name in values[0] if all(name in of for of in values)]
    exchanged = [name for name in common if any(value.is_exchanged for of in values for value in of[name])]
    apart = [(at, name) for name in exchanged
             if (at := _first_apart([of[name] for of in values], thresholds[_TOLERANCE.name])) >= 0]  # fmt: skip
    if not apart:
        return
    at, name = min(apart, key=lambda found: (found[0], values[0][found[1]][found[0]].event))
    many = sum(1 for other, _ in apart if other == at)
    yield _verdict(graph, parts, [of[name][at] for of in values], at, name, many)


def _verdict(
    graph: Graph, parts: Sequence[Graph], values: Sequence[_Value], at: int, name: str, many: int
) -> Verdict:  # fmt: skip
    numbers = graph.recording.ranks.number.tolist()
    norms = ", ".join(f"{value.figures[0]:.6g} on rank {number}" for value, number in zip(values, numbers, strict=True))
    without = [number for value, number in zip(values, numbers, strict=True) if not value.is_exchanged]
    others = f" and {many - 1} other{'s' * (many > 2)}" * (many > 1)  # noqa: PLR2004 - a plural
    if at == 0:
        text, fix = (
            "begin",
            (
                "send the parameters of rank 0 to all before the first step, by torch.distributed.broadcast, or make "
                "the model after the same torch.manual_seed on each rank; DistributedDataParallel does so by itself"
            ),
        )
    elif without and len(without) < len(numbers):
        ranks = ", ".join(map(str, without))
        text, fix = (
            f"become, at update {at}, for which rank {ranks} exchanges no gradient,",
            ("exchange the gradients of every parameter on each rank before the update, with all_reduce"),
        )
    elif _apart([value.gradient for value in values], 0.0):
        text, fix = (
            f"become, at update {at}, whose gradients differ after they were exchanged,",
            ("do on each rank what is done to the gradients after all_reduce, such as dividing, clipping or adding"),
        )
    else:
        text, fix = (
            f"become, at update {at}, with the same gradient,",
            ("give the optimizers of all ranks the same settings and the same state"),
        )
    text = f"ranks differ: {name}{others} {text} different, a norm of {norms}"
    row = int(rows_of(graph.recording.events.id, np.array([parts[0].event_id(values[0].event)]))[0])
    tensor = int(graph.links.tensor_rows(np.array([parts[0].tensor_id(values[0].tensor)]))[0])
    evidence = {"update": at, "norms": [value.figures[0] for value in values], "parameters": many}
    return verdict_at(graph, row, "ranks_differ", FAULT, text, fix, tensor=tensor, evidence=evidence)


def _values(graph: Graph) -> dict[str, list[_Value]]:
    """The values of each parameter that have statistics, in order, by its name."""
    of = graph.recording.tensors.variable
    found: dict[str, list[_Value]] = {}
    for tensor in np.flatnonzero(of >= 0).tolist():
        figures = _figures(graph, tensor)
        if figures:
            found.setdefault(graph.variable_labels.get(int(of[tensor]), ""), []).append(_value(graph, tensor, figures))
    return found


def _value(graph: Graph, tensor: int, figures: tuple[float, ...]) -> _Value:
    maker = int(graph.links.producer[tensor])
    if maker < 0:
        return _Value(tensor, min(graph.readers[tensor], default=-1), figures)
    given = [read for read in graph.operands[maker] if not graph.is_variable[read]]
    gradient = _figures(graph, given[0]) if given else ()
    return _Value(tensor, maker, figures, gradient, any(_is_exchanged(graph, read) for read in given))


def _is_exchanged(graph: Graph, tensor: int) -> bool:
    """Whether a tensor comes from a call that gives every rank the same, by ops that are no backward steps."""
    queue, seen = [tensor], {tensor}
    for at in queue:
        maker = int(graph.links.producer[at])
        if maker < 0 or graph.is_backward(maker):
            continue
        if graph.has(maker, "replicated"):
            return True
        for other in graph.operands[maker]:
            if other not in seen and len(queue) < _FAR and not graph.is_variable[other]:
                seen.add(other)
                queue.append(other)
    return False


def _figures(graph: Graph, tensor: int) -> tuple[float, ...]:
    """What is compared of a tensor: its norm, mean and ends; nothing where they are not known."""
    stats, row = graph.recording.stats, int(graph.links.stats[tensor])
    return tuple(float(column[row]) for column in (stats.norm, stats.mean, stats.min, stats.max)) if row >= 0 else ()


def _first_apart(values: Sequence[Sequence[_Value]], tolerance: float) -> int:
    """Which of a parameter's values is the first that differs between ranks; -1 for none."""
    for at, same in enumerate(zip(*values, strict=False)):
        if _apart([value.figures for value in same], tolerance):
            return at
    return -1


def _apart(figures: Sequence[tuple[float, ...]], tolerance: float) -> bool:
    table = np.array(figures) if len({len(one) for one in figures}) == 1 else np.empty((0, 0))
    if not table.size or not np.isfinite(table).all():
        return False  # that they are not finite is a finding of its own
    scale = np.abs(table[:, 2:]).max()
    return bool((np.ptp(table, axis=0) > tolerance * np.maximum(scale, np.abs(table).max(axis=0))).any())


RANKS_DIFFER: Final = Rule(
    _differing,
    {"ranks_differ": "parameters that ranks keep alike and that differ"},
    "ranks",
    thresholds=(_TOLERANCE,),
    applies=lambda recording: len(recording.ranks) > 1,
    by_statistics=True,
    is_across=True,
)
