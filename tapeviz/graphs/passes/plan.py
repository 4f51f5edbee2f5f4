"""A plan: the steps in which a graph is run, and what became of each of its nodes.

A graph stays as it was traced, since that is what is shown. Passes work on a plan made from it: they leave out steps,
replace them, and say for each node of the graph what has happened to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tapeviz.engine.deferred_numbers import Deferred, deferred_in, has_deferred, replaced
from tapeviz.engine.symbolic import SymbolicSpec
from tapeviz.graphs.ir.special_nodes import ASSIGN, CAPTURE, CONSTANT, INPUT, READ, Special

if TYPE_CHECKING:
    from tapeviz.engine.declaration import Op
    from tapeviz.graphs.ir.graph import Graph, Node

__all__ = ["FUSED", "GATHER", "PACKED", "PICK", "SPREAD", "Fate", "Pass", "Plan", "Step", "Value", "has_effects",
           "is_pure", "renumbered", "runs_others", "shape_of", "substitute_in"]  # fmt: skip

FUSED: Final = Special("fused", "Fused", "Elementwise ops, one right after the other.", "elementwise")
PACKED: Final = Special("packed", "Packed", "Elementwise ops on several tensors laid end to end.", "elementwise")
GATHER: Final = Special("gather_parts", "Gather", "Tensors laid end to end.")
PICK: Final = Special("pick", "Pick", "Of each row the element that a label says, negated.", "indexing", many=False)
SPREAD: Final = Special("spread_parts", "Spread", "The parts of a flat array.")
_KNOWN: Final = frozenset((READ, ASSIGN, CONSTANT, CAPTURE, INPUT, FUSED, PACKED, GATHER, SPREAD, PICK))


class Value:
    """A tensor of a plan that is none of the graph's own: shape and dtype, as a symbolic tensor has them."""

    __slots__ = ("_a",)

    def __init__(self, shape: Any, dtype: np.dtype) -> None:
        self._a = SymbolicSpec(shape, dtype)


class Step:
    """A step of a plan. ``node`` is the node of a graph that it comes from, ``members`` the steps that it fuses."""

    __slots__ = ("attrs", "inputs", "members", "node", "op", "open", "outputs")

    def __init__(
        self, node: Node, op: Op | Special, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...],
        members: tuple[Step, ...] = (),
    ) -> None:  # fmt: skip
        self.node: Node = node
        self.op: Any = op
        self.inputs: tuple[Any, ...] = inputs
        self.attrs: dict[str, Any] = attrs
        self.outputs: tuple[Any, ...] = outputs
        self.members: tuple[Step, ...] = members
        self.open: bool = bool(attrs) and not members and has_deferred(attrs)

    def taken(self) -> tuple[Any, ...]:
        """All values that it needs: inputs, and those whose shape or value its attributes wait for."""
        if not self.open:
            return self.inputs
        leaves = (leaf.source for number in deferred_in(self.attrs) for leaf in number.leaves())
        return (*self.inputs, *(source[1] for source in leaves if source[0] in ("axis", "value")))

    def single(self) -> Iterator[Step]:
        """The steps that run, one by one: itself, or those that it fuses or packs."""
        if not self.members:
            yield self
        for member in self.members:
            yield from member.single()

    def __repr__(self) -> str:
        return f"<step {self.node.name} {self.op.name}>"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a node: ``kept``, or what a pass did with it.

    ``into`` is the node that stands for it then, None when it is gone. ``stage`` is the pass, by its place in
    :attr:`Plan.passes`; -1 when kept.
    """

    kind: str
    into: Node | None
    stage: int


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass as it went: how long it took, how many steps there were and are, and what it did in a sentence."""

    name: str
    seconds: float
    before: int
    after: int
    text: str


