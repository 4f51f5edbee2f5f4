"""Elements of several datasets in turns that are drawn, or that another dataset says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeviz.data.nodes import UNKNOWN, Element, Node, Run
from tapeviz.data.selection import ConcatenateNode
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.scopes import TensorSpec
from tapeviz.ops.random.seeds import generator_of

__all__ = ["DirectedInterleaveNode", "weighted_choice"]


def weighted_choice(count: int, weights: Any, order: Any) -> Callable[[Run], Callable[[list[int]], int]]:
    """What draws one of those that are left, by weights.

    Raises:
        ValueError: there is another number of weights.
    """
    given = np.ones(count) if weights is None else np.asarray(weights, np.float64)
    if given.shape != (count,):
        raise ValueError(f"Invalid `weights`. The shape of `weights` should be ({count},) but is {given.shape}.")

    def begun(run: Run) -> Callable[[list[int]], int]:
        draw = generator_of(run.seed(order))

        def choose(left: list[int]) -> int:
            shares = given[left]
            total = shares.sum()
            return int(draw.choice(left, p=shares / total)) if total > 0 else -1

        return choose

    return begun


class DirectedInterleaveNode(Node):
    """Elements of several inputs, in the order that ``choices`` says, a step that gives numbers, or ``begun`` draws.

    Raises:
        ValueError: there is no input.
        TypeError: elements differ, or the choices are not int64.
    """

    name = "DirectedInterleave"

    def __init__(self, sources: Sequence[Node], choices: Node | None, begun: Any, *, stop: bool) -> None:
        if not sources:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if choices is not None and choices.spec != TensorSpec((), "int64"):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{choices.spec}."
            )
        self.inputs: tuple[Node, ...] | tuple[*tuple[Node, ...], Node] = (
            tuple(sources) if choices is None else (*sources, choices)
        )
        self.spec: Any = ConcatenateNode(*sources).spec
        self._count = len(sources)
        self._begun, self._stop = begun, stop

    def cardinality(self) -> int:
        """Not known."""
        return UNKNOWN

    def open(self, run: Run) -> Iterator[Element]:
        """Give them."""
        opened = [source.open(run.input(place)) for place, source in enumerate(self.inputs)]
        sources, left = opened[: self._count], list(range(self._count))
        for place in self._places(run, opened, left):
            element = next(sources[place], None) if place in left else None
            if element is not None:
                yield element
            elif self._stop:
                return
            elif place in left:
                left.remove(place)

    def _places(self, run: Run, opened: Sequence[Iterator[Element]], left: list[int]) -> Iterator[int]:
        if self._begun is None:
            for (number,) in opened[-1]:
                if not 0 <= number < self._count:
                    raise InvalidArgumentError(
                        f"Selector index out of range: {int(number)} >= {self._count}", "IteratorGetNext"
                    )
                yield int(number)
            return
        choose = self._begun(run)
        while left and (place := choose(left)) >= 0:
            yield place
