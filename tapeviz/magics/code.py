"""The code under a magic, compiled as its cell would be."""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from IPython.core.displayhook import DisplayHook
from IPython.core.error import UsageError

__all__ = ["Body", "compiled", "transformed"]

_count: Final = itertools.count()
_AWAIT: Final[int] = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_ends_with_semicolon: Final[Any] = DisplayHook.semicolon_at_end_of_expression  # untyped in IPython


@dataclass(frozen=True, slots=True)
class Body:
    """Compiled code, and what is known of it before it runs.

    It is one code object, so that a debugger steps from each line to the next. Its last expression is handed to a
    function that has the name ``given_to`` while it runs; there is no such name when it has no value.
    """

    code: CodeType
    given_to: str
    silenced: bool
    stored: frozenset[str]
    tree: ast.Module
    """The code as it was parsed."""
    opaque: bool
    """Whether it may store names that cannot be seen in it, as a magic in it does."""

    def run(self, scope: dict[str, Any], names: dict[str, Any]) -> Any:
        """Run it once; its value is that of the last expression, or None."""
        __tracebackhide__ = True
        if not self.given_to:
            exec(self.code, scope, names)  # noqa: S102 - the user's own code
            return None
        values: list[Any] = []
        scope[self.given_to] = values.append
        try:
            exec(self.code, scope, names)  # noqa: S102
        finally:
            scope.pop(self.given_to, None)
        return values[-1] if values else None


def transformed(shell: Any, code: str) -> str:
    """The code with its magics written as Python, line for line."""
    python = str(shell.transform_cell(code))
    # IPython drops blank lines at the top, but not while a debugger is attached.
    return "\n" * (_blank_lines(code) - _blank_lines(python)) + python


def _blank_lines(code: str) -> int:
    """How many there are at the top."""
    lines = code.split("\n")
    return next((at for at, line in enumerate(lines) if line.strip()), len(lines))


def compiled(shell: Any, text: str, file: str, magic: str, indent: int = 0) -> Body:
    """Compile the text of a cell from its first line on.

    Args:
        shell: whose compiler, flags and transformers of syntax trees are used.
        text: Python, each line of it where it stands in the cell.
        file: the cell's file name.
        magic: the magic's name for messages.
        indent: how many bytes further to the right the code stands in the cell.

    Raises:
        SyntaxError: it is not Python.
        UsageError: it awaits at the top, which code under a magic cannot.
    """
    __tracebackhide__ = True
    tree = shell.compile.ast_parse(text, filename=file)
    placed = (node for node in ast.walk(tree) if isinstance(node, (ast.stmt, ast.expr)))
    for node in placed if indent else ():
        node.col_offset += indent
        node.end_col_offset = (node.end_col_offset or 0) + indent
    tree = shell.transform_ast(tree)
    parsed = copy.deepcopy(tree)
    statements = _with_value(tree.body, shell.ast_node_interactivity)
    last = statements[-1] if statements and shell.ast_node_interactivity != "none" else None
    given_to = ""
    if isinstance(last, ast.Expr):
        given_to = f"_tapeviz_value_{next(_count)}_"
        last.value = ast.copy_location(ast.Call(_name(given_to, last), [last.value], []), last.value)
    if shell.ast_node_interactivity == "all":
        code = _code(shell, ast.Interactive(statements), file, "single", magic)
    else:
        code = _code(shell, ast.Module(statements, []), file, "exec", magic)
    silenced = bool(given_to) and bool(_ends_with_semicolon(text))
    return Body(code, given_to, silenced, frozenset(_stored(tree)), parsed, _is_opaque(tree))


def _name(name: str, place: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), place)


def _with_value(statements: list[ast.stmt], interactivity: str) -> list[ast.stmt]:
    """The statements, with the name that the last one assigns behind it where the shell is set to show that."""
    if interactivity != "last_expr_or_assign" or not statements:
        return statements
    last = statements[-1]
    targets = last.targets if isinstance(last, ast.Assign) else [getattr(last, "target", None)]
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or isinstance(last, (ast.For, ast.AsyncFor)):
        return statements
    return [*statements, ast.copy_location(ast.Expr(_name(targets[0].id, last)), last)]


def _code(shell: Any, tree: ast.AST, file: str, form: str, magic: str) -> CodeType:
    with shell.compile.extra_flags(_AWAIT):  # so that an await is found rather than a syntax error
        code: CodeType = shell.compile(tree, file, form)
    if code.co_flags & inspect.CO_COROUTINE:
        raise UsageError(
            f"{magic} cannot await at the top of a cell; instead of the magic, "
            "with tapeviz.record() as tape: around the code can"
        )
    return code


def _stored(tree: ast.AST) -> Iterator[str]:
    """The names that the code itself stores: not those inside the functions and classes that it defines."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
            continue
        elif isinstance(node, ast.Lambda):
            continue
        waiting.extend(ast.iter_child_nodes(node))


def _is_opaque(tree: ast.AST) -> bool:
    called = {getattr(n.func, "attr", getattr(n.func, "id", "")) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    stars = any(alias.name == "*" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for alias in n.names)
    return stars or bool(called & {"run_cell_magic", "run_line_magic", "exec", "globals"})
