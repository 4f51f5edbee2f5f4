"""Triangular systems, and the Cholesky decomposition into them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine import rules, static_shapes
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.static_shapes import at_least, broadcast, merged_sizes, shape_text
from tapeviz.ops import static_shape_rules
from tapeviz.ops.array.creation import eye
from tapeviz.ops.linalg.diagonals import diag_part
from tapeviz.ops.linalg.linear_systems import conjugated, outer
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, adjoint, invertible, is_complex, positive, square
from tapeviz.ops.linalg.singular_values import pinv
from tapeviz.ops.math.reductions import reduce_sum
from tapeviz.ops.runtime_calls import by_sizes, open_sizes

__all__ = ["cholesky", "cholesky_solve", "logdet", "lstsq", "triangular_solve"]


def _substituted(xp: Any, a: Any, b: Any, lower: bool) -> Any:
    """One half of the unknowns first, then, with them known, the other half: all work is in products of matrices."""
    size = a.shape[-1]
    if size < 2:  # noqa: PLR2004 - one unknown
        return xp.true_divide(b, a) if size else xp.add(b, xp.zeros((*a.shape[:-2], 0, 1), b.dtype))
    half = size // 2
    before, after = np.s_[..., :half, :], np.s_[..., half:, :]
    if lower:
        first = _substituted(xp, a[..., :half, :half], b[before], lower)
        rest = xp.subtract(b[after], xp.matmul(a[..., half:, :half], first))
        second = _substituted(xp, a[..., half:, half:], rest, lower)
    else:
        second = _substituted(xp, a[..., half:, half:], b[after], lower)
        rest = xp.subtract(b[before], xp.matmul(a[..., :half, half:], second))
        first = _substituted(xp, a[..., :half, :half], rest, lower)
    return xp.concatenate([first, second], axis=-2)


def _triangular_rule(matrix: Spec, rhs: Spec, *, lower: bool, transpose: bool) -> Spec:
    for position, spec in enumerate((matrix, rhs)):
        if len(spec.shape) < 2:  # noqa: PLR2004 - a matrix has two axes
            raise InvalidArgumentError(f"In[{position}] ndims must be >= 2: {len(spec.shape)}")
    if matrix.shape[-1] != matrix.shape[-2]:
        raise InvalidArgumentError("Input matrix must be square.")
    if matrix.shape[-1] != rhs.shape[-2]:
        raise InvalidArgumentError(
            f"In[0] mismatch In[1] shape: {matrix.shape[-1]} vs. {rhs.shape[-2]}: {rules.shape_text(matrix.shape)} "
            f"{rules.shape_text(rhs.shape)} {int(lower)} {int(transpose)}"
        )
    return Spec((*rules.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2]), *rhs.shape[-2:]), rhs.dtype)


_triangular_rule.broadcasts = True  # type: ignore[attr-defined]  # stacks of matrices broadcast


def _triangular_solution(xp: Any, matrix: Any, rhs: Any, *, lower: bool, transpose: bool) -> Any:
    if matrix.shape[-2:] != rhs.shape[-2:-1] * 2:
        raise ValueError("the shapes do not fit")
    if transpose:
        matrix, lower = matrix.swapaxes(-1, -2), not lower
    return _substituted(xp, matrix, rhs, lower)


def _triangular_gradient(F: Any, g: Any, matrix: Any, y: Any, lower: bool, transpose: bool) -> Any:
    found = outer(F, F.triangular_solve(matrix, g, lower=lower, transpose=not transpose), y, transpose)
    return F.band_part(found, num_lower=-1, num_upper=0) if lower else F.band_part(found, num_lower=0, num_upper=-1)


def _triangular_samples(rng: np.random.Generator) -> list[Any]:
    matrices = [x for (x,), _ in invertible((3, 3), (2, 2, 2), (4, 4))(rng)]
    sides = [rng.uniform(-1, 1, shape) for shape in ((3, 2), (2, 1), (2, 4, 2), (3, 1))]
    return [
        ((x, side.astype(x.dtype)), {"lower": lower, "transpose": transpose})
        for x, side in zip(matrices, sides, strict=True)
        for lower in (False, True)
        for transpose in (False, True)
    ]


_triangular = op(
    "triangular_solve",
    doc="The solution X of the triangular systems T X = B; only one triangle of T is read.",
    family="linalg",
    tf_name="MatrixTriangularSolve",
    forward=_triangular_solution,
    infer=_triangular_rule,
    static=static_shape_rules.banded,
    types=SOLVABLE,
    vjp={
        "matrix": _triangular_gradient,
        "rhs": lambda F, g, matrix, lower, transpose: F.triangular_solve(
            matrix, g, lower=lower, transpose=not transpose
        ),
    },
    formula=r"Y = T^{-1} B",
    vjp_formula=(r"\bar T = -\mathrm{tri}(T^{-\top} \bar Y\, Y^\top)", r"\bar B = T^{-\top} \bar Y"),
    samples=_triangular_samples,
)


def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None) -> Any:
    """The solution of systems of equations whose matrix is triangular, by substitution.

    Args:
        matrix: of shape ``[..., n, n]``; what is beyond its triangle is not read.
        rhs: the right-hand sides, one a column, ``[..., n, k]``.
        lower: whether the lower triangle holds the matrix.
        adjoint: solve with the conjugate transpose of ``matrix`` instead.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit. A zero on the diagonal is no error but gives infinity or nan.

    >>> import tapeviz as tf
    >>> tf.linalg.triangular_solve([[2.0, 9.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    if adjoint:
        matrix, rhs = convert_inputs(_triangular, (matrix, rhs))
        matrix = conjugated(matrix)
    return _triangular.run(matrix, rhs, lower, adjoint)


def _decomposed(xp: Any, x: Any) -> Any:
    try:
        return xp.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        square(Spec(x.shape, x.dtype))
        raise InvalidArgumentError("Cholesky decomposition was not successful. The input might not be valid.") from None


def _back(F: Any, factor: Any, x: Any, spec: Spec) -> Any:
    """The inverse of the adjoint of a lower triangular matrix, times x."""
    return F.triangular_solve(F.conj(factor) if is_complex(spec) else factor, x, lower=True, transpose=True)


def _cholesky_gradient(F: Any, g: Any, y: Any, y_spec: Any) -> Any:
    middle = F.matmul(adjoint(F, y, y_spec), g, transpose_a=False, transpose_b=False)
    lower = F.subtract(
        F.band_part(middle, num_lower=-1, num_upper=0),
        F.multiply(F.band_part(middle, num_lower=0, num_upper=0), 0.5),
    )
    half = adjoint(F, _back(F, y, adjoint(F, _back(F, y, lower, y_spec), y_spec), y_spec), y_spec)
    return F.multiply(F.add(half, adjoint(F, half, y_spec)), 0.5)


_cholesky = op(
    "cholesky",
    doc="The Cholesky factor L of a symmetric positive definite matrix: L times its adjoint is the matrix.",
    family="linalg",
    forward=_decomposed,
    infer=square,
    static=static_shapes.square,
    types=SOLVABLE,
    vjp={"x": _cholesky_gradient},
    holomorphic=False,
    formula=r"Y Y^\top = X",
    vjp_formula=(r"\bar X = \mathrm{sym}(Y^{-\top} \Phi(Y^\top \bar Y)\, Y^{-1})",),
    samples=positive((3, 3), (2, 2, 2), (1, 1), (0, 2, 2)),
)


def cholesky(input: Any, name: str | None = None) -> Any:
    """The Cholesky factor of a symmetric (Hermitian) positive definite matrix, or of each of a stack of them.

    Args:
        input: of shape ``[..., n, n]``; only the lower triangle is read. The gradient is symmetric.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not positive definite, or not square.

    >>> import tapeviz as tf
    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    return _cholesky.run(input)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """The solution of systems of equations of whose matrix the Cholesky factor is known.

    Args:
        chol: what ``cholesky`` gave for the matrix.
        rhs: the right-hand sides, one a column, ``[..., n, k]``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [1.0, 2.0]], [[8.0], [12.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    return triangular_solve(chol, triangular_solve(chol, rhs), adjoint=True)


def logdet(matrix: Any, name: str | None = None) -> Any:
    """The logarithm of the determinant of a symmetric (Hermitian) positive definite matrix.

    Raises:
        InvalidArgumentError: a matrix is not positive definite, or not square.

    >>> import tapeviz as tf
    >>> tf.linalg.logdet([[1.0, 0.0], [0.0, 1.0]]).numpy()
    np.float32(0.0)
    """
    diagonal = diag_part(_cholesky.run(matrix))
    if diagonal.dtype.is_complex:
        diagonal = registry["real"].run(diagonal)
    return 2.0 * reduce_sum(registry["log"].run(diagonal), -1)


def _lstsq_form(matrix: Any, rhs: Any, *_options: Any, **_named: Any) -> Any:
    matrix, rhs = convert_to_tensor(matrix), convert_to_tensor(rhs)
    shape, other = open_sizes(matrix), open_sizes(rhs)
    shape, other = at_least(shape, 2, "Matrix"), at_least(other, 2, "Right-hand sides")
    if shape is None or other is None:
        return None, matrix.dtype
    what = f"Rows of matrix {shape_text(shape)} and right-hand sides {shape_text(other)}"
    merged_sizes(shape[-2], other[-2], what)
    stack = broadcast(shape[:-2], other[:-2])
    return None if stack is None else (*stack, shape[-1], other[-1]), matrix.dtype


@by_sizes(-2, -1, form=_lstsq_form)
def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Any:
    """The least-squares solution of linear systems: the X for which ``matrix`` times X comes closest to ``rhs``.

    Of several (more columns than rows) it is the one of the smallest sum of squares.

    Args:
        matrix: of shape ``[..., n, m]``.
        rhs: the right-hand sides, one a column, ``[..., n, k]``.
        l2_regularizer: how much the sum of the squares of X counts beside that of what is left.
        fast: solve the normal equations, which loses half of the digits; otherwise by singular values, and without
            ``l2_regularizer``, for matrices of any rank.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit, or the matrix is not of full rank and ``fast`` is true.

    >>> import tapeviz as tf
    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy()
    array([[2.]], dtype=float32)
    """
    matrix = convert_to_tensor(matrix)
    if not fast:
        return matmul(pinv(matrix), rhs)
    tall = matrix.shape[-2] >= matrix.shape[-1]
    gram = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if l2_regularizer:
        gram = gram + l2_regularizer * eye(gram.shape[-1], dtype=gram.dtype)
    factor = _cholesky.run(gram)
    if tall:
        return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))
    return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)