class Plan:
    """The steps of a run, in order.

    Args:
        graph: the graph.
        outputs: its tensors to give; None stands for None.
        inputs: the tensors that are given.
        nodes: the nodes to run.
    """

    def __init__(self, graph: Graph, outputs: Sequence[Any], inputs: Sequence[Any], nodes: Sequence[Node]) -> None:
        self.graph = graph
        self.outputs: list[Any | None] = list(outputs)
        self.inputs: list[Any] = list(inputs)
        self.steps: list[Any] = [Step(node, node.op, node.inputs, node.attrs, node.outputs) for node in nodes]
        self.passes: list[Pass] = []
        self.partial: set[Node] = set()
        """Nodes that have been replaced by several steps. What happens to one of those is not their fate."""
        self._fates: dict[Node, Fate] = {}
        self._values: list[Value] = []

    # What became of the nodes.

    def fate(self, node: Node) -> Fate:
        """What became of a node, in the end."""
        fate = self._fates.get(node)
        if fate is None:
            return Fate("kept", node, -1)
        into, seen = fate.into, {node}
        while into is not None and into not in seen and (after := self._fates.get(into)) is not None:
            seen.add(into)
            into = after.into
        # What stands for it may be a node of a called graph, which is not shown among those of this one.
        return Fate(fate.kind, into if into is None or into.graph is self.graph else None, fate.stage)

    def fates(self) -> dict[Node, Fate]:
        """What became of each node of the graph."""
        return {node: self.fate(node) for node in self.graph.nodes}

    def settle(self, node: Node, kind: str, into: Node | None = None) -> None:
        """Say what the pass that runs now does with a node; the first word counts."""
        if node not in self.partial:
            self._fates.setdefault(node, Fate(kind, into, len(self.passes)))

    def count(self) -> int:
        """How many steps there are; a fused one is one."""
        return len(self.steps)

    # Changing it.

    def value(self, shape: Any, dtype: Any) -> Value:
        """A new value."""
        made = Value(shape, dtype)
        self._values.append(made)  # values are known by their identity, which must not be used again
        return made

    def substitute(self, now: dict[int, Any]) -> None:
        """Put other values in the place of some, everywhere; ``now`` has them by the identity of the old ones."""
        if not now:
            return
        for step in self.steps:
            if any(id(value) in now for value in step.taken()):
                substitute_in(step, lambda value: now.get(id(value), value))
        self.outputs = [None if value is None else now.get(id(value), value) for value in self.outputs]

    def sweep(self, kind: str = "pruned") -> int:
        """Leave out steps that nobody needs any more; how many there were."""
        wanted = {id(value) for value in self.outputs if value is not None}
        kept = []
        for step in reversed(self.steps):
            if not wanted.isdisjoint(map(id, step.outputs)) or has_effects(step):
                kept.append(step)
                wanted.update(map(id, step.taken()))
            else:
                self.settle(step.node, kind)
        gone = len(self.steps) - len(kept)
        self.steps = kept[::-1]
        return gone


def has_effects(step: Step) -> bool:
    """Whether a step must run though nobody takes what it gives."""
    return bool(step.op.effects == "write") or (runs_others(step) and step.node.effects == "write")


def substitute_in(step: Step, swap: Callable[[Any], Any]) -> None:
    """Put other values in the place of those that a step takes."""
    step.inputs = tuple([swap(value) for value in step.inputs])
    if step.open:
        step.attrs = renumbered(step.attrs, swap)


def renumbered(attrs: Any, swap: Callable[[Any], Any]) -> Any:
    """Attributes whose deferred numbers wait for other values."""

    def moved(number: Deferred) -> Any:
        sort, *rest = number.source
        if sort == "expression":
            parts = [moved(part) if isinstance(part, Deferred) else part for part in rest[1:]]
            return Deferred((sort, rest[0], *parts), number.first, number.second)
        if sort in ("axis", "value"):
            return Deferred((sort, swap(rest[0]), *rest[1:]), number.first, number.second)
        return number

    return replaced(attrs, moved)


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of a value where all its sizes are known, else None."""
    shape = value._a._shape
    if shape is None or any(size.__class__ is not int for size in shape):
        return None
    return shape  # type: ignore[no-any-return]


def is_pure(step: Step) -> bool:
    """Whether a step gives the same for the same inputs, and does nothing else."""
    return not step.op.effects and step.op not in (READ, ASSIGN, FUSED, PACKED) and not runs_others(step)


def runs_others(step: Step) -> bool:
    """Whether a step runs other programs, of which nobody knows here what they do."""
    return isinstance(step.op, Special) and step.op not in _KNOWN
