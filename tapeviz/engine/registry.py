"""What is declared by name, where a declaration is made when the name is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, TypeVar

__all__ = ["Registry"]

_Declared = TypeVar("_Declared")


class Registry(dict[str, _Declared]):
    """A dictionary that declares on demand: a missing name imports its module, and to go over the names imports all.

    Python's lock of a module has other threads wait until what they ask for is there.

    >>> import tapeviz.ops
    >>> from tapeviz.engine.declaration import registry
    >>> registry["add"].tf_name
    'AddV2'
    """

    __slots__ = ("_homes", "_load")

    def __init__(self) -> None:
        super().__init__()
        self._homes: Mapping[str, str] = {}
        self._load: Callable[[str], object] = sys.modules.__getitem__

    def offer(self, homes: Mapping[str, str], load: Callable[[str], object]) -> None:
        """Declare these names when they are asked for.

        Args:
            homes: for each name the module that declares it.
            load: imports a module.
        """
        self._homes, self._load = homes, load

    def __missing__(self, name: str) -> _Declared:
        if name not in self._homes:
            raise KeyError(name)
        self._load(self._homes[name])
        if not super().__contains__(name):
            raise KeyError(name)
        return self[name]

    def get(self, name: str, default: Any = None) -> Any:
        """What is declared by that name, else ``default``."""
        try:
            return self[name]
        except KeyError:
            return default

    def is_taken(self, name: str) -> bool:
        """Whether a declaration by that name would be the second one."""
        return super().__contains__(name) or self._homes.get(name, __name__) not in sys.modules

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._homes

    def __iter__(self) -> Iterator[str]:
        self._declare_all()
        return super().__iter__()

    def __len__(self) -> int:
        self._declare_all()
        return super().__len__()

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """All names."""
        self._declare_all()
        return super().keys()

    def values(self) -> ValuesView[_Declared]:  # type: ignore[override]
        """All that is declared."""
        self._declare_all()
        return super().values()

    def items(self) -> ItemsView[str, _Declared]:  # type: ignore[override]
        """All names, each with what it stands for."""
        self._declare_all()
        return super().items()

    def _declare_all(self) -> None:
        for name, home in self._homes.items():
            if not super().__contains__(name):
                self._load(home)
