"""The variables that are the state of a branch or a loop, as cells shared with the functions made of its blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any, Final

from tapeviz.autograph.operators.lists import GraphList

__all__ = ["CONTENTS", "UNSET", "Cells", "State", "Unset", "unset"]


class Unset:
    """Stands for a variable, attribute or item that there is not."""

    def __repr__(self) -> str:
        return "unset"


CONTENTS: Final = "[:]"
"""Behind the name of a list in a state: what is in the list, rather than which list it is."""
UNSET: Final = Unset()
unset: Final = "the annotation of a variable that is first set inside a block"


class Cells:
    """All variables that some functions share with what is around them: to be kept and put back."""

    def __init__(self, *functions: Callable[..., Any] | None) -> None:
        self._cells: dict[str, CellType] = {}
        self._globals: dict[str, Any] = {}
        for block in functions:
            function = getattr(block, "function", block)  # a loop's body with its item
            if isinstance(function, FunctionType):
                self._cells |= dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
                self._globals = function.__globals__

    def get(self, name: str) -> Any:
        """The value, or :data:`UNSET`."""
        cell = self._cells.get(name)
        if cell is None:
            return self._globals.get(name, UNSET)
        try:
            return cell.cell_contents
        except ValueError:
            return UNSET

    def set(self, name: str, value: Any) -> None:
        """Give the variable a value, or none."""
        cell = self._cells.get(name)
        if cell is None:
            if value is UNSET:
                self._globals.pop(name, None)
            else:
                self._globals[name] = value
        elif value is not UNSET:
            cell.cell_contents = value
        else:
            _empty(cell)

    def kept(self) -> dict[str, Any]:
        """The values of all cells now."""
        return {name: self.get(name) for name in self._cells}


def _empty(cell: CellType) -> None:
    try:
        del cell.cell_contents
    except ValueError:
        return


class State:
    """The state of one statement: variables by name, attributes and items by the expression that they are written as.

    Args:
        names: ``("i", "self.total", "a[0]")``; ``"l[:]"`` are the contents of a list.
        functions: made of the blocks of the statement.
    """

    def __init__(self, names: tuple[str, ...], *functions: Callable[..., Any] | None) -> None:
        self.names = names
        self._cells = Cells(*functions)
        self._kept: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """The value of one of them, :data:`UNSET` where there is none."""
        if name.isidentifier():
            return self._cells.get(name)
        if name.endswith(CONTENTS):
            return _copied(self._cells.get(name.removesuffix(CONTENTS)))
        place = ast.parse(name, mode="eval").body
        try:
            return self._value(place)
        except (AttributeError, LookupError, TypeError):
            return UNSET

    def _value(self, place: ast.AST) -> Any:
        match place:
            case ast.Name(id=name):
                value = self._cells.get(name)
                if value is UNSET:
                    raise LookupError(name)
                return value
            case ast.Attribute(value=base, attr=attribute):
                return getattr(self._value(base), attribute)
            case ast.Subscript(value=base, slice=key):
                return self._value(base)[self._key(key)]
        raise TypeError(f"{ast.unparse(place)} is not a name, attribute or item")

    def _key(self, key: ast.AST) -> Any:
        return self._cells.get(key.id) if isinstance(key, ast.Name) else ast.literal_eval(ast.unparse(key))

    def set(self, name: str, value: Any) -> None:
        """Give one of them a value, or none. Attributes and items that have it already are not touched."""
        if name.isidentifier():
            self._cells.set(name, value)
            return
        if name.endswith(CONTENTS):
            self._fill(name.removesuffix(CONTENTS), value)
            return
        if self.get(name) is value:
            return
        match ast.parse(name, mode="eval").body:
            case ast.Attribute(value=base, attr=attribute) if value is UNSET:
                delattr(self._value(base), attribute)
            case ast.Attribute(value=base, attr=attribute):
                setattr(self._value(base), attribute, value)
            case ast.Subscript(value=base, slice=key) if value is UNSET:
                del self._value(base)[self._key(key)]
            case ast.Subscript(value=base, slice=key):
                self._value(base)[self._key(key)] = value

    def _fill(self, name: str, contents: Any) -> None:
        """Give a list its contents; where it becomes one of the graph, the variable gets another object."""
        there = self._cells.get(name)
        if isinstance(there, list) and isinstance(contents, list):
            there[:] = contents
        elif isinstance(there, GraphList) and isinstance(contents, GraphList):
            there.stacked = contents.stacked
        elif isinstance(there, list) or isinstance(contents, list):
            self._cells.set(name, contents)

    def values(self) -> dict[str, Any]:
        """All values."""
        return {name: self.get(name) for name in self.names}

    def keep(self) -> None:
        """Remember all there is, variables that are no part of the state too."""
        self._kept = {**self._cells.kept(), **self.values()}

    def restore(self) -> None:
        """Put back what was remembered."""
        for name, value in self._kept.items():
            self.set(name, value)


def _copied(value: Any) -> Any:
    if isinstance(value, GraphList):
        return GraphList(value.stacked)
    return list(value) if value.__class__ is list else value
