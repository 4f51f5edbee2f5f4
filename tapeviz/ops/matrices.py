"""Products of matrices."""

from __future__ import annotations

from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.define import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import NUMBERS

__all__ = ["matmul"]


def _forward(xp: Any, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    if a.ndim == 2 and b.ndim == 2:  # noqa: PLR2004 - two matrices: dot skips matmul's loop and its spurious warnings
        return xp.dot(a.T if transpose_a else a, b.T if transpose_b else b)
    if a.ndim < 2 or b.ndim < 2:  # noqa: PLR2004
        raise ValueError("a matrix has two axes")
    return xp.matmul(a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b)


def _gradient_a(F: Any, g: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:  # noqa: N803, FBT001
    if transpose_a:
        return F.matmul(b, g, transpose_a=transpose_b, transpose_b=True)
    return F.matmul(g, b, transpose_a=False, transpose_b=not transpose_b)


def _gradient_b(F: Any, g: Any, a: Any, transpose_a: bool, transpose_b: bool) -> Any:  # noqa: N803, FBT001
    if transpose_b:
        return F.matmul(g, a, transpose_a=True, transpose_b=transpose_a)
    return F.matmul(a, g, transpose_a=not transpose_a, transpose_b=False)


matmul = op(
    "matmul",
    doc="The product of two matrices, or of stacks of them.",
    example=">>> import tapeviz as tf\n>>> tf.matmul([[2.]], [[3.]]).numpy()\narray([[6.]], dtype=float32)",
    family="linalg",
    tf_name="MatMul",
    forward=_forward,
    infer=rules.matmul,
    types=NUMBERS,
    vjp={"a": _gradient_a, "b": _gradient_b},
    formula=r"C_{ij} = \sum_k A_{ik} B_{kj}",
    vjp_formula=(r"\bar A = \bar C\, B^\top", r"\bar B = A^\top \bar C"),
    samples=cases(
        ([(2, 3), (3, 4)], {}),
        ([(3, 2), (3, 4)], {"transpose_a": True}),
        ([(2, 3), (4, 3)], {"transpose_b": True}),
        ([(3, 2), (4, 3)], {"transpose_a": True, "transpose_b": True}),
        ([(5, 2, 3), (3, 4)], {}),
        ([(5, 2, 3), (5, 3, 4)], {}),
        ([(1, 2, 3), (5, 3, 4)], {}),
    ),
)
