"""Nodes of PyTorch's autograd, and which recorded op made each: told by the numbers that PyTorch counts them with."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import torch

__all__ = ["Made", "Nodes", "sequence_number"]

sequence_number: Final[Callable[[], int]] = torch._C._autograd._get_sequence_nr
"""The number that this thread's next node will get."""

_MOST: Final = 1_000_000
_FAR: Final = 400  # nodes of one op that was not seen, at most
_ACCUMULATES: Final = 2**63


class Made(NamedTuple):
    """What an op did: the numbers of its nodes from ``first`` on, of its outputs and of its inputs."""

    first: int
    end: int
    outputs: tuple[int, ...]
    inputs: tuple[int, ...]


class Nodes:
    """The ops that made nodes, in the order of these."""

    def __init__(self) -> None:
        self._ends: list[int] = []
        self._made: list[Any] = []  # plain tuples, until one is asked for
        self._heads: dict[int, dict[int, int]] = {}  # by the first node: the nodes of the outputs

    def add(self, first: int, end: int, outputs: tuple[int, ...], inputs: Sequence[int]) -> None:
        """An op made the nodes from ``first`` to before ``end``."""
        self._ends.append(end)
        self._made.append((first, end, outputs, inputs))

    def add_headed(self, first: int, end: int, heads: dict[int, int], inputs: Sequence[int]) -> None:
        """The same, of which the last is not the output's: of the node of each output its number, and the output's.

        So it is of a backward pass that is to be differentiated again, and of an op inside transforms.
        """
        self.add(first, end, tuple(dict.fromkeys(heads.values())), inputs)
        self._heads[first] = heads

    def head(self, node: Any, made: Made, slot: int = 0) -> int:
        """Of which output of its op a node is handed the gradient; 0 for one in the middle of the op."""
        outputs = made.outputs
        if made.end - made.first > 1:
            number, heads = node._sequence_nr(), self._heads.get(made.first)
            if heads is not None:
                return heads.get(number, 0)
            if len(outputs) == 1 and number < made.end - 1:
                return 0
        return outputs[slot] if slot < len(outputs) else outputs[0]

    def prune(self) -> None:
        """Forget the oldest of very many."""
        if len(self._made) > _MOST:
            del self._made[: _MOST // 2], self._ends[: _MOST // 2]

    def add_unseen(self, first: int, end: int, outputs: tuple[int, ...], inputs: Sequence[int]) -> None:
        """The same for an op that was not seen when it ran: its nodes lie between those of others."""
        at = bisect_right(self._ends, first)
        self._ends.insert(at, end)
        self._made.insert(at, Made(first, end, outputs, tuple(inputs)))

    def of(self, node: Any) -> Made | None:
        """The op that made a node; None for one from before, or of an op that was not seen."""
        number = node._sequence_nr()
        at = bisect_right(self._ends, number)
        if at >= len(self._made) or self._made[at][0] > number:
            return None
        made = self._made[at]
        if made.__class__ is tuple:
            made = self._made[at] = tuple.__new__(Made, made)  # twice as fast as by name
        return made  # type: ignore[no-any-return]

    def origin(self, node: Any, tensors: Any) -> tuple[str, list[int], int, int] | None:
        """What an op that was not seen is called and which known tensors it read; and the numbers of its nodes.

        None where its nodes lead to none.
        """
        waiting, seen, inputs, own = [node], {node}, list[int](), list[int]()
        for one in waiting:
            leaf = getattr(one, "variable", None)
            known = None if leaf is not None else self.of(one)
            if leaf is not None:
                inputs.append(tensors.number(leaf))
            elif known is not None:
                inputs.append(known.outputs[0])
            elif len(seen) < _FAR:
                own.append(one._sequence_nr())
                for further, _ in one.next_functions:
                    if further is not None and further not in seen:
                        seen.add(further)
                        waiting.append(further)
        if not inputs or not own:
            return None
        name = node.name().removesuffix("Backward").rstrip("0123456789").removesuffix("Backward")
        return name or "op", list(dict.fromkeys(inputs)), min(own), max(own) + 1
