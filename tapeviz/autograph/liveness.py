"""Which variables still matter after each statement that becomes a function, and at the start of its blocks.

A variable that does not matter any more is not a part of the state of a branch or loop, and may be unset on one side.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tapeviz.autograph.names import bound, read
from tapeviz.autograph.syntax_nodes import Leave, LiftedFor, LiftedIf, LiftedWhile

__all__ = ["Live", "live_names"]

Names = frozenset[str]
_NONE: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Live:
    """The names that matter around one statement: after it, at the start of its body, at the start of its other branch.

    For a loop, ``body`` is what matters before each iteration.
    """

    after: Names
    body: Names
    orelse: Names = _NONE


@dataclass(frozen=True)
class _Jumps:
    """What matters where control goes from inside a block."""

    leave: Names = _NONE
    breaks: Names = _NONE
    continues: Names = _NONE
    returns: Names = _NONE
    raises: Names = _NONE

    def through(self, names: Names) -> _Jumps:
        """The same with a ``finally`` on the way."""
        targets = (self.leave, self.breaks, self.continues, self.returns, self.raises)
        return _Jumps(*(target | names for target in targets))


@dataclass
class _Liveness:
    found: dict[int, Live] = field(default_factory=dict)

    def block(self, stmts: Iterable[ast.stmt], after: Names, jumps: _Jumps) -> Names:
        """What matters before a block."""
        for node in reversed(list(stmts)):
            after = self._statement(node, after, jumps)
        return after

    def _statement(self, node: ast.stmt, after: Names, jumps: _Jumps) -> Names:  # noqa: C901, PLR0911 - a line a case
        match node:
            case ast.If():
                return self._if(node, after, jumps)
            case ast.While() | ast.For():
                return self._loop(node, after, jumps)
            case ast.Try() | ast.TryStar():
                return self._try(node, after, jumps)
            case ast.With(items=items, body=body):  # a context manager may swallow what is raised inside
                inside = self.block(body, after, replace(jumps, raises=jumps.raises | after))
                return (inside - _certain(items)) | _read(items)
            case ast.Match(subject=subject, cases=cases):
                bodies = [self.block(case.body, after, jumps) | read(case.guard) for case in cases]
                return after.union(read(subject), *bodies, *(read(case.pattern) for case in cases))
            case Leave():
                return jumps.leave
            case ast.Return(value=value):
                return jumps.returns | jumps.raises | read(value)
            case ast.Raise():
                return jumps.raises | read(node)
            case ast.Break():
                return jumps.breaks
            case ast.Continue():
                return jumps.continues
        return (after - _certain([node])) | read(node) | jumps.raises

    def _if(self, node: ast.If, after: Names, jumps: _Jumps) -> Names:
        inside = replace(jumps, leave=after) if isinstance(node, LiftedIf) else jumps
        body, orelse = self.block(node.body, after, inside), self.block(node.orelse, after, inside)
        self.found[id(node)] = Live(after, body, orelse)
        return body | orelse | read(node.test)

    def _loop(self, node: ast.While | ast.For, after: Names, jumps: _Jumps) -> Names:
        ended = self.block(node.orelse, after, jumps)
        lifted = isinstance(node, (LiftedWhile, LiftedFor))
        flags = frozenset(node.until) if isinstance(node, (LiftedWhile, LiftedFor)) else _NONE
        each = read(node.test) if isinstance(node, ast.While) else set()
        targets = _certain([node.target]) if isinstance(node, ast.For) else _NONE
        again = head = ended | each | flags
        while True:
            inside = replace(jumps, breaks=after, continues=again, leave=again if lifted else jumps.leave)
            head = again | (self.block(node.body, again, inside) - targets)
            if head == again:
                break
            again = head
        self.found[id(node)] = Live(after, head)
        return head | (read(node.iter) if isinstance(node, ast.For) else set())

    def _try(self, node: ast.Try | ast.TryStar, after: Names, jumps: _Jumps) -> Names:
        if node.finalbody:
            ways = after.union(jumps.leave, jumps.breaks, jumps.continues, jumps.returns, jumps.raises)
            after = self.block(node.finalbody, ways, jumps)
            jumps = jumps.through(after)
        handled = frozenset[str]().union(
            *(self.block(handler.body, after, jumps) | read(handler.type) for handler in node.handlers)
        )
        inside = replace(jumps, raises=jumps.raises | handled)
        orelse = self.block(node.orelse, after, jumps)
        return self.block(node.body, orelse, inside) | handled | jumps.raises


def _certain(nodes: Iterable[ast.AST]) -> Names:
    """The names that these nodes bind whenever they run to their end."""
    perhaps = {
        name
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, (ast.BoolOp, ast.IfExp, ast.Compare))
        for inner in ast.walk(part)
        if isinstance(inner, ast.NamedExpr)
        for name in bound(inner.target)
    }
    return frozenset(bound(nodes)) - perhaps


def _read(nodes: Iterable[ast.AST]) -> set[str]:
    return set().union(*map(read, nodes))


def live_names(body: list[ast.stmt]) -> dict[int, Live]:
    """For the ``if`` and loop statements of a function, by identity, the names that matter around them."""
    found = _Liveness()
    found.block(body, _NONE, _Jumps())
    return found.found
