"""Errors of PyTorch's, explained: the line that did what the line which raises only suffers from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from tapeviz.analysis.foreign_words import framework_of
from tapeviz.analysis.graph import NOT_REACHED, Graph
from tapeviz.analysis.verdicts.verdict import FAULT, LIKELY, WORTH_KNOWING, Rule, Thresholds, Verdict
from tapeviz.analysis.why import advice
from tapeviz.analysis.why.gaps import Gap
from tapeviz.analysis.why.replay import Replay, replay
from tapeviz.analysis.why.torch_gaps import lost_on_the_way
from tapeviz.recording.schema import EXITS, STATUSES

__all__ = ["TORCH_FAILURES", "came_from", "the_tape"]

_FAILED: Final = STATUSES.index("failed")
_ENTER: Final = EXITS.index("enter")
_LEAVING: Final = frozenset(EXITS.index(kind) for kind in ("numpy", "array", "python"))
_SHAPE: Final = re.compile(r"Tensor \[([\d, ]*)\]")
# What the message says, and what it means.
_SAID: Final = (
    ("leaf Variable that requires grad", "change it under torch.no_grad(), so that autograd does not follow it"),
    ("Can't call numpy()", "use torch's functions where the gradient is to go on; to look at it, .detach().numpy()"),
    ("grad can be implicitly created only for scalar", "reduce it to one number first, as with .mean() or .sum()"),
    ("dtype", "give all inputs one dtype, with .to(...)"),
    ("shape", "compare the shapes in the message: transpose or reshape one of the inputs"),
    ("size", "compare the sizes in the message: transpose or reshape one of the inputs"),
    ("device", "move all inputs to one device, with .to(device)"),
)  # fmt: skip


def _failed(graph: Graph, _: Thresholds) -> Iterator[Verdict]:
    """Calls that raised."""
    if framework_of(graph.recording) != "torch":
        return
    events, messages = graph.recording.events, graph.recording.messages
    stopped = bool(graph.recording.meta_dict().get("stopped"))
    said = {event: row for row, event in enumerate(messages.event.tolist())}
    failed = np.flatnonzero((events.status == _FAILED) & (events.op >= 0)).tolist()
    for row in failed:
        message = said.get(graph.event_id(row), -1)
        text = messages.text[message] if message >= 0 else "it raised an error"
        severity = FAULT if stopped and row == failed[-1] else WORTH_KNOWING
        yield _explained(graph, row, text, severity)


def _explained(graph: Graph, row: int, text: str, severity: int) -> Verdict:
    site, says, fix, event = graph.site(row), "", "", row
    if "does not require grad" in text:
        site, says, fix, event = _without_grad(graph, row)
        severity = max(severity, LIKELY)
    elif "modified by an inplace operation" in text and (change := _change(graph, row, text)) >= 0:
        site, event = graph.site(change), change
        says = f"{graph.op(change)} changed in place what backward() needs as it was"
        fix = _out_of_place(graph, change)
    elif "second time" in text:
        says, fix = _again(graph, row)
    else:
        fix = next((what for key, what in _SAID if key in text), "look at the inputs of that call")
    first = text.partition("\n")[0].partition(" (")[0].partition("[torch.")[0].partition(". ")[0].rstrip(".: ")
    said = f"{graph.op(row)} failed: {first}{f', because {says}' if says else ''}"
    place = graph.place(site)
    return Verdict("failed", severity, graph.event_id(event), -1, place, said, fix, {"message": text}, site)


def the_tape(graph: Graph) -> Replay | None:
    """Autograd, as the recording's one tape."""
    tapes = graph.recording.tapes
    return replay(graph, int(tapes.id[0])) if len(tapes) else None


def came_from(graph: Graph, target: int) -> Gap | None:
    """Where what requires gradients was lost on the way to a tensor, in ops or in Python; None for nowhere."""
    tape = the_tape(graph)
    if tape is None:
        return None
    watched = [row for row in tape.watched if row != target]
    return lost_on_the_way(graph, tape, target, watched) or _by_hand(graph, tape, target, watched)


