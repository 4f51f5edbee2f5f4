"""What a loop of the graph goes over: the elements of tensors, counted and zipped too, or of what has a hook for it.

A class whose objects a loop of a graph can go over has a method ``_graph_loop()`` that gives an :class:`Elements`, or
``_graph_steps()`` that gives :class:`Steps` where nobody knows how many there are, as of a dataset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tapeviz.autograph.operators.kinds import in_graph, is_symbolic, is_tensor
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.shapes import TensorShape
from tapeviz.engine.symbolic import at_line
from tapeviz.graphs.control.tensor_lists import element, from_tensor
from tapeviz.ops.array.creation import shape

__all__ = ["Counted", "Elements", "Steps", "Zipped", "elements_of", "steps_of"]


@dataclass(frozen=True, slots=True)
class Elements:
    """What a loop goes over: how many there are, a whole number or a tensor, and the one at a position."""

    length: Any
    item: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """``enumerate`` of something that a loop of the graph goes over."""

    elements: Elements
    start: Any

    def _graph_loop(self) -> Elements:
        return Elements(self.elements.length, lambda k: (k + self.start, self.elements.item(k)))


@dataclass(frozen=True, slots=True)
class Zipped:
    """``zip`` of things that loops of the graph go over."""

    all: tuple[Elements, ...]

    def _graph_loop(self) -> Elements:
        lengths = [elements.length for elements in self.all]
        if all(isinstance(length, int) for length in lengths):
            shortest: Any = min(lengths)
        else:
            shortest = lengths[0]
            for length in lengths[1:]:
                shortest = ops.minimum(shortest, length)
        return Elements(shortest, lambda k: tuple(elements.item(k) for elements in self.all))


class Steps(Protocol):
    """What a loop of a graph goes over, one element after the other until there is none."""

    def advance(self) -> Any:
        """A truth value: whether there is another element, which is fetched then."""

    def item(self) -> Any:
        """The element that was fetched."""


def steps_of(iterable: Any) -> Steps | None:
    """The same where each element is asked for: by a loop of the graph that is being built; None for anything else."""
    hook = getattr(type(iterable), "_graph_steps", None)
    if hook is None or not in_graph():
        return None
    found: Steps = hook(iterable)
    return found


def elements_of(iterable: Any) -> Elements | None:
    """The elements for a loop of the graph; None when the loop is Python's."""
    __tracebackhide__ = True
    hook = getattr(type(iterable), "_graph_loop", None)
    if hook is not None:
        found: Elements = hook(iterable)
        return found
    if not is_tensor(iterable) or not is_symbolic(iterable):
        return None
    tensor = convert_to_tensor(iterable)
    dims = tensor.shape.dims
    if dims is not None and not dims:
        raise TypeError(f"Cannot iterate over a scalar tensor.{at_line()}")
    length = dims[0] if dims is not None and dims[0] is not None else shape(tensor)[0]
    # From a list, so that the gradient of an element is not a whole tensor of zeros around it.
    items, form = from_tensor(tensor), TensorShape(None if dims is None else dims[1:])
    return Elements(length, lambda k: element(items, k, form))
