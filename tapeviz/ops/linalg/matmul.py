"""Products of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeviz.backends.blocks import LARGE
from tapeviz.backends.small_products import is_product_in_pieces, product_in_pieces
from tapeviz.backends.tiled_products import product, stacked_product
from tapeviz.backends.vector_products import long_product
from tapeviz.engine import rules, static_shapes
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.op_definition import op
from tapeviz.engine.operators import public
from tapeviz.engine.samples import cases
from tapeviz.engine.types import COMPLEXES, NUMBERS
from tapeviz.ops.array.reshape import matrix_transpose
from tapeviz.ops.runtime_calls import by_rank

__all__ = ["adjoint", "matmul", "matvec", "tensordot"]


def _forward(xp: Any, a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    if a.ndim == 2 and b.ndim == 2:  # noqa: PLR2004 - two matrices: dot skips matmul's loop and its spurious warnings
        a, b = a.T if transpose_a else a, b.T if transpose_b else b
        if len(a) * b.size >= LARGE:
            found = long_product(a, b)
            found = product(a, b) if found is None else found
            if found is not None:
                return found
            if a.__class__ is np.ndarray and is_product_in_pieces(len(a), b.size):
                return product_in_pieces(a, b)
        return xp.dot(a, b)
    if a.ndim < 2 or b.ndim < 2:  # noqa: PLR2004
        raise ValueError("a matrix has two axes")
    return stacked_product(xp, a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b)


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
    static=static_shapes.matmul,
    types=NUMBERS | COMPLEXES,
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
        ([np.array([[1.0 + 2.0j, 0.5]]), np.array([[2.0j], [1.0]])], {}),
        ([np.array([[1.0 + 2.0j], [0.5j]]), np.array([[2.0j, 1.0]])], {"transpose_a": True, "transpose_b": True}),
    ),
    traits="contiguous product",
    hints="converts_apart",
    operator="matmul",
)


def _adjoints(a: Any, b: Any, transposed: tuple[bool, bool], adjoint: tuple[bool, bool]) -> tuple[Any, Any, bool, bool]:
    """The operands conjugated where that is asked for and means something, and which of them to transpose."""
    for letter, one, other in zip("ab", transposed, adjoint, strict=True):
        if one and other:
            raise ValueError(
                f"Only one of `transpose_{letter}` and `adjoint_{letter}` can be True. "
                f"Received `transpose_{letter}`=True, `adjoint_{letter}`=True."
            )
    a, b = convert_inputs(_product, (a, b))
    a, b = (
        registry["conj"].run(x) if wanted and x.dtype.is_complex else x
        for x, wanted in zip((a, b), adjoint, strict=True)
    )
    return a, b, transposed[0] or adjoint[0], transposed[1] or adjoint[1]


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
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of two matrices, or of stacks of them: rows of ``a`` times columns of ``b``.

    Args:
        a: of shape ``[..., n, k]``.
        b: of shape ``[..., k, m]``; axes before the last two broadcast with those of ``a``.
        transpose_a: swap the last two axes of ``a`` first.
        transpose_b: swap the last two axes of ``b`` first.
        adjoint_a: swap the last two axes of ``a`` and take complex conjugates first.
        adjoint_b: swap the last two axes of ``b`` and take complex conjugates first.
        a_is_sparse: accepted as TensorFlow does.
        b_is_sparse: accepted as TensorFlow does.
        output_type: the dtype to cast the product to.
        grad_a: accepted as TensorFlow does.
        grad_b: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the columns of ``a`` are not as many as the rows of ``b``, or one is not a matrix.
        ValueError: one is to be both transposed and made adjoint.

    >>> import tapeviz as tf
    >>> tf.matmul([[2.0]], [[3.0]]).numpy()
    array([[6.]], dtype=float32)
    """
    if adjoint_a or adjoint_b:
        a, b, transpose_a, transpose_b = _adjoints(a, b, (transpose_a, transpose_b), (adjoint_a, adjoint_b))
    product = _product.run(a, b, transpose_a, transpose_b)
    return product if output_type is None else public["cast"](product, output_type)


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of a matrix and a vector, or of stacks of them.

    Args:
        a: of shape ``[..., n, k]``.
        b: of shape ``[..., k]``.
        transpose_a: swap the last two axes of ``a`` first.
        adjoint_a: swap the last two axes of ``a`` and take complex conjugates first.
        a_is_sparse: accepted as TensorFlow does.
        b_is_sparse: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the columns of ``a`` are not as many as the elements of ``b``.

    >>> import tapeviz as tf
    >>> tf.linalg.matvec([[1.0, 2.0]], [3.0, 4.0]).numpy()
    array([11.], dtype=float32)
    """
    a, b = convert_inputs(_product, (a, b))
    return registry["squeeze"].run(matmul(a, registry["expand_dims"].run(b, -1), transpose_a, False, adjoint_a), (-1,))


@by_rank()
def adjoint(matrix: Any, name: str | None = None) -> Any:
    """The conjugate transpose of a matrix, or of each of a stack of them; of real ones the transpose.

    Raises:
        ValueError: ``matrix`` has fewer than two axes.

    >>> import tapeviz as tf
    >>> tf.linalg.adjoint([[1.0 + 2.0j, 3.0]]).numpy()
    array([[1.-2.j],
           [3.-0.j]])
    """
    swapped = matrix_transpose(matrix)
    return registry["conj"].run(swapped) if swapped.dtype.is_complex else swapped


def _contracted(axes: Any, rank_a: int, rank_b: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if hasattr(axes, "numpy"):
        axes = axes._host().tolist()
    if isinstance(axes, int):
        if not 0 <= axes <= min(rank_a, rank_b):
            raise ValueError(f"`axes` must be from 0 to the rank of `a` and `b`, {min(rank_a, rank_b)}; got {axes}")
        return tuple(range(rank_a - axes, rank_a)), tuple(range(axes))
    first, second = (list(one) if isinstance(one, (list, tuple)) else [one] for one in axes)
    if len(first) != len(second):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}.")
    return tuple(axis % rank_a for axis in first), tuple(axis % rank_b for axis in second)


@by_rank()
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
    inner = math.prod(shape_a[axis] for axis in over_a)
    rows = _arranged(a, (*free_a, *over_a), (math.prod(shape_a[axis] for axis in free_a), inner))
    inner = math.prod(shape_b[axis] for axis in over_b)
    columns = _arranged(b, (*over_b, *free_b), (inner, math.prod(shape_b[axis] for axis in free_b)))
    free = (*(shape_a[axis] for axis in free_a), *(shape_b[axis] for axis in free_b))
    return registry["reshape"].run(_product.run(rows, columns), free)


def _arranged(x: Any, axes: tuple[int, ...], shape: tuple[int, int]) -> Any:
    """A tensor with its axes in another order, as a matrix; as TensorFlow does, without what changes nothing."""
    turned = x if axes == tuple(range(len(axes))) else registry["transpose"].run(x, axes)
    return turned if turned._a.shape == shape else registry["reshape"].run(turned, shape)
