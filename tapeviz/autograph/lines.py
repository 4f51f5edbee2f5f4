"""Which lines of the converted code come from which lines of the source."""

from __future__ import annotations

import ast

__all__ = ["line_map"]


def line_map(node: ast.FunctionDef | ast.Lambda, generated: str) -> list[tuple[int, int]]:
    """Pairs of a line of ``generated``, which was written from ``node``, and a line of the source."""
    written = ast.parse(generated).body[0]
    pairs: set[tuple[int, int]] = set()
    if isinstance(node, ast.Lambda):
        return [(line, node.lineno) for line in range(1, generated.count("\n") + 2)]
    _pair(node, written, pairs)
    return sorted(pairs)


def _pair(node: ast.AST, written: ast.AST, pairs: set[tuple[int, int]]) -> None:
    """Both trees have the same statements."""
    pairs.add((written.lineno, node.lineno))  # type: ignore[attr-defined]
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        ours, theirs = getattr(node, field, []), getattr(written, field, [])
        if not isinstance(ours, list):
            continue
        for inner, other in zip(ours, theirs, strict=False):
            if isinstance(inner, ast.match_case):
                pairs.add((other.pattern.lineno, inner.pattern.lineno))
                for one, two in zip(inner.body, other.body, strict=False):
                    _pair(one, two, pairs)
            else:
                _pair(inner, other, pairs)
