"""What a recording says of a function of another framework: what ours declare that mean the same, where there are any.

A function without one is kept under the framework's own name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import tapeviz.ops
from tapeviz.engine.declaration import registry

__all__ = ["ForeignOp", "declared"]

_ALL_DECLARED: Final = tapeviz.ops  # importing it declares them


@dataclass(frozen=True, slots=True, eq=False)
class ForeignOp:
    """What the packer asks of a declaration.

    Attributes:
        differentiable: a digit an input, 1 where a gradient goes to it; ``*`` for 1 at each, empty where none does.
        view: whether the output may use the first input's memory.
    """

    name: str
    family: str = "elementwise"
    formula: str = ""
    vjp_formula: tuple[str, ...] = ()
    differentiable: str = "*"
    traits: frozenset[str] = frozenset()
    effects: str = ""
    domain: str = ""
    surrogate: str = ""
    view: bool = False

    def shared_input(self, count: int) -> int:
        """The position of the input whose memory the outputs use, of so many inputs; -1 for none."""
        return 0 if count and self.view else -1


def declared(ours: str) -> dict[str, Any]:
    """What our declaration of this name says, as arguments of :class:`ForeignOp`; empty where there is none."""
    op = registry.get(ours)
    if op is None:
        return {}
    return {
        "family": op.family, "formula": op.formula, "vjp_formula": op.vjp_formula, "effects": op.effects,
        "domain": op.domain, "traits": op.traits | ({"flat"} if op.family == "elementwise" and not op.vjp else set()),
    }  # fmt: skip
