"""A loop along the first axis of tensors, in a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.types import LISTS
from tapeviz.graphs.control.loop_gradients import loop_outputs
from tapeviz.graphs.control.loop_nodes import Loop
from tapeviz.graphs.control.subgraphs import Region
from tapeviz.graphs.control.tensor_lists import from_tensor, length_of, stacked
from tapeviz.graphs.control.while_loops import Carried

__all__ = ["Scan"]


class Scan(Carried):
    """``for items in zip(tensors): values, made = body(values, items)``.

    Args:
        body: takes the values and one slice of each tensor, gives a list of the next values and one of what it makes.
        values: to begin with.
        tensors: of one length.
        name: of the node.
        backward: whether to go from the last slices to the first.
    """

    def __init__(
        self, body: Callable[..., Any], values: Sequence[Any], tensors: Sequence[Any], name: str, *,
        backward: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(body, list(values), None, name)
        self._tensors = tensors
        self._backward = backward

    def run(self, *, followed: bool = True) -> tuple[list[Any], list[Any]]:
        """The last values, and what was made, stacked; ``followed`` says whether gradients go through the loop."""
        __tracebackhide__ = True
        body = self._settled(self._traced)
        carry, lists = len(self._begin), [from_tensor(tensor) for tensor in self._tensors]
        lengths = [tensor.shape[0] for tensor in self._tensors if tensor.shape.rank]
        known = next((length for length in lengths if length is not None), None)
        times = length_of(lists[0]) if known is None else convert_to_tensor(known)
        loop = Loop(None, body.routine(), carry, len(lists), timed=True, backward=self._backward)
        made = [leaf for leaf in body.leaves[carry:] if leaf is not None]
        forms = [*self._forms, *(((), LISTS[leaf._a.dtype]) for leaf in made)]
        outputs = loop_outputs(loop, [times, *self._begin, *lists], forms, self._name, followed=followed)
        rows = [stacked(outputs[carry + place], leaf.shape, known) for place, leaf in enumerate(made)]
        return list(outputs[:carry]), rows

    def _traced(self) -> Region:
        __tracebackhide__ = True
        items = [(_slice_spec(tensor), tensor._node.name.rpartition("/")[2]) for tensor in self._tensors]
        return Region(f"{self._name}_body", "while", self._body, [*self._inputs(), *items])


def _slice_spec(tensor: Any) -> Any:
    """Shape and dtype of the slices along the first axis."""
    shape = tensor.shape
    rest = TensorShape(None) if shape.rank is None else shape[1:]
    return (None if rest.dims is None else tuple(rest.dims)), tensor._a.dtype
