"""Names of nodes that functions called from ``tapeviz`` itself make in a graph block.

The functions of this namespace name what they make (:mod:`tapeviz.compat.v1.graph.graph_functions`). Those of
``tapeviz`` do not ask for a graph, so that they cost nothing eagerly: the graph finds the call
whose ``name`` its nodes are to have.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from tapeviz.engine.userline import outside

__all__ = ["NamedCall", "named_call"]

_OPS = ("tapeviz.ops.", "<tapeviz op ", "tapeviz.engine.conversion")


class NamedCall:
    """A call of a public function with a ``name``, and the nodes that it has made.

    The node made last has the name, those before it are in a scope of that name.
    """

    def __init__(self, frame: FrameType, name: str) -> None:
        self.frame = frame
        self.name = name
        self.whole: Any = ""
        self._last: tuple[Any, str] | None = None

    @property
    def of_constant(self) -> bool:
        """Whether it is a call of ``tf.constant``, and not of a function that takes a number or list."""
        return self.frame.f_code.co_name == "constant"

    def label(self, own: str) -> str:
        """What the next node is to be called: the name itself; inside its scope while one has it already."""
        return self.name if self._last is None else f"{self.name}/{own}"

    def made(self, graph: Any, node: Any, label: str) -> None:
        """A node was made, which would be called ``label`` by itself."""
        if self._last is None:
            self.whole = node.name
        else:
            before, own = self._last
            inner = graph.free_name(f"{self.whole}/{own}")
            for one in (before, *before.inputs):
                owner = one if one is before else one.op
                if owner.name == self.whole or (owner.name.startswith(f"{self.whole}/") and not owner.inputs):
                    owner.name = inner + owner.name[len(self.whole) :]
            node.name = self.whole
        self._last = node, label


def named_call(known: NamedCall | None) -> NamedCall | None:
    """The call of a public function by the user that is under way, where it has a name; ``known`` if it is that."""
    frame: FrameType | None = sys._getframe(2)
    user = outside(frame)
    while frame is not None and frame.f_back is not user:
        frame = frame.f_back
    if frame is None or user is None:
        return None
    if known is not None and known.frame is frame:
        return known
    home = frame.f_code.co_filename, str(frame.f_globals.get("__name__"))
    given = frame.f_locals if any(place.startswith(_OPS) for place in home) else {}
    name = given.get("name") or (given.get("kwargs") or {}).get("name")
    return NamedCall(frame, name) if isinstance(name, str) and name else None
