"""Where the way of a gradient ends: the closed list of reasons, each found in the recording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from tapeviz.analysis.graph import NOT_REACHED, Graph, path, reach
from tapeviz.analysis.links import rows_of
from tapeviz.analysis.why import advice
from tapeviz.analysis.why.questions import Question
from tapeviz.analysis.why.rebound_names import rebound
from tapeviz.analysis.why.replay import Replay
from tapeviz.recording.schema import EXITS, SOURCES

__all__ = ["REASONS", "Gap", "Ways", "broken", "integer_source", "refused", "unconnected", "way"]

_EARLIER: Final = SOURCES.index("earlier")
_CALLS: Final = frozenset({"layer", "module", "scope", "build"})
_ENTER: Final = EXITS.index("enter")

REASONS: Final = (
    "not_watched", "rebound", "left_engine", "integer_dtype", "no_gradient", "stop_gradient", "outside_tape",
    "unconnected",
)  # fmt: skip

Ways: TypeAlias = "tuple[Sequence[int], Sequence[int]]"


@dataclass(frozen=True, slots=True)
class Gap:
    """Why there is no gradient. Tensors, events and sites are rows; -1 for none.

    Attributes:
        reason: one of `REASONS`.
        says: the reason as a clause.
        fix: what to do, as a clause.
        site: the line to look at.
        event: what happened there.
        tensor: the last tensor that the source still has a part in.
        ways: the tensors from the source to there, and those from the target back to the other side of the gap.
        certain: whether nothing else can be the reason.
    """

    reason: str
    says: str
    fix: str
    site: int
    event: int = -1
    tensor: int = -1
    ways: Ways = ((), ())
    certain: bool = True


def way(question: Question) -> list[int] | None:
    """The tensors from the source to the target when the tape knows the way; None when it does not."""
    tape = question.tape
    if tape is not None:
        flow = tape.flow([row for row in question.sources if tape.follows(row)])
        if flow[question.target] != NOT_REACHED:
            return path(flow, question.target)
    if question.answered:
        ways = reach(question.all_values(), question.graph.readers, question.graph.outputs, question.graph)
        is_reached = ways[question.target] != NOT_REACHED
        return path(ways, question.target) if is_reached else [question.source, question.target]
    return None


def integer_source(question: Question) -> Gap | None:
    """The source cannot have a gradient at all."""
    graph = question.graph
    if graph.is_floating[question.source]:
        return None
    dtype = graph.dtype(question.source)
    variables = graph.recording.variables
    made = np.flatnonzero((variables.id == question.variable) & (question.variable >= 0))
    site = int(variables.site[made[0]]) if len(made) else graph.site(int(graph.links.producer[question.source]))
    says = f"{question.source_name} is {dtype}, and only floating-point tensors have gradients"
    first = _first_reader(graph, question.sources)
    fix = _instead_of_numbers(question)
    site = site if site >= 0 else graph.site(first)
    site = site if site >= 0 else question.site
    return Gap("integer_dtype", says, fix, site, first, question.source, ([question.source], [question.target]))


def _instead_of_numbers(question: Question) -> str:
    """What to do about a source of integers: those that say which rows or classes are meant have to be integers."""
    graph, name = question.graph, question.source_name
    readers = {row for source in question.sources for row in graph.readers[source]}
    # A cast to other integers, as the losses of class numbers make it, changes nothing of what they are.
    casts = [out for row in readers if graph.has(row, "cast") for out in graph.outputs[row]]
    readers |= {row for out in casts if not graph.is_floating[out] for row in graph.readers[out]}
    for reader in sorted(readers):
        if graph.has(reader, "indexes"):
            event, tensor, _ = graph.reads
            others = [row for row in tensor[event == reader].tolist() if graph.is_floating[row]]
            return advice.leave_whole(name, graph.op(reader), _called(graph, others[0]) if others else "")
    return advice.make_floating(name, variable=question.variable >= 0)


def _called(graph: Graph, tensor: int) -> str:
    """A tensor's name; of what was read from a variable the variable's."""
    made = int(graph.links.producer[tensor])
    read = graph.inputs[made] if made >= 0 and graph.has(made, "reads_variable") else []
    return graph.name(read[0] if read else tensor)


def broken(question: Question, *, assigned: bool) -> Gap | None:
    """The target was computed from the source, but somewhere on the way the tape had reason not to follow.

    Args:
        question: the source and the target.
        assigned: also go the way through values assigned to variables.
    """
    graph, tape = question.graph, question.tape
    sources = question.all_values() if assigned else question.sources
    flow = None if tape is None else tape.flow([source for source in sources if tape.follows(source)])
    known = np.zeros(graph.tensors, np.bool_) if flow is None else np.array(flow) != NOT_REACHED
    known[sources] = True
    edges, back = graph.cut(question.target, known, assigned=assigned)
    if not edges:
        return None
    t0 = graph.recording.events.t0
    event, last = min(edges, key=lambda edge: float(t0[edge[0]]))
    after = next((out for out in graph.outputs[event] if back[out] != NOT_REACHED), question.target)
    known_way = path(flow, last) if flow is not None and flow[last] != NOT_REACHED else [last]
    ways = known_way, path(back, after)
    return _no_tape(question, ways) if tape is None else _cause(question, tape, event, last, ways)


def _cause(question: Question, tape: Replay, event: int, tensor: int, ways: Ways) -> Gap:
    """Why a tape did not follow from a tensor through an event."""
    graph = question.graph
    if not tape.events[event]:
        return _outside(question, tape, event, tensor, ways)
    t0 = float(graph.recording.events.t0[event])
    if tensor in question.all_values() and (not tape.follows(tensor) or tape.watched.get(tensor, t0) > t0):
        return _not_watched(question, tape, event, tensor, ways)
    op, name, site = graph.op(event), graph.name(tensor), graph.site(event)
    if graph.has(event, "stops_gradient"):
        fix = f"leave out {op} there if the gradient is wanted"
        layer = graph.layer(event)
        says = f"{op} cuts it off after {name}{f' in {layer}' if layer else ''}"
        return Gap("stop_gradient", says, fix, site, event, tensor, ways)
    out = next(iter(graph.outputs[event]), -1)
    if graph.has(event, "cast") and out >= 0 and not graph.is_floating[out]:
        says = f"{name} is cast to {graph.dtype(out)}, and no gradient goes through integers or booleans"
        return Gap("integer_dtype", says, advice.stay_floating(graph.dtype(out)), site, event, tensor, ways)
    if graph.has(event, "writes_variable"):
        says = f"{name} is assigned to {graph.name(out)}, and an assignment carries no gradient"
        fix = f"use {name} itself in place of the variable, inside the tape"
        return Gap("no_gradient", says, fix, site, event, tensor, ways)
    dtype = graph.dtype(out) if out >= 0 else ""
    says = f"{op} has no gradient with respect to {name}"
    return Gap("no_gradient", says, advice.smooth(op, graph.said(event, "surrogate"), dtype), site, event, tensor, ways)


def _outside(question: Question, tape: Replay, event: int, tensor: int, ways: Ways) -> Gap:
    graph, with_ = question.graph, advice.with_line(question.graph, tape)
    events = graph.recording.events
    t0 = float(events.t0[event])
    site, op = _called_from(question, tape, event), graph.op(event)
    if graph.is_backward(event) and not graph.ran[event]:
        spans = rows_of(events.id, events.parent[[event]])
        site = int(events.site[spans[0]]) if spans[0] >= 0 else site
        says, fix = "that gradient was taken outside the tape", f"call that gradient() inside {with_}"
        return Gap("outside_tape", says, fix, site, event, tensor, ways)
    change = next((c for c in reversed(tape.changes) if c.t <= t0), None)
    if change is not None and change.change == "stop":
        says, fix = f"{op} ran inside stop_recording()", "move that line out of the stop_recording() block"
    elif tape.forgot is not None and t0 < tape.forgot.t:
        says, fix = f"{op} ran before reset(), which made the tape forget it", "move that line below reset()"
    else:
        says = f"{op} ran {'before' if change is None else 'outside'} the tape's with block"
        fix = f"move that line into {with_}"
    watched = question.variable >= 0 or tensor not in question.sources or tensor in tape.watched
    fix += "" if watched else f", with {advice.tape_name(graph, tape)}.watch({question.source_name}) before it"
    return Gap("outside_tape", says, fix, site, event, tensor, ways)


def _called_from(question: Question, tape: Replay, event: int) -> int:
    """The line, a row of ``sites``, that has to move for an op to run inside a tape.

    That is the line which calls the layers that the op is in, as far as they ran outside altogether; and for an op of a
    function called where the gradient is asked for, as in ``tape.gradient(f(x), x)``, that line.
    """
    graph = question.graph
    events, ends = graph.recording.events, graph.recording.ends
    ended = dict(zip(ends.event.tolist(), ends.t.tolist(), strict=True))
    site, span = graph.site(event), int(graph.links.parent[event])
    while span >= 0 and graph.links.spans.get(span, ("", ""))[0] in _CALLS:
        first, last = float(events.t0[span]), ended.get(graph.event_id(span), -1.0)
        if any(first <= change.t <= last for change in tape.changes):
            break
        site, span = graph.site(span), int(graph.links.parent[span])
    asked = question.site
    if 0 <= asked < len(graph.recording.sites) and 0 <= site < len(graph.recording.sites):
        function, line = graph.recording.sites.function[site].rpartition(".")[2], graph.recording.sites.text[asked]
        if function != graph.recording.sites.function[asked].rpartition(".")[2] and re.search(
            rf"gradient\(.*\b{re.escape(function)}\(", line
        ):
            return asked
    return site


def _not_watched(question: Question, tape: Replay, event: int, tensor: int, ways: Ways) -> Gap:
    graph, name = question.graph, question.source_name
    if (again := rebound(question)) is not None:
        site = again.site if again.site >= 0 else graph.site(event)
        return Gap("rebound", again.says, again.fix, site, event, tensor, ways)
    watch = f"{advice.tape_name(graph, tape)}.watch({name})"
    line = advice.line_of(graph, graph.site(event))
    fix = f"call {watch} before {line}"
    if tensor in tape.watched:
        says = f"{watch} came after {line} had used it"
        fix = f"move {watch} above {line}"
    elif tensor in tape.watched_ever:
        says = f"reset() made the tape forget that it watches {name}"
        fix = f"call {watch} again after reset()"
    elif question.variable >= 0 and not tape.accessed:
        says = f"the tape was made with watch_accessed_variables=False and was not told to watch {name}"
    elif question.variable >= 0 and not advice.trainable(graph, question.variable):
        says = f"{name} was made with trainable=False, so the tape does not watch it by itself"
        fix += ", or leave out trainable=False"
    elif question.variable >= 0:
        says = f"the tape did not watch {name}"
    else:
        says = f"{name} is a plain tensor and the tape was not told to watch it"
        fix += f", or make {name} a tf.Variable"
    return Gap("not_watched", says, fix, graph.site(event), event, tensor, ways)


def _no_tape(question: Question, ways: Ways) -> Gap:
    graph = question.graph
    made = int(graph.links.producer[question.target])
    fix = f"compute {question.target_name} inside a block: with tf.GradientTape() as tape:"
    says = "no tape recorded how it was computed"
    return Gap("outside_tape", says, fix, graph.site(made), made, ways[0][-1], ways)


def refused(question: Question, known: list[int]) -> Gap:
    """The tape knew the way and still gave None: a gradient function on it must have given None.

    Args:
        question: source and target.
        known: the tensors from source to target.
    """
    graph, gradients, events = question.graph, question.graph.recording.gradients, question.graph.recording.events
    span = graph.recording.requests.event[question.request] if question.request >= 0 else -1
    steps = rows_of(events.id, gradients.backward)
    own = (steps >= 0) & (events.parent[steps] == span) | (gradients.backward == span)
    reached = {question.target, *graph.links.tensor_rows(gradients.tensor[own]).tolist()}
    after = next(at for at in range(len(known) - 1, -1, -1) if at == 0 or known[at - 1] not in reached)
    event = int(graph.links.producer[known[after]])
    last = known[max(after - 1, 0)]
    says = f"the gradient of {graph.op(event) or 'an op'} with respect to {graph.name(last)} was given as None"
    fix = "return a tensor from that gradient function"
    ways = known[:after], known[after:][::-1]
    return Gap("no_gradient", says, fix, graph.site(event), event, last, ways, certain=False)


def unconnected(question: Question) -> Gap:
    """Nothing leads from the source to the target."""
    graph, name, target = question.graph, question.source_name, question.target_name
    if graph.links.producer[question.target] < 0 and not graph.is_variable[question.target]:
        says, fix = f"{target} was computed before the recording began", f"record the cell that computes {target}, too"
        if graph.recording.tensors.source[question.target] == _EARLIER:
            says, fix = f"{target} was computed before the ops that the recording kept", "keep more: a larger max_ops"
        elif (entry := _entered(graph, question.target)) >= 0:
            return _from_numbers(question, int(graph.recording.exits.site[entry]))
        ways = [question.source], [question.target]
        return Gap("unconnected", says, fix, question.site, -1, question.source, ways, certain=False)
    if (shared := _shared(question)) is not None:
        return shared
    forward = graph.descendants(question.sources)
    reached = [row for row, before in enumerate(forward) if before != NOT_REACHED]
    used = len(reached) > len(question.sources)
    last = max(reached, key=lambda row: int(graph.recording.tensors.id[row])) if used else question.source
    says = (
        f"nothing that was computed from {name} goes into {target}"
        if used
        else f"no op of this recording read {name} before {target} was computed"
    )
    fix = f"use {name} where {target} is computed, or leave it out of the sources"
    event = int(graph.links.producer[last]) if used else -1
    ways = path(forward, last) if used else [question.source], [question.target]
    complete = not {"truncated", "dropped"} & graph.recording.meta_dict().keys()
    return Gap("unconnected", says, fix, question.site, event, last, ways, certain=complete)


def _entered(graph: Graph, tensor: int) -> int:
    """The row of ``exits`` by which a tensor was made from plain numbers while the recording ran; -1 without one."""
    exits = graph.recording.exits
    rows = np.flatnonzero((exits.tensor == graph.tensor_id(tensor)) & (exits.kind == _ENTER) & (exits.event >= 0))
    return int(rows[-1]) if len(rows) else -1


def _from_numbers(question: Question, site: int) -> Gap:
    name, target = question.source_name, question.target_name
    says = f"{target} was made from plain numbers and not from {name}"
    fix = f"compute {target} from {name} itself with tf's functions, or leave {name} out of the sources"
    ways = [question.source], [question.target]
    return Gap("unconnected", says, fix, site, -1, question.target, ways, certain=False)


def _shared(question: Question) -> Gap | None:
    """The source was computed from something that the target was computed from as well, and not the target from it."""
    graph, name, target = question.graph, question.source_name, question.target_name
    made = int(graph.links.producer[question.source])
    if made < 0 or question.variable >= 0 or graph.readers[question.source]:
        return None
    back = graph.ancestors(question.target, assigned=False)
    common = next((row for row in graph.inputs[made] if back[row] != NOT_REACHED), None)
    if common is None:
        return None
    says = f"{target} was not computed from {name} but, as {name} itself, from {graph.name(common)}"
    fix = f"ask for the gradient by {graph.name(common)}, or compute {target} from {name}"
    ways = [question.source], path(back, common)
    return Gap("unconnected", says, fix, graph.site(made), made, question.source, ways)


def _first_reader(graph: Graph, tensors: Sequence[int]) -> int:
    readers = [event for tensor in tensors for event in graph.readers[tensor]]
    return min(readers, key=lambda event: float(graph.recording.events.t0[event]), default=-1)
