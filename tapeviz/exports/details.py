"""What is known of one event, in words and figures, for formats that keep such things beside an event."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

from tapeviz.analysis.graph import Graph, Lists
from tapeviz.analysis.links import rows_of
from tapeviz.exports import numbers
from tapeviz.recording.schema import PHASES, STATUSES

__all__ = ["Details"]

_BACKWARD = PHASES.index("backward")


class Details:
    """Looks up what belongs to events, given by their rows."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        event, tensor, _ = graph.reads
        self._inputs = Lists(event, tensor, graph.events)
        messages = graph.recording.messages
        self._messages = {event: row for row, event in enumerate(messages.event.tolist())}
        gradients = graph.recording.gradients
        events = rows_of(graph.recording.events.id, gradients.backward)
        known = events >= 0
        self._contributions = Lists(events[known], known.nonzero()[0], graph.events)
        self._contributed_to = graph.links.tensor_rows(gradients.tensor)
        self._addends = graph.links.tensor_rows(gradients.addend)
        # The same line and the same tensor come again and again.
        self._place = cache(graph.place)
        self._tensor = cache(self._describe)

    def of(self, row: int) -> dict[str, Any]:
        """Number, tensors, attributes, line, gradient norms and error of an event, as far as there are any."""
        graph, recording = self._graph, self._graph.recording
        found: dict[str, Any] = {"event": graph.event_id(row)}
        found |= self._attributes(row)
        for name, tensors in (("inputs", self._inputs[row]), ("outputs", graph.outputs[row])):
            if tensors:
                found[name] = [self._tensor(tensor) for tensor in tensors]
        place = self._place(graph.site(row))
        if place is not None:
            found |= {"site": str(place), "source": place.text}
        if norms := self._norms(row):
            found["gradient norms"] = norms
        status = int(recording.events.status[row])
        if 0 < status < len(STATUSES):
            found["status"] = STATUSES[status]
        if (message := self._messages.get(graph.event_id(row))) is not None:
            found["error"] = f"{recording.messages.type[message]}: {recording.messages.text[message]}"
        return found

    def _describe(self, tensor: int) -> str:
        graph = self._graph
        return f"{graph.name(tensor)} {numbers.spec(graph.shape(tensor), graph.dtype(tensor))}"

    def _attributes(self, row: int) -> dict[str, Any]:
        """The attributes of an op, such as axis; the sort of a span."""
        params = int(self._graph.recording.events.params[row])
        if not 0 <= params < len(self._graph.recording.strings):
            return {}
        try:
            found = json.loads(self._graph.recording.text(params))
        except ValueError:
            return {}
        return {"attributes": found} if found else {}

    def _norms(self, row: int) -> dict[str, float]:
        """By the names of tensors: what a backward step contributed to each; of a forward op the whole of its own."""
        graph = self._graph
        if graph.is_backward(row):
            pairs = [(self._contributed_to[at], self._addends[at]) for at in self._contributions[row]]
        else:
            pairs = [(tensor, graph.links.gradient[tensor]) for tensor in graph.outputs[row]]
        norms = {graph.name(of): self._norm(int(gradient)) for of, gradient in pairs if of >= 0 and gradient >= 0}
        return {name: norm for name, norm in norms.items() if norm is not None}

    def _norm(self, tensor: int) -> Any:
        """The norm of a tensor, as JSON can say it; None where it was not measured."""
        row = int(self._graph.links.stats[tensor])
        if row < 0:
            return None
        norm = float(self._graph.recording.stats.norm[row])
        return norm if math.isfinite(norm) else numbers.number(norm)
