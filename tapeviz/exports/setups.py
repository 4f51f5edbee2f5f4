"""Work done once, beside the ops, in words."""

from __future__ import annotations

from tapeviz.analysis.graph import Graph

__all__ = ["setup_title"]


def setup_title(graph: Graph, row: int) -> str:
    """A row of setups: the op that was first used, or the module that was imported."""
    setups = graph.recording.setups
    return f"{'first use of' if setups.kind[row] == 'first_use' else setups.kind[row]} {setups.name[row]}"
