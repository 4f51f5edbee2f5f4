"""Which framework the code of a cell uses."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

from tapeviz.tape.frameworks import FRAMEWORKS, OWN

__all__ = ["framework_of"]

_DEEP: Final = 2  # calls of the user's functions that are looked into
_OTHERS: Final = tuple(name for name in FRAMEWORKS if name != OWN)


def framework_of(tree: ast.AST, namespace: Mapping[str, Any]) -> str:
    """The framework whose names a cell reads, or that it imports; tapeviz where it is that, or none.

    Nothing is imported for it: a framework that is not loaded and that the cell does not import is not used.
    """
    imported = {name.partition(".")[0] for name in _imports(tree)}
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    used = set(_packages([namespace[name] for name in read if name in namespace], _DEEP)) | imported
    if "keras" in used and "tensorflow" in sys.modules:  # Keras runs on it
        used.add("tensorflow")
    found = [name for name in _OTHERS if name in used and (name in sys.modules or name in imported)]
    return found[0] if found and not _is_own(read, namespace) else OWN


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def _is_own(read: set[str], namespace: Mapping[str, Any]) -> bool:
    """Whether a cell reads a tensor, a variable or a layer of tapeviz's: the package alone is there for its tools."""
    return any(
        type(namespace[name]).__module__.partition(".")[0] == OWN and type(namespace[name]).__name__ != "Tape"
        for name in read if name in namespace
    )  # fmt: skip


def _packages(values: list[Any], deep: int) -> Iterator[str]:
    """The packages that values are of: modules, objects of their classes and of the user's own made of these."""
    for value in values:
        for kind in type(value).__mro__ if not isinstance(value, type) else value.__mro__:
            yield str(kind.__module__).partition(".")[0]
        yield str(getattr(value, "__name__", "") or "").partition(".")[0] if _is_module(value) else ""
        if isinstance(value, FunctionType) and deep:
            inside = [value.__globals__[name] for name in _names(value.__code__) if name in value.__globals__]
            yield str(value.__module__).partition(".")[0]
            yield from _packages(inside, deep - 1)


def _is_module(value: Any) -> bool:
    return type(value).__name__ == "module"


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
