"""What the user's line calls the operands of an op: its own text, where the line can be read."""

from __future__ import annotations

import ast

from tapeviz.analysis.graph import Graph

__all__ = ["operand_name", "operand_texts"]

_LONGEST = 40


def operand_name(graph: Graph, event: int, slot: int) -> str:
    """The name of one of an event's operands (by its place among them): the user's, else as the line writes it."""
    tensor = graph.operands[event][slot]
    if tensor in graph.names or graph.is_variable[tensor]:
        return graph.name(tensor)
    texts = operand_texts(graph, event)
    if slot < len(texts) and len(texts[slot]) <= _LONGEST:
        return texts[slot]
    producer = int(graph.links.producer[tensor])
    return f"the result of {graph.op(producer)}" if producer >= 0 else "its input"


def operand_texts(graph: Graph, event: int) -> list[str]:
    """The operands of the call or operator on an event's line, as the line writes them; empty where it can't be told.

    A line is one of several that a call may go over, and a call may be one of a layer's: what doesn't read like a whole
    expression with as many operands as the op has inputs isn't the op.
    """
    site = graph.site(event)
    if site < 0:
        return []
    row = graph.recording.sites[site]
    text = row.text[row.column : row.end_column] if 0 <= row.column < row.end_column else ""
    try:
        written = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return []
    found = _operands(written, graph.op(event))
    return [ast.unparse(node) for node in found] if len(found) >= len(graph.operands[event]) else []


def _operands(written: ast.expr, op: str) -> list[ast.expr]:
    if isinstance(written, ast.BinOp):
        return [written.left, written.right]
    if isinstance(written, ast.Compare):
        return [written.left, *written.comparators]
    if isinstance(written, ast.UnaryOp):
        return [written.operand]
    if isinstance(written, ast.Call) and isinstance(written.func, ast.Attribute) and _is_of(written.func.attr, op):
        return [*written.args, *(keyword.value for keyword in written.keywords)]
    return []


def _is_of(name: str, op: str) -> bool:
    """Whether a function's name is that of an op: ``reduce_mean`` runs ``mean``, ``sequence_mask`` is no ``less``."""
    name = name.strip("_")
    return name.endswith(op) or op.endswith(name)
