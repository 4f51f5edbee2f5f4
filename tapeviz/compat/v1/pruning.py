"""Which operations a run needs: those behind what is fetched, up to what is fed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.graphs.graph import Node
from tapeviz.graphs.liveness import taken

__all__ = ["chosen"]


def chosen(tensors: Sequence[Any], operations: Sequence[Node], feeds: Sequence[Any]) -> list[Node]:
    """The operations to run, in the order of their making."""
    given = {id(tensor) for tensor in feeds}
    waiting = [tensor._node for tensor in tensors if id(tensor) not in given]
    waiting += operations
    wanted: dict[int, Node] = {}
    while waiting:
        node = waiting.pop()
        if node.number in wanted:
            continue
        wanted[node.number] = node
        waiting += [tensor._node for tensor in taken(node) if id(tensor) not in given]
        waiting += node.control
    return [wanted[number] for number in sorted(wanted)]
