"""``tf.linalg``: products, norms and layouts of matrices."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.clipping": "global_norm",
        "tapeviz.ops.creation": "eye",
        "tapeviz.ops.losses": "l2_normalize",
        "tapeviz.ops.matrices": "matmul matvec tensordot",
        "tapeviz.ops.shaping": "matrix_transpose",
        "tapeviz.ops.statistics": "norm",
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
