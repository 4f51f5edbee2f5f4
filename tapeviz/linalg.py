"""``tf.linalg``: products, norms and layouts of matrices."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.math.clip": "global_norm",
        "tapeviz.ops.array.creation": "eye",
        "tapeviz.ops.linalg.eigenvalues": "eig eigvals",
        "tapeviz.ops.linalg.einsum": "einsum",
        "tapeviz.ops.nn.normalization": "l2_normalize",
        "tapeviz.ops.linalg.diagonals": "band_part cross diag diag_part set_diag tensor_diag tensor_diag_part trace",
        "tapeviz.ops.linalg.decompositions": "eigh eigvalsh qr",
        "tapeviz.ops.linalg.lu": "lu lu_matrix_inverse lu_reconstruct lu_solve",
        "tapeviz.ops.linalg.matmul": "adjoint matmul matvec tensordot",
        "tapeviz.ops.linalg.matrix_functions": "expm logm sqrtm",
        "tapeviz.ops.linalg.norms": "norm normalize",
        "tapeviz.ops.array.reshape": "matrix_transpose",
        "tapeviz.ops.linalg.singular_values": "matrix_rank pinv svd",
        "tapeviz.ops.linalg.linear_systems": "det inv slogdet solve",
        "tapeviz.ops.linalg.tridiagonal": (
            "banded_triangular_solve eigh_tridiagonal tridiagonal_matmul tridiagonal_solve"
        ),
        "tapeviz.ops.linalg.triangular": "cholesky cholesky_solve logdet lstsq triangular_solve",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
