"""Names that a module offers and finds on first use (PEP 562).

A namespace such as ``tapeviz.math`` only says which names it has and where they live. Importing it imports nothing
else, and the function of an op is generated when somebody asks for it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

__all__ = ["Namespace"]

# The engine finds ops by name, so all are declared before any is used.
_DECLARES: Final = "tapeviz.ops"
_PUBLIC_FORM: Final = ("tapeviz.engine.define", "public_form")


class Namespace:
    """The names of one module.

    Args:
        module: the ``__name__`` of the module.
        table: where names live: the dotted name of a module, then its names separated by spaces. A name that is another
            there is written ``name=other``.

    The module then says::

        _names = Namespace(__name__, {...})
        __all__ = list(_names.listed)

        def __getattr__(name: str) -> Any:
            return _names.find(name)
    """

    def __init__(self, module: str, table: Mapping[str, str]) -> None:
        self._module = module
        self.homes: dict[str, tuple[str, str]] = {}
        for home, names in table.items():
            for entry in names.split():
                name, _, other = entry.partition("=")
                self.homes[name] = (home, other or name)
        self.listed = sorted(self.homes)

    def find(self, name: str) -> Any:
        """What users see under ``name``; the module has it as its own from then on.

        Raises:
            AttributeError: the namespace has no such name.
        """
        if name not in self.homes:
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        import_module(_DECLARES)
        home, theirs = self.homes[name]
        engine, function = _PUBLIC_FORM
        found = getattr(import_module(engine), function)(getattr(import_module(home), theirs))
        setattr(sys.modules[self._module], name, found)
        return found
