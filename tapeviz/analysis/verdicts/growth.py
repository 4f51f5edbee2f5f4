"""Losses that grow from call to call, and what makes them: an update, a copy that never lags, a recurrence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from tapeviz.analysis.graph import NOT_REACHED, Graph
from tapeviz.analysis.training import Request, Training, training_of
from tapeviz.analysis.verdicts.verdict import FAULT, Rule, Threshold, Thresholds, Verdict, verdict_at

__all__ = ["GROWTH"]

_SHOWN: Final = 4
_MANY: Final = 200
_LONG: Final = 12
_MOSTLY: Final = 0.8
_LARGE: Final = 1000.0


def _growth(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """Once for a line that asks for gradients."""
    training = training_of(graph)
    for requests in [*training.by_line.values(), *training.in_sessions.values()]:
        steps = [asked for asked in requests if asked.target >= 0 and graph.size(asked.target) == 1]
        values = training.series(steps)
        begins = _begins(values, limits)
        if begins >= 0 and (line := _cause(training, steps, begins, limits)) is not None:
            yield _verdict(training, steps, values, begins, line)


def _begins(values: Sequence[float], limits: Thresholds) -> int:
    """The call from which on a loss grows for good, -1 where it does not: NaN counts where infinity is near."""
    first = next((abs(value) for value in values if value != 0), math.nan)
    scale = max(first, 1.0)
    finite = [abs(value) for value in values if not math.isnan(value)]
    if (
        len(finite) < limits["loss_calls"]
        or not math.isfinite(first)
        or finite[-1] < limits["loss_growth"] * scale / 10
    ):
        return -1
    if max(finite) < limits["loss_growth"] * scale:
        return -1
    return next(at for at, value in enumerate(values) if abs(value) > 2 * scale)


def _cause(training: Training, steps: list[Request], begins: int, limits: Thresholds) -> tuple[int, str, str] | None:
    """The event to show, what it does and what to do about it; None where nothing is trained."""
    graph, last = training.graph, steps[min(begins, len(steps) - 1)]
    if (event := _recurrence(training, steps[0], limits["recurrence_growth"])) >= 0:
        name = graph.op(event)
        return event, f"the outputs of {name} grow from one time step to the next on this line", (
            f"use an activation that is bounded (tf.tanh) after {name}, smaller or orthogonal recurrent weights, or a"
            " gated cell"
        )  # fmt: skip
    if (event := _self_copy(training, last)) >= 0:
        copy = graph.name(graph.outputs[event][0])
        return event, f"{copy}, which the loss is compared by, is given the trained values at every step", (
            f"let {copy} follow slowly, with a tau of 0.01 or less, or copy the weights only every few hundred steps"
        )  # fmt: skip
    event = _update(training, last)
    return None if event < 0 else (event, "", "")


def _recurrence(training: Training, first: Request, limit: float) -> int:
    """An op that the first loss needs many times from one line, with outputs that grow; -1 for none."""
    graph = training.graph
    calls: dict[tuple[Any, ...], list[int]] = {}
    reached = graph.ancestors(first.target, assigned=False)
    for tensor in np.flatnonzero(np.array(reached) != NOT_REACHED).tolist():
        event = int(graph.links.producer[tensor])
        if event >= 0 and graph.ran[event]:
            calls.setdefault((graph.op(event), graph.site(event), graph.shape(tensor)), []).append(tensor)
    for tensors in calls.values():
        norms = [norm for tensor in tensors if math.isfinite(norm := training.norm(tensor)) and norm > 0]
        rises = sum(after > before for before, after in itertools.pairwise(norms))
        if len(norms) >= _LONG and norms[-1] > limit * norms[len(norms) // 4] and rises > _MOSTLY * len(norms):
            return int(graph.links.producer[tensors[-1]])
    return -1


def _self_copy(training: Training, asked: Request) -> int:
    """The op that copies trained values to what the loss is compared by, all of them; -1 for none."""
    graph, of = training.graph, training.graph.recording.tensors.variable
    reached = np.flatnonzero(np.array(graph.ancestors(asked.target, assigned=False)) != NOT_REACHED)
    read = set(of[reached].tolist()) - set(asked.gradients) - {-1}
    for update in training.updates:
        if update.variable not in read or update.gradients or update.event > asked.span:
            continue
        norm = training.norm(update.tensor)
        known = list(_before(training, asked.gradients, update.event))
        if any(training.norm(value) == norm and graph.shape(value) == graph.shape(update.tensor) for value in known):
            return update.event
    return -1


def _before(training: Training, variables: dict[int, int], event: int) -> Iterator[int]:
    """The values that variables had before an event."""
    producer = training.graph.links.producer
    for variable in variables:
        values = [value for value in training.assigned.get(variable, ()) if producer[value] < event]
        yield from values[-1:]


def _update(training: Training, asked: Request) -> int:
    """The op that updated what the loss was differentiated by; of an optimizer in ``fit`` what made it; -1 for none."""
    graph = training.graph
    after = [u for u in training.updates if u.event > asked.span and u.gradients.keys() & asked.gradients.keys()]
    if not after:
        return next(iter(training.stores.get(asked.span, ())), -1)
    event = after[0].event
    if graph.site(event) == graph.site(asked.span) == graph.site(int(graph.links.producer[asked.target])):
        made = [values[0] for variable, values in training.assigned.items()
                if training.own_name(variable).endswith("/learning_rate") and training.made(variable) >= 0]  # fmt: skip
        return int(graph.links.producer[made[-1]]) if made else event
    return event


def _verdict(
    training: Training, steps: list[Request], values: list[float], begins: int, cause: tuple[int, str, str]
) -> Verdict:
    graph, (event, does, fix) = training.graph, cause
    target = graph.names.get(steps[-1].target, "the loss")
    rest = values[max(begins - 1, 0) :]
    some = ", ".join(f"{value:.3g}" for value in [*rest[:_SHOWN], *rest[_SHOWN:][-1:]])
    falls = rest[1] < rest[0] if len(rest) > 1 else False
    text = f"{target} {'falls without a bound' if falls else 'grows'} over {len(values)} calls: {some}"
    text += f"; {does}" if does else "" if falls else "; each update overshoots further than the last"
    shown = steps[begins]
    evidence = {
        "begins": graph.event_id(shown.span), "values": values[:_MANY], "tensors": [graph.tensor_id(shown.target)],
    }  # fmt: skip
    fix = fix or (_bound(target) if falls else _smaller(graph, steps, rest))
    return verdict_at(graph, event, "diverging", FAULT, text, fix, tensor=shown.target, evidence=evidence)


def _bound(target: str) -> str:
    return f"bound what {target} can become: clip or penalize the weights or the gradient of what it takes the mean of"


def _smaller(graph: Graph, steps: list[Request], values: Sequence[float]) -> str:
    """By how much a rate is too large: on a parabola the error of a step is |1 - rate x curvature| times the last."""
    pairs = itertools.pairwise(values)
    ratios = [after / before for before, after in pairs if 0 < before < after < math.inf]
    factor = (1 + math.sqrt(float(np.median(ratios)))) / 2 if ratios else 10.0
    maker = int(graph.links.producer[steps[0].target])
    summed = graph.said(maker, "family") == "reduction" and graph.has(maker, "sum")
    mean = "average the loss (tf.reduce_mean in the place of tf.reduce_sum), or " if summed else ""
    scale = "scale inputs and targets to about 1"
    if factor > _LARGE:
        return f"{mean}{scale}: by the learning rate alone it would take one {factor:.0e} times smaller"
    return f"{mean}make the learning rate at least {max(factor, 2):.0f} times smaller, or {scale}"


GROWTH: Final = Rule(
    _growth,
    {"diverging": "losses that grow"},
    "losses",
    (
        Threshold("loss_growth", 1e3, "times the first loss (at least 1) from which on it has grown"),
        Threshold("loss_calls", 3, "calls of gradient from which on a loss can grow"),
        Threshold("recurrence_growth", 100.0, "times the norm of an op's first outputs from which on they grow"),
    ),
    applies=lambda recording: len(recording.requests) > 0,
    by_statistics=True,
)
