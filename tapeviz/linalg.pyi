# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import DTypeLike as _DTypeLike
from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = [
    "adjoint",
    "band_part",
    "banded_triangular_solve",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eig",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]

def adjoint(matrix: _TensorLike, name: str | None = None) -> _Tensor:
    """The conjugate transpose of a matrix, or of each of a stack of them; of real ones the transpose."""

def band_part(input: _TensorLike, num_lower: _TensorLike, num_upper: _TensorLike, name: str | None = None) -> _Tensor:
    """A matrix, or each of a stack of them, with zeros beyond a band around the main diagonal."""

def banded_triangular_solve(
    bands: _TensorLike, rhs: _TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> _Tensor:
    """The solution of systems of equations whose matrix is triangular with few diagonals."""

def cholesky(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The Cholesky factor of a symmetric (Hermitian) positive definite matrix, or of each of a stack of them."""

def cholesky_solve(chol: _TensorLike, rhs: _TensorLike, name: str | None = None) -> _Tensor:
    """The solution of systems of equations of whose matrix the Cholesky factor is known."""

def cross(a: _TensorLike, b: _TensorLike, name: str | None = None) -> _Tensor:
    """The cross product of two vectors of three elements."""

def det(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The determinant of a square matrix, or of each of a stack of them."""

def diag(
    diagonal: _TensorLike,
    name: str = "diag",
    k: _TensorLike = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: _TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> _Tensor:
    """The matrix with this diagonal, or with these diagonals, or a stack of such matrices."""

def diag_part(
    input: _TensorLike,
    name: str = "diag_part",
    k: _TensorLike = 0,
    padding_value: _TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> _Tensor:
    """The diagonals of a matrix, or of each of a stack of them."""

def eig(tensor: _TensorLike, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """The eigenvalues of a square matrix, in no particular order, and its eigenvectors as columns: complex numbers."""

def eigh(tensor: _TensorLike, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """The eigenvalues of a symmetric (Hermitian) matrix in ascending order, and its eigenvectors as columns."""

def eigh_tridiagonal(
    alpha: _TensorLike,
    beta: _TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: _TensorLike | None = None,
    tol: _TensorLike | None = None,
    name: str | None = None,
) -> _Tensor | tuple[_Tensor, _Tensor]:
    """The eigenvalues of a symmetric (Hermitian) matrix with three diagonals, in ascending order."""

def eigvals(tensor: _TensorLike, name: str | None = None) -> _Tensor:
    """The eigenvalues of a square matrix, in no particular order: complex numbers."""

def eigvalsh(tensor: _TensorLike, name: str | None = None) -> _Tensor:
    """The eigenvalues of a symmetric (Hermitian) matrix, in ascending order."""

def einsum(equation: str, *inputs: _Any, **kwargs: _Any) -> _Tensor:
    """The sum of products that ``equation`` describes: letters name axes, and what the output lacks is summed over."""

def expm(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The exponential of a square matrix, or of each of a stack of them."""

def eye(
    num_rows: int,
    num_columns: int | None = None,
    batch_shape: _ShapeLike | None = None,
    dtype: _DTypeLike = "float32",
    name: str | None = None,
) -> _Tensor:
    """The identity matrix of ``num_rows`` rows and as many columns unless said otherwise; a stack if ``batch_shape``."""

def global_norm(t_list: _TensorLike, name: str | None = None) -> _Tensor:
    """The Euclidean norm of all the elements of all the tensors together."""

def inv(input: _TensorLike, adjoint: bool = False, name: str | None = None) -> _Tensor:
    """The inverse of a square matrix, or of each of a stack of them."""

def l2_normalize(
    x: _TensorLike,
    axis: _TensorLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: _TensorLike | None = None,
) -> _Tensor:
    """``x`` divided by its Euclidean norm along ``axis``, which counts as at least the root of ``epsilon``."""

def logdet(matrix: _TensorLike, name: str | None = None) -> _Tensor:
    """The logarithm of the determinant of a symmetric (Hermitian) positive definite matrix."""

def logm(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The principal logarithm of a square matrix of complex numbers. No gradient."""

def lstsq(
    matrix: _TensorLike, rhs: _TensorLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> _Tensor:
    """The least-squares solution of linear systems: the X for which ``matrix`` times X comes closest to ``rhs``."""

def lu(input: _TensorLike, output_idx_type: _DTypeLike = "int32", name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """The LU decomposition of a square matrix, its rows reordered: a unit lower triangular matrix times an upper one."""

def lu_matrix_inverse(
    lower_upper: _TensorLike, perm: _TensorLike, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The inverse of the matrix of which this is the LU decomposition. Arguments and errors as for ``lu_reconstruct``."""

def lu_reconstruct(
    lower_upper: _TensorLike, perm: _TensorLike, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The matrix of which this is the LU decomposition."""

def lu_solve(
    lower_upper: _TensorLike, perm: _TensorLike, rhs: _TensorLike, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The solution of systems of equations of whose matrix the LU decomposition is known."""

def matmul(
    a: _TensorLike,
    b: _TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: _DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> _Tensor:
    """The product of two matrices, or of stacks of them: rows of ``a`` times columns of ``b``."""

def matrix_rank(
    a: _TensorLike, tol: _TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The rank of a matrix: the number of its singular values that are larger than a tolerance."""

def matrix_transpose(a: _TensorLike, name: str = "matrix_transpose", conjugate: bool = False) -> _Tensor:
    """``a`` with its last two axes swapped: each matrix of a stack transposed."""

def matvec(
    a: _TensorLike,
    b: _TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> _Tensor:
    """The product of a matrix and a vector, or of stacks of them."""

def norm(
    tensor: _TensorLike,
    ord: _TensorLike = "euclidean",
    axis: _TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> _Tensor:
    """The norm of vectors along ``axis``, or of matrices along two axes."""

def normalize(
    tensor: _TensorLike, ord: _TensorLike = "euclidean", axis: _TensorLike | None = None, name: str | None = None
) -> tuple[_Tensor, _Tensor]:
    """``tensor`` divided by its norm, and the norm, whose axes are kept with size 1."""

def pinv(
    a: _TensorLike, rcond: _TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> _Tensor:
    """The Moore-Penrose pseudoinverse of a matrix of any shape and rank."""

def qr(input: _TensorLike, full_matrices: bool = False, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """The QR decomposition of a matrix: q with orthonormal columns, and r, upper triangular."""

def set_diag(
    input: _TensorLike, diagonal: _TensorLike, name: str = "set_diag", k: _TensorLike = 0, align: str = "RIGHT_LEFT"
) -> _Tensor:
    """A matrix with its diagonal replaced, or several of them, or a stack of such matrices."""

def slogdet(input: _TensorLike, name: str | None = None) -> tuple[_Tensor, _Tensor]:
    """The sign of each determinant, and the logarithm of its absolute value."""

def solve(matrix: _TensorLike, rhs: _TensorLike, adjoint: bool = False, name: str | None = None) -> _Tensor:
    """The solution of systems of linear equations: the X for which ``matrix`` times X is ``rhs``."""

def sqrtm(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The principal square root of a square matrix, or of each of a stack of them."""

def svd(
    tensor: _TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> _Tensor | tuple[_Tensor, _Tensor, _Tensor]:
    """The singular value decomposition: s, u and v with ``tensor = u @ diag(s) @ adjoint(v)``."""

def tensor_diag(diagonal: _TensorLike, name: str | None = None) -> _Tensor:
    """The tensor of twice the rank with these elements where the first half of the indices is the second."""

def tensor_diag_part(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The elements for which the first half of the indices is the second half."""

def tensordot(a: _TensorLike, b: _TensorLike, axes: _TensorLike, name: str | None = None) -> _Tensor:
    """The sum of products of ``a`` and ``b`` over pairs of axes."""

def trace(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The sum of the main diagonal of a matrix, or of each of a stack of them."""

def triangular_solve(
    matrix: _TensorLike, rhs: _TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> _Tensor:
    """The solution of systems of equations whose matrix is triangular, by substitution."""

def tridiagonal_matmul(
    diagonals: _TensorLike, rhs: _TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> _Tensor:
    """The product of tridiagonal matrices and others."""

def tridiagonal_solve(
    diagonals: _TensorLike,
    rhs: _TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> _Tensor:
    """The solution of systems of equations whose matrix is tridiagonal."""
