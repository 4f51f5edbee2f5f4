# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.tensor_ops import (
    SeedGenerator,
    categorical,
    dropout,
    normal,
    randint,
    shuffle,
    truncated_normal,
    uniform,
)

__all__ = ["SeedGenerator", "categorical", "dropout", "normal", "randint", "shuffle", "truncated_normal", "uniform"]
