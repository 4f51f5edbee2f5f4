"""The blocks of ``if``, ``while`` and ``for`` as functions, and the statement as a call of the operator.

::

    while i < n:                    def while_test():
        i += 1                          return i < n
        x = x * 2
                                    def while_body():
                      becomes           nonlocal i, x
                                        i += 1
                                        x = x * 2
                                    ag.while_(while_test, while_body, ('i', 'x'))

The variables stay the user's own: the functions share them, so that in Python's own loops all is as it was, closures
and exceptions included. The names are the state of the statement, for when it becomes part of a graph.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tapeviz.autograph.converters.choices import blocks
from tapeviz.autograph.liveness import Live, live_names
from tapeviz.autograph.names import bound, captured, mutated, places, scoped_statements
from tapeviz.autograph.syntax_nodes import (
    Leave,
    LiftedFor,
    LiftedIf,
    LiftedWhile,
    at,
    function,
    load,
    varied,
)

__all__ = ["lift_control_flow"]

UNSET: Final = "unset"
# Behind the name of a list: what is in it, rather than which list it is.
CONTENTS: Final = "[:]"
DIRECTIVE: Final = "set_loop_options"


@dataclass
class _Scope:
    """A function being written: what it shares with the ones around it, and what its own inner functions share."""

    shared: set[str] = field(default_factory=set)
    asked: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class _Variables:
    """What is known of the variables of the user's function."""

    live: dict[int, Live]
    always: frozenset[str]
    global_names: frozenset[str]
    own: frozenset[str]


def lift_control_flow(
    body: list[ast.stmt], parameters: Iterable[str], operators: str, fresh: Callable[[str], str]
) -> list[ast.stmt]:
    """The body of a function, its lifted statements made functions and calls.

    Args:
        body: without exits from lifted statements.
        parameters: of the function.
        operators: the name of the module of operators.
        fresh: gives a new name.
    """
    declared = {kind: _declared(body, kind) for kind in (ast.Global, ast.Nonlocal)}
    always = frozenset(captured(body)) | declared[ast.Global] | declared[ast.Nonlocal]
    own = frozenset([*parameters, *bound(body)]) - declared[ast.Global] - declared[ast.Nonlocal]
    variables = _Variables(live_names(body), always, declared[ast.Global], own)
    lifting = _Lifting(variables, operators, fresh)
    scope = _Scope(shared=set(parameters) | declared[ast.Global] | declared[ast.Nonlocal])
    return lifting.function(body, scope)


def _declared(body: list[ast.stmt], kind: type[ast.Global | ast.Nonlocal]) -> frozenset[str]:
    return frozenset(name for node in scoped_statements(body) if isinstance(node, kind) for name in node.names)


