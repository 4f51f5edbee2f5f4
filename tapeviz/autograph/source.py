"""The syntax tree of a function, found again from its file, notebook cell or whatever ``linecache`` knows it by."""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
from collections import OrderedDict
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Final

__all__ = ["NoSource", "Source", "find", "remember"]

_MOST: Final = 64


class NoSource(Exception):  # noqa: N818 - it is an answer rather than an error
    """The source is not there, or is not that of this function."""


@dataclass(frozen=True, slots=True)
class Source:
    """The definition of a function: its tree with the lines and columns of its file, and its text."""

    node: ast.FunctionDef | ast.Lambda
    text: str


_sources: Final[OrderedDict[int, tuple[CodeType, Source]]] = OrderedDict()


def remember(function: FunctionType, node: ast.FunctionDef, text: str) -> None:
    """Say what a function was made from whose definition stands in no file, such as that of a cell's code."""
    code = function.__code__
    _sources[id(code)] = code, Source(node, text)
    while len(_sources) > _MOST:
        _sources.popitem(last=False)


def find(function: FunctionType) -> Source:
    """The source of a function or lambda.

    Raises:
        NoSource: saying why there is none.
    """
    code = function.__code__
    if (told := _sources.get(id(code))) is not None:
        return Source(copy.deepcopy(told[1].node), told[1].text)  # converting changes the tree
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSource(f"the source of {code.co_filename} is not available")
    if code.co_firstlineno > len(lines):
        raise NoSource(f"{code.co_filename} has fewer lines than it had")
    return _lambda(code, lines) if code.co_name == "<lambda>" else _definition(code, lines)


def _definition(code: CodeType, lines: list[str]) -> Source:
    first = code.co_firstlineno - 1
    block = _block(lines, first)
    for node in _parsed(block, first).body:
        inner = node.body[0] if isinstance(node, ast.If) else node
        if isinstance(inner, ast.FunctionDef) and inner.name == code.co_name and _has_parameters(inner, code):
            return Source(inner, "".join(block))
    raise NoSource(f"line {code.co_firstlineno} of {code.co_filename} is not its definition (any more)")


def _block(lines: list[str], first: int) -> list[str]:
    try:
        return inspect.getblock(lines[first:])
    except (IndentationError, SyntaxError) as error:
        raise NoSource(f"its source cannot be read: {error}") from None


def _parsed(block: list[str], first: int) -> ast.Module:
    """The block as a tree at the lines where it stands, its indentation kept so that columns and texts stay true."""
    indented = block[0][:1].isspace()
    try:
        tree = ast.parse("".join(["if True:\n", *block] if indented else block))
    except SyntaxError as error:
        raise NoSource(f"its source cannot be read: {error.msg}") from None
    return ast.increment_lineno(tree, first - 1 if indented else first)


def _has_parameters(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    args = node.args
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]
    # Methods of a class have the class's name in front of their private parameters.
    return len(names) <= len(code.co_varnames) and all(
        given.endswith(name) for name, given in zip(names, code.co_varnames, strict=False)
    )


def _lambda(code: CodeType, lines: list[str]) -> Source:
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError as error:
        raise NoSource(f"its source cannot be read: {error.msg}") from None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and _is_lambda(node, code)]
    if len(found) != 1:
        raise NoSource(f"line {code.co_firstlineno} of {code.co_filename} has {len(found) or 'no'} such lambdas")
    node = found[0]
    text = "".join(lines[node.lineno - 1 : node.end_lineno])
    return Source(node, text)


def _is_lambda(node: ast.Lambda, code: CodeType) -> bool:
    """Whether the places of all instructions lie in this lambda's body, and begin where it begins."""
    if not _has_parameters(node, code) or node.lineno > code.co_firstlineno:
        return False
    placed = [place for place in code.co_positions() if None not in place and place[3] != 0]
    if not placed:  # Python runs without columns
        return node.lineno == code.co_firstlineno
    begin = min((line, column) for line, _, column, _ in placed)
    end = max((line, column) for _, line, _, column in placed)
    body = node.body
    return begin == (body.lineno, body.col_offset) and end == (body.end_lineno, body.end_col_offset)
