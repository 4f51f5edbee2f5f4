"""A cell run as one graph, as ``--mode graph`` and ``%mode graph`` do; and what it needs to run a second time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Final

from tapeviz.autograph.source import remember
from tapeviz.engine.errors import OperatorNotAllowedInGraphError
from tapeviz.engine.scopes import Module
from tapeviz.engine.variable import Variable
from tapeviz.functions.cells import TracedBlock, trace_block
from tapeviz.functions.function import functions_run_eagerly, run_functions_eagerly
from tapeviz.magics.code import Body
from tapeviz.ops.random.seeds import seeds

__all__ = ["GraphBody", "functions_eager", "restored"]

_NAME: Final = "cell"
_VALUE: Final = "cell_value_"
_DEEP: Final = 4

REFUSALS: Final = (OperatorNotAllowedInGraphError, NotImplementedError, TypeError)
"""What tracing raises about code that a graph cannot have."""


class GraphBody:
    """A cell's code to be run as one traced function. It has what a :class:`Body` has.

    Args:
        body: the code.
        text: the cell's source.
        fallback: told what a graph cannot have, when the code shall then run eagerly; None when it shall not.
    """

    def __init__(self, body: Body, text: str, fallback: Callable[[str], None] | None = None) -> None:
        self._body = body
        self._text = text
        self._fallback = fallback
        self.given_to: str
        self.silenced: bool
        self.stored: frozenset[str]
        self.opaque: bool
        self.given_to, self.silenced, self.stored, self.opaque = body.given_to, body.silenced, body.stored, body.opaque

    def run(self, scope: dict[str, Any], names: dict[str, Any]) -> Any:
        """Trace the code and run the graph; the names it assigns get values. Its value is that of the last expression.

        Raises:
            OperatorNotAllowedInGraphError: it needs a tensor's value in Python, which a graph cannot have.
        """
        __tracebackhide__ = True
        try:
            traced = self._traced(scope, names)
        except REFUSALS as error:
            if self._fallback is None:
                raise
            self._fallback(str(error).replace("\n", " "))
            return self._body.run(scope, names)
        found = traced.run()
        names.update({name: value for name, value in found.items() if name in self.stored})
        return found.get(_VALUE)

    def _traced(self, scope: dict[str, Any], names: dict[str, Any]) -> TracedBlock:
        __tracebackhide__ = True
        known = [name for name in sorted(_read_first(self._body.tree) & self.stored) if name in names]
        definition = _definition(self._body.tree, known)
        module = ast.Module([definition], [])
        file = self._body.code.co_filename
        made: dict[str, Any] = {}
        exec(compile(ast.fix_missing_locations(module), file, "exec"), scope, made)  # noqa: S102 - the user's own code
        function: FunctionType = made[_NAME]
        function.__defaults__ = tuple(names[name] for name in known)
        remember(function, definition, self._text)
        return trace_block(function, _NAME)


def _definition(tree: ast.Module, known: list[str]) -> ast.FunctionDef:
    """The code as a function that gives what it assigns. What it reads and then assigns anew are its parameters."""
    statements = copy.deepcopy(tree.body)
    last = statements[-1] if statements else None
    if isinstance(last, ast.Expr):
        statements[-1] = ast.copy_location(ast.Assign([ast.Name(_VALUE, ast.Store())], last.value), last)
    end = ast.Return(ast.Call(ast.Name("locals", ast.Load()), [], []))
    arguments = ast.arguments([], [ast.arg(name) for name in known], None, [], [], None, [])
    arguments.defaults = [ast.Constant(None) for _ in arguments.args]
    made = ast.FunctionDef(_NAME, arguments, [*statements, end], [])
    vars(made)["type_params"] = []
    if statements:
        ast.copy_location(made, statements[0])
        ast.copy_location(end, statements[-1])
    return made


def _read_first(tree: ast.Module) -> set[str]:
    """The names that may be read before the code has assigned them: those that it does not assign for certain."""
    read: set[str] = set()
    _follow(tree.body, read, set())
    return read


def _follow(statements: list[ast.stmt], read: set[str], assigned: set[str]) -> None:
    for statement in statements:
        certain = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr))
        parts: list[ast.AST] = [statement]
        if isinstance(statement, ast.With):
            certain, parts = True, list(statement.items)
        names = [node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)]
        # What a branch or a loop assigns may have been there before, and so may what is added to.
        read |= {name.id for name in names if not certain or not isinstance(name.ctx, ast.Store)} - assigned
        if certain:
            assigned |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
        if isinstance(statement, ast.With):
            _follow(statement.body, read, assigned)


@contextmanager
def functions_eager() -> Iterator[None]:
    """Functions that are traced otherwise run as the Python they are."""
    before = functions_run_eagerly()
    run_functions_eagerly(True)
    try:
        yield
    finally:
        run_functions_eagerly(before)


@contextmanager
def restored(names: dict[str, Any]) -> Iterator[Callable[[], None]]:
    """Let a cell run twice from the same start: the block gets a function that puts everything back.

    Put back are the names themselves, the values of variables that can be found from them, and the random numbers.
    """
    before, state = dict(names), seeds.state()
    values = {id(variable): (variable, variable._value) for variable in _variables(before)}

    def put_back() -> None:
        for variable, value in values.values():
            variable._value = value
        names.clear()
        names.update(before)
        seeds.restore(state)

    yield put_back


def _variables(names: dict[str, Any]) -> list[Variable]:
    found: dict[int, Variable] = {}
    seen: set[int] = set()
    _collect(names, found, seen, _DEEP)
    return list(found.values())


def _collect(value: Any, found: dict[int, Variable], seen: set[int], deep: int) -> None:
    if isinstance(value, Variable):
        found[id(value)] = value
    if deep == 0 or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        parts: Any = value.values()
    elif isinstance(value, (list, tuple, set)):
        parts = value
    elif isinstance(value, Module):
        parts = vars(value).values()
    else:
        return
    for part in list(parts):
        _collect(part, found, seen, deep - 1)
