"""Blocks of ``with tf.device`` that ran on another device than the one asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeviz.analysis.graph import Graph
from tapeviz.recording.schema import KINDS

__all__ = ["Elsewhere", "elsewhere"]

_OP = KINDS.index("op")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Blocks of one line that ran elsewhere.

    Attributes:
        row: the event row of the first one's span.
        site: the row of ``sites`` of the ``with``.
        asked, device: what the line asked for, and where its ops ran.
        lacking: why there is no device of that kind, as ``what: what is missing``; empty where that is not known.
        times, ops: how often the block was entered, and how many ops ran in it.
    """

    row: int
    site: int
    asked: str
    device: str
    lacking: str
    times: int
    ops: int

    @property
    def says(self) -> str:
        """The finding as a sentence."""
        often = f" ({self.times:,} times)" if self.times > 1 else ""
        there = self.lacking.partition(":")[0] or "no such device here"
        return f"tf.device({self.asked!r}) ran on {self.device}{often}, because there is {there}"

    @property
    def fix(self) -> str:
        """What to do."""
        obstacle = self.lacking.partition(": ")[2]
        other = f"make a GPU usable: {obstacle}" if obstacle else "ask for one of tf.config.list_logical_devices()"
        raising = "have such a line raise with tf.config.set_soft_device_placement(False)"
        return f"ask for /{self.device.lower()}, {raising}, or {other}"

    @property
    def figures(self) -> dict[str, Any]:
        """The evidence."""
        return {"asked": self.asked, "device": self.device, "lacking": self.lacking, "times": self.times,
                "ops": self.ops}  # fmt: skip


def elsewhere(graph: Graph) -> Iterator[Elsewhere]:
    """Each line with such blocks, in the order of their first."""
    groups: dict[tuple[int, tuple[str, str, str]], list[int]] = {}
    for row, (sort, _) in graph.links.spans.items():
        if sort == "device" and (found := _asked(graph, row)) is not None:
            groups.setdefault((graph.site(row), found), []).append(row)
    ops = _ops_in(graph) if groups else {}
    for (site, what), rows in groups.items():
        yield Elsewhere(rows[0], site, *what, len(rows), sum(ops.get(row, 0) for row in rows))


def _asked(graph: Graph, row: int) -> tuple[str, str, str] | None:
    """What a span asked for, where it ran and why; None where it ran on the device asked for."""
    try:
        said = json.loads(graph.recording.text(int(graph.recording.events.params[row])))
        return (str(said["name"]), str(said["placed"]), str(said.get("lacking", ""))) if "placed" in said else None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None


def _ops_in(graph: Graph) -> dict[int, int]:
    """How many ops have each ``with tf.device`` as the nearest around them, by the row of its span."""
    parents = graph.links.parent.tolist()
    block: dict[int, int] = {-1: -1}
    for row, (sort, _) in graph.links.spans.items():  # a span begins before those inside it
        block[row] = row if sort == "device" else block.get(parents[row], -1)
    rows = np.flatnonzero(graph.recording.events.kind == _OP)
    around, counts = np.unique(graph.links.parent[rows], return_counts=True)
    found: dict[int, int] = {}
    for row, count in zip(around.tolist(), counts.tolist(), strict=True):
        inside = block.get(row, -1)
        found[inside] = found.get(inside, 0) + count
    return found
