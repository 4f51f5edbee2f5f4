"""The LU decomposition: a square matrix as a product of two triangular ones, its rows in another order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeviz.backends.libraries import library
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.op_definition import op
from tapeviz.ops import static_shape_rules
from tapeviz.ops.array.creation import eye, ones
from tapeviz.ops.array.gather import gather
from tapeviz.ops.array.sort import argsort
from tapeviz.ops.linalg.diagonals import band_part, set_diag
from tapeviz.ops.linalg.matmul import matmul
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, invertible, square
from tapeviz.ops.linalg.triangular import triangular_solve

__all__ = ["lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve"]


class Lu(NamedTuple):
    """What ``lu`` gives."""

    lu: Any
    p: Any


def _lu_rule(x: Spec, *, index: Any) -> tuple[Spec, Spec]:
    return square(x), Spec(x.shape[:-1], np.dtype(index))


def _factors(xp: Any, x: Any, *, index: Any) -> Any:
    square(Spec(x.shape, x.dtype))
    if not x.size:
        return xp.array(x), xp.zeros(x.shape[:-1], index)
    lower, upper, order = _stacked(xp, x)
    if not xp.all(xp.diagonal(upper, 0, -2, -1)):
        raise InvalidArgumentError("Input is not invertible.")
    return xp.add(xp.tril(lower, -1), upper), order.astype(index)


def _stacked(xp: Any, x: Any) -> tuple[Any, Any, Any]:
    """The two factors, and for each row of their product which row of the matrix it is."""
    scipy = library(xp, "linalg")
    flat = xp.reshape(x, (-1, *x.shape[-2:]))
    found = [scipy.lu(flat[position], p_indices=True) for position in range(len(flat))]
    order = xp.argsort(xp.stack([one[0] for one in found]), axis=-1)
    lower, upper = (xp.reshape(xp.stack([one[part] for one in found]), x.shape) for part in (1, 2))
    return lower, upper, xp.reshape(order, x.shape[:-1])


_lu = op(
    "lu",
    doc="The LU decomposition of a square matrix with its rows reordered. No gradient.",
    family="linalg",
    forward=_factors,
    infer=_lu_rule,
    static=static_shape_rules.lu,
    types=SOLVABLE,
    many=True,
    formula=r"L U = P X,\; L_{ii} = 1",
    samples=lambda rng: [(inputs, {"index": np.dtype(np.int32)}) for inputs, _ in invertible((3, 3), (2, 2, 2))(rng)],
)


def lu(input: Any, output_idx_type: Any = "int32", name: str | None = None) -> Any:
    """The LU decomposition of a square matrix, its rows reordered: a unit lower triangular matrix times an upper one.

    Args:
        input: of shape ``[..., n, n]``, invertible.
        output_idx_type: int32 or int64, for the order of the rows.
        name: accepted as TensorFlow does.

    Returns:
        Both triangles in one matrix, ``lu``, and the order of the rows, ``p``.

    Raises:
        InvalidArgumentError: a matrix is singular or not square.

    >>> import tapeviz as tf
    >>> lower_upper, order = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> lower_upper.numpy(), order.numpy()
    (array([[4.  , 4.  ],
           [0.25, 1.  ]], dtype=float32), array([1, 0], dtype=int32))
    """
    return Lu(*_lu.run(input, as_dtype(output_idx_type).numpy))


def _reordered(x: Any, order: Any) -> Any:
    """The rows of each matrix in that order."""
    return gather(x, order, axis=order.ndim - 1, batch_dims=order.ndim - 1)


def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """The matrix of which this is the LU decomposition.

    Args:
        lower_upper: both triangles in one matrix, ``lu`` of ``lu``.
        perm: the order of the rows, ``p`` of ``lu``.
        validate_args: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])).numpy()
    array([[1., 2.],
           [4., 4.]], dtype=float32)
    """
    lower_upper, perm = convert_to_tensor(lower_upper), convert_to_tensor(perm)
    unit = ones(lower_upper._a.shape[:-1], lower_upper.dtype)
    lower = set_diag(band_part(lower_upper, -1, 0), unit)
    return _reordered(matmul(lower, band_part(lower_upper, 0, -1)), argsort(perm))


def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """The solution of systems of equations of whose matrix the LU decomposition is known.

    Args:
        lower_upper: both triangles in one matrix, ``lu`` of ``lu``.
        perm: the order of the rows, ``p`` of ``lu``.
        rhs: the right-hand sides, one a column, ``[..., n, k]``.
        validate_args: accepted as TensorFlow does.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.lu_solve(*tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]]), [[3.0], [8.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    lower_upper, perm = convert_to_tensor(lower_upper), convert_to_tensor(perm)
    rhs = convert_to_tensor(rhs, dtype=lower_upper.dtype)
    lower = set_diag(lower_upper, ones(lower_upper._a.shape[:-1], lower_upper.dtype))
    return triangular_solve(lower_upper, triangular_solve(lower, _reordered(rhs, perm)), lower=False)


def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Any:
    """The inverse of the matrix of which this is the LU decomposition. Arguments and errors as for ``lu_reconstruct``.

    >>> import tapeviz as tf
    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    lower_upper = convert_to_tensor(lower_upper)
    *batch, size, _ = lower_upper._a.shape
    return lu_solve(lower_upper, perm, eye(size, batch_shape=batch, dtype=lower_upper.dtype))
