"""A graph again and again: the node of a loop, and how it runs.

``while test(carry): carry, made = body(carry, item)``, where ``items`` of lists go in and what is ``made`` goes out as
lists. A user's ``while_loop`` has a test and no lists, ``map_fn`` and ``scan`` have lists; the gradient of a loop is a
loop over the lists that it has kept, from the last iteration to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY, Backend
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.graphs.control.subgraphs import Taken
from tapeviz.graphs.ir.graph import Graph, Node
from tapeviz.graphs.ir.liveness import needed
from tapeviz.graphs.ir.special_nodes import LOOP
from tapeviz.graphs.passes.plan import Plan
from tapeviz.graphs.passes.runtime_sizes import Sizes
from tapeviz.graphs.run.graph_function import GraphFunction
from tapeviz.graphs.run.interpreter import Inside
from tapeviz.graphs.run.list_values import Items

__all__ = ["Loop", "Looped", "loop_node"]

_COUNT: Final = ((), np.dtype(np.int32))


@dataclass(frozen=True, slots=True)
class Loop:
    """What a loop does.

    Args:
        test: the graph that says whether there is another iteration, of ``carry`` values; None when ``times`` says it.
        body: the graph of an iteration: from ``carry`` values and ``lists`` items to the next values and what it makes.
        carry: how many values go from one iteration to the next.
        lists: how many lists have an item for each iteration.
        timed: whether the node's first input says how many iterations there are at most.
        backward: whether the first iteration has the last item.
    """

    test: GraphFunction | None
    body: GraphFunction
    carry: int
    lists: int
    timed: bool
    backward: bool

    @property
    def routines(self) -> list[GraphFunction]:
        """The graphs: body, then test."""
        return [self.body] if self.test is None else [self.body, self.test]

    @property
    def given(self) -> list[int]:
        """How many inputs each of them has besides what it takes from outside."""
        return [self.carry + self.lists, self.carry][: len(self.routines)]


def loop_node(graph: Graph, loop: Loop, begin: Sequence[Any], forms: Sequence[Any], name: str) -> tuple[Node, Looped]:
    """The node. Its outputs are the last values, the lists of what is made, and the number of iterations.

    Args:
        graph: to add it to.
        loop: what it does.
        begin: the number of iterations where ``loop.timed``, the first values, the lists.
        forms: of the last values and of the lists that it makes.
        name: of the node.
    """
    taken = Taken(graph, loop.routines, loop.given)
    node = graph.node(LOOP, [*begin, *taken.inputs], {}, [*forms, _COUNT], name)
    node.regions = tuple(routine.graph for routine in loop.routines)
    node.attrs["run"] = run = Looped(loop, taken)
    return node, run


class Looped:
    """Runs a loop on arrays. ``inner`` are what the node's outputs are in the body; None for the count.

    ``results`` are how many of them the program has asked for; others are for gradients.
    """

    def __init__(self, loop: Loop, taken: Taken) -> None:
        self.loop = loop
        self.taken = taken
        self.inner: list[Any] = [*loop.body.outputs, None]
        self.results = len(loop.body.outputs)

    def giving(self, slots: tuple[int, ...], backend: Backend = NUMPY) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """What gives the arrays of these outputs of the node, on a device."""
        return _Run(self, slots, backend)

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays of all outputs of the node."""
        return self.giving(tuple(range(len(self.inner))))(arrays)

    def forms(self, inputs: Sequence[tuple[int, ...] | None]) -> list[tuple[int, ...] | None]:
        """The shapes of the outputs, of lists those of their elements, where no iteration changes them."""
        loop, first = self.loop, int(self.loop.timed)
        carry = list(inputs[first : first + loop.carry])
        begin = first + loop.carry + loop.lists
        rest = [*inputs[first + loop.carry : begin], *(inputs[begin + place] for place in self.taken.places[0])]
        inner = [tensor for tensor in self.inner if tensor is not None]
        graph, given = loop.body.graph, list(loop.body.inputs)
        plan = Plan(graph, inner, given, needed(graph, inner, effects=True))
        while True:
            sizes = Sizes(plan, [*carry, *rest])
            after = [sizes.form(tensor) for tensor in self.inner[: loop.carry]]
            stay = [form if form == then else None for form, then in zip(carry, after, strict=True)]
            if stay == carry:
                break
            carry = stay
        return [*carry, *(() if t is None else sizes.form(t) for t in self.inner[loop.carry :])]


