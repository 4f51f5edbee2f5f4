"""One of several graphs, chosen when the graph around them runs; and its gradient, which is a choice again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.backends import NUMPY, Backend
from tapeviz.engine import nest
from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor, at_line
from tapeviz.graphs.control.subgraphs import Region, Taken, open_spec, settle, sum_of
from tapeviz.graphs.control.tensor_lists import empty, is_list, zeros_of
from tapeviz.graphs.ir.graph import Node, output_of
from tapeviz.graphs.ir.special_nodes import CONDITION
from tapeviz.graphs.ir.tape_entries import follow
from tapeviz.graphs.run.executable import Executable
from tapeviz.graphs.run.graph_function import GraphFunction
from tapeviz.graphs.run.interpreter import Inside
from tapeviz.ops.control.nest import assert_same_structure

__all__ = ["Kind", "choose"]


class Kind:
    """A way to choose: by a truth value, or by a number.

    Args:
        function: its public name, for messages.
        branches: the names of the branches' arguments; of one name the branches are numbered.
        pick: which branch for the array of the predicate.
    """

    def __init__(self, function: str, branches: tuple[str, ...], pick: Callable[[Any], int]) -> None:
        self.function = function
        self.pick = pick
        self._branches = branches

    def name(self, place: int) -> str:
        """The name of a branch."""
        return self._branches[place] if len(self._branches) > 1 else f"{self._branches[0]}[{place}]"


def choose(predicate: Any, functions: Sequence[Callable[[], Any]], kind: Kind, name: str) -> Any:
    """A node that runs one of the functions' graphs; what it gives, in their structure.

    Raises:
        TypeError: the functions give different structures or dtypes.
        ValueError: one gives None where another one does not.
    """
    __tracebackhide__ = True
    graph: Any = local.state.graph
    regions = [Region(f"{name}_{kind.name(place)}", "cond", function) for place, function in enumerate(functions)]
    for place, region in enumerate(regions[1:]):
        _check_alike(kind, (0, regions[0]), (place + 1, region))
    present = [place for place, leaf in enumerate(regions[0].leaves) if leaf is not None]
    rows: list[list[Any]] = [[region.leaves[place] for place in present] for region in regions]
    routines = [GraphFunction(region.graph, row) for region, row in zip(regions, rows, strict=True)]
    own = graph.own(predicate)
    taken = Taken(graph, routines, [0] * len(routines))
    forms = [_merged([open_spec(tensor) for tensor in column]) for column in zip(*rows, strict=True)]
    node = graph.node(CONDITION, [own, *taken.inputs], {}, forms, name)
    node.regions = tuple(routine.graph for routine in routines)
    node.attrs["run"] = run = Chosen(kind, routines, taken, rows)
    settle(graph, node, routines)
    step = ChosenStep(node, run, rows)
    step.tapes = follow(step, taken.sources, node.outputs)
    leaves: list[Any] = [None] * len(regions[0].leaves)
    for place, output in zip(present, node.outputs, strict=True):
        leaves[place] = output
    return nest.pack(regions[0].form, leaves)


def _check_alike(kind: Kind, one: tuple[int, Region], other: tuple[int, Region]) -> None:
    first, second = one[1], other[1]
    names = kind.name(one[0]), kind.name(other[0])
    try:
        assert_same_structure(first.form, second.form)
        for mine, theirs in zip(first.leaves, second.leaves, strict=True):
            _check_dtypes(mine, theirs)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{names[0]} and {names[1]} arguments to tf.{kind.function} must have the same number, type, and overall "
            f"structure of return values.\n\n{names[0]} output: {first.form}\n{names[1]} output: {second.form}\n\n"
            f"Error details:\n{error}{at_line()}"
        ) from None
    for mine, theirs in zip(first.leaves, second.leaves, strict=True):
        if (mine is None) is not (theirs is None):
            count, counted = (sum(leaf is not None for leaf in region.leaves) for region in (first, second))
            raise ValueError(
                f"Lengths of branch outputs of {kind.function} must match.\nlen(graphs[{one[0]}].outputs): {count}\n"
                f"len(graphs[{other[0]}].outputs): {counted}\nOne of the branches gives None where {names[0]} and "
                f"{names[1]} must give the same{at_line()}"
            )


def _check_dtypes(mine: Any, theirs: Any) -> None:
    if mine is not None and theirs is not None and mine.dtype != theirs.dtype:
        raise TypeError(f"{mine!r} and {theirs!r} have different types")


def _merged(forms: Sequence[Any]) -> Any:
    """What is known of an output whichever branch makes it."""
    shapes = [shape for shape, _ in forms]
    if any(shape is None or len(shape) != len(shapes[0]) for shape in shapes):
        return None, forms[0][1]
    sizes = zip(*shapes, strict=True)
    return tuple(column[0] if len(set(column)) == 1 else None for column in sizes), forms[0][1]


class Chosen:
    """Runs one of the routines of a node on arrays.

    ``inner`` has a row for each branch: what the node's outputs are in it, None for those that other branches make.
    ``results`` are how many outputs the program has asked for; others are for gradients.
    """

    def __init__(self, kind: Kind, routines: Sequence[GraphFunction], taken: Taken, inner: list[list[Any]]) -> None:
        self.kind = kind
        self.routines: list[GraphFunction] = list(routines)
        self.taken = taken
        self.inner: list[list[Any]] = [list(row) for row in inner]
        self.results = len(self.inner[0])

    def giving(self, slots: tuple[int, ...], backend: Backend = NUMPY) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """What gives the arrays of these outputs of the node, on a device."""
        return _Choice(self, slots, backend)

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays of all outputs of the node."""
        return self.giving(tuple(range(len(self.inner[0]))))(arrays)


