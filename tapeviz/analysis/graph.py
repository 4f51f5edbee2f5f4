"""The graph of a recording: which tensor came from which, under which names, and on which line.

Inside, events and tensors are the numbers of their rows; ids are for what is said to others.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tapeviz.analysis.links import SPAN, Links, Mask, Rows, ops_with, pick, rows_of
from tapeviz.recording import Recording
from tapeviz.recording.ranks import rank_of_number
from tapeviz.recording.schema import DTYPES, KINDS, PHASES, ROLES

__all__ = ["NOT_REACHED", "START", "Graph", "Lists", "Site", "graph_of", "path", "reach"]

NOT_REACHED: Final = -2
START: Final = -1
_MOST_STEPS: Final = 64
_OP: Final = KINDS.index("op")
_BACKWARD: Final = PHASES.index("backward")
_IN: Final = ROLES.index("in")
_FLOATING: Final = np.array([name.startswith(("float", "bfloat", "complex")) for name in DTYPES])


@dataclass(frozen=True, slots=True)
class Site:
    """A line of the user's code.

    Attributes:
        cell: execution count of the notebook cell, None outside a notebook.
        file: the file, or the made-up name of the cell's.
        line: line in the file or cell, from 1.
        text: the source line, without indentation.
    """

    cell: int | None
    file: str
    line: int
    text: str

    def __str__(self) -> str:
        where = PurePath(self.file).name if self.cell is None else f"cell {self.cell}"
        return f"{where}, line {self.line}"


class Lists:
    """For each number below ``size`` a list of numbers."""

    __slots__ = ("starts", "values")

    def __init__(self, keys: NDArray[Any], values: NDArray[Any], size: int) -> None:
        order = np.argsort(keys, kind="stable")
        self.values: list[int] = values[order].tolist()
        self.starts: list[int] = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=size))]).tolist()

    def __getitem__(self, key: int) -> list[int]:
        return self.values[self.starts[key] : self.starts[key + 1]]


class Graph:
    """What hangs together in a recording; each part is worked out when first asked for."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.links: Links = Links(recording)
        self.events: int = len(recording.events)
        self.tensors: int = len(recording.tensors)
        self._shapes: dict[int, tuple[int, ...]] = {}  # by the text of the recording
        self._ancestors: dict[tuple[int, bool], list[int]] = {}

    # How tensors come from tensors.

    @cached_property
    def reads(self) -> tuple[Rows, Rows, Rows]:
        """Event, tensor and slot of each edge that reads."""
        edges = self.recording.edges
        chosen = np.flatnonzero(edges.role == _IN)
        event = rows_of(self.recording.events.id, edges.event[chosen])
        tensor = self.links.tensor_rows(edges.tensor[chosen])
        known = (event >= 0) & (tensor >= 0)
        return event[known], tensor[known], edges.slot[chosen][known].astype(np.int64)

    @cached_property
    def operands(self) -> Lists:
        """The tensors that an event reads, in the order of its inputs."""
        event, tensor, slot = self.reads
        order = np.argsort(slot, kind="stable")
        return Lists(event[order], tensor[order], self.events)

    @cached_property
    def ran(self) -> Mask:
        """The ops that ran as such: a step of a backward pass stands for its forward op and is none of them."""
        events = self.recording.events
        mask: Mask = (events.kind == _OP) & (events.op >= 0) & (events.status == 0)
        steps: Mask = (events.phase == _BACKWARD) & (self.links.origin >= 0)
        return mask & ~steps

    def runs_of(self, ops: Mask) -> list[int]:
        """The events, in order, that ran one of these ops (flags of the rows of ``ops``) in a forward pass.

        Those of which no input or no output is known are left out: text, or what a full recording let go of.
        """
        events = self.recording.events
        return np.flatnonzero(self._is_whole & (events.phase != _BACKWARD) & pick(ops, events.op)).tolist()

    @cached_property
    def _is_whole(self) -> Mask:
        """The ops that ran as such, of which an input and an output are known."""
        reads, makes = np.zeros(self.events, np.bool_), np.zeros(self.events, np.bool_)
        reads[self.reads[0]] = True
        makes[self._makes[0]] = True
        mask: Mask = self.ran & reads & makes
        return mask

    @cached_property
    def depends(self) -> tuple[Rows, Rows]:
        """Event and tensor wherever what the event made depends on the tensor.

        A backward step also uses what its forward op read and made, and adds to the sum before it. An op that asks for
        a shape alone does not depend on values.
        """
        event, tensor, _ = self.reads
        by_value = ~pick(ops_with(self.recording, "shape_only"), self.recording.events.op)[event]
        event, tensor = event[by_value], tensor[by_value]
        origin = self.links.origin
        steps = np.flatnonzero((origin >= 0) & (self.recording.events.phase == _BACKWARD))
        parts = [(event, tensor), self._of_partners(steps, (event, tensor)), self._of_partners(steps, self._makes)]
        parts.append(self.sums)
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _of_partners(self, steps: Rows, edges: tuple[Rows, Rows]) -> tuple[Rows, Rows]:
        """The edges of the forward partners, as edges of the backward steps."""
        event, tensor = edges
        order = np.argsort(event, kind="stable")
        count = np.bincount(event, minlength=self.events)
        start = np.cumsum(count) - count
        partners = self.links.origin[steps]
        counts = count[partners]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(steps, counts), tensor[order][np.repeat(start[partners], counts) + within]

    @property
    def sums(self) -> tuple[Rows, Rows]:
        """Where a step adds to a gradient that was there before: the step and the sum so far."""
        return self.additions[:2]

    @cached_property
    def additions(self) -> tuple[Rows, Rows, Rows, Rows]:
        """Where a step adds to a gradient that was there before: the step, the sum before and after, what is added."""
        gradients = self.recording.gradients
        event = rows_of(self.recording.events.id, gradients.backward)
        of, total = self.links.tensor_rows(gradients.tensor), self.links.tensor_rows(gradients.gradient)
        order = np.argsort(of, kind="stable")
        again = order[1:][(of[order][1:] == of[order][:-1]) & (gradients.gradient != gradients.addend)[order][1:]]
        before = np.full(len(of), -1)
        before[order[1:]] = total[order[:-1]]
        kept = again[(event[again] >= 0) & (before[again] >= 0)]
        return event[kept], before[kept], total[kept], self.links.tensor_rows(gradients.addend[kept])

    @cached_property
    def _makes(self) -> tuple[Rows, Rows]:
        """Event and tensor for each tensor that an event made."""
        tensor = np.flatnonzero(self.links.producer >= 0)
        return self.links.producer[tensor], tensor

    @cached_property
    def inputs(self) -> Lists:
        """The tensors that an event depends on."""
        return Lists(*self.depends, self.events)

    @cached_property
    def outputs(self) -> Lists:
        """The tensors that an event made."""
        return Lists(*self._makes, self.events)

    @cached_property
    def readers(self) -> Lists:
        """The events that depend on a tensor."""
        event, tensor = self.depends
        return Lists(tensor, event, self.tensors)

    @cached_property
    def is_variable(self) -> Mask:
        """The tensors that are the value of a variable."""
        mask: Mask = self.recording.tensors.variable >= 0
        return mask

    @cached_property
    def _all_makers(self) -> Lists:
        event, tensor = self._makes
        return Lists(tensor, event, self.tensors)

    @cached_property
    def _own_makers(self) -> Lists:
        event, tensor = self._makes
        own = ~self.is_variable[tensor]
        return Lists(tensor[own], event[own], self.tensors)

    @cached_property
    def _own_readers(self) -> Lists:
        event, tensor = self.depends
        assigns = np.zeros(self.events, np.bool_)
        assigned = np.flatnonzero(self.is_variable & (self.links.producer >= 0))
        assigns[self.links.producer[assigned]] = True
        own = ~assigns[event]
        return Lists(tensor[own], event[own], self.tensors)

    def ancestors(self, tensor: int, *, assigned: bool) -> list[int]:
        """What a tensor was computed from, as `reach` gives it; with ``assigned`` also by way of variables' values."""
        key = (tensor, assigned)
        if key not in self._ancestors:
            makers = self._all_makers if assigned else self._own_makers
            self._ancestors[key] = reach([tensor], makers, self.inputs, self)
        return self._ancestors[key]

    def cut(self, target: int, known: NDArray[np.bool_], *, assigned: bool) -> tuple[list[tuple[int, int]], list[int]]:
        """The edges over which what is known goes into what the target was computed from.

        Args:
            target: a tensor.
            known: flags of the tensors that are known; the walk from the target ends at them.
            assigned: also walk through values assigned to variables.

        Returns:
            Events with the known tensors they read; and how the walk came to each tensor, as `reach` gives it.
        """
        makers, inputs = self._all_makers if assigned else self._own_makers, self.inputs
        previous = [NOT_REACHED] * self.tensors
        previous[target] = START
        queue, seen, edges = [target], bytearray(self.events), []
        flags = known.tolist()
        for tensor in queue:
            for event in makers[tensor]:
                if seen[event]:
                    continue
                seen[event] = 1
                for other in inputs[event]:
                    if flags[other]:
                        edges.append((event, other))
                    elif previous[other] == NOT_REACHED:
                        previous[other] = tensor
                        queue.append(other)
        return edges, previous

    def descendants(self, tensors: Iterable[int]) -> list[int]:
        """What was computed from tensors, as `reach` gives it; not by way of variables' values."""
        return reach(tensors, self._own_readers, self.outputs, self)

    def forward_readers(self, tensor: int) -> list[int]:
        """The ops of forward passes that read a tensor."""
        return [event for event in self.readers[tensor] if self.ran[event] and not self.is_backward(event)]

    def comes_from_variables(self, tensor: int) -> bool:
        """Whether the value of a variable went into a tensor, be it by way of a choice or of a class number."""
        previous = np.array(self.ancestors(tensor, assigned=False))
        return bool(self.is_variable[previous != NOT_REACHED].any())

    def maker_of(self, tensor: int, trait: str) -> int:
        """The op with a trait that a tensor's elements come from, unchanged, or cut out and joined; -1 for none."""
        queue, seen = [tensor], {tensor}
        for at in queue:
            maker = int(self.links.producer[at])
            if maker < 0 or self.is_span(maker):
                continue
            if self.has(maker, trait):
                return maker
            if self.traits(maker).isdisjoint({"moves", "reshapes", "identity", "cast"}):
                continue
            for other in self.operands[maker]:
                if other not in seen and len(seen) < _MOST_STEPS and self.is_floating[other]:
                    seen.add(other)
                    queue.append(other)
        return -1

    # What they are.

    @cached_property
    def is_floating(self) -> Mask:
        """The tensors that can have a gradient."""
        return pick(_FLOATING, self.recording.tensors.dtype)

    def dtype(self, tensor: int) -> str:
        """The name of a tensor's dtype."""
        number = int(self.recording.tensors.dtype[tensor])
        return DTYPES[number] if number < len(DTYPES) else "?"

    def shape(self, tensor: int) -> tuple[int, ...]:
        """The sizes of a tensor's axes."""
        text = self._shape_texts[tensor]
        shape = self._shapes.get(text)
        if shape is None:
            shape = self._shapes[text] = _sizes(self.recording, text)
        return shape

    @cached_property
    def _shape_texts(self) -> list[int]:
        return self.recording.tensors.shape.tolist()  # type: ignore[no-any-return]

    def size(self, tensor: int) -> int:
        """How many elements a tensor has."""
        return math.prod(self.shape(tensor))

    def ends(self, tensor: int) -> tuple[float, float] | None:
        """The smallest and the largest element of a tensor; None where they are not known."""
        row, stats = int(self.links.stats[tensor]), self.recording.stats
        return (float(stats.min[row]), float(stats.max[row])) if row >= 0 else None

    def single(self, tensor: int) -> float | None:
        """The value that all elements of a tensor have; None where it is not known, or they differ."""
        ends = self.ends(tensor)
        return ends[0] if ends is not None and ends[0] == ends[1] else None

    def op(self, event: int) -> str:
        """The name of the op that an event ran, or of the span; empty for other events."""
        if event in self.links.spans:
            return self.links.spans[event][1]
        names, row = self.recording.ops.name, int(self.recording.events.op[event])
        return names[row] if 0 <= row < len(names) else ""

    def said(self, event: int, column: str) -> str:
        """What a column of ``ops`` says of the op that an event ran; empty for other events."""
        cells, row = self.recording.ops.cells(column), int(self.recording.events.op[event])
        return str(cells[row]) if 0 <= row < len(cells) else ""

    def traits(self, event: int) -> frozenset[str]:
        """What is true of the op that an event ran, as words of :mod:`tapeviz.engine.traits`."""
        return frozenset(self.said(event, "traits").split())

    def has(self, event: int, trait: str) -> bool:
        """Whether the op that an event ran has a trait."""
        return trait in self.traits(event)

    def domain(self, event: int) -> tuple[float, float] | None:
        """The ends of the interval in which the last input of the op has to be; None where there is no such limit."""
        low, _, high = self.said(event, "domain").partition(" ")
        return (float(low), float(high)) if high else None

    def is_backward(self, event: int) -> bool:
        """Whether an event is part of a backward pass."""
        return bool(self.recording.events.phase[event] == _BACKWARD)

    def is_span(self, event: int) -> bool:
        """Whether an event is a span."""
        return bool(self.recording.events.kind[event] == SPAN)

    # What the user calls them, and where.

    @cached_property
    def names(self) -> dict[int, str]:
        """The latest name that the user gave each tensor."""
        rows = self.links.tensor_rows(self.recording.names.tensor)
        return dict(zip(rows.tolist(), self.recording.names.name, strict=True))

    @cached_property
    def variable_labels(self) -> dict[int, str]:
        """What each variable is called: the name a layer made for it, else one given to its values, else its own."""
        variables = self.recording.variables
        own = {n: name.removesuffix(":0") for n, name in zip(variables.id.tolist(), variables.name, strict=True)}
        of = self.recording.tensors.variable
        given = {int(of[row]): name for row, name in self.names.items() if row >= 0 and of[row] >= 0}
        # A name in a program may have been another variable's before, as that of a loop over them.
        kept = {n: name for n, name in own.items() if "/" in name}
        return own | given | kept

    @cached_property
    def variable_names(self) -> dict[int, str]:
        """The labels of variables; where several have the same, the rank or else the variable's number goes with it."""
        names, numbers = self.variable_labels, self.recording.ranks.number
        often = Counter(names.values())
        ranks = {n: rank_of_number(self.recording, "variable", n) for n in names if often[names[n]] > 1}
        there = Counter((names[n], rank) for n, rank in ranks.items())
        return names | {
            n: f"{names[n]} rank {numbers[rank]}" if rank >= 0 and there[names[n], rank] == 1 else f"{names[n]} #{n}"
            for n, rank in ranks.items()
        }

    def name(self, tensor: int) -> str:
        """The name a person knows a tensor by: the variable's, the user's, or the op's with the event's number."""
        variable = int(self.recording.tensors.variable[tensor])
        if variable in self.variable_names:
            return self.variable_names[variable]
        if tensor in self.names:
            return self.names[tensor]
        producer = int(self.links.producer[tensor])
        if producer < 0:
            return f"tensor {int(self.recording.tensors.id[tensor])}"
        return f"{self.op(producer)} #{int(self.recording.events.id[producer])}"

    def place(self, site: int) -> Site | None:
        """A row of ``sites`` as a place; None where there is none."""
        sites = self.recording.sites
        if not 0 <= site < len(sites):
            return None
        row = sites[site]
        cells = self.recording.cells
        cell = int(cells.number[row.cell]) if 0 <= row.cell < len(cells) else None
        return Site(cell, row.file, row.line, row.text.strip())

    def site(self, event: int) -> int:
        """The row of ``sites`` that an event belongs to; for a backward step that of its forward op, if need be."""
        events = self.recording.events
        if event < 0:
            return -1
        site = int(events.site[event])
        return site if site >= 0 or self.links.origin[event] < 0 else int(events.site[self.links.origin[event]])

    def written_at(self, event: int) -> int:
        """The row of ``sites`` of the line to look at for an op: where it runs, or where its layer was made.

        An op of a layer of the library runs on the line that calls the model, which says nothing of it; the line that
        makes the layer says what it is.
        """
        own = self.site(event)
        span = int(self.links.parent[event]) if event >= 0 else -1
        while span >= 0 and self.links.spans.get(span, ("", ""))[0] != "layer":
            span = int(self.links.parent[span])
        if span < 0 or self.place(self.site(span)) != self.place(own):
            return own
        made = self.attributes(span).get("made", -1)
        return made if isinstance(made, int) and 0 <= made < len(self.recording.sites) else own

    @cached_property
    def node_names(self) -> dict[int, str]:
        """The names of the nodes of graphs that events ran, scopes and all."""
        nodes, runs = self.recording.nodes, self.recording.node_runs
        names = dict(zip(zip(nodes.graph.tolist(), nodes.number.tolist(), strict=True), nodes.name, strict=True))
        events = rows_of(self.recording.events.id, runs.event).tolist()
        ran = zip(runs.graph.tolist(), runs.node.tolist(), strict=True)
        return {event: names.get(node, "") for event, node in zip(events, ran, strict=True)}

    def layer(self, event: int) -> str:
        """The layer of a model that an op is in, with those around it, as in ``block_3/attention``; empty for none.

        The model itself, the outermost, is left out.
        """
        names = self.node_names.get(event, "").split("/")[:-1]
        span = int(self.links.parent[event]) if event >= 0 and not names else -1
        while span >= 0:
            kind, name = self.links.spans.get(span, ("", ""))
            names = [name, *names] if kind == "layer" else names
            span = int(self.links.parent[span])
        return "/".join(names[1:])

    def attributes(self, event: int) -> dict[str, Any]:
        """The attributes of an op, such as its axis; of a span what is said of it."""
        try:
            found = json.loads(self.recording.text(int(self.recording.events.params[event])))
        except (ValueError, TypeError, IndexError):
            return {}
        return found if isinstance(found, dict) else {}

    def tensor_ids(self, rows: Any) -> tuple[int, ...]:
        """The ids of tensors."""
        return tuple(self.recording.tensors.id[list(rows)].tolist()) if len(rows) else ()

    def event_id(self, row: int) -> int:
        """The id of an event, -1 for none."""
        return int(self.recording.events.id[row]) if row >= 0 else -1

    def tensor_id(self, row: int) -> int:
        """The id of a tensor, -1 for none."""
        return int(self.recording.tensors.id[row]) if row >= 0 else -1


