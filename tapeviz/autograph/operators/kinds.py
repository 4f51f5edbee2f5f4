"""Is this value known now, or will a graph compute it?"""

from __future__ import annotations

from typing import Any, Final

from tapeviz.engine.state import local
from tapeviz.engine.symbolic import SymbolicTensor
from tapeviz.engine.tensor import EagerTensor, Tensor
from tapeviz.engine.variable import Variable

__all__ = ["in_graph", "is_symbolic", "is_tensor"]

# The values met most often, which are not tensors whatever is going on.
_PYTHON: Final = frozenset({bool, int, float, str, type(None), list, tuple, dict, range})


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor or a variable."""
    return isinstance(value, (Tensor, Variable))


def in_graph() -> bool:
    """Whether a graph is being built in this thread."""
    return local.state.graph is not None


def is_symbolic(value: Any) -> bool:
    """Whether the value is only known when a graph runs.

    While a graph is built that is so for every tensor: an eager one becomes a constant of the graph, a variable has the
    value of the moment.
    """
    if value.__class__ in _PYTHON:
        return False
    if isinstance(value, SymbolicTensor):
        return True
    return isinstance(value, (EagerTensor, Variable)) and local.state.graph is not None
