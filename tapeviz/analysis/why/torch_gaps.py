"""Where the way of a gradient ends in a program of PyTorch's: reasons that its autograd has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tapeviz.analysis.graph import NOT_REACHED, Graph, path
from tapeviz.analysis.why import advice
from tapeviz.analysis.why.gaps import Gap, Ways
from tapeviz.analysis.why.host_round_trips import left_engine
from tapeviz.analysis.why.questions import Question
from tapeviz.analysis.why.replay import Replay
from tapeviz.recording.schema import EXITS

__all__ = ["lost_on_the_way", "torch_gap"]

_READ: Final = EXITS.index("unwatched")
_ENTER: Final = EXITS.index("enter")
_LEAVING: Final = frozenset(EXITS.index(kind) for kind in ("numpy", "array", "python"))


def torch_gap(question: Question) -> Gap | None:
    """Why there is no gradient; None where the reasons of other frameworks are to be looked at."""
    graph, source = question.graph, question.source
    if not graph.is_floating[source]:
        return None
    made = question.variable < 0 and graph.links.producer[source] >= 0 and question.tape is not None
    if made and (found := _no_leaf(question)) is not None:
        return found
    if question.variable >= 0 and question.tape is not None:
        starts = [row for row in question.all_values() if question.tape.follows(row)] or [source]
        found = lost_on_the_way(graph, question.tape, question.target, starts)
        return found or _left(question)
    if question.variable < 0 and question.tape is not None and source not in question.tape.watched:
        return _plain(question)
    return None


def _no_leaf(question: Question) -> Gap | None:
    """``.grad`` of a tensor that ops made: only leaves keep theirs."""
    graph, source, name = question.graph, question.source, question.source_name
    made = int(graph.links.producer[source])
    inputs = graph.inputs[made]
    leaves = [row for row in inputs if graph.is_variable[row]]
    same = next((row for row in leaves if _lies_on(graph, row, graph.site(made))), -1)
    ways = [source], [question.target]
    flow = question.tape.flow(list(question.tape.watched)) if question.tape is not None else []
    if not len(flow) or flow[source] == NOT_REACHED:
        return None
    if leaves and (again := _was_leaf(graph, source, name)) >= 0:
        says = f"{name} was a leaf and is now the result of {graph.op(made)}: backward() fills .grad of leaves alone"
        fix = f"update it in place: with torch.no_grad(): {_in_place(graph, made, name)}"
        return Gap("rebound", says, fix, graph.site(made), made, again, ways)
    if same >= 0:
        says = f"{name} is no leaf but the result of {graph.op(made)} on one: backward() fills .grad of leaves alone"
        fix = f"make {name} the leaf: compute its value first, and then call .requires_grad_() on it"
        return Gap("no_leaf", says, fix, graph.site(made), made, source, ways)
    says = f"{name} is the result of {graph.op(made)} and no leaf: backward() fills .grad of leaves alone"
    fix = f"call {name}.retain_grad() before backward(), or ask torch.autograd.grad(..., {name})"
    site = _read_at(graph, source)
    return Gap("no_leaf", says, fix, site if site >= 0 else graph.site(made), made, source, ways)


def _in_place(graph: Graph, made: int, name: str) -> str:
    """The line of an update, as one in place."""
    place = graph.place(graph.site(made))
    found = re.match(
        rf"{re.escape(name)}\s*=\s*{re.escape(name)}\s*([-+])\s*(.+?)\s*(#.*)?$", place.text if place else ""
    )
    return f"{name} {found[1]}= {found[2]}" if found else f"{name}.copy_(...)"


def _was_leaf(graph: Graph, source: int, name: str) -> int:
    """A leaf that had the same name before, as a row; -1 for none."""
    names = graph.recording.names
    rows = graph.links.tensor_rows(names.tensor)
    before = [
        row for row, given in zip(rows.tolist(), names.name, strict=True)
        if given == name and row >= 0 and row != source and graph.is_variable[row]
    ]  # fmt: skip
    return before[-1] if before else -1


def _lies_on(graph: Graph, tensor: int, site: int) -> bool:
    """Whether a tensor was made on a line."""
    made = int(graph.links.producer[tensor])
    mine, other = graph.place(graph.site(made)), graph.place(site)
    return mine is not None and other is not None and (mine.file, mine.line) == (other.file, other.line)


def _read_at(graph: Graph, tensor: int) -> int:
    """The line (a row of ``sites``) that read a tensor's ``.grad`` and got None; -1 for none."""
    exits = graph.recording.exits
    rows = np.flatnonzero((exits.tensor == graph.tensor_id(tensor)) & (exits.kind == _READ))
    return int(exits.site[rows[-1]]) if len(rows) else -1


