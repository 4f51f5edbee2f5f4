"""A function's syntax tree, converted: the passes in their order, for it and for the functions inside it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from tapeviz.autograph.converters.choices import Choices
from tapeviz.autograph.converters.control_flow import lift_control_flow
from tapeviz.autograph.converters.exits import without_exits
from tapeviz.autograph.converters.expressions import Expressions, Names
from tapeviz.autograph.names import every_name, scoped_statements

__all__ = ["converted_tree"]

OPERATORS: Final = "ag"
# Functions with these decorators are dealt with when they are called, or not at all.
_LEFT_ALONE: Final = frozenset({"do_not_convert", "function"})


def converted_tree(
    node: ast.FunctionDef | ast.Lambda,
    is_builtin: Callable[[str], bool],
    is_library: Callable[[ast.expr], bool],
) -> tuple[ast.FunctionDef | ast.Lambda, str, set[str]]:
    """Convert a function in place.

    Args:
        node: the function.
        is_builtin: whether a name that the function does not bind is a built-in of Python.
        is_library: whether an expression such as ``np.sin`` is a function of a library.

    Returns:
        The function, the name that it knows the operators by, and the names made for it.
    """
    taken = every_name(node)
    fresh = _Fresh(taken)
    own = frozenset(taken - _only_read(node))
    operators = fresh(OPERATORS)
    names = Names(
        operators,
        fresh.given,
        fresh,
        lambda name: name not in own and is_builtin(name),
        lambda callee: not _names_in(callee) & own and is_library(callee),
    )
    return _Functions(names).converted(node), operators, fresh.given - {operators}


class _Fresh:
    """Gives names that are not taken: the one asked for, or that with a number behind."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self.given: set[str] = set()

    def __call__(self, name: str) -> str:
        number, chosen = 1, name
        while chosen in self._taken or chosen in self.given:
            number += 1
            chosen = f"{name}{number}" if name.endswith("_") else f"{name}_{number}"
        self.given.add(chosen)
        return chosen


def _only_read(tree: ast.AST) -> set[str]:
    """The names that the tree nowhere binds."""
    bound: set[str] = set()
    loaded: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loaded.add(node.id)
        else:
            bound |= _binds(node)
    return loaded - bound


def _binds(node: ast.AST) -> set[str]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return {name}
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return set(names)
        case ast.alias(name=name, asname=other):
            return {other or name.partition(".")[0]}
    other = getattr(node, "name", None)
    return {other} if isinstance(other, str) else set()


def _names_in(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


class _Functions:
    def __init__(self, names: Names) -> None:
        self._names = names

    def converted(self, node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef | ast.Lambda:
        """Convert the functions inside first, then the function itself."""
        for inner in _inner_functions(node):
            self.converted(inner)
        args = node.args
        parameters = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        parameters += [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]
        expressions = Expressions(self._names, (parameters or [""])[0])
        if isinstance(node, ast.Lambda):
            node.body = expressions.visit(node.body)
            return node
        body = without_exits(node.body, Choices(self._names.is_builtin), self._names.fresh)
        body = lift_control_flow(body, parameters, self._names.operators, self._names.fresh)
        node.body = [expressions.visit(part) for part in body]
        return node


def _inner_functions(tree: ast.AST) -> list[ast.FunctionDef | ast.Lambda]:
    """The functions and lambdas right inside this one, or in classes in it, that are converted with it."""
    found: list[ast.FunctionDef | ast.Lambda] = []
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Lambda) or (isinstance(node, ast.FunctionDef) and not is_left_alone(node)):
            found.append(node)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def is_left_alone(node: ast.FunctionDef) -> bool:
    """Whether a function inside another stays as it is: a generator, or so decorated."""
    decorators = [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]
    if any(getattr(part, "attr", getattr(part, "id", "")) in _LEFT_ALONE for part in decorators):
        return True
    return any(isinstance(part, (ast.Yield, ast.YieldFrom)) for part in scoped_statements(node.body))
