"""What is told of a pipeline when a pass begins: in which order its examples come, and whether they belong together."""

from __future__ import annotations

from tapeviz.data.nodes import Node
from tapeviz.data.selection import ZipNode
from tapeviz.data.shuffle import ShuffleNode
from tapeviz.engine.scopes import span
from tapeviz.engine.userline import CallSite

__all__ = ["orders_of", "tell"]


def orders_of(node: Node) -> frozenset[tuple[int, int]]:
    """What decides the order of a pipeline's elements: the shuffles in it, none where they come as they are."""
    own = frozenset({node.order}) if isinstance(node, ShuffleNode) else frozenset()
    return own.union(*map(orders_of, node.inputs))


def tell(node: Node) -> None:
    """Tell the observer of the pipeline, and of each zip in it of parts that are in orders of their own."""
    with span("data", "pass", made=node.made_at or CallSite(), shuffled=bool(orders_of(node))):
        _tell_of_zips(node)


def _shape(spec: object) -> list[int | None] | None:
    """The shape of what a dataset of tensors gives; None for structures, and where nothing is known of it."""
    shape = getattr(spec, "shape", None)
    return list(shape) if shape is not None and shape.rank is not None else None


def _tell_of_zips(node: Node) -> None:
    if isinstance(node, ZipNode) and len(set(map(orders_of, node.inputs))) > 1:
        shuffled = [bool(orders_of(part)) for part in node.inputs]
        shapes = [_shape(part.spec) for part in node.inputs]
        with span("data", "zip", made=node.made_at or CallSite(), shuffled=shuffled, shapes=shapes):
            pass
    for source in node.inputs:
        _tell_of_zips(source)
