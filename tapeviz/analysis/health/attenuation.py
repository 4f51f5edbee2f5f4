"""Where a gradient becomes small or large on its way back: the op that has the greatest part in it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.analysis.links import rows_of

__all__ = ["Backward", "Stage"]

# The smallest numbers with all their digits.
_SMALLEST: Final = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}


@dataclass(slots=True)
class Stage:
    """One op of one line on the way of a gradient. Events are rows.

    Attributes:
        op, site: its name, and the row of ``sites`` of its line.
        traits: what its declaration says of it.
        event: the forward event with the greatest part.
        decades: by how many powers of ten the gradient grew there, all runs together; -inf where it became 0.
        times: how often it stands on the way.
        factor_is_zero: whether the gradient is 0 there because what it is multiplied by is.
        by_variable: whether that is a variable.
        counts_alike: whether all outputs of a softmax count the same in the target: their sum is always 1.
        too_small_for: the dtype below whose smallest normal number the gradient was when it came; else empty.
        greatest: the part of ``event`` alone.
    """

    op: str
    site: int
    traits: frozenset[str]
    event: int
    decades: float = 0.0
    times: int = 0
    factor_is_zero: bool = False
    by_variable: bool = False
    counts_alike: bool = False
    too_small_for: str = ""
    greatest: float = field(default=0.0, repr=False)

    def add(self, event: int, decades: float) -> None:
        """Count a run of the op."""
        self.decades += decades
        self.times += 1
        if abs(decades) > abs(self.greatest):
            self.event, self.greatest = event, decades


class Backward:
    """The gradients of one call of ``gradient``. Tensors and events are rows.

    Args:
        graph: the graph of the recording.
        span: the id of the call's span.
    """

    def __init__(self, graph: Graph, span: int) -> None:
        self.graph = graph
        self.span = span

    @cached_property
    def _rows(self) -> np.ndarray:
        """The rows of ``gradients`` of this call."""
        gradients, events = self.graph.recording.gradients, self.graph.recording.events
        steps = rows_of(events.id, gradients.backward)
        inside = (steps >= 0) & (events.parent[steps] == self.span) if len(steps) else np.zeros(0, np.bool_)
        return np.flatnonzero(inside | (gradients.backward == self.span))

    @cached_property
    def _gradients(self) -> dict[int, float]:
        """The norm of the whole gradient of each tensor."""
        gradients, links = self.graph.recording.gradients, self.graph.links
        tensors = links.tensor_rows(gradients.tensor[self._rows]).tolist()
        totals = links.tensor_rows(gradients.gradient[self._rows]).tolist()
        return {tensor: self._norm(total) for tensor, total in zip(tensors, totals, strict=True)}

    @cached_property
    def _addends(self) -> dict[tuple[int, int], float]:
        """The norm of what a forward event's step added to a tensor's gradient, by both."""
        graph, rows = self.graph, self._rows
        gradients = graph.recording.gradients
        steps = rows_of(graph.recording.events.id, gradients.backward[rows])
        forward = np.where(steps >= 0, graph.links.origin[steps], -1).tolist()
        tensors = graph.links.tensor_rows(gradients.tensor[rows]).tolist()
        addends = graph.links.tensor_rows(gradients.addend[rows]).tolist()
        return {(event, tensor): self._norm(addend)
                for event, tensor, addend in zip(forward, tensors, addends, strict=True)}  # fmt: skip

    def _norm(self, tensor: int) -> float:
        row = int(self.graph.links.stats[tensor]) if tensor >= 0 else -1
        return float(self.graph.recording.stats.norm[row]) if row >= 0 else math.nan

    def _onward(self, tensor: int) -> Iterator[tuple[int, int, float, float]]:
        """The forward events that gave a tensor gradient: event, output, what came to it, what it handed on."""
        graph = self.graph
        for event in graph.readers[tensor]:
            added = self._addends.get((event, tensor))
            if added is None or not graph.ran[event]:
                continue
            for out in graph.outputs[event]:
                came = self._gradients.get(out)
                if came is not None:
                    yield event, out, came, added

    def vanishing_stage(self, source: int) -> Stage | None:
        """The op at which the gradient of a source is lost; None where that cannot be told."""
        if self._gradients.get(source) == 0:
            return self._where_zero(source)
        return min(self._stages(source), key=lambda stage: stage.decades, default=None)

    def exploding_stage(self, source: int) -> Stage | None:
        """The op at which the gradient of a source becomes large; None where that cannot be told."""
        return max(self._stages(source), key=lambda stage: stage.decades, default=None)

    def _stages(self, source: int) -> list[Stage]:
        """The way from a source to the target over the largest addends, by op and line."""
        found: dict[tuple[str, int], Stage] = {}
        tensor, seen = source, {source}
        while True:
            ways = [way for way in self._onward(tensor) if way[1] not in seen and way[2] > 0 and way[3] > 0]
            if not ways:
                break
            event, tensor, came, added = max(ways, key=lambda way: way[3])
            seen.add(tensor)
            if math.isfinite(came) and math.isfinite(added):
                key = self.graph.op(event), self.graph.site(event)
                found.setdefault(key, self._stage(event)).add(event, math.log10(added / came))
        return list(found.values())

    def _where_zero(self, source: int) -> Stage | None:
        """The op to which a gradient comes and from which none goes on: of several the one that does so most."""
        found: dict[tuple[str, int], Stage] = {}
        queue, seen = [source], {source}
        for tensor in queue:
            for event, out, came, added in self._onward(tensor):
                if added != 0:
                    continue
                if came > 0:
                    key = self.graph.op(event), self.graph.site(event)
                    stage = found.setdefault(key, self._stage(event))
                    stage.add(event, -math.inf)
                    stage.too_small_for = self._too_small(came, out)
                    self._explain(stage, event, tensor)
                    stage.counts_alike = self.graph.has(event, "distribution") and self._is_uniform(out)
                elif out not in seen:
                    seen.add(out)
                    queue.append(out)
        return max(found.values(), key=lambda stage: stage.times, default=None)

    def _stage(self, event: int) -> Stage:
        graph = self.graph
        return Stage(graph.op(event), graph.site(event), graph.traits(event), event)

    def _too_small(self, norm: float, tensor: int) -> str:
        """The dtype of a tensor whose gradient of this norm has lost its digits in it: nothing but 0 is below."""
        dtype = self.graph.dtype(tensor)
        return dtype if norm < _SMALLEST.get(dtype, 0.0) else ""

    def _is_uniform(self, tensor: int) -> bool:
        """Whether the gradient of a tensor is the same number everywhere."""
        links, stats, gradients = self.graph.links, self.graph.recording.stats, self.graph.recording.gradients
        own = self._rows[links.tensor_rows(gradients.tensor[self._rows]) == tensor]
        totals = links.tensor_rows(gradients.gradient[own[-1:]])
        row = int(links.stats[totals[0]]) if len(totals) and totals[0] >= 0 else -1
        return row >= 0 and bool(stats.min[row] == stats.max[row])

    def _explain(self, stage: Stage, at: int, tensor: int) -> None:
        """Say of an op that handed 0 on to a tensor whether what it multiplies that by is all 0."""
        graph, stats = self.graph, self.graph.recording.stats
        if not graph.has(at, "product"):
            return
        event, read, _ = graph.reads
        for other in read[event == at].tolist():
            row = int(graph.links.stats[other])
            if other != tensor and row >= 0 and stats.min[row] == 0 == stats.max[row]:
                stage.factor_is_zero = True
                stage.by_variable = stage.by_variable or bool(graph.is_variable[other])
