"""Products of matrices."""

from __future__ import annotations

import math
from typing import Any

from tapeviz.engine import rules
from tapeviz.engine.convert import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.define import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.types import NUMBERS

__all__ = ["matmul", "matvec", "tensordot"]


def _forward(xp: Any, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    if a.ndim == 2 and b.ndim == 2:  # noqa: PLR2004 - two matrices: dot skips matmul's loop and its spurious warnings
        return xp.dot(a.T if transpose_a else a, b.T if transpose_b else b)
    if a.ndim < 2 or b.ndim < 2:  # noqa: PLR2004
        raise ValueError("a matrix has two axes")
    return xp.matmul(a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b)


def _gradient_a(F: Any, g: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    if transpose_a:
        return F.matmul(b, g, transpose_a=transpose_b, transpose_b=True)
    return F.matmul(g, b, transpose_a=False, transpose_b=not transpose_b)


def _gradient_b(F: Any, g: Any, a: Any, transpose_a: bool, transpose_b: bool) -> Any:
    if transpose_b:
        return F.matmul(g, a, transpose_a=True, transpose_b=transpose_a)
    return F.matmul(a, g, transpose_a=not transpose_a, transpose_b=False)


_product = op(
    "matmul",
    doc="The product of two matrices, or of stacks of them.",
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


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    name: str | None = None,
) -> Any:
    """The product of two matrices, or of stacks of them: rows of ``a`` times columns of ``b``.

    Args:
        a: of shape ``[..., n, k]``.
        b: of shape ``[..., k, m]``; axes before the last two broadcast with those of ``a``.
        transpose_a: swap the last two axes of ``a`` first.
        transpose_b: swap the last two axes of ``b`` first.
        adjoint_a: the same as ``transpose_a``: there are no complex numbers here.
        adjoint_b: the same as ``transpose_b``.
        a_is_sparse: accepted as TensorFlow does.
        b_is_sparse: accepted as TensorFlow does.
        output_type: the dtype to cast the product to.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the columns of ``a`` are not as many as the rows of ``b``, or one is not a matrix.

    >>> import tapeviz as tf
    >>> tf.matmul([[2.0]], [[3.0]]).numpy()
    array([[6.]], dtype=float32)
    """
    product = _product.run(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b)
    return product if output_type is None else public["cast"](product, output_type)


def matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, name: str | None = None) -> Any:
    """The product of a matrix and a vector, or of stacks of them.

    Raises:
        InvalidArgumentError: the columns of ``a`` are not as many as the elements of ``b``.

    >>> import tapeviz as tf
    >>> tf.linalg.matvec([[1.0, 2.0]], [3.0, 4.0]).numpy()
    array([11.], dtype=float32)
    """
    column = registry["expand_dims"].run(b, -1)
    return registry["squeeze"].run(_product.run(a, column, transpose_a or adjoint_a, False), (-1,))


def _contracted(axes: Any, rank_a: int, rank_b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if hasattr(axes, "numpy"):
        axes = axes.numpy().tolist()
    if isinstance(axes, int):
        if not 0 <= axes <= min(rank_a, rank_b):
            raise ValueError(f"`axes` must be from 0 to the rank of `a` and `b`, {min(rank_a, rank_b)}; got {axes}")
        return tuple(range(rank_a - axes, rank_a)), tuple(range(axes))
    first, second = (list(one) if isinstance(one, (list, tuple)) else [one] for one in axes)
    if len(first) != len(second):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}.")
    return tuple(axis % rank_a for axis in first), tuple(axis % rank_b for axis in second)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """The sum of products of ``a`` and ``b`` over pairs of axes.

    Args:
        a: a tensor.
        b: a tensor of the same dtype.
        axes: how many last axes of ``a`` go with the first of ``b``, or a list of axes of each.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: axes that go together differ in size.
        ValueError: ``axes`` names different numbers of axes.

    >>> import tapeviz as tf
    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], 1).numpy()
    np.float32(11.0)
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    over_a, over_b = _contracted(axes, a.ndim, b.ndim)
    free_a = tuple(axis for axis in range(a.ndim) if axis not in over_a)
    free_b = tuple(axis for axis in range(b.ndim) if axis not in over_b)
    shape_a, shape_b = a._a.shape, b._a.shape
    transpose, reshape = registry["transpose"].run, registry["reshape"].run
    inner = math.prod(shape_a[axis] for axis in over_a)
    rows = reshape(transpose(a, (*free_a, *over_a)), (math.prod(shape_a[axis] for axis in free_a), inner))
    inner = math.prod(shape_b[axis] for axis in over_b)
    columns = reshape(transpose(b, (*over_b, *free_b)), (inner, math.prod(shape_b[axis] for axis in free_b)))
    free = (*(shape_a[axis] for axis in free_a), *(shape_b[axis] for axis in free_b))
    return reshape(_product.run(rows, columns), free)
