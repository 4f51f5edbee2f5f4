# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from typing import Any as _Any

from tapeviz.engine.annotations import ShapeLike as _ShapeLike
from tapeviz.engine.annotations import TensorLike as _TensorLike
from tapeviz.engine.tensor import Tensor as _Tensor

__all__ = ["stateless_dropout"]

def stateless_dropout(
    x: _TensorLike,
    rate: float,
    seed: _Any,
    rng_alg: str | None = None,
    noise_shape: _ShapeLike | None = None,
    name: str | None = None,
) -> _Tensor:
    """``x`` with elements set to 0 at random, the others scaled; always the same elements for the same seed."""
