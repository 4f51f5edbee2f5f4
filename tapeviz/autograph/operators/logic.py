"""``and``, ``or``, ``not`` and ``assert``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.autograph.operators.conditionals import condition
from tapeviz.autograph.operators.kinds import is_symbolic
from tapeviz.engine.conversion import constant, convert_to_tensor
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops as ops
from tapeviz.engine.state import local
from tapeviz.graphs.control import control_flow

__all__ = ["and_", "assert_", "not_", "or_"]


def and_(first: Any, *others: Callable[[], Any]) -> Any:
    """``first and other() and ...``."""
    __tracebackhide__ = True
    if not others:
        return first
    following, *rest = others
    if is_symbolic(first):
        return control_flow.cond(condition(first), lambda: truth(and_(following(), *rest)), lambda: constant(False))
    return and_(following(), *rest) if first else first


def or_(first: Any, *others: Callable[[], Any]) -> Any:
    """``first or other() or ...``."""
    __tracebackhide__ = True
    if not others:
        return first
    following, *rest = others
    if is_symbolic(first):
        return control_flow.cond(condition(first), lambda: constant(True), lambda: truth(or_(following(), *rest)))
    return first or or_(following(), *rest)


def truth(value: Any) -> Any:
    """An operand as one truth value: those of a graph are scalars of dtype bool."""
    return condition(value) if is_symbolic(value) else constant(bool(value))


def not_(value: Any) -> Any:
    """``not value``."""
    __tracebackhide__ = True
    return ops.logical_not(condition(value)) if is_symbolic(value) else not value


def assert_(test: Any, message: Callable[[], Any] | None = None) -> None:
    """``assert test, message()``: on a tensor of a graph an op that raises InvalidArgumentError when that runs."""
    __tracebackhide__ = True
    if is_symbolic(test):
        told = "" if message is None else message()
        graph: Any = local.state.graph
        graph.python(_asserted, [condition(test), convert_to_tensor(told)], (), "Assert")
    elif not test:
        if message is None:
            raise AssertionError
        raise AssertionError(message())


def _asserted(test: Any, message: Any) -> None:
    """What runs with the graph."""
    if not test:
        told = message.numpy()
        raise InvalidArgumentError(f"assertion failed: [{told.decode() if isinstance(told, bytes) else told}]")
