"""Names given while one public function is called, so that what it made can be named after the call."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeviz.engine.state import local

__all__ = ["Journal", "renamed"]


class _Given(NamedTuple):
    """A name that was given: which was asked for, how often it had been given before, and what it became."""

    whole: str
    key: str
    before: int
    name: str


class Journal:
    """The names that nodes got since the call began. Names are given one after the other, and taken back likewise."""

    def __init__(self) -> None:
        self.depth = 0
        self._given: list[_Given] = []

    @property
    def length(self) -> int:
        """How many names there are."""
        return len(self._given)

    def noted(self, whole: str, key: str, before: int, name: str) -> None:
        """A name was given."""
        if self.depth:
            self._given.append(_Given(whole, key, before, name))

    def cleared(self) -> None:
        """The outermost call is over: nothing can be taken back any more."""
        if not self.depth:
            self._given.clear()

    def taken_back(self, used: dict[str, int], start: int) -> dict[str, str]:
        """Take back the names given since ``start``. What they were, and which each had asked to be."""
        entries = self._given[start:]
        del self._given[start:]
        for entry in reversed(entries):
            if entry.name != entry.whole:
                used.pop(entry.name.lower(), None)
            if entry.before:
                used[entry.key] = entry.before
            else:
                used.pop(entry.key, None)
        return {entry.name: entry.whole for entry in entries}

    @staticmethod
    def peek(used: dict[str, int], whole: str) -> str:
        """The name that would be given now."""
        count = used.get(whole.lower(), 0)
        if not count:
            return whole
        while f"{whole}_{count}".lower() in used:
            count += 1
        return f"{whole}_{count}"


def renamed(graph: Any, first: int, start: int, result: Any, label: str) -> None:
    """Name what a call made: the node of its result ``label``, the others in a scope of that name.

    Args:
        graph: the graph.
        first: how many nodes there were before the call.
        start: how many names the journal had.
        result: the node of the result.
        label: the name asked for, or the function's own.
    """
    scope = local.state.scope
    asked = graph.journal.taken_back(graph._used, start)
    whole = graph.unique(label)
    became: dict[str, str] = {}
    for node in graph.nodes[first:]:
        before = node.name
        if node is result:
            node.name = whole
        elif before in asked:
            node.name = graph.free_name(f"{whole}/{asked[before].removeprefix(scope)}")
        else:  # a constant, named after the op that takes it
            continue
        became[before] = node.name
    for node in graph.nodes[first:]:
        head, _, tail = node.name.rpartition("/")
        if node.name not in became.values() and head in became:
            node.name = f"{became[head]}/{tail}"
