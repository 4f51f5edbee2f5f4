"""Variables that a loss reads and that nothing is asked for, and calls of ``gradient`` without a source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.training import Request, Training, training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Threshold, Thresholds, Verdict, verdict_at
from tapeviz.recording import Recording

__all__ = ["LEFT_OUT"]


def _left_out(graph: Graph, limits: Thresholds) -> Iterator[Verdict]:
    """Once for a set of variables, at the first line whose loss reads them."""
    if framework_of(graph.recording) == "torch":  # whose leaves may be inputs: its own rules ask what is a parameter
        return
    training, known = training_of(graph), set[int]()
    for requests in training.by_line.values():
        steps = [asked for asked in requests if asked.target >= 0]
        if len(requests) >= limits["training_calls"] and not steps and not training.is_in_a_graph(requests[-1].span):
            yield from _empty(training, requests)
        if len(steps) < limits["training_calls"] or not set(steps[-1].gradients) & training.learned:
            continue
        last = steps[-1]
        watched = training.watched.get(last.tape, frozenset())
        read = training.read_by(last.target)
        begun = steps[0].span
        missing = [variable for variable in read if variable in watched and _stays(training, variable, begun)]
        if missing and not known.issuperset(missing) and not _is_fixed_model(training, last, missing):
            known.update(missing)
            yield _missing(training, last, sorted(missing), read)


def _stays(training: Training, variable: int, begun: int) -> bool:
    """Whether a variable from before the training began keeps its first value, though nobody froze or loaded it."""
    values = training.assigned.get(variable, ())
    return (
        variable not in training.asked and training.made(variable) >= 0 and training.is_trainable(variable)
        and not training.is_frozen(variable) and len(values) == 1
        and int(training.graph.links.producer[values[0]]) < begun
    )  # fmt: skip


def _is_fixed_model(training: Training, asked: Request, missing: list[int]) -> bool:
    """Whether an input is searched for that layers, which stay as they are, respond to: an attack, or a dream."""
    return all(map(training.is_in_layer, missing)) and not any(map(training.is_in_layer, asked.gradients))


def _missing(training: Training, asked: Request, missing: list[int], read: dict[int, int]) -> Verdict:
    graph, names = training.graph, training.names(missing)
    target = graph.names.get(asked.target, "the loss")
    own = training.names(sorted(asked.gradients))
    text = (
        f"{target} reads {len(missing)} trainable variable{'s' * (len(missing) > 1)} that no gradient is asked for and"
        f" nothing updates: {names}; asked for {'are' if len(asked.gradients) > 1 else 'is'} {own}"
    )
    fix = (
        f"give gradient() and the optimizer {names} too; where they are meant to stay as they are, say so:"
        " trainable = False"
    )
    evidence = {"tensors": [graph.tensor_id(read[variable]) for variable in missing], "variables": missing}
    return verdict_at(graph, asked.span, "variables", LIKELY, text, fix, tensor=read[missing[0]], evidence=evidence)


def _empty(training: Training, requests: list[Request]) -> Iterator[Verdict]:
    """A call whose list of sources is empty each time, though its tape watched variables."""
    graph, last = training.graph, requests[-1]
    watched = sorted(training.watched.get(last.tape, frozenset()))
    if watched:
        text = (
            f"gradient() was asked for nothing, {len(requests)} times: its list of variables is empty, and nothing is"
            f" updated; the tape watched {training.names(watched)}"
        )
        fix = (
            "take the list (model.trainable_variables) after the model was called or built, and look whether"
            " trainable is True then"
        )
        yield verdict_at(graph, last.span, "variables", LIKELY, text, fix, evidence={"variables": watched})


def _has_requests(recording: Recording) -> bool:
    return len(recording.requests) > 0 or len(recording.watches) > 0


LEFT_OUT: Final = Rule(
    _left_out,
    {"variables": "variables that are left out, made anew or updated with what is not theirs"},
    "variables",
    (Threshold("training_calls", 2, "calls of gradient from a line from which on it is training"),),
    applies=_has_requests,
)
