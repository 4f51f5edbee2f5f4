"""How NaN and infinity spread from tensor to tensor: where they begin, and whether they reach a result."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from tapeviz.analysis.graph import NOT_REACHED, Graph, Lists, reach
from tapeviz.analysis.links import SPAN, Mask, pick
from tapeviz.recording.schema import EXITS, PHASES

__all__ = ["ENTER", "Spread"]

ENTER: Final = EXITS.index("enter")
_BACKWARD: Final = PHASES.index("backward")


class Spread:
    """The tensors that are not finite, and what made them so. Events and tensors are rows."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        stats = graph.recording.stats
        self.bad: Mask = pick((stats.nan + stats.posinf + stats.neginf) > 0, graph.links.stats)

    def is_step(self, event: int) -> bool:
        """Whether an event is a forward op's part of a backward pass."""
        return event >= 0 and self.graph.is_backward(event) and not self.graph.ran[event]

    def causes(self) -> list[tuple[int, int]]:
        """Each event that made such a tensor from finite ones, with the tensor; (-1, tensor) for what came in so."""
        graph = self.graph
        producer = graph.links.producer
        event, tensor, _ = graph.reads
        explained = self._blamed_on_partner | (graph.recording.events.kind == SPAN)
        explained[event[self.bad[tensor]]] = True
        rows = np.flatnonzero(self.bad & (producer >= 0))
        rows = rows[~explained[producer[rows]]]
        _, first = np.unique(producer[rows], return_index=True)
        made = [(int(producer[row]), int(row)) for row in rows[np.sort(first)]]
        return made + [(-1, int(row)) for row in np.flatnonzero(self.bad & (producer < 0))]

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
        graph, producer = self.graph, self.graph.links.producer
        event, tensor, _ = graph.reads
        adding, before = graph.sums
        event, tensor = np.concatenate([event, adding]), np.concatenate([tensor, before])
        kept = self.bad[tensor]
        read = Lists(event[kept], tensor[kept], graph.events)
        made = np.flatnonzero(self.bad & (producer >= 0))
        makers = Lists(made, producer[made], graph.tensors)
        reached = reach(np.flatnonzero(self.bad & self._results).tolist(), makers, read, graph)
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
        read = self._among(graph.reads[1])
        gone = self._among(graph.links.tensor_rows(recording.releases.tensor))
        named = self._among(np.array(list(graph.names), np.int64))
        forward = ~pick(recording.events.phase == _BACKWARD, graph.links.producer)
        left_over: Mask = forward & ~read & (named | ~gone)
        return mask | left_over

    def _among(self, rows: np.ndarray) -> Mask:
        mask = np.zeros(self.graph.tensors, np.bool_)
        mask[rows[rows >= 0]] = True
        return mask
