"""Matrices with three diagonals and nothing else: products and systems of equations."""

from __future__ import annotations

import math
from operator import sub
from typing import Any

import numpy as np

from tapeviz.backends.libraries import library
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import Spec, registry
from tapeviz.engine.deferred_numbers import Deferred, computed
from tapeviz.engine.errors import InvalidArgumentError
from tapeviz.engine.kernels import recorded_ops
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import Sample
from tapeviz.ops import static_shape_rules
from tapeviz.ops.linalg.decompositions import eigh, eigvalsh
from tapeviz.ops.linalg.diagonals import diag, diag_part
from tapeviz.ops.linalg.linear_systems import conjugated
from tapeviz.ops.linalg.matmul import adjoint as adjoint_of
from tapeviz.ops.linalg.matrix_rules import SOLVABLE, swapped
from tapeviz.ops.linalg.triangular import triangular_solve
from tapeviz.ops.runtime_calls import later, open_sizes, waits

__all__ = ["banded_triangular_solve", "eigh_tridiagonal", "tridiagonal_matmul", "tridiagonal_solve"]


def _rule(diagonals: Spec, rhs: Spec, *, transpose: bool) -> Spec:
    if len(diagonals.shape) < 2 or diagonals.shape[-2] != 3:  # noqa: PLR2004 - three diagonals as rows
        raise InvalidArgumentError(f"Expected diagonals to have 3 rows, got shape {list(diagonals.shape)}")
    if diagonals.shape[:-2] != rhs.shape[:-2] or diagonals.shape[-1] != rhs.shape[-2]:
        raise InvalidArgumentError(
            f"The shapes of diagonals and of right-hand sides do not fit: {list(diagonals.shape)} and {list(rhs.shape)}"
        )
    return rhs


def _solution(xp: Any, diagonals: Any, rhs: Any, *, transpose: bool) -> Any:
    _rule(Spec(diagonals.shape, diagonals.dtype), Spec(rhs.shape, rhs.dtype), transpose=transpose)
    count, size = math.prod(diagonals.shape[:-2]), diagonals.shape[-1]
    if not rhs.size:
        return xp.array(rhs)
    above, main, below = (diagonals[..., row, :] for row in range(3))
    nothing = xp.zeros_like(main[..., :1])
    # SciPy's rows are aligned by columns of the matrix, TensorFlow's by rows of it.
    if transpose:
        above, below = xp.concatenate([nothing, below[..., 1:]], -1), xp.concatenate([above[..., :-1], nothing], -1)
    else:
        above, below = xp.concatenate([nothing, above[..., :-1]], -1), xp.concatenate([below[..., 1:], nothing], -1)
    bands = xp.reshape(xp.stack([above, main, below], -2), (count, 3, size))
    sides = xp.reshape(rhs, (count, *rhs.shape[-2:]))
    solve = library(xp, "linalg").solve_banded
    try:
        found = [solve((1, 1), bands[position], sides[position]) for position in range(count)]
    except np.linalg.LinAlgError:
        raise InvalidArgumentError("Input matrix is not invertible.") from None
    return xp.reshape(xp.stack(found), rhs.shape).astype(rhs.dtype)


def _moved(F: Any, x: Any, by: int) -> Any:
    """Each row in the place of the row before, or after it; a row of zeros comes in."""
    key, margin = (np.s_[..., 1:, :], (0, 1)) if by > 0 else (np.s_[..., :-1, :], (1, 0))
    margins = ((0, 0),) * (len(x.shape) - 2)
    return F.pad(F.strided_slice(x, key=key), paddings=(*margins, margin, (0, 0)), value=0)


def _diagonals_gradient(F: Any, g: Any, diagonals: Any, y: Any, transpose: bool) -> Any:
    """Minus the three diagonals of the product of what flows back with the solution."""
    rows, columns = F.tridiagonal_solve(diagonals, g, transpose=not transpose), y
    if transpose:
        rows, columns = columns, rows
    parts = [_moved(F, columns, 1), columns, _moved(F, columns, -1)]
    sums = [F.reduce_sum(F.multiply(rows, part), axis=(-1,), keepdims=True) for part in parts]
    return F.negative(swapped(F, F.concat(*sums, axis=-1)))


