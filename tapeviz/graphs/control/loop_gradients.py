"""The gradient of a loop: a loop from the last iteration to the first, over the lists that the loop has kept.

Its values are the gradients by the values of the loop, and the sums of those by all else that the body uses. It is a
loop like any other, so that it has a gradient itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.types import LISTS
from tapeviz.graphs.control.loop_nodes import Loop, Looped, loop_node
from tapeviz.graphs.control.subgraphs import Region, open_spec, settle, sum_of
from tapeviz.graphs.control.tensor_lists import dense, is_list, zeros_of
from tapeviz.graphs.ir.graph import Node, output_of
from tapeviz.graphs.ir.special_nodes import READ
from tapeviz.graphs.ir.tape_entries import follow
from tapeviz.graphs.run.graph_function import Backward

__all__ = ["LoopStep", "loop_outputs"]


def loop_outputs(
    loop: Loop, begin: Sequence[Any], forms: Sequence[Any], name: str, *, followed: bool = True
) -> tuple[SymbolicTensor, ...]:
    """The outputs of a loop's node, which tapes follow, unless ``followed`` says that no gradient goes through it.

    The other arguments are as for :func:`~tapeviz.graphs.control.loop_nodes.loop_node`.
    """
    graph: Any = local.state.graph
    node, run = loop_node(graph, loop, [graph.own(tensor) for tensor in begin], forms, name)
    settle(graph, node, loop.routines)
    if followed:
        step = LoopStep(node, run, list(range(len(node.outputs))))
        step.tapes = follow(step, step.sources, node.outputs)
    return node.outputs


class LoopStep:
    """Stands where an op does in the entry of a tape that traces: the outputs of a loop, or some of them.

    ``slots`` are which of the node's outputs these are. ``sources`` are the first values, the lists, and what the body
    takes from outside.
    """

    contributes_to_all = False

    def __init__(self, node: Node, run: Looped, slots: Sequence[int]) -> None:
        self.name: str = node.name
        self.node = node
        self.run = run
        self.tapes: list[Any] = []
        loop = run.loop
        self.begin: tuple[Any, ...] = node.inputs[int(loop.timed) : int(loop.timed) + loop.carry + loop.lists]
        self.sources: list[Any] = [*self.begin, *run.taken.sources]
        self._slots = list(slots)

    def step_tensors(self, _ops: Any, upstream: Any, ins: Any, _saved: Any) -> list[Any]:
        """Nodes that compute the gradients: a loop the other way."""
        arrived = {slot: g for slot, g in zip(self._slots, upstream, strict=True) if g is not None}
        given: list[Any] = [None] * len(ins)
        if arrived:
            for position, gradient in _Gradient(self, arrived).found().items():
                if not is_list(gradient):  # a value that changes its size began with one
                    gradient.set_shape(self.sources[position].shape)
                given[position] = gradient
        return given

    def kept(self, tensors: Sequence[SymbolicTensor]) -> list[SymbolicTensor]:
        """Lists of what tensors of the body were in each iteration, as outputs of the node."""
        node, run = self.node, self.run
        carry = run.loop.carry
        known = {id(t): place for place, t in enumerate(run.inner) if place >= carry and t is not None}
        new = [tensor for tensor in tensors if id(tensor) not in known]
        if new:
            first = len(node.outputs)
            made = [output_of(node, first + k, ((), LISTS[tensor._a.dtype])) for k, tensor in enumerate(new)]
            run.inner += new
            node.outputs = (*node.outputs, *made)
            step = LoopStep(node, run, range(first, len(node.outputs)))
            step.tapes = follow(step, self.sources, made, self.tapes)
            known.update({id(tensor): first + k for k, tensor in enumerate(new)})
        return [node.outputs[known[id(tensor)]] for tensor in tensors]


class _Gradient:
    """One gradient of a loop: ``arrived`` are the gradients by its outputs."""

    def __init__(self, step: LoopStep, arrived: dict[int, Any]) -> None:
        self._step = step
        self._loop = loop = step.run.loop
        self._arrived = arrived
        # Values through which gradients go back: those with one at the end, and those that these come from.
        self._values = [slot for slot in arrived if slot < loop.carry]
        self._made = [slot for slot in arrived if slot >= loop.carry]
        while True:
            self._backward = self._body_backward()
            new = [p for p in self._backward.reached if p < loop.carry and p not in self._values]
            if not new:
                break
            self._values = sorted([*self._values, *new])
        self._outer, self._needs = self._sorted_needs()
        begin = loop.carry + loop.lists
        taken = step.run.taken
        self._places = [
            position if position < begin else begin + taken.of[0][position - begin]
            for position in self._backward.reached
        ]
        self._totals = sorted({place for place in self._places if place >= begin})
        self._items = sorted({place for place in self._places if loop.carry <= place < begin})

    def _body_backward(self) -> Backward:
        outputs = self._step.run.inner
        return self._loop.body.backward_of([outputs[slot] for slot in (*self._values, *self._made)])

    def _sorted_needs(self) -> tuple[dict[int, Any], list[SymbolicTensor]]:
        """What the backward graph needs of the body: what is the same in all iterations, and what has to be kept."""
        loop, inner = self._loop, self._loop.body.graph
        same = {id(made): reached for reached, made in inner.captures}
        written = {number for routine in loop.routines for number in routine.graph.writes}
        taken = self._step.run.taken
        count = len(inner.captures) + len(inner.constants)
        for place, (number, read) in enumerate(inner.first_reads.items()):
            if number not in written and read._node.op is READ:
                same[id(read)] = taken.sources[taken.of[0][count + place]]
        needs = [*self._backward.needs, *(inner.inputs[place] for place in self._values if self._is_open(place))]
        return same, [tensor for tensor in {id(t): t for t in needs}.values() if id(tensor) not in same]

    def _is_open(self, place: int) -> bool:
        """Whether zeros for a value need the value."""
        tensor = self._loop.body.graph.inputs[place]
        return place not in self._backward.reached and not tensor.shape.is_fully_defined()

    def found(self) -> dict[int, Any]:
        """The gradients by position among the sources of the step."""
        if not self._places and not self._values:  # a value goes through unchanged when there is no iteration
            return {}
        step, loop = self._step, self._loop
        inner, outputs = loop.body.graph, step.node.outputs
        elements = {id(inner.inputs[loop.carry + k]): step.begin[loop.carry + k] for k in range(loop.lists)}
        kept = iter(step.kept([tensor for tensor in self._needs if id(tensor) not in elements]))
        lists = [elements[id(tensor)] if id(tensor) in elements else next(kept) for tensor in self._needs]
        sources = [step.sources[place] for place in self._totals]
        begin = [
            *(self._arrived[s] if s in self._arrived else zeros_of(outputs[s]) for s in self._values),
            *map(zeros_of, sources),
            *(dense(self._arrived[slot], outputs[slot]) for slot in self._made),
            *lists,
        ]
        forms = [
            *(open_spec(inner.inputs[place]) for place in self._values), *map(open_spec, sources),
            *(open_spec(step.run.inner[slot]) for slot in self._made), *map(open_spec, self._needs),
        ]  # fmt: skip
        name = f"gradients/{step.name}_grad/{step.name}_grad/"
        region = Region(f"{step.name}_grad_body", "while", self._body, [(form, "gradient") for form in forms])
        carry = len(self._values) + len(sources)
        again = Loop(None, region.routine(), carry, len(begin) - carry, timed=True, backward=not loop.backward)
        made = [((), LISTS[tensor._a.dtype]) for tensor in region.leaves[carry:] if tensor is not None]
        results = loop_outputs(again, [outputs[loop.carry + self._count], *begin], [*forms[:carry], *made], name)
        return dict(zip([*self._values, *self._totals, *self._items], results, strict=False))

    @property
    def _count(self) -> int:
        """How many lists the loop makes by itself; the number of iterations comes after them."""
        return len(self._loop.body.outputs) - self._loop.carry

    def _body(self, *given: Any) -> list[Any]:
        """One iteration: the gradients of the body, and the sums that they go into."""
        ends = [len(part) for part in (self._values, self._totals, self._made)]
        values, rest = given[: ends[0]], given[ends[0] :]
        totals, rest = rest[: ends[1]], rest[ends[1] :]
        made, kept = rest[: ends[2]], rest[ends[2] :]
        here = {**self._outer, **{id(tensor): value for tensor, value in zip(self._needs, kept, strict=True)}}
        needs = [here[id(tensor)] for tensor in self._backward.needs]
        found = self._backward.routine([*values, *made, *needs])
        sums: dict[int, Any] = dict(zip(self._totals, totals, strict=True))
        for place, gradient in zip(self._places, found, strict=True):
            sums[place] = sum_of(sums.get(place), gradient)
        inputs = self._loop.body.graph.inputs
        for place, value in zip(self._values, values, strict=True):
            if place not in sums:
                sums[place] = zeros_of(here[id(inputs[place])] if self._is_open(place) else value)
        return [sums[place] for place in (*self._values, *self._totals, *self._items)]
