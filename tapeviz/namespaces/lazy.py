"""The lazy packages: modules that offer names and find them on first use (PEP 562).

A package such as ``tapeviz.math`` is a docstring and ``attach(__name__)``. Its names, and where they live, stand in
:data:`tapeviz.namespaces.table.NAMESPACES`. Importing it imports nothing else, and the function of an op is
generated when somebody asks for it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Final

from tapeviz.namespaces.absent_names import absent
from tapeviz.namespaces.table import NAMESPACES

__all__ = ["Namespace", "attach"]

# It finds out where tensors are made, which has to be known before any is.
_OPS: Final = "tapeviz.ops"
_PUBLIC_FORM: Final = ("tapeviz.engine.op_definition", "public_form")


class Namespace:
    """What one namespace of the table offers.

    Attributes:
        modules: the modules in it.
        homes: for each other name the module where it lives, and its name there.
        listed: all of it, in order.

    >>> Namespace("tapeviz.nn.experimental").homes
    {'stateless_dropout': ('tapeviz.ops.nn.dropout', 'stateless_dropout')}
    """

    def __init__(self, name: str) -> None:
        table = NAMESPACES[name]
        if isinstance(table, str):
            raise KeyError(f"{name} is another name of {table}")
        self.name = name
        self.modules: frozenset[str] = frozenset(table.get(".", "").split())
        self.homes: dict[str, tuple[str, str]] = {}
        for home, names in table.items():
            for entry in names.split() if home != "." else ():
                offered, _, other = entry.partition("=")
                self.homes[offered] = (home, other or offered)
        self.listed: list[str] = sorted({*self.homes, *self.modules})

    def find(self, name: str) -> Any:
        """What users see under ``name``.

        Raises:
            AttributeError: the namespace has no such name.
        """
        if name in self.modules:
            return import_module(f"{self.name}.{name}")
        if name not in self.homes:
            raise absent(self.name, name)
        home, theirs = self.homes[name]
        module, _, function = home.partition(":")
        if function:
            return getattr(import_module(module), function)(theirs)
        import_module(_OPS)
        engine, form = _PUBLIC_FORM
        return getattr(import_module(engine), form)(getattr(import_module(module), theirs))


def attach(module: str, *own: str) -> None:
    """Make a module the package that the table says: called by the module, with its ``__name__``.

    Args:
        module: the ``__name__`` of the module.
        own: what else it offers, which it has itself.
    """
    table = NAMESPACES[module]
    if isinstance(table, str):
        sys.modules[module] = import_module(table)
        return
    names = Namespace(module)
    offered = [*names.listed, *own]
    attributes = vars(sys.modules[module])

    def find(name: str) -> Any:
        attributes[name] = found = names.find(name)
        return found

    attributes.update(__all__=offered, __getattr__=find, __dir__=lambda: list(offered))
