"""The import of namespaces by dotted names: ``from tapeviz.compat.v1.nn import relu``."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from typing import Any

__all__ = ["Importer"]


class Importer(MetaPathFinder, Loader):
    """Imports the namespaces of tapeviz that a package offers as its own, under the names that they have there.

    Args:
        package: the package.
        spaces: the names that these namespaces have in both.
    """

    def __init__(self, package: str, spaces: frozenset[str]) -> None:
        self._package = package
        self.spaces = spaces
        self._specs: dict[str, Any] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """The way to import it, where it is one of these."""
        package, _, name = fullname.partition(f"{self._package}.")
        if package or name.partition(".")[0] not in self.spaces or not find_spec(f"tapeviz.{name}"):
            return None
        return spec_from_loader(fullname, self)

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        """What an attribute of that name gives: it may be the very module that tapeviz has."""
        found: Any = sys.modules[self._package]
        for part in spec.name.removeprefix(f"{self._package}.").split("."):
            found = getattr(found, part)
        self._specs[spec.name] = getattr(found, "__spec__", None)
        return found  # type: ignore[no-any-return]

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is left to run; a module keeps the name by which it was imported first."""
        spec = module.__spec__
        if spec is not None:
            module.__spec__ = self._specs.pop(spec.name)