def _systems(rng: np.random.Generator) -> list[Sample]:
    made: list[Sample] = []
    for batch, size, sides in (((), 4, 2), ((2,), 3, 1), ((), 1, 1)):
        diagonals = rng.uniform(-1, 1, (*batch, 3, size)) + np.array([[0.0], [4.0], [0.0]])
        rhs = rng.uniform(-1, 1, (*batch, size, sides))
        made += [((diagonals, rhs), {"transpose": transpose}) for transpose in (False, True)]
    return made


_solve = op(
    "tridiagonal_solve",
    doc="The solution X of the tridiagonal systems T X = B, with the three diagonals of T given as rows.",
    family="linalg",
    forward=_solution,
    infer=_rule,
    static=static_shape_rules.tridiagonal,
    types=SOLVABLE,
    vjp={
        "diagonals": _diagonals_gradient,
        "rhs": lambda F, g, diagonals, transpose: F.tridiagonal_solve(diagonals, g, transpose=not transpose),
    },
    formula=r"Y = T^{-1} B",
    vjp_formula=(r"\bar T = -\mathrm{tri}(T^{-\top} \bar Y\, Y^\top)", r"\bar B = T^{-\top} \bar Y"),
    samples=_systems,
)


def _compact(diagonals: Any, form: str) -> Any:
    """The diagonals as the three rows of a tensor: above, on and below the main one."""
    if form == "compact":
        return convert_to_tensor(diagonals)
    if form == "matrix":
        return diag_part(diagonals, k=(-1, 1), align="LEFT_RIGHT")
    if form != "sequence":
        raise ValueError(f"Unrecognized diagonals_format: {form}")
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:  # noqa: PLR2004 - three diagonals
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = map(convert_to_tensor, diagonals)
    size = main._a.shape[-1]
    rows = (_filled(above, size, (0, 1), "superdiagonal"), main, _filled(below, size, (1, 0), "subdiagonal"))
    return registry["concat"].run(*[registry["expand_dims"].run(row, -2) for row in rows], axis=-2)


