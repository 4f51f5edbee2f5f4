"""A mean over a single element that is taken from that element: what is left is 0, whatever came in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import ops_with
from tapeviz.analysis.training import training_of
from tapeviz.analysis.verdicts.verdict import LIKELY, Rule, Thresholds, Verdict

__all__ = ["LONE_NORM"]


def _lone(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Once for a line, where training goes through it."""
    training, known = training_of(graph), set[int]()
    for event in graph.runs_of(ops_with(graph.recording, "mean")):
        read, made = graph.operands[event], graph.outputs[event]
        if len(read) != 1 or len(made) != 1 or not graph.size(read[0]) == graph.size(made[0]) > 1:
            continue
        zero = next((out for out in _differences(graph, read[0], made[0]) if training.norm(out) == 0), -1)
        if zero < 0 or training.norm(read[0]) == 0 or not _is_trained(graph, event):
            continue
        if (line := _line(graph, event)) not in known:
            known.add(line)
            axes = graph.attributes(event).get("axis")
            name, shape = graph.name(read[0]), list(graph.shape(read[0]))
            over = f"axes {axes} of {name}, which has the shape {shape}," if axes is not None else name
            text = f"the mean over {over} is of one element: what is left of it after the mean is taken off is 0"
            fix = "normalise over more than one element: a larger batch, other axes, or training=False"
            tensors = [graph.tensor_id(read[0]), graph.tensor_id(zero)]
            evidence = {"tensors": tensors, "zeros": graph.event_id(int(graph.links.producer[zero]))}
            yield Verdict(
                "not_learning", LIKELY, graph.event_id(event), tensors[1], graph.place(line), text, fix, evidence, line
            )


def _differences(graph: Graph, whole: int, mean: int) -> Iterator[int]:
    """What an op made of a tensor and its mean, which may have been passed on as it is."""
    for event in graph.readers[mean]:
        if not graph.ran[event] or graph.is_backward(event):
            continue
        if graph.operands[event] == [whole, mean]:
            yield from graph.outputs[event]
        elif graph.operands[event] == [mean] and graph.has(event, "identity"):
            yield from _differences(graph, whole, graph.outputs[event][0])


def _is_trained(graph: Graph, event: int) -> bool:
    """Whether a gradient came to what an op read."""
    return any(graph.links.gradient[read] >= 0 for read in graph.operands[event])


def _line(graph: Graph, event: int) -> int:
    """The line of an op: in a call of the user's own that one, else where its layer was made."""
    layer = int(graph.links.parent[event])
    around = int(graph.links.parent[layer]) if layer >= 0 else -1
    own = graph.site(event)
    return own if around >= 0 and graph.place(graph.site(around)) != graph.place(own) else graph.written_at(event)


LONE_NORM: Final = Rule(
    _lone,
    {"not_learning": "layers that cannot learn"},
    "layers",
    applies=lambda recording: len(recording.requests) > 0,
    by_statistics=True,
)
