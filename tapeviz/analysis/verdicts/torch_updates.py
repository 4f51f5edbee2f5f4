"""Training loops of PyTorch's in which gradients go where nobody wants them: summed up, to no optimizer, to a leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Request, Training, training_of
from tapeviz.analysis.verdicts.torch_failures import came_from
from tapeviz.analysis.verdicts.verdict import FAULT, LIKELY, Rule, Thresholds, Verdict, verdict_at
from tapeviz.recording.schema import EXITS

__all__ = ["TORCH_UPDATES"]

_TIMES: Final = 2
_FAR: Final = 5  # ops between a gradient and an update written by hand
_ENTER: Final = EXITS.index("enter")
_NAMED: Final = 4


def _updates(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    if framework_of(graph.recording) != "torch":
        return
    training = training_of(graph)
    yield from _summed_up(training)
    yield from _of_a_leaf(training)
    yield from _steps_without(training)
    anew = _made_in_calls(training)
    yield from anew.values()
    if not anew:
        yield from _in_no_optimizer(training)


# Gradients that are added to those of the step before.


def _summed_up(training: Training) -> Iterator[Verdict]:
    """Gradients added to some that an update has used already; one finding a line."""
    graph = training.graph
    lines: dict[int, list[int]] = {}
    for event in np.flatnonzero(graph.ran).tolist():
        if graph.op(event) == "accumulate_grad" and len(graph.operands[event]) > 1:
            old, new = graph.operands[event][0], next(iter(graph.outputs[event]), -1)
            if _went_into_update(graph, old, event) and new >= 0 and _went_into_update(graph, new, graph.events):
                lines.setdefault(graph.site(event), []).append(event)
    for events in lines.values():
        variables = {graph.operands[event][1] for event in events}
        if len(events) < _TIMES or not variables:
            continue
        text = (
            f"backward() adds to gradients that an update has used already, {len(events)} times: each step goes by all"
            " gradients so far"
        )
        fix = "call optimizer.zero_grad() (or set .grad to None) before each backward()"
        yield verdict_at(graph, events[-1], "variables", LIKELY, text, fix, evidence={"times": len(events)})


def _went_into_update(graph: Graph, gradient: int, before: int) -> bool:
    """Whether a gradient went into a new value of a leaf."""
    queue, seen = [(gradient, 0)], {gradient}
    for tensor, steps in queue:
        for event in graph.readers[tensor]:
            if event >= before or not graph.ran[event]:
                continue
            for out in graph.outputs[event]:
                if graph.is_variable[out] and graph.has(event, "write"):
                    return True
                if steps < _FAR and out not in seen:
                    seen.add(out)
                    queue.append((out, steps + 1))
    return False


# Steps that find no gradient.


def _steps_without(training: Training) -> Iterator[Verdict]:
    """An optimizer that makes steps, of which none has a gradient though passes give them."""
    graph = training.graph
    steps = [row for row, (kind, _) in graph.links.spans.items() if kind == "step"]
    passes = [asked for asked in training.requests if max(asked.gradients.values(), default=-1) >= 0]
    if min(len(steps), len(passes)) < _TIMES or any(update.gradients for update in training.updates):
        return
    given = {variable for asked in passes for variable, gradient in asked.gradients.items() if gradient >= 0}
    wanted = {variable for asked in training.requests for variable in asked.gradients} - given
    if wanted:
        text = (
            f"the optimizer steps {len(steps)} times on {training.names(sorted(wanted), _NAMED)}, which get no"
            f" gradient: those go to {training.names(sorted(given), _NAMED)}, which no optimizer has"
        )
        fix = "make the optimizer after the model is made (or replaced), from the parameters of the one that is called"
    else:
        text = f"the optimizer steps {len(steps)} times without a gradient, though backward() gives them before"
        fix = "call zero_grad() before backward() (or after step()), not between the two"
    yield verdict_at(graph, steps[-1], "not_learning", LIKELY, text, fix, evidence={"steps": len(steps)})


# A loss that is a leaf.


def _of_a_leaf(training: Training) -> Iterator[Verdict]:
    """Backward passes from a tensor that is a leaf itself: they end where they begin."""
    graph, said = training.graph, set[int]()
    for asked in training.requests:
        target = asked.target
        if target < 0 or not graph.is_variable[target] or set(asked.gradients) - {_variable(graph, target)}:
            continue
        found = _how(training, asked)
        if found is not None and found.site_row not in said:
            said.add(found.site_row)
            yield found


def _how(training: Training, asked: Request) -> Verdict | None:
    graph, target = training.graph, asked.target
    name = graph.name(target)
    text = f"{name} is a leaf, so backward() gives it a gradient of 1 and nothing else any gradient"
    exits = graph.recording.exits
    rows = np.flatnonzero((exits.tensor == graph.tensor_id(target)) & (exits.kind == _ENTER))
    if len(rows):
        site = int(exits.site[rows[-1]])
        fix = "leave out torch.tensor(...) and .item(): call backward() on the loss that was computed"
        return Verdict("gradient_none", FAULT, -1, graph.tensor_id(target), graph.place(site), text, fix, {}, site)
    gap = came_from(graph, target)
    if gap is None:
        return None
    fix = f"{gap.fix}; requires_grad_() on the loss does not bring the way back"
    return Verdict(
        "gradient_none", FAULT, graph.event_id(gap.event), graph.tensor_id(target), graph.place(gap.site),
        f"{text}: {gap.says}", fix, {"reason": gap.reason}, gap.site,
    )  # fmt: skip


def _variable(graph: Graph, tensor: int) -> int:
    return int(graph.recording.tensors.variable[tensor])


# Parameters that no optimizer has.


def _is_in_layer(graph: Graph, event: int) -> bool:
    """Whether an op ran in a module's call."""
    span = int(graph.links.parent[event]) if event >= 0 else -1
    return span >= 0 and graph.links.spans.get(span, ("", ""))[0] == "layer"


