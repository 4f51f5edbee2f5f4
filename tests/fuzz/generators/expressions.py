"""Expressions of the reference tests, over arguments instead of constants: all public functions as people call them."""

from __future__ import annotations

import ast
from functools import cache

from tests.fuzz.generators.builder import Builder
from tests.reference.language import CASES, cases

_NOT_THESE = (
    "device", "gpu", "tf.config", "tf.test", "dlpack", ".numpy", "repr(", "str(", "print", "record", "random", "string",
    "__", "experimental", "dropout", "py_function", "numpy_function", "is_tensor", "is_nested", "list_logical",
    "is_symbolic",
)  # fmt: skip
_NAMED = {"x3": ([3], "float32"), "i3": ([3], "int32"), "b2": ([2], "bool"), "m": ([2, 2], "float32"),
          "t": ([2, 3, 4], "float32")}  # fmt: skip


@cache
def _expressions() -> list[str]:
    """Return the expressions that have a value and are about tensors."""
    found = []
    for file in CASES:
        for text, phrase in cases(file):
            if phrase or "tf." not in text or any(word in text for word in _NOT_THESE):
                continue
            found.append(text)
    return found


class _Arguments(ast.NodeTransformer):
    """Puts arguments of the program in the place of constants and of the language's named tensors."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.names: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in _NAMED:
            return node
        if node.id not in self.names:
            shape, dtype = _NAMED[node.id]
            self.names[node.id] = self.build.tensor_of(shape, dtype, "usual")
        return ast.Name(self.names[node.id], ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in "cv":
            return self._constant(node)
        return node

    def _constant(self, node: ast.Call) -> ast.AST:
        text = "tf.constant" + ast.unparse(node)[1:]
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        simple = names <= {"tf", "np", "inf", "nan", "c", "v"}
        if isinstance(node.func, ast.Name) and node.func.id == "v":
            name = simple and self.build.made("v", _spelled(ast.unparse(node)), thing=True)
        else:
            name = simple and self.build.chance(0.8) and self.build.made("c", _spelled(text))
        if name:
            return ast.Name(name, ast.Load())
        return ast.parse(text, mode="eval").body


def _spelled(text: str) -> str:
    """Return the expression with the language's short words written out."""
    tree = ast.parse(text, mode="eval")
    return ast.unparse(_Words().visit(tree))


class _Words(ast.NodeTransformer):
    long = {"c": "tf.constant", "v": "tf.Variable", "inf": "np.inf", "nan": "np.nan"}  # noqa: RUF012

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(self.long[node.id], mode="eval").body if node.id in self.long else node


def evaluate_expression(build: Builder) -> None:
    """Add an expression of the reference tests."""
    text = build.rng.choice(_expressions())
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return
    if any(isinstance(part, ast.Name) and part.id in ("grad", "grad2") for part in ast.walk(tree)):
        return
    bound = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    bound |= {part.arg for part in ast.walk(tree) if isinstance(part, ast.arg)}
    if bound & (_NAMED.keys() | _Words.long.keys()):  # a word of the language as a name of its own
        return
    code = ast.unparse(_Words().visit(_Arguments(build).visit(tree)))
    build.let(code)