def _sizes(recording: Recording, text: int) -> tuple[int, ...]:
    """A shape by the row of its text; of a damaged recording none."""
    try:
        return tuple(map(int, json.loads(recording.text(text))))
    except (ValueError, TypeError, IndexError):
        return ()


def graph_of(recording: Recording) -> Graph:
    """The graph of a recording, worked out once."""
    return recording.derived(Graph)


def reach(starts: Iterable[int], onward: Lists, made: Lists, graph: Graph) -> list[int]:
    """Walk from tensors to events and on to tensors, nearest first.

    Returns:
        For each tensor the one it was reached from, `START` for those begun with, `NOT_REACHED` for the rest.
    """
    previous = [NOT_REACHED] * graph.tensors
    queue = list(dict.fromkeys(starts))
    for tensor in queue:
        previous[tensor] = START
    seen = bytearray(graph.events)
    of_tensor, events = onward.starts, onward.values
    of_event, tensors = made.starts, made.values
    for tensor in queue:
        for event in events[of_tensor[tensor] : of_tensor[tensor + 1]]:
            if not seen[event]:
                seen[event] = 1
                for other in tensors[of_event[event] : of_event[event + 1]]:
                    if previous[other] == NOT_REACHED:
                        previous[other] = tensor
                        queue.append(other)
    return previous


def path(previous: list[int], end: int) -> list[int]:
    """The tensors from where `reach` began to ``end``."""
    found = []
    while end >= 0:
        found.append(end)
        end = previous[end]
    return found[::-1]