def _plain(question: Question) -> Gap:
    """The source requires no gradient."""
    graph, name, source = question.graph, question.source_name, question.source
    made = int(graph.links.producer[source])
    readers = graph.readers[source]
    site = graph.site(made) if made >= 0 else graph.site(min(readers)) if readers else question.site
    fix = f"make {name} with requires_grad=True, or call {name}.requires_grad_() before it is used"
    says = f"{name} does not require gradients"
    return Gap("not_watched", says, fix, site, made, source, ([source], [question.target]))


def lost_on_the_way(graph: Graph, tape: Replay, target: int, starts: Sequence[int]) -> Gap | None:
    """The first op towards the target at which autograd let go of what came from these tensors; None for none."""
    flow = tape.flow([row for row in starts if tape.follows(row)])
    known = np.array(flow) != NOT_REACHED if len(flow) else np.zeros(graph.tensors, np.bool_)
    known[list(starts)] = True
    if known[target]:
        return None
    # A result may have been made a leaf, whose ops are those of a value that is assigned.
    edges, back = graph.cut(target, known, assigned=bool(graph.is_variable[target]))
    if not edges:
        return None
    t0 = graph.recording.events.t0
    event, last = min(edges, key=lambda edge: float(t0[edge[0]]))
    after = next((out for out in graph.outputs[event] if back[out] != NOT_REACHED), target)
    ways = path(flow, last) if flow[last] != NOT_REACHED else [last], path(back, after)
    return _cause(graph, tape, event, last, ways)


def _cause(graph: Graph, tape: Replay, event: int, tensor: int, ways: Ways) -> Gap:
    op, name, site = graph.op(event), graph.name(tensor), graph.site(event)
    if not tape.events[event]:
        where = next((c for c in reversed(tape.changes) if c.t <= float(graph.recording.events.t0[event])), None)
        site = _line_that_calls(graph, event, site)
        block = graph.place(where.site) if where is not None else None
        under = f", which line {block.line} begins" if block is not None else ""
        says = f"{op} ran under torch.no_grad() or inference_mode(){under}"
        fix = "move that line out of the torch.no_grad() block"
        return Gap("outside_tape", says, fix, site, event, tensor, ways)
    if graph.has(event, "stops_gradient"):
        said = f".{op}()" if op == "detach" else f".{op}"
        says = f"{said} cuts it off after {name}"
        return Gap(
            "stop_gradient", says, f"leave out {said} there if the gradient is wanted", site, event, tensor, ways
        )
    out = next((out for out in graph.outputs[event] if out in ways[1]), -1)
    if out >= 0 and not graph.is_floating[out] and graph.has(event, "cast"):
        rounded = _rounded(graph, tensor)
        says = f"{name} is cast to {graph.dtype(out)}, and no gradient goes through integers or booleans"
        fix = f"{rounded}leave out the cast to {graph.dtype(out)}, or keep it out of the loss"
        return Gap("integer_dtype", says, fix, site, event, tensor, ways)
    says = f"{op} gives {graph.dtype(out) if out >= 0 else 'a tensor'} and has no gradient with respect to {name}"
    return Gap("no_gradient", says, _instead(graph, event, op, out), site, event, tensor, ways)


def _line_that_calls(graph: Graph, event: int, site: int) -> int:
    """The line outside all calls of modules around an op."""
    span = int(graph.links.parent[event])
    while span >= 0 and graph.links.spans.get(span, ("", ""))[0] == "layer":
        site, span = graph.site(span), int(graph.links.parent[span])
    return site


def _rounded(graph: Graph, tensor: int) -> str:
    made = int(graph.links.producer[tensor])
    flat = made >= 0 and graph.has(made, "flat")
    return f"{graph.op(made)}() is flat as well: compute the loss without it; " if flat else ""


def _instead(graph: Graph, event: int, op: str, out: int) -> str:
    """What to use in place of a function without a gradient."""
    if graph.has(event, "locates") or (out >= 0 and graph.dtype(out).startswith("int")):
        return (
            f"{op}() gives positions, which no gradient goes through: compute the loss from the scores themselves, or"
            " use softmax (or gumbel_softmax) in place of the choice"
        )
    if out >= 0 and graph.dtype(out) == "bool":
        return "a comparison is flat almost everywhere: compare only to choose, and use sigmoid in the loss"
    return f"compute the loss without {op}, or give it a gradient with torch.autograd.Function"


def _left(question: Question) -> Gap | None:
    """What left as an array or a number and came back."""
    found = left_engine(question, assigned=False)
    if found is None:
        return None
    site, fix = found.site, _stay(question.graph, found.site, found.tensor)
    return Gap(found.reason, found.says, fix, site, found.event, found.tensor, found.ways, found.certain)


def _stay(graph: Graph, site: int, tensor: int) -> str:
    place = graph.place(site)
    return advice.stay_with_torch(graph.name(tensor), "" if place is None else place.text)
