"""``if`` and the conditional expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.autograph.operators.kinds import is_symbolic
from tapeviz.autograph.operators.merging import Branches, condition
from tapeviz.autograph.operators.variables import State

__all__ = ["if_", "if_exp"]

Block = Callable[[], Any] | None


def if_(
    test: Any,
    body: Block,
    orelse: Block,
    names: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
    result: str = "",
) -> Any:
    """``if test: body()  else: orelse()``.

    Args:
        test: the condition.
        body: a function made of the block; it sets the variables of the functions around it.
        orelse: the same for the other block.
        names: the state: variables, attributes and items that the blocks set and that matter afterwards.
        flags: the variables that say, when they are true, that control has left: then the others need not be set.
        result: the variable for what ``return`` gives.

    Returns:
        What the block returns: only an ``if`` that ends a function uses it.
    """
    __tracebackhide__ = True
    if is_symbolic(test):
        more = [name for name in (*flags, result) if name and name not in names]
        state = State((*names, *more), body, orelse)
        return Branches(condition(test, "if statement"), body, orelse, state, {*flags, result}).run()
    chosen = body if test else orelse
    return None if chosen is None else chosen()


def if_exp(test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """``body() if test else orelse()``."""
    __tracebackhide__ = True
    if is_symbolic(test):
        return Branches(condition(test, "conditional expression"), body, orelse, State((), body, orelse)).run()
    return body() if test else orelse()
