"""What a graph remembers of its ops, for gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.types import DIFFERENTIABLE

__all__ = ["History"]


class History(GradientTape):
    """A tape that follows all that a graph gets from outside, for the gradient of the graph as a whole."""

    def __init__(self) -> None:
        super().__init__(persistent=True, watch_accessed_variables=False)

    @property
    def entries(self) -> list[Any]:
        """What it has seen."""
        return self._entries

    def follow(self, tensors: Sequence[SymbolicTensor]) -> None:
        """Follow what is computed from these, as far as they can have gradients."""
        self._tracked.update(tensor._id for tensor in tensors if tensor._a.dtype in DIFFERENTIABLE)
