"""Collections: lists that a graph keeps under names, so that parts of a program find what other parts made."""

from __future__ import annotations

import functools
import re
from typing import Any

__all__ = ["Collections", "WithCollections"]


class Collections:
    """The lists of one graph."""

    def __init__(self) -> None:
        self.lists: dict[str, list[Any]] = {}

    def add(self, name: str, value: Any) -> None:
        """Add to a list."""
        self.lists.setdefault(name, []).append(value)

    def ref(self, name: str) -> list[Any]:
        """A list, itself."""
        return self.lists.setdefault(name, [])

    def get(self, name: str, scope: str | None) -> list[Any]:
        """A copy of a list, of the items whose names begin with what matches ``scope``."""
        items = list(self.lists.get(name, ()))
        if scope is None:
            return items
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, "name") and pattern.match(item.name)]


class WithCollections:
    """A graph of any sort, of sessions or of a function that is traced, as what keeps collections."""

    @functools.cached_property
    def collections(self) -> Collections:
        """The lists, made when they are first asked for: most graphs of functions have none."""
        return Collections()

    def add_to_collection(self, name: str, value: Any) -> None:
        """Add to the list kept under a name."""
        self.collections.add(name, value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Add to the lists kept under several names."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.collections.add(name, value)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """A copy of the list kept under a name; with ``scope``, of the items whose names match it."""
        return self.collections.get(name, scope)

    def get_collection_ref(self, name: str) -> list[Any]:
        """The list kept under a name, itself."""
        return self.collections.ref(name)

    def get_all_collection_keys(self) -> list[str]:
        """The names under which lists are kept."""
        return list(self.collections.lists)

    def clear_collection(self, name: str) -> None:
        """Forget the list kept under a name."""
        self.collections.lists.pop(name, None)
