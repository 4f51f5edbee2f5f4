"""Systems of linear equations: inverses, determinants, solutions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeviz.engine import static_shapes
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.dispatch import convert_inputs
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.engine.rules import sizes_of
from tapeviz.engine.types import FIELDS
from tapeviz.ops import static_shape_rules
from tapeviz.ops.linalg.matmul import adjoint as adjoint_of
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, adjoint, invertible, square, swapped

__all__ = ["conjugated", "det", "inv", "outer", "slogdet", "solve"]


def conjugated(x: Any) -> Any:
    """The complex conjugate of a tensor that has one, any other as it is."""
    return registry["conj"].run(x) if x.dtype.is_complex else x


def _invert(xp: Any, x: Any) -> Any:
    try:
        if x.dtype == np.float16:
            return xp.linalg.inv(x.astype(np.float32)).astype(x.dtype)
        return xp.linalg.inv(x)
    except np.linalg.LinAlgError:
        square(Spec(x.shape, x.dtype))
        raise InvalidArgumentError("Input is not invertible.") from None


def _inverse_gradient(F: Any, g: Any, y: Any) -> Any:
    return F.negative(F.matmul(F.matmul(y, g, transpose_a=True, transpose_b=False), y, transpose_a=False,
                               transpose_b=True))  # fmt: skip


_inverse = op(
    "inv",
    doc="The inverse of a square matrix, or of each of a stack of them.",
    family="linalg",
    tf_name="MatrixInverse",
    forward=_invert,
    infer=square,
    static=static_shapes.square,
    types=FIELDS,
    vjp={"x": _inverse_gradient},
    formula=r"Y = X^{-1}",
    vjp_formula=(r"\bar X = -Y^\top \bar Y\, Y^\top",),
    samples=invertible((3, 3), (2, 2, 2), (1, 1), (0, 2, 2)),
)


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The inverse of a square matrix, or of each of a stack of them.

    Args:
        input: of shape ``[..., n, n]``.
        adjoint: invert the conjugate transpose instead.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is singular or not square.

    >>> import tapeviz as tf
    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    return _inverse.run(adjoint_of(input) if adjoint else input)


def _spread(F: Any, g: Any) -> Any:
    """A number a matrix, in the shape that multiplies each matrix with its own."""
    return F.reshape(g, shape=(*sizes_of(g), 1, 1))


_determinant = op(
    "det",
    doc="The determinant of a square matrix, or of each of a stack of them.",
    family="linalg",
    tf_name="MatrixDeterminant",
    forward=lambda xp, x: xp.linalg.det(x),
    infer=lambda x: Spec(square(x).shape[:-2], x.dtype),
    static=static_shape_rules.det,
    types=SOLVABLE,
    vjp={"x": lambda F, g, x, y: F.multiply(_spread(F, F.multiply(g, y)), swapped(F, F.inv(x)))},
    formula=r"y = \det X",
    vjp_formula=(r"\bar X = \bar y\, y\, X^{-\top}",),
    samples=invertible((3, 3), (2, 2, 2), (1, 1), (0, 2, 2)),
)


def det(input: Any, name: str | None = None) -> Any:
    """The determinant of a square matrix, or of each of a stack of them.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> tf.linalg.det([[2.0, 0.0], [0.0, 4.0]]).numpy()
    np.float32(8.0)
    """
    return _determinant.run(input)


def _slogdet_rule(x: Spec) -> tuple[Spec, Spec]:
    number = Spec(square(x).shape[:-2], x.dtype)
    return number, number


def _slogdet_of(xp: Any, x: Any) -> Any:
    sign, size = xp.linalg.slogdet(x)
    return sign, size.astype(x.dtype)  # which is real, but TensorFlow's is of the matrix's dtype


def _slogdet_gradient(F: Any, g: Any, x: Any, x_spec: Any) -> Any:
    return F.multiply(_spread(F, g[1]), adjoint(F, F.inv(x), x_spec))


_slogdet = op(
    "slogdet",
    doc="The sign and the logarithm of the absolute value of a determinant, which itself may overflow or underflow.",
    family="linalg",
    tf_name="LogMatrixDeterminant",
    forward=_slogdet_of,
    infer=_slogdet_rule,
    static=static_shape_rules.slogdet,
    types=SOLVABLE,
    vjp={"x": _slogdet_gradient},
    holomorphic=False,
    many=True,
    formula=r"s = \mathrm{sign}\det X,\; y = \ln |\det X|",
    vjp_formula=(r"\bar X = \bar y\, X^{-\top}",),
    # Of complex matrices the sign has no gradient, in TensorFlow nor here, so there is no slope to compare it with.
    samples=lambda rng: invertible((3, 3), (2, 2, 2), (1, 1))(rng)[:-1],
)


class LogMatrixDeterminant(NamedTuple):
    """What ``slogdet`` gives."""

    sign: Any
    log_abs_determinant: Any


def slogdet(input: Any, name: str | None = None) -> Any:
    """The sign of each determinant, and the logarithm of its absolute value.

    Args:
        input: square matrices, ``[..., n, n]``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is not square.

    >>> import tapeviz as tf
    >>> tf.linalg.slogdet([[2.0, 0.0], [0.0, -4.0]]).sign.numpy()
    np.float32(-1.0)
    """
    return LogMatrixDeterminant(*_slogdet.run(input))


def _solve_rule(matrix: Spec, rhs: Spec, *, transpose: bool) -> Spec:
    if len(matrix.shape) != len(rhs.shape):
        raise InvalidArgumentError("All input tensors must have the same rank.")
    if matrix.shape[-2:-1] != matrix.shape[-1:] or len(matrix.shape) < 2:  # noqa: PLR2004 - a matrix has two axes
        raise InvalidArgumentError("First input (lhs) must be a square matrix.")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise InvalidArgumentError("All input tensors must have the same outer dimensions.")
    if matrix.shape[-1] != rhs.shape[-2]:
        raise InvalidArgumentError("Input matrix and rhs are incompatible.")
    return rhs


def _solution(xp: Any, matrix: Any, rhs: Any, *, transpose: bool) -> Any:
    if matrix.ndim < 2 or matrix.shape[:-1] != rhs.shape[:-1]:  # noqa: PLR2004 - a matrix has two axes
        raise ValueError("the shapes do not fit")
    try:
        return xp.linalg.solve(matrix.swapaxes(-1, -2) if transpose else matrix, rhs)
    except np.linalg.LinAlgError:
        square(Spec(matrix.shape, matrix.dtype))
        raise InvalidArgumentError("Input matrix is not invertible.") from None


def outer(F: Any, first: Any, second: Any, transpose: bool) -> Any:
    """The gradient with respect to a matrix: minus the product of the columns of one with those of the other."""
    pair = (second, first) if transpose else (first, second)
    return F.negative(F.matmul(*pair, transpose_a=False, transpose_b=True))


def _systems(rng: np.random.Generator) -> list[Any]:
    matrices = [x for (x,), _ in invertible((3, 3), (2, 2, 2))(rng)]
    sides = [(3, 2), (2, 2, 1), (3, 1)]
    # Only the matrix need be complex for both to be: the two agree in dtype.
    return [
        ((x, rng.uniform(-1, 1, shape).astype(x.dtype)), {"transpose": transpose})
        for x, shape in zip(matrices, sides, strict=True)
        for transpose in (False, True)
    ]


_solve = op(
    "matrix_solve",
    doc="The solution X of the linear systems A X = B, or of those with the adjoint of A.",
    family="linalg",
    forward=_solution,
    infer=_solve_rule,
    static=static_shape_rules.matrix_solve,
    types=SOLVABLE,
    vjp={
        "matrix": lambda F, g, matrix, y, transpose: outer(
            F, F.matrix_solve(matrix, g, transpose=not transpose), y, transpose
        ),
        "rhs": lambda F, g, matrix, transpose: F.matrix_solve(matrix, g, transpose=not transpose),
    },
    formula=r"Y = A^{-1} B",
    vjp_formula=(r"\bar A = -A^{-\top} \bar Y\, Y^\top", r"\bar B = A^{-\top} \bar Y"),
    samples=_systems,
)


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The solution of systems of linear equations: the X for which ``matrix`` times X is ``rhs``.

    Args:
        matrix: of shape ``[..., n, n]``.
        rhs: the right-hand sides, one a column, ``[..., n, k]``.
        adjoint: solve with the conjugate transpose of ``matrix`` instead.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: a matrix is singular, or the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy()
    array([[1. ],
           [0.5]], dtype=float32)
    """
    if not adjoint:
        return _solve.run(matrix, rhs, False)
    matrix, rhs = convert_inputs(_solve, (matrix, rhs))
    return _solve.run(conjugated(matrix), rhs, True)