def _filled(row: Any, size: int, margin: tuple[int, int], what: str) -> Any:
    length = row._a.shape[-1]
    if isinstance(size, Deferred) or isinstance(length, Deferred):
        missing = computed(sub, size, length)
        before, after = margin
        return registry["pad"].run(row, (*((0, 0),) * (row.ndim - 1), (before * missing, after * missing)), 0)
    if length == size:
        return row
    if length != size - 1:
        raise ValueError(f"Expected {what} to be have length {size} or {size - 1}, got {length}.")
    return registry["pad"].run(row, (*((0, 0),) * (row.ndim - 1), margin), 0)


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """The solution of systems of equations whose matrix is tridiagonal.

    Args:
        diagonals: above, on and below the main diagonal: as rows of one tensor, ``[..., 3, n]``, in which the last
            element of the first row and the first of the last row are not read; in a list; or in a whole matrix.
        rhs: the right-hand side, ``[..., n]``, or several, one a column, ``[..., n, k]``.
        diagonals_format: ``"compact"``, ``"sequence"`` or ``"matrix"``, in this order.
        transpose_rhs: transpose ``rhs`` first.
        conjugate_rhs: take complex conjugates of ``rhs`` first.
        name: accepted as TensorFlow does.
        partial_pivoting: accepted as TensorFlow does: rows are always reordered where that is more exact.
        perturb_singular: accepted as TensorFlow does; singular matrices are refused.

    Raises:
        InvalidArgumentError: a matrix is singular, or the shapes do not fit.
        ValueError: there is no such format, or the diagonals are not as it says.

    >>> import tapeviz as tf
    >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 2.0], [0.0, 0.0]], [4.0, 2.0]).numpy()
    array([1.5, 1. ], dtype=float32)
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    diagonals = _compact(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, dtype=diagonals.dtype)
    if rhs.ndim == diagonals.ndim - 1:
        column = registry["expand_dims"].run(conjugated(rhs) if conjugate_rhs else rhs, -1)
        return registry["squeeze"].run(_solve.run(diagonals, column, False), (-1,))
    if transpose_rhs:
        rhs = adjoint_of(rhs) if conjugate_rhs else swapped(recorded_ops, rhs)
    elif conjugate_rhs:
        rhs = conjugated(rhs)
    return _solve.run(diagonals, rhs, False)


def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Any:
    """The product of tridiagonal matrices and others.

    Args:
        diagonals: as for ``tridiagonal_solve``.
        rhs: of shape ``[..., n, k]``.
        diagonals_format: ``"compact"``, ``"sequence"`` or ``"matrix"``.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.
        ValueError: there is no such format, or the diagonals are not as it says.

    >>> import tapeviz as tf
    >>> tf.linalg.tridiagonal_matmul([[1.0, 0.0], [2.0, 2.0], [0.0, 0.0]], [[1.5], [1.0]]).numpy()
    array([[4.],
           [2.]], dtype=float32)
    """
    diagonals = _compact(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, dtype=diagonals.dtype)
    above, main, below = (registry["expand_dims"].run(diagonals[..., row, :], -1) for row in range(3))
    return main * rhs + above * _moved(recorded_ops, rhs, 1) + below * _moved(recorded_ops, rhs, -1)


def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Any:
    """The solution of systems of equations whose matrix is triangular with few diagonals.

    Args:
        bands: the diagonals as rows, the highest first, ``[..., d, n]``: those above the main one begin at the left,
            those below it end at the right; what lies beyond is not read.
        rhs: the right-hand sides, one a column, ``[..., n, k]``.
        lower: whether the diagonals are the main one and those below it, otherwise those above it and it.
        adjoint: solve with the conjugate transpose of the matrix instead.
        name: accepted as TensorFlow does.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> import tapeviz as tf
    >>> tf.linalg.banded_triangular_solve([[2.0, 1.0], [0.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    bands = convert_to_tensor(bands)
    others = bands._a.shape[-2] - 1
    size = bands._a.shape[-1]
    k = (-others, 0) if lower else (0, others)
    if not isinstance(others, Deferred) and not others:
        bands = bands[..., 0, :]  # one diagonal is no row of its own
    matrix = diag(bands, k=k, num_rows=size, num_cols=size, align="LEFT_RIGHT")
    return triangular_solve(matrix, convert_to_tensor(rhs, dtype=bands.dtype), lower, adjoint)


def _selected(values: Any, select: str, select_range: Any) -> tuple[int, int]:
    """Which of the eigenvalues, which are in order: from the first up to but not including the second."""
    low, high = select_range
    if select == "i":
        if low > high:
            raise InvalidArgumentError("Got empty index range in select_range.")
        return int(low), int(high) + 1
    if low >= high:
        raise InvalidArgumentError("Got empty interval in select_range.")
    return int(np.searchsorted(values, low, side="right")), int(np.searchsorted(values, high, side="right"))


def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """The eigenvalues of a symmetric (Hermitian) matrix with three diagonals, in ascending order.

    Args:
        alpha: the main diagonal, ``[n]``.
        beta: the diagonal below it, ``[n - 1]``; that above it is its conjugate.
        eigvals_only: leave out the eigenvectors, which otherwise come second, as columns.
        select: ``"a"`` for all, ``"i"`` for those from one position to another, ``"v"`` for those above one number and
            up to another.
        select_range: the two positions or numbers.
        tol: accepted as TensorFlow does: eigenvalues are as exact as the dtype.
        name: accepted as TensorFlow does.

    Raises:
        ValueError: ``select`` is something else.
        InvalidArgumentError: ``select_range`` is empty.

    >>> import tapeviz as tf
    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy()
    array([1., 3.], dtype=float32)
    """
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    alpha = convert_to_tensor(alpha)
    beta = convert_to_tensor(beta, dtype=alpha.dtype)
    # Only the lower triangle is read.
    matrix = diag(alpha) + diag(beta, k=-1)
    values, vectors = (eigvalsh(matrix), matrix) if eigvals_only else eigh(matrix)
    if values.dtype.is_complex:
        values = registry["real"].run(values)
    if select == "a":
        return values if eigvals_only else (values, vectors)
    if select == "v" and waits(values):
        given = [alpha, beta, eigvals_only, select, select_range]
        size = open_sizes(alpha)[0]
        form = [((None,), values.dtype), ((size, None), vectors.dtype)]
        return later(eigh_tridiagonal, given, {}, form[0] if eigvals_only else form)
    first, last = _selected(values._host() if select == "v" else None, select, select_range)
    return values[first:last] if eigvals_only else (values[first:last], vectors[:, first:last])
