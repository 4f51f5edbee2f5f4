"""Labels that a loss cannot mean: outside the classes or the probabilities, or in the place of the predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tapeviz.analysis.expressions import operand_name
from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.training import training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict, verdict_at

__all__ = ["LABELS"]

_CLOSE: Final = 1e-3
_FLOOR: Final = -13.8  # the logarithm of 1e-6: a small number was put in the place of 0


def _labels(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """One finding a line."""
    said: set[int] = set()
    looks: tuple[tuple[str, Callable[[Graph, int], Verdict | None]], ...] = (
        ("indexes", _outside_classes), ("logits", _no_probabilities), ("logarithm", _swapped), ("sum", _out_of_reach),
        ("squares", _out_of_reach),
    )  # fmt: skip
    for trait, look in looks:
        for row in graph.runs_of(ops_with(graph.recording, trait)):
            if graph.written_at(row) not in said and (found := look(graph, row)) is not None:
                said.add(graph.written_at(row))
                yield found


def _outside_classes(graph: Graph, row: int) -> Verdict | None:
    """Class numbers that ``one_hot`` has no column for, so that their rows are all 0; -1 may mean "none"."""
    depth = graph.attributes(row).get("depth")
    given = graph.operands[row][0]
    ends = graph.ends(given)
    if not isinstance(depth, int) or ends is None or ends[1] < depth or graph.comes_from_variables(given):
        return None
    least, most = map(int, ends)
    name = operand_name(graph, row, 0)
    text = (
        f"{name} holds classes up to {most}, and one_hot has {depth} columns, for 0 to {depth - 1}: the rows of the"
        " others are all 0, so that they count for nothing in a loss"
    )
    fix = f"take {least} off, for classes count from 0" if most - least < depth else f"make it deeper: depth={most + 1}"
    return verdict_at(graph, row, "labels", LIKELY, text, fix, tensor=given, evidence={"depth": depth, "most": most})


def _no_probabilities(graph: Graph, row: int) -> Verdict | None:
    """Labels below 0 or above 1 for a cross-entropy, which is not bounded below then."""
    if len(graph.operands[row]) <= 1 or graph.has(row, "indexes"):
        return None
    given = graph.operands[row][0]
    ends = graph.ends(given)
    if ends is None or graph.comes_from_variables(given) or -_CLOSE <= ends[0] <= ends[1] <= 1 + _CLOSE:
        return None
    text = (
        f"a cross-entropy takes {operand_name(graph, row, 0)} as probabilities, but they are from {ends[0]:.3g} to"
        f" {ends[1]:.3g}: it is not least where labels and predictions agree"
    )
    fix = "bring the labels to between 0 and 1, such as (labels + 1) / 2 for -1 and 1; for values use a squared error"
    return verdict_at(graph, row, "labels", LIKELY, text, fix, tensor=given, evidence={"ends": list(ends)})


def _swapped(graph: Graph, row: int) -> Verdict | None:
    """The logarithm of labels of 0 and 1, by which predictions are multiplied: the two stand in each other's place."""
    made, given = graph.outputs[row][0], graph.operands[row][-1]
    ends = graph.ends(made)
    if ends is None or not (ends[0] <= _FLOOR and abs(ends[1]) < _CLOSE) or graph.comes_from_variables(given):
        return None
    training = training_of(graph)
    for reader in graph.readers[made]:
        if not graph.has(reader, "product") or graph.is_backward(reader):
            continue
        others = [tensor for tensor in graph.operands[reader] if tensor != made]
        if others and training.read_by(others[0]):
            text = (
                "a cross-entropy takes the logarithm of what no variable goes into, 0 and 1 like labels, and multiplies"
                " the predictions by it: labels and predictions stand in each other's place"
            )
            fix = "give the labels first and the predictions second: loss(y_true, y_pred)"
            return verdict_at(graph, row, "labels", LIKELY, text, fix, tensor=given)
    return None


def _out_of_reach(graph: Graph, row: int) -> Verdict | None:
    """Differences between numbers that end somewhere, as a sigmoid or a tanh gives them, and targets far outside."""
    read, made = graph.operands[row], graph.outputs[row][0]
    if len(read) != len(("output", "target")) or graph.links.gradient[made] < 0:
        return None
    for output, target in (read, read[::-1]):
        last, low = _last_activation(graph, output)
        ends = graph.ends(target)
        if last < 0 or ends is None or _close_to(ends, low):
            continue
        if not 1 < graph.size(target) == graph.size(output) or graph.comes_from_variables(target):
            continue
        text = (
            f"what comes out of {graph.op(last)} is between {low:d} and 1, and the targets it is compared with are from"
            f" {ends[0]:.3g} to {ends[1]:.3g}: it can never reach them"
        )
        fix = f"leave the activation of the last layer out, or scale the targets to between {low:d} and 1"
        site = training_of(graph).written_at(last)
        found = verdict_at(graph, last, "labels", LIKELY, text, fix, tensor=target, evidence={"ends": list(ends)})
        return found.on(graph.place(site), site)
    return None


def _close_to(ends: tuple[float, float], low: int) -> bool:
    """Whether numbers are between ``low`` and 1, or further off by no more than noise is."""
    width = 1 - low
    return low - width <= ends[0] <= ends[1] <= 1 + width


def _last_activation(graph: Graph, output: int) -> tuple[int, int]:
    """The op that bounds an output from above by 1, and from below by what; -1 where none does."""
    last = max(graph.maker_of(output, "logistic"), graph.maker_of(output, "distribution"))
    if last >= 0:
        return last, 0
    last = graph.maker_of(output, "bipolar")
    return last, -1


LABELS: Final = Rule(
    _labels, {"labels": "labels that a loss or an output layer cannot mean"}, "losses", by_statistics=True
)
