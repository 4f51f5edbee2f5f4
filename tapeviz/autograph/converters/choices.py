"""Which statements stay Python's own because they can never depend on a tensor, or cannot be made functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from tapeviz.autograph.names import scoped_statements

__all__ = ["Choices", "blocks", "endless", "ends", "exits", "is_python_value"]

Loop = ast.While | ast.For
Lifted = ast.If | ast.While | ast.For

_TRUTHS: Final = frozenset({"isinstance", "issubclass", "callable", "hasattr"})
# What these give depends on the function that calls them.
_SEE_THE_FRAME: Final = frozenset({"locals", "vars", "dir", "eval", "exec"})
_IDENTITIES: Final = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_DISPLAYS: Final = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.ListComp, ast.DictComp, ast.SetComp)


def is_python_value(node: ast.expr, is_builtin: Callable[[str], bool]) -> bool:  # noqa: PLR0911 - a line a case
    """Whether the truth of this expression is Python's own, whatever its parts are."""
    match node:
        case ast.Constant() | ast.Lambda():
            return True
        case ast.Compare(ops=ops):
            return all(isinstance(op, _IDENTITIES) for op in ops)
        case ast.Call(func=ast.Name(id=name)):
            return name in _TRUTHS and is_builtin(name)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_python_value(operand, is_builtin)
        case ast.BoolOp(values=values):
            return all(is_python_value(value, is_builtin) for value in values)
        case ast.NamedExpr(value=value):
            return is_python_value(value, is_builtin)
        case ast.Name(id="__debug__"):
            return True
    return isinstance(node, _DISPLAYS)


class Choices:
    """Says of statements whether they are made functions of, and which exits are left to flags by that.

    Args:
        is_builtin: whether a name means Python's built-in.
    """

    def __init__(self, is_builtin: Callable[[str], bool]) -> None:
        self._is_builtin = is_builtin
        self._lifted: dict[int, bool] = {}

    def lifts(self, node: ast.AST) -> bool:
        """Whether functions are made of the statement's blocks."""
        if id(node) not in self._lifted:
            self._lifted[id(node)] = isinstance(node, Lifted) and self._may_lift(node)
        return self._lifted[id(node)]

    def _may_lift(self, node: Lifted) -> bool:
        if self._needs_its_frame(node):
            return False
        if isinstance(node, ast.If):
            return not is_python_value(node.test, self._is_builtin)
        if self._loops_in_python(node):
            return bool(self.flagged(node.body) - {"continue"})
        return True

    def _loops_in_python(self, node: Loop) -> bool:
        if isinstance(node, ast.While):
            return is_python_value(node.test, self._is_builtin)
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
                return self._is_builtin("range") and all(isinstance(arg, ast.Constant) for arg in args)
        return isinstance(node.iter, (ast.Constant, *_DISPLAYS))

    def _needs_its_frame(self, node: Lifted) -> bool:
        """Whether there is something inside that would mean something else in a function of its own."""
        for part in scoped_statements(node):
            match part:
                case ast.Yield() | ast.YieldFrom() | ast.Await():
                    return True
                case ast.Call(func=ast.Name(id=name)) if name in _SEE_THE_FRAME and self._is_builtin(name):
                    return True
        return False

    def flagged(self, block: list[ast.stmt]) -> set[str]:
        """The exits of a block that leave through a function made of one of its statements."""
        found: set[str] = set()
        for position, node in enumerate(block):
            found |= self._flagged(node)
            if found:  # what follows is put under a condition
                return found | exits(block[position + 1 :])
        return found

    def _flagged(self, node: ast.stmt) -> set[str]:
        if isinstance(node, Loop):
            lifts = self.lifts(node)
            inside = exits(node.body) if lifts else self.flagged(node.body)
            # Behind a lifted loop with a break, the else stands under a condition.
            depends = lifts and "break" in exits(node.body)
            return (inside & {"return"}) | (exits(node.orelse) if depends else self.flagged(node.orelse))
        if self.lifts(node):
            return exits([node])
        return set().union(*map(self.flagged, blocks(node)))


def blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The blocks of statements of a compound statement that run in its own scope."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    if isinstance(node, ast.Match):
        return [case.body for case in node.cases]
    found = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
    return [block for block in found if block] + [handler.body for handler in getattr(node, "handlers", [])]


def exits(block: list[ast.stmt]) -> set[str]:
    """How control may leave a block other than at its end or by an exception."""
    found: set[str] = set()
    for node in block:
        match node:
            case ast.Return():
                found.add("return")
            case ast.Break():
                found.add("break")
            case ast.Continue():
                found.add("continue")
            case (
                ast.While(body=body, orelse=orelse)
                | ast.For(body=body, orelse=orelse)
                | ast.AsyncFor(body=body, orelse=orelse)
            ):
                found |= (exits(body) & {"return"}) | exits(orelse)
            case _:
                found = found.union(*map(exits, blocks(node)))
        if ends([node]):  # what follows never runs
            break
    return found


def ends(block: list[ast.stmt]) -> bool:
    """Whether control never reaches the end of a block."""
    for node in block:
        match node:
            case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
                return True
            case ast.If(body=body, orelse=orelse) if ends(body) and ends(orelse):
                return True
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                if ends(final) or (ends([*body, *orelse]) and all(ends(handler.body) for handler in handlers)):
                    return True
            case ast.While() if endless(node):
                return True
    return False


def endless(node: ast.stmt) -> bool:
    """Whether this is a loop that only a ``return`` leaves."""
    match node:
        case ast.While(test=ast.Constant(value=value), body=body):
            return bool(value) and "return" in exits(body) and "break" not in exits(body)
    return False
