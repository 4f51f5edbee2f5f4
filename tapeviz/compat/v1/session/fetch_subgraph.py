"""Which operations a run needs: those behind what is fetched, up to what is fed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.dtypes import kernel_name
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.graphs.ir.graph import Node
from tapeviz.graphs.ir.liveness import taken
from tapeviz.graphs.ir.special_nodes import INPUT

__all__ = ["check_fed", "chosen"]


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
        # An operation whose first output is fed does not run, so nothing waits for it: TensorFlow's rule.
        waiting += [before for before in node.control if not before.outputs or id(before.outputs[0]) not in given]
    return [wanted[number] for number in sorted(wanted)]


def check_fed(nodes: Sequence[Node], tensors: Sequence[Any], feeds: Sequence[Any]) -> None:
    """Raise where a run lacks what must be fed, or is fed what it cannot use.

    Raises:
        InvalidArgumentError: a placeholder is needed and not fed; or a shape or axis is fed that was known, and used,
            while the graph was built.
    """
    used = {id(tensor) for node in nodes for tensor in taken(node)} | set(map(id, tensors))
    for tensor in feeds:
        if tensor._static_value is not None and tensor._a.dtype.kind in "iu" and id(tensor) not in used:
            raise InvalidArgumentError(
                f"{tensor.name} cannot be fed in this run: nothing takes its value, which was known while the graph "
                "was built and may have been used then, as a shape or an axis. Make it a tf.placeholder or a "
                "tf.placeholder_with_default."
            )
    for node in nodes:
        if node.op is INPUT:
            raise InvalidArgumentError(f"{_hungry(node)}\n\t [[{{{{node {node.name}}}}}]]", "Placeholder")


def _hungry(node: Node) -> str:
    (tensor,) = node.outputs
    shape = tensor.shape
    sizes = ",".join("?" if size is None else str(size) for size in shape.dims or ())
    told = "" if shape.rank is None else f" and shape [{sizes}]"
    dtype = kernel_name(tensor._a.dtype)
    return f"You must feed a value for placeholder tensor '{node.name}' with dtype {dtype}{told}"