class _Run:
    """Runs a loop for certain outputs; only lists among them are kept."""

    def __init__(self, looped: Looped, slots: Sequence[int], backend: Backend) -> None:
        self._backend = backend
        self._loop = loop = looped.loop
        begin = loop.timed + loop.carry + loop.lists
        self._places = [[begin + place for place in places] for places in looped.taken.places]
        kept = [slot for slot in slots if slot >= loop.carry and looped.inner[slot] is not None]
        self._kept = [looped.inner[slot] for slot in kept]
        # Each output, as its place among values, count and lists.
        count = loop.carry
        self._order = [
            slot if slot < count else count if looped.inner[slot] is None else count + 1 + kept.index(slot)
            for slot in slots
        ]
        self._programs: list[Any] = []

    def __call__(self, arrays: Sequence[Any], inside: Inside | None = None) -> tuple[Any, ...]:
        loop = self._loop
        if not self._programs:
            body = loop.body.part((*loop.body.outputs[: loop.carry], *self._kept), self._backend)
            self._programs = [body]
            if loop.test is not None:
                self._programs.append(loop.test.part(loop.test.outputs, self._backend))
        limit = max(int(arrays[0]), 0) if loop.timed else -1
        first = int(loop.timed)
        values = tuple(arrays[first : first + loop.carry])
        columns = [items.column() for items in arrays[first + loop.carry : first + loop.carry + loop.lists]]
        for column in columns:
            if len(column) < limit:
                raise InvalidArgumentError(
                    f"Trying to access element {len(column)} in a list with {len(column)} elements."
                )
        values, rows, count = self._iterated(values, columns, arrays, limit, inside)
        rows = rows[::-1] if loop.backward else rows
        lists = [Items.of(column) for column in zip(*rows, strict=True)] or [Items({}, 0) for _ in self._kept]
        found = (*values, np.array(count, np.int32), *lists)
        return tuple([found[place] for place in self._order])

    def _iterated(
        self, values: tuple[Any, ...], columns: list[Any], arrays: Sequence[Any], limit: int, inside: Inside | None
    ) -> tuple[tuple[Any, ...], list[Any], int]:
        """The last values, what has been kept of each iteration, and how many there were."""
        with ExitStack() as stack:
            body, *test = [
                stack.enter_context(program.repeated()) if inside is None else inside(program)
                for program in self._programs
            ]
            return self._repeated(body, test[0] if test else None, values, columns, arrays, limit)

    def _repeated(
        self, body: Any, test: Any, values: tuple[Any, ...], columns: list[Any], arrays: Sequence[Any], limit: int
    ) -> tuple[tuple[Any, ...], list[Any], int]:
        """The same, by what runs the body and the test."""
        taken = tuple([arrays[place] for place in self._places[0]])
        tested = () if test is None else tuple([arrays[place] for place in self._places[1]])
        carry, step = self._loop.carry, -1 if self._loop.backward else 1
        at = limit - 1 if self._loop.backward else 0
        rows: list[Any] = []
        keeps, done = bool(self._kept), 0
        while done != limit and (test is None or test((*values, *tested))[0]):
            if columns:
                values = body((*values, *[column[at] for column in columns], *taken))
                at += step
            else:
                values = body((*values, *taken))
            if keeps:
                rows.append(values[carry:])
                values = values[:carry]
            done += 1
        return values, rows, done
