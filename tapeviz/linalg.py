"""``tf.linalg``: products, norms and layouts of matrices."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.clipping": "global_norm",
        "tapeviz.ops.creation": "eye",
        "tapeviz.ops.eigenvalues": "eig eigvals",
        "tapeviz.ops.einsum": "einsum",
        "tapeviz.ops.losses": "l2_normalize",
        "tapeviz.ops.bands": "band_part cross tensor_diag tensor_diag_part trace",
        "tapeviz.ops.decompositions": "eigh eigvalsh qr",
        "tapeviz.ops.diagonals": "diag diag_part set_diag",
        "tapeviz.ops.lu": "lu lu_matrix_inverse lu_reconstruct lu_solve",
        "tapeviz.ops.matrices": "adjoint matmul matvec tensordot",
        "tapeviz.ops.matrix_functions": "expm logm sqrtm",
        "tapeviz.ops.norms": "norm normalize",
        "tapeviz.ops.shaping": "matrix_transpose",
        "tapeviz.ops.singular_values": "matrix_rank pinv svd",
        "tapeviz.ops.solving": "det inv slogdet solve",
        "tapeviz.ops.tridiagonal": "banded_triangular_solve eigh_tridiagonal tridiagonal_matmul tridiagonal_solve",
        "tapeviz.ops.triangular": "cholesky cholesky_solve logdet lstsq triangular_solve",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
