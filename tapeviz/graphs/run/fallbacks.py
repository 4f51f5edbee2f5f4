"""Failures of the planner and the compiler themselves. They never reach a user: the graph runs in a plainer way.

Whoever tests asserts that there were none: a fallback is a fault of this package, though nothing computed is wrong.
"""

from __future__ import annotations

import warnings
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Graph

__all__ = ["Fallback", "clear_fallbacks", "fall_back", "fallbacks"]

_MOST: Final = 1000
_LONGEST: Final = 200  # characters of an error in the warning
_WAYS: Final = {
    "compile": "without being compiled", "buffers": "without memory of its own", "plan": "without a plan",
    "write": "node by node",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fallback:
    """One failure: what could not be done ("compile", "buffers", "plan" or "write"), for which graph, and why."""

    stage: str
    graph: str
    error: str


fallbacks: Final[deque[Fallback]] = deque(maxlen=_MOST)
"""All failures in this process, the newest at the end."""

_warned: Final[set[tuple[str, str]]] = set()


def clear_fallbacks() -> None:
    """Forget all of them, and what has been warned of."""
    fallbacks.clear()
    _warned.clear()


def fall_back(stage: str, graph: Graph, error: BaseException) -> None:
    """Note a failure, and warn with one line the first time that it happens."""
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0]}"[:_LONGEST] if lines else type(error).__name__
    fallbacks.append(Fallback(stage, graph.name, text))
    if (stage, text) in _warned:
        return
    _warned.add((stage, text))
    warnings.warn(
        f"a graph runs {_WAYS[stage]} ({text}). What it computes is the same; please report this",
        RuntimeWarning,
        stacklevel=2,
    )
