"""What is true of an op is said at its declaration: no other room tells ops apart by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

import tapeviz.ops  # noqa: F401 - offers them all
from tapeviz.engine.declaration import registry
from tests.structure.sources import modules

NAMES = frozenset(registry)
ROOMS = frozenset(["ops", "backends", "onnx", "compat", "adapters"])
"""Rooms that declare ops, have a device's own kernels for some, or say which of them another system's stand for."""
OLDER = "tapeviz.recording.upgrade"
COLUMNS = frozenset(["said", "cells"])
"""Methods that give a column of ``ops`` by its name."""


def parts_of(name: str) -> list[str]:
    """Return a module's name without the package's."""
    return name.split(".")[1:]


def texts(node: ast.AST | None) -> set[str]:
    """Return the texts in a literal: itself, its members, or its keys."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.Dict):
        return {text for key in node.keys for text in texts(key)}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("frozenset", "set", "tuple"):
        return {text for argument in node.args for text in texts(argument)}
    if isinstance(node, ast.Set | ast.Tuple | ast.List):
        return {text for member in node.elts for text in texts(member)}
    if isinstance(node, ast.BinOp):
        return texts(node.left) | texts(node.right)
    return set()


def constants(tree: ast.Module) -> dict[str, set[str]]:
    """Return the texts in each table at the top of a module."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found[target.id] = texts(node.value)
    return found


class Reader(ast.NodeVisitor):
    """Follows the names of ops through a module, and keeps the lines that compare them with texts.

    Args:
        tables: the texts in the tables of all modules, by the tables' names.
    """

    def __init__(self, tables: dict[str, set[str]]) -> None:
        self.tables = tables
        self.named: set[str] = set()
        self.found: list[tuple[int, str]] = []

    # What is a name of an op, or a column of such names.

    def is_name(self, node: ast.AST | None) -> bool:
        match node:
            case ast.Name(id=name):
                return name in self.named
            case ast.Attribute(attr="name", value=ast.Name(id=of) | ast.Attribute(attr=of)):
                return of in ("op", "declared")
            case ast.Call(func=ast.Attribute(attr=attr), args=[*_, ast.Constant(value="name")]):
                return attr in COLUMNS
            case ast.Subscript(value=value):
                return self.is_column(value) or self.is_name(value)
            case ast.NamedExpr(value=value):
                return self.is_name(value)
        # The op of a finding, of a stage, of a row; that of an event.
        return getattr(node.func if isinstance(node, ast.Call) else node, "attr", "") == "op"

    def is_column(self, node: ast.AST | None) -> bool:
        match node:
            case ast.Attribute(attr="name", value=ast.Name(id="ops") | ast.Attribute(attr="ops")):
                return True
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "map" | "set" | "list"), args=args):
                return any(map(self.is_column, args))
            case ast.Name(id=name):
                return f"{name}[]" in self.named
        return False

    def bind(self, target: ast.AST, value: ast.AST) -> None:
        """Remember that a variable holds such a name, or a column of them."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts, strict=False):
                self.bind(one, other)
        elif isinstance(target, ast.Name):
            self.named |= {target.id} if self.is_name(value) else set()
            self.named |= {f"{target.id}[]"} if self.is_column(value) else set()

    def over(self, target: ast.AST, value: ast.AST) -> None:
        """Remember what runs over a column of names."""
        if self.is_column(value):
            self.named |= {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}

    # What is looked at.

    def visit(self, node: ast.AST) -> None:
        """Look at what a comprehension runs over before what it makes of it."""
        for generator in getattr(node, "generators", ()):
            self.visit(generator)
        super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before = set(self.named)
        self.generic_visit(node)
        self.named = before

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.bind(target, node.value)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.bind(node.target, node.value)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self.over(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.over(node.target, node.iter)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        if any(map(self.is_name, sides)):
            for side in sides:
                self.keep(node, side)
        if any(map(self.is_column, sides)):  # "exp" in ops.name
            for side in sides:
                self.keep(node, side)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in ("startswith", "endswith", "removeprefix") and self.is_name(node.func.value):
                self.found.append((node.lineno, ast.unparse(node)))
            if node.func.attr in ("get", "index") and any(map(self.is_name, node.args)):
                self.keep(node, node.func.value)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if self.is_name(node.slice):
            self.keep(node, node.value)
        self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> None:
        if self.is_name(node.subject):
            for case in node.cases:
                for part in ast.walk(case.pattern):
                    if isinstance(part, ast.MatchValue):
                        self.keep(node, part.value)
        self.generic_visit(node)

    def keep(self, node: ast.expr | ast.Match, side: ast.AST) -> None:
        """Keep a line where what a name is compared with are names of ops."""
        table = side.id if isinstance(side, ast.Name) else side.attr if isinstance(side, ast.Attribute) else ""
        if NAMES & (texts(side) | self.tables.get(table, set())):
            self.found.append((node.lineno, ast.unparse(node).partition("\n")[0]))


def tables_of_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield sets and dictionaries all of whose members are names of ops: not words that are so by chance."""
    for node in ast.walk(tree):
        members = texts(node) if isinstance(node, ast.Set | ast.Dict) or _is_set(node) else set()
        if len(members) > 2 and members <= NAMES:
            yield node.lineno, ast.unparse(node)[:80]


def _is_set(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")


def found_in(name: str, text: str, tables: dict[str, set[str]] | None = None) -> list[str]:
    """Return where a module tells ops apart by their names."""
    tree = ast.parse(text)
    reader = Reader({**(tables or {}), **constants(tree)})
    reader.visit(tree)
    return sorted(f"{name}:{line} {said}" for line, said in {*reader.found, *tables_of_names(tree)})


def test_no_room_but_those_that_declare_ops_tells_them_apart_by_name():
    texts_of = {name: path.read_text(encoding="utf-8") for name, path in modules().items()}
    tables: dict[str, set[str]] = {}
    for text in texts_of.values():
        for table, members in constants(ast.parse(text)).items():
            if not table.startswith("_"):
                tables.setdefault(table, set()).update(members)
    found = [
        line
        for name, text in texts_of.items()
        if name != OLDER and not ROOMS.intersection(parts_of(name)[:1])
        for line in found_in(name, text, tables)
    ]
    assert found == [], "ask for a trait of the declaration (tapeviz.engine.traits), or for a column of ops"


@pytest.mark.parametrize("text", [
    "if graph.op(event) == 'cast': pass",
    "op = graph.op(row)\nif op in ('exp', 'expm1'): pass",
    "op, site = graph.op(event), graph.site(event)\nif op == 'assign': pass",
    "_SUMS = frozenset({'add', 'x'})\nsums = [name in _SUMS for name in recording.ops.name]",
    "ops = recording.ops\nsums = [row for row, name in enumerate(ops.name) if name == 'reduce_mean']",
    "names = recording.ops.name\nfound = names[row] == 'where'",
    "moving = [name.endswith(_ADDING) for of, name in zip(ops.family, ops.name, strict=True)]",
    "pole = {'log': 0.0, 'log1p': -1.0}.get(facts.op)",
    "if facts.op.startswith(_CONVOLUTIONS): pass",
    "if stage.op not in advice.CHOOSING: pass",
    "rule = _RULES = {'relu': 1}\nmade = _RULES[step.op.name]",
    "match step.op.name:\n    case 'matmul': pass",
    "if (op := node.op.name) == 'stack': pass",
    "_QUIET = {'identity', 'cast', 'stop_gradient'}",
    "if graph.said(event, 'name') == 'sqrt': pass",
    "there = 'exp' in recording.ops.name",
])  # fmt: skip
def test_what_tells_ops_apart_is_found(text):
    assert found_in("one", text, {"CHOOSING": {"gather"}})


@pytest.mark.parametrize("text", [
    "if what in ('shape', 'dtype'): pass",
    "row = {'shape': 1, 'number': 2, 'dtype': 3}",
    "if diff.what == 'equal': pass",
    "if step.op in (CONSTANT, CAPTURE): pass",
    "if row.op == 'gradient': pass",
    "if 'cast' in graph.traits(event): pass",
    "if family == 'shape' and sort == 'sort': pass",
    "run = registry['multiply'].run",
    "title = graph.op(row) or 'GC pause'",
])  # fmt: skip
def test_words_that_are_names_of_ops_by_chance_are_not(text):
    assert found_in("one", text) == []
