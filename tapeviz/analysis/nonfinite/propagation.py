"""How NaN and infinity spread from tensor to tensor: where they begin, and whether they reach a result."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final

import numpy as np

from tapeviz.analysis.graph import NOT_REACHED, Graph, Lists, reach
from tapeviz.analysis.links import SPAN, Mask, distinct, pick
from tapeviz.recording.schema import DTYPES, EXITS, PHASES

__all__ = ["ENTER", "Spread", "is_masked"]

ENTER: Final = EXITS.index("enter")
_STRING: Final = DTYPES.index("string")
_OF_LISTS: Final = frozenset(("lists", "control"))
_BOOL: Final = DTYPES.index("bool")
_BACKWARD: Final = PHASES.index("backward")


class Spread:
    """The tensors that are not finite, and what made them so. Events and tensors are rows."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        stats = graph.recording.stats
        self.bad: Mask = pick((stats.nan + stats.posinf + stats.neginf) > 0, graph.links.stats)
        if self.bad.any():
            self._hand_on_by_lists()

    def _hand_on_by_lists(self) -> None:
        """A list of tensors has no numbers of its own: it is like what was put into it, in the order of the making."""
        graph = self.graph
        lists = (graph.recording.tensors.dtype == _STRING) & (graph.links.producer >= 0)
        for row in np.flatnonzero(lists).tolist():
            maker = int(graph.links.producer[row])
            self.bad[row] = graph.said(maker, "family") in _OF_LISTS and bool(self.bad[graph.operands[maker]].any())

    def is_step(self, event: int) -> bool:
        """Whether an event is a forward op's part of a backward pass."""
        return event >= 0 and self.graph.is_backward(event) and not self.graph.ran[event]

    def causes(self) -> list[tuple[int, int]]:
        """Each event that made such a tensor from finite ones, with the tensor; (-1, tensor) for what came in so.

        An infinity that the program put in itself, as a mask does, is not a cause by itself: what makes NaN of it is.
        """
        graph = self.graph
        producer = graph.links.producer
        event, tensor, _ = graph.reads
        explained = self._blamed_on_partner | (graph.recording.events.kind == SPAN)
        explained[event[self.bad[tensor] & ~self.meant[tensor]]] = True
        rows = np.flatnonzero(self.bad & (producer >= 0) & ~self._added_to & ~self.meant)
        rows = rows[~explained[producer[rows]]]
        _, first = np.unique(producer[rows], return_index=True)
        made = [(int(producer[row]), int(row)) for row in rows[np.sort(first)]]
        meant = self.meant & ~self._leading_to_results(self.meant) if self.meant.any() else self.meant
        came = np.flatnonzero(self.bad & (producer < 0) & ~self._assigned & ~meant).tolist()
        # Where nothing else is known, the first value of a variable that is like this is.
        later = np.flatnonzero(self.bad & self._assigned).tolist()[:1] if not made and not came else []
        # A variable that is read as a node of a session's graph has from an earlier run what it has.
        first_made = [found for found in made if not graph.has(found[0], "reads_variable")]
        return (first_made or made) + [(-1, row) for row in [*came, *later]]

    def is_sum(self, tensor: int) -> bool:
        """Whether a tensor is a sum of gradients, of finite ones."""
        return bool((self.graph.additions[2] == tensor).any())

    @cached_property
    def _added_to(self) -> Mask:
        """The sums of gradients to which one like this was added, or that were like this before."""
        _, before, total, addend = self.graph.additions
        found = np.zeros(self.graph.tensors, np.bool_)
        found[total[self.bad[before] | pick(self.bad, addend)]] = True
        return found

    @cached_property
    def _assigned(self) -> Mask:
        """The values that variables have later than a first one: they were assigned while recording, from something."""
        graph = self.graph
        rows = np.flatnonzero(graph.is_variable & (graph.links.producer < 0))
        _, first = np.unique(graph.recording.tensors.variable[rows], return_index=True)
        found = np.zeros(graph.tensors, np.bool_)
        found[np.delete(rows, first)] = True
        return found

    @cached_property
    def meant(self) -> Mask:
        """The tensors that are infinite, and not NaN, only because of infinities that the program put in.

        Such an infinity comes in as a scalar, or is an argument of the op, as of one that fills a mask.
        """
        graph, stats = self.graph, self.graph.recording.stats
        producer, rows = graph.links.producer, graph.links.stats
        found = np.zeros(graph.tensors, np.bool_)
        infinite = self.bad & (pick(stats.nan, rows) == 0)
        seeds = [row for row in np.flatnonzero(infinite & (producer < 0) & ~graph.is_variable).tolist()
                 if graph.size(row) == 1]  # fmt: skip
        found[seeds] = True
        made = np.flatnonzero(infinite & (producer >= 0)).tolist()
        filled = {row for row in made if self._is_given_infinity(int(producer[row]))}
        if not seeds and not filled:
            return found
        event, tensor, _ = graph.reads
        inputs = Lists(event, tensor, graph.events)
        for row in made:  # in the order in which they were made
            read = [other for other in inputs[int(producer[row])] if self.bad[other]]
            found[row] = (row in filled or bool(read)) and all(found[other] for other in read)
        return found

    def _is_given_infinity(self, event: int) -> bool:
        """Whether one of the numbers that an op was given beside its tensors is infinite."""
        return any(value in (math.inf, -math.inf) for value in self.graph.attributes(event).values())

    def is_harmless(self, event: int, tensor: int) -> bool:
        """Whether no result is like this because of an event (of a tensor, where the event is -1)."""
        made = self.graph.outputs[event] if event >= 0 else [tensor]
        return not any(self.harmful[row] for row in made)

    @cached_property
    def _blamed_on_partner(self) -> Mask:
        """The backward steps whose forward op already had such numbers, which went on to a result."""
        graph = self.graph
        event, tensor, _ = graph.reads
        serious = self.bad & self.harmful
        blamed = np.zeros(graph.events, np.bool_)
        blamed[event[serious[tensor]]] = True
        blamed[graph.links.producer[serious & (graph.links.producer >= 0)]] = True
        return pick(blamed, graph.links.origin)

    @cached_property
    def harmful(self) -> Mask:
        """The tensors like this from which a result is like this."""
        return self._leading_to_results(self.bad)

    def _leading_to_results(self, bad: Mask) -> Mask:
        """Of some tensors those from which a result among them was made, by way of them."""
        graph, producer = self.graph, self.graph.links.producer
        event, tensor, _ = graph.reads
        adding, before, total, _ = graph.additions
        event, tensor = np.concatenate([event, adding]), np.concatenate([tensor, before])
        kept = bad[tensor]
        read = Lists(event[kept], tensor[kept], graph.events)
        made = np.flatnonzero(bad & (producer >= 0))
        # A sum in a graph may be known as what the next step made of it, who handed it on as it was.
        makers = Lists(np.concatenate([made, total]), np.concatenate([producer[made], adding]), graph.tensors)
        reached = reach(np.flatnonzero(bad & self._results).tolist(), makers, read, graph)
        mask: Mask = np.array(reached, np.int64) != NOT_REACHED
        return mask

    @cached_property
    def _results(self) -> Mask:
        """What the program is for: targets, gradients handed out, variables, what is read out or left over."""
        graph, recording = self.graph, self.graph.recording
        mask = graph.is_variable.copy()
        read_out = recording.exits.tensor[recording.exits.kind != ENTER]
        for ids in (recording.requests.target, recording.requests.gradient, read_out):
            mask |= self._among(graph.links.tensor_rows(ids))
        event, tensor, _ = graph.reads
        read = self._among(tensor[~self._asking[event]])
        gone = self._among(graph.links.tensor_rows(recording.releases.tensor))
        named = self._among(np.array(list(graph.names), np.int64))
        forward = ~pick(recording.events.phase == _BACKWARD, graph.links.producer)
        left_over: Mask = forward & ~read & (named | ~gone)
        return mask | left_over

    @cached_property
    def _asking(self) -> Mask:
        """The events that make truth values alone: who asks whether numbers are NaN has no other use of them."""
        made, producer = self.graph.recording.tensors.dtype, self.graph.links.producer
        known = producer >= 0
        truths = np.bincount(producer[known & (made == _BOOL)], minlength=self.graph.events)
        all_made = np.bincount(producer[known], minlength=self.graph.events)
        asking: Mask = (truths > 0) & (truths == all_made)
        return asking

    def _among(self, rows: np.ndarray) -> Mask:
        mask = np.zeros(self.graph.tensors, np.bool_)
        mask[rows[rows >= 0]] = True
        return mask


def is_masked(graph: Graph, event: int, *, hops: int = 4) -> bool:
    """Whether what a forward op made goes into a ``where`` within a few ops."""
    reached = np.array([event])
    for _ in range(hops):
        tensors = [tensor for row in reached.tolist() for tensor in graph.outputs[row]]
        readers = [row for tensor in tensors for row in graph.readers[tensor] if graph.ran[row]]
        if any(graph.has(row, "selects") for row in readers):
            return True
        reached = distinct(readers)
        if not len(reached):
            return False
    return False
