"""Jacobians: one backward pass for each element of the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.declaration import registry
from tapeviz.engine.operators import public
from tapeviz.engine.tensor import EagerTensor

__all__ = ["batch_directions", "batch_stacked", "directions", "stacked"]


def directions(target: EagerTensor) -> list[EagerTensor]:
    """For each element of the target the upstream gradient that asks for it alone."""
    size = int(np.prod(target._a.shape))
    return [_upstream(target, (position,)) for position in range(size)]


def batch_directions(target: EagerTensor) -> list[EagerTensor]:
    """For each element of an example the upstream gradient that asks for it in every example at once."""
    rows, *rest = target._a.shape
    size = int(np.prod(rest))
    return [_upstream(target, range(position, rows * size, size)) for position in range(size)]


def _upstream(target: EagerTensor, positions: Any) -> EagerTensor:
    flat = np.zeros(int(np.prod(target._a.shape)), target._a.dtype)
    flat[list(positions)] = 1
    return convert_to_tensor(flat.reshape(target._a.shape))


def stacked(rows: list[Any], target: EagerTensor, source: Any) -> Any:
    """The Jacobian of the target's shape and then the source's, from a gradient for each element; None for None."""
    if not rows:
        return _nothing((*target._a.shape, *source.shape.as_list()), source)
    if rows[0] is None:
        return None
    return registry["reshape"].run(public["stack"](rows), shape=(*target._a.shape, *source.shape.as_list()))


def batch_stacked(rows: list[Any], target: EagerTensor, source: Any) -> Any:
    """The Jacobians of the examples, from a gradient of the whole batch for each element of an example."""
    if not rows:
        return _nothing((*target._a.shape, *source.shape.as_list()[1:]), source)
    if rows[0] is None:
        return None
    return registry["reshape"].run(public["stack"](rows, axis=1), shape=(*target._a.shape, *source.shape.as_list()[1:]))


def _nothing(shape: tuple[int, ...], source: Any) -> EagerTensor:
    """The Jacobian of a target without elements."""
    return convert_to_tensor(np.zeros(shape, source.dtype.numpy))
