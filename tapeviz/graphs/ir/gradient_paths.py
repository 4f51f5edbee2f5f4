"""How a gradient comes from tensors of a graph, or of the graphs around it, to what is computed from them.

A graph's history follows what comes from outside, because a run can be asked for the gradient by that alone. A program
that names a tensor to differentiate by, as ``tf.gradients`` does, may name any: one that was made in the graph of
nothing but constants, or one of a graph around, which a loop's body or an inner function takes as an input.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tapeviz.engine.declaration import Op
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import at_line
from tapeviz.engine.types import DIFFERENTIABLE
from tapeviz.graphs.ir.gradient_history import History
from tapeviz.graphs.ir.runtime_calls import record
from tapeviz.graphs.ir.tape_entries import PASSED, follow

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Graph

__all__ = ["around", "entries_from"]


def around(graph: Graph) -> list[Graph]:
    """The graph and those that it is inside of, the outermost first."""
    found = [graph]
    while found[-1].outer is not None:
        found.append(found[-1].outer)
    return found[::-1]


def entries_from(graph: Graph, sources: Sequence[Any]) -> list[Any]:
    """The entries of a tape that had followed these tensors, of the graph and of those around it.

    Raises:
        NotImplementedError: a loop, a branch or a call holds a copy of one of the sources, a constant.
    """
    entries: list[Any] = []
    wanted = {tensor._id for tensor in sources}
    for one in around(graph):
        passed = [(outside, inside) for outside, inside in (*one.captures, *one.copies)]
        entries += [(PASSED, inside._id, (outside._id,), (), None) for outside, inside in passed]
        here = [tensor for tensor in sources if tensor._node.graph is one]
        here += [inside for outside, inside in one.copies if outside._id in wanted]
        wanted.update(tensor._id for tensor in here)
        unseen = [t for t in here if t._a.dtype in DIFFERENTIABLE and t._id not in one.history._tracked]
        entries += _replayed(one, here, unseen) if unseen else one.history.entries
    return entries


def _replayed(graph: Graph, sources: Sequence[Any], unseen: Sequence[Any]) -> list[Any]:
    """The entries of a tape that had followed everything that the history did, and these."""
    _refuse_copied(graph, unseen)
    history, tape = graph.history, History()
    made = {number for entry in history.entries for number in _numbers(entry[1])}
    tape._tracked.update(history._tracked - made)
    tape.follow(sources)
    state, before = local.state, local.state.tapes
    state.tapes = (tape,)
    try:
        for node in list(graph.nodes):
            if isinstance(node.op, Op) and node.op.vjp:
                record(node.op, node.inputs, node.outputs if node.op.many else node.outputs[0], node.attrs)
            for step, inputs, outputs, specs in node._steps:
                follow(step, inputs, outputs, (tape,), specs)
    finally:
        state.tapes = before
    return tape.entries


def _numbers(outs: Any) -> tuple[int, ...]:
    return outs if outs.__class__ is tuple else (outs,)


def _refuse_copied(graph: Graph, sources: Sequence[Any]) -> None:
    held = {id(outside) for inner in _inside(graph) for outside, _ in inner.copies}
    for source in sources:
        if id(source) in held:
            raise NotImplementedError(
                f"{source!r} is a constant of which a loop, a branch or a function inside {graph.title} has a copy: "
                f"its gradient is not known. Differentiate by tf.identity of it.{at_line()}"
            )


def _inside(graph: Graph) -> Iterator[Graph]:
    for node in graph.nodes:
        for inner in node.regions:
            yield inner
            yield from _inside(inner)
