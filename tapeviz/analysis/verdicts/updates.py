"""Updates that do nothing, and those that go uphill."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Request, Training, Update, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["UPDATES"]

_LOSS: Final = re.compile("loss|cost|err|mse|mae|nll|entropy|xent", re.IGNORECASE)
_ASKS: Final = re.compile(r"gradient\(\s*([\w.]+)")
_CLEAR: Final = 0.05  # of a gradient's root mean square: a mean from which on its sign says which way it points
_MOSTLY: Final = 0.9
_NAMED: Final = 4


def _updates(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    training = training_of(graph)
    yield from _without_effect(training, int(limits["updates"]))
    for requests in training.by_line.values():
        steps = [asked for asked in requests if asked.target >= 0 and graph.size(asked.target) == 1]
        if len(steps) >= limits["updates"] and (event := _uphill(training, steps)) >= 0:
            yield _ascent(training, steps, event)


def _without_effect(training: Training, times: int) -> Iterator[Verdict]:
    """Once for a line of updates that all leave their variables as they are, though the gradients are not 0."""
    graph = training.graph
    lines: dict[int, list[Update]] = {}
    for update in training.updates:
        if update.gradients:
            lines.setdefault(graph.site(update.event), []).append(update)
    for every in lines.values():
        updates = [update for update in every if not _began_at_0(training, update.variable)]
        steps = Counter(update.variable for update in updates)
        if min(steps.values(), default=0) < times or not all(_stays(training, update) for update in updates):
            continue
        if not all(training.norm(one) > 0 for update in updates for one in update.gradients.values()):
            continue
        last = updates[-1]
        names = training.names(sorted(steps)[:_NAMED])
        text = (
            f"{len(updates)} updates leave {names} as they were, though the gradients are not 0: each step is smaller"
            f" than half a unit in the last place of {graph.dtype(last.tensor)}"
        )
        fix = "make the learning rate larger, or look at what it is multiplied by"
        evidence = {"times": len(updates), "tensors": [graph.tensor_id(last.tensor)]}
        yield verdict_at(graph, last.event, "not_learning", LIKELY, text, fix, tensor=last.tensor, evidence=evidence)


def _began_at_0(training: Training, variable: int) -> bool:
    """Whether a variable's first value is 0, which any step changes, be it ever so small."""
    return training.norm(training.assigned[variable][0]) == 0


def _stays(training: Training, update: Update) -> bool:
    """Whether a variable's value has the same statistics after an update as before; it was not all 0."""
    before = _before(training, update)
    stats, rows = training.graph.recording.stats, training.graph.links.stats
    if before < 0 or rows[before] < 0 or rows[update.tensor] < 0 or training.norm(before) == 0:
        return False
    one, other = int(rows[before]), int(rows[update.tensor])
    return all(column[one] == column[other] for column in (stats.min, stats.max, stats.mean, stats.norm, stats.std))


def _before(training: Training, update: Update) -> int:
    """The value that a variable had before an update; -1 where it is not known."""
    values = training.assigned[update.variable]
    at = values.index(update.tensor)
    return values[at - 1] if at > 0 else -1


def _uphill(training: Training, steps: list[Request]) -> int:
    """The event that moves all that a loss reads along its gradient, while it rises from call to call; -1 for none.

    What searches for an input that a trained model is bad at goes uphill too, but leaves the model as it is; what
    maximizes a likelihood does not call it a loss, nor does it rise from above 0.
    """
    graph, values = training.graph, training.series(steps)
    rises = all(before < after for before, after in itertools.pairwise(values))
    if (
        not rises
        or values[0] < 0
        or not all(map(math.isfinite, values))
        or not _LOSS.search(_target_name(graph, steps[-1]))
    ):
        return -1
    read = {variable for variable in training.read_by(steps[-1].target) if training.is_trainable(variable)}
    if not read or not read <= steps[-1].gradients.keys():
        return -1
    along, events = list[bool](), list[int]()
    for update in training.updates:
        gradient = update.gradients.get(update.variable, -1)
        before = _before(training, update)
        if update.variable in read and gradient >= 0 and before >= 0 and steps[0].span < update.event:
            along += _direction(training, gradient, before, update.tensor)
            events.append(update.event)
    enough = len(along) >= len(steps) - 1
    return events[-1] if enough and sum(along) >= _MOSTLY * len(along) else -1


def _target_name(graph: Graph, asked: Request) -> str:
    """What is differentiated, as the user calls it or as the line does that asks; empty where neither is known."""
    line = graph.place(graph.site(asked.span))
    read = _ASKS.search(line.text) if line is not None else None
    return graph.names.get(asked.target) or (read.group(1) if read is not None else "")


def _direction(training: Training, gradient: int, before: int, after: int) -> Iterator[bool]:
    """Whether the mean of a variable moved as the mean of its gradient points; nothing where that is not clear."""
    stats, rows = training.graph.recording.stats, training.graph.links.stats
    if min(rows[gradient], rows[before], rows[after]) < 0:
        return
    slope = float(stats.mean[rows[gradient]])
    moved = float(stats.mean[rows[after]]) - float(stats.mean[rows[before]])
    scale = training.norm(gradient) / math.sqrt(max(training.graph.size(gradient), 1))
    if abs(slope) >= _CLEAR * scale > 0 and moved != 0:
        yield (slope > 0) == (moved > 0)


def _ascent(training: Training, steps: list[Request], event: int) -> Verdict:
    graph, values = training.graph, training.series(steps)
    target = _target_name(graph, steps[-1])
    text = (
        f"{target} rises at each of {len(values)} calls, from {values[0]:.3g} to {values[-1]:.3g}: the variables are"
        " moved along its gradient, which leads uphill"
    )
    fix = "subtract the gradient (assign_sub, or apply_gradients with the gradient as it is) to make it smaller"
    tensors = [graph.tensor_id(steps[0].target), graph.tensor_id(steps[-1].target)]
    evidence = {"values": values, "tensors": tensors}
    return verdict_at(graph, event, "diverging", LIKELY, text, fix, tensor=steps[-1].target, evidence=evidence)


UPDATES: Final = Rule(
    _updates,
    {"not_learning": "updates that change nothing", "diverging": "losses that are climbed"},
    "variables",
    (Threshold("updates", 4, "updates of a variable from which on they are judged"),),
    applies=lambda recording: len(recording.requests) > 0,
    by_statistics=True,
)
