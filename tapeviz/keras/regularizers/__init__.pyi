# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.regularizers.penalties import (
    L1,
    L1L2,
    L2,
    OrthogonalRegularizer,
    Regularizer,
    deserialize,
    get,
    serialize,
)
from tapeviz.keras.regularizers.penalties import L1 as l1
from tapeviz.keras.regularizers.penalties import L1L2 as l1_l2
from tapeviz.keras.regularizers.penalties import L2 as l2
from tapeviz.keras.regularizers.penalties import OrthogonalRegularizer as orthogonal_regularizer

__all__ = [
    "L1",
    "L1L2",
    "L2",
    "OrthogonalRegularizer",
    "Regularizer",
    "deserialize",
    "get",
    "l1",
    "l1_l2",
    "l2",
    "orthogonal_regularizer",
    "serialize",
]
