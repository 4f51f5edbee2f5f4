"""What of a function's Python happens while it is traced, and not when its graph runs.

Read from the source: prints, what is put into lists and dicts, attributes and items that are set. It is what surprises
people who expect it at each call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

from tapeviz.autograph.source import NoSource, find

__all__ = ["effects_of", "place_of"]

_LISTS: Final = frozenset(("append", "extend", "insert", "remove", "pop", "sort", "reverse", "clear"))
_DICTS: Final = frozenset(("update", "setdefault", "add", "discard", "popitem"))


def effects_of(function: Any) -> list[tuple[str, tuple[CodeType, int], str]]:
    """Kind, place (code object and instruction) and sentence of each; none where there is no source."""
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    try:
        node = find(function).node
    except NoSource:
        return []
    found = []
    for kind, line, text in _effects(node):
        place = place_of(code, line)
        if place is not None:
            found.append((kind, place, f"{text} ran once, while tracing; a run of the graph does not do it."))
    return found


def _effects(node: ast.AST) -> Iterator[tuple[str, int, str]]:
    for statement in ast.walk(node):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from _of_call(statement.value)
        elif isinstance(statement, (ast.Assign, ast.AugAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                if isinstance(target, (ast.Attribute, ast.Subscript)):
                    kind = "attribute" if isinstance(target, ast.Attribute) else "dict"
                    yield kind, statement.lineno, f"Setting {ast.unparse(target)}"


def _of_call(call: ast.Call) -> Iterator[tuple[str, int, str]]:
    callee = call.func
    if isinstance(callee, ast.Name) and callee.id == "print":
        yield "print", call.lineno, "This print"
    elif isinstance(callee, ast.Attribute) and callee.attr in _LISTS | _DICTS:
        kind = "list" if callee.attr in _LISTS else "dict"
        yield kind, call.lineno, f"{ast.unparse(callee)}(...)"


def place_of(code: CodeType, line: int) -> tuple[CodeType, int] | None:
    """The first instruction of a line, in the code or in that of a function inside it."""
    for number, position in enumerate(code.co_positions()):
        if position[0] == line and number:
            return code, 2 * number
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and (found := place_of(inner, line)) is not None:
            return found
    return None