class _Choice:
    """Runs one of several graphs for certain outputs."""

    def __init__(self, chosen: Chosen, slots: Sequence[int], backend: Backend) -> None:
        self._backend = backend
        self._pick = chosen.kind.pick
        self._routines = chosen.routines
        # The first input is the predicate.
        self._places = [[place + 1 for place in places] for places in chosen.taken.places]
        self._wanted = [tuple(row[slot] for slot in slots) for row in chosen.inner]
        self._lacking = [[(k, _stand_in(chosen, slots[k], backend)) for k, tensor in enumerate(row) if tensor is None]
                         for row in self._wanted]  # fmt: skip
        self._programs: list[Executable | None] = [None] * len(self._wanted)

    def __call__(self, arrays: Sequence[Any], inside: Inside | None = None) -> tuple[Any, ...]:
        branch = self._pick(arrays[0])
        program = self._programs[branch]
        if program is None:
            program = self._programs[branch] = self._routines[branch].part(self._wanted[branch], self._backend)
        run = program.inside if inside is None else inside(program)
        found = run([arrays[place] for place in self._places[branch]])
        if not (lacking := self._lacking[branch]):
            return found
        whole = list(found)
        for place, array in lacking:
            whole[place] = array
        return tuple(whole)


def _stand_in(chosen: Chosen, slot: int, backend: Backend) -> Any:
    """What an output has for its value when the branch that makes it does not run. Nobody asks for more than zeros."""
    tensor = next(row[slot] for row in chosen.inner if row[slot] is not None)
    rank = tensor.shape.rank
    return empty() if is_list(tensor) else backend.as_array(backend.xp.zeros((1,) * (rank or 0), tensor._a.dtype))


class ChosenStep:
    """Stands where an op does in the entry of a tape that traces: the outputs of a choice, or some of them.

    ``inner`` has a row for each branch: what the outputs are in it.
    """

    contributes_to_all = False

    def __init__(self, node: Node, run: Chosen, inner: list[list[Any]]) -> None:
        self.name: str = node.name
        self.tapes: list[Any] = []
        self.run = run
        self.inner = inner
        self.node = node

    def step_tensors(self, _ops: Any, upstream: Any, ins: Any, _saved: Any) -> list[Any]:
        """Nodes that compute the gradients: a choice between the branches' own."""
        run = self.run
        sides = [_Side(self, branch, upstream) for branch in range(len(run.routines))]
        reached = sorted({place for side in sides for place in side.reached})
        given: list[Any] = [None] * len(ins)
        if reached:
            functions = [side.function(reached) for side in sides]
            found = choose(self.node.inputs[0], functions, run.kind, f"gradients/{self.name}_grad/{self.name}_grad/")
            for place, gradient in zip(reached, found, strict=True):
                given[place] = gradient
        return given

    def brought_out(self, branch: int, tensors: Sequence[SymbolicTensor]) -> list[SymbolicTensor]:
        """Tensors of a branch as outputs of the node, which are only zeros when another branch runs."""
        run, node = self.run, self.node
        known = {id(tensor): place for place, tensor in enumerate(run.inner[branch]) if tensor is not None}
        new = [tensor for tensor in tensors if id(tensor) not in known]
        if new:
            first = len(node.outputs)
            made = [output_of(node, first + k, open_spec(tensor)) for k, tensor in enumerate(new)]
            rows: list[list[Any]] = [[None] * len(new) for _ in run.routines]
            rows[branch] = list(new)
            for row, more in zip(run.inner, rows, strict=True):
                row.extend(more)
            node.outputs = (*node.outputs, *made)
            step = ChosenStep(node, run, rows)
            step.tapes = follow(step, run.taken.sources, made, self.tapes)
            known.update({id(tensor): first + k for k, tensor in enumerate(new)})
        return [node.outputs[known[id(tensor)]] for tensor in tensors]


class _Side:
    """The gradients of one branch. ``reached`` are the sources of the node that have one."""

    def __init__(self, step: ChosenStep, branch: int, upstream: Sequence[Any]) -> None:
        taken = step.run.taken
        row = step.inner[branch]
        arrived = [place for place, gradient in enumerate(upstream) if gradient is not None and row[place] is not None]
        self._upstream = [upstream[place] for place in arrived]
        self._sources = taken.sources
        self._backward = step.run.routines[branch].backward_of([row[place] for place in arrived])
        given = [step.node.inputs[place + 1] for place in taken.places[branch]]
        here = step.run.routines[branch].outside(given)
        inside = iter(step.brought_out(branch, [t for t in self._backward.needs if id(t) not in here]))
        self._kept = [here[id(t)] if id(t) in here else next(inside) for t in self._backward.needs]
        self._places = [taken.of[branch][position] for position in self._backward.reached]
        self.reached = set(self._places)

    def function(self, reached: Sequence[int]) -> Callable[[], list[Any]]:
        """What computes the gradients by these sources."""
        return lambda: self._gradients(reached)

    def _gradients(self, reached: Sequence[int]) -> list[Any]:
        found = self._backward.routine([*self._upstream, *self._kept]) if self._places else ()
        totals: dict[int, Any] = {}
        for place, gradient in zip(self._places, found, strict=True):
            totals[place] = sum_of(totals.get(place), gradient)
        return [totals[place] if place in totals else zeros_of(self._sources[place]) for place in reached]
