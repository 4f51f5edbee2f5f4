"""New nodes of syntax trees, each standing where the user's statement stands that it comes from."""

from __future__ import annotations

import ast
import copy
from typing import Any, TypeVar

__all__ = ["Leave", "LiftedFor", "LiftedIf", "LiftedWhile", "at", "function", "load", "negation", "store", "varied"]

_PLACED = (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.excepthandler, ast.pattern, ast.alias)
Node = TypeVar("Node", bound=ast.AST)


class Leave(ast.Return):
    """A ``return`` from the function made of a block, not from the user's."""


class LiftedIf(ast.If):
    """An ``if`` whose branches become functions.

    ``value``: what the branches return is what the user's function returns. ``flags``: those that say that control has
    left. ``result``: the variable that holds what a ``return`` in it gave; empty when there is none.
    """

    value: bool
    flags: list[str]
    result: str


class LiftedWhile(ast.While):
    """A ``while`` whose test and body become functions. ``until``: the flags that end it."""

    until: list[str]
    result: str


class LiftedFor(ast.For):
    """A ``for`` whose body becomes a function."""

    until: list[str]
    result: str


def at(node: Node, place: ast.AST) -> Node:
    """The node and what is new in it, placed where the other one is."""
    line, column = getattr(place, "lineno", 1), getattr(place, "col_offset", 0)
    ends = getattr(place, "end_lineno", line), getattr(place, "end_col_offset", column)
    if isinstance(place, (ast.If, ast.While, ast.For, ast.With, ast.Try, ast.FunctionDef)):
        ends = line, column
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _PLACED) and not hasattr(part, "lineno"):
            part.lineno, part.col_offset = line, column
            part.end_lineno, part.end_col_offset = ends
        elif part is not node and hasattr(part, "lineno"):
            continue
        waiting.extend(ast.iter_child_nodes(part))
    return node


def function(name: str, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """A definition, without decorators."""
    made = ast.FunctionDef(name, args, body, [], None)
    vars(made)["type_params"] = []  # from Python 3.12 on there must be some
    return made


def load(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def store(name: str, value: ast.expr, place: ast.AST) -> ast.stmt:
    """``name = value``."""
    return at(ast.Assign([ast.Name(name, ast.Store())], value), place)


def negation(names: list[str]) -> ast.expr:
    """``not name``, or ``not (name or other)``."""
    values: list[ast.expr] = [load(name) for name in names]
    return ast.UnaryOp(ast.Not(), values[0] if len(values) == 1 else ast.BoolOp(ast.Or(), values))


def varied(node: Node, **changes: Any) -> Node:
    """The same node with some fields replaced."""
    made = copy.copy(node)
    for field, value in changes.items():
        setattr(made, field, value)
    return made
