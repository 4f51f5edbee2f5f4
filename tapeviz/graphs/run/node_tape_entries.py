"""What tapes are told of a run node by node: each op by itself, as if the program had run eagerly.

The graph's history has an entry for each op, of symbolic tensors; here it becomes one of the tensors of this run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapeviz.engine.complex_bfloat16 import TensorVjp
from tapeviz.engine.declaration import Op, Spec
from tapeviz.engine.deferred_numbers import Deferred, replaced
from tapeviz.engine.symbolic import SymbolicTensor

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Graph

__all__ = ["can_follow", "follow"]


def can_follow(graph: Graph) -> bool:
    """Whether every entry is of an op. Steps of called graphs, and the user's own gradients, know symbolic tensors."""
    return all(isinstance(entry[0], (Op, TensorVjp)) for entry in graph.history.entries)


def follow(graph: Graph, values: dict[int, Any], number: Callable[[Deferred], int], tapes: Sequence[Any]) -> None:
    """Tell the tapes of the ops that ran; ``values`` are the tensors by the identity of the symbolic ones."""
    made = {tensor._id: values[id(tensor)] for node in graph.nodes for tensor in node.outputs if id(tensor) in values}
    for variable, symbolic in graph.later_reads:
        if (value := values.get(id(symbolic))) is not None:
            for tape in tapes:
                tape._follow(graph.variables[variable], automatic=True, value=value)
    translated = _Translation(values, number)
    for op, outs, ins, saved, shapes in graph.history.entries:
        several = outs.__class__ is tuple
        outputs = [made.get(out) for out in (outs if several else (outs,))]
        if any(tensor is None for tensor in outputs):
            continue  # pruned
        numbers = [tensor._id for tensor in outputs if tensor is not None]
        sources = [made[i]._id if i and i in made else 0 for i in ins]
        kept = translated.of(saved)
        for tape in tapes:
            tracked = tape._tracked
            ids = tuple([i if i in tracked else 0 for i in sources])
            if any(ids):
                tracked.update(numbers)
                tape._append((op, tuple(numbers) if several else numbers[0], ids, kept, translated.of(shapes)))


class _Translation:
    """From what an entry keeps of symbolic tensors to the same of a run's."""

    def __init__(self, values: dict[int, Any], number: Callable[[Deferred], int]) -> None:
        self._values = values
        self._number = number

    def of(self, kept: Any) -> Any:
        """A tensor, a spec, a number, or several."""
        if kept.__class__ is SymbolicTensor:
            return self._values.get(id(kept))
        if kept.__class__ is Spec:
            return Spec(replaced(kept.shape, self._number), kept.dtype)
        if kept.__class__ is tuple:
            return tuple([self.of(part) for part in kept])
        return replaced(kept, self._number)
