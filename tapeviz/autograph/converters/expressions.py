"""Expressions that may meet a tensor of a graph: ``and``, ``or``, ``not``, chains, conditional expressions, calls.

Operands that Python would evaluate only sometimes become functions without arguments. ``assert`` is here too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tapeviz.autograph.converters.choices import is_python_value
from tapeviz.autograph.syntax_nodes import at, load, varied

__all__ = ["Expressions", "Names"]

_BUILTINS: Final = frozenset({"all", "any", "bool", "enumerate", "float", "int", "len", "max", "min", "range", "zip"})
# Methods of Python's containers, of strings, tensors, variables and tapes: their calls need no look at whose they are.
_METHODS: Final = frozenset(
    {
        "append", "assign", "assign_add", "assign_sub", "endswith", "extend", "format", "gradient", "items", "join",
        "keys", "numpy", "pop", "read_value", "startswith", "values", "watch",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Names:
    """What names mean where the function stands.

    ``operators`` is the name of the module of operators, ``made`` are the names of functions that were made of blocks.
    ``is_library`` says of a dotted name whether it is a function of a library, which is called as it is.
    """

    operators: str
    made: set[str]
    fresh: Callable[[str], str]
    is_builtin: Callable[[str], bool]
    is_library: Callable[[ast.expr], bool]


class Expressions(ast.NodeTransformer):
    """Replaces expressions in the body of one function; functions inside have been dealt with before."""

    def __init__(self, names: Names, first: str) -> None:
        self._names = names
        self._first = first
        self._in_made = False
        self._no_walrus = False

    def _operator(self, name: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
        function = ast.Attribute(load(self._names.operators), name, ast.Load())
        return at(ast.Call(function, list(arguments), []), place)

    def _is_python(self, node: ast.expr) -> bool:
        return is_python_value(node, self._names.is_builtin)

    # Definitions.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Functions made of blocks are part of this one."""
        if node.name not in self._names.made:
            return self._outside(node)
        before, self._in_made = self._in_made, True
        made = varied(node, body=[self.visit(part) for part in node.body])
        self._in_made = before
        return made

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        """Only what is evaluated around it."""
        return self._outside(node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """Only the defaults of its parameters: its body has been converted."""
        return self._outside(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Only what is evaluated around it: functions in a class's body do not see its names."""
        node.bases = [self.visit(base) for base in node.bases]
        return node

    def _outside(self, node: Any) -> Any:
        node.args = self.visit(node.args)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """No assignment expression may stand in what a comprehension goes over."""
        before, self._no_walrus = self._no_walrus, True
        node.iter = self.visit(node.iter)
        self._no_walrus = before
        node.ifs = [self.visit(condition) for condition in node.ifs]
        return node

    # Truth.

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Operands whose truth is Python's own stay in front."""
        count = next((k for k, value in enumerate(node.values[:-1]) if not self._is_python(value)), None)
        if count is None or any(map(_assigns, node.values[count + 1 :])):
            return self._parts(node)
        values = [self.visit(value) for value in node.values]
        operator = "and_" if isinstance(node.op, ast.And) else "or_"
        call = self._operator(operator, node, values[count], *map(_later, values[count + 1 :]))
        return varied(node, values=[*values[:count], call]) if count else call

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """``not``."""
        if not isinstance(node.op, ast.Not) or self._is_python(node.operand):
            return self._parts(node)
        return self._operator("not_", node, self.visit(node.operand))

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Chains: each operand is evaluated once, and only while the ones before hold."""
        chained = len(node.ops) > 1 and not self._is_python(node)
        simple = all(isinstance(middle, (ast.Name, ast.Constant)) for middle in node.comparators[:-1])
        if not chained or (self._no_walrus and not simple) or any(map(_assigns, node.comparators[1:])):
            return self._parts(node)
        operands = [self.visit(operand) for operand in (node.left, *node.comparators)]
        return self._chain(node, operands[0], list(zip(node.ops, operands[1:], strict=True)))

    def _chain(self, node: ast.Compare, left: ast.expr, rest: list[tuple[ast.cmpop, ast.expr]]) -> ast.expr:
        (op, right), *others = rest
        if not others:
            return at(ast.Compare(left, [op], [right]), node)
        again = right
        if not isinstance(right, (ast.Name, ast.Constant)):
            name = self._names.fresh("middle_")
            right, again = at(ast.NamedExpr(ast.Name(name, ast.Store()), right), right), at(load(name), right)
        first = at(ast.Compare(left, [op], [right]), node)
        return self._operator("and_", node, first, _later(self._chain(node, again, others)))

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """``a if c else b``."""
        if self._is_python(node.test) or _assigns(node.body) or _assigns(node.orelse):
            return self._parts(node)
        test, body, orelse = map(self.visit, (node.test, node.body, node.orelse))
        return self._operator("if_exp", node, test, _later(body), _later(orelse))

    def visit_Assert(self, node: ast.Assert) -> Any:
        """An assertion that may become part of the graph."""
        if self._is_python(node.test) or not __debug__ or (node.msg is not None and _assigns(node.msg)):
            return self._parts(node)
        test = self.visit(node.test)
        arguments = [test] if node.msg is None else [test, _later(self.visit(node.msg))]
        return at(ast.Expr(self._operator("assert_", node, *arguments)), node)

    # Calls.

    def visit_Call(self, node: ast.Call) -> Any:  # noqa: PLR0911 - a line a case
        """The user's functions are converted when they are called."""
        made = self._parts(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id=name)) if name == self._names.operators:
                return made
            case ast.Name(id="super") if not node.args and self._in_made and self._first:
                return varied(made, args=[at(load("__class__"), node), at(load(self._first), node)])
            case ast.Name(id=name) if self._names.is_builtin(name):
                if name in _BUILTINS and not all(isinstance(argument, ast.Constant) for argument in node.args):
                    operator = at(ast.Attribute(load(self._names.operators), f"{name}_", ast.Load()), node.func)
                    return varied(made, func=operator)
                return made
            case ast.Attribute(attr=method) if method in _METHODS:
                return made
        if self._names.is_library(node.func):
            return made
        return varied(made, func=self._operator("call", node.func, made.func))

    def _parts(self, node: Any) -> Any:
        return self.generic_visit(node)


def _later(node: ast.expr) -> ast.expr:
    """The expression as a function without arguments."""
    none = ast.arguments([], [], None, [], [], None, [])
    return at(ast.Lambda(none, node), node)


def _assigns(node: ast.expr) -> bool:
    """Whether a variable is bound inside, which a function around it would keep to itself."""
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
