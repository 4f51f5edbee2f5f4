"""Expressions over tensors of which shapes are only partly known, over TensorFlow or over tapeviz."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
ANSWERS = HERE / "answers.json"
LETTERS = "abcdefghijklmn"

Spec = tuple[str, list[int | None] | None]
"""The dtype of a tensor and what is known of its sizes; None for unknown rank."""


def expressions() -> list[str]:
    """Return the expressions, each with its tensors written out."""
    lines = (HERE / "expressions.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


class Holes(ast.NodeTransformer):
    """Puts letters in the place of tensors, but for those ``kept``; ``specs`` says what stood there."""

    def __init__(self, tf: Any, kept: set[int]) -> None:
        self.names = {"tf": tf, "np": np, "c": tf.constant, "f": lambda *sizes: tf.ones(sizes)}
        self.kept = kept
        self.count = 0
        self.specs: list[Spec] = []
        self.values: list[Any] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not isinstance(node.func, ast.Name) or node.func.id not in "cf":
            self.generic_visit(node)
            return node
        self.count += 1
        if self.count - 1 in self.kept:
            return node
        value = eval(ast.unparse(node), self.names)
        self.values.append(value)
        self.specs.append((value.dtype.name, [int(size) for size in value.shape]))
        return ast.Name(LETTERS[len(self.specs) - 1], ast.Load())


def with_holes(tf: Any, expression: str, kept: set[int]) -> tuple[str, list[Spec]]:
    """Return the expression over letters, and what the letters stand for."""
    holes = Holes(tf, kept)
    tree = holes.visit(ast.parse(expression, mode="eval"))
    return ast.unparse(tree.body), holes.specs


def values_of(tf: Any, expression: str) -> list[Any]:
    """Return what stood where ``with_holes`` puts letters, for all of them."""
    holes = Holes(tf, set())
    holes.visit(ast.parse(expression, mode="eval"))
    return holes.values


def evaluated(tf: Any, expression: str, values: Any) -> list[Any]:
    """Return the tensors that the expression gives for these values of its letters."""
    names = {"tf": tf, "np": np, "c": tf.constant, "f": lambda *sizes: tf.ones(sizes)}
    names.update(zip(LETTERS, values, strict=False))
    return [one for one in tf.nest.flatten(eval(expression, names)) if hasattr(one, "dtype")]


def traced(tf: Any, expression: str, specs: list[Spec]) -> list[Any]:
    """Return what is known of the shapes of the results in a function that is traced for these specs."""
    signature = [tf.TensorSpec(shape, dtype) for dtype, shape in specs]
    function = tf.function(lambda *values: evaluated(tf, expression, values), autograph=False)
    return shapes(tf.nest.flatten(function.get_concrete_function(*signature).structured_outputs))


def built(tf: Any, expression: str, specs: list[Spec]) -> list[Any]:
    """Return the same for placeholders of a graph for sessions."""
    with tf.Graph().as_default():
        values = [tf.compat.v1.placeholder(dtype, shape) for dtype, shape in specs]
        return shapes(evaluated(tf, expression, values))


def shapes(tensors: list[Any]) -> list[Any]:
    """Return static shapes as JSON holds them."""
    return [None if one.shape.rank is None else one.shape.as_list() for one in tensors]


def answers() -> dict[str, list[tuple[list[Spec], Any]]]:
    """Return TensorFlow's answers: shapes, or the class of its error."""
    found: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    del found["version"]
    return found