def _by_hand(graph: Graph, tape: Replay, target: int, watched: list[int]) -> Gap | None:
    """The target was made from numbers, and such ones were read from a tensor with gradients before."""
    exits, back = graph.recording.exits, graph.ancestors(target, assigned=False)
    rows = graph.links.tensor_rows(exits.tensor).tolist()
    flow = tape.flow(watched)
    kinds, times, sites = exits.kind.tolist(), exits.t.tolist(), exits.site.tolist()
    into = [at for at, row in enumerate(rows) if row >= 0 and kinds[at] == _ENTER and back[row] != NOT_REACHED]
    for entry in into:
        out = [
            at for at, row in enumerate(rows)
            if row >= 0 and kinds[at] in _LEAVING and times[at] <= times[entry] and _has_part(graph, flow, row)
        ]  # fmt: skip
        if out:
            place = graph.place(sites[out[-1]])
            name = graph.name(rows[out[-1]])
            says = f"{graph.name(rows[entry])} was made from a number or an array of {name}, not by autograd"
            fix = advice.stay_with_torch(name, "" if place is None else place.text)
            event = int(graph.links.producer[rows[out[-1]]])
            return Gap("left_engine", says, fix, sites[out[-1]], event, rows[out[-1]], certain=False)
    return None


def _has_part(graph: Graph, flow: list[int], row: int) -> bool:
    """Whether a tensor has a gradient, or is one of the same elements as one that has."""
    made = int(graph.links.producer[row])
    before = graph.operands[made] if made >= 0 and graph.has(made, "stops_gradient") else []
    return flow[row] != NOT_REACHED or any(flow[other] != NOT_REACHED for other in before)


def _without_grad(graph: Graph, row: int) -> tuple[int, str, str, int]:
    """The line, the reason, what to do and the event for a target that requires no gradient."""
    target = next(iter(graph.operands[row]), -1)
    gap = came_from(graph, target) if target >= 0 else None
    if gap is not None:
        return gap.site, gap.says, gap.fix, gap.event if gap.event >= 0 else row
    says = "nothing that it was computed from requires gradients"
    fix = "make what is to be learned with requires_grad=True (or as an nn.Parameter) before it is used"
    return graph.site(row), says, fix, row


def _change(graph: Graph, row: int, text: str) -> int:
    """The latest change in place before, of a tensor of the shape in the message; -1 for none."""
    found = _SHAPE.search(text)
    shape = tuple(int(size) for size in found[1].split(",") if size.strip()) if found else None
    t0 = graph.recording.events.t0
    for event in range(row - 1, -1, -1):
        if not graph.has(event, "write") or t0[event] > t0[row] or not graph.ran[event]:
            continue
        out = next(iter(graph.outputs[event]), -1)
        known = graph.shape(out) if out >= 0 else None
        if known is not None and shape in (None, known, known[::-1]):
            return event
    return -1


def _out_of_place(graph: Graph, change: int) -> str:
    place = graph.place(graph.site(change))
    text = place.text if place is not None else ""
    span = int(graph.links.parent[change])
    if graph.links.spans.get(span, ("", ""))[0] == "step":
        return "take that step after the last backward() of this graph, or compute the loss again (or on a .clone())"
    if augmented := re.match(r"([\w.\[\]]+)\s*([-+*/])=\s*(.+?)\s*(#.*)?$", text):
        name, sign, value = augmented[1], augmented[2], augmented[3]
        return f"write it out of place: {name} = {name} {sign} {value}"
    if re.match(r"[\w.]+\[.*\]\s*=", text):
        return "change a copy: call .clone() before that line"
    return f"write it out of place, = in the place of {graph.op(change)}"


def _again(graph: Graph, row: int) -> tuple[str, str]:
    """A graph was gone through twice: is a state carried on, or the same loss differentiated again?"""
    target = next(iter(graph.operands[row]), -1)
    spans = [at for at, (kind, _) in graph.links.spans.items() if kind == "backward" and at < row]
    before = spans[-2] if len(spans) > 1 else spans[0] if spans else -1
    back = graph.ancestors(target, assigned=False) if target >= 0 else []
    made = graph.links.producer
    old = [
        at for at, way in enumerate(back)
        if way != NOT_REACHED and 0 <= made[at] < before and not graph.is_variable[at]
        and any(event > before for event in graph.readers[at])
    ]  # fmt: skip
    if not old:
        return (
            "this graph was gone through already, and its values are freed",
            "compute the loss again, or call the first one with backward(retain_graph=True)",
        )
    name = graph.name(old[-1])
    return (
        f"it leads back through {name}, which was made before the last backward()",
        f"detach {name} where a new step begins ({name} = {name}.detach()), or compute it again",
    )


TORCH_FAILURES: Final = Rule(
    _failed, {"failed": "calls that failed"}, "ops", applies=lambda recording: framework_of(recording) == "torch"
)
