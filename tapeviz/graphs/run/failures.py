"""What went wrong in the run of a graph, said in the words of the op and with the user's line."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING

from tapeviz.engine.errors import InvalidArgumentError, OpError
from tapeviz.engine.userline import cell_number

if TYPE_CHECKING:
    from tapeviz.graphs.ir.graph import Node

__all__ = ["explained", "explained_at", "line_in", "line_of"]


def line_of(node: Node) -> str:
    """The user's line that made a node, with its place."""
    if node.code is None:
        return ""
    positions = list(node.code.co_positions())
    place = node.instruction // 2
    line = (positions[place][0] if 0 <= place < len(positions) else None) or node.code.co_firstlineno
    file = node.code.co_filename
    text = linecache.getline(file, line).strip()
    cell = cell_number(file)
    where = f"cell [{cell}], line {line}" if cell is not None else f"line {line} of {file}"
    return f"{where}: {text}" if text else where


def explained(error: Exception, file: str, lines: dict[int, Node]) -> Exception:
    """The error of a node's kernel as an op's error; others as they are."""
    return explained_at(error, lines.get(line_in(error, file)))


def explained_at(error: Exception, node: Node | None) -> Exception:
    """The error of this node's kernel as an op's error; others as they are."""
    if node is None or getattr(error, "graph_node", None) is not None:
        return error
    if isinstance(error, OpError):
        better: Exception = type(error)(f"{error.message}{_place(node)}", error.op)
    elif node.op.effects == "write":
        return error  # Python of the user's own
    elif isinstance(error, (ValueError, TypeError, IndexError, ArithmeticError)):
        better = InvalidArgumentError(f"{error} [Op:{node.op.tf_name}]{_place(node)}", node.op.name)
    else:
        return error
    better.graph_node = node  # type: ignore[attr-defined]
    return better


def _place(node: Node) -> str:
    line = line_of(node)
    return f"\n\t [[{{{{node {node.name}}}}}]]" + (f"\n  at {line}" if line else "")


def line_in(error: Exception, file: str) -> int:
    """The line of a file in which an error was raised, 0 where it is none of its lines."""
    trace = error.__traceback__
    found = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found
