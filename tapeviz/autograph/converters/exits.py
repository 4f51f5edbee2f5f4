"""``break``, ``continue`` and ``return`` in statements that become functions.

A branch that always leaves takes what follows the ``if`` into its other branch::

    if x > 0:                       if x > 0:
        return x         becomes        return x
    y = -x                          else:
    return y                            y = -x
                                        return y

and such an ``if`` at the end of a function is one whose value is returned. Where that is not possible a flag is set,
and what follows is put under ``if not flag``. Loops are told which flags end them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tapeviz.autograph.converters.choices import Choices, endless, ends, exits
from tapeviz.autograph.syntax_nodes import (
    Leave,
    LiftedFor,
    LiftedIf,
    LiftedWhile,
    at,
    load,
    negation,
    store,
    varied,
)

__all__ = ["without_exits"]


@dataclass
class _Loop:
    """The innermost loop, and the flags that end it or its iteration."""

    break_flag: str
    continue_flag: str
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Where:
    """Where a block stands.

    ``direct``: a ``return`` in it returns from the user's function. ``in_loop``: a ``break`` in it is Python's own.
    ``at_end``: after it, the function that it is in ends, or the iteration of a loop that stays Python's; what comes
    then is ``then``: "function" (the user's function has ended), "iteration" (the next one of the loop) or "more".
    ``flagged``: the flag of ``return`` has been set to False.
    """

    direct: bool = True
    in_loop: bool = False
    at_end: bool = True
    then: str = "function"
    loop: _Loop | None = None
    flagged: bool = False


def without_exits(body: list[ast.stmt], choices: Choices, fresh: Callable[[str], str]) -> list[ast.stmt]:
    """The body of a function, with no exit left that would have to leave a statement that becomes a function.

    Those statements are now of the classes in :mod:`making` whose names begin with Lifted.
    """
    return _Exits(choices, fresh).block(body, _Where())


class _Exits:
    def __init__(self, choices: Choices, fresh: Callable[[str], str]) -> None:
        self._choices = choices
        self._fresh = fresh
        self._flags: tuple[str, str] | None = None

    def _return_flags(self) -> tuple[str, str]:
        """The flag of ``return``, and the variable for its value."""
        if self._flags is None:
            self._flags = self._fresh("returned_"), self._fresh("result_")
        return self._flags

    def block(self, stmts: list[ast.stmt], where: _Where) -> list[ast.stmt]:
        if not stmts:
            return []
        first, rest = stmts[0], stmts[1:]
        match first:
            case ast.Return() | ast.Break() | ast.Continue():
                return self._exit(first, where)
            case ast.If() if self._choices.lifts(first):
                return self._if(first, rest, where)
            case ast.While() | ast.For():
                return self._loop(first, rest, where)
        return self._kept(first, rest, where)

    def _exit(self, node: ast.Return | ast.Break | ast.Continue, where: _Where) -> list[ast.stmt]:
        if isinstance(node, Leave) or (where.direct if isinstance(node, ast.Return) else where.in_loop):
            return [node]
        leave, true = at(Leave(), node), at(ast.Constant(True), node)
        if isinstance(node, ast.Return):
            returned, result = self._return_flags()
            value = node.value or at(ast.Constant(None), node)
            return [store(returned, true, node), store(result, value, node), leave]
        way, loop = "break" if isinstance(node, ast.Break) else "continue", where.loop
        if loop is None or (way == "continue" and where.then == "iteration"):
            return [leave]
        loop.used.add(way)
        return [store(loop.break_flag if way == "break" else loop.continue_flag, true, node), leave]

    def _if(self, node: ast.If, rest: list[ast.stmt], where: _Where) -> list[ast.stmt]:
        ways = exits([node])
        body, orelse = node.body, node.orelse
        if ways and ends(body):
            orelse, rest = [*orelse, *rest], []
        elif ways and ends(orelse):
            body, rest = [*body, *rest], []
        elif "return" in ways and _is_short(rest):
            body, orelse, rest = [*body, *copy.deepcopy(rest)], [*orelse, *rest], []
        node = varied(node, body=body, orelse=orelse)
        ways = exits([node])
        last = not rest and where.at_end
        if last and where.direct and where.then == "function" and "return" in ways:
            return [self._lifted(node, replace(where, in_loop=False), value=True)]
        then = where.then if last and where.then == "iteration" else "more"
        inside = _Where(direct=False, then=then, loop=where.loop)
        ready = self._ready(node, ways, where)
        return [*ready, self._lifted(node, inside, value=False), *self._go_on(node, ways, rest, where)]

    def _lifted(self, node: ast.If, inside: _Where, *, value: bool) -> ast.If:
        inside = replace(inside, at_end=True)
        made = at(LiftedIf(node.test, self.block(node.body, inside), self.block(node.orelse, inside)), node)
        made.value = value
        ways = set() if value else exits([node])
        made.result = self._return_flags()[1] if "return" in ways else ""
        made.flags = self._flags_of(ways, inside)
        return made

    def _flags_of(self, ways: set[str], where: _Where) -> list[str]:
        """The flags that these exits set."""
        flags = []
        if where.loop is not None:
            named = {"break": where.loop.break_flag, "continue": where.loop.continue_flag}
            flags = [flag for way, flag in named.items() if way in ways & where.loop.used]
        return [*flags, self._return_flags()[0]] if "return" in ways else flags

    def _ready(self, node: ast.stmt, ways: set[str], where: _Where) -> list[ast.stmt]:
        """What sets the flag of ``return`` to False before a statement that may set it."""
        if "return" not in ways or not where.direct or where.flagged:
            return []
        return [store(self._return_flags()[0], at(ast.Constant(False), node), node)]

    def _go_on(self, node: ast.stmt, ways: set[str], rest: list[ast.stmt], where: _Where) -> list[ast.stmt]:
        """What follows a statement that may have set the flags of these exits."""
        where = replace(where, flagged=where.flagged or "return" in ways)
        if "return" in ways and where.direct and where.at_end and where.then == "function":
            returned, result = self._return_flags()
            given = at(ast.Return(load(result)), node)
            return self._if(at(ast.If(load(returned), [given], rest), node), [], where)
        flags = self._flags_of(ways, where)
        if not rest or not flags:
            return self.block(rest, where)
        return self.block([at(ast.If(negation(flags), rest, []), rest[0])], where)

    def _loop(self, node: ast.While | ast.For, rest: list[ast.stmt], where: _Where) -> list[ast.stmt]:
        loop = _Loop(self._fresh("break_"), self._fresh("continue_"))
        lifts = self._choices.lifts(node)
        inside = _Where(where.direct and not lifts, not lifts, then="iteration", loop=loop, flagged=where.flagged)
        body = self.block(node.body, inside)
        if "continue" in loop.used:
            body = [store(loop.continue_flag, at(ast.Constant(False), node), node), *body]
        if not lifts:
            ways = self._choices.flagged(node.orelse)
            orelse = self.block(node.orelse, replace(where, at_end=False))
            kept = varied(node, body=body, orelse=orelse)
            return [*self._ready(node, ways, where), kept, *self._go_on(node, ways, rest, where)]
        ways = exits(node.body) & {"return"}
        flags = [loop.break_flag] * ("break" in loop.used) + [self._return_flags()[0] for _ in ways]
        made = _lifted_loop(node, body, flags, self._return_flags()[1] if ways else "")
        ready = self._ready(node, ways, where)
        if "break" in loop.used:
            ready.append(store(loop.break_flag, at(ast.Constant(False), node), node))
            if node.orelse:
                rest = [at(ast.If(negation([loop.break_flag]), node.orelse, []), node.orelse[0]), *rest]
        else:
            rest = [*node.orelse, *rest]
        if endless(node):  # nothing follows
            return [*ready, made, *([at(ast.Return(load(made.result)), node)] if where.direct else [])]
        return [*ready, made, *self._go_on(node, ways, rest, where)]

    def _kept(self, node: ast.stmt, rest: list[ast.stmt], where: _Where) -> list[ast.stmt]:
        """A statement that stays as it is, its blocks converted."""
        tried = isinstance(node, (ast.Try, ast.TryStar)) and bool(node.orelse)
        ways = self._choices.flagged([node])
        if not ways or (not rest and where.at_end and not tried):
            inside = replace(where, at_end=where.at_end and not rest)
            return [self._with_blocks(node, inside), *self.block(rest, where)]
        ready = self._ready(node, ways, where)
        inside = replace(where, at_end=False, flagged=where.flagged or bool(ready))
        return [*ready, self._with_blocks(node, inside), *self._go_on(node, ways, rest, where)]

    def _with_blocks(self, node: ast.stmt, where: _Where) -> ast.stmt:
        match node:
            case ast.If() | ast.With():
                changes = {
                    name: self.block(getattr(node, name), where) for name in ("body", "orelse") if hasattr(node, name)
                }
                return varied(node, **changes)
            case ast.Match(cases=cases):
                return varied(node, cases=[varied(case, body=self.block(case.body, where)) for case in cases])
            case ast.Try() | ast.TryStar():
                return self._tried(node, where)
        return node

    def _tried(self, node: ast.Try | ast.TryStar, where: _Where) -> ast.stmt:
        body = self.block(node.body, where)  # first: which flags it sets is what the rest goes by
        handlers = [varied(handler, body=self.block(handler.body, where)) for handler in node.handlers]
        orelse = node.orelse
        if orelse:
            orelse = self._go_on(node, self._choices.flagged(node.body), orelse, replace(where, at_end=False))
        if exits(node.finalbody):  # it would swallow the exception, or the exit, that is on its way
            raise SyntaxError("a `finally` that is left by break, continue or return is Python's own")
        final = self.block(node.finalbody, _Where(direct=False, at_end=False, then="more"))
        return varied(node, body=body, handlers=handlers, orelse=orelse, finalbody=final)


def _lifted_loop(
    node: ast.While | ast.For, body: list[ast.stmt], until: list[str], result: str
) -> LiftedWhile | LiftedFor:
    made: LiftedWhile | LiftedFor
    if isinstance(node, ast.While):
        made = at(LiftedWhile(node.test, body, []), node)
    else:
        made = at(LiftedFor(node.target, node.iter, body, []), node)
    made.until, made.result = until, result
    return made


def _is_short(rest: list[ast.stmt]) -> bool:
    """Whether there is only a ``return`` of something that may as well be written twice."""
    match rest:
        case [ast.Return(value=None | ast.Name() | ast.Constant())]:
            return True
    return False