class _Lifting:
    def __init__(self, variables: _Variables, operators: str, fresh: Callable[[str], str]) -> None:
        self._variables = variables
        self._operators = operators
        self._fresh = fresh

    def function(self, body: list[ast.stmt], scope: _Scope) -> list[ast.stmt]:
        """The statements of a function; variables that only its inner functions set are declared at its top."""
        made = self._block(body, scope)
        missing = [name for name in scope.asked if name not in scope.shared and name not in bound(made)]
        top = next((k for k, node in enumerate(made) if not _is_head(node)), len(made))
        declarations = [
            at(ast.AnnAssign(ast.Name(name, ast.Store()), self._operator(UNSET), None, 1), body[0]) for name in missing
        ]
        return [*made[:top], *declarations, *made[top:]]

    def _operator(self, name: str) -> ast.expr:
        return ast.Attribute(load(self._operators), name, ast.Load())

    def _block(self, stmts: list[ast.stmt], scope: _Scope) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for node in stmts:
            match node:
                case LiftedIf():
                    made += self._if(node, scope)
                case LiftedWhile():
                    made += self._while(node, scope)
                case LiftedFor():
                    made += self._for(node, scope)
                case Leave():
                    made.append(at(ast.Return(None), node))
                case _:
                    made.append(self._kept(node, scope))
        return made

    def _kept(self, node: ast.stmt, scope: _Scope) -> ast.stmt:
        if not blocks(node):
            return node
        changes = {}
        for name in ("body", "orelse", "finalbody"):
            if getattr(node, name, None):
                changes[name] = self._block(getattr(node, name), scope)
        for name in ("handlers", "cases"):
            if hasattr(node, name):
                changes[name] = [varied(part, body=self._block(part.body, scope)) for part in getattr(node, name)]
        return varied(node, **changes)

    def _inner(
        self, name: str, body: list[ast.stmt], shared: list[str], scope: _Scope, place: ast.AST, parameter: str = ""
    ) -> ast.stmt:
        """A function made of a block. ``shared``: the variables that it sets in the functions around it."""
        globally = [name for name in shared if name in self._variables.global_names]
        others = [name for name in shared if name not in self._variables.global_names]
        inside = _Scope(shared={*shared, parameter})
        made = self.function(_trimmed(body), inside) or [ast.Pass()]
        # What is asked of this function by inner ones and is not its own is asked of the one around it.
        scope.asked.update(dict.fromkeys(others))
        heads: list[ast.stmt] = [ast.Global(globally)] if globally else []
        heads += [ast.Nonlocal(others)] if others else []
        args = ast.arguments([], [ast.arg(parameter)] if parameter else [], None, [], [], None, [])
        return at(function(name, args, [*heads, *made]), place)

    def _call(self, operator: str, arguments: list[ast.expr], state: list[str], **told: Any) -> ast.Call:
        """A call of an operator. ``told``: keyword arguments, strings and lists of them; empty ones are left out."""
        keywords = [ast.keyword(name, _constant(value)) for name, value in told.items() if value]
        return ast.Call(self._operator(operator), [*arguments, _constant(state)], keywords)

    def _state(self, written: list[str], live: frozenset[str], parts: list[ast.stmt]) -> list[str]:
        """The state of a statement: variables, lists that become longer in it, attributes and items that it sets."""
        names = [name for name in written if name in live or name in self._variables.always]
        return [*names, *places(parts, set(written))]

    def _lists(self, parts: list[ast.stmt], written: list[str]) -> list[str]:
        """The contents of lists that become longer in a block; lists of functions around this one are not its state."""
        return [name + CONTENTS for name in mutated(parts) if name not in written and name in self._variables.own]

    def _if(self, node: LiftedIf, scope: _Scope) -> list[ast.stmt]:
        live = self._variables.live[id(node)]
        both = [*node.body, *node.orelse]
        written = bound(both)
        state = self._state(written, live.after, both)
        state += self._lists(both, written)
        functions, arguments = [], [node.test]
        for kind, body, before in (("if_body", node.body, live.body), ("else_body", node.orelse, live.orelse)):
            if not _trimmed(body):
                arguments.append(at(ast.Constant(None), node))
                continue
            shared = [name for name in bound(body) if name in live.after | before | self._variables.always]
            name = self._fresh(kind)
            functions.append(self._inner(name, body, shared, scope, body[0] if kind == "else_body" else node))
            arguments.append(at(load(name), node))
        if arguments[1:] and all(isinstance(argument, ast.Constant) for argument in arguments[1:]):
            arguments[2:] = [at(ast.Constant(None), node)]
        call = at(self._call("if_", arguments, state, flags=node.flags, result=node.result), node)
        return [*functions, at(ast.Return(call) if node.value else ast.Expr(call), node)]

    def _loop_state(self, node: LiftedWhile | LiftedFor, parts: list[ast.AST]) -> tuple[list[str], list[str]]:
        live = self._variables.live[id(node)]
        matters = live.after | live.body | self._variables.always
        written = bound([*parts, *node.body])
        shared = [name for name in written if name in matters]
        return shared, [*shared, *self._lists(node.body, written), *places(node.body, set(written))]

    def _while(self, node: LiftedWhile, scope: _Scope) -> list[ast.stmt]:
        options, node.body = self._options(node.body)
        shared, state = self._loop_state(node, [node.test])
        test, body = self._fresh("while_test"), self._fresh("while_body")
        asked = at(ast.Return(node.test), node.test)
        functions = [
            self._inner(test, [asked], [name for name in bound(node.test) if name in shared], scope, node),
            self._inner(body, node.body, [name for name in bound(node.body) if name in shared], scope, node),
        ]
        binds = [name for name in bound(node.test) if name in shared]
        call = self._call("while_", [load(test), load(body)], state, until=node.until, result=node.result, binds=binds)
        return [*functions, self._loop(call, options, node)]

    def _for(self, node: LiftedFor, scope: _Scope) -> list[ast.stmt]:
        options, node.body = self._options(node.body)
        shared, state = self._loop_state(node, [node.target])
        body, statements = self._fresh("for_body"), node.body
        if isinstance(node.target, ast.Name) and node.target.id not in shared:
            parameter = node.target.id
        else:
            parameter = self._fresh("item_")
            statements = [at(ast.Assign([node.target], load(parameter)), node.target), *statements]
        inner = [name for name in bound(statements) if name in shared]
        made = self._inner(body, statements, inner, scope, node, parameter)
        call = self._call("for_", [node.iter, load(body)], state, until=node.until, result=node.result)
        return [made, self._loop(call, options, node)]

    def _options(self, body: list[ast.stmt]) -> tuple[list[ast.keyword], list[ast.stmt]]:
        """What ``set_loop_options`` in a loop's body says of the loop, and the body without it."""
        for k, node in enumerate(body):
            match node:
                case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) as call):
                    if name == DIRECTIVE:
                        none = ast.arguments([], [], None, [], [], None, [])
                        told = ast.Lambda(none, varied(call, func=self._operator("loop_options")))
                        return [ast.keyword("options", told)], [*body[:k], *body[k + 1 :]]
        return [], body

    def _loop(self, call: ast.Call, options: list[ast.keyword], node: LiftedWhile | LiftedFor) -> ast.stmt:
        call.keywords += options
        return at(ast.Expr(at(call, node)), node)


def _constant(value: str | list[str]) -> ast.expr:
    if isinstance(value, str):
        return ast.Constant(value)
    return ast.Tuple([ast.Constant(name) for name in value], ast.Load())


def _trimmed(body: list[ast.stmt]) -> list[ast.stmt]:
    """A block without what says nothing at its end, or at all."""
    while body and isinstance(body[-1], (Leave, ast.Pass)):
        body = body[:-1]
    return body


def _is_head(node: ast.stmt) -> bool:
    """Whether this stands before everything else: a docstring, or declarations."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Nonlocal() | ast.Global():
            return True
    return False