def _made_in_calls(training: Training) -> dict[int, Verdict]:
    """Parameters that are made while a module is called, each time; by the line."""
    graph = training.graph
    lines: dict[int, list[int]] = {}
    for event in np.flatnonzero(graph.ran).tolist():
        outputs = graph.outputs[event]
        if graph.has(event, "write") and outputs and graph.is_variable[outputs[0]] and _is_in_layer(graph, event):
            first = training.assigned.get(_variable(graph, outputs[0]), [-1])[0]
            if first == outputs[0] and not graph.is_backward(event):
                lines.setdefault(graph.site(event), []).append(event)
    calls = {int(graph.links.parent[event]) for events in lines.values() for event in events}
    found = {}
    for site, events in lines.items():
        if len({int(graph.links.parent[event]) for event in events}) < _TIMES or len(calls) < _TIMES:
            continue
        text = f"a layer is made anew in each call, {len(calls)} times: no optimizer knows its parameters"
        fix = "make the layer once, in __init__, and call it here"
        found[site] = verdict_at(graph, events[0], "variables", LIKELY, text, fix, evidence={"calls": len(calls)})
    return found


def _in_no_optimizer(training: Training) -> Iterator[Verdict]:
    """Parameters that get a gradient in each pass, of a module that is trained, and are never updated."""
    graph = training.graph
    passes: dict[int, int] = {}
    for asked in training.requests:
        for variable, gradient in asked.gradients.items():
            passes[variable] = passes.get(variable, 0) + (gradient >= 0)
    stepped = {update.variable for update in training.updates if update.gradients}
    if not stepped:
        return
    most = max(passes.get(variable, 0) for variable in stepped)
    left = [v for v, times in passes.items() if times >= max(most, _TIMES) and v not in stepped]
    read = {v: event for v in left if (event := _first_read(training, v)) >= 0 and _is_in_layer(graph, event)}
    if not read:
        return
    names, first = sorted(read), min(read.values())
    some = training.names(names, _NAMED)
    are = f"{some} gets" if len(names) == 1 else f"{some} get"
    whom = "it" if len(names) == 1 else "them"
    text = f"{are} a gradient in each of {most} passes and no update: no optimizer has {whom}"
    fix = (
        "give the optimizer these parameters too; layers in a Python list are not registered: keep them in an"
        " nn.ModuleList (parameters in an nn.ParameterList or nn.ParameterDict). Where they are meant to stay, say"
        " so: requires_grad_(False)"
    )
    yield verdict_at(graph, first, "variables", LIKELY, text, fix, evidence={"variables": names})


def _first_read(training: Training, variable: int) -> int:
    """The first forward op that read a variable's value; -1 for none."""
    graph = training.graph
    values = np.flatnonzero(graph.recording.tensors.variable == variable).tolist()
    events = [e for value in values for e in graph.forward_readers(value) if not graph.has(e, "write")]
    return min(events, default=-1)


TORCH_UPDATES: Final = Rule(
    _updates,
    {
        "variables": "gradients that are summed up over steps, parameters that no optimizer has",
        "gradient_none": "losses that are leaves",
        "not_learning": "steps of an optimizer that find no gradient",
    },
    "variables",
    applies=lambda recording: framework_of(recording) == "torch" and len(recording.requests) > 0,
)
