"""``tf.GradientTape`` for graphs: its gradients are nodes."""

from __future__ import annotations

from typing import Any

from tapeviz.compat.v1.graph.default_graph import graph_of
from tapeviz.compat.v1.graph.graph import entered
from tapeviz.engine import nest
from tapeviz.engine.state import local
from tapeviz.engine.tape import GradientTape as EagerTape
from tapeviz.engine.tape import UnconnectedGradients

__all__ = ["GradientTape"]


class GradientTape(EagerTape):
    """Records ops and differentiates them, also ops of a graph: see :class:`tapeviz.GradientTape`."""

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of ``target`` with respect to each of ``sources``; of tensors of a graph, more such tensors."""
        graph = None if local.state.graph is not None else graph_of([*nest.flatten(target), *nest.flatten(sources)])
        if graph is None:
            return super().gradient(target, sources, output_gradients, unconnected_gradients)
        self._check_unused()
        self._end()  # here: inside the graph's block is another state
        with entered(graph):
            return super().gradient(target, sources, output_gradients, unconnected_gradients)
