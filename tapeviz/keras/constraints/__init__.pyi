# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.constraints.projections import (
    Constraint,
    MaxNorm,
    MinMaxNorm,
    NonNeg,
    UnitNorm,
    deserialize,
    get,
    serialize,
)
from tapeviz.keras.constraints.projections import MaxNorm as max_norm
from tapeviz.keras.constraints.projections import MinMaxNorm as min_max_norm
from tapeviz.keras.constraints.projections import NonNeg as non_neg
from tapeviz.keras.constraints.projections import UnitNorm as unit_norm

__all__ = [
    "Constraint",
    "MaxNorm",
    "MinMaxNorm",
    "NonNeg",
    "UnitNorm",
    "deserialize",
    "get",
    "max_norm",
    "min_max_norm",
    "non_neg",
    "serialize",
    "unit_norm",
]
